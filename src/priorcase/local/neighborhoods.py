"""Who counts around a query, and how much: the rows that a local model is fitted to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from priorcase._typing import BoolArray, FloatArray, IntArray
from priorcase.neighbors.memory import Memory
from priorcase.neighbors.polling import ENTRIES, Rules, rank, refuse_overflow
from priorcase.neighbors.vote import KernelVote, UniformVote, Vote
from priorcase.neighbors.voters import SLACK, Ranked, Voters, summed
from priorcase.similarity.kernels import Kernel, Uniform

# Queries asked before the length of their lists is known.
_FIRST_BLOCK = 64
# How many times larger a part may be than the one before.
_GROWTH = 8
# Entries of a part where queries have k rows each: its arrays stay in the nearest memory from one pass to the next.
_ENTRIES = 1 << 16


@dataclass(frozen=True, slots=True)
class Neighborhoods:
    """The rows that count around some queries: one flat list, cut at ``indptr``.

    Parameters
    ----------
    indptr, rows, distances
        As in `Voters`.
    weights
        The kernel's weight of each row, without its repetitions.
    counts
        How many times each row counts; None when every one counts once.
    far
        The queries that no row had weight at: the rows nearest to them are listed, with equal weights.
    """

    indptr: IntArray
    rows: IntArray
    distances: FloatArray
    weights: FloatArray
    counts: FloatArray | None
    far: BoolArray

    def __len__(self) -> int:
        return self.indptr.size - 1

    def queries(self) -> IntArray:
        """The query of each entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.indptr))

    def masses(self) -> FloatArray:
        """The weight of each entry, repetitions included."""
        return self.weights if self.counts is None else self.weights * self.counts

    def weighed(self, factors: FloatArray) -> Neighborhoods:
        """The same with each row's weight multiplied by its factor, except where that would leave a query nothing."""
        weights = self.weights * factors[self.rows]
        lost = summed(self.queries(), weights, len(self)) == 0
        if lost.any():
            weights = np.where(lost[self.queries()], self.weights, weights)
        return replace(self, weights=weights)

    def taken(self, queries: IntArray) -> Neighborhoods:
        """The neighbourhoods of some queries, in the order given."""
        lengths = np.diff(self.indptr)[queries]
        indptr = np.concatenate(([0], np.cumsum(lengths)))
        at = np.arange(indptr[-1]) + np.repeat(self.indptr[:-1][queries] - indptr[:-1], lengths)
        counts = None if self.counts is None else self.counts[at]
        far = self.far[queries]
        return Neighborhoods(indptr, self.rows[at], self.distances[at], self.weights[at], counts, far)


def joined(parts: Sequence[Neighborhoods]) -> Neighborhoods:
    """The neighbourhoods of all queries of all parts, one behind the other."""
    lengths = np.concatenate([np.diff(part.indptr) for part in parts])
    counted = any(part.counts is not None for part in parts)
    counts = [np.ones(part.rows.size) if part.counts is None else part.counts for part in parts]
    return Neighborhoods(
        indptr=np.concatenate(([0], np.cumsum(lengths))),
        rows=np.concatenate([part.rows for part in parts]),
        distances=np.concatenate([part.distances for part in parts]),
        weights=np.concatenate([part.weights for part in parts]),
        counts=np.concatenate(counts) if counted else None,
        far=np.concatenate([part.far for part in parts]),
    )


@dataclass(frozen=True, slots=True)
class Circle:
    """A rule for who counts: ``K(d / h)`` among the ``k`` nearest rows, those as near as the k-th included.

    Parameters
    ----------
    kernel
        K. Where the neighbours set the bandwidth the uniform kernel lets all of them count, ties at rank k included.
    k
        How many rows; None for all.
    bandwidth
        h; None for the distance of the first row beyond the k nearest, or a little more than that of the farthest.
    stretch
        With it h is this many times the distance of the k-th nearest row, which so has no weight under a compact kernel
        (Cleveland's span).
    """

    kernel: Kernel
    k: int | None
    bandwidth: float | None = None
    stretch: float | None = None

    def search(
        self,
        memory: Memory,
        cells: FloatArray,
        *,
        threads: int,
        own: IntArray | None = None,
        whole: bool = False,
        first: int = 0,
    ) -> Ranked | Voters:
        """The rows that this circle, and any smaller one of its kind, has to do with.

        Parameters
        ----------
        memory
            The stored rows.
        cells
            The queries.
        threads
            Threads for the search.
        own
            Positions of the stored rows that the queries are copies of, each left out once.
        whole
            Whether a row is left out with all its repetitions.
        first
            The number of the first query, for messages.
        """
        if self.k is not None:
            rules = Rules(self._vote(), "majority")
            ranked = rank(memory, cells, self.k, rules, threads=threads, own=own, whole=whole)
            if np.isinf(ranked.distances).any():
                voters = ranked.cut(self.k, whole_ties=True, bandwidth=self._vote().needs_bandwidth)
                refuse_overflow(memory, cells, ranked, voters, first=first)
            return ranked
        if self.bandwidth is not None and self.kernel.compact:
            return _within(memory, cells, self.bandwidth, threads, own, whole)
        return _everyone(memory, cells, threads, own, whole, first)

    def around(self, found: Ranked | Voters) -> Neighborhoods:
        """The neighbourhoods among the rows that were found; some may be empty of weight."""
        voters = found
        if isinstance(voters, Ranked):
            voters = voters.cut(self.k or 1, whole_ties=True, bandwidth=self._vote().needs_bandwidth)
        weights = _tamed(self._weights(voters), voters.indptr)
        far = np.zeros(len(voters), dtype=bool)
        if self.bandwidth is not None:
            far = summed(voters.queries(), weights, len(voters)) == 0
        return Neighborhoods(voters.indptr, voters.rows, voters.distances, weights, voters.counts, far)

    def narrowed(self, found: Ranked | Voters) -> Ranked | Voters:
        """Of what a wider circle found, what this one has to do with."""
        if isinstance(found, Ranked):
            return _first(found, (self.k or 1) + 1)
        if self.bandwidth is None or not self.kernel.compact:
            return found
        kept = found.distances <= self.bandwidth
        return _kept(found, kept, found.counts)

    def _vote(self) -> Vote:
        """What the search must reach for: one row more than count where that one sets the bandwidth."""
        if self.bandwidth is not None or self.stretch is not None or isinstance(self.kernel, Uniform):
            return UniformVote()
        return KernelVote(self.kernel)

    def _weights(self, voters: Voters) -> FloatArray:
        if self.bandwidth is not None:
            with np.errstate(divide="ignore", over="ignore", under="ignore"):
                return np.asarray(self.kernel(voters.distances / self.bandwidth), dtype=np.float64)
        if self.stretch is not None:
            reach = np.maximum.reduceat(voters.distances, voters.indptr[:-1])
            return KernelVote(self.kernel).weigh(replace(voters, bandwidths=reach * self.stretch))
        return self._vote().weigh(voters)


def neighborhoods(
    memory: Memory, cells: FloatArray, circle: Circle, *, threads: int, own: IntArray | None = None, whole: bool = False
) -> Iterator[tuple[slice, Ranked | Voters]]:
    """What a circle's search finds for each part of the queries; parts are so small that memory stays bounded."""
    entries = ENTRIES if circle.k is None else _ENTRIES
    start, most = 0, max(1, entries // (circle.k or len(memory)))
    size = min(_FIRST_BLOCK * threads, most)
    if circle.k is None and circle.bandwidth is not None and circle.kernel.compact:
        most = ENTRIES  # few rows of many may lie within the bandwidth: parts grow while they do
    while start < len(cells):
        part = slice(start, min(start + size, len(cells)))
        left_out = None if own is None else own[part]
        found = circle.search(memory, cells[part], threads=threads, own=left_out, whole=whole, first=start)
        yield part, found
        start = part.stop
        size = max(1, min(most, _GROWTH * size, entries * len(found) // max(found.rows.size, 1)))


def reached(
    memory: Memory,
    cells: FloatArray,
    found: Neighborhoods,
    *,
    threads: int,
    own: IntArray | None = None,
    whole: bool = False,
) -> Neighborhoods:
    """The same, where queries that are far from everything have the rows nearest to them."""
    at = np.flatnonzero(found.far)
    if not at.size:
        return found
    nearest = Circle(Uniform(), 1)
    own_at = None if own is None else own[at]
    near = nearest.around(nearest.search(memory, cells[at], threads=threads, own=own_at, whole=whole))
    rest = np.flatnonzero(~found.far)
    together = joined([found.taken(rest), replace(near, far=np.ones(at.size, dtype=bool))])
    return together.taken(np.argsort(np.concatenate([rest, at]), kind="stable"))


def _within(
    memory: Memory, cells: FloatArray, radius: float, threads: int, own: IntArray | None, whole: bool
) -> Voters:
    ids = None if own is None else memory.ids[own]
    found = memory.index.within(
        memory.fitted,
        cells,
        radius,
        weights=memory.weights_for(cells, ids, threads=threads),
        algorithm=memory.algorithm,
        threads=threads,
    )
    rows = memory.positions(found.ids)
    counts = None if memory.row_weights is None else memory.row_weights[rows]
    return _left_out(Voters(found.indptr, rows, found.distances, counts), own, whole)


def _everyone(memory: Memory, cells: FloatArray, threads: int, own: IntArray | None, whole: bool, first: int) -> Voters:
    fitted, ids = memory.fitted, None if own is None else memory.ids[own]
    weights = memory.weights_for(cells, ids, threads=threads)
    distances = fitted.finish(memory.index.costs(fitted, cells, weights=weights, threads=threads))
    rows, n = np.arange(len(memory), dtype=np.int64), len(cells)
    counts = None if memory.row_weights is None else np.tile(memory.row_weights, n)
    everyone = Voters(np.arange(n + 1) * rows.size, np.tile(rows, n), distances.ravel(), counts)
    voters = _left_out(everyone, own, whole)
    if np.isinf(voters.distances).any():
        memory.check_finite(cells, voters.queries(), voters.rows, voters.distances, first=first)
    farthest = np.maximum.reduceat(voters.distances, voters.indptr[:-1])
    return replace(voters, bandwidths=farthest * (1 + SLACK))


def _left_out(voters: Voters, own: IntArray | None, whole: bool) -> Voters:
    """The voters without one repetition of each query's own row, or without it as a whole."""
    if own is None:
        return voters
    mine = voters.rows == own[voters.queries()]
    counts = np.ones(mine.size) if voters.counts is None else voters.counts
    counts = counts - np.where(mine, counts if whole else np.minimum(counts, 1.0), 0.0)
    return _kept(voters, counts > 0, None if voters.counts is None else counts)


def _kept(voters: Voters, kept: BoolArray, counts: FloatArray | None) -> Voters:
    indptr = np.concatenate(([0], np.cumsum(kept)))[voters.indptr]
    return Voters(indptr, voters.rows[kept], voters.distances[kept], None if counts is None else counts[kept])


def _first(ranked: Ranked, k: int) -> Ranked:
    """The first ``k`` of each list, and those as near as the last of them."""
    indptr = ranked.cut(k, whole_ties=True).indptr
    if indptr[-1] == ranked.rows.size:
        return ranked
    at = np.arange(indptr[-1]) + np.repeat(ranked.indptr[:-1] - indptr[:-1], np.diff(indptr))
    weights = None if ranked.weights is None else ranked.weights[at]
    reach = None if ranked.reach is None else ranked.reach[at]
    return Ranked(indptr, ranked.rows[at], ranked.costs[at], ranked.distances[at], weights, reach)


def _tamed(weights: FloatArray, indptr: IntArray) -> FloatArray:
    """Weights up to 1: infinite ones decide alone, and a kernel that goes beyond 1 is divided by the largest weight."""
    starts = indptr[:-1][np.diff(indptr) > 0]
    if not starts.size or weights.max() <= 1.0:
        return weights
    lengths = np.diff(np.append(starts, weights.size))
    largest = np.repeat(np.maximum.reduceat(weights, starts), lengths)
    with np.errstate(invalid="ignore", over="ignore"):
        return np.where(np.isinf(largest), np.isinf(weights), weights / np.maximum(largest, 1.0))
