"""Bins around the centres of one-dimensional k-means."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from priorcase.bayes.discretise import LabelBlind, check_bins
from priorcase.bayes.distinct import Distinct, distinct
from priorcase.similarity.checks import settle
from priorcase.typing import FloatArray, IntArray

# Values are whole multiples of 2^-61 of the power of two above the largest: exact but for values near 0. Their
# distances from the smallest are summed in two halves, below 2^63 while the weights add up to less than 2^32.
_BITS = 61
_HALF_BITS = 31
_MOST_WEIGHT = 2.0**32

Centre = tuple[int, int]
"""Sum of the positions of a cluster, and its weight."""


@dataclass(frozen=True)
class KMeansBins(LabelBlind):
    """Bins between the centres of one-dimensional k-means; a cut is the midpoint of two neighbouring centres.

    Lloyd's rule from quantile starts: centre ``i`` of k starts at the quantile ``(i + 1/2) / k`` (the smallest value
    with at least this share at or below it); values go to the nearest centre, the upper one if two are as near; centres
    move to the mean of their values, until none moves. Starts that are equal are one, and a centre without values is
    dropped, so there may be fewer bins. Nothing is random. Kontkanen et al. (1998) do not say how they discretised;
    this, with five bins, comes closest to their figures.

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
        starts, centres = line.settle(line.quantiles(self.bins))
        found = []
        for start, (left, right) in zip(starts[1:], pairwise(centres), strict=True):
            low, high = float(column.points[start - 1]), float(column.points[start])
            cut = line.number(_midpoint(left, right))
            found.append(cut if low < cut <= high else high)
        return np.array(found, dtype=np.float64)


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

    def quantiles(self, bins: int) -> list[int]:
        """Where the centres start."""
        wanted = (2 * np.arange(bins) + 1) * self.reached[-1]
        at = np.searchsorted(self.reached[1:] * (2 * bins), wanted, side="left")
        return [int(position) for position in self.positions[np.unique(at)]]

    def settle(self, starts: list[int]) -> tuple[list[int], list[Centre]]:
        """Where each cluster begins, as an index of the distinct values, and its centre."""
        begins: list[int] = []
        centres = [(start, 1) for start in starts]
        while True:
            borders = [0, *(self._first_right_of(a, b) for a, b in pairwise(centres)), len(self.positions)]
            held = [(a, b) for a, b in pairwise(borders) if self._weight(a, b)]
            if [a for a, _ in held] == begins:
                return begins, centres
            begins = [a for a, _ in held]
            centres = [(self._sum(a, b), self._weight(a, b)) for a, b in held]

    def number(self, position: Fraction) -> float:
        """The number that a position stands for."""
        return float((self.low + position) * Fraction(2) ** (self.exponent - _BITS))

    def _first_right_of(self, left: Centre, right: Centre) -> int:
        middle = _midpoint(left, right)
        return int(np.searchsorted(self.positions, -(-middle.numerator // middle.denominator), side="left"))

    def _weight(self, begin: int, end: int) -> int:
        return int(self.reached[end]) - int(self.reached[begin])

    def _sum(self, begin: int, end: int) -> int:
        upper, lower = int(self.upper[end] - self.upper[begin]), int(self.lower[end] - self.lower[begin])
        return (upper << _HALF_BITS) + lower


def _midpoint(left: Centre, right: Centre) -> Fraction:
    return (Fraction(*left) + Fraction(*right)) / 2


def _whole(weights: FloatArray) -> NDArray[np.int64]:
    total = float(weights.sum())
    if total < _MOST_WEIGHT and bool((weights == np.floor(weights)).all()):
        return weights.astype(np.int64)
    return np.floor(weights * ((_MOST_WEIGHT - len(weights) - 1) / total)).astype(np.int64)


def _running(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(numbers)])
