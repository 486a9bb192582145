"""Plot of the precedents of a query, with the contribution of each attribute to their distances."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from textwrap import wrap
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval

from priorcase._numbers import number, share_text
from priorcase._parameters import check_value
from priorcase._typing import FloatArray
from priorcase.exceptions import ParameterError, quoted
from priorcase.learning.plotting import FAINT, INK, MUTED, caption, captions, drawing, legend_beside, style, tint
from priorcase.learning.results import short, value_text
from priorcase.neighbors.precedents import Precedents
from priorcase.plots.display import Display

_WIDTH = 22
_BAR = 0.66
_VALUE = 16
_TITLE = 60
_VOTES = 30
_SHOWN = 12
_CLASSES = 3


@dataclass(frozen=True, eq=False, repr=False)
class PrecedentsDisplay(Display):
    """Neighbors of a query, with a bar for each distance; created by `PrecedentsDisplay.of`.

    The nearest neighbor is on top. Each part of a bar shows the contribution of one attribute to the distance. The
    target of the neighbor is on the left of the bar, and its vote is on the right. For classification, the nearest row
    with a class other than the predicted class is at the bottom, unless it is among the neighbors.

    ``precedents`` are the neighbors of the query. ``most`` is the number of attributes that are shown separately: those
    with the largest contributions. All other attributes are combined.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[31, "red"], [29, "red"], [62, "blue"], [None, "blue"]]
    >>> model = pc.KNNClassifier(n_neighbors=3).fit(X, ["no", "no", "yes", "yes"])
    >>> display = PrecedentsDisplay.of(model, [[60, "blue"]])
    >>> display.title
    'query 0: yes  (yes 0.62, no 0.38)'
    """

    precedents: Precedents
    most: int = 7

    @classmethod
    def of(cls, model: Any, X: Any = None, *, query: int = 0, most: int = 7) -> PrecedentsDisplay:
        """Create a display of the neighbors of one query.

        Parameters
        ----------
        model
            A fitted model that has a method ``precedents``, or a `Precedents` object.
        X
            Queries; None if a `Precedents` object is passed.
        query
            Number of the query, from 0.
        most
            Number of attributes to show separately: the attributes with the largest contributions to the distances.
        """
        check_value("most", most, [Interval(Integral, 1, None, closed="left")])
        if isinstance(model, Precedents):
            if X is not None:
                raise ParameterError(
                    f"X must be None if precedents are passed, got {quoted(X)}. Precedents already contain "
                    "their queries; omit X, or pass the model."
                )
            return cls(model[query], int(most))
        if not hasattr(model, "precedents") or X is None:
            what, value = ("model", model) if X is not None else ("X", X)
            raise ParameterError(
                f"expected a model with the method 'precedents', and queries X, got {what}={quoted(value)}. "
                "KNNClassifier, KNNRegressor, LocallyWeightedRegressor, IB1 to IB5 and PEBLS have this method."
            )
        return cls(model.precedents(X)[query], int(most))

    @property
    def title(self) -> str:
        """Title of the plot: query number, prediction, and probabilities of the three most probable classes."""
        one = self.precedents
        text = f"query {one.numbers[0]}: {_target(one.predictions[0])}"
        if one.probabilities is None or one.classes is None:
            return text
        probabilities = one.probabilities[0]
        likely = [c for c in np.argsort(-probabilities, kind="stable")[:_CLASSES].tolist() if probabilities[c] > 0]
        shares = ", ".join(f"{one.classes[c]} {share_text(probabilities[c])}" for c in likely)
        more = ", ..." if np.count_nonzero(probabilities) > len(likely) else ""
        return f"{text}  ({shares}{more})"

    def _summary(self) -> str:
        return f"{self.title}, {len(self.precedents.ids)} precedents"

    def frame(self) -> Any:
        """Return a frame with one row per neighbor; see `Precedents.frame`."""
        return self.precedents.frame()

    def plot(self, ax: Any = None) -> Any:
        """Plot the bars of the twelve nearest neighbors, or of all neighbors if there are fewer; return the axes."""
        contributions, rows, names = self._bars()
        widest = max(len(line) for name in names for line in name.split("\n"))
        longest_name = max(map(len, captions(self.precedents.names, _WIDTH)))
        size = (5.5 + 0.06 * (widest + longest_name), 1.1 + 0.34 * max(len(names), 4))
        with drawing(ax, size=size) as ax:
            places = np.arange(len(names), dtype=np.float64)
            if self._unlike() is not None:
                places[-1] += 0.35
                ax.axhline(places[-1] - 0.67, color=MUTED, linewidth=0.7, linestyle=(0, (3, 3)))
            longest = float(np.nan_to_num(contributions).sum(axis=1).max(initial=0.0))
            longest = longest or float(self.precedents.distances[:_SHOWN].max(initial=0.0)) or 1.0
            samples = self._draw_parts(ax, places, contributions, rows, longest)
            self._draw_votes(ax, places)
            ax.set_yticks(places, names)
            ax.tick_params(axis="y", length=0)
            among = f", the nearest {_SHOWN} of {len(self.precedents.ids):,}"
            words = "distance from the query" + (among if len(self.precedents.ids) > _SHOWN else "")
            ax.set(xlabel=words, xlim=(0.0, longest * 1.02))
            title = self.title.replace("$", r"\$")
            if len(title) > _TITLE:  # put the probabilities on a new line
                parts = title.replace("  (", "\n(").splitlines()
                title = "\n".join([line for part in parts for line in wrap(part, _TITLE)][:3])
            ax.set_title(title)
            ax.set_ylim(places[-1] + 0.6, -0.95)
            ax.grid(False, axis="y")
            ax.spines["left"].set_visible(False)
            legend_beside(ax, "query", samples=samples, apart=_VOTES + 12, width=_WIDTH + _VALUE + 3)
            return ax

    def _unlike(self) -> Any:
        """Return the nearest row of another class; None if there is no such row, or if it is among the neighbors."""
        unlike = self.precedents.unlike[0] if self.precedents.unlike else None
        return None if unlike is None or unlike.id in self.precedents.ids else unlike

    def _bars(self) -> tuple[FloatArray, list[Any], list[str]]:
        """Return the contributions, the row values and the label of each bar, in the order of the plot."""
        one, unlike = self.precedents, self._unlike()
        contributions, rows = one.contributions[:_SHOWN], list(one.rows[:_SHOWN])
        targets = [_target(target) for target in one.targets[:_SHOWN]]
        if unlike is not None:
            contributions = np.vstack([contributions, unlike.contributions])
            rows.append(unlike.row)
            targets.append(_target(unlike.target))
        shown = captions(targets, _WIDTH)
        names = [f"{target}   #{i}" for target, i in zip(shown, one.ids[:_SHOWN].tolist(), strict=False)]
        if unlike is not None:
            names.append(f"nearest unlike:\n{shown[-1]}   #{unlike.id}")
        return contributions, rows, names

    def _draw_parts(
        self, ax: Any, places: FloatArray, contributions: FloatArray, rows: list[Any], longest: float
    ) -> list[Any]:
        """Draw the parts of the bars, with attribute values where they fit; return the legend entries."""
        from matplotlib.patches import Patch

        samples: list[Any] = []
        if np.isnan(contributions).all():  # the distance compares whole rows
            unlike = [] if (case := self._unlike()) is None else [case.distance]
            ax.barh(places, [*self.precedents.distances[:_SHOWN].tolist(), *unlike], _BAR, facecolor=FAINT)
            return [Patch(label="all attributes together", facecolor=FAINT)]
        heaviest, columns = np.argsort(-contributions.sum(axis=0), kind="stable"), contributions.shape[1]
        few = columns if columns <= self.most + 1 else self.most
        own, others = np.sort(heaviest[:few]), np.sort(heaviest[few:])  # in the order of the columns
        query, start = self.precedents.queries[0], np.zeros(len(places))
        names = captions([self.precedents.names[a] for a in own.tolist()], _WIDTH)
        for i, a in enumerate(own.tolist()):
            look, widths = style(i), contributions[:, a]
            fill: dict[str, Any] = {"facecolor": tint(i, 0.45), "edgecolor": look.color, "hatch": look.hatch[:2]}
            some = widths > 0
            ax.barh(places[some], widths[some], _BAR, left=start[some], linewidth=0.6, **fill)
            samples.append(Patch(label=f"{names[i]} = {caption(_text(query[a]), _VALUE)}", linewidth=0.6, **fill))
            for at, width, left, row in zip(places, widths, start, rows, strict=True):
                text = caption(short(_text(row[a]), 12))
                if width > longest * (0.02 + 0.017 * len(text)):
                    box = {"facecolor": "white", "alpha": 0.75, "edgecolor": "none", "pad": 0.8}
                    middle = left + width / 2
                    ax.text(middle, at, text, ha="center", va="center", fontsize=7.5, color=INK, bbox=box)
            start = start + widths
        if others.size:
            fill = {"facecolor": FAINT, "edgecolor": MUTED, "linewidth": 0.6}
            ax.barh(places, contributions[:, others].sum(axis=1), _BAR, left=start, **fill)
            samples.append(Patch(label=f"{others.size} other attributes", **fill))
        return samples

    def _draw_votes(self, ax: Any, places: FloatArray) -> None:
        """Write the votes between the bars and the legend; the nearest row of another class has no vote."""
        look: dict[str, Any] = {"ha": "right", "va": "center", "fontsize": 8, "color": MUTED, "annotation_clip": False}
        look |= {"xycoords": ax.get_yaxis_transform(), "textcoords": "offset points"}
        if np.isnan(self.precedents.votes).any():  # the model does not vote
            return
        ax.annotate("vote", (1.0, -0.7), (_VOTES, 0), **look)
        for at, vote in zip(places, self.precedents.votes[:_SHOWN].tolist(), strict=False):
            ax.annotate(f"{round(100 * vote) + 0:d}%", (1.0, at), (_VOTES, 0), **look)


def _target(target: Any) -> str:
    """Format a target as a string; several targets are separated by commas."""
    if isinstance(target, (np.ndarray, tuple, list)):
        return ", ".join(_target(part) for part in list(target))
    return _text(target.item() if isinstance(target, np.generic) else target)


def _text(value: Any) -> str:
    return number(value, 4) if isinstance(value, float) else value_text(value, _WIDTH)
