"""The distinct values of a column in ascending order: what is left of it once the order of its rows is forgotten.

Weights are repetitions: a row of weight w counts as w equal rows, one of weight 0 as none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from priorcase._typing import FloatArray


@dataclass(frozen=True)
class Distinct:
    """The distinct values of a column and the weight of each."""

    points: FloatArray
    weights: FloatArray

    def __len__(self) -> int:
        return len(self.points)


def distinct(values: FloatArray, weights: FloatArray | None = None) -> Distinct:
    """The distinct known values, ascending, with the total weight of each.

    The weights of equal values are added in ascending order, so that the order of the rows changes no bit.

    Parameters
    ----------
    values
        Finite numbers, or NaN where missing.
    weights
        One finite number >= 0 for each value; None where each counts once.

    Examples
    --------
    >>> distinct(np.array([2.0, 1.0, np.nan, 2.0]))
    Distinct(points=array([1., 2.]), weights=array([1., 2.]))
    """
    values = np.asarray(values, dtype=np.float64) + 0.0  # -0.0 becomes 0.0
    if weights is None:
        points, counts = np.unique(values[~np.isnan(values)], return_counts=True)
        return Distinct(points, counts.astype(np.float64))
    usable = ~np.isnan(values) & (weights > 0)
    values, weights = values[usable], np.asarray(weights, dtype=np.float64)[usable]
    order = np.lexsort((weights, values))
    points, at = np.unique(values[order], return_inverse=True)
    totals: FloatArray = np.bincount(at, weights=weights[order], minlength=len(points)).astype(np.float64)
    return Distinct(points, totals)


def between(lower: FloatArray, upper: FloatArray) -> FloatArray:
    """A cut between two neighbouring values each: their midpoint, above the lower and not above the upper one.

    Between neighbouring floats there is no midpoint; the cut is then the upper one.

    Examples
    --------
    >>> between(np.array([1.0, 1.0]), np.array([2.0, np.nextafter(1.0, 2.0)]))
    array([1.5, 1. ])
    """
    middle = lower / 2 + upper / 2
    return np.where((middle > lower) & (middle <= upper), middle, upper)
