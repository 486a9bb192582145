"""Locally weighted classifier and its local models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self, TypeAlias, get_args

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import Interval, StrOptions

from priorcase._core import local_bayes, local_logistic
from priorcase._parameters import check_fields, settle
from priorcase._typing import AnyArray, FloatArray, IdArray, IntArray
from priorcase.bayes.numeric import GaussianDensity, Student
from priorcase.exceptions import LocalConvergenceWarning, TargetError
from priorcase.instances import Instances
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.resampling import bar, needs_refits, refits
from priorcase.learning.state import reads
from priorcase.learning.targets import Classes, Labeling, learned_labels
from priorcase.local import windows
from priorcase.local.fits import HAT_ROWS, LocalPolynomial, LocalTable, fit_queries
from priorcase.local.windows import LogScoreCurve, Neighborhoods
from priorcase.neighbors.base import GivenWeights, NNeighbors
from priorcase.neighbors.precedents import LISTED_OF_ALL, Precedents, assemble
from priorcase.neighbors.votes import Poll, prior_weights, summed
from priorcase.relevance.base import fixed_sample
from priorcase.schema import CategoricalFeatures, Nominal, Ordinal, Schema
from priorcase.search import Algorithm
from priorcase.similarity import Kernel
from priorcase.similarity.presets import DistanceLike

_CONSTANT = LocalPolynomial(0)
_INSTEAD = "the nearest rows vote instead"
# Selection: left-out rows per step of the progress bar, and maximum number of distances if all rows have weight.
_AT_ONCE, _DISTANCES = 128, 50_000_000
# Probabilities are at least this, so that candidates with fewer zero probabilities score better.
_LEAST = float(np.finfo(np.float64).tiny)
# Stop when a Newton step gains at most this share of the neighborhood's weight in log-likelihood.
_TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class ClassRows:
    """Stored rows and their classes in the format of the compiled core."""

    table: LocalTable
    codes: IdArray
    n_classes: int
    prior: FloatArray | None  # added to the weight of each class
    sizes: IdArray  # the number of values of each nominal or ordinal column, stored or declared, 0 for numbers
    declared: tuple[int, ...]  # the nominal columns whose values the schema declares

    @classmethod
    def of(cls, instances: Instances, table: LocalTable, classes: Classes, prior: FloatArray | None) -> ClassRows:
        kinds = [instances.schema.kinds[column.attribute] for column in table.columns]
        declared = tuple(j for j, kind in enumerate(kinds) if isinstance(kind, Nominal) and kind.values is not None)
        sizes = table.values.copy()
        for j, kind in enumerate(kinds):
            if j in declared or isinstance(kind, Ordinal):
                sizes[j] = len(instances.known(table.columns[j].attribute))
        return cls(table, classes.at(slice(None)), classes.labels.size, prior, sizes, declared)

    def for_counts(self, cells: FloatArray) -> FloatArray:
        """Encode queries like the stored rows, with negative codes for unknown values and NaN for missing values."""
        encoded = self.table.numbered(cells)
        for j in self.declared:  # a declared value without rows is still a value of the column
            given = cells[:, self.table.columns[j].attribute]
            encoded[(encoded[:, j] < 0) & (given >= 0), j] = self.table.values[j]
        encoded[:, self.table.ignored] = np.nan
        return encoded

    def summed(self, around: Neighborhoods, values: FloatArray) -> FloatArray:
        """Return the sums of ``values`` over the neighbors of each class, shape (queries, classes)."""
        at = around.queries() * self.n_classes + self.codes[around.rows]
        return summed(at, values, len(around) * self.n_classes).reshape(-1, self.n_classes)

    def with_prior(self, shares: FloatArray, around: Neighborhoods) -> FloatArray:
        """Add the class prior to class probabilities p: ``(n p_c + prior_c) / (n + sum prior)``."""
        if self.prior is None:
            return shares
        n = summed(around.queries(), around.effective_weights(), len(around))[:, None]  # effective number of neighbors
        return np.asarray((n * shares + self.prior) / (n + self.prior.sum()))


@dataclass(frozen=True)
class LocalNaiveBayes:
    """Local naive Bayes, ``P(c) prod_a P(x_a | c)``, from the weighted neighbors (Frank, Hall & Pfahringer 2003).

    Let ``n_c`` be the weight of the rows of class c, ``f`` the weight of the rows of class c with the query's value,
    and ``K`` the number of values of the column. ``P(c)`` is proportional to ``n_c`` plus the class prior, and
    ``P(x_a | c) = (f + s) / (n_c + K s)`` for nominal and ordinal columns. Missing values are ignored.

    Parameters
    ----------
    prior
        Dirichlet weight s of each value, from 1e-9 to 1e9.
    numeric
        Density of numeric columns, ``"student"`` (`Student`, with a prior from the neighborhood) or ``"gaussian"``
        (`GaussianDensity`). A numeric column with fewer than two distinct values in the neighborhood is ignored.

    Examples
    --------
    >>> LocalNaiveBayes(numeric="gaussian")
    LocalNaiveBayes(prior=1.0, numeric='gaussian')
    """

    prior: float = 1.0
    numeric: Literal["student", "gaussian"] = "student"

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "prior": [Interval(Real, 1e-9, 1e9, closed="both")],
        "numeric": [StrOptions({"student", "gaussian"})],
    }

    def __post_init__(self) -> None:
        check_fields(self)
        settle(self, prior=float(self.prior))

    def probabilities(
        self, rows: ClassRows, cells: FloatArray, around: Neighborhoods, numbers: IntArray, threads: int
    ) -> FloatArray:
        student, gaussian, table = Student(), GaussianDensity(), rows.table
        lists = around.indptr, around.rows, around.effective_weights()
        prior = np.zeros(rows.n_classes) if rows.prior is None else rows.prior
        return local_bayes(
            *(*lists, rows.codes, prior, table.cells, rows.for_counts(cells), table.kinds, table.scales, rows.sizes),
            value_prior=self.prior,
            student=self.numeric == "student",
            strength=student.strength,
            degrees=student.degrees,
            smoothing=gaussian.smoothing,
            threads=threads,
        )


@dataclass(frozen=True)
class LocalLogistic:
    """Local multinomial logistic regression, ``softmax_c(a_c + x' b_c)``.

    Minimizes ``-sum_i w_i ln p_i(class of i) + ridge^2 / 2 sum_c |b_c|^2`` by Newton's method, over the classes in the
    neighborhood. The columns are the same as in `LocallyWeightedRegressor`, but standardized. The weights sum to the
    effective number n of neighbors. The class prior is added to the fitted p: ``(n p_c + prior_c) / (n + sum prior)``.

    Parameters
    ----------
    ridge
        Penalty on the slopes, from 1e-6 to 1e6. With a large penalty, the probabilities approach the weighted vote.
        With a very small penalty, they approach maximum likelihood estimates, which are overconfident if the classes
        are linearly separable.
    max_iter
        Maximum number of Newton steps; about six are usual.

    Examples
    --------
    >>> LocalLogistic()
    LocalLogistic(ridge=1.0, max_iter=100)
    """

    ridge: float = 1.0
    max_iter: int = 100

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "ridge": [Interval(Real, 1e-6, 1e6, closed="both")],
        "max_iter": [Interval(Integral, 1, 10**6, closed="both")],
    }

    def __post_init__(self) -> None:
        check_fields(self)
        settle(self, ridge=float(self.ridge), max_iter=int(self.max_iter))

    def probabilities(
        self, rows: ClassRows, cells: FloatArray, around: Neighborhoods, numbers: IntArray, threads: int
    ) -> FloatArray:
        table, weights = rows.table, around.effective_weights()
        stored = rows.codes, rows.n_classes, table.cells, table.queries(cells, around.far), table.kinds, table.scales
        options: dict[str, Any] = {"ridge": self.ridge, "max_iter": self.max_iter, "tol": _TOLERANCE}
        given = around.indptr, around.rows, weights, *stored
        found, settled = local_logistic(*given, threads=threads, **options)
        if not settled.all():
            queries = numbers[settled == 0].tolist()
            text = f"the logistic fits at {windows.named(queries)} did not converge within max_iter={self.max_iter}. "
            text += "Increase max_iter or ridge of LocalLogistic."
            windows.warn_queries(LocalConvergenceWarning, queries, text)
        return rows.with_prior(found, around)


@dataclass(frozen=True)
class LocalLinear(LocalPolynomial):
    """Local polynomial regression on the indicator of each class, with predictions clipped at 0 and normalized.

    The class prior is added as in `LocalLogistic`. The parameters are the same as in `LocallyWeightedRegressor`;
    degree 0 gives the weighted vote.

    Examples
    --------
    >>> LocalLinear()
    LocalLinear(degree=1, ridge=0.0, rcond=1e-10)
    """

    def probabilities(
        self, rows: ClassRows, cells: FloatArray, around: Neighborhoods, numbers: IntArray, threads: int
    ) -> FloatArray:
        fits = fit_queries(rows.table, self, cells, around, want=HAT_ROWS, threads=threads)
        clipped = np.maximum(rows.summed(around, fits.answers["hat"][:, 0]), 0.0)
        return rows.with_prior(clipped / clipped.sum(axis=1, keepdims=True), around)


LocalModel: TypeAlias = LocalNaiveBayes | LocalLogistic | LocalLinear
MODELS: dict[str, type[LocalModel]] = {"naive_bayes": LocalNaiveBayes, "logistic": LocalLogistic, "linear": LocalLinear}
MODEL_CONSTRAINTS = [StrOptions(set(MODELS)), *get_args(LocalModel)]


def probabilities(
    model: LocalModel, rows: ClassRows, cells: FloatArray, around: Neighborhoods, numbers: IntArray, threads: int
) -> FloatArray:
    """Return the class probabilities of queries; for queries far from all rows, the nearest rows vote."""
    if not around.far.any():
        return model.probabilities(rows, cells, around, numbers, threads)
    near, far = np.flatnonzero(~around.far), np.flatnonzero(around.far)
    found = np.empty((len(around), rows.n_classes))
    nearest = around.take(far)
    mass = rows.summed(nearest, nearest.effective_weights())
    found[far] = rows.with_prior(mass / mass.sum(axis=1, keepdims=True), nearest)
    if near.size:
        found[near] = model.probabilities(rows, cells[near], around.take(near), numbers[near], threads)
    return found


class LocallyWeightedClassifier(ClassifierMixin, windows.LocallyWeighted):
    """Locally weighted classifier, which fits a small model to the weighted rows around each query.

    A row at distance d has weight ``K(d / h)`` (Atkeson, Moore & Schaal 1997; Frank, Hall & Pfahringer 2003).
    Independence or linearity is assumed only within the neighborhood. Rows can be added and forgotten as in
    `KNNClassifier`.

    Parameters
    ----------
    n_neighbors, kernel, bandwidth
        See `LocallyWeightedRegressor`. ``"loo"`` maximizes the log-score, and ``"query"`` is not available.
    model
        ``"logistic"`` (`LocalLogistic`), ``"naive_bayes"`` (`LocalNaiveBayes`, the fastest), ``"linear"``
        (`LocalLinear`), or an instance of one of these classes.
    prior
        Prior weight added to each class. A number is added to every class; ``"frequency"`` adds a total of one row in
        proportion to the class frequencies; None adds no prior and allows probabilities of 0.
    distance, attribute_weights, algorithm, categorical_features, schema, n_jobs
        See `KNNClassifier`, which also documents the fitted attributes not listed here.

    Attributes
    ----------
    n_neighbors_, bandwidth_, loo_curve_
        See `LocallyWeightedRegressor`.

    Notes
    -----
    Kernel weights are scaled to sum to the effective number of neighbors, ``(sum K)^2 / sum K^2`` (Kish 1965). Weka's
    LWL scales kernel weights to the number of rows, and uses the distance of the last neighbor as bandwidth.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[1, "red"], [2, "red"], [3, "blue"], [4, "blue"], [5, None], [6, "red"]]
    >>> model = pc.LocallyWeightedClassifier(4).fit(X, ["no", "no", "no", "yes", "yes", "yes"])
    >>> model.predict([[1.5, "red"], [5.5, "blue"]])
    array(['no', 'yes'], dtype='<U3')
    >>> model.predict_proba([[5.5, "blue"]]).round(3)
    array([[0.33, 0.67]])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **{name: windows.WINDOW_CONSTRAINTS[name] for name in ("n_neighbors", "kernel", "algorithm")},
        "model": MODEL_CONSTRAINTS,
        "bandwidth": [None, Interval(Real, 0, np.inf, closed="neither"), StrOptions({"loo"})],
        "prior": [None, StrOptions({"frequency"}), Interval(Real, 0, 1e100, closed="both")],
    }
    _curve_type: ClassVar[type[LogScoreCurve]] = LogScoreCurve
    _labeling: Labeling

    def __init__(
        self,
        n_neighbors: NNeighbors | None = None,
        *,
        model: str | LocalModel = "logistic",
        kernel: str | Kernel | Callable[[Any], Any] = "tricube",
        bandwidth: float | Literal["loo"] | None = None,
        prior: float | Literal["frequency"] | None = "frequency",
        distance: DistanceLike = "robust",
        attribute_weights: GivenWeights = None,
        algorithm: Algorithm = "auto",
        categorical_features: CategoricalFeatures = "from_dtype",
        schema: SchemaLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors, self.kernel, self.bandwidth = n_neighbors, kernel, bandwidth
        self.model, self.prior = model, prior
        self.distance, self.attribute_weights, self.algorithm = distance, attribute_weights, algorithm
        self.categorical_features, self.schema, self.n_jobs = categorical_features, schema, n_jobs

    # -- fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Store the rows, replacing any rows stored before; see `KNNClassifier.fit`."""
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add rows to the stored rows; see `KNNClassifier.partial_fit`."""
        return self._partial_fit(X, y, sample_weight, classes)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._local: LocalModel = MODELS[self.model]() if isinstance(self.model, str) else self.model
        # Only a linear model needs more rows the more columns there are.
        self._model = self._local if isinstance(self._local, LocalLinear) else _CONSTANT
        self._prior = self.prior

    def _read_targets(self, y: Any, classes: Any, first: bool) -> tuple[Schema, AnyArray]:
        stored, earlier = (None, None) if first else (self._stored().instances, self._labeling)
        labeling, targets, labels = learned_labels(y, classes, earlier, stored)
        if len(targets) > 1:
            raise TargetError(
                f"y must have one class for each row, got {len(targets)} columns. Fit one model for each target."
            )
        self._labeling = labeling
        return targets, labels

    # -- the classes

    @property
    @reads
    def classes_(self) -> AnyArray:
        """Classes in ascending order."""
        return self._classes().labels

    def _classes(self) -> Classes:
        memory = self._stored()
        return memory.followed("classes", lambda earlier: self._labeling.classes(memory.instances, earlier or ()))[0]

    def _rows(self) -> ClassRows:
        memory, classes = self._stored(), self._classes()

        def rows() -> ClassRows:
            prior = prior_weights(self._prior, [classes.weights])[0]
            return ClassRows.of(memory.instances, self._local_table(), classes, prior)

        return memory.cached("class rows", rows)

    # -- predictions

    @reads
    def predict(self, X: Any) -> AnyArray:
        """Predict the most probable class of each row; ties go to the first class in ``classes_``."""
        return np.asarray(self._classes().labels[self.predict_proba(X).argmax(axis=1)])

    @reads
    def predict_proba(self, X: Any) -> FloatArray:
        """Predict the probability of each class in ``classes_`` for each row."""
        cells = self._cells(X)
        return self._joined(len(cells), self._fits(cells))

    @reads
    def effective_neighbors(self, X: Any) -> FloatArray:
        """Return the effective number of neighbors of each query, ``(sum K)^2 / sum K^2`` for kernel weights K."""
        parts = [around for _, around in self._neighborhoods(self._cells(X))]
        return np.concatenate([summed(part.queries(), part.effective_weights(), len(part)) for part in parts])

    @reads
    def precedents(self, X: Any) -> Precedents:
        """Return the rows in each query's fit (only the ten nearest if all rows are used) with their fractions of the
        kernel weight, and the nearest row of a class other than the predicted class.
        """
        memory, table = self._answering(), self._table(X)
        cells, classes = memory.instances.encode(table), self._classes()
        most = LISTED_OF_ALL if self._k == "all" else None
        blocks = list(self._fits(cells))
        polls = [Poll(part.start, part.stop, around, around.weights) for part, around, _ in blocks]
        found = self._joined(len(cells), blocks)
        predicted = found.argmax(axis=1)
        labels, codes = classes.labels, (classes.codes[:, None], predicted[:, None])
        options: dict[str, Any] = {"most": most, "codes": codes, "probabilities": found, "classes": labels}
        return assemble(self, table, polls, labels[predicted], **options)

    def _targets_at(self, rows: IntArray) -> AnyArray:
        classes = self._classes()
        return np.asarray(classes.labels[classes.at(rows)])

    def _joined(self, n: int, blocks: Iterable[tuple[slice | IntArray, Neighborhoods, FloatArray]]) -> FloatArray:
        """Join the class probabilities of ``n`` queries, computed in blocks; warn about queries far from all rows."""
        found, far = np.empty((n, self._classes().labels.size)), np.zeros(n, dtype=bool)
        for part, around, shares in blocks:
            found[part], far[part] = shares, around.far
        windows.warn_far(np.flatnonzero(far).tolist(), n, _INSTEAD)
        return found

    def _fits(self, cells: FloatArray) -> Iterator[tuple[slice, Neighborhoods, FloatArray]]:
        """Yield neighborhoods and class probabilities of queries, block by block."""
        rows, threads = self._rows(), self._threads()
        for part, around in self._neighborhoods(cells):
            numbers = np.arange(part.start, part.stop)
            yield part, around, probabilities(self._local, rows, cells[part], around, numbers, threads)

    # -- leave-one-out

    @reads
    def loo_predict_proba(self, *, relearn: bool = False) -> FloatArray:
        """Predict the class probabilities of each stored row from all other rows. Column statistics, learned weights,
        the selected ``n_neighbors`` or ``bandwidth``, and the values and column variances of local naive Bayes use all
        rows; ``relearn=True`` refits, so that they use the other rows only.
        """
        refit = needs_refits(self, relearn)
        self._check_left_out()
        return self._joined(len(self._stored()), self._refitted() if refit else self._left_out_fits())

    def _refitted(self) -> Iterator[tuple[slice, Neighborhoods, FloatArray]]:
        for row, other, query in refits(self):
            for _, around, shares in other._fits(other._stored().instances.encode(query)):
                yield slice(row, row + 1), around, shares

    def _left_out_fits(self) -> Iterator[tuple[IntArray, Neighborhoods, FloatArray]]:
        for rows, own in self._left_out_groups():
            cells = self._stored().instances.cells(own)
            for part, around in self._neighborhoods(cells, own=own, whole=True):
                shares = probabilities(self._local, rows, cells[part], around, own[part], self._threads())
                yield own[part], around, shares

    def _left_out_groups(self) -> Iterator[tuple[ClassRows, IntArray]]:
        """Yield `ClassRows` with a leave-one-out class prior, each with the positions of rows that have this prior."""
        rows, classes, weights = self._rows(), self._classes(), self._stored().row_weights
        if self._prior != "frequency":
            yield rows, np.arange(len(classes.codes))
            return
        times = np.ones(len(classes.codes)) if weights is None else weights
        # Rows with the same class and weight have the same prior when they are left out.
        groups, of = np.unique(np.stack([classes.codes.astype(np.float64), times]), axis=1, return_inverse=True)
        for group, (code, weight) in enumerate(groups.T.tolist()):
            left = classes.weights.copy()
            left[int(code)] = max(left[int(code)] - weight, 0.0)
            yield replace(rows, prior=left / left.sum()), np.flatnonzero(of.ravel() == group)

    def _losses(self, candidates: Sequence[windows.KernelWindow]) -> tuple[FloatArray, int]:
        """Return the negative mean log-score of left-out rows for each candidate, and the number of left-out rows."""
        memory, rows, most = self._stored(), self._rows(), windows.MOST_LEFT_OUT
        if candidates[-1].k is None and not candidates[-1].kernel.compact:
            most = min(most, max(windows.FEWEST_LEFT_OUT, _DISTANCES // len(memory)))
        left_out = fixed_sample(len(memory), most)
        times = np.ones(left_out.size) if memory.row_weights is None else memory.row_weights[left_out]
        sums, starts = np.zeros(len(candidates)), range(0, left_out.size, _AT_ONCE)
        with bar(len(starts), shown=True, text="leave-one-out") as advance:
            for start in starts:
                own = left_out[start : start + _AT_ONCE]
                cells, losses = memory.instances.cells(own), np.empty((len(candidates), own.size))
                for part, i, around in self._left_out(cells, own, candidates):
                    shares = probabilities(self._local, rows, cells[part], around, own[part], self._threads())
                    true = shares[np.arange(len(shares)), rows.codes[own[part]]]
                    losses[i, part] = -np.log(np.maximum(true, _LEAST))
                sums += (losses * times[start : start + _AT_ONCE]).sum(axis=1)
                advance("leave-one-out")
        return sums / times.sum(), left_out.size
