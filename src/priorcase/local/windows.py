"""Kernel windows: which stored rows count around a query and how much, by parameters or by leave-one-out."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias, cast

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from priorcase._parameters import check_value
from priorcase._typing import AnyArray, Backend, BoolArray, FloatArray, IntArray
from priorcase.exceptions import (
    FarQueryWarning,
    NotAvailableError,
    ParameterError,
    TooFewRowsError,
    UnsettledFitWarning,
    listed,
    quoted,
)
from priorcase.local.fits import LEFT_OUT, LocalPolynomial, fit_queries, local_table, weighted_median
from priorcase.local.results import LeaveOneOutCurve
from priorcase.neighbors.base import NeighborsMemory
from priorcase.neighbors.polling import ENTRIES, Rules, rank, refuse_overflow
from priorcase.neighbors.votes import SLACK, KernelVote, NeighborList, UniformVote, Vote, summed
from priorcase.relevance.base import fixed_sample
from priorcase.similarity.kernels import KERNELS, Kernel, Uniform, resolve_kernel

NNeighbors: TypeAlias = int | Literal["sqrt", "all", "loo"]
Bandwidth: TypeAlias = float | Literal["loo", "query"] | None

_COUNT = [Interval(Integral, 1, None, closed="left")]
WINDOW_CONSTRAINTS: dict[str, Any] = {
    "n_neighbors": [None, *_COUNT, StrOptions({"sqrt", "all", "loo"})],
    "bandwidth": [None, Interval(Real, 0, np.inf, closed="neither"), StrOptions({"loo", "query"})],
    "kernel": [StrOptions(set(KERNELS)), callable],
    "span": [None, Interval(Real, 0, 1e100, closed="right")],
}

MOST_LEFT_OUT = 2_000  # rows left out in turn, always the same ones; fewer where fits have many terms
MOST_NEIGHBORS = 1_024  # the largest k to try, unless the local model has so many terms that it needs more
FEWEST_LEFT_OUT = 50
# Candidates: the ratio of successive k, the number of bandwidths, and how far below h kernels with tails begin.
_RATIO, _BANDWIDTHS, _TAIL = 1.4, 16, 4.0
_PROBES = 100  # rows whose neighbours determine the largest bandwidth to try
_WORK = 5_000_000_000  # multiplications, roughly, that a choice by squared errors may cost (seconds)
# Queries of the first block, before the length of their lists is known, and how much a block may grow over the last.
_FIRST_BLOCK, _GROWTH = 64, 8
# Entries of a block where queries have k rows each: its arrays stay in the cache from one pass to the next.
_ENTRIES = 1 << 16


def warn_queries(kind: type[FarQueryWarning | UnsettledFitWarning], queries: Sequence[int], text: str) -> None:
    """Issue a warning about some queries at the first caller outside the library."""
    warning = kind(text)
    warning.queries = tuple(queries)
    frame, levels = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("priorcase."):
        frame, levels = frame.f_back, levels + 1
    warnings.warn(warning, stacklevel=levels)


def warn_far(queries: Sequence[int], n: int, instead: str) -> None:
    """Warn where queries have no row with weight."""
    if queries:
        text = f"no stored row has weight at queries {listed(queries)} of {n}; {instead}. Use a larger bandwidth, or "
        warn_queries(FarQueryWarning, queries, text + "n_neighbors.")


@dataclass(frozen=True, eq=False, kw_only=True)
class Neighborhoods(NeighborList):
    """The rows that count around some queries, with the kernel's ``weights``, not multiplied by repetitions.

    ``far`` marks the queries at which no row had weight: the rows nearest to them are listed, with equal weights.
    """

    weights: FloatArray
    far: BoolArray

    def masses(self) -> FloatArray:
        """The weight of each entry, repetitions included."""
        return self.weights if self.counts is None else self.weights * self.counts

    def effective_weights(self) -> FloatArray:
        """Masses scaled to add up to the effective number of neighbours ``(sum K)^2 / sum K^2`` (Kish 1965)."""
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
        lengths = self.lengths[queries]
        indptr = np.concatenate(([0], np.cumsum(lengths)))
        at = np.arange(indptr[-1]) + np.repeat(self.indptr[:-1][queries] - indptr[:-1], lengths)
        counts, far = None if self.counts is None else self.counts[at], self.far[queries]
        return Neighborhoods(indptr, self.rows[at], self.distances[at], counts, weights=self.weights[at], far=far)


def _merged(parts: Sequence[Neighborhoods], places: Sequence[IntArray]) -> Neighborhoods:
    """The neighbourhoods of all parts, each query at its place."""
    names = ["lengths", "rows", "distances", "weights", "far", *([] if parts[0].counts is None else ["counts"])]
    found: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    joined = Neighborhoods(indptr=np.concatenate(([0], np.cumsum(found.pop("lengths")))), **found)
    return joined.take(np.argsort(np.concatenate(places), kind="stable"))


@dataclass(frozen=True, slots=True)
class KernelWindow:
    """Weights ``K(d / h)`` of the ``k`` nearest rows, all rows as near as the k-th included.

    Where the neighbours set the bandwidth, the uniform kernel gives weight to all of them, ties at rank k included.
    """

    kernel: Kernel
    k: int | None  # None for all rows
    bandwidth: float | None = None  # h; None: distance of the first row beyond k, or just beyond the farthest row
    stretch: float | None = None  # with it h is this many times the distance of the k-th nearest row (Cleveland's span)

    @property
    def bounded(self) -> bool:
        """Whether only the rows within a fixed bandwidth have weight."""
        return self.k is None and self.bandwidth is not None and self.kernel.compact

    def search(
        self, memory: NeighborsMemory, cells: FloatArray, *, threads: int, own: IntArray | None, whole: bool, first: int
    ) -> NeighborList:
        """The rows inside this window and any narrower one; ``own`` rows are left out as by `rank`."""
        if self.k is not None:
            rules = Rules(self._vote(), "majority")
            found = rank(memory, cells, self.k, rules, threads=threads, own=own, whole=whole)
            if np.isinf(found.distances).any():
                refuse_overflow(memory, cells, found, self._nearest(found, self.k), first=first)
            return found
        ids = None if own is None else memory.ids[own]
        if self.bounded:
            fitted, weights = memory.fitted, memory.weights_for(cells, ids, threads=threads)
            radius, algorithm = cast(float, self.bandwidth), memory.algorithm
            with memory.searching() as index:
                near = index.within(fitted, cells, radius, weights=weights, algorithm=algorithm, threads=threads)
            found = NeighborList(near.indptr, memory.positions(near.ids), near.distances)
        else:
            distances = memory.distances(cells, ids, threads=threads)
            n, each = distances.shape
            found = NeighborList(np.arange(n + 1) * each, np.tile(np.arange(each), n), distances.ravel())
        if memory.row_weights is not None:
            found = replace(found, counts=memory.row_weights[found.rows])
        if own is not None:
            mine = found.rows == own[found.queries()]
            counts = np.ones(mine.size) if found.counts is None else found.counts
            counts = counts - np.where(mine, counts if whole else np.minimum(counts, 1.0), 0.0)
            found = _kept(found if found.counts is None else replace(found, counts=counts), counts > 0)
        if self.bounded:
            return found
        if np.isinf(found.distances).any():
            memory.check_finite(cells, found.queries(), found.rows, found.distances, first=first)
        farthest = np.maximum.reduceat(found.distances, found.indptr[:-1])
        return replace(found, bandwidths=farthest * (1 + SLACK))

    def weigh(self, found: NeighborList) -> Neighborhoods:
        """The neighbourhoods among the rows that were found; some may have no weight."""
        voters = found if self.k is None else self._nearest(found, self.k)
        if self.bandwidth is not None:
            with np.errstate(divide="ignore", over="ignore", under="ignore"):
                weights = np.asarray(self.kernel(voters.distances / self.bandwidth), dtype=np.float64)
        elif self.stretch is not None:
            with np.errstate(over="ignore"):
                bandwidths = np.maximum.reduceat(voters.distances, voters.indptr[:-1]) * self.stretch
            weights = KernelVote(self.kernel).weigh(replace(voters, bandwidths=bandwidths))
        else:
            weights = self._vote().weigh(voters)
        weights = _at_most_one(weights, voters.indptr)
        far = np.zeros(len(voters), dtype=bool)
        if self.bandwidth is not None:
            far = summed(voters.queries(), weights, len(voters)) == 0
        return Neighborhoods(voters.indptr, voters.rows, voters.distances, voters.counts, weights=weights, far=far)

    def narrow(self, found: NeighborList) -> NeighborList:
        """Of the rows found for a wider window, those that this one needs."""
        if self.k is not None:
            return found.nearest(self.k + 1, whole_ties=True)
        return _kept(found, found.distances <= cast(float, self.bandwidth)) if self.bounded else found

    def _vote(self) -> Vote:
        """A kernel vote where the search needs one row more than k, which sets the bandwidth."""
        if self.bandwidth is not None or self.stretch is not None or isinstance(self.kernel, Uniform):
            return UniformVote()
        return KernelVote(self.kernel)

    def _nearest(self, found: NeighborList, k: int) -> NeighborList:
        return found.nearest(k, whole_ties=True, bandwidth=self._vote().needs_bandwidth)


def _kept(found: NeighborList, kept: BoolArray) -> NeighborList:
    indptr, counts = np.concatenate(([0], np.cumsum(kept)))[found.indptr], found.counts
    return NeighborList(indptr, found.rows[kept], found.distances[kept], None if counts is None else counts[kept])


def _at_most_one(weights: FloatArray, indptr: IntArray) -> FloatArray:
    """Weights above 1 divided by the query's largest; where some are infinite, 1 for these and 0 for the others."""
    starts = indptr[:-1][np.diff(indptr) > 0]
    if not starts.size or weights.max() <= 1.0:
        return weights
    lengths = np.diff(np.append(starts, weights.size))
    largest = np.repeat(np.maximum.reduceat(weights, starts), lengths)
    with np.errstate(invalid="ignore", over="ignore"):
        return np.where(np.isinf(largest), np.isinf(weights), weights / np.maximum(largest, 1.0))


@dataclass(frozen=True, slots=True)
class WindowRule:
    """The parameters of a window; ``k`` is None where ``span`` or the query decides."""

    kernel: Kernel
    k: NNeighbors | None
    bandwidth: Bandwidth
    span: float | None

    @classmethod
    def of(cls, n_neighbors: Any, kernel: Any, bandwidth: Any, span: Any = None) -> WindowRule:
        """The rule for checked parameters; combinations in which one of them has no effect are refused."""
        if isinstance(kernel, type) or not (isinstance(kernel, str) or hasattr(kernel, "compact")):
            raise ParameterError(f"kernel must be a name or an instance such as Tricube(), got {quoted(kernel)}")
        found = resolve_kernel(kernel)
        width: Any = bandwidth if bandwidth is None or isinstance(bandwidth, str) else float(bandwidth)
        if span is not None:
            for name, value in (("n_neighbors", n_neighbors), ("bandwidth", bandwidth)):
                if value is not None:
                    raise ParameterError(f"{name} must be None with span, which determines both, got {value!r}")
            return cls(found, None, None, float(span))
        if n_neighbors is None:
            return cls(found, "loo" if width is None else None if width == "query" else "all", width, None)
        if width == "query" or (width == "loo" and n_neighbors == "loo"):
            allowed = "None" if width == "query" else "a number, 'sqrt', 'all' or None"
            raise ParameterError(f"n_neighbors must be {allowed} with bandwidth={width!r}, got {n_neighbors!r}")
        k: Any = n_neighbors if isinstance(n_neighbors, str) else int(n_neighbors)
        return cls(found, k, width, None)

    @property
    def chooses(self) -> bool:
        """Whether something is chosen by leave-one-out, once for all queries."""
        return "loo" in (self.k, self.bandwidth)

    def __str__(self) -> str:
        given = f"n_neighbors={self.k!r} and bandwidth={self.bandwidth!r}"
        return given if self.span is None else f"span={self.span!r}"


@dataclass(frozen=True, slots=True)
class WindowChoice:
    """The window on the rows stored now, given or chosen.

    All candidates share one search: the neighbours of the widest window contain those of the narrower ones.
    """

    rule: WindowRule
    memory: NeighborsMemory
    model: LocalPolynomial  # its number of terms determines the smallest k to try
    threads: int
    # Mean leave-one-out losses of some windows, the widest last, and the number of rows left out.
    losses: Callable[[WindowChoice, Sequence[KernelWindow]], tuple[FloatArray, int]]
    curve_type: type[LeaveOneOutCurve]
    backend: Backend | None

    @property
    def _stored(self) -> int:
        """How many rows are stored, weights counted as repetitions."""
        return max(1, int(self.memory.total_weight * (1 + SLACK)))

    def n_neighbors(self) -> int:
        """The number of neighbours, given or chosen."""
        rule, stored = self.rule, self._stored
        if rule.span is not None:
            return min(stored, max(1, math.floor(rule.span * stored + 1e-5)))
        if isinstance(rule.k, int):
            return rule.k
        if rule.k is None:
            raise NotAvailableError("n_neighbors_ differs from query to query with bandwidth='query'")
        if rule.k == "loo":
            return int(self.curve().best)
        return math.isqrt(stored) if rule.k == "sqrt" else stored

    def bandwidth(self) -> float:
        """The bandwidth, given or chosen, where it is one number for all queries."""
        if (h := self._bandwidth()) is None:
            raise NotAvailableError(f"bandwidth_ needs one bandwidth for all queries, not {self.rule}")
        return h

    def n_listed(self, n_neighbors: int | None) -> int:
        """How many neighbours `kneighbors` lists."""
        if n_neighbors is not None:
            check_value("n_neighbors", n_neighbors, _COUNT)
            return int(n_neighbors)
        if self.rule.k is None and self.rule.span is None:
            raise ParameterError("n_neighbors must be an int >= 1 with bandwidth='query', got None")
        return self.n_neighbors() if isinstance(self.rule.k, int) else min(self.n_neighbors(), len(self.memory))

    def window(self) -> KernelWindow:
        """The window around a query; with one bandwidth for each query, the widest that is tried."""
        rule, memory = self.rule, self.memory
        if rule.span is not None:
            columns = int((~local_table(memory).ignored).sum())
            return KernelWindow(rule.kernel, self.n_neighbors(), stretch=max(1.0, rule.span) ** (1 / columns))
        if rule.bandwidth == "query":
            return KernelWindow(rule.kernel, int(self.candidate_ks()[-1]))
        k = None if rule.k == "all" else self.n_neighbors()
        if isinstance(rule.k, int) and rule.k > memory.total_weight * (1 + SLACK):
            raise TooFewRowsError(
                f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {k}, n_samples_fit = "
                f"{memory.total_weight:g}. Ask for fewer neighbours or add rows; n_neighbors='sqrt' adapts itself."
            )
        return KernelWindow(rule.kernel, k, self._bandwidth())

    def check_left_out(self) -> None:
        """Refuse more neighbours than there are beside each row."""
        memory, k = self.memory, self.rule.k
        heaviest = 1.0 if memory.row_weights is None else float(memory.row_weights.max())
        if isinstance(k, int) and k > (memory.total_weight - heaviest) * (1 + SLACK):
            raise TooFewRowsError(
                f"Expected n_neighbors < n_samples_fit, but n_neighbors = {k}, n_samples_fit = "
                f"{memory.total_weight:g}: each row is left out of its own neighbours. Ask for fewer or add rows."
            )

    def _bandwidth(self) -> float | None:
        if self.rule.bandwidth == "loo":
            return float(self.curve().best)
        return None if isinstance(self.rule.bandwidth, str) else self.rule.bandwidth

    # -- neighbourhoods of queries

    def searches(
        self, cells: FloatArray, window: KernelWindow, *, own: IntArray | None = None, whole: bool = False
    ) -> Iterator[tuple[slice, NeighborList]]:
        """What `KernelWindow.search` finds, block by block so that memory stays bounded."""
        entries = ENTRIES if window.k is None else _ENTRIES
        start, most = 0, max(1, entries // (window.k or len(self.memory)))
        size = min(_FIRST_BLOCK * self.threads, most)
        if window.bounded:
            most = ENTRIES  # blocks grow while only a few of many rows lie within the bandwidth
        while start < len(cells):
            part = slice(start, min(start + size, len(cells)))
            left_out = None if own is None else own[part]
            options: dict[str, Any] = {"threads": self.threads, "own": left_out, "whole": whole, "first": start}
            found = window.search(self.memory, cells[part], **options)
            yield part, found
            start = part.stop
            size = max(1, min(most, _GROWTH * size, entries * len(found) // max(found.rows.size, 1)))

    def weighed(
        self, window: KernelWindow, found: NeighborList, cells: FloatArray, own: IntArray | None, whole: bool = False
    ) -> Neighborhoods:
        """The neighbourhoods in a window; the nearest rows, equally weighted, where no row has weight."""
        around = window.weigh(found)
        if not around.far.any():
            return around
        far, near, nearest = np.flatnonzero(around.far), np.flatnonzero(~around.far), KernelWindow(Uniform(), 1)
        own = None if own is None else own[far]
        rows = nearest.search(self.memory, cells[far], threads=self.threads, own=own, whole=whole, first=0)
        instead = replace(nearest.weigh(rows), far=np.ones(far.size, dtype=bool))
        return _merged([around.take(near), instead], [near, far])

    def neighborhoods(
        self, cells: FloatArray, *, own: IntArray | None = None, whole: bool = False
    ) -> Iterator[tuple[slice, Neighborhoods]]:
        """The neighbourhoods of queries, block by block; ``own`` rows are left out as in `KernelWindow.search`."""
        window = self.window()
        for part, found in self.searches(cells, window, own=own, whole=whole):
            if self.rule.bandwidth == "query":
                yield part, self._best_of_each_query(found, cells[part], window)
            else:
                yield part, self.weighed(window, found, cells[part], None if own is None else own[part], whole)

    def _best_of_each_query(self, found: NeighborList, cells: FloatArray, window: KernelWindow) -> Neighborhoods:
        """For each query the neighbourhood with the least leave-one-out error of the local fit."""
        table, around = local_table(self.memory), list[Neighborhoods]()
        for k in self.candidate_ks()[::-1].tolist():
            candidate = replace(window, k=k)
            found = candidate.narrow(found)
            around.insert(0, candidate.weigh(found))
        best, chosen = np.full(len(found), np.inf), np.zeros(len(found), dtype=np.int64)
        for i, part in enumerate(around):
            fits = fit_queries(table, self.model, cells, part, want=LEFT_OUT, threads=self.threads)
            with np.errstate(over="ignore"):
                errors = fits.answers["loo"].mean(axis=1)
            better = errors < best
            best[better], chosen[better] = errors[better], i
        groups = [np.flatnonzero(chosen == i) for i in range(len(around))]
        return _merged([part.take(group) for part, group in zip(around, groups, strict=True)], groups)

    # -- the choice by leave-one-out

    def curve(self) -> LeaveOneOutCurve:
        """The leave-one-out losses of all candidates, by fits without robustness weights."""
        if not self.rule.chooses:
            raise NotAvailableError(f"loo_scores_ needs n_neighbors='loo' or bandwidth='loo', not {self.rule}")
        return self.memory.cached("loo", self._curve)

    def _curve(self) -> LeaveOneOutCurve:
        by_k, kernel = self.rule.k == "loo", self.rule.kernel
        width = None if isinstance(self.rule.bandwidth, str) else self.rule.bandwidth
        k = None if by_k or self.rule.k == "all" else self.n_neighbors()
        candidates: AnyArray = self.candidate_ks() if by_k else self.candidate_bandwidths(k)
        windows = [KernelWindow(kernel, c, width) if by_k else KernelWindow(kernel, k, c) for c in candidates.tolist()]
        errors, n = self.losses(self, windows) if len(self.memory) > 1 else (np.zeros(candidates.size), 0)
        errors.flags.writeable = candidates.flags.writeable = False  # cached and handed out
        return self.curve_type("n_neighbors" if by_k else "bandwidth", candidates, errors, n, self.backend)

    def candidate_ks(self) -> IntArray:
        """Numbers of neighbours to try, each about 1.4 times the last, from as many as a fit needs."""
        terms = local_table(self.memory).n_terms(self.model.degree)
        last = min(max(1, self._stored - 1), max(MOST_NEIGHBORS, 4 * terms))
        first = min(last, 1 if self.model.degree == 0 else terms + 2)
        steps = 1 + max(0, round(np.log(last / first) / np.log(_RATIO)))
        return np.unique(np.round(np.geomspace(first, last, steps)).astype(np.int64))

    def candidate_bandwidths(self, k: int | None) -> FloatArray:
        """Bandwidths to try: from barely enough rows for a typical fit to the most that are tried."""
        memory, ks = self.memory, self.candidate_ks()
        if len(memory) < 2:
            return np.ones(1)
        own, last = fixed_sample(len(memory), _PROBES), int(ks[-1]) if k is None else min(int(ks[-1]), k)
        window, cells = KernelWindow(self.rule.kernel, last), memory.instances.cells(own)
        found = window.search(memory, cells, threads=self.threads, own=own, whole=False, first=0)
        positive = found.distances[(found.distances > 0) & np.isfinite(found.distances)]
        if not positive.size:
            return np.ones(1)
        times = None if memory.row_weights is None else memory.row_weights[own]
        lists = (found.nearest(n, whole_ties=True) for n in (int(ks[0]) + 1, last))
        near, far = (weighted_median(np.maximum.reduceat(of.distances, of.indptr[:-1]), times) for of in lists)
        high = far if last + 1 < self._stored and 0 < far < np.inf else float(positive.max())
        low = near if 0 < near < high else float(positive.min())
        if not self.rule.kernel.compact:  # where compact kernels end these still have weight
            low /= _TAIL
        return np.unique(np.geomspace(low, max(high, low) * (1 + SLACK), _BANDWIDTHS))


def squared_errors(choice: WindowChoice, windows: Sequence[KernelWindow]) -> tuple[FloatArray, int]:
    """Mean squared error of left-out rows by each window, the widest last, and how many rows were left out."""
    memory, table = choice.memory, local_table(choice.memory)
    per_window = 1 + 4 * int(choice.candidate_ks()[-1]) // len(windows)
    everyone = per_window if windows[-1].kernel.compact else len(memory)
    entries = sum(everyone if window.k is None else window.k for window in windows)
    affordable = _WORK // (entries * (table.n_terms(choice.model.degree) ** 2 + 10))
    own = fixed_sample(len(memory), min(MOST_LEFT_OUT, max(FEWEST_LEFT_OUT, affordable)))
    cells, sums = memory.instances.cells(own), np.zeros(len(windows))
    times = np.ones(own.size) if memory.row_weights is None else memory.row_weights[own]
    for part, found in choice.searches(cells, windows[-1], own=own):
        for i in range(len(windows) - 1, -1, -1):  # each window needs fewer rows than the wider one before
            found = windows[i].narrow(found)
            around = choice.weighed(windows[i], found, cells[part], own[part])
            fits = fit_queries(table, choice.model, cells[part], around, threads=choice.threads)
            with np.errstate(over="ignore"):
                residuals = fits.predictions - table.targets[own[part]]
                sums[i] += float(((residuals * residuals).mean(axis=1) * times[part]).sum())
    return sums / times.sum(), own.size
