"""An order of values and rows that depends on neither their names nor how the table was sorted.

Codes of nominal values go by first appearance, and rows by position. Where EM starts, which rows are held back, and
how sums are rounded must not hang on either: the same table in another order, or with other names, is to give the same
answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from priorcase._typing import FloatArray, IntArray


def value_orders(
    numbers: Sequence[FloatArray], codes: Sequence[IntArray], sizes: Sequence[int], weights: FloatArray
) -> list[IntArray]:
    """For each discrete attribute its codes, ordered by what the rows that hold them are like.

    The more frequent value comes first; where two are as frequent, the rows that hold them are compared by the ranks
    of their numbers and the frequencies of their other values. Only values that even so are alike go by code.

    Parameters
    ----------
    numbers
        Numeric columns, NaN where missing.
    codes
        Discrete columns, -1 where missing.
    sizes
        How many values each discrete column has.
    weights
        How many rows each row stands for.

    Examples
    --------
    >>> value_orders([], [np.array([2, 0, 0, -1, 1, 1, 1])], [3], np.ones(7))
    [array([1, 0, 2])]
    """
    counts = [_sums(column, weights, size) for column, size in zip(codes, sizes, strict=True)]
    if all(np.unique(count).size == count.size for count in counts):
        return [np.argsort(-count, kind="stable") for count in counts]
    likeness = np.zeros(len(weights))
    for position, column in enumerate([*map(_ranks, numbers), *map(_frequencies, codes, counts)]):
        likeness += (position + 1) * column
    return [
        np.lexsort((_sums(column, weights * likeness, count.size), -count))
        for column, count in zip(codes, counts, strict=True)
    ]


def row_order(numbers: Iterable[FloatArray], codes: Sequence[IntArray]) -> IntArray:
    """The positions of the rows, sorted by content; equal rows lie together.

    Examples
    --------
    >>> row_order([np.array([2.0, 1.0, np.nan, 1.0])], [np.array([0, 1, 0, 0])])
    array([3, 1, 0, 2])
    """
    return np.lexsort([*numbers, *codes][::-1])


def _sums(codes: IntArray, amounts: FloatArray, size: int) -> FloatArray:
    """What the rows of each code add up to."""
    return np.asarray(np.bincount(codes + 1, weights=amounts, minlength=size + 1)[1:], np.float64)


def _ranks(column: FloatArray) -> FloatArray:
    """The rank of each number among the different ones, from 1; 0 where missing."""
    known = ~np.isnan(column)
    ranks = np.zeros(len(column))
    ranks[known] = np.unique(column[known], return_inverse=True)[1] + 1
    return ranks


def _frequencies(codes: IntArray, counts: FloatArray) -> FloatArray:
    """How frequent the value of each row is, as a rank from 1; 0 where missing."""
    ranks = np.append(np.unique(counts, return_inverse=True)[1] + 1.0, 0.0)
    return ranks[codes]
