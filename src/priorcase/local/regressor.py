"""Locally weighted regression on mixed rows: the estimator, its coefficients and its precedents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self, TypeAlias, overload

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils._param_validation import Interval, StrOptions

from priorcase._parameters import check_value
from priorcase._typing import AnyArray, Backend, FloatArray, IntArray, Name, Value
from priorcase.exceptions import ParameterError, TooFewRowsError, UnsettledFitWarning, listed
from priorcase.learning import results
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.resampling import blocks, needs_refits, refits
from priorcase.learning.state import reads
from priorcase.learning.targets import learned_numbers
from priorcase.local import windows
from priorcase.local.fits import (
    COEFFICIENTS,
    HAT_ROWS,
    STATISTICS,
    Fits,
    GradientDescent,
    LocalPolynomial,
    descend,
    fit_queries,
    robustness_weights,
)
from priorcase.neighbors.base import GivenWeights, NNeighbors, needs_one_target
from priorcase.neighbors.precedents import LISTED_OF_ALL, Precedents, importance_of
from priorcase.relevance.base import fixed_sample
from priorcase.schema import CategoricalFeatures, Schema
from priorcase.search import Algorithm
from priorcase.similarity import Kernel
from priorcase.similarity.presets import DistanceLike

_QUERIES, _WIDTH = 10, 24  # queries that a table of coefficients prints, and characters of a heading
LEVEL = [Interval(Real, 0, 1, closed="neither")]  # the constraint on the level of an interval
Block: TypeAlias = tuple[slice, windows.Neighborhoods, Fits]  # some queries, by their places
_WORK = 5_000_000_000  # multiplications, roughly, that a choice by leave-one-out may cost (seconds)
_REST = "(rare values)"  # which have one term together
_INSTEAD = "the mean of the nearest rows is predicted there, with an infinite standard deviation"


@dataclass(frozen=True, repr=False, eq=False)
class LocalCoefficients(results.PerQuery, results.GridResult):
    """The slopes of the local fit at each query.

    A numeric or ordinal column has one slope: what one unit (or one rank) more adds to the prediction. A nominal column
    has one number for each value: what that value adds in place of the query's. NaN where a fit has no such term: the
    column is missing in the query, no row in the neighbourhood has the value, or the degree is 0. It prints as a table.

    Parameters
    ----------
    columns, values
        The column of each term, and for a nominal column the value, else None.
    intercepts, slopes
        The fitted value at each query, shape (queries,) or (queries, targets), and the slopes, with one axis more.
    backend, numbers
        The frame library of the fit, or None; the number of each query among all, by default 0, 1, ...

    Examples
    --------
    >>> LocalCoefficients(("age", "colour"), (None, "red"), np.array([1.5]), np.array([[2.0, np.nan]]))
    query  intercept  age  colour = red
        0        1.5    2             -
    """

    columns: tuple[Name, ...]
    values: tuple[Value | None, ...]
    intercepts: FloatArray
    slopes: FloatArray
    backend: Backend | None = None
    numbers: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.intercepts)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.slopes, dtype=dtype)

    def _taken(self, at: list[int]) -> LocalCoefficients:
        numbers = tuple(self.numbers[i] for i in at)
        return replace(self, intercepts=self.intercepts[at], slopes=self.slopes[at], numbers=numbers)

    @property
    def labels(self) -> tuple[str, ...]:
        """A name for each term: the column's, or ``column = value``."""
        names: list[str] = []
        for column, value in zip(self.columns, self.values, strict=True):
            names.append(results.free_label(str(column) if value is None else f"{column} = {value}", names))
        return tuple(names)

    def frame(self) -> Any:
        """One row for each query, and each target where there are several, in a frame of the estimator's library."""
        return results.framed(self._columns(), self.backend)

    def _columns(self) -> dict[str, Any]:
        several = self.intercepts.ndim == 2
        n_targets = self.intercepts.shape[1] if several else 1
        columns: dict[str, Any] = {"query": np.repeat(np.array(self.numbers, dtype=np.int64), n_targets)}
        if several:
            columns["target"] = np.tile(np.arange(n_targets), len(self))
        columns["intercept"] = self.intercepts.ravel()
        slopes = self.slopes.reshape(self.intercepts.size, len(self.columns))
        for j, label in enumerate(self.labels):
            columns[results.free_label(label, columns)] = slopes[:, j]
        return columns

    def _grid(self) -> results.Grid:
        columns = self[:_QUERIES]._columns()
        texts = [["-" if x != x else f"{x:.6g}" for x in column.tolist()] for column in columns.values()]
        lines = [list(line) for line in zip(*texts, strict=True)]
        header = [results.short(label, _WIDTH) for label in columns]
        return results.Grid("", header, lines, results.rest_text(_QUERIES, len(self)), right=range(len(header)))


@dataclass(frozen=True, repr=False, eq=False)
class LocalPrecedents(Precedents):
    """The stored rows that a local model is fitted to, nearest first: see `Precedents`.

    ``votes`` are the rows' entries of the hat row, ``f(q) = sum votes_i y_i``. They sum to 1; with degree 1 or 2 some
    can be negative. ``weights`` are the kernel's weights of the rows, from 0 to 1, without repetitions; in robust fits
    multiplied by the rows' robustness weights.

    Examples
    --------
    >>> import priorcase as pc
    >>> model = pc.LocallyWeightedRegressor(2, kernel="triangular").fit([[0.0], [1.0], [3.0]], [0.0, 1.0, 3.0])
    >>> model.precedents([[1.0]]).weights
    array([1. , 0.5])
    """

    weights: FloatArray = field(default_factory=lambda: np.empty(0))

    def _taken(self, at: list[int]) -> LocalPrecedents:
        weights = [self.weights[self.indptr[i] : self.indptr[i + 1]] for i in at]
        return replace(super()._taken(at), weights=np.concatenate([np.empty(0), *weights]))

    def _columns(self) -> dict[str, Any]:
        columns = super()._columns()
        items, at = list(columns.items()), list(columns).index("vote") + 1
        return dict([*items[:at], (results.free_label("kernel weight", columns), self.weights), *items[at:]])


class LocallyWeightedRegressor(RegressorMixin, windows.LocallyWeighted):
    """Regression by a polynomial that is fitted around each query.

    The fit minimises ``sum K(d(x_i, q) / h) (y_i - b0 - b'(x_i - q))^2`` over the stored rows i, and its value at the
    query, ``b0``, is the prediction (Atkeson, Moore & Schaal 1997; Mitchell 1997, section 8.3). Of Mitchell's criteria,
    ``kernel="uniform"`` with a number of neighbours is E1, ``n_neighbors="all"`` with a bandwidth E2, and a number of
    neighbours with any other kernel E3; ``span`` is loess. Rows can be added and forgotten at any time.

    Parameters
    ----------
    n_neighbors
        How many nearest rows count, ties at the last of them included: a number, ``"sqrt"``, ``"all"``, or ``"loo"``,
        the default without a bandwidth: the candidate with the least leave-one-out squared error (each about 1.4 times
        the last, up to 1024 or four times the terms of the fit; at most 2000 rows, always the same, are left out).
    degree
        0 fits a mean (kernel regression), 1 a plane, 2 a quadratic.
    kernel
        How a row's weight falls with its distance: a name, a kernel of `priorcase.similarity`, or a function from an
        array of relative distances ``u = d / h`` to as many numbers >= 0, each by itself (from one number to one if its
        parameter is annotated ``float``).
    bandwidth
        The distance h at which compact kernels reach 0. None: that of the first row beyond the k nearest. A number, or
        ``"loo"`` for one chosen by leave-one-out: the same for all queries. ``"query"``: for each query, that of the
        number of neighbours with the least leave-one-out error of the local fit (Atkeson, Moore & Schaal 1997).
    span
        The fraction of the rows that counts, in place of ``n_neighbors`` and ``bandwidth``: h is the distance of row
        number ``floor(span n)``, for ``span > 1`` the largest distance times ``span^(1 / columns)``. At most 1e100.
    ridge
        ``lambda``: adds ``lambda^2 |b|^2``, slopes in units of each column's standard deviation.
    rcond
        Directions in which the weighted rows spread less than this fraction of the widest count as undetermined; of
        the solutions the one of least norm is taken.
    robust
        Rounds of robust refitting, in which rows with large residuals get less weight (Cleveland 1979: 2 rounds). A
        choice by leave-one-out counts outliers fully: give the number of neighbours, or a span.
    solver
        ``"direct"``, or ``"gradient"``: predictions by Mitchell's rule (1997, eq. 8.7), which slowly converges to the
        same fit. Everything else comes from the direct solution.
    learning_rate, max_steps, tol
        Of the gradient solver: the step size (``"auto"`` never overshoots), the maximum number of steps, and the
        largest change, relative to the largest slope, at which a fit has converged.
    distance, attribute_weights, algorithm, categorical_features, schema, n_jobs
        As in `KNNRegressor`, and so are attributes that are not listed here.

    Attributes
    ----------
    n_neighbors_, bandwidth_, loo_curve_
        The number of neighbours and the bandwidth, given or chosen, and the leave-one-out errors of the choice.

    Notes
    -----
    Numbers and ranks of ordered levels enter the fit by their deviations from the query, nominal values by an indicator
    for each value other than the query's, dates by days, circular numbers and the circular parts of dates by cosine and
    sine; texts and sets count in the distance alone. A missing value in a row is no deviation; a missing value in the
    query leaves the column out of its fit, and so does a nominal value that no row with weight has; an attribute weight
    of 0 leaves a column out of everything. Rows with less than 2^-34 of the largest weight do not count. Weights are
    repetitions. Where a fixed bandwidth leaves a query without a row with weight, the mean of the rows nearest to it is
    predicted, its standard deviation is infinite, and one `FarQueryWarning` lists these queries.

    Examples
    --------
    >>> import priorcase as pc
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 2.0, 4.0, 7.0, 10.0]
    >>> model = pc.LocallyWeightedRegressor(3).fit(X, y)
    >>> model.predict([[0.5], [3.5]]).round(6)
    array([1. , 8.5])
    >>> model.coefficients([[0.5], [3.5]])
    query  intercept  x0
        0          1   2
        1        8.5   3
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **windows.WINDOW_CONSTRAINTS,
        **LocalPolynomial._parameter_constraints,
        "robust": [Interval(Integral, 0, 1000, closed="both")],
        "solver": [StrOptions({"direct", "gradient"})],
        "learning_rate": [StrOptions({"auto"}), Interval(Real, 0, np.inf, closed="neither")],
        "max_steps": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, 1, closed="left")],
    }
    _flat: bool

    def __init__(
        self,
        n_neighbors: NNeighbors | None = None,
        *,
        degree: Literal[0, 1, 2] = 1,
        kernel: str | Kernel | Callable[[Any], Any] = "tricube",
        bandwidth: windows.Bandwidth = None,
        span: float | None = None,
        ridge: float = 0.0,
        rcond: float = 1e-10,
        robust: int = 0,
        solver: Literal["direct", "gradient"] = "direct",
        learning_rate: float | Literal["auto"] = "auto",
        max_steps: int = 10_000,
        tol: float = 1e-12,
        distance: DistanceLike = "robust",
        attribute_weights: GivenWeights = None,
        algorithm: Algorithm = "auto",
        categorical_features: CategoricalFeatures = "from_dtype",
        schema: SchemaLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors, self.kernel, self.bandwidth, self.span = n_neighbors, kernel, bandwidth, span
        self.degree, self.ridge, self.rcond, self.robust = degree, ridge, rcond, robust
        self.solver, self.learning_rate, self.max_steps, self.tol = solver, learning_rate, max_steps, tol
        self.distance, self.attribute_weights, self.algorithm = distance, attribute_weights, algorithm
        self.categorical_features, self.schema, self.n_jobs = categorical_features, schema, n_jobs

    # -- fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Store the rows, in place of any stored before; as in `KNNRegressor.fit`, with y up to 1e100."""
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Store more rows, with parameters as in `fit`. A call that fails changes nothing."""
        return self._partial_fit(X, y, sample_weight)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._model = LocalPolynomial(self.degree, self.ridge, self.rcond)
        self._rounds = int(self.robust)
        rate = None if isinstance(self.learning_rate, str) else float(self.learning_rate)
        descent = GradientDescent(rate, int(self.max_steps), float(self.tol))
        self._descent = None if self.solver == "direct" else descent

    def _read_targets(self, y: Any, classes: Any, first: bool) -> tuple[Schema, AnyArray]:
        return learned_numbers(self, y, first, squared=True)

    def _finish_fit(self) -> None:
        super()._finish_fit()
        if not isinstance(self._k, int) or self._k <= self._stored().total_weight:
            self._factors()  # else more rows may come before the first query

    def _how_many(self, n_neighbors: int | None) -> int:
        if n_neighbors is None and self._h == "query":
            raise ParameterError("n_neighbors must be an int >= 1 with bandwidth='query', got None")
        return super()._how_many(n_neighbors)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = not needs_one_target(self.attribute_weights)
        return tags

    # -- predictions

    @overload
    def predict(self, /, X: Any, return_std: Literal[False] = ...) -> FloatArray: ...

    @overload
    def predict(self, /, X: Any, return_std: Literal[True]) -> tuple[FloatArray, FloatArray]: ...

    @reads
    def predict(self, X: Any, return_std: bool = False) -> FloatArray | tuple[FloatArray, FloatArray]:
        """The value of the fit around each query; shape (queries, targets) when ``y`` had columns.

        With ``return_std`` also the standard deviation of a new observation at each query: ``sigma sqrt(1 + s's)`` with
        ``sigma^2 = sum K e^2 / (n_LWR - p_LWR)`` the local noise (Atkeson, Moore & Schaal 1997) and s the hat row.
        Infinite where the fit leaves no degrees of freedom.
        """
        cells = self._cells(X)
        fits = self._fits_at(cells, STATISTICS if return_std else 0)
        found = self._shaped(fits.predictions if self._descent is None else self._descended(cells, self._descent))
        return (found, self._shaped(fits.deviations(of_target=True))) if return_std else found

    @reads
    def confidence_interval(self, X: Any, level: float = 0.95) -> FloatArray:
        """Lower and upper end of a confidence interval for the mean of the target at each query: (queries, 2).

        ``f +- t sigma sqrt(s's)`` with Student's t of ``(n_LWR - p_LWR) sum K / sum K^2`` degrees of freedom; infinite
        where none are left. It covers the variance of the fit, not its bias where the true function is curved.
        """
        return self._interval(X, level, of_target=False)

    @reads
    def predict_interval(self, X: Any, level: float = 0.95) -> FloatArray:
        """Lower and upper end of an interval for a new observation, ``f +- t sigma sqrt(1 + s's)``: (queries, 2).

        Both intervals have the shape (queries, targets, 2) when ``y`` had columns.
        """
        return self._interval(X, level, of_target=True)

    def _interval(self, X: Any, level: float, *, of_target: bool) -> FloatArray:
        check_value("level", level, LEVEL)
        lower, upper = self._fits_at(self._cells(X), STATISTICS).interval(float(level), of_target=of_target)
        return np.stack([self._shaped(lower), self._shaped(upper)], axis=-1)

    @reads
    def effective_neighbors(self, X: Any) -> FloatArray:
        """``(sum K)^2 / sum K^2``: a mean of as many equally weighted rows has the same variance."""
        return self._shaped(self._fits_at(self._cells(X), STATISTICS).effective_neighbors())

    # -- explanations

    @reads
    def coefficients(self, X: Any) -> LocalCoefficients:
        """The slopes of the fit at each query, in units of the table: see `LocalCoefficients`."""
        fits, table = self._fits_at(self._cells(X), COEFFICIENTS), self._local_table()
        instances, columns, values = self._stored().instances, list[Name](), list[Value | None]()
        names = results.attribute_names(instances.schema)
        for j, (column, numbers) in enumerate(zip(table.columns, table.numbers, strict=True)):
            a = column.attribute
            held: list[Value | None] = [None]  # the values of a nominal column have a term each
            if numbers is not None:
                sharing = [np.flatnonzero(numbers == number).tolist() for number in range(int(table.values[j]))]
                held = [instances.values(a)[codes[0]] if len(codes) == 1 else _REST for codes in sharing]
            columns += [f"{names[a]} ({column.part})" if column.part else names[a]] * len(held)
            values += held
        slopes = fits.answers["coefficients"][:, 0] if self._flat else fits.answers["coefficients"]
        predictions = self._shaped(fits.predictions)
        return LocalCoefficients(tuple(columns), tuple(values), predictions, slopes, self._backend)

    @reads
    def precedents(self, X: Any, target: int = 0) -> LocalPrecedents:
        """The rows that each fit is made from, with their kernel weights and their votes in the prediction.

        Where all rows count the ten nearest are listed. ``target`` is the target whose weights are listed; they differ
        between targets in robust fits only.
        """
        memory, table, factors = self._answering(), self._table(X), self._factors()
        n_targets = self._local_table().targets.shape[1]
        check_value("target", target, [Interval(Integral, 0, n_targets, closed="left")])
        most = LISTED_OF_ALL if self._k == "all" else None
        cells, predictions, far = memory.instances.encode(table), np.empty((len(table), n_targets)), list[int]()
        lists = []  # for each query: rows, distances, votes and weights, nearest first
        for part, around, fits in self._fits(cells, HAT_ROWS, factors):
            predictions[part], hat = fits.predictions, fits.answers["hat"][:, 0 if factors is None else target]
            far += (fits.far + part.start).tolist()
            around = around if factors is None else around.scaled(factors[:, target])
            for start, stop in around.spans():
                order = start + np.argsort(around.distances[start:stop], kind="stable")
                order = order[around.weights[order] > 0][:most]
                lists.append((around.rows[order], around.distances[order], hat[order], around.weights[order]))
        windows.warn_far(far, len(cells), _INSTEAD)
        rows, distances, votes, weights = (np.concatenate(column) for column in zip(*lists, strict=True))
        targets = self._local_table().targets[rows]
        return LocalPrecedents(
            names=results.attribute_names(memory.instances.schema),
            queries=results.decoded(table),
            predictions=self._shaped(predictions),
            indptr=np.concatenate(([0], np.cumsum([entry[0].size for entry in lists]))),
            ids=memory.ids[rows],
            rows=memory.instances.decode(rows),
            targets=targets[:, 0] if self._flat else targets,
            distances=distances,
            votes=votes,
            contributions=np.concatenate([memory.contributions(cells[q], entry[0]) for q, entry in enumerate(lists)]),
            backend=self._backend,
            importance=importance_of(memory, len(table)),
            weights=weights,
        )

    # -- the stored rows

    @property
    @reads
    def robust_weights_(self) -> FloatArray:
        """The robustness weight of each stored row, from 0 to 1; all 1 without robust rounds."""
        factors = self._factors()
        return self._shaped(np.ones((len(self._stored()), 1)) if factors is None else factors)

    @reads
    def hat_values(self) -> FloatArray:
        """The diagonal of the hat matrix: how much one repetition of each stored row counts in the fit at the row."""
        memory, factors = self._answering(), self._factors()
        found = np.zeros((len(memory), 1 if factors is None else self._local_table().targets.shape[1]))
        for part, around, fits in self._row_fits(factors, want=HAT_ROWS):
            own = around.rows == part.start + around.queries()
            found[around.rows[own]] = fits.answers["hat"][own]
        if memory.row_weights is not None:
            found /= memory.row_weights[:, None]
        return self._shaped(found)

    @reads
    def loo_residuals(self) -> FloatArray:
        """Leave-one-out residuals of the stored rows, ``y_i - f_{-i}(x_i)``, one repetition of each being left out.

        With a fixed bandwidth ``e_i / (1 - s_ii)``, e the residual and s the hat value. What was learned from all rows
        stays, as in `loo_predict`.
        """
        self._answering()
        found = self._joined(self._row_fits(self._factors(), left_out=True))
        return self._shaped(self._local_table().targets - found.predictions)

    @reads
    def loo_predict(self, *, relearn: bool = False) -> FloatArray:
        """For each stored row, in the order of ``ids_``, the prediction of all other rows, by the direct solver.

        The row is left out before neighbours are counted and the bandwidth is set, with all its weight. What was
        learned from all rows stays: ranges and standard deviations of columns, the numbers of ``"sqrt"`` and of a span,
        and what depends on targets: learned attribute weights, robustness weights, and what was chosen by ``"loo"``;
        with ``relearn`` all that is learned again, by one fit for each row (``relearns_``).
        """
        refit = needs_refits(self, relearn)
        self._check_left_out()
        left_out = self._refitted() if refit else self._row_fits(self._factors(), left_out=True, whole=True)
        return self._shaped(self._joined(left_out).predictions)

    def _refitted(self) -> Iterator[Block]:
        for row, other, query in refits(self):
            for _, around, fits in other._fits(other._stored().instances.encode(query), 0, other._factors()):
                yield slice(row, row + 1), around, fits

    @property
    @reads
    def relearns_(self) -> bool:
        """Whether ``relearn=True`` takes a fit for each row: something besides the fits is learned from targets."""
        return super().relearns_ or self._rounds > 0

    # -- fits

    def _losses(self, candidates: Sequence[windows.KernelWindow]) -> tuple[FloatArray, int]:
        """Mean squared errors of left-out rows."""
        memory, table, widest = self._stored(), self._local_table(), candidates[-1]
        per_window = 1 + 4 * int(self._candidate_ks()[-1]) // len(candidates)
        everyone = per_window if widest.kernel.compact else len(memory)
        entries = sum(everyone if window.k is None else window.k for window in candidates)
        affordable = _WORK // (entries * (table.n_terms(self._model.degree) ** 2 + 10))
        own = fixed_sample(len(memory), min(windows.MOST_LEFT_OUT, max(windows.FEWEST_LEFT_OUT, affordable)))
        cells, sums = memory.instances.cells(own), np.zeros(len(candidates))
        times = np.ones(own.size) if memory.row_weights is None else memory.row_weights[own]
        for part, i, around in self._left_out(cells, own, candidates):
            fits = fit_queries(table, self._model, cells[part], around, threads=self._threads())
            with np.errstate(over="ignore"):
                residuals = fits.predictions - table.targets[own[part]]
                sums[i] += float(((residuals * residuals).mean(axis=1) * times[part]).sum())
        return sums / times.sum(), own.size

    def _fits(
        self, cells: FloatArray, want: int, factors: FloatArray | None, own: IntArray | None = None, whole: bool = False
    ) -> Iterator[Block]:
        """The fits of queries, block by block; ``own`` are stored rows that the queries are copies of, left out."""
        table, options = self._local_table(), {"want": want, "threads": self._threads()}
        for part, around in self._neighborhoods(cells, own=own, whole=whole):
            yield part, around, fit_queries(table, self._model, cells[part], around, factors=factors, **options)

    def _fits_at(self, cells: FloatArray, want: int) -> Fits:
        return self._joined(self._fits(cells, want, self._factors()))

    def _joined(self, blocks: Iterable[Block]) -> Fits:
        """The fits of all queries; a warning where some are far from everything."""
        parts = [(part.start, fits) for part, _, fits in blocks]
        predictions = np.concatenate([fits.predictions for _, fits in parts])
        answers = {key: np.concatenate([fits.answers[key] for _, fits in parts]) for key in parts[0][1].answers}
        far = np.concatenate([start + fits.far for start, fits in parts])
        windows.warn_far(far.tolist(), len(predictions), _INSTEAD)
        return Fits(predictions, answers, far)

    def _row_fits(
        self, factors: FloatArray | None, *, left_out: bool = False, want: int = 0, whole: bool = False
    ) -> Iterator[Block]:
        """The fits at the stored rows, block by block, with or without the row itself."""
        memory = self._answering()
        if left_out and len(memory) < 2:
            raise TooFewRowsError("leaving out the only row leaves none to fit. Add rows with partial_fit")
        for rows in blocks(len(memory), text="leave one out"):
            cells, own = memory.instances.cells(rows), np.arange(rows.start, rows.stop) if left_out else None
            for part, around, fits in self._fits(cells, want, factors, own, whole):
                yield slice(rows.start + part.start, rows.start + part.stop), around, fits

    def _factors(self) -> FloatArray | None:
        """Robustness weights, shape (rows, targets); None without robust rounds."""
        return self._stored().cached("robustness", self._robustness) if self._rounds else None

    def _robustness(self) -> FloatArray:
        targets = self._local_table().targets

        def residuals(factors: FloatArray) -> FloatArray:
            return np.concatenate([targets[part] - fits.predictions for part, _, fits in self._row_fits(factors)])

        weights = robustness_weights(residuals, targets, self._stored().row_weights, self._rounds)
        weights.flags.writeable = False  # cached and handed out
        return weights

    def _descended(self, cells: FloatArray, descent: GradientDescent) -> FloatArray:
        """Predictions by gradient descent; a warning where some fits did not converge."""
        table, factors = self._local_table(), self._factors()
        found, unsettled = np.empty((len(cells), table.targets.shape[1])), set[int]()
        for part, around in self._neighborhoods(cells):
            for t in range(found.shape[1]):
                weighted = around if factors is None else around.scaled(factors[:, t])
                found[part, t], converged = descend(table, self._model, descent, cells[part], weighted, t)
                unsettled.update((np.flatnonzero(~converged) + part.start).tolist())
        if unsettled:
            queries = sorted(unsettled)
            text = f"the fits at queries {listed(queries)} did not converge within max_steps={descent.max_steps}. "
            text += "Increase max_steps or tol, or use solver='direct'."
            windows.warn_queries(UnsettledFitWarning, queries, text)
        return found

    def _shaped(self, values: FloatArray) -> FloatArray:
        """Values of shape (queries, 1 or targets) in the shape of predictions."""
        if self._flat:
            return values[:, 0].copy()
        return np.array(np.broadcast_to(values, (len(values), self._local_table().targets.shape[1])))
