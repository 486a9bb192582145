"""What came of choosing parameters: every candidate's scores, and the fitted winner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np

from priorcase._typing import AnyArray, FloatArray
from priorcase.exceptions import prefix_errors
from priorcase.learning.frames import Backend, framed, free_label
from priorcase.learning.grids import Grid, GridResult
from priorcase.learning.parameters import check_choice
from priorcase.learning.plotting import drawing, legend_beside, log_ticks, ring, style
from priorcase.neighbors.tuning.candidates import Group, locate

_FRAMES = Literal["pandas", "polars", "pyarrow"]
_LISTED = 10
_WIDEST = 40
_LABELS = {
    "log_loss": "log-loss",
    "accuracy": "accuracy",
    "brier": "Brier score",
    "squared_error": "mean squared error",
    "absolute_error": "mean absolute error",
}


@dataclass(frozen=True, repr=False, eq=False)
class Tuning(GridResult):
    """Candidates with their leave-one-out scores, and the one that was chosen; prints as a table.

    Parameters
    ----------
    best
        The estimator with the chosen parameters, fitted to all rows.
    best_params
        The chosen parameters.
    scoring
        The score by which it was chosen.
    nested_scores
        Each score on rows that took no part in the choice; empty where this was not asked for.
    rows
        How many rows were asked about, weights counted.

    Attributes
    ----------
    score
        The chosen candidate's own score. It is optimistic: the same rows chose it.
    nested_score
        The score on rows that took no part in the choice, as honest as cross-validation is; None where it was not
        asked for.
    """

    best: Any
    best_params: Mapping[str, Any]
    scoring: str
    nested_scores: Mapping[str, float]
    rows: float
    _groups: Sequence[Group] = field(repr=False)
    _scores: Mapping[str, FloatArray] = field(repr=False)
    _chosen: int = field(repr=False)
    _folds: Sequence[bool] = field(repr=False)
    _backend: Backend | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return int(self._scores[self.scoring].size)

    @property
    def score(self) -> float:
        """The chosen candidate's own score; optimistic, since the same rows chose it."""
        return float(self._scores[self.scoring][self._chosen])

    @property
    def nested_score(self) -> float | None:
        """The score on rows that took no part in the choice; None where it was not asked for."""
        return self.nested_scores.get(self.scoring)

    @prefix_errors
    def frame(self, backend: _FRAMES | None = None) -> Any:
        """One line for each candidate: its parameters, its scores and how it was scored; the best first.

        Parameters
        ----------
        backend
            The library whose frame to return: ``"pandas"``, ``"polars"`` or ``"pyarrow"``. None: the one that X came
            in, or the first that is installed; a dictionary of arrays where none is.
        """
        if backend is not None:
            hint = "None takes the library that is installed."
            check_choice("backend", backend, get_args(_FRAMES), hint=hint)
        order = self._order()
        columns: dict[str, Any] = {name: _column(values[order]) for name, values in self._parameters.items()}
        columns |= {name: scores[order] for name, scores in self._scores.items()}
        columns["scored_by"] = np.where(np.repeat(self._folds, self._sizes), "folds", "leave-one-out")[order]
        columns["chosen"] = (np.arange(len(self)) == self._chosen)[order]
        return framed(columns, backend or self._backend)

    @property
    def score_label(self) -> str:
        """What the score is, in words."""
        return _LABELS[self.scoring]

    def curves(self) -> tuple[AnyArray, dict[str, FloatArray]]:
        """The numbers of neighbours, and for each vote its score with each, by the chosen distance and weights.

        Every score is the best over priors and temperatures.
        """
        group, at = locate(self._groups, self._chosen)
        first = self._chosen - at
        scores = self._scores[self.scoring][first : first + len(group.grid)].reshape(group.grid.shape)
        best = scores.max(axis=(2, 3)) if self.scoring == "accuracy" else scores.min(axis=(2, 3))
        found: dict[str, FloatArray] = {}
        for choice, line in zip(group.grid.votes, best, strict=True):
            reach = "" if choice.bandwidth is None else f", bandwidth {choice.bandwidth:g}"
            found[free_label(f"{choice.vote}{reach}", found)] = line
        return np.asarray(group.grid.n_neighbors), found

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """The score over the number of neighbours, a line for each vote with the chosen distance and weights.

        Every point is the best over priors and temperatures. Returns the axes.

        Parameters
        ----------
        ax
            Axes of matplotlib to draw on; None for new ones.
        """
        with drawing(ax) as ax:
            n_neighbors, curves = self.curves()
            for i, (label, scores) in enumerate(curves.items()):
                look, shown = style(i), np.where(np.isfinite(scores), scores, np.nan)
                drawn = {"color": look.colour, "linestyle": look.line, "marker": look.marker, "markersize": 3.4}
                ax.plot(n_neighbors, shown, label=label, **drawn)
            ring(ax, self.best_params["n_neighbors"], self.score, label="chosen")
            ax.set(xlabel="n_neighbors", ylabel=f"leave-one-out {self.score_label}", xscale="log")
            log_ticks(ax.xaxis)
            legend_beside(ax)
            return ax

    # -- inside

    @cached_property
    def _sizes(self) -> list[int]:
        return [len(group.grid) for group in self._groups]

    @cached_property
    def _parameters(self) -> dict[str, AnyArray]:
        lines = [
            group.parameters(candidate, classes="log_loss" in self._scores)
            for group in self._groups
            for candidate in range(len(group.grid))
        ]
        columns = {}
        for name in lines[0]:
            column = np.empty(len(lines), dtype=object)
            column[:] = [line[name] for line in lines]
            columns[name] = column
        return columns

    def _order(self) -> Any:
        scores = self._scores[self.scoring]
        return np.argsort(-scores if self.scoring == "accuracy" else scores, kind="stable")

    def _grid(self) -> Grid:
        """The chosen candidate, then the best of each distance, weights and vote."""
        parameters = self._parameters
        names = [name for name, values in parameters.items() if len({repr(value) for value in values}) > 1]
        kinds = [name for name in ("distance", "attribute_weights", "vote", "bandwidth") if name in names]
        seen: set[tuple[str, ...]] = set()
        chosen = [self._chosen]
        for candidate in self._order().tolist():
            kind = tuple(repr(parameters[name][candidate]) for name in kinds)
            if kind not in seen and candidate != self._chosen:
                chosen.append(candidate)
            seen.add(kind)
            if len(chosen) > _LISTED:
                break
        lines = [
            ["chosen" if line == self._chosen else "", *(_text(parameters[name][line]) for name in names)]
            + [_number(scores[line]) for scores in self._scores.values()]
            for line in chosen
        ]
        header = ["", *names, *(_LABELS[name] for name in self._scores)]
        title = f"{len(self):,} candidates scored on {self.rows:,g} rows, chosen by {_LABELS[self.scoring]}"
        right = range(1 + len(names), len(header))
        return Grid(title, header, lines, note=self._note(), right=right)

    def _note(self) -> str:
        if not self.nested_scores:
            return "These rows chose, so the chosen score is optimistic; nested=5 gives an honest one."
        scores = ", ".join(f"{_LABELS[name]} {_number(score)}" for name, score in self.nested_scores.items())
        return f"On rows that took no part in the choice: {scores}."


def _column(values: AnyArray) -> list[Any]:
    """Plain numbers and texts as they are, other values as text."""
    plain = (int, float, str, bool, type(None), np.integer, np.floating)
    if all(isinstance(value, plain) for value in values):
        return list(values)
    return [None if value is None else str(value) for value in values]


def _text(value: object) -> str:
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text if len(text) <= _WIDEST else text[: _WIDEST - 3] + "..."


def _number(value: float) -> str:
    return f"{value:.4g}"
