"""Polls: the voters of some queries and their votes, block by block so that memory stays bounded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from priorcase._typing import BoolArray, FloatArray, IntArray
from priorcase.neighbors.memory import Memory
from priorcase.neighbors.one_query import voters_of_one
from priorcase.neighbors.tally import Ties
from priorcase.neighbors.vote import Vote
from priorcase.neighbors.voters import SLACK, Ranked, Voters

ENTRIES = 1 << 19
"""How many numbers one array of a block of queries holds: one for each (query, voter) or each (query, class)."""

# Queries asked before the length of their lists is known.
_FIRST_BLOCK = 64


@dataclass(frozen=True, slots=True)
class Poll:
    """Queries ``start`` to ``stop`` of a batch, their voters, and each voter's vote without its repetitions."""

    start: int
    stop: int
    voters: Voters
    unit_votes: FloatArray

    def votes(self) -> FloatArray:
        """Each voter's vote, repetitions included."""
        counts = self.voters.counts
        return self.unit_votes if counts is None else np.asarray(self.unit_votes * counts)


@dataclass(frozen=True, slots=True)
class Rules:
    """How the rows around a query are polled."""

    vote: Vote
    ties: Ties

    @property
    def whole_ties(self) -> bool:
        """Whether every row as near as the k-th votes."""
        return self.ties == "majority"

    def poll(self, ranked: Ranked, k: int, start: int) -> Poll:
        """The poll among the ``k`` nearest of a ranking."""
        voters = ranked.cut(k, whole_ties=self.whole_ties, bandwidth=self.vote.needs_bandwidth)
        return Poll(start, start + len(ranked), voters, self.vote.weigh(voters))


def polls(
    memory: Memory, cells: FloatArray, k: int, rules: Rules, *, threads: int, width: int = 1, first: int = 0
) -> Iterator[Poll]:
    """Polls among the ``k`` nearest rows of each query, of which ``width`` numbers are made (one for each class).

    ``first`` is the number of the first query, for messages.
    """
    start, most = 0, max(1, ENTRIES // max(k, width))
    size = min(_FIRST_BLOCK * threads, most)
    while start < len(cells):
        block = cells[start : start + size]
        ranked = rank(memory, block, k, rules, threads=threads)
        poll = rules.poll(ranked, k, start)
        refuse_overflow(memory, block, ranked, poll.voters, first=first + start)
        yield poll
        start += len(block)
        size = max(1, min(most, ENTRIES * len(block) // ranked.rows.size))


def poll_alone(memory: Memory, cells: FloatArray, k: int, rules: Rules) -> Poll | None:
    """The poll on a single query by the core: what `polls` gives; None where the core cannot."""
    alone = voters_of_one(memory, cells, k, rules)
    return None if alone is None else Poll(0, 1, *alone)


def polls_of_all(
    memory: Memory, cells: FloatArray, rules: Rules, *, threads: int, width: int = 1, first: int = 0
) -> Iterator[Poll]:
    """Polls among all rows (Shepard's method): each row votes on each query, in id order."""
    rows = np.arange(len(memory), dtype=np.int64)
    size = max(1, ENTRIES // max(rows.size, width))
    for start in range(0, len(cells), size):
        block = cells[start : start + size]
        distances = memory.distances(block, threads=threads)
        n = len(distances)
        voters = Voters(
            indptr=np.arange(n + 1) * rows.size,
            rows=np.tile(rows, n),
            distances=distances.ravel(),
            counts=None if memory.row_weights is None else np.tile(memory.row_weights, n),
            bandwidths=distances.max(axis=1) * (1 + SLACK) if rules.vote.needs_bandwidth else None,
        )
        if np.isinf(voters.distances).any():
            memory.check_finite(block, voters.queries(), voters.rows, voters.distances, first=first + start)
        yield Poll(start, start + n, voters, rules.vote.weigh(voters))


def rank(
    memory: Memory,
    cells: FloatArray,
    k: int,
    rules: Rules,
    *,
    threads: int,
    own: IntArray | None = None,
    whole: bool = False,
) -> Ranked:
    """Rows near each query, far enough for the votes of ``k`` neighbours.

    ``own`` are positions of stored rows that the queries are copies of, each left out once: a row of weight 2 stays
    with weight 1, unless it is left out as a ``whole``.
    """
    wanted = k + 1 if rules.vote.needs_bandwidth else k
    row_weights = memory.row_weights
    if row_weights is None:
        exclude = None if own is None else memory.ids[own]
        found = memory.search(cells, min(wanted, len(memory)), exclude=exclude, ties=rules.whole_ties, threads=threads)
        return Ranked(found.indptr, memory.positions(found.ids), found.costs, found.distances)
    weighing = _Weighing(memory, cells, wanted, rules.whole_ties, threads, row_weights, own, whole)
    return weighing.ranked()


def refuse_overflow(memory: Memory, cells: FloatArray, ranked: Ranked, voters: Voters, *, first: int = 0) -> None:
    """Refuse queries whose voters, or whose bandwidth, are so far away that their distances overflow."""
    endless = np.isinf(voters.distances)
    beyond = None if voters.bandwidths is None else np.isinf(voters.bandwidths)
    if not endless.any() and (beyond is None or not beyond.any()):
        return
    odd = np.zeros(len(voters), dtype=bool) if beyond is None else beyond
    odd[voters.queries()[endless]] = True
    of = np.repeat(np.arange(len(ranked)), np.diff(ranked.indptr))
    listed = odd[of]
    memory.check_finite(cells, of[listed], ranked.rows[listed], ranked.distances[listed], first=first)


@dataclass(frozen=True, slots=True)
class _Weighing:
    """A search in which rows count by their weight, repeated with more rows where the wanted count is not reached."""

    memory: Memory
    cells: FloatArray
    wanted: int
    whole_ties: bool
    threads: int
    row_weights: FloatArray
    own: IntArray | None
    whole: bool

    def ranked(self) -> Ranked:
        pending, parts, k = np.arange(len(self.cells)), [], self.wanted + 1
        while pending.size:
            k = min(k, len(self.memory))
            part = self._search(pending, k)
            reached = np.add.reduceat(part.weights, part.starts) >= self.wanted * (1 - SLACK)
            done = reached | (k == len(self.memory))
            parts.append(part.take(done))
            pending, k = pending[~done], 2 * k
        return _joined(parts)

    def _search(self, queries: IntArray, k: int) -> _Part:
        ids = None if self.own is None else self.memory.ids[self.own[queries]]
        own, exclude = (None, ids) if self.whole else (ids, None)
        found = self.memory.search(
            self.cells[queries], k, own=own, exclude=exclude, ties=self.whole_ties, threads=self.threads
        )
        rows = self.memory.positions(found.ids)
        weights = self.row_weights[rows]
        of = np.repeat(queries, np.diff(found.indptr))
        if self.own is None or self.whole:
            return _Part(of, rows, found.costs, found.distances, weights)
        weights = weights - np.where(rows == self.own[of], np.minimum(weights, 1.0), 0.0)
        kept = weights > 0
        return _Part(of[kept], rows[kept], found.costs[kept], found.distances[kept], weights[kept])


@dataclass(frozen=True, slots=True)
class _Part:
    """Entries of some queries' lists: the query of each, then as in `Ranked`."""

    of: IntArray
    rows: IntArray
    costs: FloatArray
    distances: FloatArray
    weights: FloatArray

    @property
    def starts(self) -> IntArray:
        return np.flatnonzero(np.concatenate(([True], self.of[1:] != self.of[:-1])))

    def take(self, lists: BoolArray) -> _Part:
        kept = np.repeat(lists, np.diff(np.append(self.starts, self.of.size)))
        return _Part(self.of[kept], self.rows[kept], self.costs[kept], self.distances[kept], self.weights[kept])


def _joined(parts: list[_Part]) -> Ranked:
    of = np.concatenate([part.of for part in parts])
    order = np.argsort(of, kind="stable")
    indptr = np.concatenate(([0], np.cumsum(np.bincount(of))))
    rows, costs, distances, weights = (
        np.concatenate([getattr(part, name) for part in parts])[order]
        for name in ("rows", "costs", "distances", "weights")
    )
    return Ranked.weighted(indptr, rows, costs, distances, weights)
