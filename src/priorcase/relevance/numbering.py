"""Codes numbered anew, by nothing but the rows that are there."""

from __future__ import annotations

import numpy as np

from priorcase._typing import IdArray


def in_order(codes: IdArray) -> IdArray:
    """Codes numbered in the order in which they first occur, as rows that have gone do not change; -1 stays.

    Examples
    --------
    >>> in_order(np.array([7, 2, -1, 7, 5]))
    array([ 0,  1, -1,  0,  2])
    """
    values, first, of = np.unique(codes, return_index=True, return_inverse=True)
    rank = np.empty(values.size, np.int64)
    order = np.argsort(first)
    order = order[values[order] >= 0]
    rank[order] = np.arange(order.size)
    rank[values < 0] = -1
    return rank[of.ravel()]
