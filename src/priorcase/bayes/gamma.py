"""Ratios of gamma functions, as they stand in the evidence of counts."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from priorcase._typing import FloatArray

# From here on Stirling's series gives the logarithm of the gamma function to the last bits.
_LARGE = 10.0
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)


def log_rising(a: FloatArray, n: FloatArray) -> FloatArray:
    """The log of the rising factorial ``a (a + 1) ... (a + n - 1) = G(a + n) / G(a)``, ``a > 0``, ``n >= 0``.

    Two logs of gamma functions would lose all digits for large a, where each of them is far larger than their
    difference; there Stirling's formula is subtracted from itself term by term. 0 for ``n = 0``. Nothing is checked.

    Examples
    --------
    >>> log_rising(np.array([2.0, 1e9]), np.array([3.0, 1.0])) - np.log([2.0 * 3.0 * 4.0, 1e9])
    array([0., 0.])
    """
    large = np.maximum(a, _LARGE)
    stirling = (large - 0.5) * np.log1p(n / large) + n * (np.log(large + n) - 1.0) + (_tail(large + n) - _tail(large))
    return np.where(a < _LARGE, gammaln(a + n) - gammaln(a), stirling)


def _tail(x: FloatArray) -> FloatArray:
    """What Stirling's formula for ``ln G(x)`` lacks, for x of at least 10."""
    inverse = 1.0 / x
    square = inverse * inverse
    total = np.zeros_like(x)
    for coefficient in reversed(_STIRLING):
        total = total * square + coefficient
    return total * inverse
