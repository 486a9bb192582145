"""The most similar cases: weighted means of local similarities, computed in the core.

``sim(q, c) = sum_a w_a s_a(q, c) / sum_a w_a`` over the attributes ``a`` that the query knows. If the case does not
know one of them, ``s_a`` is 0 (``unknown="different"``), or the attribute is left out of both sums (``"ignore"``); if
no weight is left, the similarity is 0. It is the double nearest to the exact quotient, so that equally similar cases
have equal similarities; ties are broken by position, and the number of threads changes nothing.

For each attribute, ``codes`` (int32) are the positions of the cases' values in the table, -1 where missing, ``tables``
(float64) the similarities of these values to the query's, and ``weights`` finite and not negative.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np

from priorcase import _core
from priorcase._typing import BoolArray, FloatArray, IdArray, IntArray

Unknown: TypeAlias = Literal["different", "ignore"]
"""How an attribute counts that a case does not know: as not similar at all, or not."""


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

    ``mask`` says which cases may be found; fewer than ``k`` come back if there are fewer.

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


def best_cases_many(
    codes: Sequence[IntArray],
    query_codes: Sequence[IntArray],
    tables: Sequence[FloatArray],
    weights: FloatArray,
    *,
    own: IdArray,
    mask: BoolArray | None = None,
    k: int,
    unknown: Unknown = "different",
    n_threads: int = 1,
) -> tuple[IdArray, FloatArray]:
    """`best_cases` for many queries, one row for each; where fewer cases are found, the rest is -1 with similarity 0.

    ``query_codes`` are the rows of the tables (distinct values of queries by distinct values of cases) that each query
    takes, -1 where it has no value. ``own`` is the position of the case that each query is, which is not found, or -1.

    >>> colour, alike = np.array([0, 0, 1], dtype=np.int32), np.array([[1.0, 0.5], [0.5, 1.0]])
    >>> found, similarities = best_cases_many([colour], [colour], [alike], np.ones(1), own=np.arange(3), k=1)
    >>> found.ravel().tolist(), similarities.ravel()
    ([1, 0, 0], array([1. , 1. , 0.5]))
    """
    n = len(codes[0]) if codes else 0 if mask is None else len(mask)
    allowed = None if mask is None else mask.view(np.uint8)
    return _core.best_cases_many(
        n, codes, query_codes, tables, weights, own, allowed, k, unknown == "ignore", n_threads
    )


def all_similarities(
    codes: Sequence[IntArray],
    tables: Sequence[FloatArray],
    weights: FloatArray,
    *,
    unknown: Unknown = "different",
    n_threads: int = 1,
) -> FloatArray:
    """The similarity of every case to a query, with the same bits as from `best_cases`.

    >>> all_similarities([np.array([0, 1, -1], dtype=np.int32)], [np.array([1.0, 0.25])], np.ones(1))
    array([1.  , 0.25, 0.  ])
    """
    n = len(codes[0]) if codes else 0
    return _core.all_similarities(n, codes, tables, weights, unknown == "ignore", n_threads)


def local_similarities(codes: Sequence[IntArray], tables: Sequence[FloatArray], positions: IdArray) -> FloatArray:
    """Similarities of some cases by each attribute, shape (cases, attributes); NaN where a case has no value.

    >>> local_similarities([np.array([0, 1, -1], dtype=np.int32)], [np.array([1.0, 0.25])], np.array([2, 1]))
    array([[ nan],
           [0.25]])
    """
    return _core.local_similarities(codes, tables, positions)
