"""Locally weighted regression: the estimator, its coefficients and its precedents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self, TypeAlias, overload

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils._param_validation import Interval, StrOptions

from priorcase._numbers import equal_decimals
from priorcase._parameters import check_value
from priorcase._typing import AnyArray, Backend, FloatArray, IntArray, Name, Value
from priorcase.exceptions import LocalConvergenceWarning, ParameterError, TooFewRowsError
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
LEVEL = [Interval(Real, 0, 1, closed="neither")]  # constraint on the level of an interval
Block: TypeAlias = tuple[slice, windows.Neighborhoods, Fits]  # a block of queries, by position
_WORK = 5_000_000_000  # approximate limit of multiplications for selection by leave-one-out, a few seconds
_REST = "(rare values)"  # rare values share one term
_INSTEAD = "the mean of the nearest rows is predicted instead, with an infinite standard deviation"


@dataclass(frozen=True, repr=False, eq=False)
class LocalCoefficients(results.PerQuery, results.GridResult):
    """Table of the slopes of the local fit at each query.

    The slope of a numeric or ordinal column is the change of the prediction per unit or rank. A nominal column has one
    slope for each value, which is the change of the prediction if this value replaced the query's value. A slope is NaN
    if the fit does not contain the term.

    Parameters
    ----------
    columns, values
        Column of each term, and the value to which the term of a nominal column belongs (otherwise None).
    intercepts, slopes
        Prediction at each query, shape (queries,) or (queries, targets), and slopes with one more axis for terms.
    backend, numbers
        Data frame library of the training table, or None, and the number of each query, by default 0, 1, ...

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
        """Name of each term, which is the name of the column or ``column = value``."""
        names: list[str] = []
        for column, value in zip(self.columns, self.values, strict=True):
            names.append(results.free_label(str(column) if value is None else f"{column} = {value}", names))
        return tuple(names)

    def frame(self, backend: Backend | None = None) -> Any:
        """Return a data frame with one row for each query, or for each query and target if there are several targets.

        ``backend``: see `Precedents.frame`.
        """
        return results.framed(self._columns(), backend or self.backend)

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
        texts = (equal_decimals(column, 6) for column in columns.values())
        lines = [list(line) for line in zip(*texts, strict=True)]
        header = [results.short(label, _WIDTH) for label in columns]
        return results.Grid("", header, lines, results.rest_text(_QUERIES, len(self)), right=range(len(header)))


@dataclass(frozen=True, repr=False, eq=False)
class LocalPrecedents(Precedents):
    """Stored rows in each local fit, nearest first; see `Precedents`.

    ``votes`` are the coefficients of the rows' targets in the prediction, ``f(q) = sum votes_i y_i``. The
    votes of a fit sum to 1; some may be negative with degree 1 or 2. ``weights`` are the kernel weights of the rows,
    from 0 to 1, multiplied by the robustness weights in robust fits.

    Examples
    --------
    >>> import priorcase as pc
    >>> model = pc.LocallyWeightedRegressor(2, kernel="triangular").fit([[0.0], [1.0], [3.0]], [0.0, 1.0, 3.0])
    >>> model.precedents([[1.0]]).weights
    array([1. , 0.5])
    """

    weights: FloatArray = field(default_factory=lambda: np.empty(0))

    _by_entry: ClassVar[tuple[str, ...]] = (*Precedents._by_entry, "weights")

    def _columns(self) -> dict[str, Any]:
        columns = super()._columns()
        items, at = list(columns.items()), list(columns).index("vote") + 1
        return dict([*items[:at], (results.free_label("kernel weight", columns), self.weights), *items[at:]])


class LocallyWeightedRegressor(RegressorMixin, windows.LocallyWeighted):
    """Locally weighted regression (loess) for tables with mixed columns and missing values.

    Minimizes ``sum K(d(x_i, q) / h) (y_i - b0 - b'(x_i - q))^2`` at each query q and predicts ``b0`` (Atkeson, Moore &
    Schaal 1997; Mitchell 1997, section 8.3). Rows can be added and forgotten as in `KNNRegressor`.

    Parameters
    ----------
    n_neighbors
        Number of nearest rows in each fit, ``"sqrt"``, ``"all"``, or ``"loo"`` (default without a bandwidth) for the
        number with the lowest leave-one-out squared error on at most 2000 rows; numbers up to 1024 are usually tried.
    degree, kernel
        Degree of the polynomial, which is 0 (kernel regression), 1 (linear) or 2 (quadratic). Kernel K, its name, or a
        function that maps an array of relative distances ``u = d / h`` to weights >= 0.
    bandwidth, span
        Bandwidth h for all queries; ``"loo"`` selects one h for all queries by leave-one-out, and ``"query"`` an h for
        each query; None for the distance of the first row beyond the k nearest. ``span`` is the fraction of the rows
        in each fit (loess) and replaces ``n_neighbors`` and ``bandwidth``.
    ridge, rcond, robust
        Penalty ``ridge^2 |b|^2`` on slopes b per standard deviation of each column. Singular values below ``rcond``
        times the largest are treated as zero (minimum-norm solution). ``robust`` is the number of refits that reduce
        the weight of rows with large residuals (Cleveland 1979 uses 2).
    solver, learning_rate, max_steps, tol
        ``"direct"``, or ``"gradient"`` descent (Mitchell's eq. 8.7) with step size, maximum number of steps, tolerance.
    distance, attribute_weights, algorithm, categorical_features, schema, n_jobs
        See `KNNRegressor`, which also documents the fitted attributes not listed here.

    Attributes
    ----------
    n_neighbors_, bandwidth_, loo_curve_
        Number of neighbors and bandwidth, set or selected, and the leave-one-out errors of the candidates.

    Examples
    --------
    >>> import priorcase as pc
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 2.0, 4.0, 7.0, 10.0]
    >>> pc.LocallyWeightedRegressor(3).fit(X, y).predict([[0.5], [3.5]]).round(6)
    array([1. , 8.5])
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
        """Store the rows, replacing any rows stored before; see `KNNRegressor.fit`."""
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Add rows to the stored rows; if the call fails, the model is unchanged."""
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
            self._factors()  # otherwise more rows may be added before the first query

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
        """Predict the target of each row; ``return_std`` adds the standard deviation of a new observation."""
        cells = self._cells(X)
        fits = self._fits_at(cells, STATISTICS if return_std else 0)
        found = self._shaped(fits.predictions if self._descent is None else self._descended(cells, self._descent))
        return (found, self._shaped(fits.deviations(of_target=True))) if return_std else found

    @reads
    def confidence_interval(self, X: Any, level: float = 0.95) -> FloatArray:
        """Return a confidence interval for the mean of the target, ``f +- t sigma sqrt(s's)``, shape (queries, 2)."""
        return self._interval(X, level, of_target=False)

    @reads
    def predict_interval(self, X: Any, level: float = 0.95) -> FloatArray:
        """Return a prediction interval for a new observation, ``f +- t sigma sqrt(1 + s's)``, shape (queries, 2)."""
        return self._interval(X, level, of_target=True)

    def _interval(self, X: Any, level: float, *, of_target: bool) -> FloatArray:
        check_value("level", level, LEVEL)
        lower, upper = self._fits_at(self._cells(X), STATISTICS).interval(float(level), of_target=of_target)
        return np.stack([self._shaped(lower), self._shaped(upper)], axis=-1)

    @reads
    def effective_neighbors(self, X: Any) -> FloatArray:
        """Return the effective number of neighbors of each query, ``(sum K)^2 / sum K^2`` for kernel weights K."""
        return self._shaped(self._fits_at(self._cells(X), STATISTICS).effective_neighbors())

    # -- explanations

    @reads
    def coefficients(self, X: Any) -> LocalCoefficients:
        """Return the slopes of the fit at each query, in the units of the columns; see `LocalCoefficients`."""
        fits, table = self._fits_at(self._cells(X), COEFFICIENTS), self._local_table()
        instances, columns, values = self._stored().instances, list[Name](), list[Value | None]()
        names = results.attribute_names(instances.schema)
        for j, (column, numbers) in enumerate(zip(table.columns, table.numbers, strict=True)):
            a = column.attribute
            held: list[Value | None] = [None]  # each value of a nominal column has its own term
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
        """Return the rows in each fit with kernel weights and votes; in robust fits, both depend on the ``target``."""
        memory, table, factors = self._answering(), self._table(X), self._factors()
        n_targets = self._local_table().targets.shape[1]
        check_value("target", target, [Interval(Integral, 0, n_targets, closed="left")])
        most = LISTED_OF_ALL if self._k == "all" else None
        cells, predictions, far = memory.instances.encode(table), np.empty((len(table), n_targets)), list[int]()
        lists = []  # for each query: rows, distances, votes and weights, nearest first
        n_voters: list[int] = []
        for part, around, fits in self._fits(cells, HAT_ROWS, factors):
            predictions[part], hat = fits.predictions, fits.answers["hat"][:, 0 if factors is None else target]
            far += (fits.far + part.start).tolist()
            around = around if factors is None else around.scaled(factors[:, target])
            for start, stop in around.spans():
                order = start + np.argsort(around.distances[start:stop], kind="stable")
                order = order[around.weights[order] > 0]
                n_voters.append(order.size)
                order = order[:most]
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
            n_voters=np.array(n_voters, dtype=np.int64),
            weights=weights,
        )

    # -- the stored rows

    @property
    @reads
    def robust_weights_(self) -> FloatArray:
        """Robustness weight of each stored row, from 0 to 1; without robust refits, all weights are 1."""
        factors = self._factors()
        return self._shaped(np.ones((len(self._stored()), 1)) if factors is None else factors)

    @reads
    def hat_values(self) -> FloatArray:
        """Return the leverage of each stored row, which is the diagonal entry of the hat matrix."""
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
        """Return the leave-one-out residuals of the stored rows, ``y_i - f_{-i}(x_i)``; see `loo_predict`."""
        self._answering()
        found = self._joined(self._row_fits(self._factors(), left_out=True))
        return self._shaped(self._local_table().targets - found.predictions)

    @reads
    def loo_predict(self, *, relearn: bool = False) -> FloatArray:
        """Predict each stored row from all other rows with the direct solver. Column statistics, learned weights and
        selected parameters use all rows; ``relearn=True`` refits, so that they use the other rows only.
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
        """Whether leave-one-out without ``relearn=True`` sees targets, through robustness weights or other choices."""
        return super().relearns_ or self._rounds > 0

    # -- fits

    def _losses(self, candidates: Sequence[windows.KernelWindow]) -> tuple[FloatArray, int]:
        """Return the mean squared error of left-out rows for each candidate, and the number of left-out rows."""
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
        """Yield fits of queries, block by block; ``own`` contains the stored row to leave out for each query."""
        table, options = self._local_table(), {"want": want, "threads": self._threads()}
        for part, around in self._neighborhoods(cells, own=own, whole=whole):
            yield part, around, fit_queries(table, self._model, cells[part], around, factors=factors, **options)

    def _fits_at(self, cells: FloatArray, want: int) -> Fits:
        return self._joined(self._fits(cells, want, self._factors()))

    def _joined(self, blocks: Iterable[Block]) -> Fits:
        """Join the fits of all blocks of queries; warn about queries far from all rows."""
        parts = [(part.start, fits) for part, _, fits in blocks]
        predictions = np.concatenate([fits.predictions for _, fits in parts])
        answers = {key: np.concatenate([fits.answers[key] for _, fits in parts]) for key in parts[0][1].answers}
        far = np.concatenate([start + fits.far for start, fits in parts])
        windows.warn_far(far.tolist(), len(predictions), _INSTEAD)
        return Fits(predictions, answers, far)

    def _row_fits(
        self, factors: FloatArray | None, *, left_out: bool = False, want: int = 0, whole: bool = False
    ) -> Iterator[Block]:
        """Yield fits at the stored rows, block by block; with ``left_out``, each row is left out of its own fit."""
        memory = self._answering()
        if left_out and len(memory) < 2:
            raise TooFewRowsError("leave-one-out needs at least two rows. Add rows with partial_fit.")
        for rows in blocks(len(memory), text="leave one out"):
            cells, own = memory.instances.cells(rows), np.arange(rows.start, rows.stop) if left_out else None
            for part, around, fits in self._fits(cells, want, factors, own, whole):
                yield slice(rows.start + part.start, rows.start + part.stop), around, fits

    def _factors(self) -> FloatArray | None:
        """Return robustness weights, shape (rows, targets), or None without robust refits."""
        return self._stored().cached("robustness", self._robustness) if self._rounds else None

    def _robustness(self) -> FloatArray:
        targets = self._local_table().targets

        def residuals(factors: FloatArray) -> FloatArray:
            return np.concatenate([targets[part] - fits.predictions for part, _, fits in self._row_fits(factors)])

        weights = robustness_weights(residuals, targets, self._stored().row_weights, self._rounds)
        weights.flags.writeable = False  # cached and returned
        return weights

    def _descended(self, cells: FloatArray, descent: GradientDescent) -> FloatArray:
        """Return predictions by gradient descent; warn about fits that did not converge."""
        table, factors = self._local_table(), self._factors()
        found, unsettled = np.empty((len(cells), table.targets.shape[1])), set[int]()
        for part, around in self._neighborhoods(cells):
            for t in range(found.shape[1]):
                weighted = around if factors is None else around.scaled(factors[:, t])
                found[part, t], converged = descend(table, self._model, descent, cells[part], weighted, t)
                unsettled.update((np.flatnonzero(~converged) + part.start).tolist())
        if unsettled:
            queries = sorted(unsettled)
            text = f"the fits at {windows.named(queries)} did not converge within max_steps={descent.max_steps}. "
            text += "Increase max_steps or tol, or use solver='direct'."
            windows.warn_queries(LocalConvergenceWarning, queries, text)
        return found

    def _shaped(self, values: FloatArray) -> FloatArray:
        """Convert values with one column per target, or one column for all targets, to the shape of predictions."""
        if self._flat:
            return values[:, 0].copy()
        return np.array(np.broadcast_to(values, (len(values), self._local_table().targets.shape[1])))
