"""Weighted means of local similarities to one query, and the cases where they are greatest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np

from priorcase import _core
from priorcase._typing import BoolArray, FloatArray, IdArray, IntArray

Unknown: TypeAlias = Literal["different", "ignore"]
"""What it means that a case does not know an attribute: as different as can be, or nothing at all."""


def best_cases(
    codes: Sequence[IntArray],
    tables: Sequence[FloatArray],
    weights: FloatArray,
    *,
    mask: BoolArray | None = None,
    k: int,
    unknown: Unknown = "different",
    n_threads: int = 1,
) -> tuple[IdArray, FloatArray]:
    """Positions and similarities of the ``k`` cases most similar to a query, the most similar first.

    ``sim(q, c) = sum_a w_a s_a(q, c) / sum_a w_a`` over the attributes ``a`` that the query knows. Where the case does
    not know one of them, ``s_a`` is 0 (``unknown="different"``), or the attribute is left out of both sums
    (``"ignore"``). Where no weight is left the similarity is 0.

    A similarity is the double nearest to the exact quotient, so that cases that are equally similar have equal
    similarities, however their attributes share it; among equals the first position comes first. The number of threads
    changes nothing.

    Parameters
    ----------
    codes
        One array of type int32 for each attribute that the query knows: for each case a place in the table, -1 where
        the value is missing.
    tables
        For each attribute the similarity of each of its values to the query's, from 0 to 1.
    weights
        For each attribute, finite and not negative.
    mask
        Which cases may be found; None: all.
    k
        How many; fewer come back where fewer may be found.
    unknown
        What a value means that the case does not know.
    n_threads
        Threads for large bases; small ones take one.

    Examples
    --------
    A query knows a colour and a size; the third case does not know its size.

    >>> import numpy as np
    >>> colour, size = np.array([0, 1, 0], dtype=np.int32), np.array([0, 1, -1], dtype=np.int32)
    >>> tables, weights = [np.array([1.0, 0.0]), np.array([0.5, 1.0])], np.array([2.0, 1.0])
    >>> positions, similarities = best_cases([colour, size], tables, weights, k=2)
    >>> positions.tolist(), similarities
    ([0, 2], array([0.83333333, 0.66666667]))
    >>> positions, similarities = best_cases([colour, size], tables, weights, k=2, unknown="ignore")
    >>> positions.tolist(), similarities
    ([2, 0], array([1.        , 0.83333333]))
    """
    n = len(codes[0]) if codes else 0 if mask is None else len(mask)
    allowed = None if mask is None else mask.view(np.uint8)
    return _core.best_cases(n, codes, tables, weights, allowed, k, unknown == "ignore", n_threads)


def all_similarities(
    codes: Sequence[IntArray],
    tables: Sequence[FloatArray],
    weights: FloatArray,
    *,
    unknown: Unknown = "different",
    n_threads: int = 1,
) -> FloatArray:
    """The similarity of every case to a query, with the same bits as `best_cases` gives.

    Examples
    --------
    >>> import numpy as np
    >>> all_similarities([np.array([0, 1, -1], dtype=np.int32)], [np.array([1.0, 0.25])], np.ones(1))
    array([1.  , 0.25, 0.  ])
    """
    n = len(codes[0]) if codes else 0
    return _core.all_similarities(n, codes, tables, weights, unknown == "ignore", n_threads)


def local_similarities(codes: Sequence[IntArray], tables: Sequence[FloatArray], positions: IdArray) -> FloatArray:
    """Similarities of some cases by each attribute, shape (cases, attributes); NaN where a case has no value.

    Examples
    --------
    >>> import numpy as np
    >>> local_similarities([np.array([0, 1, -1], dtype=np.int32)], [np.array([1.0, 0.25])], np.array([2, 1]))
    array([[ nan],
           [0.25]])
    """
    return _core.local_similarities(codes, tables, positions)
