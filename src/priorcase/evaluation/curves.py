"""Scores along an axis, such as the number of training rows or the level of noise: means, errors, best and worst."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias, get_args

import numpy as np

from priorcase._typing import AnyArray, FloatArray
from priorcase.datasets.columns import Backend
from priorcase.evaluation.checks import check_choice, check_frame
from priorcase.evaluation.compare_cells import Cell, first_failures
from priorcase.evaluation.curves_plot import draw_curves
from priorcase.evaluation.curves_table import curve_grids
from priorcase.evaluation.scoring import Score, score_named
from priorcase.learning.plotting import drawing
from priorcase.learning.results import framed, grid_markdown, grids_html, grids_text

Band: TypeAlias = Literal["range", "error"]
"""What is shaded around a mean: from the worst to the best repetition, or two standard errors to each side."""


@dataclass(frozen=True, repr=False, eq=False)
class Curve:
    """Scores of several learners at some points, each measured several times; prints as a table for each score.

    Means, standard errors and extremes are over the repetitions that a learner finished. The standard error
    ``s / sqrt(repetitions)`` says how far the mean may be from that over all partitions of this table; partitions share
    rows, so other tables may differ by more.

    Parameters
    ----------
    learners
        Their names, in the order given.
    scores
        The scores.
    points
        Where the scores were taken, ascending.
    cells
        One for each learner, repetition and point that was finished; ``cell.split`` is the number of the point.
    repeats
        How many repetitions there were to be.
    protocol
        How rows were dealt out, in words.
    complete
        Whether everything was finished; False after Ctrl-C.
    """

    learners: tuple[str, ...]
    scores: tuple[Score, ...]
    points: AnyArray
    cells: tuple[Cell, ...]
    repeats: int
    protocol: str
    complete: bool = True

    axis: ClassVar[str]
    axis_label: ClassVar[str]

    # -- numbers

    def values(self, score: str | None = None) -> FloatArray:
        """A score in every repetition, shape (learners, points, repetitions); NaN where there is none.

        Parameters
        ----------
        score
            Its name; None for the first.
        """
        name = self.score(score).name
        found = np.full((len(self.learners), self.points.size, self.repeats), np.nan)
        at = {learner: number for number, learner in enumerate(self.learners)}
        for cell in self.cells:
            found[at[cell.learner], cell.split, cell.repeat] = cell.values[name]
        return found

    def mean(self, score: str | None = None) -> FloatArray:
        """The mean over the repetitions, shape (learners, points); NaN where there is none."""
        values = self.values(score)
        counts = self._counts(values)
        total = np.where(np.isnan(values), 0.0, values).sum(axis=2)
        return np.asarray(np.divide(total, counts, out=np.full(counts.shape, np.nan), where=counts > 0))

    def standard_error(self, score: str | None = None) -> FloatArray:
        """``s / sqrt(repetitions)``, shape (learners, points); NaN with one repetition, and where one is infinite."""
        values = self.values(score)
        counts, mean = self._counts(values), self.mean(score)
        known = ~np.isnan(values)
        with np.errstate(invalid="ignore"):
            squares = np.where(known, (values - mean[:, :, np.newaxis]) ** 2, 0.0).sum(axis=2)
        variance = np.divide(squares, counts - 1.0, out=np.full(counts.shape, np.nan), where=counts > 1)
        return np.asarray(np.sqrt(variance / np.maximum(counts, 1)))

    def lowest(self, score: str | None = None) -> FloatArray:
        """The smallest value of all repetitions, shape (learners, points)."""
        return self._extreme(score, np.inf, np.min)

    def highest(self, score: str | None = None) -> FloatArray:
        """The greatest value of all repetitions, shape (learners, points)."""
        return self._extreme(score, -np.inf, np.max)

    @property
    def failures(self) -> Mapping[str, str]:
        """Why a learner failed, by its name: the first reason where there are several."""
        return first_failures(self.cells)

    def score(self, name: str | None = None) -> Score:
        """One of the scores by its name; the first for None."""
        return score_named(self.scores, name)

    # -- words and pictures

    def frame(self, backend: Backend | None = None, *, each: bool = False) -> Any:
        """One line for each learner, point and score: mean, standard error, min, max and number of repetitions.

        Parameters
        ----------
        backend
            The library whose frame to return: ``"pandas"``, ``"polars"`` or ``"pyarrow"``. None: the first of them
            that is installed; a dictionary of arrays where none is.
        each
            True for one line for each repetition in place of that: ``learner``, the point, ``repeat``, ``score``,
            ``value``, ``train``, ``test``, ``fit_seconds``, ``predict_seconds``, ``reason``.
        """
        check_frame(backend)
        return framed(self._lines_of_each() if each else self._lines(), backend)

    def plot(self, score: str | None = None, ax: Any = None, *, band: Band | None = "range") -> Any:
        """Mean scores as lines, with a band for each learner.

        Parameters
        ----------
        score
            Its name; None for the first.
        ax
            Axes of matplotlib; None for a figure of its own.
        band
            ``"range"``: from the worst repetition to the best. ``"error"``: two standard errors to each side. None:
            lines alone.
        """
        if band is not None:
            check_choice("band", band, get_args(Band), hint="None draws lines alone.")
        name = self.score(score).name
        mean, low, high = self.mean(name), self.lowest(name), self.highest(name)
        if band == "error":
            low, high = (mean + side * 2 * self.standard_error(name) for side in (-1, 1))
        with drawing(ax) as ax:
            draw_curves(ax, self.learners, self.points, mean, None if band is None else (low, high))
            ax.set_xlabel(self.axis_label)
            ax.set_ylabel(name)
            return ax

    def markdown(self) -> str:
        """The tables in Markdown."""
        return "\n\n".join(map(grid_markdown, curve_grids(self)))

    def __str__(self) -> str:
        return grids_text(curve_grids(self))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return grids_html(curve_grids(self))

    # -- inside

    def _counts(self, values: FloatArray) -> Any:
        return (~np.isnan(values)).sum(axis=2)

    def _extreme(self, score: str | None, empty: float, choose: Any) -> FloatArray:
        values = self.values(score)
        known = ~np.isnan(values)
        return np.where(known.any(axis=2), choose(np.where(known, values, empty), axis=2), np.nan)

    def _lines(self) -> dict[str, Any]:
        columns: dict[str, list[Any]] = {name: [] for name in ("learner", self.axis, "score")}
        numbers: dict[str, list[float]] = {name: [] for name in ("mean", "standard_error", "min", "max", "repeats")}
        for score in self.scores:
            parts = (self.mean, self.standard_error, self.lowest, self.highest)
            found = [*(part(score.name) for part in parts), self._counts(self.values(score.name))]
            for learner, at in np.ndindex(len(self.learners), self.points.size):
                place = (self.learners[learner], self.points.tolist()[at], score.name)
                for column, value in zip(columns.values(), place, strict=True):
                    column.append(value)
                for column, array in zip(numbers.values(), found, strict=True):
                    column.append(array[learner, at].item())
        return columns | numbers

    def _lines_of_each(self) -> dict[str, Any]:
        lines = [
            (
                *(cell.learner, self.points.tolist()[cell.split], cell.repeat, score.name, cell.values[score.name]),
                *(cell.train, cell.test, cell.fit_seconds, cell.predict_seconds),
                cell.failure or cell.reasons.get(score.name, ""),
            )
            for cell in self.cells
            for score in self.scores
        ]
        names = ("learner", self.axis, "repeat", "score", "value", "train", "test", "fit_seconds", "predict_seconds")
        columns = zip(*lines, strict=True) if lines else [()] * 10
        return {name: list(column) for name, column in zip((*names, "reason"), columns, strict=True)}
