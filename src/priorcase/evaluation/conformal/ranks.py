"""Which of the ordered numbers is taken, exactly: levels are read as the decimals they were written as."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from priorcase._parameters import is_number
from priorcase._typing import FloatArray
from priorcase.exceptions import ParameterError, quoted


def check_level(level: object) -> Fraction:
    """A level as an exact fraction.

    Examples
    --------
    >>> check_level(0.9)
    Fraction(9, 10)
    """
    if is_number(level) and 0 < level < 1:
        return Fraction(repr(float(level)))  # 0.9 is meant as 9/10, which no float is
    raise ParameterError(
        f"level must be a number above 0 and below 1, got {quoted(level)}. 0.9 asks for sets and intervals that hold "
        "the truth nine times out of ten."
    )


def upper_rank(level: Fraction, n: int) -> int:
    """``ceil(level (n + 1))``: which of n numbers, in ascending order and counted from 1, an interval ends at.

    With ``n + 1`` minus it an interval begins (Barber et al. 2021). Beyond n, and at 0, the end is infinite.

    Examples
    --------
    >>> upper_rank(Fraction(9, 10), 19), upper_rank(Fraction(9, 10), 8)
    (18, 9)
    """
    return math.ceil(level * (n + 1))


def ordered(values: FloatArray, rank: int) -> FloatArray:
    """In each line the number of some rank, counted from 1; infinite before the first and beyond the last.

    Examples
    --------
    >>> ordered(np.array([[3.0, 2.0, 9.0], [1.0, 5.0, 4.0]]), 2), ordered(np.array([[3.0]]), 0)
    (array([3., 4.]), array([-inf]))
    """
    if not 0 < rank <= values.shape[1]:
        return np.full(len(values), np.inf if rank else -np.inf)
    found: FloatArray = np.partition(values, rank - 1, axis=1)[:, rank - 1]
    return found
