"""Exact search in plain NumPy, slow and obvious: every row is measured for every query.

Rows, queries and weights are cells as a fitted distance expects them (see `FittedDistance.prepare`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from reference.differences import costs as numpy_costs

from priorcase._typing import FloatArray, IdArray
from priorcase.instances import Instances
from priorcase.search import Neighbors
from priorcase.similarity import FittedDistance
from priorcase.similarity.differences import raised, rooted


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
    """The k nearest rows of each query, by distance and then by id, and with ``ties`` all as near as the k-th.

    ``exclude`` has an id for each query that is not to be found. Query q's rows are at ``indptr[q]:indptr[q + 1]`` of
    the ids and costs given back.
    """
    found = []
    for costs, candidates in _measured(fitted, rows, ids, queries, weights, exclude):
        distances = fitted.finish(costs)
        order = np.lexsort((candidates, distances))
        if ties and k < len(order):
            order = order[: np.searchsorted(distances[order], distances[order[k - 1]], side="right")]
        if not ties:
            order = order[:k]
        found.append((candidates[order], costs[order]))
    return _joined(found)


def within(
    fitted: FittedDistance,
    rows: FloatArray,
    ids: IdArray,
    queries: FloatArray,
    radius: ArrayLike,
    weights: FloatArray | None = None,
    exclude: IdArray | None = None,
) -> tuple[IdArray, IdArray, FloatArray]:
    """The rows at a distance of at most ``radius``, one for all queries or one for each, by distance and then by id."""
    radii = np.broadcast_to(np.asarray(radius, dtype=np.float64), (len(queries),))
    found = []
    for limit, (costs, candidates) in zip(radii, _measured(fitted, rows, ids, queries, weights, exclude), strict=True):
        near = fitted.finish(costs) <= limit
        costs, candidates = costs[near], candidates[near]
        order = np.lexsort((candidates, fitted.finish(costs)))
        found.append((candidates[order], costs[order]))
    return _joined(found)


def nearest(instances: Instances, fitted: FittedDistance, queries: FloatArray, k: int, **options: Any) -> Neighbors:
    """`kneighbors` among all rows of some instances, as `Index.kneighbors` gives it."""
    rows, asked = fitted.prepare(instances.cells()), fitted.prepare(np.asarray(queries))
    found = kneighbors(fitted, rows, instances.ids, asked, k, **options)
    return Neighbors(*found, fitted.finish(found[2]))


def near(instances: Instances, fitted: FittedDistance, queries: FloatArray, radius: Any, **options: Any) -> Neighbors:
    """`within` among all rows of some instances, as `Index.within` gives it."""
    rows, asked = fitted.prepare(instances.cells()), fitted.prepare(np.asarray(queries))
    found = within(fitted, rows, instances.ids, asked, radius, **options)
    return Neighbors(*found, fitted.finish(found[2]))


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
        costs = settled(fitted, numpy_costs(fitted, query, rows, weights if weights.ndim == 1 else weights[q]))
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


def settled(fitted: FittedDistance, costs: FloatArray) -> FloatArray:
    """Costs as searches rank by them: equal where the distances are, which may change their last bits."""
    return settled_costs(costs, fitted.distance.power) if fitted.distance.root else costs


def settled_costs(costs: FloatArray, power: float) -> FloatArray:
    """One cost for all costs with the same root: the power of the distance, or else the smallest cost that has it."""
    if power == 1:
        return costs
    distances = rooted(costs, power)
    again = raised(distances, power)
    if power != 2:
        for i in np.flatnonzero(rooted(again, power) != distances):
            again[i] = _smallest(float(costs[i]), float(distances[i]), power)
    return again


def _smallest(cost: float, distance: float, power: float) -> float:
    """The smallest cost with this root; doubles that are not negative are ordered as their bits are."""

    def has_root(bits: int) -> bool:
        return bool(rooted(np.array([bits]).view(np.float64), power)[0] == distance)

    high = low = int(np.float64(cost).view(np.int64))
    step = 1
    while low > 0 and has_root(low):
        high, low, step = low, max(low - step, 0), 2 * step
    while high - low > 1:
        middle = low + (high - low) // 2
        low, high = (low, middle) if has_root(middle) else (middle, high)
    return float(np.int64(high).view(np.float64))
