"""What came of a stream whose rows were predicted before they were learned: results that print, frame and plot."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from priorcase._typing import AnyArray, FloatArray
from priorcase.learning.frames import Backend, framed
from priorcase.learning.grids import Grid, GridResult
from priorcase.learning.plotting import colour, drawing

_LINES = 10


@dataclass(frozen=True, repr=False, eq=False)
class PrequentialResult(GridResult):
    """Predictions of the rows of a stream, each made from the rows before it; prints as a table of the score so far.

    Parameters
    ----------
    predictions
        One for each answered row, in their order; shape (answered rows, targets) when there are several targets.
    targets
        What came true, likewise.
    first
        How many rows came before there were enough to answer from; the answered ones are those from there on.
    backend
        The library whose frame the model was fitted on, or None.
    """

    predictions: AnyArray
    targets: AnyArray
    first: int
    backend: Backend | None = None

    _score: ClassVar[str]

    def __len__(self) -> int:
        """How many rows were answered."""
        return len(self.predictions)

    @abstractmethod
    def _scores(self) -> FloatArray:
        """The score of each answered row."""

    def _mean(self) -> float:
        return float(self._scores().mean()) if len(self) else float("nan")

    def _so_far(self) -> FloatArray:
        """The mean score of the answered rows up to each."""
        return np.asarray(np.cumsum(self._scores()) / np.arange(1, len(self) + 1))

    def frame(self) -> Any:
        """One line for each answered row, as a frame.

        Columns: ``row`` (its position in the stream), ``target``, ``predicted`` (``target 0``, ``target 1``, ... when
        there are several targets), and the score so far.
        """
        columns: dict[str, Any] = {"row": self._rows()}
        for name, values in (("target", self.targets), ("predicted", self.predictions)):
            if values.ndim == 1:
                columns[name] = values
            else:
                columns |= {f"{name} {t}": values[:, t] for t in range(values.shape[1])}
        return framed(columns | {self._score: self._so_far()}, self.backend)

    def plot(self, ax: Any = None) -> Any:
        """The score so far against the rows seen.

        Parameters
        ----------
        ax
            Axes of matplotlib to draw on; None for a figure of its own.
        """
        with drawing(ax) as ax:
            ax.plot(self._rows() + 1, self._so_far(), color=colour(0))
            ax.set(xlabel="rows seen", ylabel=f"{self._score} so far")
            return ax

    def _rows(self) -> AnyArray:
        return np.arange(self.first, self.first + len(self))

    def _grid(self) -> Grid:
        title = f"{len(self)} of {self.first + len(self)} rows answered before they were stored"
        return Grid(title, ("rows seen", f"{self._score} so far"), self._lines(), right=(0, 1))

    def _lines(self) -> Sequence[tuple[str, str]]:
        """The score after some of the rows, at equal steps, and after the last."""
        if not len(self):
            return [(str(self.first), "-")]
        at = np.unique(np.linspace(0, len(self) - 1, _LINES + 1).round().astype(int)[1:])
        return [(str(self.first + i + 1), f"{self._so_far()[i]:.4g}") for i in at.tolist()]


@dataclass(frozen=True, repr=False, eq=False)
class PrequentialClassification(PrequentialResult):
    """Classes predicted for the rows of a stream, each from the rows before it.

    Examples
    --------
    >>> import priorcase as pc
    >>> X, y = [[1.0], [9.0], [2.0], [8.0], [5.5], [1.5]], ["low", "high", "low", "high", "low", "low"]
    >>> result = pc.KNNClassifier(1).prequential(X, y)
    >>> result
    5 of 6 rows answered before they were stored
      rows seen  accuracy so far
              2                0
              3              0.5
              4           0.6667
              5              0.5
              6              0.6
    >>> result.accuracy, result.predictions.tolist()
    (0.6, ['low', 'low', 'high', 'high', 'low'])
    """

    _score = "accuracy"

    @property
    def accuracy(self) -> float:
        """The share of right answers, of all targets alike; NaN where no row was answered."""
        return self._mean()

    @property
    def accuracies(self) -> FloatArray:
        """The accuracy of the answers up to each answered row."""
        return self._so_far()

    def _scores(self) -> FloatArray:
        right = self.predictions == self.targets
        return np.asarray(right if right.ndim == 1 else right.mean(axis=1), np.float64)


@dataclass(frozen=True, repr=False, eq=False)
class PrequentialRegression(PrequentialResult):
    """Numbers predicted for the rows of a stream, each from the rows before it.

    Examples
    --------
    >>> import priorcase as pc
    >>> result = pc.KNNRegressor(1).prequential([[1.0], [3.0], [2.0]], [10.0, 30.0, 20.0])
    >>> result.mean_squared_error, result.predictions.tolist()
    (200.0, [10.0, 20.0])
    """

    _score = "mean squared error"

    @property
    def mean_squared_error(self) -> float:
        """The mean of ``(target - prediction)^2``, over all targets alike; NaN where no row was answered."""
        return self._mean()

    @property
    def mean_squared_errors(self) -> FloatArray:
        """The mean squared error of the answers up to each answered row."""
        return self._so_far()

    def _scores(self) -> FloatArray:
        with np.errstate(over="ignore"):
            errors = self.predictions - self.targets
            squares = np.asarray(errors * errors)
        return squares if squares.ndim == 1 else squares.mean(axis=1)
