"""Kernel windows, which select and weight the rows around a query, with fixed or automatically selected sizes."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, ClassVar, Literal, TypeAlias, cast

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from priorcase._locks import cached_property
from priorcase._numbers import equal_decimals, number
from priorcase._typing import AnyArray, Backend, BoolArray, FloatArray, IntArray
from priorcase.exceptions import (
    FarQueryWarning,
    LocalConvergenceWarning,
    NotAvailableError,
    ParameterError,
    TooFewRowsError,
    listed,
    prefix_errors,
    warn_caller,
)
from priorcase.learning.plotting import MUTED, color, drawing, log_ticks, ring
from priorcase.learning.results import Grid, GridResult, framed
from priorcase.learning.state import reads
from priorcase.local.fits import LEFT_OUT, LocalPolynomial, LocalTable, fit_queries, weighted_median
from priorcase.neighbors.base import COUNT, SEARCH, NeighborsEstimator, NeighborsMemory
from priorcase.neighbors.polling import ENTRIES, Rules, rank, refuse_overflow
from priorcase.neighbors.votes import KernelVote, UniformVote, Vote, summed
from priorcase.relevance.base import fixed_sample
from priorcase.search.index import SLACK, NeighborList
from priorcase.similarity.kernels import KERNELS, Kernel, Uniform, kernel_weights, resolve_kernel

Bandwidth: TypeAlias = float | Literal["loo", "query"] | None

WINDOW_CONSTRAINTS: dict[str, Any] = {
    "n_neighbors": [None, COUNT, StrOptions({"sqrt", "all", "loo"})],
    "bandwidth": [None, Interval(Real, 0, np.inf, closed="neither"), StrOptions({"loo", "query"})],
    "kernel": [StrOptions(set(KERNELS)), callable],
    "span": [None, Interval(Real, 0, 1e100, closed="right")],
    **SEARCH,
}

MOST_LEFT_OUT = 2_000  # fixed sample of rows left out in turn; smaller if fits have many terms
MOST_NEIGHBORS = 1_024  # largest candidate k, unless the local model has more terms
FEWEST_LEFT_OUT = 50
# Candidates: ratio of successive k, number of bandwidths, and factor by which kernels with tails lower the bandwidths.
_RATIO, _BANDWIDTHS, _TAIL = 1.4, 16, 4.0
_PROBES = 100  # rows whose neighbors determine the largest candidate bandwidth
# Number of queries in the first block, when the length of lists is unknown, and maximum growth from block to block.
_FIRST_BLOCK, _GROWTH = 64, 8
# Number of entries of a block if queries have k rows each, so that its arrays stay in the cache between passes.
_ENTRIES = 1 << 16


def warn_queries(kind: type[FarQueryWarning | LocalConvergenceWarning], queries: Sequence[int], text: str) -> None:
    """Issue a warning about queries, which is reported at the user's line of code."""
    warning = kind(text)
    warning.queries = tuple(queries)
    warn_caller(warning)


def named(queries: Sequence[int]) -> str:
    """Return a list of query numbers for messages.

    >>> named([1, 3])
    'queries 1, 3'
    """
    return f"{'query' if len(queries) == 1 else 'queries'} {listed(queries)}"


def warn_far(queries: Sequence[int], n: int, instead: str) -> None:
    """Warn about queries for which no stored row has a positive weight."""
    if queries:
        verb = "is" if len(queries) == 1 else "are"
        text = f"{named(queries)} of {n} {verb} farther than the bandwidth from all stored rows; {instead}. "
        warn_queries(FarQueryWarning, queries, text + "Use a larger bandwidth, or n_neighbors instead of bandwidth.")


@dataclass(frozen=True, eq=False, kw_only=True)
class Neighborhoods(NeighborList):
    """Rows around each query, and the kernel weight of each row."""

    weights: FloatArray  # not multiplied by the counts
    far: BoolArray  # queries without weighted rows: the nearest rows have equal weights

    def masses(self) -> FloatArray:
        """Return the kernel weight of each entry, multiplied by the count (sample weight) of its row."""
        return self.weights if self.counts is None else self.weights * self.counts

    def effective_weights(self) -> FloatArray:
        """Return weights that sum to the effective number of neighbors, ``(sum K)^2 / sum K^2`` (Kish 1965)."""
        queries = self.queries()
        # Relative to the largest weight, so that its square does not underflow.
        weights = self.weights / np.maximum.reduceat(self.weights, self.indptr[:-1])[queries]
        masses = weights if self.counts is None else weights * self.counts
        sums, squares = (summed(queries, part, len(self)) for part in (masses, masses * weights))
        return np.asarray(masses * (sums / squares)[queries])

    def scaled(self, factors: FloatArray) -> Neighborhoods:
        """Multiply kernel weights by a factor for each stored row, except if all weights of a query would become 0."""
        weights = self.weights * factors[self.rows]
        empty = summed(self.queries(), weights, len(self)) == 0
        if empty.any():
            weights = np.where(empty[self.queries()], self.weights, weights)
        return replace(self, weights=weights)

    def take(self, queries: IntArray) -> Neighborhoods:
        """Return the neighborhoods of the given queries, in the given order."""
        lengths = self.lengths[queries]
        indptr = np.concatenate(([0], np.cumsum(lengths)))
        at = np.arange(indptr[-1]) + np.repeat(self.indptr[:-1][queries] - indptr[:-1], lengths)
        counts, far = None if self.counts is None else self.counts[at], self.far[queries]
        return Neighborhoods(indptr, self.rows[at], self.distances[at], counts, weights=self.weights[at], far=far)


def _merged(parts: Sequence[Neighborhoods], places: Sequence[IntArray]) -> Neighborhoods:
    """Join the neighborhoods of groups of queries; ``places`` contains the query positions of each group."""
    names = ["lengths", "rows", "distances", "weights", "far", *([] if parts[0].counts is None else ["counts"])]
    found: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    joined = Neighborhoods(indptr=np.concatenate(([0], np.cumsum(found.pop("lengths")))), **found)
    return joined.take(np.argsort(np.concatenate(places), kind="stable"))


@dataclass(frozen=True, slots=True)
class KernelWindow:
    """Kernel window with weights ``K(d / h)`` for the ``k`` nearest rows and all rows tied with the k-th."""

    kernel: Kernel
    k: int | None  # None for all rows
    bandwidth: float | None = None  # h; None: distance of the first row beyond k, or just beyond the farthest row
    stretch: float | None = None  # h as a multiple of the distance of the k-th nearest row (Cleveland's span)

    @property
    def bounded(self) -> bool:
        """Whether only the rows within a fixed bandwidth have weight."""
        return self.k is None and self.bandwidth is not None and self.kernel.compact

    def search(
        self, memory: NeighborsMemory, cells: FloatArray, *, threads: int, own: IntArray | None, whole: bool, first: int
    ) -> NeighborList:
        """Return the rows needed for this window and any narrower window; for ``own`` and ``whole``, see `rank`."""
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
            near = memory.index.within(fitted, cells, radius, weights=weights, algorithm=algorithm, threads=threads)
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
        """Return neighborhoods of the rows that `search` found; some of their kernel weights may be 0."""
        voters = found if self.k is None else self._nearest(found, self.k)
        if self.bandwidth is not None:
            with np.errstate(over="ignore", under="ignore"):
                u = voters.distances / self.bandwidth
            weights = kernel_weights(self.kernel, u)
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
        """Select the rows needed for this window from the rows found for a wider window."""
        if self.k is not None:
            return found.nearest(self.k + 1, whole_ties=True)
        return _kept(found, found.distances <= cast(float, self.bandwidth)) if self.bounded else found

    def _vote(self) -> Vote:
        """Return the voting rule for the search; for a kernel vote, the search also returns row k + 1."""
        if self.bandwidth is not None or self.stretch is not None or isinstance(self.kernel, Uniform):
            return UniformVote()
        return KernelVote(self.kernel)

    def _nearest(self, found: NeighborList, k: int) -> NeighborList:
        return found.nearest(k, whole_ties=True, bandwidth=self._vote().needs_bandwidth)


def _kept(found: NeighborList, kept: BoolArray) -> NeighborList:
    indptr, counts = np.concatenate(([0], np.cumsum(kept)))[found.indptr], found.counts
    return NeighborList(indptr, found.rows[kept], found.distances[kept], None if counts is None else counts[kept])


def _at_most_one(weights: FloatArray, indptr: IntArray) -> FloatArray:
    """Divide the weights of each query by their maximum if it exceeds 1; if it is infinite, these weights become 1."""
    starts = indptr[:-1][np.diff(indptr) > 0]
    if not starts.size or weights.max() <= 1.0:
        return weights
    lengths = np.diff(np.append(starts, weights.size))
    largest = np.repeat(np.maximum.reduceat(weights, starts), lengths)
    with np.errstate(invalid="ignore", over="ignore"):
        return np.where(np.isinf(largest), np.isinf(weights), weights / np.maximum(largest, 1.0))


@dataclass(frozen=True, repr=False, eq=False)
class LeaveOneOutCurve(GridResult):
    """Table of the leave-one-out mean squared error of each candidate; converts to an array of these errors.

    Parameters
    ----------
    parameter, candidates, errors
        The parameter (``"n_neighbors"`` or ``"bandwidth"``), the values tried in ascending order, and the errors.
    n_left_out, backend
        Number of rows left out in turn, and the data frame library of the training table, or None.

    Examples
    --------
    >>> LeaveOneOutCurve("n_neighbors", np.array([3, 5]), np.array([0.5, 0.25]), 20)
    leave-one-out squared error of 20 rows
      n_neighbors  squared error
                3           0.50
                5           0.25  best
    """

    parameter: str
    candidates: AnyArray
    errors: FloatArray
    n_left_out: int
    backend: Backend | None = None

    _score: ClassVar[str] = "squared error"

    @property
    def scores(self) -> FloatArray:
        """Score of each candidate, which is the squared error for regressors and the log-score for classifiers."""
        return self.errors

    @cached_property
    def best(self) -> Any:
        """Candidate with the lowest error, or the smallest such candidate in a tie."""
        return self.candidates[self._least()].item()

    def __len__(self) -> int:
        return self.errors.size

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        return np.array(self.scores, dtype=dtype)

    def frame(self, backend: Backend | None = None) -> Any:
        """Return a data frame with one row for each candidate; for ``backend``, see `Precedents.frame`."""
        score = self._score.replace(" ", "_").replace("-", "_")
        return framed({self.parameter: self.candidates, score: self.scores}, backend or self.backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """Plot the scores of the candidates with matplotlib; return the axes."""
        with drawing(ax) as ax:
            ax.plot(self.candidates, self.scores, marker="o", color=color(0))
            ax.axvline(self.best, color=MUTED, linewidth=0.9, linestyle=(0, (3, 3)), zorder=1)
            ring(ax, self.best, float(self.scores[self._least()]))
            ax.set(xscale="log", xlabel=self.parameter, ylabel=f"leave-one-out {self._score}")
            log_ticks(ax.xaxis)
            return ax

    def _least(self) -> int:
        return int(np.argmin(np.where(np.isnan(self.errors), np.inf, self.errors)))

    def _grid(self) -> Grid:
        pairs = zip(self.candidates, equal_decimals(self.scores, 5), strict=True)
        lines = [[number(candidate), score, ""] for candidate, score in pairs]
        lines[self._least()][2] = "best"
        title = f"leave-one-out {self._score} of {self.n_left_out:,} row{'s' * (self.n_left_out != 1)}"
        return Grid(title, [self.parameter, self._score, ""], lines, right={0, 1})


class LogScoreCurve(LeaveOneOutCurve):
    """Leave-one-out log-score of each candidate (higher is better); see `LeaveOneOutCurve`.

    ``errors`` are the negative log-scores.

    Examples
    --------
    >>> curve = LogScoreCurve("bandwidth", np.array([0.5, 1.0]), np.array([0.7, 0.6]), 20)
    >>> curve.best, curve.scores
    (1.0, array([-0.7, -0.6]))
    """

    _score: ClassVar[str] = "log-score"

    @property
    def scores(self) -> FloatArray:
        """Log-score of each candidate."""
        return -self.errors


class LocallyWeighted(NeighborsEstimator):
    """Base class of the estimators that fit a local model to the rows in a window around each query."""

    _curve_type: ClassVar[type[LeaveOneOutCurve]] = LeaveOneOutCurve
    _model: LocalPolynomial  # its number of terms determines the smallest candidate k
    kernel: Any
    bandwidth: Any
    span: float | None = None

    @abstractmethod
    def _losses(self, windows: Sequence[KernelWindow]) -> tuple[FloatArray, int]:
        """Return the mean loss of left-out rows for each window (widest last), and the number of left-out rows."""

    def _check_parameters(self) -> None:
        """Raise an error for invalid parameters and for window parameters that would have no effect."""
        super()._check_parameters()
        if isinstance(self.distance, str) and self.distance == "precomputed":
            raise ParameterError(
                "local models need the values of the columns, which distance='precomputed' does not provide. "
                "Pass a distance function of two rows, or use KNNRegressor or KNNClassifier."
            )
        kernel, span = self.kernel, self.span
        given: Any = self.n_neighbors
        h: Any = self.bandwidth
        self._kernel, self._span = resolve_kernel(kernel), None if span is None else float(span)
        self._h: Bandwidth = h if h in (None, "loo", "query") else float(h)
        if span is not None:
            for name, value in (("n_neighbors", given), ("bandwidth", h)):
                if value is not None:
                    raise ParameterError(f"{name} must be None with span, which sets the window size, got {value!r}")
            self._k = None  # determined by the span or for each query
        elif given is None:
            self._k = "loo" if h is None else None if h == "query" else "all"
        elif h == "query" or (h == "loo" and given == "loo"):
            allowed = "None" if h == "query" else "a number, 'sqrt', 'all' or None"
            raise ParameterError(f"n_neighbors must be {allowed} with bandwidth={h!r}, got {given!r}")
        else:
            self._k = given if given in ("sqrt", "all", "loo") else int(given)

    @property
    def _chooses(self) -> bool:
        """Whether leave-one-out selects a parameter once for all queries."""
        return "loo" in (self._k, self._h)

    def _finish_fit(self) -> None:
        super()._finish_fit()
        if self._chooses:
            _ = self.loo_curve_

    @property
    @reads
    def n_neighbors_(self) -> int:
        """Number of nearest rows in each fit; not available with ``bandwidth="query"``."""
        if isinstance(self._k, int):
            return self._k
        stored = self._n_stored()
        if self._span is not None:
            return min(stored, max(1, math.floor(self._span * stored + 1e-5)))
        if self._k is None:
            raise NotAvailableError(
                "n_neighbors_ is not available with bandwidth='query': each query has its own number of neighbors"
            )
        if self._k == "loo":
            return int(self.loo_curve_.best)
        return math.isqrt(stored) if self._k == "sqrt" else stored

    @property
    @reads
    def bandwidth_(self) -> float:
        """Bandwidth, set or selected by leave-one-out; available only if all queries have the same bandwidth."""
        if (h := self._bandwidth()) is None:
            raise NotAvailableError(
                f"bandwidth_ is available only if bandwidth is a number or 'loo', got {self._given()}"
            )
        return h

    @property
    @reads
    def loo_curve_(self) -> LeaveOneOutCurve:
        """Leave-one-out scores of the candidates; available only if a parameter is ``"loo"``."""
        if not self._chooses:
            raise NotAvailableError(f"loo_curve_ needs n_neighbors='loo' or bandwidth='loo', got {self._given()}")
        return self._stored().cached("loo", self._curve)

    @property
    @reads
    def relearns_(self) -> bool:
        """Whether leave-one-out without ``relearn=True`` sees targets, through weights or selected parameters."""
        return self._stored().learns_from_targets or self._chooses

    def _given(self) -> str:
        given = f"n_neighbors={self._k!r} and bandwidth={self._h!r}"
        return given if self._span is None else f"span={self._span!r}"

    def _local_table(self) -> LocalTable:
        memory = self._stored()
        return memory.cached("local table", lambda: LocalTable.of(memory))

    def _n_stored(self) -> int:
        """Return the total weight of the stored rows, rounded down, but at least 1."""
        return max(1, int(self._stored().total_weight * (1 + SLACK)))

    def _bandwidth(self) -> float | None:
        if self._h == "loo":
            return float(self.loo_curve_.best)
        return None if isinstance(self._h, str) else self._h

    def _window(self) -> KernelWindow:
        """Return the window, or the widest candidate if each query has its own bandwidth."""
        memory, k = self._stored(), self._k
        if self._span is not None:
            columns = int((~self._local_table().ignored).sum())
            return KernelWindow(self._kernel, self.n_neighbors_, stretch=max(1.0, self._span) ** (1 / columns))
        if self._h == "query":
            return KernelWindow(self._kernel, int(self._candidate_ks()[-1]))
        if isinstance(k, int) and k > memory.total_weight * (1 + SLACK):
            raise TooFewRowsError(
                f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {k}, n_samples_fit = "
                f"{memory.total_weight:g}. Use a smaller n_neighbors, add rows, or use n_neighbors='sqrt'."
            )
        k = None if k == "all" else k if isinstance(k, int) else self.n_neighbors_
        return KernelWindow(self._kernel, k, self._bandwidth())

    def _check_left_out(self) -> None:
        """Raise an error if ``n_neighbors`` exceeds the number of rows other than the left-out row."""
        memory, k = self._stored(), self._k
        heaviest = 1.0 if memory.row_weights is None else float(memory.row_weights.max())
        if isinstance(k, int) and k > (memory.total_weight - heaviest) * (1 + SLACK):
            raise TooFewRowsError(
                f"Expected n_neighbors < n_samples_fit, but n_neighbors = {k}, n_samples_fit = "
                f"{memory.total_weight:g}. A row is not its own neighbor. Use a smaller n_neighbors, or add rows."
            )

    # -- neighborhoods of queries

    def _neighborhoods(
        self, cells: FloatArray, *, own: IntArray | None = None, whole: bool = False
    ) -> Iterator[tuple[slice, Neighborhoods]]:
        """Yield neighborhoods of queries, block by block; the rows ``own`` are left out as in `KernelWindow.search`."""
        window = self._window()
        for part, found in self._searches(cells, window, own=own, whole=whole):
            if self._h == "query":
                yield part, self._best_of_each_query(found, cells[part], window)
            else:
                yield part, self._weighed(window, found, cells[part], None if own is None else own[part], whole)

    def _left_out(
        self, cells: FloatArray, own: IntArray, windows: Sequence[KernelWindow]
    ) -> Iterator[tuple[slice, int, Neighborhoods]]:
        """Yield neighborhoods of left-out rows for each window; only the last and widest window needs a search."""
        for part, found in self._searches(cells, windows[-1], own=own):
            for i in range(len(windows) - 1, -1, -1):  # each window needs a subset of the rows of the wider one
                found = windows[i].narrow(found)
                yield part, i, self._weighed(windows[i], found, cells[part], own[part])

    def _searches(
        self, cells: FloatArray, window: KernelWindow, *, own: IntArray | None = None, whole: bool = False
    ) -> Iterator[tuple[slice, NeighborList]]:
        """Search the rows around queries with `KernelWindow.search`, in blocks that limit the use of memory."""
        memory, threads, entries = self._stored(), self._threads(), ENTRIES if window.k is None else _ENTRIES
        start, most = 0, max(1, entries // (window.k or len(memory)))
        size = min(_FIRST_BLOCK * threads, most)
        if window.bounded:
            most = ENTRIES  # blocks grow while only a few of many rows lie within the bandwidth
        while start < len(cells):
            part = slice(start, min(start + size, len(cells)))
            left_out = None if own is None else own[part]
            found = window.search(memory, cells[part], threads=threads, own=left_out, whole=whole, first=start)
            yield part, found
            start = part.stop
            size = max(1, min(most, _GROWTH * size, entries * len(found) // max(found.rows.size, 1)))

    def _weighed(
        self, window: KernelWindow, found: NeighborList, cells: FloatArray, own: IntArray | None, whole: bool = False
    ) -> Neighborhoods:
        """Return the neighborhoods in a window; if all weights of a query are 0, its nearest rows get equal weights."""
        around = window.weigh(found)
        if not around.far.any():
            return around
        far, near, nearest = np.flatnonzero(around.far), np.flatnonzero(~around.far), KernelWindow(Uniform(), 1)
        own = None if own is None else own[far]
        rows = nearest.search(self._stored(), cells[far], threads=self._threads(), own=own, whole=whole, first=0)
        instead = replace(nearest.weigh(rows), far=np.ones(far.size, dtype=bool))
        return _merged([around.take(near), instead], [near, far])

    def _best_of_each_query(self, found: NeighborList, cells: FloatArray, window: KernelWindow) -> Neighborhoods:
        """Return for each query the neighborhood in which the local fit has the smallest leave-one-out error."""
        table, around = self._local_table(), list[Neighborhoods]()
        for k in self._candidate_ks()[::-1].tolist():
            candidate = replace(window, k=k)
            found = candidate.narrow(found)
            around.insert(0, candidate.weigh(found))
        errors = np.empty((len(around), len(found)))
        for i, part in enumerate(around):
            fits = fit_queries(table, self._model, cells, part, want=LEFT_OUT, threads=self._threads())
            with np.errstate(over="ignore"):
                errors[i] = fits.answers["loo"].mean(axis=1)
        chosen = np.where(np.isnan(errors), np.inf, errors).argmin(axis=0)
        groups = [np.flatnonzero(chosen == i) for i in range(len(around))]
        return _merged([part.take(group) for part, group in zip(around, groups, strict=True)], groups)

    # -- selection by leave-one-out

    def _curve(self) -> LeaveOneOutCurve:
        by_k, h = self._k == "loo", None if isinstance(self._h, str) else self._h
        k = None if by_k or self._k == "all" else self.n_neighbors_
        candidates: AnyArray = self._candidate_ks() if by_k else self._candidate_bandwidths(k)
        pairs = [(c, h) if by_k else (k, c) for c in candidates.tolist()]
        windows = [KernelWindow(self._kernel, *pair) for pair in pairs]
        errors, n = self._losses(windows) if len(self._stored()) > 1 else (np.zeros(candidates.size), 0)
        errors.flags.writeable = candidates.flags.writeable = False  # cached and returned
        return self._curve_type("n_neighbors" if by_k else "bandwidth", candidates, errors, n, self._backend)

    def _candidate_ks(self) -> IntArray:
        """Return the numbers of neighbors to try: the minimum for a fit, about 1.4 times as many, and so on."""
        terms = self._local_table().n_terms(self._model.degree)
        last = min(max(1, self._n_stored() - 1), max(MOST_NEIGHBORS, 4 * terms))
        first = min(last, 1 if self._model.degree == 0 else terms + 2)
        steps = 1 + max(0, round(np.log(last / first) / np.log(_RATIO)))
        return np.unique(np.round(np.geomspace(first, last, steps)).astype(np.int64))

    def _candidate_bandwidths(self, k: int | None) -> FloatArray:
        """Return the bandwidths to try; the narrowest contains barely enough rows for a typical fit."""
        memory, ks = self._stored(), self._candidate_ks()
        if len(memory) < 2:
            return np.ones(1)
        own, last = fixed_sample(len(memory), _PROBES), int(ks[-1]) if k is None else min(int(ks[-1]), k)
        window, cells = KernelWindow(self._kernel, last), memory.instances.cells(own)
        found = window.search(memory, cells, threads=self._threads(), own=own, whole=False, first=0)
        positive = found.distances[(found.distances > 0) & np.isfinite(found.distances)]
        if not positive.size:
            return np.ones(1)
        times = None if memory.row_weights is None else memory.row_weights[own]
        lists = (found.nearest(n, whole_ties=True) for n in (int(ks[0]) + 1, last))
        near, far = (weighted_median(np.maximum.reduceat(of.distances, of.indptr[:-1]), times) for of in lists)
        high = far if last + 1 < self._n_stored() and 0 < far < np.inf else float(positive.max())
        low = near if 0 < near < high else float(positive.min())
        if not self._kernel.compact:  # kernels with tails give weight beyond the bandwidth
            low /= _TAIL
        return np.unique(np.geomspace(low, max(high, low) * (1 + SLACK), _BANDWIDTHS))
