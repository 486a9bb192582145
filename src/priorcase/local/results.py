"""Results of local models that print themselves: leave-one-out curves, coefficients and precedents."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from priorcase._locks import cached_property
from priorcase._typing import AnyArray, Backend, FloatArray, Name, Value
from priorcase.exceptions import prefix_errors
from priorcase.learning.plotting import MUTED, colour, drawing, log_ticks, ring
from priorcase.learning.results import Grid, GridResult, PerQuery, framed, free_label, rest_text, short
from priorcase.neighbors.precedents import Precedents

_QUERIES, _WIDTH = 10, 24  # queries that a table of coefficients prints, and characters of a heading


@dataclass(frozen=True, repr=False, eq=False)
class LeaveOneOutCurve(GridResult):
    """The leave-one-out mean squared error of each candidate; ``np.asarray`` gives the errors.

    Parameters
    ----------
    parameter, candidates, errors
        What was chosen, ``"n_neighbors"`` or ``"bandwidth"``, the values tried, ascending, and their errors.
    n_left_out, backend
        How many rows were left out in turn, and the frame library of the fit, or None.

    Examples
    --------
    >>> LeaveOneOutCurve("n_neighbors", np.array([3, 5]), np.array([0.5, 0.25]), 20)
    leave-one-out error of 20 rows
      n_neighbors  squared error
                3            0.5
                5           0.25  best
    """

    parameter: str
    candidates: AnyArray
    errors: FloatArray
    n_left_out: int
    backend: Backend | None = None

    _loss: ClassVar[str] = "squared error"

    @cached_property
    def best(self) -> Any:
        """The candidate with the least error; the smallest of several."""
        return self.candidates[self._least()].item()

    def __len__(self) -> int:
        return self.errors.size

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        return np.array(self.errors, dtype=dtype)

    def frame(self) -> Any:
        """One row for each candidate, in a frame of the library that the estimator was fitted with."""
        loss = self._loss.replace(" ", "_").replace("-", "_")
        return framed({self.parameter: self.candidates, loss: self.errors}, self.backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """Plot the errors over the candidates with matplotlib, on ``ax`` or a new figure, and return the axes."""
        with drawing(ax) as ax:
            ax.plot(self.candidates, self.errors, marker="o", color=colour(0))
            ax.axvline(self.best, color=MUTED, linewidth=0.9, linestyle=(0, (3, 3)), zorder=1)
            ring(ax, self.best, float(self.errors[self._least()]))
            ax.set(xscale="log", xlabel=self.parameter, ylabel=f"leave-one-out {self._loss}")
            log_ticks(ax.xaxis)
            return ax

    def _least(self) -> int:
        return int(np.argmin(np.where(np.isnan(self.errors), np.inf, self.errors)))

    def _grid(self) -> Grid:
        pairs = zip(self.candidates, self.errors, strict=True)
        lines = [[f"{candidate:.6g}", f"{error:.6g}", ""] for candidate, error in pairs]
        lines[self._least()][2] = "best"
        title = f"leave-one-out error of {self.n_left_out} rows"
        return Grid(title, [self.parameter, self._loss, ""], lines, right={0, 1})


class LogLossCurve(LeaveOneOutCurve):
    """The leave-one-out mean log-loss of each candidate: see `LeaveOneOutCurve`.

    Examples
    --------
    >>> LogLossCurve("bandwidth", np.array([0.5, 1.0]), np.array([0.7, 0.6]), 20).best
    1.0
    """

    _loss: ClassVar[str] = "log-loss"


@dataclass(frozen=True, repr=False, eq=False)
class LocalCoefficients(PerQuery, GridResult):
    """The slopes of the local fit at each query.

    A numeric or ordinal column has one slope: what one unit (or one rank) more adds to the prediction. A nominal column
    has one number for each value: what that value adds in place of the query's. NaN where a fit has no such term: the
    column is missing in the query, no row in the neighbourhood has the value, or the degree is 0. It prints as a table.

    Parameters
    ----------
    columns, values
        The column of each term, and for a nominal column the value, else None.
    intercepts, slopes
        The fitted value at each query, shape (queries,) or (queries, targets), and the slopes, with one axis more.
    backend, numbers
        The frame library of the fit, or None; the number of each query among all, by default 0, 1, ...

    Examples
    --------
    >>> LocalCoefficients(("age", "colour"), (None, "red"), np.array([1.5]), np.array([[2.0, np.nan]]))
    query  intercept  age  colour = red
        0        1.5    2             -
    """

    columns: tuple[Name, ...]
    values: tuple[Value | None, ...]
    intercepts: FloatArray
    slopes: FloatArray
    backend: Backend | None = None
    numbers: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.intercepts)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.slopes, dtype=dtype)

    def _taken(self, at: list[int]) -> LocalCoefficients:
        numbers = tuple(self.numbers[i] for i in at)
        return replace(self, intercepts=self.intercepts[at], slopes=self.slopes[at], numbers=numbers)

    @property
    def labels(self) -> tuple[str, ...]:
        """A name for each term: the column's, or ``column = value``."""
        names: list[str] = []
        for column, value in zip(self.columns, self.values, strict=True):
            names.append(free_label(str(column) if value is None else f"{column} = {value}", names))
        return tuple(names)

    def frame(self) -> Any:
        """One row for each query, and each target where there are several, in a frame of the estimator's library."""
        return framed(self._columns(), self.backend)

    def _columns(self) -> dict[str, Any]:
        several = self.intercepts.ndim == 2
        n_targets = self.intercepts.shape[1] if several else 1
        columns: dict[str, Any] = {"query": np.repeat(np.array(self.numbers, dtype=np.int64), n_targets)}
        if several:
            columns["target"] = np.tile(np.arange(n_targets), len(self))
        columns["intercept"] = self.intercepts.ravel()
        slopes = self.slopes.reshape(-1, len(self.columns))
        for j, label in enumerate(self.labels):
            columns[free_label(label, columns)] = slopes[:, j]
        return columns

    def _grid(self) -> Grid:
        columns = self[:_QUERIES]._columns()
        texts = [["-" if x != x else f"{x:.6g}" for x in column.tolist()] for column in columns.values()]
        lines = [list(line) for line in zip(*texts, strict=True)]
        header = [short(label, _WIDTH) for label in columns]
        return Grid("", header, lines, rest_text(_QUERIES, len(self)), right=range(len(header)))


@dataclass(frozen=True, repr=False, eq=False)
class LocalPrecedents(Precedents):
    """The stored rows that a local model is fitted to, nearest first: see `Precedents`.

    ``votes`` are the rows' entries of the hat row, ``f(q) = sum votes_i y_i``. They sum to 1; with degree 1 or 2 some
    can be negative. ``weights`` are the kernel's weights of the rows, from 0 to 1, without repetitions; in robust fits
    multiplied by the rows' robustness weights.

    Examples
    --------
    >>> import priorcase as pc
    >>> model = pc.LocallyWeightedRegressor(2, kernel="triangular").fit([[0.0], [1.0], [3.0]], [0.0, 1.0, 3.0])
    >>> model.precedents([[1.0]]).weights
    array([1. , 0.5])
    """

    weights: FloatArray = field(default_factory=lambda: np.empty(0))

    def _taken(self, at: list[int]) -> LocalPrecedents:
        weights = [self.weights[self.indptr[i] : self.indptr[i + 1]] for i in at]
        return replace(super()._taken(at), weights=np.concatenate([np.empty(0), *weights]))

    def _columns(self) -> dict[str, Any]:
        columns = super()._columns()
        items, at = list(columns.items()), list(columns).index("vote") + 1
        return dict([*items[:at], (free_label("kernel weight", columns), self.weights), *items[at:]])
