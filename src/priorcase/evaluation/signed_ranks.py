"""Wilcoxon's signed ranks: the test, and the median of the means of all pairs with its interval."""

from __future__ import annotations

import numpy as np
from scipy import stats

from priorcase._typing import FloatArray

_EXACT = 50
# More differences than that have more pairs than are worth sorting: their interval is left out.
_MOST = 2_000


def signed_rank_p(differences: FloatArray) -> tuple[float, float]:
    """The smaller sum of signed ranks, and how probable one as small is by chance alone.

    Examples
    --------
    >>> signed_rank_p(np.array([1.0, 2.0, -0.5, 3.0, 1.5]))
    (1.0, 0.125)
    """
    if not differences.any():
        return float(differences.size * (differences.size + 1) / 4), 1.0
    # Differences of fractions, such as 14/15 - 13/15 and 8/15 - 7/15, are equal but for rounding.
    differences = np.round(differences / np.abs(differences).max(), 12)
    sizes = np.abs(differences)
    clean = bool((differences != 0).all()) and np.unique(sizes).size == sizes.size
    exact = clean and differences.size <= _EXACT
    found = stats.wilcoxon(differences, zero_method="zsplit", method="exact" if exact else "approx")
    return float(found.statistic), float(found.pvalue)


def hodges_lehmann(differences: FloatArray, level: float) -> tuple[float, float, float]:
    """The median of ``(d_i + d_j) / 2`` over all ``i <= j``, and the ends of its interval.

    Of the M sorted means the interval reaches from number K from below to number K from above, with
    ``K = quantile((1 - level) / 2)`` of the signed-rank statistic: exact for 50 differences at most, normal for more
    (Hollander & Wolfe 1999, section 3.3). The mean, without an interval, where there are more than 2000; no interval
    where there are so few differences that none is as sure as ``level``.

    Examples
    --------
    >>> hodges_lehmann(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), 0.9)
    (3.5, 2.0, 5.0)
    """
    n = differences.size
    if n > _MOST:
        return float(differences.mean()), float("nan"), float("nan")
    first, second = np.triu_indices(n)
    means = np.sort((differences[first] + differences[second]) / 2)
    middle, k = float(np.median(means)), _quantile(n, (1 - level) / 2)
    if k < 1:
        return middle, float("nan"), float("nan")
    return middle, float(means[k - 1]), float(means[-k])


def _quantile(n: int, tail: float) -> int:
    """How many of the smallest values of the signed-rank statistic have no more than ``tail`` of the probability."""
    if n <= _EXACT:
        ways = np.zeros(n * (n + 1) // 2 + 1)
        ways[0] = 1.0
        for rank in range(1, n + 1):  # each rank is in the sum or not
            ways[rank:] += ways[:-rank].copy()
        return int(np.searchsorted(np.cumsum(ways) / 2.0**n, tail, side="right"))
    deviation = np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    return int(np.floor(n * (n + 1) / 4 + float(stats.norm.ppf(tail)) * deviation))
