"""Who votes on each query, and how many times each row counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from priorcase._typing import FloatArray, IntArray

# Repetitions are floats: ten rows of weight 0.1 must reach one although their floating-point sum falls short of it.
SLACK = 1e-9


def summed(groups: IntArray, values: FloatArray, n: int) -> FloatArray:
    """Sum of the values of each group 0 to n - 1, added one by one in their order."""
    return np.asarray(np.bincount(groups, weights=values, minlength=n), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Voters:
    """The rows that vote on each query: one flat list, cut at ``indptr``.

    Parameters
    ----------
    indptr
        The voters of query ``i`` are entries ``indptr[i]`` to ``indptr[i + 1]``; there is at least one.
    rows
        Positions of the voting rows, in id order of the stored rows.
    distances
        Their distances from the query.
    counts
        How many times each voter counts (weight equals repetition); None when every one counts once.
    bandwidths
        One ``h`` for each query, for votes ``K(d / h)``; None when the vote needs none.
    """

    indptr: IntArray
    rows: IntArray
    distances: FloatArray
    counts: FloatArray | None = None
    bandwidths: FloatArray | None = None

    def __len__(self) -> int:
        return self.indptr.size - 1

    def queries(self) -> IntArray:
        """The query of each entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.indptr))

    def totals(self) -> FloatArray:
        """How much counts on each query, repetitions included."""
        if self.counts is None:
            return np.diff(self.indptr).astype(np.float64)
        return summed(self.queries(), self.counts, len(self))


@dataclass(frozen=True, slots=True)
class Ranked:
    """Rows near each query, nearest first, from which the voters for any k up to the searched one are cut.

    ``weights`` are the repetitions of the listed rows and ``reach`` their running totals from the nearest row on;
    both are None when every row counts once.
    """

    indptr: IntArray
    rows: IntArray
    costs: FloatArray
    distances: FloatArray
    weights: FloatArray | None = None
    reach: FloatArray | None = None

    @classmethod
    def weighted(
        cls, indptr: IntArray, rows: IntArray, costs: FloatArray, distances: FloatArray, weights: FloatArray
    ) -> Ranked:
        """The ranking with running totals of the repetitions, summed query by query so that batches do not matter."""
        reach = np.empty_like(weights)
        for start, stop in zip(indptr[:-1].tolist(), indptr[1:].tolist(), strict=True):
            np.cumsum(weights[start:stop], out=reach[start:stop])
        return cls(indptr, rows, costs, distances, weights, reach)

    def __len__(self) -> int:
        return self.indptr.size - 1

    def cut(self, k: int, *, whole_ties: bool, bandwidth: bool = False) -> Voters:
        """The voters among the ``k`` nearest.

        With ``whole_ties`` every listed row as near as the k-th votes and counts fully; without, the row at which the
        count reaches ``k`` counts with the part that is missing to ``k``.
        """
        starts = self.indptr[:-1]
        if self.weights is None and not bandwidth and self.rows.size == k * starts.size:
            return Voters(self.indptr, self.rows, self.distances)
        last = starts + self._rank(k)
        stops = self._tie_ends(last) if whole_ties else last + 1
        indptr = np.concatenate(([0], np.cumsum(stops - starts)))
        taken = np.arange(indptr[-1]) + np.repeat(starts - indptr[:-1], stops - starts)
        counts = None
        if self.weights is not None and self.reach is not None:
            counts = self.weights[taken]
            if not whole_ties:
                before = self.reach[last] - self.weights[last]
                counts[indptr[1:] - 1] = np.minimum(self.weights[last], k - before)
        bandwidths = self._bandwidths(k, last) if bandwidth else None
        return Voters(indptr, self.rows[taken], self.distances[taken], counts, bandwidths)

    def _rank(self, k: int) -> IntArray:
        """Offset, in each query's list, of the row at which the count reaches ``k`` (the last row if none does)."""
        return np.asarray(np.minimum(self._below(k), np.diff(self.indptr) - 1))

    def _below(self, k: int) -> IntArray:
        """How many rows of each list come before the count reaches ``k``; the list's length when it never does."""
        lengths = np.diff(self.indptr)
        if self.reach is None:
            return np.minimum(k - 1, lengths)
        below: IntArray = np.add.reduceat((self.reach < k * (1 - SLACK)).astype(np.int64), self.indptr[:-1])
        return below

    def _tie_ends(self, positions: IntArray) -> IntArray:
        """One past the last row of the same query at the same cost, for each position."""
        starts = np.ones(self.costs.size + 1, dtype=bool)
        starts[1:-1] = self.costs[1:] != self.costs[:-1]
        starts[self.indptr] = True
        bounds = np.flatnonzero(starts)
        return bounds[np.searchsorted(bounds, positions, side="right")]

    def _bandwidths(self, k: int, last: IntArray) -> FloatArray:
        """Distance of the (k+1)-th nearest row; where there is none, a little more than that of the k-th."""
        following = self._below(k + 1)
        exists = following < np.diff(self.indptr)
        at = self.indptr[:-1] + np.where(exists, following, 0)
        return np.where(exists, self.distances[at], self.distances[last] * (1 + SLACK))
