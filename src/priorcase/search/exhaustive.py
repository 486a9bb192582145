"""Exact search in plain NumPy: every row is measured for every query.

Slow, obvious, and what the compiled search is compared with. One query at a time, so nothing of size rows x queries is
ever made. Rows, queries and weights are cells as a fitted distance expects them (see `FittedDistance.prepare`).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from priorcase._typing import FloatArray, IdArray
from priorcase.exceptions import prefix_errors
from priorcase.search.checks import check_count, check_radii
from priorcase.similarity import FittedDistance


@prefix_errors
def kneighbors(
    fitted: FittedDistance,
    rows: FloatArray,
    ids: IdArray,
    queries: FloatArray,
    k: int,
    weights: FloatArray | None = None,
    exclude: IdArray | None = None,
    ties: bool = False,
) -> tuple[IdArray, IdArray, FloatArray]:
    """The k rows of least cost for each query, by cost and then by id; all rows where there are fewer than k.

    Parameters
    ----------
    fitted
        The distance.
    rows, ids
        Prepared cells of the stored rows, shape (n, A), and their ids.
    queries
        Prepared cells of the queries, shape (q, A).
    k
        How many rows to find.
    weights
        Attribute weights, one row for all queries, shape (A,), or one for each, shape (q, A); None: all 1.
    exclude
        An id for each query that is not to be found, such as the query's own; a number that is no id excludes nothing.
    ties
        Find also every further row whose cost equals that of the k-th.

    Returns
    -------
    indptr, ids, costs
        Query q's rows are at ``indptr[q]:indptr[q + 1]``.

    Examples
    --------
    >>> from priorcase.instances import Instances
    >>> from priorcase.schema import Numeric, Schema
    >>> from priorcase.similarity import manhattan
    >>> schema = Schema(None, (Numeric(),))
    >>> instances = Instances(schema)
    >>> ids = instances.append(schema.read([[1.0], [5.0], [4.0]]))
    >>> kneighbors(manhattan().fit(instances), instances.cells(), ids, np.array([[3.0]]), 2)
    (array([0, 2]), array([2, 0]), array([1., 2.]))
    """
    check_count(k)
    found = []
    for costs, candidates in _measured(fitted, rows, ids, queries, weights, exclude):
        if k < len(candidates):
            kth = np.partition(costs, k - 1)[k - 1]
            near = costs <= kth
            costs, candidates = costs[near], candidates[near]
        order = np.lexsort((candidates, costs))
        if not ties:
            order = order[:k]
        found.append((candidates[order], costs[order]))
    return _joined(found)


@prefix_errors
def within(
    fitted: FittedDistance,
    rows: FloatArray,
    ids: IdArray,
    queries: FloatArray,
    radius: ArrayLike,
    weights: FloatArray | None = None,
    exclude: IdArray | None = None,
) -> tuple[IdArray, IdArray, FloatArray]:
    """The rows at a distance of at most ``radius`` (one for all queries, or one for each), by cost and then by id.

    The other parameters, and what comes back, are those of `kneighbors`.
    """
    radii = check_radii(radius, len(queries))
    found = []
    for limit, (costs, candidates) in zip(radii, _measured(fitted, rows, ids, queries, weights, exclude), strict=True):
        near = fitted.finish(costs) <= limit
        costs, candidates = costs[near], candidates[near]
        order = np.lexsort((candidates, costs))
        found.append((candidates[order], costs[order]))
    return _joined(found)


def _measured(
    fitted: FittedDistance,
    rows: FloatArray,
    ids: IdArray,
    queries: FloatArray,
    weights: FloatArray | None,
    exclude: IdArray | None,
) -> Iterator[tuple[FloatArray, IdArray]]:
    """Costs and ids of all rows that may be found, for each query in turn."""
    weights = np.ones(len(fitted)) if weights is None else weights
    for q, query in enumerate(queries):
        costs = fitted.costs(query, rows, weights if weights.ndim == 1 else weights[q])
        if exclude is None:
            yield costs, ids
        else:
            others = ids != exclude[q]
            yield costs[others], ids[others]


def _joined(found: list[tuple[IdArray, FloatArray]]) -> tuple[IdArray, IdArray, FloatArray]:
    indptr = np.concatenate([[0], np.cumsum([len(ids) for ids, _ in found])]).astype(np.int64)
    if not found:
        return indptr, np.empty(0, np.int64), np.empty(0)
    return indptr, np.concatenate([ids for ids, _ in found]), np.concatenate([costs for _, costs in found])
