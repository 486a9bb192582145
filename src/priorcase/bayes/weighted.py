"""Counts of rows that stand for more or less than one row each."""

from __future__ import annotations

import math

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.similarity.statistics import exact_sum

# Below it math.fsum is faster than splitting an array.
_FEW = 256


def weighted_counts(groups: IntArray, weights: FloatArray, n: int) -> FloatArray:
    """The sum of the weights in each group, rounded once, whatever the order of the rows.

    Examples
    --------
    >>> weighted_counts(np.array([0, 2, 0]), np.array([0.1, 3.0, 0.2]), 3)
    array([0.3, 0. , 3. ])
    """
    sums: FloatArray = np.bincount(groups, weights=weights, minlength=n).astype(np.float64)
    whole = bool((weights == np.floor(weights)).all())
    if whole and sums.max(initial=0.0) < 2.0**53:
        return sums  # whole numbers below 2^53 add up without an error
    order = np.argsort(groups, kind="stable")
    ends = np.cumsum(np.bincount(groups, minlength=n))
    start = 0
    for group in np.flatnonzero(np.diff(ends, prepend=0)).tolist():
        part = weights[order[start : ends[group]]]
        sums[group] = math.fsum(part.tolist()) if part.size < _FEW else exact_sum(part)
        start = int(ends[group])
    return sums
