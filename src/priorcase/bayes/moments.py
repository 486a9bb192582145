"""How many numbers a class has, where they lie and how far they spread: all that the normal densities need."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from priorcase._typing import BoolArray, FloatArray, IntArray
from priorcase.bayes.exact_sums import Sums
from priorcase.exceptions import SpreadError

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

    def of_classes(self, codes: IntArray) -> Moments:
        """The same with the classes in another order, some left out or given twice; the overall numbers stay."""
        sums = None if self.sums is None else tuple(self.sums[code] for code in codes)
        n, mean, deviation = (part[..., codes] for part in (self.n, self.mean, self.deviation))
        return Moments(n, mean, deviation, self.n_all, self.mean_all, self.deviation_all, sums)

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


def check_spread(moments: Moments, *, column: object) -> None:
    """Refuse a column whose overall variance is neither 0 nor within 1e-280 and 1e280.

    Examples
    --------
    >>> one = np.ones(1)
    >>> check_spread(Moments(one, one, one, 1.0, 1.0, 1e300), column="distance")
    Traceback (most recent call last):
    priorcase.exceptions.SpreadError: NaiveBayes.fit got column 'distance' with a variance too large ...
    """
    variance = float(moments.variance_all())
    if moments.deviation_all != 0 and not LEAST_VARIANCE <= variance <= MOST_VARIANCE:
        raise SpreadError.beyond(column, large=variance > 1)
