"""Weights of each query by itself, learned in its own neighbourhood."""

from __future__ import annotations

import numpy as np

from priorcase._core import local_weights
from priorcase._typing import FloatArray, IdArray
from priorcase.relevance.evidence import Evidence
from priorcase.relevance.near import near
from priorcase.relevance.soft_votes import Told

# Gradient steps for each query.
_STEPS = 10
_QUERIES_AT_ONCE = 1_024


def bent(
    evidence: Evidence,
    weights: FloatArray,
    cells: FloatArray,
    own: IdArray | None,
    *,
    loss: str | None,
    neighborhood: int,
    stiffness: float,
    threads: int,
) -> FloatArray:
    """Weights of each query, shape (queries, attributes), which weigh as much in all as the ones given.

    Parameters
    ----------
    evidence
        The stored rows.
    weights
        Those of all queries.
    cells
        The queries.
    own
        The id of the row that each query is a copy of, one repetition of which takes no part; None for none.
    loss
        The name of the loss; None for that of the target's sort.
    neighborhood
        How many of the rows nearest to a query the weights are learned from.
    stiffness
        How hard weights are to bend.
    threads
        How many threads share the queries.
    """
    told = evidence.cached("told", lambda: Told.of(evidence, loss))
    found = np.tile(weights, (len(cells), 1))
    if not told.guess > 0.0:
        return found
    for start in range(0, len(cells), _QUERIES_AT_ONCE):
        part = slice(start, start + _QUERIES_AT_ONCE)
        left_out = None if own is None else own[part]
        found[part] = _bent(evidence, weights, cells[part], left_out, told, neighborhood, stiffness, threads)
    return found


def _bent(
    evidence: Evidence,
    weights: FloatArray,
    cells: FloatArray,
    own: IdArray | None,
    told: Told,
    neighborhood: int,
    stiffness: float,
    threads: int,
) -> FloatArray:
    around = near(evidence, evidence.index(), cells, own, neighborhood, weights=weights)
    used, at = np.unique(around.rows, return_inverse=True)
    some = told.at(used)
    return local_weights(
        *evidence.compiled(used),
        some.labels,
        some.numbers,
        some.shares,
        some.loss,
        around.indptr,
        at.ravel(),
        around.counts,
        weights,
        stiffness=stiffness,
        steps=_STEPS,
        threads=threads,
    )
