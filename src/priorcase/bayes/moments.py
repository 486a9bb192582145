"""Weight, mean and squared deviations of the numbers in each class: all that the normal densities need.

Moments are added up row after row in the order of the ids (West 1979), by the compiled core. Rows that are appended
continue the sums; where rows leave a class, the moments of this class are computed again from the rows that are left.
Both ways give the bits of a fresh fit on the stored rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field

import numpy as np

from priorcase._core import add_moments
from priorcase._typing import AnyArray, BoolArray, FloatArray, IntArray
from priorcase.exceptions import NumericRangeError

# Variances within these leave room for the square of any distance that matters.
LEAST_VARIANCE, MOST_VARIANCE = 1e-280, 1e280

# The least weight of values that have a variance of their own: two rows, the rounding of weights aside.
TWO_ROWS = 2 * (1 - 1e-12)

# Without a row that makes up more than all but this share of the squared deviations, too few digits are left.
_CANCELLED = 2.0**-10
_LEAST = float(np.nextafter(0.0, 1.0))


@dataclass(frozen=True)
class Moments:
    """Moments of one numeric column, in each class and overall.

    Arrays may have leading axes, one entry for each of several training sets (those that leave one row out, say); the
    overall numbers then have these axes too. ``n``, ``mean`` and ``deviation`` are the total weight of the known values
    of each class, their mean and ``sum w (x - mean)^2``, shape (..., classes), 0 where a class has none. ``low`` is
    what the rounded mean lacks.
    """

    n: FloatArray
    mean: FloatArray
    deviation: FloatArray
    n_all: float | FloatArray
    mean_all: float | FloatArray
    deviation_all: float | FloatArray
    low: FloatArray | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of_classes(cls, n: FloatArray, mean: FloatArray, low: FloatArray, deviation: FloatArray) -> Moments:
        """From the moments of each class, whatever the order of the classes."""
        heaviest = np.where(n == n.max(axis=-1, keepdims=True), mean, np.inf).min(axis=-1, keepdims=True)
        with np.errstate(over="ignore", invalid="ignore"):
            away = np.where(n > 0, (mean - heaviest) + low, 0.0)
            n_all = _total(n)
            middle = _total(n * away) / np.where(n_all > 0, n_all, 1.0)
            mean_all = heaviest[..., 0] + middle
            squares = n * (away - middle[..., np.newaxis]) ** 2
            deviation_all = _total(deviation) + _total(squares)
        deviation_all = np.where(np.isnan(deviation_all), np.inf, deviation_all)
        differ = (away != 0).any(axis=-1) & (deviation_all == 0)  # by too little to be squared
        deviation_all = np.where(differ, _LEAST, deviation_all)
        return cls(n, mean, deviation, n_all, mean_all, deviation_all, low)

    @classmethod
    def of(cls, values: FloatArray, codes: IntArray, n_classes: int, weights: FloatArray | None = None) -> Moments:
        """Of the numbers of some rows; missing numbers and classes below 0 are left out.

        Examples
        --------
        >>> Moments.of(np.array([1.0, 3.0, 5.0, np.nan]), np.array([0, 0, 1, 1]), 2)
        Moments(n=array([2., 1.]), mean=array([2., 5.]), deviation=array([2., 0.]),
                n_all=3.0, mean_all=3.0, deviation_all=8.0)
        """
        sums = ClassMoments(1)
        sums.grow(n_classes)
        sums.add([values], codes, weights)
        return sums.summaries()[0]

    def split(self) -> list[Moments]:
        """The entries along the first axis."""
        low = np.zeros_like(self.mean) if self.low is None else self.low
        overall = (np.asarray(part).tolist() for part in (self.n_all, self.mean_all, self.deviation_all))
        return [Moments(*parts) for parts in zip(self.n, self.mean, self.deviation, *overall, low, strict=True)]

    @classmethod
    def stacked(cls, several: Sequence[Moments]) -> Moments:
        """Several columns along a first axis."""
        names = ("n", "mean", "deviation", "n_all", "mean_all", "deviation_all")
        return cls(*(np.array([getattr(m, name) for m in several]) for name in names))

    def pooled(self) -> Moments:
        """All classes taken for one."""
        n, mean, deviation = (np.asarray(part)[..., None] for part in (self.n_all, self.mean_all, self.deviation_all))
        return Moments(n, mean, deviation, self.n_all, self.mean_all, self.deviation_all)

    def settled(self) -> Moments:
        """The same with nothing in any class where the column says nothing, so that no formula overflows there."""
        says = self.says_something()[..., None]
        n, mean, deviation = (np.where(says, part, 0.0) for part in (self.n, self.mean, self.deviation))
        return Moments(n, mean, deviation, self.n_all, self.mean_all, self.deviation_all)

    def variance_all(self) -> FloatArray:
        """Overall variance with divisor ``n - 1``, but at least ``n / 2`` (weights may add up to less than two)."""
        n = np.asarray(self.n_all, dtype=np.float64)
        return np.asarray(self.deviation_all / np.where(n > 0, np.maximum(n - 1, n / 2), 1.0))

    def says_something(self) -> BoolArray:
        """Whether the column has known values that differ (by more than float64 can square), shape (...,)."""
        variance = self.variance_all()
        return np.asarray((variance >= LEAST_VARIANCE) & (variance <= MOST_VARIANCE))


class ClassMoments:
    """Moments of some numeric columns in each class, to which rows can be added and from which they can be removed."""

    def __init__(self, n_columns: int) -> None:
        self._state: FloatArray = np.zeros((n_columns, 0, 4))
        self.stale: BoolArray = np.zeros(0, np.bool_)
        """The classes that lost rows."""

    def __copy__(self) -> ClassMoments:
        twin = ClassMoments(0)
        twin._state, twin.stale = self._state.copy(), self.stale.copy()
        return twin

    def grow(self, n_classes: int) -> None:
        """Make room for more classes; never fewer."""
        if (more := n_classes - self.stale.size) > 0:
            self._state = np.concatenate([self._state, np.zeros((len(self._state), more, 4))], axis=1)
            self.stale = np.concatenate([self.stale, np.zeros(more, np.bool_)])

    def add(
        self, columns: Sequence[FloatArray], classes: AnyArray, weights: FloatArray | None, *, threads: int = 1
    ) -> None:
        """Add rows that come after all others; those of classes that lost rows wait for `refreshed`."""
        _add(columns, classes, weights, self._state, threads)
        self._state[:, self.stale] = 0.0

    def remove(self, classes: AnyArray) -> None:
        """Rows of some classes are gone: these are to be computed again by `refreshed`."""
        self.stale[classes[classes >= 0]] = True
        self._state[:, self.stale] = 0.0  # no trace of the rows stays behind

    def refreshed(
        self, columns: Sequence[FloatArray], classes: AnyArray, weights: FloatArray | None, *, threads: int = 1
    ) -> ClassMoments:
        """The moments with those of the ``stale`` classes, from all rows of these classes."""
        found = copy(self)
        _add(columns, classes, weights, found._state, threads)
        found.stale[:] = False
        return found

    def summaries(self) -> list[Moments]:
        """The moments of each column."""
        n, mean, low, deviation = np.moveaxis(self._state, -1, 0).copy()
        return Moments.of_classes(n, mean, low, np.where(np.isnan(deviation), np.inf, deviation)).split()


def _add(
    columns: Sequence[FloatArray],
    classes: AnyArray,
    weights: FloatArray | None,
    state: FloatArray,
    threads: int,
) -> None:
    """Add rows to the moments of their classes."""
    weights = None if weights is None else np.ascontiguousarray(weights, np.float64)
    contiguous = [np.ascontiguousarray(column, np.float64) for column in columns]
    add_moments(contiguous, np.ascontiguousarray(classes, np.int32), weights, state, threads)


def _total(terms: FloatArray) -> FloatArray:
    """Sums along the last axis, the same for any order of the terms and any number of zeros among them."""
    total: FloatArray = np.cumsum(np.sort(terms, axis=-1), axis=-1)[..., -1]
    return total


def check_spread(moments: Moments, *, column: object) -> None:
    """Refuse a column whose overall variance is neither 0 nor within 1e-280 and 1e280."""
    variance = float(moments.variance_all())
    if moments.deviation_all != 0 and not LEAST_VARIANCE <= variance <= MOST_VARIANCE:
        found, repair = ("large", "Divide") if variance > 1 else ("small", "Multiply")
        raise NumericRangeError(
            f"column {column!r} has a variance too {found} for a density in float64; expected one from 1e-280 to "
            f"1e280, or 0. {repair} it by a power of ten"
        )


def moments_without_each(
    m: Moments, x: FloatArray, own: IntArray, weights: FloatArray | None = None, rows: IntArray | None = None
) -> Moments:
    """The moments without each of some rows: a Moments with one entry for each row.

    Taking a value x of weight w out of n values with mean m and squared deviations D leaves ``n' = n - w``,
    ``m' = m - w (x - m) / n'`` and ``D' = D - n w (x - m)^2 / n'``. Where the row makes up most of what it is taken
    from, which few rows of a class can, the moments of the other rows are added up again instead.

    Parameters
    ----------
    m
        The moments of all rows.
    x, own, weights
        Number, class (below 0 for a row that was not counted) and weight of all rows.
    rows
        The positions of the rows to leave out, whose numbers are known; None for all rows.
    """
    x, own = np.asarray(x, np.float64), np.asarray(own)
    rows = np.arange(len(x)) if rows is None else rows
    w = np.ones(len(rows)) if weights is None else np.asarray(weights, np.float64)[rows]
    w, codes = np.where(own[rows] >= 0, w, 0.0), np.maximum(own[rows], 0)
    low = np.zeros_like(m.mean) if m.low is None else m.low
    n, mean, deviation = m.n[codes], m.mean[codes], m.deviation[codes]
    left = n - w
    gone = left <= 0
    share = w / np.where(gone, 1.0, left)
    with np.errstate(over="ignore", invalid="ignore"):
        away = (x[rows] - mean) - low[codes]
        squares = np.maximum(deviation - n * share * (away * away), 0.0)
        moved = low[codes] - share * away
    found = [left, mean + moved, moved - ((mean + moved) - mean), squares]
    doubtful = np.flatnonzero((w > 0) & ((left < 0.5 * n) | ((deviation > 0) & ~(squares >= _CANCELLED * deviation))))
    members: dict[int, IntArray] = {}
    for i in doubtful:
        code = int(codes[i])
        if code not in members:
            members[code] = np.flatnonzero(own == code)
        others = members[code][members[code] != rows[i]]
        state = np.zeros((1, 1, 4))
        of_others = None if weights is None else weights[others]
        _add([x[others]], np.zeros(len(others)), of_others, state, 1)
        for part, number in zip(found, state[0, 0], strict=True):
            part[i] = number
    for part in found:
        part[found[0] <= 0] = 0.0
    wide = [np.repeat(part[np.newaxis], len(rows), axis=0) for part in (m.n, m.mean, low, m.deviation)]
    for part, own_part in zip(wide, found, strict=True):
        part[np.arange(len(rows)), codes] = own_part
    return Moments.of_classes(*wide)
