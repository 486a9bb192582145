"""Rows near each of some stored rows, counted as often as they stand for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from priorcase.relevance.evidence import Evidence
from priorcase.search.scan import Index
from priorcase.typing import FloatArray, IdArray, IntArray

# Repetitions are floats: ten rows of weight 0.1 must reach one although their floating-point sum falls short of it.
_SLACK = 1e-9


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


def near(evidence: Evidence, index: Index, rows: IdArray, k: int, times: FloatArray | None) -> Near:
    """The ``k`` nearest of the rows in an index around each of some stored rows, one repetition of itself left out.

    A row of weight 2 counts as two; the row at which the count reaches ``k`` counts with the part that is missing.
    All there are where there are fewer.

    Parameters
    ----------
    evidence
        The stored rows.
    index
        Those of them to look among.
    rows
        Positions of the rows to look around.
    k
        How many to find.
    times
        How many rows each stored row stands for; None where each stands for one.
    """
    ids, cells = evidence.instances.ids, evidence.instances.cells(rows)
    wanted = k if times is None else k + 1
    while True:
        found = index.kneighbors(
            evidence.fitted,
            cells,
            min(wanted, len(index)),
            exclude=ids[rows] if times is None else None,
            algorithm=evidence.algorithm,
            threads=evidence.threads,
        )
        at = np.searchsorted(ids, found.ids)
        if times is None:
            return Near(found.indptr, at, np.ones(at.size))
        counted = _counted(found.indptr, at, rows, k, times)
        if wanted >= len(index) or (counted.totals() >= k * (1 - _SLACK)).all():
            return counted
        wanted *= 2


def _counted(indptr: IdArray, at: IdArray, rows: IdArray, k: int, times: FloatArray) -> Near:
    of = np.repeat(np.arange(rows.size), np.diff(indptr))
    left = times[at] - np.where(at == rows[of], np.minimum(times[at], 1.0), 0.0)
    reach = np.empty_like(left)
    for start, stop in zip(indptr[:-1].tolist(), indptr[1:].tolist(), strict=True):
        np.cumsum(left[start:stop], out=reach[start:stop])
    counts = np.minimum(left, k - (reach - left))
    kept = counts > _SLACK
    return Near(np.concatenate(([0], np.cumsum(kept)))[indptr], at[kept], counts[kept])
