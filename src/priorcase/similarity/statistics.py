"""Statistics of the stored rows that distances use, such as ranges, deviations, quantiles and class counts.

A row with weight w counts as w equal rows in every statistic. When rows are appended, ranges and integer counts are
updated, whereas deviations, quantiles and outliers are recomputed. Sums of numbers are rounded only once, so these sums
do not depend on the row order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from operator import gt, lt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorcase._typing import AnyArray, FloatArray
from priorcase.exceptions import NumericRangeError
from priorcase.instances import Instances
from priorcase.schema import Nominal, Numeric, Ordinal

Counts = NDArray[np.int64] | FloatArray
Key = tuple[Hashable, ...]

LEAST_SQUARE = 1e-300
"""Smallest accepted variance, or power of a difference; smaller numbers lose precision in float64."""

# Quartiles, which define outliers in a box plot, are equal in too many columns.
FEW, CENTRAL, FENCE = 20, (0.1, 0.9), 4.0  # definition of outliers, see `inlier_range`
_USUAL = 1.5  # fence for `usual_range`
_MORE = (8, 64, 512)  # the numbers of additional rows that `inlier_range` tries are the number of rows divided by these
_SPLITS = 6
_LARGEST_EXPONENT = 1022


@dataclass(frozen=True)
class Summary:
    """Statistics of the first ``rows`` rows, which can be updated when rows without weights are appended."""

    rows: int
    facts: dict[Key, Any] = field(repr=False)
    # The smallest and the largest number of each column; None if statistics other than ranges were computed.
    ranges: tuple[tuple[float, ...], tuple[float, ...]] | None = None
    until: float = math.inf  # with at most this number of rows, a new row within the ranges changes no statistic

    def covers(self, row: Sequence[float]) -> bool:
        """Return whether an additional row, given by its encoded values, leaves all statistics unchanged."""
        if self.ranges is None or self.rows >= self.until:
            return False
        low, high = self.ranges
        return not (any(map(lt, row, low)) or any(map(gt, row, high)))


def checked_facts(facts: object, n_columns: int) -> dict[Key, Any]:
    """Check statistics read from a file; raise ``ValueError`` if they are invalid."""
    if not isinstance(facts, dict):
        raise ValueError("invalid statistics")
    for (name, *rest), value in facts.items():
        of_column = not rest or (type(rest[0]) is int and 0 <= rest[0] < n_columns)
        if not of_column or not _is_fact(name, value):
            raise ValueError("invalid statistics")
    return facts


def _is_fact(name: str, value: Any) -> bool:
    match name:
        case "range" | "extent":
            return isinstance(value, tuple) and len(value) == 2 and _are_ends(*value)
        case "inliers":
            return isinstance(value, tuple) and len(value) == 3 and _are_ends(*value[:2]) and type(value[2]) is int
        case "deviation" | "quantile":
            return type(value) is float and math.isfinite(value) and (name == "quantile" or value >= 0)
        case "remainders":
            return isinstance(value, frozenset) and all(type(each) is float and math.isfinite(each) for each in value)
        case "classes":
            whole = isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype == np.intp
            return whole and bool((value >= 0).all()) and np.unique(value).size == value.size
        case "counts" | "prior" | "intervals":
            counts = isinstance(value, np.ndarray) and value.ndim == 2 and value.dtype in (np.int64, np.float64)
            return counts and bool(np.isfinite(value).all()) and bool((value >= 0).all())
    return False


def _are_ends(low: object, high: object) -> bool:
    """Return whether two numbers are the valid ends of a range; two NaNs are the ends of an empty range."""
    if not (type(low) is float and type(high) is float):
        return False
    return (math.isnan(low) and math.isnan(high)) or (math.isfinite(low) and math.isfinite(high) and low <= high)


class Statistics:
    """Statistics of stored rows, each computed on first use; ``earlier`` statistics of the first rows are reused."""

    def __init__(self, instances: Instances, target: int | None, earlier: Summary | None = None) -> None:
        self.schema = instances.schema
        self.target = target
        self.weights: FloatArray | None = instances.weights
        self._instances = instances
        self._only_ranges = True
        self._rows = len(instances)
        same = earlier is not None and earlier.rows == self._rows
        self._earlier = earlier if same or self.weights is None else None
        self._facts: dict[Key, Any] = {}

    @property
    def instances(self) -> Instances:
        """Stored rows; reading this property sets a flag that statistics other than ranges are in use."""
        self._only_ranges = False
        return self._instances

    def summary(self) -> Summary:
        """Return the statistics without the rows, to be updated in the next refit."""
        ranges, until = None, math.inf
        if self._only_ranges:
            low, high = [-math.inf] * len(self.schema), [math.inf] * len(self.schema)
            for a in range(len(self.schema)):
                found = self._facts.get(("range", a)) or self._facts.get(("extent", a))
                if (inliers := self._facts.get(("inliers", a))) is not None:
                    found, until = inliers[:2], min(until, self._rows + inliers[2])
                if found is not None:
                    # Every number is outside the range of a column without numbers.
                    low[a], high[a] = (math.inf, -math.inf) if math.isnan(found[0]) else found
            ranges = tuple(low), tuple(high)
        return Summary(self._rows, self._facts, ranges, until)

    def column(self, a: int) -> Column:
        return Column(self, a)

    def fact(self, key: Key, compute: Callable[[Any, int], Any]) -> Any:
        """Return a statistic, which is computed once and then cached.

        ``compute(old, start)`` computes the statistic from ``old``, its value for the first ``start`` rows; these are
        None and 0 if there is no earlier value.
        """
        if key not in self._facts:
            earlier = self._earlier
            if earlier is None or key not in earlier.facts:
                self._facts[key] = compute(None, 0)
            elif earlier.rows == self._rows:  # same rows
                self._facts[key] = earlier.facts[key]
            else:
                self._facts[key] = compute(earlier.facts[key], earlier.rows)
        return self._facts[key]

    def class_codes(self, start: int = 0) -> NDArray[np.intp]:
        """Return the target code of each row from position ``start`` on, with -1 for a missing target."""
        assert self.target is not None  # checked earlier for differences that count classes
        return codes_of(self.instances.target(self.target)[start:])

    def classes(self) -> NDArray[np.intp]:
        """Return the codes of the classes that occur, in order of first occurrence."""

        def compute(old: NDArray[np.intp] | None, start: int) -> NDArray[np.intp]:
            # Codes depend on removed rows, but the order of first occurrence does not.
            fresh = first_seen(self.class_codes(start))
            return fresh if old is None else np.concatenate([old, fresh[~np.isin(fresh, old)]])

        return self.fact(("classes",), compute)  # type: ignore[no-any-return]

    @property
    def n_classes(self) -> int:
        return len(self.classes())

    def prior(self) -> FloatArray:
        """Return the share of each class among the rows with a known class."""
        counts = self.table(("prior",), 0, lambda start: np.full(self._rows - start, -1, dtype=np.intp))
        return np.asarray(shares(counts, np.zeros(counts.shape[1]))[0])

    def table(self, key: Key, n: int, codes_from: Callable[[int], NDArray[np.intp]]) -> Counts:
        """Return the row weight of each code and class, shape (n + 1, classes), where row 0 is for missing values."""

        def compute(old: Counts | None, start: int) -> Counts:
            classes = self.class_codes(start)
            width = max(int(classes.max(initial=-1)) + 1, 0 if old is None else old.shape[1] - 1)
            cells = (codes_from(start) + 1) * (width + 1) + (classes + 1)
            length = (n + 1) * (width + 1)
            counts: Counts = np.bincount(cells, weights=self.weights, minlength=length).reshape(n + 1, width + 1)
            if old is not None:
                counts[: old.shape[0], : old.shape[1]] += old
            return counts

        counts: Counts = self.fact(key, compute)[:, 1:][:, self.classes()]
        return counts if counts.shape[1] else np.zeros((n + 1, 1))


class Column:
    """Statistics of one attribute."""

    def __init__(self, statistics: Statistics, a: int) -> None:
        self.all = statistics
        self.a = a
        self.kind = statistics.schema.kinds[a]
        self.kind_name = type(self.kind).__name__.lower()
        family = (
            "numeric" if isinstance(self.kind, Numeric) else "nominal" if isinstance(self.kind, Nominal) else "ordinal"
        )
        self.kind_names = (self.kind_name, family)

    @property
    def label(self) -> str:
        """Name of the column in error messages."""
        return f"column {self.all.schema.label(self.a)!r}"

    def check_finite(self, number: float, what: str) -> None:
        """Raise an error if a statistic is infinite because the numbers are too large; ``what`` names the statistic."""
        if not math.isfinite(number):
            raise NumericRangeError(
                f"{self.label} has numbers so large that {what} is infinite in float64; divide the column by a large "
                "constant, or take its logarithm"
            )

    def values(self) -> tuple[Hashable, ...]:
        """Return the value of each code, or the declared levels of an ordinal column."""
        return self.kind.order if isinstance(self.kind, Ordinal) else self.all.instances.values(self.a)

    def numbers(self) -> FloatArray:
        """Return the numbers of the column, with NaN for missing values."""
        return np.asarray(self.all.instances.column(self.a), dtype=np.float64)

    def range(self) -> tuple[float, float]:
        """Return the smallest and largest known number in rows with positive weight; (0, 0) if no number is known."""
        low, high = self._ends("range")
        if math.isnan(low):
            return 0.0, 0.0
        self.check_finite(high - low, "their range")
        return low, high

    def inliers(self) -> tuple[float, float]:
        """Return the range of the known numbers without outliers (see `inlier_range`); (0, 0) if no number is known."""

        def compute(old: Any, start: int) -> tuple[float, float, int]:
            numbers, weights = np.asarray(self.all._instances.column(self.a), np.float64), self.all.weights
            kept = ~np.isnan(numbers) if weights is None else ~np.isnan(numbers) & (weights > 0)
            return inlier_range(numbers[kept], None if weights is None else weights[kept])

        low, high, _ = self.all.fact(("inliers", self.a), compute)
        if math.isnan(low):
            return 0.0, 0.0
        self.check_finite(high - low, "their range")
        return low, high

    def extent(self) -> float:
        """Return the largest minus the smallest number of an unscaled column; infinite if the difference overflows."""
        low, high = self._ends("extent")
        return 0.0 if math.isnan(low) else high - low

    def _ends(self, name: str) -> tuple[float, float]:
        def compute(old: tuple[float, float] | None, start: int) -> tuple[float, float]:
            low, high = (math.nan, math.nan) if old is None else old
            numbers = np.asarray(self.all._instances.column(self.a), np.float64)[start:]
            if self.all.weights is not None:
                numbers = numbers[self.all.weights[start:] > 0]
            if len(numbers):
                low = float(np.fmin(np.fmin.reduce(numbers), low))
                high = float(np.fmax(np.fmax.reduce(numbers), high))
            return low, high

        return self.all.fact((name, self.a), compute)  # type: ignore[no-any-return]

    def remainders(self, unit: float, period: float) -> frozenset[float]:
        """Return which units of a period occur in the column, such as the days (``unit``) of a week (``period``).

        At most two units are returned, which suffices to determine whether there is more than one.
        """

        def compute(old: frozenset[float] | None, start: int) -> frozenset[float]:
            found = set(old or ())
            numbers = self.numbers()[start:]
            if self.all.weights is not None:
                numbers = numbers[self.all.weights[start:] > 0]
            if len(found) < 2:
                found.update(np.unique(numbers[~np.isnan(numbers)] % period // unit)[:2].tolist())
            return frozenset(sorted(found)[:2])

        return self.all.fact(("remainders", self.a, unit, period), compute)  # type: ignore[no-any-return]

    def deviation(self) -> float:
        """Return the population standard deviation, ``sqrt(sum w (x - mean)^2 / sum w)``; 0 if no number is known."""
        _ = self.all.instances  # it depends on more than ranges
        return self.all.fact(("deviation", self.a), lambda old, start: self._deviation())  # type: ignore[no-any-return]

    def _deviation(self) -> float:
        numbers, weights = self._known()
        if not len(numbers):
            return 0.0
        total = float(len(numbers)) if weights is None else exact_sum(weights)
        with np.errstate(over="ignore", invalid="ignore"):
            mean = exact_sum(numbers if weights is None else numbers * weights) / total
            squares = (numbers - mean) * (numbers - mean)
            spread = exact_sum(squares if weights is None else squares * weights) / total
        self.check_finite(spread, "their standard deviation")
        if spread < LEAST_SQUARE and numbers.min() < numbers.max():
            raise NumericRangeError(
                f"{self.label} has numbers so close together that their standard deviation is 0 in float64; multiply "
                "the column by a large constant"
            )
        return math.sqrt(spread)

    def quantile(self, q: float) -> float:
        """Return the quantile ``q`` of the known numbers by the inverted CDF method; 0 if no number is known."""
        _ = self.all.instances  # it depends on more than ranges
        return self.all.fact(("quantile", self.a, q), lambda old, start: self._quantile(q))  # type: ignore[no-any-return]

    def _quantile(self, q: float) -> float:
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
        """Return the total row weight for each pair of code and class, in the format of `Statistics.table`."""
        instances, a = self.all.instances, self.a
        return self.all.table(("counts", a), len(self.values()), lambda start: codes_of(instances.column(a)[start:]))

    def interval_counts(self, edges: FloatArray) -> Counts:
        """Return the total row weight for each pair of interval and class, shape (intervals, classes).

        Interval i begins at ``edges[i]``; the first interval also contains all smaller numbers.
        """

        def intervals(start: int) -> NDArray[np.intp]:
            numbers = self.numbers()[start:]
            found = np.clip(np.searchsorted(edges, numbers, side="right") - 1, 0, None)
            return np.where(np.isnan(numbers), -1, found)

        return self.all.table(("intervals", self.a, tuple(edges.tolist())), len(edges), intervals)[1:]

    def window_shares(self, width: float) -> tuple[FloatArray, FloatArray]:
        """Return the distinct known numbers, and the class frequencies of rows within ``width / 2`` of each number."""
        numbers, classes, weights = self.numbers(), self.all.class_codes(), self.all.weights
        usable = ~np.isnan(numbers) & (classes >= 0)
        if weights is not None:
            usable &= weights > 0
        rows = np.flatnonzero(usable)
        rows = rows[np.argsort(numbers[rows], kind=None if weights is None else "stable")]
        numbers, classes = numbers[rows], classes[rows]
        starts = np.flatnonzero(np.append(True, np.diff(numbers) > 0)[: len(rows)])
        centers = numbers[starts]
        first = np.searchsorted(numbers, centers - width / 2, side="left")
        last = np.searchsorted(numbers, centers + width / 2, side="right")
        # Column-major: the columns of a row-major matrix are slow to fill.
        counts = np.zeros((max(self.all.n_classes, 1), len(centers)))
        for c, code in enumerate(self.all.classes()):
            own = classes == code if weights is None else np.where(classes == code, weights[rows], 0.0)
            reached = np.append(0.0, np.cumsum(own))
            np.subtract(reached[last], reached[first], out=counts[c])
            if weights is not None:
                # Small weights can vanish next to large ones in the running sum; those of the number itself must not.
                np.maximum(counts[c], np.add.reduceat(own, starts), out=counts[c])
        return centers, np.ascontiguousarray((counts / counts.sum(axis=0)).T)

    def _known(self) -> tuple[FloatArray, FloatArray | None]:
        """Return the known numbers of the rows with positive weight, and the weights of these rows."""
        numbers, weights = self.numbers(), self.all.weights
        kept = ~np.isnan(numbers) if weights is None else ~np.isnan(numbers) & (weights > 0)
        return numbers[kept], None if weights is None else weights[kept]


def inlier_range(numbers: FloatArray, weights: FloatArray | None = None) -> tuple[float, float, int]:
    """Return both ends of the range without outliers, and how many inliers can be added without changing the ends.

    Outliers are above ``Q.9 + 4 (Q.9 - Q.1)`` or below ``Q.1 - 4 (Q.9 - Q.1)``, where Q.1 and Q.9 are the 10% and 90%
    quantiles. No number is an outlier if there are fewer than 20 numbers or if the two quantiles are equal.
    """
    n = len(numbers)
    if not n:
        return math.nan, math.nan, 0
    if weights is None:
        numbers, total = np.sort(numbers), float(n)
        first, last = (max(math.ceil(q * n) - 1, 0) for q in CENTRAL)
    else:
        order = np.argsort(numbers, kind="stable")
        numbers, reached = numbers[order], np.cumsum(weights[order])
        total = float(reached[-1])
        first, last = np.minimum(np.searchsorted(reached, np.array(CENTRAL) * total), n - 1).tolist()
    if total < FEW:
        return float(numbers[0]), float(numbers[-1]), FEW - 1 - n if weights is None else 0
    least, most = fences(float(numbers[first]), float(numbers[last]))
    low = float(numbers[np.searchsorted(numbers, least)])
    high = float(numbers[np.searchsorted(numbers, most, side="right") - 1])
    more = (n // share for share in _MORE if weights is None and _stay(numbers, n // share, low, high))
    return low, high, next(more, 0)


def usual_range(numbers: FloatArray) -> tuple[float, float]:
    """Return the range of most numbers, for a slider or a curve: as `inlier_range`, but with a factor of 1.5, not 4."""
    first, last = np.quantile(numbers, CENTRAL).tolist()
    reach = _USUAL * (last - first)
    if reach > 0 and numbers.size >= FEW:
        numbers = numbers[(numbers >= first - reach) & (numbers <= last + reach)]
    return float(numbers.min()), float(numbers.max())


def fences(first: float, last: float) -> tuple[float, float]:
    """Return the limits beyond which numbers are outliers; ``first`` and ``last`` are the 10% and 90% quantiles."""
    reach = FENCE * (last - first)
    return (first - reach, last + reach) if reach > 0 else (-math.inf, math.inf)


def _stay(numbers: FloatArray, m: int, low: float, high: float) -> bool:
    """Return whether the inliers still end at ``low`` and ``high`` if up to ``m`` numbers between them are added."""
    n = len(numbers)
    first, last = (max(math.ceil(q * (n + m)) - 1, 0) for q in CENTRAL)
    # Each added number moves a quantile by at most one position in the sorted numbers.
    firsts = float(numbers[max(first - m, 0)]), float(numbers[min(first, n - 1)])
    lasts = float(numbers[max(last - m, 0)]), float(numbers[min(last, n - 1)])
    if firsts[0] == lasts[1]:
        return True  # the quantiles stay equal
    if not firsts[1] < lasts[0]:
        return False
    widest, narrowest = FENCE * (lasts[1] - firsts[0]), FENCE * (lasts[0] - firsts[1])
    least, most = (firsts[0] - widest, firsts[1] - narrowest), (lasts[0] + narrowest, lasts[1] + widest)
    outside = np.searchsorted(numbers, least), np.searchsorted(numbers, most, side="right")
    return least[1] <= low and high <= most[0] and all(start == stop for start, stop in outside)


def shares(counts: Counts, instead: FloatArray) -> FloatArray:
    """Divide each row of counts by its sum, and replace a row whose sum is 0 with ``instead``."""
    totals = counts.sum(axis=1, keepdims=True)
    empty = totals == 0
    return np.where(empty, instead, counts / np.where(empty, 1, totals))


def exact_sum(numbers: FloatArray) -> float:
    """Return the sum of numbers, rounded only once; the result is infinite if the sum overflows."""
    return sum_of_parts(exact_parts(numbers))


def exact_parts(numbers: FloatArray) -> list[float]:
    """Return numbers, usually a few, with the same exact sum (Rump, Ogita & Oishi 2008, ExtractVector)."""
    parts: list[float] = []
    room = (len(numbers) + 2).bit_length()
    for _ in range(_SPLITS):
        largest = float(np.abs(numbers).max(initial=0.0))
        if not math.isfinite(largest):
            return [math.inf]
        if largest == 0.0 or math.frexp(largest)[1] + room > _LARGEST_EXPONENT:
            break
        sigma = math.ldexp(1.0, math.frexp(largest)[1] + room)
        leading = (numbers + sigma) - sigma  # leading digits, whose sum is exact in any order
        parts.append(float(leading.sum()))
        numbers = numbers - leading
    return [*parts, *numbers[numbers != 0.0].tolist()]


def sum_of_parts(parts: Sequence[float]) -> float:
    """Return the sum of the numbers from `exact_parts`, rounded only once; infinite if the sum overflows."""
    try:
        return math.fsum(parts)
    except OverflowError:
        return math.inf


def codes_of(column: AnyArray) -> NDArray[np.intp]:
    """Convert a column of codes or ranks to integers, with -1 for missing values."""
    if column.dtype.kind == "f":
        return np.where(np.isnan(column), -1, column).astype(np.intp)
    return column.astype(np.intp)


def first_seen(codes: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the codes that occur, except -1 (missing), in order of first occurrence."""
    first = np.full(int(codes.max(initial=-1)) + 2, len(codes), dtype=np.intp)
    first[codes[::-1] + 1] = np.arange(len(codes))[::-1]
    first[0] = len(codes)
    order = np.argsort(first, kind="stable")
    return order[first[order] < len(codes)] - 1
