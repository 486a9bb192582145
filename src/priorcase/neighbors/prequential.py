"""Prequential evaluation: each row of a stream is predicted from the rows before it and then stored."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from priorcase import _core
from priorcase._numbers import equal_decimals
from priorcase._typing import AnyArray, Backend, BoolArray, FloatArray
from priorcase.instances import Instances
from priorcase.learning.plotting import color, drawing
from priorcase.learning.resampling import blocks
from priorcase.learning.results import Grid, GridResult, framed
from priorcase.neighbors.polling import polls_of
from priorcase.schema import Table
from priorcase.search import ALGORITHMS
from priorcase.search.index import SLACK, Index
from priorcase.similarity.statistics import inlier_range

if TYPE_CHECKING:
    from priorcase.neighbors.knn import KNNClassifier, KNNRegressor

Result = TypeVar("Result", bound="PrequentialResult")

_LINES = 10
# With n_neighbors="loo", k is selected again when the number of stored rows has grown by this share.
_GROWTH = 0.1


@dataclass(frozen=True, repr=False, eq=False)
class PrequentialResult(GridResult):
    """Predictions for a stream of rows, in which each row is predicted from the rows before it; prints as a table.

    ``predictions`` and ``targets`` contain one entry per predicted row, and with several targets one column per target.
    ``first`` is the number of rows at the start that were stored without a prediction. ``backend`` is the data frame
    library of the stream, or None.
    """

    predictions: AnyArray
    targets: AnyArray
    first: int
    backend: Backend | None = None

    _score: ClassVar[str]

    def __len__(self) -> int:
        """Return the number of predicted rows."""
        return len(self.predictions)

    @abstractmethod
    def _scores(self) -> FloatArray:
        """Return the score of each predicted row."""

    def _mean(self) -> float:
        return float(self._scores().mean()) if len(self) else float("nan")

    def _so_far(self) -> FloatArray:
        """Return the cumulative mean score of the predicted rows."""
        return np.asarray(np.cumsum(self._scores()) / np.arange(1, len(self) + 1))

    def frame(self, backend: Backend | None = None) -> Any:
        """Return a data frame of the predicted rows, with ``row``, ``target``, ``predicted`` and the cumulative score.

        ``backend``: see `Precedents.frame`.
        """
        columns: dict[str, Any] = {"row": self.first + np.arange(len(self))}
        for name, values in (("target", self.targets), ("predicted", self.predictions)):
            if values.ndim == 1:
                columns[name] = values
            else:
                columns |= {f"{name} {t}": values[:, t] for t in range(values.shape[1])}
        return framed(columns | {self._score: self._so_far()}, backend or self.backend)

    def plot(self, ax: Any = None) -> Any:
        """Plot the cumulative score against the number of rows seen; return the axes."""
        with drawing(ax) as ax:
            ax.plot(self.first + np.arange(1, len(self) + 1), self._so_far(), color=color(0))
            ax.set(xlabel="rows seen", ylabel=f"{self._score} so far")
            return ax

    def _grid(self) -> Grid:
        title = f"{len(self):,} of {self.first + len(self):,} rows predicted before they were stored"
        lines = [(f"{self.first:,}", "-")]
        if len(self):
            at, scores = np.linspace(0, len(self) - 1, _LINES + 1).round().astype(int)[1:], self._so_far()
            rows = np.unique(at)
            texts = equal_decimals(scores[rows])
            lines = [(f"{self.first + i + 1:,}", text) for i, text in zip(rows.tolist(), texts, strict=True)]
        return Grid(title, ("rows seen", f"{self._score} so far"), lines, right=(0, 1))


@dataclass(frozen=True, repr=False, eq=False)
class PrequentialClassification(PrequentialResult):
    """Prequential predictions of classes: each row is predicted from the rows before it.

    Examples
    --------
    >>> import priorcase as pc
    >>> X, y = [[1.0], [9.0], [2.0], [8.0], [5.5], [1.5]], ["low", "high", "low", "high", "low", "low"]
    >>> result = pc.KNNClassifier(1).prequential(X, y)
    >>> result
    5 of 6 rows predicted before they were stored
      rows seen  accuracy so far
              2            0.000
              3            0.500
              4            0.667
              5            0.500
              6            0.600
    >>> result.accuracy, result.predictions.tolist()
    (0.6, ['low', 'low', 'high', 'high', 'low'])
    """

    _score = "accuracy"

    @property
    def accuracy(self) -> float:
        """Accuracy over all targets; NaN if no row was predicted."""
        return self._mean()

    @property
    def accuracies(self) -> FloatArray:
        """Cumulative accuracy up to each predicted row."""
        return self._so_far()

    def _scores(self) -> FloatArray:
        right = self.predictions == self.targets
        return np.asarray(right if right.ndim == 1 else right.mean(axis=1), np.float64)


@dataclass(frozen=True, repr=False, eq=False)
class PrequentialRegression(PrequentialResult):
    """Prequential predictions of numbers; see `PrequentialClassification`.

    Examples
    --------
    >>> import priorcase as pc
    >>> pc.KNNRegressor(1).prequential([[1.0], [2.0], [3.0]], [1.0, 2.0, 4.0]).mean_squared_errors
    array([1. , 2.5])
    """

    _score = "mean squared error"

    @property
    def mean_squared_error(self) -> float:
        """Mean squared error over all targets; NaN if no row was predicted."""
        return self._mean()

    @property
    def mean_squared_errors(self) -> FloatArray:
        """Cumulative mean squared error up to each predicted row."""
        return self._so_far()

    def _scores(self) -> FloatArray:
        with np.errstate(over="ignore"):
            errors = self.predictions - self.targets
            squares = np.asarray(errors * errors)
        return squares if squares.ndim == 1 else squares.mean(axis=1)


# -- the run


def run_prequential(
    estimator: KNNClassifier | KNNRegressor, result: type[Result], X: Any, y: Any, classes: Any = None
) -> Result:
    """Predict and store rows one by one; rows are stored without prediction until there are enough neighbors."""
    estimator._threads()  # raises an error for an invalid n_jobs
    table, targets, _ = estimator._arrivals(X, y, None, classes)
    predictions = (_in_core if core_follows(estimator) else _one_by_one)(estimator, table, targets)
    n, n_predicted = len(estimator._memory), len(predictions)
    known = estimator._targets_at(np.arange(n - n_predicted, n))
    return result(predictions, known, len(table) - n_predicted, estimator._backend)


def core_follows(estimator: KNNClassifier | KNNRegressor) -> bool:
    """Return whether the compiled core can predict the whole stream, which is faster than predicting row by row."""
    memory, vote = estimator._memory, estimator._rules.vote.core
    return (
        (isinstance(estimator._k, int) or estimator._k == "sqrt")
        and (vote is not None and vote[0] <= 1)
        and getattr(estimator, "_prior_is_level", lambda: True)()
        and memory.row_weights is None
        and not memory.learns_from_targets
        and memory.distance.ranged(memory.instances.schema) is not None
    )


def _in_core(estimator: KNNClassifier | KNNRegressor, table: Table, targets: Table | None) -> AnyArray:
    memory, rules, k, found = estimator._memory, estimator._rules, estimator._k, list[AnyArray]()
    schema, distance, weights, first = memory.instances.schema, memory.distance, memory.attribute_weights, len(memory)
    unknown, ones = np.full(len(schema), np.nan), np.ones(len(schema))
    low, high = memory.fitted.ranges() if first else (unknown, unknown)
    before = memory.index if first else None
    ids = memory.instances.append(table, targets, None)  # the index adds them one by one, as they are predicted
    plan, ranged = memory.fitted.plan(), np.array(distance.ranged(schema), np.uint8)
    voting = k if isinstance(k, int) else 0, rules.whole_ties, rules.vote.core[0] if rules.vote.core else 0
    search = distance.power, distance.root, ALGORITHMS[memory.algorithm]
    method, *known = estimator._core_targets(ids.size)
    ranges = _Ranges(memory.instances, distance.inlying(schema), ranged > 0, low, high)
    index = before.fork(memory.instances) if before is not None else Index(memory.instances, memory.fitted, ids[:0])
    for block in blocks(ids.size, text="prequential"):
        stored = memory.instances.cells(slice(first + block.start, first + block.stop))
        for part in ranges.parts(stored, first + block.start):
            low, high = ranges.low.copy(), ranges.high.copy()
            stream = _core.Stream(plan, ranged, low, high, ones if weights is None else weights, *voting, *search)
            rows, start = stored[part], block.start + part.start
            cells = np.ascontiguousarray(memory.fitted.prepare(rows))
            asked = ids[start : start + len(rows)]
            predicted, far, voter = getattr(stream, method)(index.core, cells, asked, memory.ids, *known)
            if far >= 0:
                pair = np.array([far]), memory.positions(np.array([voter]))
                memory.check_finite(rows, *pair, np.array([np.inf]), first=start)
            found.append(predicted)
    memory._index = index
    estimator._check_rows()
    early = max(0, (k if isinstance(k, int) else 1) - first)  # first rows, which are only stored
    return estimator._shaped(np.concatenate(found)[early:])


class _Ranges:
    """Ranges for scaling columns while rows are stored one by one."""

    def __init__(
        self, instances: Instances, inlying: Sequence[int], ranged: BoolArray, low: FloatArray, high: FloatArray
    ) -> None:
        self.instances, self.inlying, self.low, self.high = instances, inlying, low.copy(), high.copy()
        self._widened = np.array([a for a in np.flatnonzero(ranged).tolist() if a not in inlying], dtype=np.int64)
        self._until = dict.fromkeys(inlying, -1)  # the number of stored rows up to which a range is valid

    def parts(self, rows: FloatArray, stored: int) -> Iterator[slice]:
        """Yield blocks of rows in which ranges without outliers stay the same; update the ranges before each block."""
        start, columns = 0, list(self.inlying)
        while start < len(rows):
            for a in columns:
                if self._until[a] < stored + start:
                    numbers = np.asarray(self.instances.column(a), np.float64)[: stored + start]
                    self.low[a], self.high[a], more = inlier_range(numbers[~np.isnan(numbers)])
                    self._until[a] = stored + start + more
            stop = len(rows)
            if columns:
                stop = min(stop, min(self._until.values()) - stored + 1)
                inner = rows[start:stop, columns]
                with np.errstate(invalid="ignore"):
                    out = (inner < self.low[columns]) | (inner > self.high[columns])
                    out |= np.isnan(self.low[columns]) & ~np.isnan(inner)
                if out.any():  # these ranges are valid up to the first row outside
                    at = int(np.argmax(out.any(axis=1)))
                    stop = start + at + 1
                    for a in np.array(columns)[out[at]].tolist():
                        self._until[a] = -1
            yield slice(start, stop)
            if len(self._widened):  # the compiled core extends its own copy while it predicts the rows of the block
                inner = rows[start:stop, self._widened]
                self.low[self._widened] = np.fmin(self.low[self._widened], np.fmin.reduce(inner))
                self.high[self._widened] = np.fmax(self.high[self._widened], np.fmax.reduce(inner))
            start = stop


def _one_by_one(estimator: KNNClassifier | KNNRegressor, table: Table, targets: Table | None) -> AnyArray:
    memory, predictions = estimator._memory, []
    k, chosen_from = None, 0
    for part in blocks(len(table), text="prequential"):
        for i in range(part.start, part.stop):
            row, target = table.part(i, i + 1), None if targets is None else targets.part(i, i + 1)
            total = memory.total_weight * (1 + SLACK)
            if estimator._k == "loo" and total > 0 and len(memory) - chosen_from >= _GROWTH * chosen_from:
                k, chosen_from = estimator.n_neighbors_, len(memory)
            if total > 0 and not (isinstance(estimator._k, int) and estimator._k > total):
                polls = polls_of(estimator, memory.instances.encode(row), k, first=i)
                predictions += [estimator._shaped(estimator._decide(poll)) for poll in polls]
            memory.append(row, target, None)
            estimator._check_rows()
    nothing = estimator._targets_at(np.empty(0, np.int64))  # empty, with the common type of all targets
    return np.concatenate([nothing, *predictions]).astype(nothing.dtype, copy=False)
