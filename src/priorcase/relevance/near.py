"""Rows near each of some queries, counted as often as they stand for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from priorcase._typing import FloatArray, IdArray, IntArray
from priorcase.relevance.evidence import Evidence
from priorcase.search import Index

# Repetitions are floats: ten rows of weight 0.1 must reach one although their floating-point sum falls short of it.
_SLACK = 1e-9
# Of rows that count for very little no more than so many times k are looked at, lest it be all of them.
_MOST_TIMES = 16


@dataclass(frozen=True, slots=True)
class Near:
    """One flat list: the entries of query ``i`` are ``indptr[i]`` to ``indptr[i + 1]``.

    ``rows`` are positions among the stored rows, nearest first; ``counts`` is how often each counts.
    """

    indptr: IdArray
    rows: IdArray
    counts: FloatArray

    def queries(self) -> IntArray:
        """The query of each entry."""
        return np.repeat(np.arange(self.indptr.size - 1), np.diff(self.indptr))

    def totals(self) -> FloatArray:
        """How much counts for each query."""
        totals = np.bincount(self.queries(), weights=self.counts, minlength=self.indptr.size - 1)
        return totals.astype(np.float64)


def near(
    evidence: Evidence,
    index: Index,
    cells: FloatArray,
    own: IdArray | None,
    k: int,
    *,
    weights: FloatArray | None = None,
) -> Near:
    """The ``k`` nearest of the rows in an index around each query; all there are where there are fewer.

    A row of weight 2 counts as two; the row at which the count reaches ``k`` counts with the part that is missing. At
    most 16 k different rows are looked at.

    Parameters
    ----------
    evidence
        The stored rows.
    index
        Those of them to look among.
    cells
        The queries.
    own
        The id of the row that each query is a copy of, one repetition of which is left out; None for none.
    k
        How many to find.
    weights
        Attribute weights; None where all are 1.
    """
    ids, times = evidence.instances.ids, evidence.instances.weights
    wanted, most = k if times is None else k + 1, min(len(index), _MOST_TIMES * k)
    while True:
        found = index.kneighbors(
            evidence.fitted,
            cells,
            min(wanted, most),
            weights=weights,
            exclude=own if times is None else None,
            algorithm=evidence.algorithm,
            threads=evidence.threads,
        )
        at = np.searchsorted(ids, found.ids)
        if times is None:
            return Near(found.indptr, at, np.ones(at.size))
        left = times[at]
        if own is not None:
            mine = found.ids == np.repeat(own, np.diff(found.indptr))
            left = left - np.where(mine, np.minimum(left, 1.0), 0.0)
        counted = _counted(found.indptr, at, left, k)
        if wanted >= most or (counted.totals() >= k * (1 - _SLACK)).all():
            return counted
        wanted *= 2


def _counted(indptr: IdArray, at: IdArray, left: FloatArray, k: int) -> Near:
    reach = np.empty_like(left)
    for start, stop in zip(indptr[:-1].tolist(), indptr[1:].tolist(), strict=True):
        np.cumsum(left[start:stop], out=reach[start:stop])
    counts = np.minimum(left, k - (reach - left))
    kept = counts > _SLACK
    return Near(np.concatenate(([0], np.cumsum(kept)))[indptr], at[kept], counts[kept])
