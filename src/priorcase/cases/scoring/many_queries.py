"""The cases most similar to each of many queries."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from priorcase import _core
from priorcase._typing import BoolArray, FloatArray, IdArray, IntArray
from priorcase.cases.scoring.best_cases import Unknown


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
    """Positions and similarities as `best_cases` finds them for each of many queries, one row for each.

    An attribute that a query does not know is left out for that query. Where fewer than ``k`` cases may be found, or
    there are fewer, the rest of the row is -1, with similarity 0; rows are no longer than there are cases.

    Parameters
    ----------
    codes
        For each attribute the places of the cases' values, of type int32, -1 where missing.
    query_codes
        For each attribute which row of its table each query takes, of type int32, -1 where the query has no value.
    tables
        For each attribute a row for each distinct value of queries, a column for each distinct value of cases.
        Nothing here is as large as queries by cases; large tables are kept small by asking in parts.
    weights
        For each attribute, finite and not negative.
    own
        For each query the position of the case that it is, which is not found; -1 where it is none.
    mask, k, unknown
        As of `best_cases`.
    n_threads
        Threads that share out the queries.

    Examples
    --------
    Each of three cases asks for the one most similar to itself.

    >>> import numpy as np
    >>> colour = np.array([0, 0, 1], dtype=np.int32)
    >>> alike = np.array([[1.0, 0.5], [0.5, 1.0]])
    >>> found, similarities = best_cases_many([colour], [colour], [alike], np.ones(1), own=np.arange(3), k=1)
    >>> found.ravel().tolist(), similarities.ravel()
    ([1, 0, 0], array([1. , 1. , 0.5]))
    """
    n = len(codes[0]) if codes else 0 if mask is None else len(mask)
    allowed = None if mask is None else mask.view(np.uint8)
    return _core.best_cases_many(
        n, codes, query_codes, tables, weights, own, allowed, k, unknown == "ignore", n_threads
    )
