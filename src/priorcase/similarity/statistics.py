"""What a distance needs to know about the stored rows: ranges, deviations, quantiles and class counts.

A row of weight w counts as w equal rows in every statistic. Ranges and whole counts can be extended by appended rows;
everything else is computed again. Sums of numbers are exact before their one rounding, so the order of the rows has no
influence on them.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from priorcase.exceptions import DistanceError
from priorcase.typing import FloatArray

if TYPE_CHECKING:
    from priorcase.instances import Instances
    from priorcase.schema import Kind

Counts = NDArray[np.int64] | FloatArray


@dataclass(frozen=True)
class Summary:
    """The statistics of the first ``rows`` rows that appended rows can extend."""

    rows: int
    removals: int
    extendable: bool
    facts: dict[tuple[Hashable, ...], Any] = field(repr=False)


class Statistics:
    """Statistics over the rows of a table, each computed when first asked for.

    Parameters
    ----------
    instances
        The stored rows.
    target
        Position of the target whose classes the counts are about, or None.
    earlier
        Summary of the same table before rows were appended, or None. Results do not depend on it.
    """

    def __init__(self, instances: Instances, target: int | None, earlier: Summary | None = None) -> None:
        self.instances = instances
        self.target = target
        self.weights: FloatArray | None = instances.weights
        self.earlier = earlier if earlier is not None and self.weights is None else None
        self._rows, self._removals = len(instances), instances.removals
        self._facts: dict[tuple[Hashable, ...], Any] = {}

    def summary(self) -> Summary:
        """What can be kept for the next refresh, without the rows."""
        return Summary(self._rows, self._removals, self.weights is None, self._facts)

    def column(self, a: int) -> Column:
        """The statistics of attribute ``a``."""
        return Column(self, a)

    def earlier_fact(self, key: tuple[Hashable, ...]) -> tuple[Any, int]:
        """A statistic of the earlier rows and how many rows it covers; None and 0 where there is none."""
        if self.earlier is None or key not in self.earlier.facts:
            return None, 0
        return self.earlier.facts[key], self.earlier.rows

    def remember(self, key: tuple[Hashable, ...], fact: Any) -> Any:
        self._facts[key] = fact
        return fact

    def known(self, key: tuple[Hashable, ...]) -> Any:
        return self._facts.get(key)

    def class_codes(self) -> NDArray[np.intp]:
        """The target's code for each row, -1 where it is missing."""
        if self.target is None:
            raise ValueError("class_codes needs a target")
        return _codes(self.instances.target(self.target))

    def classes(self) -> NDArray[np.intp]:
        """Codes of the classes that occur, in the order of their first row.

        The order of the code numbers is not used: it remembers rows that are gone.
        """
        key = ("classes",)
        if (found := self.known(key)) is not None:
            return found  # type: ignore[no-any-return]
        old, start = self.earlier_fact(key)
        fresh = _first_seen(self.class_codes()[start:])
        if old is not None:
            fresh = np.concatenate([old, fresh[~np.isin(fresh, old)]])
        return self.remember(key, fresh)  # type: ignore[no-any-return]

    @property
    def n_classes(self) -> int:
        return len(self.classes())

    def prior(self) -> FloatArray:
        """Share of each class among the rows whose class is known."""
        classes = self.class_codes()
        width = int(classes.max(initial=-1)) + 1
        counts = _bincount(classes + 1, self.weights, width + 1)[1:][self.classes()]
        prior: FloatArray = shares(_at_least_one_class(counts[None, :]), np.zeros(max(len(counts), 1)))[0]
        return prior


class Column:
    """Statistics of one attribute."""

    def __init__(self, statistics: Statistics, a: int) -> None:
        self.all = statistics
        self.a = a

    @property
    def kind(self) -> Kind:
        return self.all.instances.schema.kinds[self.a]

    @property
    def label(self) -> str:
        """The column's name in messages."""
        names = self.all.instances.schema.names
        return f"column {self.a}" if names is None else f"column {names[self.a]!r}"

    def values(self) -> tuple[Hashable, ...]:
        """The value of each code."""
        return tuple(self.all.instances.values(self.a))

    def row_counts(self) -> NDArray[np.int64]:
        """Rows of each code, whatever their weight."""
        return np.asarray(self.all.instances.value_counts(self.a))

    def numbers(self) -> FloatArray:
        """The column as numbers, NaN where missing."""
        return np.asarray(self.all.instances.column(self.a), dtype=np.float64)

    def range(self) -> tuple[float, float]:
        """Smallest and largest known number that has weight; (0, 0) where there is none."""
        key = ("range", self.a)
        if (found := self.all.known(key)) is not None:
            return _finite_range(found, self.label)
        old, start = self.all.earlier_fact(key)
        low, high = (math.nan, math.nan) if old is None else old
        numbers, _ = self._weighty(start)
        if len(numbers):
            low = float(np.fmin(np.fmin.reduce(numbers), low))
            high = float(np.fmax(np.fmax.reduce(numbers), high))
        return _finite_range(self.all.remember(key, (low, high)), self.label)

    def deviation(self) -> float:
        """Standard deviation of the population, ``sqrt(sum w (x - mean)^2 / sum w)``; 0 where no number is known."""
        numbers, weights = self._known()
        if not len(numbers):
            return 0.0
        total = float(len(numbers)) if weights is None else math.fsum(weights)
        try:
            mean = math.fsum(numbers if weights is None else numbers * weights) / total
            with np.errstate(over="ignore"):
                squares = (numbers - mean) * (numbers - mean)
            spread = math.fsum(squares if weights is None else squares * weights) / total
        except OverflowError:
            spread = math.inf
        if not math.isfinite(spread):
            raise DistanceError.too_large(self.label, "standard deviation")
        return math.sqrt(spread)

    def quantile(self, q: float) -> float:
        """The smallest known number with a share of at least ``q`` at or below it (the inverted cdf); else 0."""
        numbers, weights = self._known()
        if not len(numbers):
            return 0.0
        if weights is None:
            at = max(math.ceil(q * len(numbers)) - 1, 0)
            return float(np.partition(numbers, at)[at])
        order = np.argsort(numbers, kind="stable")
        reached = np.cumsum(weights[order])
        at = int(np.searchsorted(reached, q * reached[-1], side="left"))
        return float(numbers[order[min(at, len(order) - 1)]])

    def class_counts(self) -> Counts:
        """Weight of each code (row 0: missing, row 1 + v: code v) in each class, classes as in `Statistics.classes`."""
        return self._counts(("counts", self.a), len(self.values()), lambda start: self._codes(start))

    def interval_counts(self, edges: FloatArray) -> Counts:
        """Weight of each interval in each class; interval i begins at ``edges[i]``, the outer ones are open."""

        def intervals(start: int) -> NDArray[np.intp]:
            numbers = self.numbers()[start:]
            found = np.clip(np.searchsorted(edges, numbers, side="right") - 1, 0, None)
            return np.where(np.isnan(numbers), -1, found)

        return self._counts(("intervals", self.a, tuple(edges.tolist())), len(edges), intervals)[1:]

    def window_counts(self, width: float) -> tuple[FloatArray, FloatArray]:
        """Each known number and the weight of each class within half a ``width`` of it, both ends included."""
        numbers, weights = self.numbers(), self.all.weights
        classes = self.all.class_codes()
        usable = ~np.isnan(numbers) & (classes >= 0)
        if weights is not None:
            usable &= weights > 0
        centres = np.unique(numbers[usable])
        counts = np.zeros((len(centres), max(self.all.n_classes, 1)))
        for c, code in enumerate(self.all.classes()):
            rows = usable & (classes == code)
            order = np.argsort(numbers[rows], kind="stable")
            inside = numbers[rows][order]
            steps = np.ones(len(order)) if weights is None else weights[rows][order]
            reached = np.concatenate([[0.0], np.cumsum(steps)])
            first = np.searchsorted(inside, centres - width / 2, side="left")
            last = np.searchsorted(inside, centres + width / 2, side="right")
            counts[:, c] = reached[last] - reached[first]
        return centres, counts

    def _counts(self, key: tuple[Hashable, ...], n: int, codes_from: Any) -> Counts:
        everything = self.all
        raw = everything.known(key)
        if raw is None:
            old, start = everything.earlier_fact(key)
            classes = everything.class_codes()[start:]
            width = max(int(classes.max(initial=-1)) + 1, 0 if old is None else old.shape[1] - 1)
            cells = (codes_from(start) + 1) * (width + 1) + (classes + 1)
            raw = _bincount(cells, everything.weights, (n + 1) * (width + 1)).reshape(n + 1, width + 1)
            if old is not None:
                raw[: old.shape[0], : old.shape[1]] += old
            everything.remember(key, raw)
        return _at_least_one_class(raw[:, 1:][:, everything.classes()])

    def _codes(self, start: int) -> NDArray[np.intp]:
        return _codes(self.all.instances.column(self.a)[start:])

    def _weighty(self, start: int) -> tuple[FloatArray, FloatArray | None]:
        numbers, weights = self.numbers()[start:], self.all.weights
        if weights is None or bool(np.all(weights > 0)):
            return numbers, weights
        return numbers[weights[start:] > 0], weights[start:][weights[start:] > 0]

    def _known(self) -> tuple[FloatArray, FloatArray | None]:
        numbers, weights = self._weighty(0)
        gap = np.isnan(numbers)
        if not gap.any():
            return numbers, weights
        return numbers[~gap], None if weights is None else weights[~gap]


def shares(counts: Counts, instead: FloatArray) -> FloatArray:
    """Each row of counts divided by its sum; ``instead`` where a row counts nothing.

    Examples
    --------
    >>> shares(np.array([[2, 2], [0, 0]]), np.array([0.3, 0.7]))
    array([[0.5, 0.5],
           [0.3, 0.7]])
    """
    totals = counts.sum(axis=1, keepdims=True)
    empty = totals == 0
    return np.where(empty, instead, counts / np.where(empty, 1, totals))


def _codes(column: NDArray[Any]) -> NDArray[np.intp]:
    if column.dtype.kind == "f":
        return np.where(np.isnan(column), -1, column).astype(np.intp)
    return column.astype(np.intp)


def _first_seen(codes: NDArray[np.intp]) -> NDArray[np.intp]:
    first = np.full(int(codes.max(initial=-1)) + 2, len(codes), dtype=np.intp)
    first[codes[::-1] + 1] = np.arange(len(codes))[::-1]
    first[0] = len(codes)
    order = np.argsort(first, kind="stable")
    return order[first[order] < len(codes)] - 1


def _bincount(cells: NDArray[np.intp], weights: FloatArray | None, length: int) -> Counts:
    if weights is None:
        return np.bincount(cells, minlength=length)
    return np.bincount(cells, weights=weights, minlength=length)


def _at_least_one_class(counts: Counts) -> Counts:
    return counts if counts.shape[1] else np.zeros((counts.shape[0], 1))


def _finite_range(found: tuple[float, float], label: str) -> tuple[float, float]:
    low, high = found
    if math.isnan(low):
        return 0.0, 0.0
    if not math.isfinite(high - low):
        raise DistanceError.too_large(label, "range")
    return low, high
