"""Polls on the stored rows, each without itself: one search answers all of them."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.exceptions import TooFewRowsError
from priorcase.learning.left_out import LeavesOneOut
from priorcase.neighbors.memory import Memory
from priorcase.neighbors.parameters import NNeighbors
from priorcase.neighbors.polling import ENTRIES, Poll, Rules, rank, refuse_overflow
from priorcase.neighbors.prequential import PrequentialPredictor
from priorcase.neighbors.voters import SLACK, Voters

# Rows asked about before the length of their lists is known.
_FIRST_BLOCK = 64


class LeftOutPredictor(LeavesOneOut, PrequentialPredictor):
    """Base of the k-NN classifier and regressor: polls on the stored rows, each without itself."""

    def _without(self) -> Iterator[tuple[IntArray, Poll]]:
        """Positions of some stored rows and the poll on them, block by block."""
        k = self._voting() if self._k == "loo" else self._k
        threads = self._threads()
        return polls_without(self._stored(), k, self._rules, threads=threads, width=self._width())

    def _chooses(self) -> bool:
        return self._k == "loo" or self._stored().learns_from_targets


def polls_without(
    memory: Memory, k: NNeighbors, rules: Rules, *, threads: int, width: int
) -> Iterator[tuple[IntArray, Poll]]:
    """Positions of some stored rows and the poll on them, block by block; each row left out with all its weight.

    Parameters
    ----------
    memory
        The stored rows, two or more.
    k
        How many vote: a number, ``"sqrt"`` of the rows that are left, or ``"all"`` of them.
    rules
        Votes and ties.
    threads
        Threads for the search.
    width
        How many numbers are made of each row, such as one for each class.
    """
    if k == "all":
        yield from _all_others(memory, rules, threads, width)
        return
    for count, rows in _counts(memory, k):
        start, most = 0, max(1, ENTRIES // max(count, width))
        size = min(_FIRST_BLOCK * threads, most)
        while start < rows.size:
            own = rows[start : start + size]
            cells = memory.instances.cells(own)
            ranked = rank(memory, cells, count, rules, threads=threads, own=own, whole=True)
            poll = rules.poll(ranked, count, 0)
            refuse_overflow(memory, cells, ranked, poll.voters, first=start)
            yield own, poll
            start += own.size
            # Rows at equal distances make lists long; the next block is as small as this one says it must be.
            size = max(1, min(most, ENTRIES * own.size // ranked.rows.size))


def _counts(memory: Memory, k: NNeighbors) -> Iterator[tuple[int, IntArray]]:
    """Numbers of neighbours, and the positions of the rows that so many are to be asked about."""
    weights = memory.row_weights
    left = memory.total_weight - (np.ones(len(memory)) if weights is None else weights)
    if not isinstance(k, int):
        roots = np.array([max(1, math.isqrt(max(1, int(rest * (1 + SLACK))))) for rest in left.tolist()])
        for root in np.unique(roots).tolist():
            yield root, np.flatnonzero(roots == root)
        return
    least = float(left.min())
    if k > least * (1 + SLACK):
        raise TooFewRowsError.neighbors(k, memory.total_weight, own=True)
    yield k, np.arange(len(memory))


def _all_others(memory: Memory, rules: Rules, threads: int, width: int) -> Iterator[tuple[IntArray, Poll]]:
    """Polls in which every other row votes, in id order (Shepard's method)."""
    n, fitted = len(memory), memory.fitted
    size = max(1, ENTRIES // max(n, width))
    for start in range(0, n, size):
        own = np.arange(start, min(start + size, n))
        cells = memory.instances.cells(own)
        weights = memory.weights_for(cells, memory.ids[own], threads=threads)
        costs = memory.index.costs(fitted, cells, weights=weights, threads=threads)
        others = np.arange(n)[np.newaxis, :] != own[:, np.newaxis]
        rows = np.tile(np.arange(n, dtype=np.int64), own.size)[others.ravel()]
        distances: FloatArray = fitted.finish(costs)[others]
        farthest = distances.reshape(own.size, n - 1).max(axis=1) * (1 + SLACK)
        voters = Voters(
            indptr=np.arange(own.size + 1) * (n - 1),
            rows=rows,
            distances=distances,
            counts=None if memory.row_weights is None else memory.row_weights[rows],
            bandwidths=farthest if rules.vote.needs_bandwidth else None,
        )
        if np.isinf(distances).any():
            memory.check_finite(cells, voters.queries(), rows, distances, first=start)
        yield own, Poll(start, start + own.size, voters, rules.vote.weigh(voters))
