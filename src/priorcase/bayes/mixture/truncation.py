"""The part of a Gamma distribution below a bound, in logs: how much of a prior a largest precision leaves."""

from __future__ import annotations

import numpy as np
from scipy.special import gammainc, gammaln

from priorcase._typing import FloatArray

# Below this the ratio itself is too near to the smallest float64, and its series is summed in logs instead.
_SMALL = 1e-280
_TERMS = 10_000


def log_below(shape: FloatArray, bound: FloatArray) -> FloatArray:
    """``ln P(G <= bound)`` for ``G ~ Gamma(shape, 1)``, also where the probability is beyond float64.

    There it is ``a ln x - x - ln G(a + 1) + ln(1 + x / (a + 1) + x^2 / ((a + 1)(a + 2)) + ...)``.

    Examples
    --------
    >>> log_below(np.array([1.0, 500.0]), np.array([np.log(2), 1.0])).tolist()
    [-0.693..., -2612.32...]
    """
    chance = gammainc(shape, bound)
    usual = chance > _SMALL
    logs = np.log(np.where(usual, chance, 1.0))
    if not usual.all():
        a, x = np.broadcast_arrays(shape, bound)
        logs[~usual] = _series(a[~usual], x[~usual])
    return logs


def _series(a: FloatArray, x: FloatArray) -> FloatArray:
    term, total = np.ones_like(a), np.ones_like(a)
    for k in range(1, _TERMS):
        term = term * x / (a + k)
        total += term
        if (term <= 1e-17 * total).all():
            break
    return a * np.log(x) - x - gammaln(a + 1.0) + np.log(total)
