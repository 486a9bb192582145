"""The kernel window of a local model: given by parameters, or chosen by leave-one-out.

All candidates share one search: the neighbours of the widest window contain those of the narrower ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from priorcase._parameters import check_value
from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.exceptions import NotAvailableError, ParameterError, TooFewRowsError, quoted
from priorcase.learning.frames import Backend
from priorcase.learning.progress import bar
from priorcase.local.fits import LEFT_OUT, LocalPolynomial, fit_queries, local_table, weighted_median
from priorcase.local.models import ClassRows, LocalModel, probabilities
from priorcase.local.neighborhoods import (
    KernelWindow,
    Neighborhoods,
    merged,
    neighborhoods,
    searches,
    with_nearest,
)
from priorcase.local.results import LeaveOneOutCurve
from priorcase.neighbors.base import NeighborsMemory
from priorcase.neighbors.votes import SLACK, NeighborList
from priorcase.relevance.base import fixed_sample
from priorcase.similarity.kernels import KERNELS, Kernel, resolve_kernel

NNeighbors: TypeAlias = int | Literal["sqrt", "all", "loo"]
Bandwidth: TypeAlias = float | Literal["loo", "query"] | None

COUNT = [Interval(Integral, 1, None, closed="left")]
WINDOW_CONSTRAINTS: dict[str, Any] = {
    "n_neighbors": [None, *COUNT, StrOptions({"sqrt", "all", "loo"})],
    "bandwidth": [None, Interval(Real, 0, np.inf, closed="neither"), StrOptions({"loo", "query"})],
    "kernel": [StrOptions(set(KERNELS)), callable],
    "span": [None, Interval(Real, 0, 1e100, closed="right")],
}

MOST_LEFT_OUT = 2_000
"""How many rows are left out in turn, always the same ones; fewer where fits have many terms."""

MOST_NEIGHBORS = 1_024
"""The largest k that is tried, unless the local model has so many terms that it needs more."""

# Candidates: the ratio of successive k, the number of bandwidths, and how far below h kernels with tails begin.
_RATIO = 1.4
_BANDWIDTHS = 16
_TAIL = 4.0
# Rows whose neighbours determine the largest bandwidth to try.
_PROBES = 100
# Regression: multiplications, roughly, that a choice may cost (seconds), and the fewest rows left out.
_WORK = 5_000_000_000
_FEWEST_LEFT_OUT = 50
# Classification: rows left out between two steps of the progress bar; the most distances where all rows count.
_AT_ONCE = 128
_DISTANCES = 50_000_000
# A probability of 0 costs as much as this one, so that candidates with fewer of them are better.
_LEAST = float(np.finfo(np.float64).tiny)


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
    """The window on the rows stored now.

    ``model`` is the polynomial whose number of terms determines the smallest k to try. ``losses`` gives the mean
    leave-one-out losses of some windows, the widest last, and the number of rows left out.
    """

    rule: WindowRule
    memory: NeighborsMemory
    model: LocalPolynomial
    threads: int
    losses: Callable[[WindowChoice, Sequence[KernelWindow]], tuple[FloatArray, int]]
    curve_type: type[LeaveOneOutCurve]
    backend: Backend | None

    def n_neighbors(self) -> int:
        """The number of neighbours, given or chosen."""
        rule, stored = self.rule, max(1, int(self.memory.total_weight * (1 + SLACK)))
        if rule.span is not None:
            return min(stored, max(1, math.floor(rule.span * stored + 1e-5)))
        if isinstance(rule.k, int):
            return rule.k
        if rule.k is None:
            raise NotAvailableError("n_neighbors_ differs from query to query with bandwidth='query'")
        if rule.k == "loo":
            return int(self._chosen())
        return math.isqrt(stored) if rule.k == "sqrt" else stored

    def bandwidth(self) -> float:
        """The bandwidth, given or chosen, where it is one number for all queries."""
        if (h := self._bandwidth()) is None:
            raise NotAvailableError(f"bandwidth_ needs one bandwidth for all queries, not {self.rule}")
        return h

    def loo_scores(self) -> LeaveOneOutCurve:
        """The curve of what was chosen by leave-one-out."""
        if not self.rule.chooses:
            raise NotAvailableError(f"loo_scores_ needs n_neighbors='loo' or bandwidth='loo', not {self.rule}")
        return self.curve()

    def n_listed(self, n_neighbors: int | None) -> int:
        """How many neighbours `kneighbors` lists."""
        if n_neighbors is not None:
            check_value("n_neighbors", n_neighbors, COUNT)
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

    def curve(self) -> LeaveOneOutCurve:
        """The leave-one-out losses of all candidates, by fits without robustness weights."""
        return self.memory.cached("loo", self._curve)

    def _chosen(self) -> Any:
        return self.memory.cached("loo best", lambda: self.curve().best)

    def _bandwidth(self) -> float | None:
        if self.rule.bandwidth == "loo":
            return float(self._chosen())
        return None if isinstance(self.rule.bandwidth, str) else self.rule.bandwidth

    def _curve(self) -> LeaveOneOutCurve:
        by_k, kernel = self.rule.k == "loo", self.rule.kernel
        width = None if isinstance(self.rule.bandwidth, str) else self.rule.bandwidth
        k = None if by_k or self.rule.k == "all" else self.n_neighbors()
        candidates: AnyArray = self.candidate_ks() if by_k else self.candidate_bandwidths(k)
        windows = [KernelWindow(kernel, c, width) if by_k else KernelWindow(kernel, k, c) for c in candidates.tolist()]
        errors, n = np.zeros(candidates.size), 0
        if len(self.memory) > 1:
            errors, n = self.losses(self, windows)
        errors.flags.writeable = candidates.flags.writeable = False  # cached and handed out
        return self.curve_type("n_neighbors" if by_k else "bandwidth", candidates, errors, n, self.backend)

    def candidate_ks(self) -> IntArray:
        """Numbers of neighbours to try, each about 1.4 times the last, from as many as a fit needs."""
        most = max(1, int(self.memory.total_weight * (1 + SLACK)) - 1)
        terms = local_table(self.memory).n_terms(self.model.degree)
        last = min(most, max(MOST_NEIGHBORS, 4 * terms))
        first = min(last, 1 if self.model.degree == 0 else terms + 2)
        steps = 1 + max(0, round(np.log(last / first) / np.log(_RATIO)))
        return np.unique(np.round(np.geomspace(first, last, steps)).astype(np.int64))

    def candidate_bandwidths(self, k: int | None) -> FloatArray:
        """Bandwidths to try: from barely enough rows for a typical fit to the most that are tried."""
        memory, ks = self.memory, self.candidate_ks()
        if len(memory) < 2:
            return np.ones(1)
        own, last = fixed_sample(len(memory), _PROBES), int(ks[-1]) if k is None else min(int(ks[-1]), k)
        window = KernelWindow(self.rule.kernel, last)
        found = window.search(memory, memory.instances.cells(own), threads=self.threads, own=own)
        positive = found.distances[(found.distances > 0) & np.isfinite(found.distances)]
        if not positive.size:
            return np.ones(1)
        times = None if memory.row_weights is None else memory.row_weights[own]
        near, far = (weighted_median(_farthest(found, n), times) for n in (int(ks[0]) + 1, last))
        everyone = last + 1 >= int(memory.total_weight * (1 + SLACK))
        high = far if not everyone and 0 < far < np.inf else float(positive.max())
        low = near if 0 < near < high else float(positive.min())
        if not self.rule.kernel.compact:  # where compact kernels end these still have weight
            low /= _TAIL
        return np.unique(np.geomspace(low, max(high, low) * (1 + SLACK), _BANDWIDTHS))

    def neighborhoods(
        self, cells: FloatArray, *, own: IntArray | None = None, whole: bool = False
    ) -> Iterator[tuple[slice, Neighborhoods]]:
        """The neighbourhoods of queries, block by block; ``own`` rows are left out as in `KernelWindow.search`."""
        memory, window, threads = self.memory, self.window(), self.threads
        if self.rule.bandwidth != "query":
            yield from neighborhoods(memory, cells, window, threads=threads, own=own, whole=whole)
            return
        for part, found in searches(memory, cells, window, threads=threads, own=own, whole=whole):
            yield part, self._best_of_each_query(found, cells[part], window)

    def _best_of_each_query(self, found: NeighborList, cells: FloatArray, window: KernelWindow) -> Neighborhoods:
        """For each query the neighbourhood with the least leave-one-out error of the local fit."""
        ks, table = self.candidate_ks(), local_table(self.memory)
        around: list[Neighborhoods] = []
        for k in ks[::-1].tolist():
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
        groups = [np.flatnonzero(chosen == i) for i in range(len(ks))]
        return merged([part.take(group) for part, group in zip(around, groups, strict=True)], groups)


def _farthest(found: NeighborList, k: int) -> FloatArray:
    """The distance of the k-th nearest row of each query, or of the farthest."""
    near = found.nearest(k, whole_ties=True)
    return np.asarray(np.maximum.reduceat(near.distances, near.indptr[:-1]))


def squared_errors(choice: WindowChoice, windows: Sequence[KernelWindow]) -> tuple[FloatArray, int]:
    """Mean squared error of left-out rows by each window, the widest last, and how many rows were left out."""
    memory, threads, table = choice.memory, choice.threads, local_table(choice.memory)
    per_window = 1 + 4 * int(choice.candidate_ks()[-1]) // len(windows)
    everyone = per_window if windows[-1].kernel.compact else len(memory)
    entries = sum(everyone if window.k is None else window.k for window in windows)
    affordable = _WORK // (entries * (table.n_terms(choice.model.degree) ** 2 + 10))
    own = fixed_sample(len(memory), min(MOST_LEFT_OUT, max(_FEWEST_LEFT_OUT, affordable)))
    cells, sums = memory.instances.cells(own), np.zeros(len(windows))
    times = np.ones(own.size) if memory.row_weights is None else memory.row_weights[own]
    for part, found in searches(memory, cells, windows[-1], threads=threads, own=own):
        for i in range(len(windows) - 1, -1, -1):  # each window needs fewer rows than the wider one before
            found = windows[i].narrow(found)
            around = with_nearest(memory, cells[part], windows[i].weigh(found), threads=threads, own=own[part])
            fits = fit_queries(table, choice.model, cells[part], around, threads=threads)
            with np.errstate(over="ignore"):
                residuals = fits.predictions - table.targets[own[part]]
                sums[i] += float(((residuals * residuals).mean(axis=1) * times[part]).sum())
    return sums / times.sum(), own.size


def log_losses(
    model: LocalModel, rows: ClassRows, choice: WindowChoice, windows: Sequence[KernelWindow]
) -> tuple[FloatArray, int]:
    """Mean log-loss of left-out rows by each window, the widest last, and how many rows were left out."""
    memory, threads, widest, most = choice.memory, choice.threads, windows[-1], MOST_LEFT_OUT
    if widest.k is None and not widest.kernel.compact:
        most = min(most, max(_FEWEST_LEFT_OUT, _DISTANCES // len(memory)))
    left_out = fixed_sample(len(memory), most)
    times = np.ones(left_out.size) if memory.row_weights is None else memory.row_weights[left_out]
    sums, starts = np.zeros(len(windows)), range(0, left_out.size, _AT_ONCE)
    with bar(len(starts), shown=True, text="leave-one-out") as advance:
        for start in starts:
            own = left_out[start : start + _AT_ONCE]
            cells, losses = memory.instances.cells(own), np.empty((len(windows), own.size))
            for part, found in searches(memory, cells, widest, threads=threads, own=own):
                asked, numbers = cells[part], own[part]
                for i, window in enumerate(windows):
                    around = with_nearest(memory, asked, window.weigh(found), threads=threads, own=numbers)
                    shares = probabilities(model, rows, asked, around, numbers=numbers, threads=threads)
                    true = shares[np.arange(numbers.size), rows.codes[numbers]]
                    losses[i, part] = -np.log(np.maximum(true, _LEAST))
            sums += (losses * times[start : start + _AT_ONCE]).sum(axis=1)
            advance("leave-one-out")
    return sums / times.sum(), left_out.size
