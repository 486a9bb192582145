"""Powers with a fixed order of operations, so that NumPy and the compiled core give the same bits."""

from __future__ import annotations

import math

import numpy as np

from priorcase._typing import FloatArray

REPEATED_UP_TO = 8


def raised(base: FloatArray, exponent: float) -> FloatArray:
    """``base ** exponent`` for numbers that are not negative.

    Whole exponents up to 8 are repeated multiplications from the left; all others are the C library's ``pow``. NumPy's
    own power is not used: its vector versions differ from the C library in the last bit.

    Examples
    --------
    >>> raised(np.array([0.0, 0.5, 3.0]), 3)
    array([ 0.   ,  0.125, 27.   ])
    """
    if exponent == 1:
        return base
    with np.errstate(over="ignore", under="ignore"):
        if 1 < exponent <= REPEATED_UP_TO and exponent == int(exponent):
            result = base * base
            for _ in range(int(exponent) - 2):
                result = result * base
            return result
    flat = (_pow(value, exponent) for value in base.ravel().tolist())
    return np.fromiter(flat, dtype=np.float64, count=base.size).reshape(base.shape)


def raised_number(base: float, exponent: float) -> float:
    """``base ** exponent`` of one number, by the same rules as `raised`."""
    return float(raised(np.array([base], dtype=np.float64), exponent)[0])


def rooted(costs: FloatArray, power: float) -> FloatArray:
    """``costs ** (1 / power)``; the correctly rounded square root for power 2.

    Examples
    --------
    >>> rooted(np.array([9.0, 25.0]), 2)
    array([3., 5.])
    """
    if power == 2:
        return np.sqrt(costs)
    return raised(costs, 1.0 / power)


def _pow(base: float, exponent: float) -> float:
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return math.inf
