"""Counting and adding without regard to what is counted."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from priorcase._typing import AnyArray, FloatArray

Counts = NDArray[np.int64] | FloatArray

_SPLITS = 6
_LARGEST_EXPONENT = 1022


def shares(counts: Counts, instead: FloatArray) -> FloatArray:
    """Each row of counts divided by its sum; ``instead`` where a row counts nothing.

    Examples
    --------
    >>> shares(np.array([[2, 2], [0, 0]]), np.array([0.3, 0.7]))
    array([[0.5, 0.5],
           [0.3, 0.7]])
    """
    totals = counts.sum(axis=1, keepdims=True)
    empty = totals == 0
    return np.where(empty, instead, counts / np.where(empty, 1, totals))


def exact_sum(numbers: FloatArray) -> float:
    """The sum of some numbers, rounded once; infinite where it is beyond float64.

    Leading digits are split off so that their sum is exact in any order (Rump, Ogita & Oishi 2008, ExtractVector); what
    is left after a few rounds goes to ``math.fsum``, which is exact too but slow.

    Examples
    --------
    >>> exact_sum(np.array([1e16, 1.0, -1e16]))
    1.0
    """
    parts: list[float] = []
    room = (len(numbers) + 2).bit_length()
    for _ in range(_SPLITS):
        largest = float(np.abs(numbers).max(initial=0.0))
        if not math.isfinite(largest):
            return math.inf
        if largest == 0.0 or math.frexp(largest)[1] + room > _LARGEST_EXPONENT:
            break
        sigma = math.ldexp(1.0, math.frexp(largest)[1] + room)
        leading = (numbers + sigma) - sigma
        parts.append(float(leading.sum()))
        numbers = numbers - leading
    try:
        return math.fsum([*parts, *numbers[numbers != 0.0].tolist()])
    except OverflowError:
        return math.inf


def codes_of(column: AnyArray) -> NDArray[np.intp]:
    """A column of codes or ranks as whole numbers, -1 where missing."""
    if column.dtype.kind == "f":
        return np.where(np.isnan(column), -1, column).astype(np.intp)
    return column.astype(np.intp)


def first_seen(codes: NDArray[np.intp]) -> NDArray[np.intp]:
    """The codes that occur, -1 left out, in the order of their first occurrence.

    Examples
    --------
    >>> first_seen(np.array([3, -1, 0, 3, 1]))
    array([3, 0, 1])
    """
    first = np.full(int(codes.max(initial=-1)) + 2, len(codes), dtype=np.intp)
    first[codes[::-1] + 1] = np.arange(len(codes))[::-1]
    first[0] = len(codes)
    order = np.argsort(first, kind="stable")
    return order[first[order] < len(codes)] - 1
