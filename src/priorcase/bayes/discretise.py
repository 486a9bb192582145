"""Discretisers: numbers into bins, so that a numeric column can be counted like a nominal one.

A discretiser finds *cut points* in the known values of the training rows. The bin of ``x`` is the number of cuts that
are not above it, so ``m`` cuts make ``m + 1`` bins and every number has one. Each cut has a value on either side.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from priorcase._parameters import is_whole
from priorcase._typing import FloatArray, IntArray
from priorcase.bayes.distinct import between, distinct
from priorcase.exceptions import ParameterError
from priorcase.instances.instances import as_floats
from priorcase.similarity.checks import floats_or_none, settle

# Beyond this many bins their counts alone fill the memory.
_MOST_BINS = 1_000_000


class Discretiser(Protocol):
    """A way to find cut points."""

    needs_classes: ClassVar[bool]
    """Whether the cuts depend on the classes of the rows."""

    def cuts(
        self, values: FloatArray, classes: IntArray | None, n_classes: int, weights: FloatArray | None
    ) -> FloatArray:
        """Cut points, strictly ascending; none where a single bin is best or there is nothing to cut.

        Parameters
        ----------
        values
            The known values, in any order; the order has no influence.
        classes
            The class code of each value, below ``n_classes``; None where classes are not needed.
        n_classes
            Number of classes.
        weights
            How often each row counts; None for once each.
        """
        ...


def bin_of(cuts: FloatArray, x: FloatArray) -> NDArray[np.intp]:
    """The bin of each number: how many cuts are not above it; -1 where the number is missing.

    Examples
    --------
    >>> bin_of(np.array([1.5, 3.0]), np.array([1.0, 1.5, 2.0, 99.0, np.nan]))
    array([ 0,  1,  1,  2, -1])
    """
    x = np.asarray(x, dtype=np.float64)
    return np.where(np.isnan(x), -1, np.searchsorted(cuts, x, side="right"))


@dataclass(frozen=True)
class CutPoints:
    """Cut points that are given, not learned.

    Examples
    --------
    >>> CutPoints((18, 65))
    CutPoints(points=(18.0, 65.0))
    """

    points: Sequence[float]

    needs_classes: ClassVar[bool] = False

    def __post_init__(self) -> None:
        points = () if _is_empty(self.points) else floats_or_none(self.points)
        if points is None or not np.isfinite(points).all() or any(b <= a for a, b in pairwise(points)):
            raise ParameterError.wrong(
                "points",
                self.points,
                expected="finite numbers, each above the one before",
                hint="CutPoints((18, 65)) makes three bins: below 18, from 18 to below 65, 65 and above.",
            )
        settle(self, points=points)

    def cuts(
        self, values: FloatArray, classes: IntArray | None, n_classes: int, weights: FloatArray | None
    ) -> FloatArray:
        return np.array(self.points, dtype=np.float64)


class LabelBlind(ABC):
    """What the discretisers that do not look at classes share."""

    needs_classes: ClassVar[bool] = False

    @abstractmethod
    def cuts(
        self, values: FloatArray, classes: IntArray | None, n_classes: int, weights: FloatArray | None
    ) -> FloatArray:
        """Cut points, as `Discretiser` says."""

    def learned_from(self, column: ArrayLike) -> CutPoints:
        """The cut points of a whole column, to be used on parts of it.

        Cuts are learned from training rows otherwise; those of a whole column have seen the test rows too, though not
        their classes.

        Parameters
        ----------
        column
            Numbers, NaN where missing.
        """
        values = as_floats(column)
        if values is None or values.ndim != 1 or np.isinf(values).any():
            raise ParameterError.wrong(
                "column",
                column,
                expected="a list or one-dimensional array of finite numbers, NaN where missing",
                hint="pass one column, for example frame['age'].",
            )
        return CutPoints(tuple(self.cuts(values[~np.isnan(values)], None, 0, None).tolist()))


@dataclass(frozen=True)
class EqualWidth(LabelBlind):
    """Bins of equal width: cuts at ``low + (high - low) i / bins`` for i = 1 .. bins - 1.

    Parameters
    ----------
    bins
        Number of bins, at least 2. Inner ones may be empty.

    Examples
    --------
    >>> EqualWidth(4).learned_from([0.0, 1.0, 1.5, 8.0])
    CutPoints(points=(2.0, 4.0, 6.0))
    """

    bins: int = 5

    def __post_init__(self) -> None:
        settle(self, bins=check_bins(self, self.bins))

    def cuts(
        self, values: FloatArray, classes: IntArray | None, n_classes: int, weights: FloatArray | None
    ) -> FloatArray:
        values = values if weights is None else values[weights > 0]
        if not len(values):
            return np.empty(0)
        low, high = float(values.min()), float(values.max())
        shares = np.arange(1, self.bins) / self.bins
        # The plain form overflows where the range is beyond float64.
        found = low * (1 - shares) + high * shares if math.isinf(high - low) else low + (high - low) * shares
        return np.unique(found[(found > low) & (found <= high)])


@dataclass(frozen=True)
class EqualFrequency(LabelBlind):
    """Bins of equal weight, as far as ties allow.

    With total weight ``W``, cut ``i`` of bins - 1 lies between the two neighbouring values where the weight below it
    is nearest to ``W i / bins``, the lower such place if two are as near. Equal values stay together, so there are
    fewer bins where several cuts fall into one place.

    Parameters
    ----------
    bins
        Number of bins, at least 2.

    Examples
    --------
    >>> EqualFrequency(2).learned_from([1.0, 2.0, 3.0, 100.0])
    CutPoints(points=(2.5,))
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
        reached = np.cumsum(column.weights)
        wanted = np.arange(1, self.bins, dtype=np.float64) * reached[-1]
        # Both sides times ``bins``, so that whole weights are compared as whole numbers.
        below = reached[:-1] * self.bins
        after = np.clip(np.searchsorted(below, wanted), 1, max(len(below) - 1, 1))
        before = after - 1
        after = np.minimum(after, len(below) - 1)
        gaps = np.unique(np.where(wanted - below[before] <= below[after] - wanted, before, after))
        return between(column.points[gaps], column.points[gaps + 1])


def check_bins(strategy: object, bins: object) -> int:
    """A number of bins that makes a difference."""
    if is_whole(bins) and 2 <= bins <= _MOST_BINS:
        return int(bins)
    expected = f"a whole number >= 2 and <= {_MOST_BINS}"
    hint = "5 is a common choice; a single bin would say nothing."
    raise ParameterError.wrong("bins", bins, expected=expected, hint=hint)


def _is_empty(points: object) -> bool:
    return isinstance(points, (Sequence, np.ndarray)) and not isinstance(points, str) and len(points) == 0
