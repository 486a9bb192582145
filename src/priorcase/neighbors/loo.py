"""Choosing k by leave-one-out: one search gives the curve for every k."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.neighbors.memory import Memory
from priorcase.neighbors.polling import ENTRIES, Poll, Rules, rank, refuse_overflow
from priorcase.neighbors.voters import SLACK

MOST_NEIGHBORS = 50
"""The largest k that ``n_neighbors="loo"`` tries."""


def curve(
    memory: Memory, rules: Rules, score: Callable[[Poll, IntArray], FloatArray], *, threads: int, width: int = 1
) -> FloatArray:
    """Mean score of the stored rows for k = 1, 2, ... when each is predicted from all others.

    The rows near each row are searched once, without the row itself, and every k polls the head of that list. The
    distance keeps the statistics of all rows. A row of weight 2 is two rows: leaving one out leaves the other.

    Parameters
    ----------
    memory
        The stored rows.
    rules
        Votes and ties.
    score
        Score of each query of a poll, given the positions of the rows left out.
    threads
        Threads for the search.
    width
        How many numbers a score is made from: one for each class.

    Returns
    -------
    Scores for k = 1 to the number of rows less one, or to `MOST_NEIGHBORS`; empty when there is one row.
    """
    largest = min(MOST_NEIGHBORS, int(memory.total_weight * (1 + SLACK)) - 1)
    sums = np.zeros(max(largest, 0))
    if not sums.size:
        return sums
    weights = memory.row_weights
    start, most = 0, max(1, ENTRIES // max(MOST_NEIGHBORS, width))
    size = max(1, most // 64)
    while start < len(memory):
        own = np.arange(start, min(start + size, len(memory)))
        cells = memory.instances.cells(own)
        ranked = rank(memory, cells, largest, rules, threads=threads, own=own)
        farthest = ranked.cut(largest, whole_ties=rules.whole_ties, bandwidth=rules.vote.needs_bandwidth)
        refuse_overflow(memory, cells, ranked, farthest, first=start)
        times = np.ones(own.size) if weights is None else weights[own]
        for k in range(1, largest + 1):
            sums[k - 1] += float((score(rules.poll(ranked, k, start), own) * times).sum())
        start += own.size
        # Rows at equal distances make lists long; the next block is as small as this one says it must be.
        size = max(1, min(most, ENTRIES * own.size // ranked.rows.size))
    scores: FloatArray = sums / memory.total_weight
    scores.flags.writeable = False  # kept, and handed out
    return scores
