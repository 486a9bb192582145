"""The nearest row that is unlike what was predicted."""

from __future__ import annotations

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.neighbors.memory import Memory

_FIRST = 32
_GROWTH = 8


def nearest_unlike(
    memory: Memory, cells: FloatArray, codes: IntArray, predicted: IntArray, *, threads: int
) -> tuple[IntArray, FloatArray]:
    """Position and distance of the nearest row whose classes are not the predicted ones; -1 where there is none.

    The search widens eightfold, only for the queries that have found none yet.

    Parameters
    ----------
    memory
        The stored rows.
    cells
        The queries.
    codes
        Classes of the stored rows, shape (rows, outputs).
    predicted
        Classes predicted for the queries, shape (queries, outputs).
    threads
        Threads for the search.
    """
    positions = np.full(len(cells), -1, dtype=np.int64)
    distances = np.full(len(cells), np.nan)
    pending, k = np.arange(len(cells)), min(_FIRST, len(memory))
    while pending.size:
        found = memory.search(cells[pending], k, threads=threads)
        rows = memory.positions(found.ids)
        of = np.repeat(pending, np.diff(found.indptr))
        entries = np.flatnonzero((codes[rows] != predicted[of]).any(axis=1))
        queries, first = np.unique(of[entries], return_index=True)
        positions[queries], distances[queries] = rows[entries[first]], found.distances[entries[first]]
        if k == len(memory):
            break
        pending, k = pending[positions[pending] < 0], min(_GROWTH * k, len(memory))
    found_one = np.flatnonzero(positions >= 0)
    memory.check_finite(cells, found_one, positions[found_one], distances[found_one])
    return positions, distances
