"""How far a fit reaches, chosen by leave-one-out: one search serves every candidate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.local.fits import LEFT_OUT, fitted
from priorcase.local.neighborhoods import Circle, Neighborhoods, joined, neighborhoods, reached
from priorcase.local.parameters import Model
from priorcase.local.robustness import weighted_median
from priorcase.local.table import NOMINAL, LocalTable, local_table
from priorcase.neighbors.memory import Memory
from priorcase.neighbors.voters import SLACK, Ranked, Voters
from priorcase.relevance.sampling import some

MOST_LEFT_OUT = 2_000
"""How many rows are left out in turn, always the same where there are more; fewer where fits have many terms."""

MOST_NEIGHBORS = 1_024
"""The largest k that is tried, unless the local model has so many terms that it needs more."""

_RATIO = 1.4
_BANDWIDTHS = 16
_TAIL = 4.0
# Multiplications, roughly, that a choice may cost; seconds.
_WORK = 5_000_000_000
_FEWEST_LEFT_OUT = 50
# Rows whose neighbours say how large the largest bandwidth to try is.
_PROBES = 100


@dataclass(frozen=True, slots=True)
class Ladder:
    """What can be tried on some rows."""

    memory: Memory
    table: LocalTable
    model: Model
    threads: int

    @classmethod
    def of(cls, memory: Memory, model: Model, threads: int) -> Ladder:
        return cls(memory, local_table(memory), model, threads)

    def neighbors(self) -> IntArray:
        """Numbers of neighbours to try, each about 1.4 times the one before: from as many as a fit needs on."""
        most = max(1, int(self.memory.total_weight * (1 + SLACK)) - 1)
        terms = n_terms(self.table, self.model.degree)
        last = min(most, max(MOST_NEIGHBORS, 4 * terms))
        first = min(last, 1 if self.model.degree == 0 else terms + 2)
        steps = 1 + max(0, round(np.log(last / first) / np.log(_RATIO)))
        return np.unique(np.round(np.geomspace(first, last, steps)).astype(np.int64))

    def bandwidths(self, circle: Circle) -> FloatArray:
        """Bandwidths to try: from where a typical fit has hardly enough rows to where it has as many as are tried."""
        ks, own = self.neighbors(), self.left_out(_PROBES)
        if len(self.memory) < 2:
            return np.ones(1)
        last = int(ks[-1]) if circle.k is None else min(int(ks[-1]), circle.k)
        found = Circle(circle.kernel, last).search(
            self.memory, self.memory.instances.cells(own), threads=self.threads, own=own
        )
        assert isinstance(found, Ranked)  # since k is given
        positive = found.distances[(found.distances > 0) & np.isfinite(found.distances)]
        if not positive.size:
            return np.ones(1)
        near, far = (_reach(found, k) for k in (int(ks[0]) + 1, last))
        times = None if self.memory.row_weights is None else self.memory.row_weights[own]
        everyone = last + 1 >= int(self.memory.total_weight * (1 + SLACK))
        high = float(positive.max()) if everyone else weighted_median(far, times)
        high = high if 0 < high < np.inf else float(positive.max())
        low = weighted_median(near, times)
        low = low if 0 < low < high else float(positive.min())
        if not circle.kernel.compact:  # at h, where compact kernels end, these still count
            low /= _TAIL
        return np.unique(np.geomspace(low, max(high, low) * (1 + SLACK), _BANDWIDTHS))

    def left_out(self, most: int = MOST_LEFT_OUT) -> IntArray:
        """Positions of the rows to leave out in turn: all, or some without a pattern, always the same."""
        return some(len(self.memory), most)

    def errors(self, circles: Sequence[Circle]) -> tuple[FloatArray, int]:
        """Mean squared error of the left-out rows by each circle, the widest last, and how many rows were left out."""
        widest, memory = circles[-1], self.memory
        own = self.left_out(self._affordable(circles))
        cells, sums = memory.instances.cells(own), np.zeros(len(circles))
        times = np.ones(own.size) if memory.row_weights is None else memory.row_weights[own]
        for part, found in neighborhoods(memory, cells, widest, threads=self.threads, own=own):
            for i in range(len(circles) - 1, -1, -1):  # the widest first: each needs less than the one before
                circle = circles[i]
                found = circle.narrowed(found)
                around = reached(memory, cells[part], circle.around(found), threads=self.threads, own=own[part])
                answers = fitted(self.table, self.model, cells[part], around, threads=self.threads)
                with np.errstate(over="ignore"):
                    missed = answers.predictions - self.table.targets[own[part]]
                    sums[i] += float(((missed * missed).mean(axis=1) * times[part]).sum())
        return sums / times.sum(), own.size

    def _affordable(self, circles: Sequence[Circle]) -> int:
        """How many rows can be left out in a time that is worth it."""
        compact, most = circles[-1].kernel.compact, int(self.neighbors()[-1])
        everyone = 1 + 4 * most // len(circles) if compact else len(self.memory)
        entries = sum(everyone if circle.k is None else circle.k for circle in circles)
        products = entries * (n_terms(self.table, self.model.degree) ** 2 + 10)
        return min(MOST_LEFT_OUT, max(_FEWEST_LEFT_OUT, _WORK // products))

    def by_query(self, found: Ranked | Voters, cells: FloatArray, circle: Circle) -> tuple[Neighborhoods, IntArray]:
        """For each query the neighbourhood whose local leave-one-out error is least, and how many neighbours it has."""
        ks = self.neighbors()
        best, chosen = np.full(len(found), np.inf), np.zeros(len(found), dtype=np.int64)
        circles = [replace(circle, k=int(k)) for k in ks]
        around: list[Neighborhoods] = []
        for one in reversed(circles):
            found = one.narrowed(found)
            around.insert(0, one.around(found))
        for i, candidate in enumerate(around):
            answers = fitted(self.table, self.model, cells, candidate, want=LEFT_OUT, threads=self.threads)
            with np.errstate(over="ignore"):
                errors = answers.answers["loo"].mean(axis=1)
            better = errors < best
            best[better], chosen[better] = errors[better], i
        groups = [np.flatnonzero(chosen == i) for i in range(len(ks))]
        together = joined([candidate.taken(group) for candidate, group in zip(around, groups, strict=True)])
        return together.taken(np.argsort(np.concatenate(groups), kind="stable")), ks[chosen]


def _reach(found: Ranked, k: int) -> FloatArray:
    """The distance of the k-th nearest row of each query, or of the farthest."""
    near = found.cut(k, whole_ties=True)
    return np.asarray(np.maximum.reduceat(near.distances, near.indptr[:-1]))


def n_terms(table: LocalTable, degree: int) -> int:
    """How many numbers a local model has where no column is missing; a nominal column counts as one."""
    if degree == 0:
        return 1
    kinds = table.kinds[~table.ignored]
    numbers = int((kinds != NOMINAL).sum())
    return 1 + kinds.size + (numbers * (numbers + 1) // 2 if degree == 2 else 0)
