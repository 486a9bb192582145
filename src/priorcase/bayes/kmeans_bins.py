"""Bins around the centres of one-dimensional k-means."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from priorcase._typing import FloatArray, IntArray
from priorcase.bayes.discretise import LabelBlind, check_bins
from priorcase.bayes.distinct import Distinct, distinct
from priorcase.similarity.checks import settle

# Values are whole multiples of 2^-61 of the power of two above the largest: exact but for values near 0. Their
# distances from the smallest are summed in two halves, below 2^63 while the weights add up to less than 2^32.
_BITS = 61
_HALF_BITS = 31
_MOST_WEIGHT = 2.0**32


@dataclass(frozen=True)
class KMeansBins(LabelBlind):
    """Bins between the centres of one-dimensional k-means; a cut is the midpoint of two neighbouring centres.

    Lloyd's rule from quantile starts: centre ``i`` of k starts at the quantile ``(i + 1/2) / k`` (interpolated between
    neighbouring values, as NumPy does); values go to the nearest centre, the upper one if two are as near; centres
    move to the mean of their values until none moves. A centre without values stays where it is, so that equal starts
    may part; those without values at the end are dropped, so there may be fewer bins. Nothing is random.

    Kontkanen et al. (1997) do not say how they discretised. Of the variants of this rule (how to interpolate, whether
    equal starts are merged, where ties and empty centres go), this one came closest to their leave-one-out figures.

    Weights are whole numbers here: others are rounded to multiples of their sum over 2^32.

    Parameters
    ----------
    bins
        Number of centres, at least 2.

    Examples
    --------
    >>> KMeansBins(2).learned_from([1.0, 2.0, 3.0, 11.0, 13.0])
    CutPoints(points=(7.0,))
    """

    bins: int = 5

    def __post_init__(self) -> None:
        settle(self, bins=check_bins(self, self.bins))

    def cuts(
        self, values: FloatArray, classes: IntArray | None, n_classes: int, weights: FloatArray | None
    ) -> FloatArray:
        column = distinct(values, weights)
        if len(column) < 2:
            return np.empty(0)
        line = _Line(column)
        clusters = line.settle(line.quantiles(self.bins))
        found = []
        for left, right in pairwise(clusters):
            low, high = float(column.points[right.begin - 1]), float(column.points[right.begin])
            cut = line.number((left.centre + right.centre) / 2)
            found.append(cut if low < cut <= high else high)
        return np.array(found, dtype=np.float64)


class _Cluster(NamedTuple):
    """Values by the index of their first, and their mean."""

    begin: int
    centre: Fraction


class _Line:
    """Values as whole numbers: exact sums, so that no tie is decided by a rounding."""

    def __init__(self, column: Distinct) -> None:
        points = column.points
        self.exponent = int(np.frexp(np.abs(points).max())[1])
        fixed = np.ldexp(points, _BITS - self.exponent).astype(np.int64)
        self.low = int(fixed[0])
        self.positions = fixed - fixed[0]
        times = _whole(column.weights)
        self.reached = _running(times)
        self.upper = _running((self.positions >> _HALF_BITS) * times)
        self.lower = _running((self.positions & ((1 << _HALF_BITS) - 1)) * times)

    def quantiles(self, bins: int) -> list[Fraction]:
        """Where the centres start."""
        last = int(self.reached[-1]) - 1
        ranks = [Fraction(last * (2 * i + 1), 2 * bins) for i in range(bins)]
        whole = np.array([math.floor(rank) for rank in ranks])
        below, above = (
            self.positions[np.searchsorted(self.reached[1:], np.minimum(at, last), side="right")].tolist()
            for at in (whole, whole + 1)
        )
        return [a + (b - a) * (rank % 1) for a, b, rank in zip(below, above, ranks, strict=True)]

    def settle(self, centres: list[Fraction]) -> list[_Cluster]:
        """The clusters that have values once no centre moves any more."""
        while True:
            borders = [0, *(self._first_from((a + b) / 2) for a, b in pairwise(centres)), len(self.positions)]
            moved = [self._mean(a, b, centre) for (a, b), centre in zip(pairwise(borders), centres, strict=True)]
            if moved == centres:
                held = zip(pairwise(borders), centres, strict=True)
                return [_Cluster(a, centre) for (a, b), centre in held if self._weight(a, b)]
            centres = moved

    def number(self, position: Fraction) -> float:
        """The number that a position stands for."""
        return float((self.low + position) * Fraction(2) ** (self.exponent - _BITS))

    def _first_from(self, position: Fraction) -> int:
        return int(np.searchsorted(self.positions, math.ceil(position), side="left"))

    def _weight(self, begin: int, end: int) -> int:
        return int(self.reached[end]) - int(self.reached[begin])

    def _mean(self, begin: int, end: int, otherwise: Fraction) -> Fraction:
        if not self._weight(begin, end):
            return otherwise
        upper, lower = int(self.upper[end] - self.upper[begin]), int(self.lower[end] - self.lower[begin])
        return Fraction((upper << _HALF_BITS) + lower, self._weight(begin, end))


def _whole(weights: FloatArray) -> NDArray[np.int64]:
    total = float(weights.sum())
    if total < _MOST_WEIGHT and bool((weights == np.floor(weights)).all()):
        return weights.astype(np.int64)
    return np.floor(weights * ((_MOST_WEIGHT - len(weights) - 1) / total)).astype(np.int64)


def _running(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(numbers)])
