"""Which rows count around a query, and how much: kernel windows over the nearest rows."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from priorcase._typing import BoolArray, FloatArray, IntArray
from priorcase.neighbors.base import NeighborsMemory
from priorcase.neighbors.polling import ENTRIES, Rules, rank, refuse_overflow
from priorcase.neighbors.votes import SLACK, KernelVote, NeighborList, UniformVote, Vote, summed
from priorcase.similarity.kernels import Kernel, Uniform

# Queries of the first block, before the length of their lists is known, and how much a block may grow over the last.
_FIRST_BLOCK = 64
_GROWTH = 8
# Entries of a block where queries have k rows each: its arrays stay in the cache from one pass to the next.
_ENTRIES = 1 << 16


@dataclass(frozen=True, slots=True)
class Neighborhoods:
    """The rows that count around some queries: one flat list, cut at ``indptr``.

    ``weights`` are the kernel's, without repetitions, and ``counts`` the repetitions (None: every row counts once).
    ``far`` marks the queries at which no row had weight: the rows nearest to them are listed, with equal weights.
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

    def effective_weights(self) -> FloatArray:
        """Masses scaled to add up to the effective number of neighbours ``(sum K)^2 / sum K^2`` (Kish 1965).

        Examples
        --------
        >>> indptr, rows, far = np.array([0, 3]), np.arange(3), np.zeros(1, dtype=bool)
        >>> Neighborhoods(indptr, rows, np.arange(3.0), np.array([0.4, 0.4, 0.0]), None, far).effective_weights()
        array([1., 1., 0.])
        """
        queries = self.queries()
        # Relative to the largest weight, whose square cannot underflow.
        weights = self.weights / np.maximum.reduceat(self.weights, self.indptr[:-1])[queries]
        masses = weights if self.counts is None else weights * self.counts
        sums, squares = (summed(queries, part, len(self)) for part in (masses, masses * weights))
        return np.asarray(masses * (sums / squares)[queries])

    def scaled(self, factors: FloatArray) -> Neighborhoods:
        """Weights multiplied by a factor for each row, except at queries that would then have no weight at all."""
        weights = self.weights * factors[self.rows]
        empty = summed(self.queries(), weights, len(self)) == 0
        if empty.any():
            weights = np.where(empty[self.queries()], self.weights, weights)
        return replace(self, weights=weights)

    def take(self, queries: IntArray) -> Neighborhoods:
        """The neighbourhoods of some queries, in the order given."""
        lengths = np.diff(self.indptr)[queries]
        indptr = np.concatenate(([0], np.cumsum(lengths)))
        at = np.arange(indptr[-1]) + np.repeat(self.indptr[:-1][queries] - indptr[:-1], lengths)
        counts = None if self.counts is None else self.counts[at]
        return Neighborhoods(indptr, self.rows[at], self.distances[at], self.weights[at], counts, self.far[queries])


def merged(parts: Sequence[Neighborhoods], places: Sequence[IntArray]) -> Neighborhoods:
    """The neighbourhoods of all parts, each query at its place."""
    lengths = np.concatenate([np.diff(part.indptr) for part in parts])
    counted = any(part.counts is not None for part in parts)
    counts = [np.ones(part.rows.size) if part.counts is None else part.counts for part in parts]
    joined = Neighborhoods(
        indptr=np.concatenate(([0], np.cumsum(lengths))),
        rows=np.concatenate([part.rows for part in parts]),
        distances=np.concatenate([part.distances for part in parts]),
        weights=np.concatenate([part.weights for part in parts]),
        counts=np.concatenate(counts) if counted else None,
        far=np.concatenate([part.far for part in parts]),
    )
    return joined.take(np.argsort(np.concatenate(places), kind="stable"))


@dataclass(frozen=True, slots=True)
class KernelWindow:
    """Weights ``K(d / h)`` of the ``k`` nearest rows, all rows as near as the k-th included; of all rows for k=None.

    ``bandwidth`` is h; None for the distance of the first row beyond the k nearest, or slightly more than that of the
    farthest. With ``stretch``, h is this many times the distance of the k-th nearest row (Cleveland's span). Where the
    neighbours set the bandwidth, the uniform kernel gives weight to all of them, ties at rank k included.
    """

    kernel: Kernel
    k: int | None
    bandwidth: float | None = None
    stretch: float | None = None

    def search(
        self,
        memory: NeighborsMemory,
        cells: FloatArray,
        *,
        threads: int,
        own: IntArray | None = None,
        whole: bool = False,
        first: int = 0,
    ) -> NeighborList:
        """The rows inside this window and any narrower one.

        ``own`` are the positions of the stored rows that the queries are copies of: one repetition of each is left out,
        or the ``whole`` row. ``first`` is the number of the first query, for messages.
        """
        if self.k is not None:
            ranked = rank(memory, cells, self.k, Rules(self._vote(), "majority"), threads=threads, own=own, whole=whole)
            if np.isinf(ranked.distances).any():
                voters = ranked.nearest(self.k, whole_ties=True, bandwidth=self._vote().needs_bandwidth)
                refuse_overflow(memory, cells, ranked, voters, first=first)
            return ranked
        if self.bandwidth is not None and self.kernel.compact:
            return _within(memory, cells, self.bandwidth, threads, own, whole)
        return _all_rows(memory, cells, threads, own, whole, first)

    def weigh(self, found: NeighborList) -> Neighborhoods:
        """The neighbourhoods among the rows that were found; some may have no weight."""
        voters = found
        if self.k is not None:
            voters = voters.nearest(self.k or 1, whole_ties=True, bandwidth=self._vote().needs_bandwidth)
        weights = _at_most_one(self._weights(voters), voters.indptr)
        far = np.zeros(len(voters), dtype=bool)
        if self.bandwidth is not None:
            far = summed(voters.queries(), weights, len(voters)) == 0
        return Neighborhoods(voters.indptr, voters.rows, voters.distances, weights, voters.counts, far)

    def narrow(self, found: NeighborList) -> NeighborList:
        """Of the rows found for a wider window, those that this one needs."""
        if self.k is not None:
            return _first(found, (self.k or 1) + 1)
        if self.bandwidth is None or not self.kernel.compact:
            return found
        return _kept(found, found.distances <= self.bandwidth, found.counts)

    def _vote(self) -> Vote:
        """A kernel vote where the search needs one row more than k, which sets the bandwidth."""
        if self.bandwidth is not None or self.stretch is not None or isinstance(self.kernel, Uniform):
            return UniformVote()
        return KernelVote(self.kernel)

    def _weights(self, voters: NeighborList) -> FloatArray:
        if self.bandwidth is not None:
            with np.errstate(divide="ignore", over="ignore", under="ignore"):
                return np.asarray(self.kernel(voters.distances / self.bandwidth), dtype=np.float64)
        if self.stretch is not None:
            with np.errstate(over="ignore"):
                bandwidths = np.maximum.reduceat(voters.distances, voters.indptr[:-1]) * self.stretch
            return KernelVote(self.kernel).weigh(replace(voters, bandwidths=bandwidths))
        return self._vote().weigh(voters)


def searches(
    memory: NeighborsMemory,
    cells: FloatArray,
    window: KernelWindow,
    *,
    threads: int,
    own: IntArray | None = None,
    whole: bool = False,
) -> Iterator[tuple[slice, NeighborList]]:
    """What `KernelWindow.search` finds, block by block so that memory stays bounded."""
    entries = ENTRIES if window.k is None else _ENTRIES
    start, most = 0, max(1, entries // (window.k or len(memory)))
    size = min(_FIRST_BLOCK * threads, most)
    if window.k is None and window.bandwidth is not None and window.kernel.compact:
        most = ENTRIES  # blocks grow while only a few of many rows lie within the bandwidth
    while start < len(cells):
        part = slice(start, min(start + size, len(cells)))
        left_out = None if own is None else own[part]
        found = window.search(memory, cells[part], threads=threads, own=left_out, whole=whole, first=start)
        yield part, found
        start = part.stop
        size = max(1, min(most, _GROWTH * size, entries * len(found) // max(found.rows.size, 1)))


def neighborhoods(
    memory: NeighborsMemory,
    cells: FloatArray,
    window: KernelWindow,
    *,
    threads: int,
    own: IntArray | None = None,
    whole: bool = False,
) -> Iterator[tuple[slice, Neighborhoods]]:
    """The neighbourhoods of queries, block by block; the nearest rows where a query has no row with weight."""
    for part, found in searches(memory, cells, window, threads=threads, own=own, whole=whole):
        left_out = None if own is None else own[part]
        yield part, with_nearest(memory, cells[part], window.weigh(found), threads=threads, own=left_out, whole=whole)


def with_nearest(
    memory: NeighborsMemory,
    cells: FloatArray,
    found: Neighborhoods,
    *,
    threads: int,
    own: IntArray | None = None,
    whole: bool = False,
) -> Neighborhoods:
    """The same with the nearest rows, equally weighted, for queries that have no row with weight."""
    if not found.far.any():
        return found
    far, near, nearest = np.flatnonzero(found.far), np.flatnonzero(~found.far), KernelWindow(Uniform(), 1)
    own = None if own is None else own[far]
    instead = nearest.weigh(nearest.search(memory, cells[far], threads=threads, own=own, whole=whole))
    return merged([found.take(near), replace(instead, far=np.ones(far.size, dtype=bool))], [near, far])


def warn(warning: Warning) -> None:
    """Issue a warning at the first caller outside the library."""
    frame, levels = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("priorcase."):
        frame, levels = frame.f_back, levels + 1
    warnings.warn(warning, stacklevel=levels)


def _within(
    memory: NeighborsMemory, cells: FloatArray, radius: float, threads: int, own: IntArray | None, whole: bool
) -> NeighborList:
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
    return _without_own(NeighborList(found.indptr, rows, found.distances, counts), own, whole)


def _all_rows(
    memory: NeighborsMemory, cells: FloatArray, threads: int, own: IntArray | None, whole: bool, first: int
) -> NeighborList:
    fitted, ids = memory.fitted, None if own is None else memory.ids[own]
    weights = memory.weights_for(cells, ids, threads=threads)
    distances = fitted.finish(memory.index.costs(fitted, cells, weights=weights, threads=threads))
    rows, n = np.arange(len(memory), dtype=np.int64), len(cells)
    counts = None if memory.row_weights is None else np.tile(memory.row_weights, n)
    voters = NeighborList(np.arange(n + 1) * rows.size, np.tile(rows, n), distances.ravel(), counts)
    voters = _without_own(voters, own, whole)
    if np.isinf(voters.distances).any():
        memory.check_finite(cells, voters.queries(), voters.rows, voters.distances, first=first)
    farthest = np.maximum.reduceat(voters.distances, voters.indptr[:-1])
    return replace(voters, bandwidths=farthest * (1 + SLACK))


def _without_own(voters: NeighborList, own: IntArray | None, whole: bool) -> NeighborList:
    if own is None:
        return voters
    mine = voters.rows == own[voters.queries()]
    counts = np.ones(mine.size) if voters.counts is None else voters.counts
    counts = counts - np.where(mine, counts if whole else np.minimum(counts, 1.0), 0.0)
    return _kept(voters, counts > 0, None if voters.counts is None else counts)


def _kept(voters: NeighborList, kept: BoolArray, counts: FloatArray | None) -> NeighborList:
    indptr = np.concatenate(([0], np.cumsum(kept)))[voters.indptr]
    return NeighborList(indptr, voters.rows[kept], voters.distances[kept], None if counts is None else counts[kept])


def _first(ranked: NeighborList, k: int) -> NeighborList:
    """The first ``k`` rows of each list, and those as near as the last of them."""
    indptr = ranked.nearest(k, whole_ties=True).indptr
    if indptr[-1] == ranked.rows.size:
        return ranked
    at = np.arange(indptr[-1]) + np.repeat(ranked.indptr[:-1] - indptr[:-1], np.diff(indptr))
    counts = None if ranked.counts is None else ranked.counts[at]
    return NeighborList(indptr, ranked.rows[at], ranked.distances[at], counts)


def _at_most_one(weights: FloatArray, indptr: IntArray) -> FloatArray:
    """Weights above 1 divided by the query's largest; where some are infinite, 1 for these and 0 for the others."""
    starts = indptr[:-1][np.diff(indptr) > 0]
    if not starts.size or weights.max() <= 1.0:
        return weights
    lengths = np.diff(np.append(starts, weights.size))
    largest = np.repeat(np.maximum.reduceat(weights, starts), lengths)
    with np.errstate(invalid="ignore", over="ignore"):
        return np.where(np.isinf(largest), np.isinf(weights), weights / np.maximum(largest, 1.0))
