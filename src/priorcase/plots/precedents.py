"""A query beside the past cases that speak for its answer, and what sets them apart."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import numpy as np

from priorcase._parameters import is_whole
from priorcase._typing import FloatArray, IntArray
from priorcase.exceptions import ParameterError, prefix_errors, quoted
from priorcase.learning.plotting import FAINT, INK, MUTED, caption, captions, drawing, legend_beside, style, tint
from priorcase.learning.results import short, value_text
from priorcase.neighbors.precedents import Precedents
from priorcase.plots.display import Display

_WIDTH = 22
_BAR = 0.66
_VALUE = 16
_LONG = 60
_VOTES = 30
_SHOWN = 12


@dataclass(frozen=True, eq=False, repr=False)
class PrecedentsDisplay(Display):
    """The neighbours of one query as bars as long as their distances, made up of what each attribute adds.

    Made by `of`. The nearest case is on top; a bar says the values in which the case differs, and beside it stand its
    target and its vote. For classes the nearest case of another class comes last,
    where it is not among the others.

    Parameters
    ----------
    precedents
        The neighbours of the query alone.
    most
        How many attributes have a part of their own; the others are added up.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[31, "red"], [29, "red"], [62, "blue"], [None, "blue"]]
    >>> model = pc.KNNClassifier(n_neighbors=3).fit(X, ["no", "no", "yes", "yes"])
    >>> display = PrecedentsDisplay.of(model, [[60, "blue"]])
    >>> display.title
    'query 0: yes  (yes 0.67, no 0.33)'
    """

    precedents: Precedents
    most: int = 7

    @classmethod
    def of(cls, model: Any, X: Any = None, *, query: int = 0, most: int = 7) -> PrecedentsDisplay:
        """The neighbours of one of some queries.

        Parameters
        ----------
        model
            A fitted model with ``precedents``; or the `Precedents` themselves.
        X
            Queries; none where precedents are given.
        query
            Which of them, from 0.
        most
            How many attributes have a part of their own: those that add most to these distances.
        """
        if not is_whole(most) or most < 1:
            raise ParameterError(f"most must be a whole number >= 1, got {quoted(most)}. 7 tell apart well.")
        if isinstance(model, Precedents):
            if X is not None:
                raise ParameterError(
                    f"X must be None beside precedents, got {quoted(X)}. Precedents know their queries; or pass the "
                    "model."
                )
            return cls(model[query], int(most))
        if not hasattr(model, "precedents") or X is None:
            what, value = ("model", model) if X is not None else ("X", X)
            raise ParameterError(
                f"needs a model with precedents and some queries, got {what}={quoted(value)}. KNNClassifier, "
                "KNNRegressor, LocallyWeightedRegressor, IB1 to IB5 and PEBLS have precedents."
            )
        return cls(model.precedents(X)[query], int(most))

    @property
    def title(self) -> str:
        """The query's number, the answer, and the probabilities of the likeliest classes."""
        one = self.precedents
        text = f"query {one.numbers[0]}: {_target(one.predictions[0])}"
        if one.probabilities is None or one.classes is None:
            return text
        order = np.argsort(-one.probabilities[0], kind="stable")[:3]
        order = order[one.probabilities[0, order] > 0]
        odds = ", ".join(f"{one.classes[c]} {one.probabilities[0, c]:.2f}" for c in order.tolist())
        return f"{text}  ({odds})"

    def _said(self) -> str:
        return f"{self.title}, {len(self.precedents.ids)} precedents"

    def frame(self) -> Any:
        """One line for each neighbour, as `Precedents.frame` has them."""
        return self.precedents.frame()

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """The bars of at most the twelve nearest, drawn with matplotlib; the axes come back.

        Parameters
        ----------
        ax
            Axes to draw on; None for a figure of its own, as high as the neighbours need.
        """
        shares, rows, names = self._bars()
        widest = max(len(line) for name in names for line in name.split("\n"))
        told = max(map(len, captions(self.precedents.names, _WIDTH)))
        size = (5.5 + 0.06 * (widest + told), 1.1 + 0.34 * max(len(names), 4))
        with drawing(ax, size=size) as ax:
            places = np.arange(len(names), dtype=np.float64)
            if self._unlike() is not None:
                places[-1] += 0.35
                ax.axhline(places[-1] - 0.67, color=MUTED, linewidth=0.7, linestyle=(0, (3, 3)))
            samples = self._draw_shares(ax, places, shares, rows)
            longest = float(shares.sum(axis=1).max(initial=0.0)) or 1.0
            self._draw_votes(ax, places)
            ax.set_yticks(places, names)
            ax.tick_params(axis="y", length=0)
            among = f", the nearest {_SHOWN} of {len(self.precedents.ids)}"
            words = "distance from the query" + (among if len(self.precedents.ids) > _SHOWN else "")
            ax.set(xlabel=words, xlim=(0.0, longest * 1.02))
            ax.set_title(self._heading())
            ax.set_ylim(places[-1] + 0.6, -0.95)
            ax.grid(False, axis="y")
            ax.spines["left"].set_visible(False)
            legend_beside(ax, "query", samples=samples, apart=_VOTES + 12, width=_WIDTH + _VALUE + 3)
            return ax

    def _unlike(self) -> Any:
        """The nearest case of another class, where it is not among the neighbours."""
        unlike = self.precedents.unlike[0] if self.precedents.unlike else None
        return None if unlike is None or unlike.id in self.precedents.ids else unlike

    def _bars(self) -> tuple[FloatArray, list[Any], list[str]]:
        """The shares, the values and the name of each bar, the nearest first."""
        one, unlike = self.precedents, self._unlike()
        shares, rows = one.contributions[:_SHOWN], list(one.rows[:_SHOWN])
        targets = [_target(target) for target in one.targets[:_SHOWN]]
        if unlike is not None:
            shares = np.vstack([shares, unlike.contributions])
            rows.append(unlike.row)
            targets.append(_target(unlike.target))
        names = [f"{target}   #{i}" for target, i in zip(captions(targets, _WIDTH), one.ids.tolist(), strict=False)]
        if unlike is not None:
            names.append(f"nearest unlike:\n{captions(targets, _WIDTH)[-1]}   #{unlike.id}")
        return shares, rows, names

    def _order(self, shares: FloatArray) -> tuple[IntArray, IntArray]:
        """Attributes with a part of their own, in the order of the columns, and the others."""
        heaviest = np.argsort(-shares.sum(axis=0), kind="stable")
        few = shares.shape[1] if shares.shape[1] <= self.most + 1 else self.most
        return np.sort(heaviest[:few]), np.sort(heaviest[few:])

    def _draw_shares(self, ax: Any, places: FloatArray, shares: FloatArray, rows: list[Any]) -> list[Any]:
        """Draw the parts of the bars; a sample of each comes back."""
        from matplotlib.patches import Patch

        samples: list[Any] = []
        own, others = self._order(shares)
        query, names = self.precedents.queries[0], self.precedents.names
        start = np.zeros(len(places))
        longest = float(shares.sum(axis=1).max(initial=0.0)) or 1.0
        told = captions([names[a] for a in own.tolist()], _WIDTH)
        for i, a in enumerate(own.tolist()):
            look = style(i)
            label = f"{told[i]} = {caption(_text(query[a]), _VALUE)}"
            fill: dict[str, Any] = {
                "facecolor": tint(i, 0.45),
                "edgecolor": look.colour,
                "hatch": look.hatch[:2],
                "linewidth": 0.6,
            }
            some = shares[:, a] > 0
            ax.barh(places[some], shares[some, a], _BAR, left=start[some], **fill)
            samples.append(Patch(label=label, **fill))
            for at, width, left, row in zip(places, shares[:, a], start, rows, strict=True):
                text = caption(short(_text(row[a]), 12))
                if width > longest * (0.02 + 0.017 * len(text)):  # where the text fits
                    box = {"facecolor": "white", "alpha": 0.75, "edgecolor": "none", "pad": 0.8}
                    middle = left + width / 2
                    ax.text(middle, at, text, ha="center", va="center", fontsize=7.5, color=INK, bbox=box)
            start = start + shares[:, a]
        if others.size:
            rest = shares[:, others].sum(axis=1)
            label = f"{others.size} other attributes"
            fill = {"facecolor": FAINT, "edgecolor": MUTED, "linewidth": 0.6}
            ax.barh(places, rest, _BAR, left=start, **fill)
            samples.append(Patch(label=label, **fill))
        return samples

    def _draw_votes(self, ax: Any, places: FloatArray) -> None:
        """A column of votes between the bars and the legend."""
        side = {"xycoords": ax.get_yaxis_transform(), "textcoords": "offset points", "ha": "right", "va": "center"}
        look = {**side, "fontsize": 8, "color": MUTED, "annotation_clip": False}
        ax.annotate("vote", (1.0, -0.7), (_VOTES, 0), **look)
        for at, vote in zip(places, self.precedents.votes[:_SHOWN].tolist(), strict=False):  # the unlike case has none
            ax.annotate(f"{round(100 * vote) + 0:d}%", (1.0, at), (_VOTES, 0), **look)

    def _heading(self) -> str:
        """The title in lines that fit."""
        title = self.title.replace("$", r"\$")
        return title if len(title) <= _LONG else "\n".join(wrap(title.replace("  (", " ("), _LONG)[:3])


def _target(target: Any) -> str:
    """A target in words; several of them in a row."""
    if isinstance(target, (np.ndarray, tuple, list)):
        return ", ".join(_target(part) for part in list(target))
    return _text(target.item() if isinstance(target, np.generic) else target)


def _text(value: Any) -> str:
    """A value in few characters."""
    return f"{value:.4g}" if isinstance(value, float) else value_text(value, _WIDTH)
