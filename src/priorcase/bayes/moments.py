"""How many numbers a class has, where they lie and how far they spread: all that the normal densities need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from priorcase import _core
from priorcase.bayes.exact_sums import NOTHING, Sums
from priorcase.exceptions import SpreadError
from priorcase.typing import BoolArray, FloatArray, IntArray

# Variances within these leave room for the square of any distance that matters.
LEAST_VARIANCE, MOST_VARIANCE = 1e-280, 1e280


@dataclass(frozen=True)
class Moments:
    """Weight, mean and sum of squared deviations of one numeric column, in each class and overall.

    Arrays may have leading axes, one entry for each of several training sets (those that leave one row out, say); the
    overall numbers then have these axes too.

    Parameters
    ----------
    n, mean, deviation
        Total weight of the known values of each class, their mean and ``sum w (x - mean)^2``, shape (..., classes). 0
        where a class has none.
    n_all, mean_all, deviation_all
        The same over all classes, shape (...,) or plain numbers.
    sums
        The exact sums of each class that these were rounded from, if there are such.
    """

    n: FloatArray
    mean: FloatArray
    deviation: FloatArray
    n_all: float | FloatArray
    mean_all: float | FloatArray
    deviation_all: float | FloatArray
    sums: tuple[Sums, ...] | None = field(default=None, repr=False, compare=False)

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


def check_spread(moments: Moments, *, caller: str, column: object) -> None:
    """Refuse a column whose overall variance is neither 0 nor within 1e-280 and 1e280.

    Examples
    --------
    >>> one = np.ones(1)
    >>> check_spread(Moments(one, one, one, 1.0, 1.0, 1e300), caller="NaiveBayes.fit", column="distance")
    Traceback (most recent call last):
    priorcase.exceptions.SpreadError: NaiveBayes.fit got column 'distance' with a variance too large ...
    """
    variance = float(moments.variance_all())
    if variance != 0 and not LEAST_VARIANCE <= variance <= MOST_VARIANCE:
        raise SpreadError.beyond(caller, column, large=variance > 1)


class ExactMoments:
    """Exact sums of one numeric column in each class: rows may be added, subtracted and merged in any order.

    The sums of w, w x and w x^2 are kept as whole numbers without any rounding, so that equal rows give equal sums
    however they came and went. Values that are missing (NaN) or whose class is (below 0) are left out.

    Parameters
    ----------
    n_classes
        Number of classes.

    Examples
    --------
    >>> moments = ExactMoments(2)
    >>> moments.add(np.array([1e300, 1.0, 3.0, 5.0]), np.array([0, 0, 0, 1]))
    >>> moments.subtract(np.array([1e300]), np.array([0]))
    >>> moments.summary()
    Moments(n=array([2., 1.]), mean=array([2., 5.]), deviation=array([2., 0.]),
            n_all=3.0, mean_all=3.0, deviation_all=8.0)
    """

    def __init__(self, n_classes: int) -> None:
        self._sums = [NOTHING] * n_classes

    @classmethod
    def of(cls, values: FloatArray, codes: IntArray, n_classes: int, weights: FloatArray | None = None) -> Self:
        """The sums of some rows."""
        found = cls(n_classes)
        found.add(values, codes, weights)
        return found

    def __len__(self) -> int:
        """Number of classes."""
        return len(self._sums)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ExactMoments) and self._sums == other._sums

    __hash__ = None  # type: ignore[assignment]  # sums change

    def __repr__(self) -> str:
        return f"ExactMoments({len(self)} classes, {float(sum(self.summary().n)):g} values)"

    def add(self, values: FloatArray, codes: IntArray, weights: FloatArray | None = None) -> None:
        """Add rows.

        Parameters
        ----------
        values
            Finite numbers, NaN where missing.
        codes
            The class of each, below the number of classes; left out where below 0.
        weights
            One weight for each row, 0 or from 1e-100 to 1e100; None where each counts once.
        """
        self._sums = [old + new for old, new in zip(self._sums, self._sums_of(values, codes, weights), strict=True)]

    def subtract(self, values: FloatArray, codes: IntArray, weights: FloatArray | None = None) -> None:
        """Take away rows that were added before, with the same class and weight."""
        rest = [old - new for old, new in zip(self._sums, self._sums_of(values, codes, weights), strict=True)]
        if not all(sums.are_possible() for sums in rest):
            raise ValueError("subtract got rows that were not added before")
        self._sums = rest

    def merge(self, other: ExactMoments, codes: Sequence[int] | None = None) -> None:
        """Add the rows of another table.

        Parameters
        ----------
        other
            Its sums.
        codes
            The class of this table that each class of the other one is; None where they are the same.
        """
        places = range(len(other)) if codes is None else codes
        self.grow(max(places, default=-1) + 1)
        for place, sums in zip(places, other._sums, strict=True):
            self._sums[place] += sums

    def grow(self, n_classes: int) -> None:
        """Make room for more classes; never fewer."""
        self._sums += [NOTHING] * (n_classes - len(self._sums))

    def copy(self) -> ExactMoments:
        """The same sums, to be changed apart."""
        twin = ExactMoments(0)
        twin._sums = list(self._sums)
        return twin

    def summary(self) -> Moments:
        """Weight, mean and squared deviations, each rounded once from the exact sums.

        A positive deviation is never rounded to 0, and one beyond float64 is infinite.
        """
        n, mean, deviation = np.array([sums.moments() for sums in self._sums]).reshape(-1, 3).T
        return Moments(n, mean, deviation, *sum(self._sums, NOTHING).moments(), sums=tuple(self._sums))

    def _sums_of(self, values: FloatArray, codes: IntArray, weights: FloatArray | None) -> list[Sums]:
        values = np.ascontiguousarray(values, dtype=np.float64)
        codes = np.ascontiguousarray(codes, dtype=np.int32)
        weights = None if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
        places, limbs = _core.exact_sums(values, codes, len(self), weights)
        return Sums.from_parts(places, limbs, len(self))
