"""Networks of radial basis functions: the network, its fit in three steps, and the base of the two estimators."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, cast

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from priorcase._parameters import as_python
from priorcase._typing import BoolArray, FloatArray, IntArray
from priorcase.exceptions import FarQueryWarning, NumericRangeError, ParameterError, listed
from priorcase.learning.decoding import attribute_names
from priorcase.learning.frames import framed, free_label
from priorcase.learning.left_out import LeavesOneOut
from priorcase.learning.parameters import check_seed
from priorcase.learning.progress import Advance, bar
from priorcase.learning.sorted_rows import SortedRows, sort_rows
from priorcase.learning.state import reads
from priorcase.local.neighborhoods import warn
from priorcase.local.rbf.centers import (
    KMEANS_ITERATIONS,
    CenterKind,
    Centers,
    WidthRule,
    candidate_widths,
    center_count,
    find_centers,
    gaussian,
    row_blocks,
)
from priorcase.local.rbf.output_layer import Criterion, RidgeCurve, Spectrum, Triangle
from priorcase.neighbors.base import NeighborsEstimator
from priorcase.schema import Numeric
from priorcase.search import Algorithm

SMALLEST_ACTIVATION = 1e-6
"""Where all activations are below this a query is far from the network, and its output is the intercept."""

_SMALLEST_ALPHA, _SMALLEST_SPREAD = 1e-100, 1e-100
_SHOWN_FROM = 1 << 24  # activations from which on a progress bar is shown


@dataclass(frozen=True, slots=True)
class Design:
    """The parameters of a network, as of its fit."""

    n_centers: int | Literal["auto"]
    centers: CenterKind
    width: WidthRule | float
    alpha: Criterion | float
    seed: int

    @property
    def criterion(self) -> Criterion:
        """What widths and penalties are chosen by."""
        return "loo" if self.alpha == "loo" else "gcv"


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """``f(x) = b + sum_u w_u exp(-d^2(x, c_u) / (2 sigma_u^2))`` (Mitchell 1997, eq. 8.8).

    ``weights`` has shape (centres, targets), ``intercept`` a number for each target.
    """

    centers: Centers
    widths: FloatArray
    weights: FloatArray
    intercept: FloatArray
    alpha: float
    spectrum: Spectrum
    curve: RidgeCurve

    def activations(self, cells: FloatArray, *, threads: int = 1) -> FloatArray:
        """The activation of each centre for each row, shape (rows, centres)."""
        return gaussian(self.centers.squares(cells, threads=threads), self.widths)

    def outputs(self, cells: FloatArray, *, threads: int = 1) -> tuple[FloatArray, BoolArray]:
        """The outputs for each row, shape (rows, targets), and which rows are far from all centres."""
        result, far = np.empty((len(cells), self.intercept.size)), np.empty(len(cells), dtype=bool)
        for part in row_blocks(len(cells), len(self.centers)):
            activations = np.ascontiguousarray(self.activations(cells[part], threads=threads).T)
            far[part] = activations.max(axis=0) < SMALLEST_ACTIVATION
            for t, intercept in enumerate(self.intercept.tolist()):
                # One centre after the other: a product of matrices adds up a row alone and in a batch differently.
                total = np.full(activations.shape[1], intercept)
                for activation, weight in zip(activations, self.weights[:, t].tolist(), strict=True):
                    total += weight * activation
                result[part, t] = total
        return result, far

    def left_out(self, rows: SortedRows, *, threads: int = 1, whole: bool = False) -> FloatArray:
        """Leave-one-out residual of each row, for centres, widths and penalty as they are, shape (rows, targets)."""
        result, alphas = np.empty_like(rows.targets), np.array([self.alpha])
        for part in row_blocks(len(rows), len(self.centers)):
            phi = self.activations(rows.cells[part], threads=threads)
            result[part] = self.spectrum.left_out(phi, rows.targets[part], rows.weights[part], alphas, whole=whole)[0]
        return result


def fit_network(
    rows: SortedRows, strata: Callable[[int], IntArray], like: Centers, design: Design, *, threads: int
) -> Network:
    """Find centres, then widths, then the weights of the output layer; ``like`` are any centres, for the distance."""
    spread = np.ptp(rows.targets, axis=0)
    if ((spread > 0.0) & (spread < _SMALLEST_SPREAD)).any():
        raise NumericRangeError(
            f"targets differ by less than {_SMALLEST_SPREAD}, and squares of that vanish in float64. Multiply y by a "
            "power of ten."
        )
    count = center_count(design.n_centers, design.centers, rows.distinct())
    blocks = _blocks(len(rows), count)
    steps = KMEANS_ITERATIONS + 2 + (1 + (design.criterion == "loo")) * len(blocks)
    with bar(steps, shown=len(rows) * count >= _SHOWN_FROM, text="network") as advance:
        groups = strata(count) if design.centers == "stratified" else np.zeros(len(rows), np.int64)
        centers, mixture = find_centers(
            design.centers, count, rows, groups, like, seed=design.seed, threads=threads, advance=advance
        )
        widths = candidate_widths(design.width, centers, rows, mixture, threads=threads)
        advance("widths")
        spectra = _decompositions(rows, centers, widths, threads, advance)
        alphas = [s.penalties() if isinstance(design.alpha, str) else np.array([design.alpha]) for s in spectra]
        if design.criterion == "gcv":
            scores = [np.array([s.gcv(a) for a in tried.tolist()]) for s, tried in zip(spectra, alphas, strict=True)]
        else:
            scores = _left_out_scores(rows, centers, widths, spectra, alphas, threads, advance)
    if design.alpha == 0.0 and len(widths) > 1:
        # Bumps so wide that float64 cannot tell them apart pass through nothing, however good it looks.
        scores = [np.where(s.dependent, np.inf, score) for s, score in zip(spectra, scores, strict=True)]
    of = np.repeat(np.arange(len(widths)), [tried.size for tried in alphas]).tolist()
    all_alphas, all_scores = np.concatenate(alphas), np.concatenate(scores)
    chosen = int(all_scores.argmin())
    curve = RidgeCurve(
        criterion=design.criterion,
        widths=np.array([widths[i].mean() for i in of]),
        alphas=all_alphas,
        freedom=np.array([spectra[i].freedom(a) for i, a in zip(of, all_alphas.tolist(), strict=True)]),
        scores=all_scores,
        chosen=chosen,
    )
    best, alpha = spectra[of[chosen]], float(all_alphas[chosen])
    weights = best.weights(alpha)
    intercept = best.target_means - best.means @ weights
    return Network(centers, widths[of[chosen]], weights, intercept, alpha, best, curve)


def _decompositions(
    rows: SortedRows, centers: Centers, widths: Sequence[FloatArray], threads: int, advance: Advance
) -> list[Spectrum]:
    """The decomposition of the activations with each of some widths, in one pass."""
    triangles = [Triangle(len(centers), rows.targets.shape[1]) for _ in widths]
    for part in _blocks(len(rows), len(centers)):
        squares = centers.squares(rows.cells[part], threads=threads)
        for triangle, width in zip(triangles, widths, strict=True):
            triangle.add(gaussian(squares, width), rows.targets[part], rows.weights[part])
        advance("output layer")
    return [triangle.spectrum() for triangle in triangles]


def _left_out_scores(
    rows: SortedRows,
    centers: Centers,
    widths: Sequence[FloatArray],
    spectra: Sequence[Spectrum],
    alphas: Sequence[FloatArray],
    threads: int,
    advance: Advance,
) -> list[FloatArray]:
    """Leave-one-out mean squared error for each width and penalty, in one pass."""
    totals = [np.zeros(tried.size) for tried in alphas]
    for part in _blocks(len(rows), len(centers)):
        squares, weights = centers.squares(rows.cells[part], threads=threads), rows.weights[part]
        for total, width, spectrum, tried in zip(totals, widths, spectra, alphas, strict=True):
            errors = spectrum.left_out(gaussian(squares, width), rows.targets[part], weights, tried)
            total += ((errors * errors).sum(axis=2) * weights).sum(axis=1)
        advance("leave one out")
    return [total / spectra[0].total for total in totals]


def _blocks(n: int, centers: int) -> list[slice]:
    """Blocks of rows, each no smaller than the triangle kept of the rows before."""
    size = max(2_048, 2 * centers)
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


class RBFNetwork(LeavesOneOut, NeighborsEstimator):
    """Base of the two networks.

    The rows are kept; the network is fitted when it is first needed after a change, so that it is that of a fresh fit.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_centers": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "centers": [StrOptions({"kmeans", "em", "random", "stratified", "all"})],
        "width": [
            StrOptions({"auto", "common", "neighbors", "em"}),
            Interval(Real, 0, None, closed="neither"),
        ],
        "alpha": [StrOptions({"gcv", "loo"}), Interval(Real, 0, 1e100, closed="both")],
        "random_state": ["random_state"],
    }

    n_centers: Any
    centers: Any
    width: Any
    alpha: Any
    random_state: Any
    algorithm: Algorithm = "auto"
    _design: Design

    @property
    @reads
    def centers_(self) -> Any:
        """The centres as a frame with a row for each, of the library fitted with or the installed one."""
        centers, instances = self._network().centers, self._stored().instances
        columns: dict[str, Any] = {}
        for a, name in enumerate(attribute_names(instances.schema)):
            column = centers.cells[:, a]
            if isinstance(instances.schema.kinds[a], Numeric):
                shown: Any = column.copy()
            else:
                values = instances.values(a)
                shown = [None if cell != cell else values[int(cell)] for cell in column.tolist()]
            columns[free_label(str(name), columns)] = shown
        return framed(columns, self._backend)

    @property
    @reads
    def n_centers_(self) -> int:
        """The number of centres."""
        return len(self._network().centers)

    @property
    @reads
    def widths_(self) -> FloatArray:
        """The width sigma of each centre, in units of the distance."""
        return self._network().widths.copy()

    @property
    @reads
    def alpha_(self) -> float:
        """The penalty of the weights."""
        return self._network().alpha

    @property
    @reads
    def curve_(self) -> RidgeCurve:
        """The widths and penalties tried, and their estimates; prints as a table."""
        return replace(self._network().curve, backend=self._backend)

    @reads
    def activations(self, X: Any) -> FloatArray:
        """The activation of each centre for each query, ``exp(-d^2 / (2 sigma^2))``, shape (queries, centres)."""
        network, cells = self._network(), self._cells(X)
        return network.activations(cells, threads=self._threads())

    # -- for subclasses

    @abstractmethod
    def _learned(self) -> FloatArray:
        """The targets of the stored rows as numbers, shape (rows, outputs)."""

    @abstractmethod
    def _strata(self, rows: SortedRows, count: int) -> IntArray:
        """Groups of rows that centres are drawn from in proportion."""

    def _network(self) -> Network:
        """The network of the rows stored now."""
        memory = self._answering()

        def compute() -> Network:
            rows = self._rows()
            like = Centers(memory.instances, memory.fitted, memory.attribute_weights, rows.cells[:1])
            return fit_network(rows, lambda n: self._strata(rows, n), like, self._design, threads=self._threads())

        return memory.cached("network", compute)

    def _rows(self) -> SortedRows:
        return sort_rows(self._stored().instances, self._learned())

    def _outputs_of(self, X: Any) -> FloatArray:
        """The outputs for queries, shape (queries, outputs); one warning lists those far from all centres."""
        cells = self._cells(X)
        outputs, far = self._network().outputs(cells, threads=self._threads())
        if far.any():
            queries = np.flatnonzero(far).tolist()
            warning = FarQueryWarning(
                f"no centre is near {'query' if len(queries) == 1 else 'queries'} {listed(queries)} of {len(cells)}; "
                "the intercept alone is predicted there. Use a larger width, or a local model."
            )
            warning.queries = tuple(queries)
            warn(warning)
        return outputs

    def _left_out(self, *, whole: bool = False) -> FloatArray:
        """Leave-one-out residuals of the stored rows, in id order, shape (rows, outputs)."""
        network, rows = self._network(), self._rows()
        result = np.empty_like(rows.targets)
        result[rows.positions] = network.left_out(rows, threads=self._threads(), whole=whole)
        return result

    def _loo_outputs(self, relearn: bool) -> FloatArray:
        """The outputs for each stored row without it, in id order, shape (rows, outputs)."""
        if not self._leaving(relearn):
            return self._learned() - self._left_out(whole=True)
        found = np.empty_like(self._learned())
        for row, other, cells in self._refits():
            found[row] = other._network().outputs(cells, threads=1)[0][0]
        return found

    def _chooses(self) -> bool:
        by_score = isinstance(self._design.alpha, str) or self._design.width == "auto"
        # Without a penalty a row may be predicted by a centre at itself alone, which must go with the row.
        own_center = self._design.alpha == 0.0 or self._design.centers == "stratified"
        return by_score or own_center or self._stored().learns_from_targets

    def _finish_fit(self) -> None:
        self._network()

    def _how_many(self, n_neighbors: int | None) -> int:
        return 1 if n_neighbors is None else super()._how_many(n_neighbors)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.centers == "all" and self.n_centers != "auto":
            raise ParameterError(f"n_centers must be 'auto' with centers='all', got {self.n_centers!r}")
        if self.width == "em" and self.centers != "em":
            raise ParameterError("width='em' needs centers='em': the widths are those of the mixture of the inputs")
        if not isinstance(self.alpha, str) and 0 < self.alpha < _SMALLEST_ALPHA:
            raise ParameterError(f"alpha must be 0 or from {_SMALLEST_ALPHA} to 1e100, got {self.alpha!r}")
        plain = [
            value if isinstance(value, str) else as_python(value) for value in (self.n_centers, self.width, self.alpha)
        ]
        n_centers, width, alpha = cast(Any, plain)
        self._design = Design(n_centers, self.centers, width, alpha, check_seed(self.random_state))

    def _check_rows(self) -> None:
        super()._check_rows()
        if self._stored().local_weights:
            raise ParameterError(
                "attribute_weights must be the same for all queries, since the centres of a network serve all of them. "
                "Use LeaveOneOut() without local=True."
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
