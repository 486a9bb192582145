"""What a distance needs to know about the stored rows: ranges, deviations, quantiles and class counts.

A row of weight w counts as w equal rows in every statistic. Ranges and whole counts can be extended by appended rows;
everything else is computed again. Sums of numbers are exact before their one rounding, so the order of the rows has no
influence on them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from priorcase._typing import FloatArray
from priorcase.exceptions import DistanceError
from priorcase.schema import Ordinal
from priorcase.similarity.counting import Counts, codes_of, exact_sum, first_seen, shares
from priorcase.similarity.summary import Key, Summary

# Below this, squares of differences are rounded so coarsely in float64 that their mean means nothing.
_LEAST_SQUARE = 1e-300

if TYPE_CHECKING:
    from priorcase.instances import Instances
    from priorcase.schema import Kind


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
        self.schema = instances.schema
        self.target = target
        self.weights: FloatArray | None = instances.weights
        self._instances = instances
        self._only_ranges = True
        self.earlier = earlier if earlier is not None and self.weights is None else None
        self._rows, self._removals = len(instances), instances.removals
        self._facts: dict[Key, Any] = {}

    @property
    def instances(self) -> Instances:
        """The stored rows; whoever looks at them depends on more than ranges."""
        self._only_ranges = False
        return self._instances

    def summary(self) -> Summary:
        """What can be kept for the next refresh, without the rows."""
        ranges = self._ranges() if self._only_ranges else None
        return Summary(self._rows, self._removals, self.weights is None, self._facts, ranges)

    def _ranges(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Ends of the ranges asked for; of a column without a number such that every number is outside."""
        n = len(self.schema)
        low, high = [-math.inf] * n, [math.inf] * n
        for a in range(n):
            if (found := self._facts.get(("range", a))) is not None:
                low[a], high[a] = (math.inf, -math.inf) if math.isnan(found[0]) else found
        return tuple(low), tuple(high)

    def column(self, a: int) -> Column:
        """The statistics of attribute ``a``."""
        return Column(self, a)

    def earlier_fact(self, key: Key) -> tuple[Any, int]:
        """A statistic of the earlier rows and how many rows it covers; None and 0 where there is none."""
        if self.earlier is None or key not in self.earlier.facts:
            return None, 0
        return self.earlier.facts[key], self.earlier.rows

    def remember(self, key: Key, fact: Any) -> Any:
        self._facts[key] = fact
        return fact

    def known(self, key: Key) -> Any:
        return self._facts.get(key)

    def class_codes(self, start: int = 0) -> NDArray[np.intp]:
        """The target's code for each row from ``start`` on, -1 where it is missing."""
        if self.target is None:
            raise ValueError("class_codes needs a target")
        return codes_of(self.instances.target(self.target)[start:])

    def classes(self) -> NDArray[np.intp]:
        """Codes of the classes that occur, in the order of their first row.

        The order of the code numbers is not used: it remembers rows that are gone.
        """
        key = ("classes",)
        if (found := self.known(key)) is not None:
            return found  # type: ignore[no-any-return]
        old, start = self.earlier_fact(key)
        fresh = first_seen(self.class_codes(start))
        if old is not None:
            fresh = np.concatenate([old, fresh[~np.isin(fresh, old)]])
        return self.remember(key, fresh)  # type: ignore[no-any-return]

    @property
    def n_classes(self) -> int:
        return len(self.classes())

    def prior(self) -> FloatArray:
        """Share of each class among the rows whose class is known."""
        counts = self.table(("prior",), 0, lambda start: np.full(self._rows - start, -1, dtype=np.intp))
        prior: FloatArray = shares(counts, np.zeros(counts.shape[1]))[0]
        return prior

    def table(self, key: Key, n: int, codes_from: Callable[[int], NDArray[np.intp]]) -> Counts:
        """Weight of each code (row 0: code -1, row 1 + v: code v < n) in each class.

        Parameters
        ----------
        key
            The name under which the counts are remembered.
        n
            Number of codes.
        codes_from
            The codes of the rows from a given one on.
        """
        raw = self.known(key)
        if raw is None:
            old, start = self.earlier_fact(key)
            classes = self.class_codes(start)
            width = max(int(classes.max(initial=-1)) + 1, 0 if old is None else old.shape[1] - 1)
            cells = (codes_from(start) + 1) * (width + 1) + (classes + 1)
            length = (n + 1) * (width + 1)
            raw = np.bincount(cells, weights=self.weights, minlength=length).reshape(n + 1, width + 1)
            if old is not None:
                raw[: old.shape[0], : old.shape[1]] += old
            self.remember(key, raw)
        counts = raw[:, 1:][:, self.classes()]
        return counts if counts.shape[1] else np.zeros((n + 1, 1))


class Column:
    """Statistics of one attribute."""

    def __init__(self, statistics: Statistics, a: int) -> None:
        self.all = statistics
        self.a = a

    @property
    def kind(self) -> Kind:
        return self.all.schema.kinds[self.a]

    @property
    def label(self) -> str:
        """The column's name in messages."""
        names = self.all.schema.names
        return f"column {self.a}" if names is None else f"column {names[self.a]!r}"

    def values(self) -> tuple[Hashable, ...]:
        """The value of each code; the levels of an ordinal column."""
        kind = self.kind
        return kind.order if isinstance(kind, Ordinal) else tuple(self.all.instances.values(self.a))

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
        numbers, _ = self._weighty(np.asarray(self.all._instances.column(self.a), dtype=np.float64), start)
        if len(numbers):
            low = float(np.fmin(np.fmin.reduce(numbers), low))
            high = float(np.fmax(np.fmax.reduce(numbers), high))
        return _finite_range(self.all.remember(key, (low, high)), self.label)

    def deviation(self) -> float:
        """Standard deviation of the population, ``sqrt(sum w (x - mean)^2 / sum w)``; 0 where no number is known."""
        numbers, weights = self._known()
        if not len(numbers):
            return 0.0
        total = float(len(numbers)) if weights is None else exact_sum(weights)
        with np.errstate(over="ignore", invalid="ignore"):
            mean = exact_sum(numbers if weights is None else numbers * weights) / total
            squares = (numbers - mean) * (numbers - mean)
            spread = exact_sum(squares if weights is None else squares * weights) / total
        if not math.isfinite(spread):
            raise DistanceError.too_large(self.label, "standard deviation")
        if spread < _LEAST_SQUARE and numbers.min() < numbers.max():
            raise DistanceError.too_small(self.label, "standard deviation")
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
        return self.all.table(("counts", self.a), len(self.values()), self._codes)

    def interval_counts(self, edges: FloatArray) -> Counts:
        """Weight of each interval in each class; interval i begins at ``edges[i]``, the outer ones are open."""

        def intervals(start: int) -> NDArray[np.intp]:
            numbers = self.numbers()[start:]
            found = np.clip(np.searchsorted(edges, numbers, side="right") - 1, 0, None)
            return np.where(np.isnan(numbers), -1, found)

        return self.all.table(("intervals", self.a, tuple(edges.tolist())), len(edges), intervals)[1:]

    def window_shares(self, width: float) -> tuple[FloatArray, FloatArray]:
        """Each known number, and the share of each class within half a ``width`` of it, both ends included."""
        numbers, classes, weights = self.numbers(), self.all.class_codes(), self.all.weights
        usable = ~np.isnan(numbers) & (classes >= 0)
        if weights is not None:
            usable &= weights > 0
        rows = np.flatnonzero(usable)
        rows = rows[np.argsort(numbers[rows], kind=None if weights is None else "stable")]
        numbers, classes = numbers[rows], classes[rows]
        starts = np.flatnonzero(np.append(True, np.diff(numbers) > 0)[: len(rows)])
        centres = numbers[starts]
        first = np.searchsorted(numbers, centres - width / 2, side="left")
        last = np.searchsorted(numbers, centres + width / 2, side="right")
        # One class after the other in memory: a column of a row-major matrix is slow to fill.
        counts = np.zeros((max(self.all.n_classes, 1), len(centres)))
        for c, code in enumerate(self.all.classes()):
            own = classes == code if weights is None else np.where(classes == code, weights[rows], 0.0)
            reached = np.append(0.0, np.cumsum(own))
            np.subtract(reached[last], reached[first], out=counts[c])
            if weights is not None:
                # Light rows can vanish beside heavy ones in the running sum; those of the number itself must not.
                np.maximum(counts[c], np.add.reduceat(own, starts), out=counts[c])
        return centres, np.ascontiguousarray((counts / counts.sum(axis=0)).T)

    def _codes(self, start: int) -> NDArray[np.intp]:
        return codes_of(self.all.instances.column(self.a)[start:])

    def _weighty(self, numbers: FloatArray, start: int) -> tuple[FloatArray, FloatArray | None]:
        numbers, weights = numbers[start:], self.all.weights
        if weights is None or bool(np.all(weights > 0)):
            return numbers, weights
        return numbers[weights[start:] > 0], weights[start:][weights[start:] > 0]

    def _known(self) -> tuple[FloatArray, FloatArray | None]:
        numbers, weights = self._weighty(self.numbers(), 0)
        gap = np.isnan(numbers)
        if not gap.any():
            return numbers, weights
        return numbers[~gap], None if weights is None else weights[~gap]


def _finite_range(found: tuple[float, float], label: str) -> tuple[float, float]:
    low, high = found
    if math.isnan(low):
        return 0.0, 0.0
    if not math.isfinite(high - low):
        raise DistanceError.too_large(label, "range")
    return low, high
