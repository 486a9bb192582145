"""Discretizers put numbers into bins, so that a numeric column can be counted like a nominal column.

A discretizer finds *cut points* in the known values of the training rows. The bin of ``x`` is the number of cuts at or
below ``x``, so ``m`` cuts make ``m + 1`` bins, which cover all numbers. There are training values on both sides of each
learned cut.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from numbers import Integral
from typing import Any, ClassVar, NamedTuple, Protocol, TypeAlias

import numpy as np
import sklearn.utils._param_validation as validation
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlogy

from priorcase._parameters import as_python, check_fields, is_number
from priorcase._typing import FloatArray, IntArray
from priorcase.exceptions import ParameterError, prefix_errors, quoted
from priorcase.instances import as_floats

Classes: TypeAlias = IntArray | None
Weights: TypeAlias = FloatArray | None

# The counts of more bins would fill the memory.
BINS = validation.Interval(Integral, 2, 1_000_000, closed="both")

# k-means represents values as multiples of 2^-61 of the power of two above the largest value, which is exact except for
# values near 0. Distances from the smallest value are summed in two parts, their upper and their lower bits. Both sums
# stay below 2^63 if the weights sum to less than 2^32.
_BITS = 61
_HALF_BITS = 31
_MOST_WEIGHT = 2.0**32

# Entropies with a smaller relative difference are equal up to rounding: the lowest cut is used.
_TIE = 1e-12


class Discretizer(Protocol):
    """Method for finding cut points."""

    needs_classes: ClassVar[bool]
    """Whether the cuts depend on the classes of the rows."""

    def cuts(self, values: FloatArray, classes: Classes, n_classes: int, weights: Weights) -> FloatArray:
        """Return cut points of known values in any order: strictly ascending, or empty if a single bin is best."""
        ...


def bin_of(cuts: FloatArray, x: FloatArray) -> NDArray[np.intp]:
    """Return the bin of each value, i.e. how many cuts are at or below the value; -1 if it is missing."""
    x = np.asarray(x, dtype=np.float64)
    return np.where(np.isnan(x), -1, np.searchsorted(cuts, x, side="right"))


@dataclass(frozen=True)
class CutPoints:
    """Fixed cut points.

    >>> CutPoints((18, 65))
    CutPoints(points=(18.0, 65.0))
    """

    points: Sequence[float]

    needs_classes: ClassVar[bool] = False

    def __post_init__(self) -> None:
        given = self.points if isinstance(self.points, (Sequence, np.ndarray)) else None
        points = tuple(given) if given is not None and np.ndim(given) == 1 else ("",)
        numbers = tuple(float(as_python(point)) for point in points if is_number(point))
        ascending = len(numbers) == len(points) and all(a < b for a, b in pairwise(numbers))
        if not ascending or not all(map(math.isfinite, numbers)):
            raise ParameterError(
                f"points must be finite numbers in strictly ascending order, got {quoted(self.points)}. "
                "CutPoints((18, 65)) makes three bins: below 18, from 18 to below 65, 65 and above."
            )
        object.__setattr__(self, "points", numbers)

    def cuts(self, values: FloatArray, classes: Classes, n_classes: int, weights: Weights) -> FloatArray:
        return np.array(self.points, dtype=np.float64)


@dataclass(frozen=True)
class _LabelBlind(ABC):
    """Base class of the discretizers that do not use classes; ``bins`` is at least 2."""

    bins: int = 5

    needs_classes: ClassVar[bool] = False
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"bins": [BINS]}

    def __post_init__(self) -> None:
        check_fields(self)
        object.__setattr__(self, "bins", int(self.bins))

    @abstractmethod
    def cuts(self, values: FloatArray, classes: Classes, n_classes: int, weights: Weights) -> FloatArray: ...

    @prefix_errors
    def learned_from(self, column: ArrayLike) -> CutPoints:
        """Learn cut points from a whole column (NaN if missing); they can then be used for any subset of the rows."""
        values = as_floats(column)
        if values is None or values.ndim != 1 or np.isinf(values).any():
            raise ParameterError(
                "column must be a list or one-dimensional array of finite numbers, NaN if missing, got "
                f"{quoted(column)}. Pass one column, for example frame['age']."
            )
        return CutPoints(tuple(self.cuts(values[~np.isnan(values)], None, 0, None).tolist()))


@dataclass(frozen=True)
class EqualWidth(_LabelBlind):
    """Bins of equal width, cut at ``low + (high - low) i / bins`` for i = 1 .. bins - 1.

    >>> EqualWidth(4).learned_from([0.0, 1.0, 1.5, 8.0])
    CutPoints(points=(2.0, 4.0, 6.0))
    """

    def cuts(self, values: FloatArray, classes: Classes, n_classes: int, weights: Weights) -> FloatArray:
        values = values if weights is None else values[weights > 0]
        if not len(values):
            return np.empty(0)
        low, high = float(values.min()), float(values.max())
        shares = np.arange(1, self.bins) / self.bins
        # The plain form overflows if the range exceeds float64.
        found = low * (1 - shares) + high * shares if math.isinf(high - low) else low + (high - low) * shares
        return np.unique(found[(found > low) & (found <= high)])


@dataclass(frozen=True)
class EqualFrequency(_LabelBlind):
    """Bins with equal numbers of rows, as far as ties allow.

    With total weight ``W``, cut ``i`` is placed between two neighboring values so that the weight below it is nearest
    to ``W i / bins``; ties go to the lower position. Equal values stay in one bin, so there may be fewer bins. The
    parameter ``bins`` is at least 2.

    >>> EqualFrequency(2).learned_from([1.0, 2.0, 3.0, 100.0])
    CutPoints(points=(2.5,))
    """

    def cuts(self, values: FloatArray, classes: Classes, n_classes: int, weights: Weights) -> FloatArray:
        points, totals = distinct(values, weights)
        if len(points) < 2:
            return np.empty(0)
        reached = np.cumsum(totals)
        wanted = np.arange(1, self.bins, dtype=np.float64) * reached[-1]
        # Both sides are multiplied by ``bins``, so that integer weights are compared as integers.
        below = reached[:-1] * self.bins
        after = np.clip(np.searchsorted(below, wanted), 1, max(len(below) - 1, 1))
        before = after - 1
        after = np.minimum(after, len(below) - 1)
        places = np.unique(np.where(wanted - below[before] <= below[after] - wanted, before, after))
        return between(points[places], points[places + 1])


@dataclass(frozen=True)
class KMeansBins(_LabelBlind):
    """Bins from one-dimensional k-means; cuts are the midpoints between neighboring centers.

    Lloyd's algorithm starts with center ``i = 0 .. k - 1`` of k bins at the quantile ``(i + 1/2) / k``. A value equally
    near to two centers goes to the upper center; clusters without values are dropped at the end. Of the k-means
    variants tried, this variant came closest to the leave-one-out results of Kontkanen et al. (1997). Fractional
    weights are rounded to multiples of their sum divided by 2^32. The parameter ``bins`` is at least 2.

    >>> KMeansBins(2).learned_from([1.0, 2.0, 3.0, 11.0, 13.0])
    CutPoints(points=(7.0,))
    """

    def cuts(self, values: FloatArray, classes: Classes, n_classes: int, weights: Weights) -> FloatArray:
        points, totals = distinct(values, weights)
        if len(points) < 2:
            return np.empty(0)
        line, found = _Line(points, totals), []
        for (_, left), (begin, right) in pairwise(line.settle(line.quantiles(self.bins))):
            low, high = float(points[begin - 1]), float(points[begin])
            cut = line.number((left + right) / 2)
            found.append(cut if low < cut <= high else high)
        return np.array(found, dtype=np.float64)


class _Line:
    """One-dimensional k-means on values converted to integers, so that sums are exact and ties are not rounded away."""

    def __init__(self, points: FloatArray, times: FloatArray) -> None:
        self.exponent = int(np.frexp(np.abs(points).max())[1])
        fixed = np.ldexp(points, _BITS - self.exponent).astype(np.int64)
        self.low = int(fixed[0])
        self.positions = fixed - fixed[0]
        total = float(times.sum())
        if total >= _MOST_WEIGHT or (times != np.floor(times)).any():
            times = np.floor(times * ((_MOST_WEIGHT - len(times) - 1) / total))
        times = times.astype(np.int64)
        halves = self.positions >> _HALF_BITS, self.positions & ((1 << _HALF_BITS) - 1)
        self.reached, self.upper, self.lower = (
            np.concatenate([[0], np.cumsum(numbers)]) for numbers in (times, *(half * times for half in halves))
        )

    def quantiles(self, bins: int) -> list[Fraction]:
        last = int(self.reached[-1]) - 1
        ranks = [Fraction(last * (2 * i + 1), 2 * bins) for i in range(bins)]
        whole = np.array([math.floor(rank) for rank in ranks])
        below, above = (
            self.positions[np.searchsorted(self.reached[1:], np.minimum(at, last), side="right")].tolist()
            for at in (whole, whole + 1)
        )
        return [a + (b - a) * (rank % 1) for a, b, rank in zip(below, above, ranks, strict=True)]

    def settle(self, centers: list[Fraction]) -> list[tuple[int, Fraction]]:
        """Run Lloyd's algorithm until convergence; return the first position and the mean of each non-empty cluster."""
        while True:
            inner = (int(np.searchsorted(self.positions, math.ceil((a + b) / 2))) for a, b in pairwise(centers))
            borders = list(pairwise([0, *inner, len(self.positions)]))
            moved = [self._mean(a, b, center) for (a, b), center in zip(borders, centers, strict=True)]
            if moved == centers:
                held = zip(borders, centers, strict=True)
                return [(a, center) for (a, b), center in held if self.reached[a] < self.reached[b]]
            centers = moved

    def number(self, position: Fraction) -> float:
        return float((self.low + position) * Fraction(2) ** (self.exponent - _BITS))

    def _mean(self, begin: int, end: int, otherwise: Fraction) -> Fraction:
        weight, upper, lower = (int(sums[end] - sums[begin]) for sums in (self.reached, self.upper, self.lower))
        return Fraction((upper << _HALF_BITS) + lower, weight) if weight else otherwise


@dataclass(frozen=True)
class TwoWay:
    """Two bins, with the cut point of highest information gain; a single bin if no cut has a gain.

    >>> TwoWay().cuts(np.array([1.0, 2.0, 8.0, 9.0]), np.array([0, 0, 1, 0]), 2, None)
    array([5.])
    """

    needs_classes: ClassVar[bool] = True

    def cuts(self, values: FloatArray, classes: Classes, n_classes: int, weights: Weights) -> FloatArray:
        blocks = _ClassBlocks(values, classes, n_classes, weights)
        split = blocks.best_split(0, len(blocks.cuts))
        return np.array([] if split is None else [blocks.cuts[split.at]], dtype=np.float64)


@dataclass(frozen=True)
class MDL:
    """Entropy-based bins with the minimum description length criterion of Fayyad & Irani (1993, section 3).

    A set S of N rows is divided at the best cut into S1 and S2, which are then divided in the same way, as long as
    ``Gain > (log2(N - 1) + log2(3^k - 2) - k Ent(S) + k1 Ent(S1) + k2 Ent(S2)) / N`` in bits. Here k, k1 and k2 are the
    numbers of classes in S, S1 and S2. Cuts lie halfway between neighboring values; ties go to the lowest cut.

    >>> MDL().cuts(np.arange(12.0), np.array([0] * 6 + [1] * 6), 2, None)
    array([5.5])
    """

    needs_classes: ClassVar[bool] = True

    def cuts(self, values: FloatArray, classes: Classes, n_classes: int, weights: Weights) -> FloatArray:
        blocks = _ClassBlocks(values, classes, n_classes, weights)
        found, waiting = [], [(0, len(blocks.cuts))]
        while waiting:
            begin, end = waiting.pop()
            split = blocks.best_split(begin, end)
            if split is None or (n := float(split.whole.sum())) < 2:
                continue
            k, sides = len(split.whole), _class_nats(split.left) + _class_nats(split.right)
            # ln(3^k - 2), also if 3^k overflows.
            shapes = k * math.log(3) + math.log1p(-2 * math.exp(-k * math.log(3)))
            if split.gain > (math.log(n - 1) + shapes - _class_nats(split.whole) + sides) / n:
                found.append(blocks.cuts[split.at])
                waiting += [(begin, split.at), (split.at, end)]
        return np.array(sorted(found), dtype=np.float64)


class _Split(NamedTuple):
    """Best cut in a range of blocks: the border before block ``at``."""

    at: int
    gain: float  # information gain in nats
    whole: FloatArray  # weight of each class that occurs in the range
    left: FloatArray  # weight of each class that occurs to the left of the cut
    right: FloatArray  # weight of each class that occurs to the right of the cut


def _class_nats(weights: FloatArray) -> float:
    """Return the number of classes times the entropy of their distribution in nats."""
    shares = weights / float(weights.sum())
    return len(weights) * float(-xlogy(shares, shares).sum())


class _ClassBlocks:
    """Sorted column, divided into blocks; the best cut is always at a block border (Fayyad & Irani 1992, theorem 1)."""

    def __init__(self, values: FloatArray, classes: Classes, n_classes: int, weights: Weights) -> None:
        if classes is None:
            raise ParameterError(
                "classes are required: MDL and TwoWay use the class of each value. 'kmeans', 'equal_frequency' and "
                "'equal_width' need no classes."
            )
        values, classes = np.asarray(values, dtype=np.float64), np.asarray(classes)
        order = np.argsort(classes, kind="stable")
        ends = np.searchsorted(classes[order], np.arange(n_classes + 1))
        groups = [order[a:b] for a, b in pairwise(ends) if b > a]
        columns = [distinct(values[rows], None if weights is None else weights[rows]) for rows in groups]
        columns = [column for column in columns if len(column[0])]
        points = np.unique(np.concatenate([np.empty(0), *(own for own, _ in columns)]))
        places = [np.searchsorted(points, own) for own, _ in columns]
        n_of, only = np.zeros((2, len(points)), dtype=np.int64)
        for k, at in enumerate(places):
            n_of[at] += 1
            only[at] = k
        pure, begins = n_of == 1, np.ones(len(points), dtype=np.bool_)
        # Adjacent values that occur only in the same class form a block.
        begins[1:] = ~(pure[1:] & pure[:-1] & (only[1:] == only[:-1]))
        block_of, starts = np.cumsum(begins) - 1, np.flatnonzero(begins)
        # The cut before each block.
        self.cuts = np.append(np.nan, between(points[starts[1:] - 1], points[starts[1:]]))[: len(starts)]
        self.blocks: list[NDArray[np.intp]] = [block_of[at] for at in places]
        self.weights = [own for _, own in columns]
        self._table = None
        total = sum(float(w.sum()) for w in self.weights)
        if total <= 4 * values.size and all((w == np.floor(w)).all() for w in self.weights):
            whole = np.arange(total + 1)
            self._table = xlogy(whole, whole)

    def best_split(self, begin: int, end: int) -> _Split | None:
        """Return the best cut in a range of blocks (the lowest of equally good cuts), or None if no cut has a gain."""
        length = end - begin
        if length < 2:
            return None

        def reached(at: NDArray[np.intp], weights: FloatArray) -> FloatArray:
            """Return, for each block except the last, the weight of a class in this block and all earlier blocks."""
            return np.cumsum(np.bincount(at, weights=weights, minlength=length))[:-1].astype(np.float64)

        parts, sums = [], []  # for each class: the blocks and weights of its values, and its total weight
        for blocks, weights in zip(self.blocks, self.weights, strict=True):
            low, high = np.searchsorted(blocks, [begin, end])
            if (weight := float(weights[low:high].sum())) > 0:
                parts.append((blocks[low:high] - begin, weights[low:high]))
                sums.append(weight)
        left, inside = np.zeros(length - 1), np.zeros(length - 1)
        for part, weight in zip(parts, sums, strict=True):
            so_far = reached(*part)
            left += so_far
            inside += self._plogp(so_far) + self._plogp(weight - so_far)
        total = sum(sums)
        rest = self._plogp(left) + self._plogp(total - left) - inside
        before = float(self._plogp(np.array([total]))[0] - sum(self._plogp(np.array([w]))[0] for w in sums))
        tie = _TIE * total * (1 + abs(math.log(total)))
        if len(parts) < 2 or rest.min() >= before - tie:
            return None
        i = int(np.argmax(rest <= rest.min() + tie))
        of_left = np.array([reached(*part)[i] for part in parts])
        of_right = np.maximum(np.array(sums) - of_left, 0)
        # Presence is derived from positions: differences of fractional weights may not be exactly 0.
        of_left = of_left[[at[0] <= i for at, _ in parts]]
        of_right = of_right[[at[-1] > i for at, _ in parts]]
        whole = np.array(sums)
        return _Split(begin + i + 1, (before - float(rest.min())) / float(whole.sum()), whole, of_left, of_right)

    def _plogp(self, weights: FloatArray) -> FloatArray:
        if self._table is not None:
            return self._table[weights.astype(np.int64)]
        weights = np.maximum(weights, 0)
        return np.asarray(xlogy(weights, weights))


def distinct(values: FloatArray, weights: FloatArray | None = None) -> tuple[FloatArray, FloatArray]:
    """Return the distinct known values in ascending order and the total weight of each value."""
    values = np.asarray(values, dtype=np.float64) + 0.0  # -0.0 becomes 0.0
    if weights is None:
        points, counts = np.unique(values[~np.isnan(values)], return_counts=True)
        return points, counts.astype(np.float64)
    usable = ~np.isnan(values) & (weights > 0)
    values, weights = values[usable], np.asarray(weights, dtype=np.float64)[usable]
    order = np.lexsort((weights, values))
    points, at = np.unique(values[order], return_inverse=True)
    return points, np.bincount(at, weights=weights[order], minlength=len(points)).astype(np.float64)


def between(lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Return cuts between adjacent values: the midpoint, or the upper value if float64 has no number in between."""
    middle = lower / 2 + upper / 2
    return np.where((middle > lower) & (middle <= upper), middle, upper)


@dataclass(frozen=True, order=True)
class Interval:
    """Interval from ``low`` (included) to ``high`` (excluded); the first and last intervals of a column are unbounded.

    >>> print(Interval(30.0, 45.0))
    30 to below 45
    """

    low: float
    high: float

    def __contains__(self, number: float) -> bool:
        return self.low <= number < self.high

    def __str__(self) -> str:
        if self.low == -float("inf"):
            return "any number" if self.high == float("inf") else f"below {self.high:.10g}"
        return f"{self.low:.10g} or more" if self.high == float("inf") else f"{self.low:.10g} to below {self.high:.10g}"


def intervals(cuts: FloatArray) -> list[Interval]:
    edges = [-float("inf"), *cuts.tolist(), float("inf")]
    return [Interval(low, high) for low, high in pairwise(edges)]
