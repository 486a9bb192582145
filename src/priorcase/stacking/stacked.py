"""Stacked learners, whose members are fitted to the same rows and weighted by their held-out predictions."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cache
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import joblib
import numpy as np
from scipy.optimize import minimize, minimize_scalar
from scipy.special import softmax
from sklearn.base import ClassifierMixin, RegressorMixin, clone, is_classifier, is_regressor
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning, FitFailedWarning, NotFittedError
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils._param_validation import Interval, InvalidParameterError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import has_fit_parameter
from threadpoolctl import ThreadpoolController

from priorcase._numbers import equal_decimals
from priorcase._parameters import check_parameters, check_seed, check_value
from priorcase._typing import AnyArray, Backend, BoolArray, FloatArray, IntArray
from priorcase.bayes import SubsetAveragedBayes, TreeAveragedBayes
from priorcase.bayes.structured import StructuredBayes
from priorcase.exceptions import (
    DRIFT,
    ParameterError,
    PriorcaseError,
    TargetError,
    TooFewRowsError,
    UninformativeColumnWarning,
    UnsupportedDataError,
    failure,
    named,
    prefix_errors,
    quoted,
    unwarned,
    warn_caller,
)
from priorcase.instances import Instances
from priorcase.learning.estimator import RowsEstimator, SchemaLike, suspicious_columns, warn_uninformative
from priorcase.learning.plotting import color, drawing
from priorcase.learning.resampling import bar, stored_table
from priorcase.learning.results import Grid, GridResult, attribute_names, decoded, framed, free_label
from priorcase.learning.state import Memory, lock_of, reads
from priorcase.learning.targets import Labeling, learned_labels, learned_numbers
from priorcase.local import (
    LocallyWeightedClassifier,
    LocallyWeightedRegressor,
    RBFNetworkClassifier,
    RBFNetworkRegressor,
)
from priorcase.local.rbf.network import RBFNetwork
from priorcase.neighbors import KNNClassifier, KNNRegressor, Precedents
from priorcase.neighbors.precedents import Precedent
from priorcase.neighbors.tuning import content_ranks
from priorcase.registry import BASELINE, LEARNERS, find
from priorcase.relevance.base import fixed_sample
from priorcase.schema import CategoricalFeatures, Nominal, Schema, Table, Text
from priorcase.search.index import SLACK
from priorcase.similarity import Gaussian, hvdm
from priorcase.stacking.encoder import TableEncoder
from priorcase.stacking.evidence import TextEvidence, Training
from priorcase.stacking.imputation import DONORS, Imputation, Queries, missing_cells, without_cells
from priorcase.stacking.words import CountedWords

Members = Sequence[Any] | Mapping[str, Any] | None

_MOST_COEFFICIENTS = 100  # columns times classes
_MOST_INDICATORS, _MOST_FOR_NEWTON = 400, 1_000  # values of columns times classes
_MOST_VALUES = 200  # of a nominal column or words of a text, for the width of a table
_FEWEST = 5  # minimum number of rows for members other than k-NN
_MOST_FOR_TREES = 120  # columns: the sum over trees is cubic in their number for each query
_FEWEST_FOR_BOOSTING, _MOST_BOOSTED_CLASSES = 50, 100  # rows, classes
_TREES = 600  # boosted, over all classes
_SMALL_TREES: dict[str, Any] = {"max_leaf_nodes": 16, "min_samples_leaf": 10, "l2_regularization": 1.0}
_MANY_ROWS = 2_000  # minimum number of rows for showing a progress bar
_COOLEST, _HOTTEST = 0.2, 5.0  # temperatures of members
_STEPS, _SETTLED = 1_000, 1e-8  # maximum number of EM steps, and tolerance
_LEAST = float(np.finfo(np.float64).tiny)
_SCALE_NEIGHBORS = 40  # neighbors of a query whose held-out errors give the local scale
_SCALE_PRIOR = 10.0  # pseudo-count of rows with average error
_BASELINE_ROWS = 4.0  # pseudo-count of the baseline in predictions for queries in which nearly all columns are absent
_LEFT_OUT_ROWS = 100  # sample for the effect of missing columns on predictions
_GAUSSIAN = Gaussian(0.7)
_BOOSTING = HistGradientBoostingClassifier, HistGradientBoostingRegressor
_FEWEST_FOR_EVIDENCE = 400  # rows: evidence from few rows tells less than the words themselves
_EVIDENT_WORDS = 16  # frequent words of a text that have a column of their own in boosted trees


# -- members


@dataclass(frozen=True)
class TableSize:
    """Size of a training table, which determines the default members and their parameters.

    ``classes`` is None for regression. ``texts`` is the number of text columns, and ``width`` the number of columns if
    each frequent value of a nominal column has a column of its own.
    """

    rows: int
    columns: int
    classes: int | None
    texts: int
    width: int

    @classmethod
    def of(cls, instances: Instances, rows: int, classes: int | None) -> TableSize:
        kinds = instances.schema.kinds
        texts = sum(isinstance(kind, Text) for kind in kinds)
        width = sum(
            min(instances.n_values(a), _MOST_VALUES) if isinstance(kind, Nominal) else 1 for a, kind in enumerate(kinds)
        )
        return cls(rows, len(kinds), classes, texts, width)


def default_members(size: TableSize) -> dict[str, Any]:
    """Return the default members of a stack, by name."""
    # Chosen because they are diverse and fast, and because their stack is accurate on public data sets, as measured by
    # ``python -m benchmarks.quality stacked``.
    found = all_members(size)
    if size.classes is not None:
        others = size.classes - 1
        if size.columns * others > _MOST_COEFFICIENTS or size.width * others > _MOST_INDICATORS:
            del found["local_logistic"]
        without_trees = size.columns > _MOST_FOR_TREES or size.texts == size.columns  # trees do not connect texts
        del found["tree_averaged_bayes" if without_trees else "subset_averaged_bayes"]
    if size.rows < _FEWEST_FOR_BOOSTING or (size.classes or 0) > _MOST_BOOSTED_CLASSES:
        del found["boosting"]
    return found if size.rows >= _FEWEST else {"knn": found["knn"]}


def all_members(size: TableSize) -> dict[str, Any]:
    """Return all members that a default stack can have, by name."""
    rows, classes = size.rows, size.classes
    nearest, few, many = min(rows, 10), min(rows, 50), min(rows, 100)
    if classes is not None:
        added = replace(hvdm(), power=1.0, root=False)
        # Newton's method does not depend on the order of the columns, but has a matrix of all coefficients by all.
        solver = "newton-cholesky" if size.width * classes <= _MOST_FOR_NEWTON else "lbfgs"
        rounds = min(max(_TREES // classes, 30), 100)  # a round of boosting grows a tree for each class
        return {
            "knn": KNNClassifier(nearest, distance=added, vote=_GAUSSIAN, prior="frequency"),
            "local_logistic": LocallyWeightedClassifier(many),
            "local_naive_bayes": LocallyWeightedClassifier(few, model="naive_bayes"),
            "tree_averaged_bayes": TreeAveragedBayes(),
            "rbf_network": RBFNetworkClassifier(),
            "logistic": LogisticRegression(solver=solver, tol=1e-8, max_iter=1_000),
            "boosting": HistGradientBoostingClassifier(
                max_iter=rounds, learning_rate=min(10.0 / rounds, 0.2), early_stopping=False, **_SMALL_TREES
            ),
            "subset_averaged_bayes": SubsetAveragedBayes(),
        }
    return {
        "knn": KNNRegressor(nearest, vote=_GAUSSIAN),
        "knn_relief": KNNRegressor(min(rows, 30), vote="inverse_square", attribute_weights="relief"),
        "local_linear": LocallyWeightedRegressor(many, ridge=1.0),
        "local_linear_relief": LocallyWeightedRegressor(many, ridge=1.0, attribute_weights="relief"),
        "rbf_network": RBFNetworkRegressor(),
        "ridge": RidgeCV(np.logspace(-2, 3, 11)),
        "boosting": HistGradientBoostingRegressor(early_stopping=False, **_SMALL_TREES),
    }


def _is_probabilistic(member: Any) -> bool:
    return is_classifier(member) and hasattr(member, "predict_proba")


def _labeled(members: Members) -> list[tuple[str, Any]]:
    """Return pairs of the name and the member, in which a member of a list without a name is called by its class."""
    if isinstance(members, Mapping):
        return [(str(name), member) for name, member in members.items()]
    found = dict[str, Any]()
    for member in members if isinstance(members, (list, tuple)) else ():
        name, estimator = member if isinstance(member, tuple) and len(member) == 2 else (None, member)
        name = name or (estimator if isinstance(estimator, str) else type(estimator).__name__)
        found[free_label(str(name), found)] = estimator
    return list(found.items())


def _with_members(members: Members, replaced: Mapping[str, Any]) -> Any:
    """Return the members in their original form, with some of them replaced by name."""
    if isinstance(members, Mapping):
        return {name: replaced.get(str(name), member) for name, member in members.items()}
    found = list[Any]()
    for (name, _), member in zip(_labeled(members), members or (), strict=True):
        if name not in replaced:
            found.append(member)
        elif isinstance(member, tuple):
            found.append((member[0], replaced[name]))
        else:
            found.append(replaced[name])
    return type(members)(found)  # type: ignore[call-arg, misc]


def _named(members: Members, task: Literal["classify", "regress"]) -> dict[str, Any]:
    """Return the user's members by name, with a new estimator for each member given as the name of a learner."""
    found = dict(_labeled(members))
    default = all_members(TableSize(100, 1, 2 if task == "classify" else None, 0, 1))
    # Names of default members that are not learners are kept: their parameters depend on the number of rows.
    own = {of for of in found.values() if isinstance(of, str) and of in default and of not in LEARNERS}
    # The baseline is always a member.
    found = {name: of for name, of in found.items() if not (name == BASELINE and isinstance(of, str))}
    found = {name: find(of).make(task) if isinstance(of, str) and of not in own else of for name, of in found.items()}
    kind, fits = (
        ("classifier with predict_proba", _is_probabilistic) if task == "classify" else ("regressor", is_regressor)
    )
    if not found:
        raise ParameterError(
            f"got members={quoted(members)}; expected at least one {kind} in addition to {BASELINE!r}, which is always "
            "a member. Pass None for the default members."
        )
    for name, given in found.items():
        member = default[given] if isinstance(given, str) else given
        if name == BASELINE:
            raise ParameterError(
                f"got a member named {BASELINE!r}, but this is the name of a member of every stack. Use another name."
            )
        if isinstance(member, type) or not hasattr(member, "get_params") or not fits(member):
            raise ParameterError(
                f"got the member {quoted(member)}; expected an unfitted {kind}, or the name of a learner such as 'knn'."
            )
    return found


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows to which members are fitted, with targets and weights."""

    table: Table
    targets: AnyArray
    weights: FloatArray | None
    ranks: IntArray  # of the content, for folds that do not depend on the order of the rows
    evident: bool  # whether there are enough rows to learn what the words of texts tell

    def __len__(self) -> int:
        return len(self.table)

    def training(self) -> Training:
        """Return the targets and weights, for learning what texts tell about the targets."""
        weights = np.ones(len(self)) if self.weights is None else self.weights
        return Training(self.targets, weights, self.ranks)


@dataclass(frozen=True, eq=False)
class _Fitted:
    """Fitted member of a stack; members from other libraries get a numeric matrix, and pipelines get a data frame."""

    model: Any
    framed: bool = False

    @classmethod
    def to(cls, member: Any, rows: _Rows, schema: Schema, n_jobs: int | None, seed: int) -> _Fitted:
        """Fit a copy of a member."""
        own, params = isinstance(member, RowsEstimator), member.get_params(deep=False)
        given: dict[str, Any] = {"schema": schema} if own else {}
        threads = "n_jobs" in params and params["n_jobs"] is None and not isinstance(member, LogisticRegression)
        given |= {"n_jobs": n_jobs} if threads else {}  # LogisticRegression ignores n_jobs, with a warning
        given |= {"random_state": seed} if "random_state" in params and params["random_state"] is None else {}
        boosted = isinstance(member, _BOOSTING) and member.categorical_features == "from_dtype"
        encoders, table = list[TextEvidence](), rows.table
        if rows.evident and (boosted or isinstance(member, RBFNetwork)) and _text_columns(table):
            encoders.append(TextEvidence(schema, _EVIDENT_WORDS if boosted else 0, is_classifier(member)))
            table = encoders[0].learn(table, rows.training())
            schema = table.schema
            given |= {"schema": schema} if own else {}
        model = clone(member).set_params(**given)
        data: Any = table
        if not own and isinstance(member, Pipeline):
            data = _frame(table)
        elif boosted:
            encoder = TableEncoder(nominal="codes", schema=schema).fit(table)
            model = make_pipeline(encoder, model.set_params(categorical_features=encoder.categorical_mask_))
        elif not own:
            model = make_pipeline(TableEncoder(schema=schema), model)
        weights = {}
        if rows.weights is not None:
            last = model.steps[-1] if isinstance(model, Pipeline) else ("", model)
            if not has_fit_parameter(last[1], "sample_weight"):
                raise ParameterError(
                    f"{type(last[1]).__name__} does not accept sample_weight. Remove this member, or fit without "
                    "sample weights."
                )
            weights = {f"{last[0]}__sample_weight" if last[0] else "sample_weight": rows.weights}
        with warnings.catch_warnings(), _one_thread():
            warnings.filterwarnings("ignore", "Line search of Newton", ConvergenceWarning)  # the solver continues
            warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)  # true of parts of the rows
            model.fit(data, rows.targets, **weights)
        if encoders:
            model = make_pipeline(*encoders, *(step for _, step in getattr(model, "steps", [("", model)])))
        return cls(model, data is not table)

    def predict(self, table: Table, classes: AnyArray | None) -> FloatArray:
        """Predict the probabilities of all classes or, for regression, numbers."""
        with unwarned(*DRIFT), _one_thread():  # other members handle far queries
            return self._predict(table, classes)

    def _predict(self, table: Table, classes: AnyArray | None) -> FloatArray:
        data, last = _frame(table) if self.framed else table, getattr(self.model, "steps", [("", None)])[-1][1]
        if isinstance(last, (LogisticRegression, RidgeCV)) and not self.framed:
            found = _linear_answers(last, self.model[:-1].transform(data))
        else:
            found = self.model.predict(data) if classes is None else self.model.predict_proba(data)
        return np.asarray(found, dtype=np.float64) if classes is None else self.aligned(found, classes)

    def aligned(self, probabilities: FloatArray, classes: AnyArray) -> FloatArray:
        """Return the probabilities of all classes, with 0 for classes that the member has not seen."""
        known = self.model.classes_
        if len(known) == len(classes):
            return np.asarray(probabilities)
        found = np.zeros((len(probabilities), len(classes)))
        found[:, np.searchsorted(classes, known)] = probabilities
        return found

    def left_out(self, classes: AnyArray | None) -> FloatArray | None:
        """Return leave-one-out predictions, or None if these would require refitting the member without each row."""
        if not isinstance(self.model, RowsEstimator) or getattr(self.model, "relearns_", True):
            return None
        if classes is None:
            return np.asarray(self.model.loo_predict())
        return self.aligned(self.model.loo_predict_proba(), classes)


@cache
def _thread_pools() -> ThreadpoolController:
    return ThreadpoolController()


def _one_thread() -> AbstractContextManager[Any]:
    """Return a context that limits OpenMP to one thread; on a busy machine, more threads slow down boosted trees."""
    limited: AbstractContextManager[Any] = _thread_pools().limit(limits=1, user_api="openmp")
    return limited


def _linear_answers(model: LogisticRegression | RidgeCV, X: FloatArray) -> FloatArray:
    """Return predictions of a linear model, summed column by column so that a row gets the same result in any batch."""
    coefficients, scores = np.atleast_2d(model.coef_), np.tile(model.intercept_, (len(X), 1)).astype(np.float64)
    for j in range(X.shape[1]):
        scores += X[:, j, None] * coefficients[:, j]
    if isinstance(model, RidgeCV):
        return scores[:, 0]
    scores = np.hstack([np.zeros_like(scores), scores]) if scores.shape[1] == 1 else scores
    return np.asarray(softmax(scores, axis=1))


def _text_columns(table: Table) -> list[Any]:
    """Return the columns of texts."""
    return [column for kind, column in zip(table.schema.kinds, table.columns, strict=True) if isinstance(kind, Text)]


def _frame(table: Table) -> Any:
    """Convert rows to a pandas data frame."""
    names = [str(name) for name in attribute_names(table.schema)]
    columns = zip(*decoded(table), strict=True)
    return framed({name: list(column) for name, column in zip(names, columns, strict=True)}, "pandas")


# -- probabilities


def scaled(probabilities: FloatArray, temperature: float, frequencies: FloatArray | float = 1.0) -> FloatArray:
    """Raise the ratios of probabilities to class frequencies to the power ``1 / temperature``, and normalize.

    Temperatures above 1 move the probabilities toward the frequencies. Probabilities equal to the frequencies do not
    change. By default, the frequencies are equal.
    """
    prior = np.log(frequencies)
    with np.errstate(divide="ignore"):
        logs = (np.log(probabilities) - prior) / temperature + prior
    logs -= logs.max(axis=1, keepdims=True)
    found = np.exp(logs)
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def best_temperature(
    probabilities: FloatArray,
    truth: IntArray,
    weights: FloatArray,
    low: float,
    high: float,
    frequencies: FloatArray | float = 1.0,
) -> float:
    """Return the temperature from ``low`` to ``high`` that maximizes the log-score of the true classes ``truth``."""
    prior = np.broadcast_to(np.log(frequencies), probabilities.shape[1:])
    with np.errstate(divide="ignore"):
        logs = np.log(probabilities) - prior
    own = logs[np.arange(truth.size), truth]
    own_prior = prior[truth]

    def loss(log_temperature: float) -> float:
        inverse = np.exp(-log_temperature)
        powers = logs * inverse + prior
        top = powers.max(axis=1)
        totals = top + np.log(np.exp(powers - top[:, None]).sum(axis=1))
        return float((weights * (totals - own * inverse - own_prior)).sum())

    found = minimize_scalar(loss, bounds=(np.log(low), np.log(high)), method="bounded", options={"xatol": 1e-4})
    return float(np.exp(found.x))


def mixture_weights(densities: FloatArray, weights: FloatArray, prior: float) -> FloatArray:
    """Return the weights that maximize the log-score of the mixture plus a Dirichlet log-prior, using EM.

    The objective is ``sum_i v_i ln sum_m w_m p_im + (prior - 1) sum_m ln w_m``, with w_m the weight of member m, v_i
    the weight of row i, and p_im the probability or density that member m gives to the true value of row i.
    This objective is concave, and each step increases it.
    """
    found = np.full(densities.shape[1], 1.0 / densities.shape[1])
    for _ in range(_STEPS):
        shares = densities * found
        shares /= shares.sum(axis=1, keepdims=True)
        new = weights @ shares + (prior - 1.0)
        new /= new.sum()
        if np.abs(new - found).max() < _SETTLED:
            return np.asarray(new)
        found = new
    return found


def squared_error_weights(predictions: FloatArray, y: FloatArray, weights: FloatArray, prior: float) -> FloatArray:
    """Return the weights that minimize the squared error of the mixture, with a Dirichlet prior.

    The objective is ``n/2 ln sum_i v_i (y_i - sum_m w_m f_im)^2 - (prior - 1) sum_m ln w_m``, with w_m the weight of
    member m, v_i the weight of row i, f_im the prediction of member m for row i, and ``n = sum_i v_i``. The first term
    is the negative logarithm of a normal likelihood with maximum-likelihood variance, up to a constant.
    """
    n, members = weights.sum(), predictions.shape[1]
    centered = predictions - y[:, None]
    gram = (centered * weights[:, None]).T @ centered
    gram /= max(float(np.trace(gram)), _LEAST)
    floor = 1e-12  # relative floor of the mean squared error, so that a perfect fit is not singular

    def loss(logits: FloatArray) -> tuple[float, FloatArray]:
        shares = np.exp(logits - logits.max())
        shares /= shares.sum()
        half = gram @ shares
        error = float(shares @ half) + floor
        slope = n * half / error - (prior - 1.0) / shares
        return 0.5 * n * np.log(error) - (prior - 1.0) * float(np.log(shares).sum()), shares * (slope - shares @ slope)

    found = minimize(loss, np.zeros(members), jac=True, method="L-BFGS-B", bounds=[(-20.0, 20.0)] * members)
    shares = np.exp(found.x - found.x.max())
    return np.asarray(shares / shares.sum())


# -- what was learned


@dataclass(frozen=True, repr=False, eq=False)
class Stack(GridResult):
    """Members of a stacked model with their weights and scores, which are printed as a table.

    ``weights`` contains the mixture weights. ``temperatures`` contains the temperatures of the members' probabilities
    (empty for regression), and ``temperature`` is the temperature of the mixture; temperatures above 1 move
    probabilities toward the class frequencies. ``scores`` contains the held-out
    score of each member, and ``score`` is the held-out score of the stack. For classification, the score is the
    log-score (mean of ``ln p`` of the true class) after scaling by the temperature. For regression, the score is the
    root mean squared error. ``left_out`` lists the members scored by leave-one-out; all other members were scored by
    cross-validation.

    Examples
    --------
    >>> import priorcase as pc
    >>> X, y = pc.load_repairs()
    >>> model = pc.StackedClassifier({"knn": pc.KNNClassifier(), "bayes": pc.NaiveBayes()}).fit(X, y)
    >>> sorted(model.stack_.names)
    ['baseline', 'bayes', 'knn']
    """

    names: tuple[str, ...]
    weights: FloatArray
    temperatures: FloatArray
    scores: FloatArray
    score: float
    temperature: float
    left_out: tuple[str, ...]
    rows: int
    folds: int
    _backend: Backend | None = field(default=None, repr=False)

    @property
    def score_label(self) -> str:
        """Name of the score that is shown in tables."""
        return "log-score" if self.temperatures.size else "RMSE"

    @prefix_errors
    def frame(self, backend: Backend | None = None) -> Any:
        """Return the weights and scores as a data frame with one row per member."""
        columns: dict[str, Any] = {"member": list(self.names), "weight": self.weights}
        if self.temperatures.size:
            columns["temperature"] = self.temperatures
        columns[self.score_label.lower().replace("-", "_")] = self.scores
        columns["scored_by"] = ["leave-one-out" if name in self.left_out else "folds" for name in self.names]
        return framed(columns, backend or self._backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """Plot the weights as a bar chart with the largest weight at the top, and return the axes."""
        with drawing(ax) as ax:
            order = np.argsort(self.weights, kind="stable")
            ax.barh([self.names[m] for m in order], self.weights[order], color=color(0))
            ax.set(xlabel="weight in the stack")
            return ax

    def _grid(self) -> Grid:
        header = ["member", "weight", *["temperature"] * bool(self.temperatures.size), self.score_label, "scored by"]
        lines, scores = [], equal_decimals([*self.scores, self.score], 5)
        for m in np.argsort(-self.weights, kind="stable").tolist():
            line = [self.names[m], f"{self.weights[m]:.3f}"]
            line += [f"{self.temperatures[m]:.2f}"] if self.temperatures.size else []
            by = "leave-one-out" if self.names[m] in self.left_out else "folds"
            lines.append([*line, scores[m], by])
        blanks = [""] * bool(self.temperatures.size)
        lines.append(["stack", "", *([f"{self.temperature:.2f}"] if blanks else []), scores[-1], ""])
        title = f"{len(self.names)} members on {self.rows:,} rows, {self.folds} folds"
        return Grid(title, header, lines, right=range(1, len(header) - 1))


@dataclass(frozen=True, eq=False)
class _Predicted:
    """Members fitted to all rows, and their held-out predictions by leave-one-out or cross-validation."""

    rows: _Rows
    members: dict[str, _Fitted]
    answers: dict[str, FloatArray]
    one_by_one: tuple[str, ...]
    folds: int

    @property
    def names(self) -> tuple[str, ...]:
        return (BASELINE, *self.answers)

    @property
    def weights(self) -> FloatArray:
        return np.ones(len(self.rows)) if self.rows.weights is None else self.rows.weights


@dataclass(frozen=True, eq=False)
class _Mixture:
    """Members fitted to all rows, their weights, and the held-out predictions of the mixture."""

    members: dict[str, _Fitted]
    result: Stack
    answers: FloatArray  # held-out prediction of each row
    truth: AnyArray


# -- estimators


def _may_have_precedents(stack: Stacked) -> bool:
    """Return whether some member can return precedents; True as long as the stack has no fitted members."""
    try:
        return stack._voter() is not None
    except (NotFittedError, TooFewRowsError):
        return True


class Stacked(RowsEstimator[Memory]):
    """Base of `StackedClassifier` and `StackedRegressor`."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "members": [None, list, tuple, Mapping],
        "folds": [Interval(Integral, 2, 100, closed="both")],
        "prior": [Interval(Real, 1, 1e6, closed="both")],
    }
    _task: ClassVar[Literal["classify", "regress"]]
    _seed: int
    relearns_ = True  # leave-one-out must learn the weights again without each row

    def __init__(
        self,
        members: Members = None,
        *,
        folds: int = 5,
        prior: float = 1.2,
        categorical_features: CategoricalFeatures = "from_dtype",
        schema: SchemaLike = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.members, self.folds, self.prior = members, folds, prior
        self.categorical_features, self.schema = categorical_features, schema
        self.random_state, self.n_jobs = random_state, n_jobs

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters; with ``deep``, also the members by name, and their parameters as ``name__parameter``.

        Members given as the names of learners have no parameters here.
        """
        params: dict[str, Any] = super().get_params(deep=False)
        if deep:
            for name, member in _labeled(self.members):
                if name in params or isinstance(member, (str, type)) or not hasattr(member, "get_params"):
                    continue
                params[name] = member
                params |= {f"{name}__{key}": value for key, value in member.get_params(deep=True).items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters of the stack, replace members by name, or set parameters of members (``name__parameter``)."""
        if "members" in params:
            super().set_params(members=params.pop("members"))
        own = super().get_params(deep=False)
        labels = [name for name, _ in _labeled(self.members)]
        replaced = {name: params.pop(name) for name in labels if name in params and name not in own}
        if replaced:
            with lock_of(self):
                self.members = _with_members(self.members, replaced)
        return super().set_params(**params)

    @property
    @reads
    def stack_(self) -> Stack:
        """Table of the members with their weights and scores."""
        return self._mixture().result

    @property
    @reads
    def weights_(self) -> dict[str, float]:
        """Weight of each member, by name; the weights sum to 1."""
        result = self._mixture().result
        return dict(zip(result.names, result.weights.tolist(), strict=True))

    @property
    @reads
    def members_(self) -> dict[str, Any]:
        """Members fitted to all rows, by name; the baseline is an estimator of ``sklearn.dummy``."""
        mixture = self._mixture()
        rows, weights = np.zeros((len(mixture.truth), 1)), self._stored().row_weights
        baseline = find(BASELINE).make(self._task).fit(rows, self._stored_targets(), weights)
        return {BASELINE: baseline} | {name: member.model for name, member in mixture.members.items()}

    @available_if(_may_have_precedents)
    @reads
    def precedents(self, X: Any, n_neighbors: int | None = None) -> Precedents:
        """Return the stored rows nearest to each query, found by the highest-weighted member that has precedents.

        The votes come from this member, but the predictions and probabilities come from the whole stack. If no
        member has precedents, use `explain` instead.
        """
        (name, voter), weights = self._voter(), self.weights_
        table = self._queries(self._table(X)).table
        found = voter.precedents(table, *([] if n_neighbors is None else [n_neighbors]))
        return self._own_precedents(replace(found, member=name, member_weight=weights[name]), X)

    @reads
    def _voter(self) -> Any:
        """Return the name and model of the highest-weighted member that has precedents, or None."""
        result, members = self._mixture().result, self._mixture().members
        by_weight = sorted(zip(-result.weights, result.names, strict=True))
        models = ((name, members[name].model) for _, name in by_weight if name in members)
        return next((of for of in models if isinstance(of[1], RowsEstimator) and hasattr(of[1], "precedents")), None)

    def _own_precedents(self, found: Precedents, X: Any) -> Precedents:
        """Return precedents ``found`` by a member, with the ids and predictions of the stack."""
        stored, table = self._stored(), self._table(X)
        columns = list(table.columns)
        for a, column in zip(self._used_columns(), self._queries(table).table.columns, strict=True):
            columns[a] = column
        return replace(
            found,
            names=attribute_names(table.schema),
            queries=decoded(Table(table.schema, len(table), tuple(columns))),
            predictions=self._predicted(table),
            ids=stored.ids[found.ids],
            rows=stored.instances.decode(found.ids),
            contributions=self._of_all_columns(found.contributions),
            unlike=tuple(one and self._own_case(one) for one in found.unlike),
            importance=None if found.importance is None else self._of_all_columns(found.importance),
            backend=self._backend,
        )

    def _own_case(self, found: Precedent) -> Precedent:
        """Return a past case ``found`` by a member, with its id and row in the stack."""
        stored = self._stored()
        row = stored.instances.decode(np.array([found.id]))[0]
        contributions = self._of_all_columns(found.contributions)
        return replace(found, id=int(stored.ids[found.id]), row=row, contributions=contributions)

    def _of_all_columns(self, parts: FloatArray) -> FloatArray:
        """Return contributions of all columns, which are 0 for columns that the members do not use."""
        found = np.zeros((*parts.shape[:-1], len(self._stored().instances.schema)))
        found[..., self._used_columns()] = parts
        return found

    # -- files

    def _saved_state(self) -> dict[str, Any] | None:
        foreign = [name for name, of in _labeled(self.members) if not isinstance(of, (str, RowsEstimator))]
        if foreign:
            raise UnsupportedDataError(
                f"the {named('member', foreign)} cannot be saved, because a saved model contains no estimators of "
                "other libraries. Replace them with default members by name, such as 'logistic' or 'boosting', or with "
                "learners of priorcase; or write the whole stack with joblib.dump or pickle, and load such files only "
                "if you trust their source."
            )
        state = super()._saved_state()
        return state if state is None else state | {"seed": self._seed}

    def _restore_state(self, state: dict[str, Any]) -> None:
        if type(state["seed"]) is not int or state["seed"] < 0:
            raise ValueError("the seed is not an integer >= 0")
        self._seed = state["seed"]
        super()._restore_state(state)

    # -- fitting

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_parameters(self)
        self._wanted = None if self.members is None else _named(self.members, self._task)
        self._count, self._prior = int(self.folds), float(self.prior)

    def _learn(self, X: Any, y: Any, sample_weight: Any, classes: Any) -> None:
        if "_memory" not in self.__dict__:
            self._seed = check_seed(self.random_state)
        super()._learn(X, y, sample_weight, classes)

    def _new_memory(self, schema: Schema, targets: Schema | None) -> Memory:
        return Memory(Instances(schema, targets))

    def _training_table(self, X: Any) -> Table:
        with unwarned(UninformativeColumnWarning):  # `_finish_fit` warns
            return super()._training_table(X)

    def _finish_fit(self) -> None:
        memory = self._answering()
        table = stored_table(memory.instances, np.arange(len(memory)))
        warn_uninformative(table, self._declared(), drops=True)
        self._mixture()

    def _declared(self) -> set[int]:
        """Return the columns whose kinds the user declared; these columns are never dropped."""
        schema, given = self._stored().instances.schema, self._fitted_parameters()
        if not isinstance(given["categorical_features"], str) or isinstance(given["schema"], Schema):
            return set(range(len(schema)))
        return {schema.position(key) for key in given["schema"] or ()}

    def _used_columns(self) -> list[int]:
        """Return the positions of the columns that do not identify rows, are not constant and have values."""
        memory = self._answering()

        def compute() -> list[int]:
            instances = memory.instances
            schema, table = instances.schema, stored_table(instances, np.arange(len(instances)))
            suspicious = suspicious_columns(table, self._declared())
            dropped = {schema.position(name) for name, why in suspicious.items() if why.left_out}
            return [a for a in range(len(schema)) if a not in dropped]

        return memory.cached("used columns", compute)

    def _used(self) -> Instances:
        """Return the stored rows with the columns that the members use."""
        memory = self._answering()

        def compute() -> Instances:
            instances, kept = memory.instances, self._used_columns()
            schema = instances.schema
            if len(kept) == len(schema):
                return instances
            names = None if schema.names is None else tuple(schema.names[a] for a in kept)
            return instances.reshaped(Schema(names, tuple(schema.kinds[a] for a in kept)), kept)

        return memory.cached("used rows", compute)

    def _imputation(self) -> Imputation:
        """Return what is known about missing and unseen values, from the rows with a positive weight."""
        memory = self._answering()

        def compute() -> Imputation:
            used, truth, weights = self._used(), self._truth(), memory.row_weights
            if weights is not None:
                rows = np.flatnonzero(weights > 0)
                used, truth, weights = used.part(rows), truth[rows], weights[rows]
            return Imputation.of(used, truth, weights, is_class=self._task == "classify")

        return memory.cached("imputation", compute)

    def _missing_is_informative(self) -> bool:
        return bool(self._imputation().informative.any())

    def _queries(self, table: Table) -> Queries:
        """Return queries with the columns that the members use."""
        used = self._used().schema
        if len(used) < len(table.schema):
            table = Table(used, len(table), tuple(table.columns[a] for a in self._used_columns()))
        return self._imputation().queries(table)

    def _mixture(self) -> _Mixture:
        """Return the members and weights for the stored rows; recompute both if the rows have changed."""
        return self._answering().cached("mixture", self._new_mixture)

    def _new_mixture(self) -> _Mixture:
        memory, used = self._answering(), self._used()
        n = len(memory)
        if memory.total_weight * (1 + SLACK) < 1:
            raise TooFewRowsError(
                f"the sample weights sum to {memory.total_weight:g}; expected at least 1, because weights count rows. "
                "Multiply all weights by a constant, such as the number of rows divided by their sum."
            )
        classes, folds = self._known_classes(), self._folds(min(self._count, n))
        evident = self._least_rows(folds) >= _FEWEST_FOR_EVIDENCE
        table, targets = stored_table(used, np.arange(n)), self._stored_targets()
        rows = _Rows(table, targets, memory.row_weights, self._ranks(), evident)
        # Kept until all members have been fitted, which share the counts.
        texts = [CountedWords.of(column) for column in _text_columns(rows.table)]
        wanted = self._wanted_members(folds, classes)
        members, answers, left_out = dict[str, _Fitted](), dict[str, FloatArray](), [BASELINE]
        failures = dict[str, Exception]()
        # Sequentially, or in parallel if joblib.parallel_config sets a backend.
        calls = (joblib.delayed(_fit_and_leave_out)(self, member, rows, classes, folds) for member in wanted.values())
        with bar(len(wanted), shown=n >= _MANY_ROWS, text="stacking") as advance:
            done = joblib.Parallel(return_as="generator")(calls) if wanted else ()
            for name, found in zip(wanted, done, strict=True):
                if isinstance(found, Exception):
                    failures[name] = found
                else:
                    members[name], answers[name], closed = found
                    left_out += [name] if closed else []
                advance(name)
        if self._wanted is not None and failures and not members:
            raise next(iter(failures.values()))
        del texts
        for name, error in failures.items():
            warn_caller(FitFailedWarning(f"the member {name!r} was left out of the stack: {failure(error)}"))
        return self._mixed(_Predicted(rows, members, answers, tuple(left_out), int(folds.max(initial=0)) + 1))

    def _wanted_members(self, folds: IntArray, classes: AnyArray | None) -> dict[str, Any]:
        """Return the members to be fitted, by name."""
        if len(folds) < 2 or (classes is not None and len(classes) < 2):
            return {}  # too few rows or a single class
        size = TableSize.of(self._used(), self._least_rows(folds), None if classes is None else len(classes))
        if self._wanted is None:
            return default_members(size)
        default = all_members(size)
        return {name: default[of] if isinstance(of, str) else of for name, of in self._wanted.items()}

    def _fit_member(self, member: Any, rows: _Rows) -> _Fitted:
        return _Fitted.to(member, rows, self._used().schema, self.n_jobs, self._seed)

    def _cross_fitted(self, member: Any, rows: _Rows, classes: AnyArray | None, folds: IntArray) -> FloatArray:
        """Return cross-validated predictions: each row is predicted by a copy of the member fitted to other folds."""
        instances = self._used()
        found = np.zeros(len(rows)) if classes is None else np.zeros((len(rows), len(classes)))
        for fold in range(int(folds.max()) + 1):
            rest, own = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            weights = None if rows.weights is None else rows.weights[rest]
            table = stored_table(instances, rest)
            part = _Rows(table, rows.targets[rest], weights, rows.ranks[rest], rows.evident)
            if classes is not None and np.all(part.targets == part.targets[0]):
                found[np.ix_(own, classes == part.targets[0])] = 1.0
                continue
            found[own] = self._fit_member(member, part).predict(stored_table(instances, own), classes)
        return found

    def _answered(self, table: Table) -> FloatArray:
        """Return the mixture of the members' predictions."""
        return self._answer(self._queries(table))

    def _answer(self, queries: Queries) -> FloatArray:
        """Return the mixture for queries; where nothing is known, it is the baseline."""
        found = self._baseline(len(queries))
        usual = np.flatnonzero(~queries.blank & ~queries.incomplete)
        if usual.size:
            found[usual] = self._mixed_answer(queries.part(usual).table)
        incomplete = np.flatnonzero(~queries.blank & queries.incomplete)
        if incomplete.size:
            found[incomplete] = self._completed_answer(queries.part(incomplete))
        return found

    def _mixed_answer(self, table: Table) -> FloatArray:
        mixture = self._mixture()
        names = mixture.result.names
        parts = self._weighted_sum(mixture, table, [name for name in names if name != BASELINE])
        return self._finished(self._weighted_baseline(mixture, len(table)) + parts, mixture.result)

    def _completed_answer(self, queries: Queries) -> FloatArray:
        """Return the mixture for queries with unexpected missing values, which some members cannot handle."""
        mixture = self._mixture()
        members = mixture.members
        able = [name for name in members if _handles_missing(members[name].model)]
        others = [name for name in members if name not in able]
        fixed = self._weighted_baseline(mixture, len(queries)) + self._weighted_sum(mixture, queries.table, able)

        def answer(copies: Table) -> FloatArray:
            return self._finished(fixed + self._weighted_sum(mixture, copies, others), mixture.result)

        found = self._imputation().averaged(queries, answer) if others else self._finished(fixed, mixture.result)
        return self._moderated(found, queries.filled.mean(axis=1))

    def _moderated(self, found: FloatArray, absent: FloatArray) -> FloatArray:
        """Return predictions for queries in which a share of the columns is absent, with less confidence."""
        return found

    def _weighted_baseline(self, mixture: _Mixture, n: int) -> FloatArray:
        return np.asarray(self._baseline(n) * mixture.result.weights[mixture.result.names.index(BASELINE)])

    def _weighted_sum(self, mixture: _Mixture, table: Table, names: Sequence[str]) -> FloatArray:
        """Return the sum of the predictions of some members, multiplied by their weights."""
        result = mixture.result
        total = np.zeros_like(self._baseline(len(table)))
        for name in names:
            m = result.names.index(name)
            total += result.weights[m] * self._member_answer(mixture, m, table)
        return total

    @abstractmethod
    def _stored_targets(self) -> AnyArray:
        """Return the targets of the stored rows."""

    @abstractmethod
    def _known_classes(self) -> AnyArray | None:
        """Return the classes, or None for regression."""

    def _ranks(self) -> IntArray:
        """Return the ranks of the rows by their content, which do not depend on the order of the rows."""
        memory = self._answering()
        return memory.cached("ranks", lambda: content_ranks(memory.instances, self._truth()[:, None], self._seed))

    def _folds(self, count: int) -> IntArray:
        """Return the fold of each row; folds are stratified by class and do not depend on the order of the rows."""
        truth = self._truth()
        groups = np.zeros(len(truth)) if self._known_classes() is None else truth
        order = np.lexsort((self._ranks(), groups))
        folds = np.empty(order.size, np.intp)
        folds[order] = np.arange(order.size) % max(count, 1)
        return folds

    def _least_rows(self, folds: IntArray) -> int:
        """Return the total weight of the smallest training set from which a held-out prediction is made."""
        memory = self._stored()
        weights = np.ones(len(memory)) if memory.row_weights is None else memory.row_weights
        largest = max(float(np.bincount(folds, weights=weights).max()), float(weights.max()))
        return max(1, int(memory.total_weight - largest))

    @abstractmethod
    def _truth(self) -> FloatArray:
        """Return the targets as numbers; for classification, these are positions in ``classes_``."""

    @abstractmethod
    def _mixed(self, found: _Predicted) -> _Mixture:
        """Return the members with weights learned from their held-out predictions."""

    @abstractmethod
    def _baseline(self, n: int) -> FloatArray:
        """Return the baseline predictions for ``n`` queries; the baseline ignores all columns."""

    @abstractmethod
    def _member_answer(self, mixture: _Mixture, m: int, table: Table) -> FloatArray: ...

    @abstractmethod
    def _finished(self, mixed: FloatArray, result: Stack) -> FloatArray: ...

    @abstractmethod
    def _predicted(self, table: Table) -> AnyArray: ...

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = False
        return tags


def _handles_missing(model: Any) -> bool:
    """Return whether a member can predict rows that lack values which all of its training rows have."""
    # Structured Bayes treats missing values as a category. The votes of few neighbors, which are calibrated on complete
    # rows, are overconfident if the neighbors are near in few columns only.
    return isinstance(model, RowsEstimator) and not isinstance(model, (StructuredBayes, RBFNetwork, KNNClassifier))


def _fit_and_leave_out(
    stack: Stacked, member: Any, rows: _Rows, classes: AnyArray | None, folds: IntArray
) -> tuple[_Fitted, FloatArray, bool] | Exception:
    """Return a fitted member, its held-out predictions, and whether these are leave-one-out predictions.

    If the member cannot be fitted to these rows, return the error. Errors in the parameters of a member are raised.
    """
    # BLAS threads wait for each other at every small product: with one thread, linear members take a tenth of the time
    # and give identical results on any machine.
    try:
        with _thread_pools().limit(limits=1, user_api="blas"):
            fitted = stack._fit_member(member, rows)
            found = fitted.left_out(classes)
            if found is not None:
                return fitted, found, True
            return fitted, stack._cross_fitted(member, rows, classes, folds), False
    except (ParameterError, InvalidParameterError):
        raise
    except (PriorcaseError, ValueError, MemoryError) as error:
        return error


class StackedClassifier(ClassifierMixin, Stacked):
    """Weighted mixture of classifiers, with weights learned from held-out predictions (stacking).

    The method is stacking of predictive distributions (Yao et al. 2018). Held-out predictions are made by leave-one-out
    if the member needs no refitting for exact results, otherwise by cross-validation. A temperature calibrates each
    member. The weights maximize the held-out log-score of the mixture ``sum_m w_m p_m(class)``, and a temperature
    calibrates the mixture. After `partial_fit` or `forget`, the next prediction refits members and weights.

    Parameters
    ----------
    members
        List of unfitted classifiers or learner names such as ``"naive_bayes"``, or a mapping from names to classifiers.
        Names of default members, such as ``"logistic"``, are also accepted. The default members are k-NN, local
        logistic regression, local naive Bayes, tree-averaged Bayes, an RBF network, logistic regression and boosted
        trees. scikit-learn classifiers get a numeric table (`TableEncoder`), and a ``Pipeline`` gets a data frame.
        From 500 rows, RBF networks and boosted trees get each text as a few numbers: the evidence of its words for the
        classes, which for a training row is learned from other rows. A ``baseline`` member that predicts the class
        frequencies is always added.
    folds
        Number of folds for members without fast leave-one-out.
    prior
        Parameter of the Dirichlet prior of the weights. With a value above 1, no member gets all the weight.
    categorical_features, schema, n_jobs
        See `KNNClassifier`; these parameters are also used for the members.
    random_state
        Seed for the folds, and for members whose ``random_state`` is None.

    Attributes
    ----------
    stack_, weights_, members_
        Table of members, weights and scores, dictionary of weights by name, and dictionary of fitted members by name.
    classes_, ids_, n_samples_fit_, schema_, n_features_in_, feature_names_in_
        See `KNNClassifier`.

    Notes
    -----
    Values that no stored row has are treated like missing values. Some members cannot predict a query with a missing
    value in a column that is complete in the stored rows. They predict copies of the query, filled in from the 32
    nearest stored rows, and these predictions are averaged. If nothing is known, the prediction is the class
    frequencies or, for regression, the mean of the targets, unless missing values of the stored rows depend on the
    target; explanations then show missing values as reasons.

    Columns that identify rows, are constant or have no values are not used, unless their kind is declared in
    ``schema``. A member that cannot be fitted to the table is left out with a ``FitFailedWarning``.

    References
    ----------
    .. [1] Y. Yao, A. Vehtari, D. Simpson & A. Gelman: Using stacking to average Bayesian predictive distributions,
           2018.

    Examples
    --------
    >>> import priorcase as pc
    >>> X, y = pc.load_repairs()
    >>> model = pc.StackedClassifier().fit(X, y)
    >>> model.predict(X[:3])
    array(['tune-up', 'brakes', 'wheel'], dtype=object)
    """

    _task = "classify"
    _labeling: Labeling

    @property
    @reads
    def classes_(self) -> AnyArray:
        """Classes in ascending order."""
        return self._labels()[0]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the members and their weights, replacing any earlier fit; see `KNNClassifier.fit`."""
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add rows; the next prediction refits members and weights. See `KNNClassifier.partial_fit`."""
        return self._partial_fit(X, y, sample_weight, classes)

    @reads
    def predict(self, X: Any) -> AnyArray:
        """Predict the most probable class of each row; ties go to the first class in ``classes_``."""
        self._answering()
        return self._predicted(self._table(X))

    @reads
    def predict_proba(self, X: Any) -> FloatArray:
        """Predict the probability of each class in ``classes_`` for each row."""
        self._answering()
        return self._answered(self._table(X))

    @reads
    def loo_predict_proba(self) -> FloatArray:
        """Return the held-out class probabilities of each stored row, in the order of ``ids_``.

        The weights and temperatures were learned from all rows, including the row that is predicted.
        """
        return self._mixture().answers.copy()

    @reads
    def loo_predict(self) -> AnyArray:
        """Return the held-out prediction of each stored row; see `loo_predict_proba`."""
        chosen: AnyArray = self._labels()[0][np.argmax(self._mixture().answers, axis=1)]
        return chosen

    def _read_targets(self, y: Any, classes: Any, first: bool) -> tuple[Schema, AnyArray]:
        stored, earlier = (None, None) if first else (self._stored().instances, self._labeling)
        self._labeling, targets, labels = learned_labels(y, classes, earlier, stored)
        if labels.shape[1] != 1:
            raise TargetError(
                f"y must be one class for each row, got {labels.shape[1]} columns. Fit one model for each target."
            )
        return targets, labels

    def _labels(self) -> tuple[AnyArray, IntArray]:
        """Return the classes, and the position of the class of each stored row."""
        memory = self._stored()

        def compute() -> tuple[AnyArray, IntArray]:
            classes = self._labeling.classes(memory.instances)[0]
            return classes.labels, classes.at(slice(None))

        return memory.cached("labels", compute)

    def _stored_targets(self) -> AnyArray:
        labels, own = self._labels()
        return np.asarray(labels[own])

    def _known_classes(self) -> AnyArray:
        return self._labels()[0]

    def _truth(self) -> FloatArray:
        return self._labels()[1].astype(np.float64)

    def _frequencies(self, *, left_out: bool = False) -> FloatArray:
        """Return smoothed class frequencies or, with ``left_out``, those without each row, shape (rows, classes)."""
        (labels, own), weights = self._labels(), self._stored().row_weights
        # One row is added, divided evenly among the classes.
        counts = np.bincount(own, weights=weights, minlength=labels.size) + 1.0 / labels.size
        if left_out:
            counts = np.tile(counts, (own.size, 1))
            counts[np.arange(own.size), own] -= 1.0 if weights is None else weights
        return np.asarray(counts / counts.sum(axis=-1, keepdims=True))

    def _smoothed(self, probabilities: FloatArray, frequencies: FloatArray) -> FloatArray:
        """Mix probabilities with a small share of the class frequencies, so that no probability is 0."""
        share = 1.0 / (self._stored().total_weight + 1.0)
        return (1.0 - share) * probabilities + share * frequencies

    def _mixed(self, found: _Predicted) -> _Mixture:
        own, names, weights = self._labels()[1], found.names, found.weights
        n, at, frequencies = own.size, np.arange(own.size), self._frequencies()
        answers, temperatures = [self._frequencies(left_out=True)], [1.0]
        for raw in found.answers.values():
            smoothed = self._smoothed(raw, frequencies)
            temperatures.append(best_temperature(smoothed, own, weights, _COOLEST, _HOTTEST, frequencies))
            answers.append(scaled(smoothed, temperatures[-1], frequencies))
        given = np.stack([answer[at, own] for answer in answers], axis=1)
        shares = mixture_weights(given, weights, self._prior) if len(names) > 1 else np.ones(1)
        mixed = np.sum([share * answer for share, answer in zip(shares, answers, strict=True)], axis=0)
        final = best_temperature(mixed, own, weights, 0.5, 2.0, frequencies) if len(names) > 1 else 1.0
        mixed = scaled(mixed, final, frequencies)
        scores = (weights[:, None] * np.log(given)).sum(axis=0) / weights.sum()
        score = float((weights * np.log(mixed[at, own])).sum() / weights.sum())
        told = final, found.one_by_one, n, found.folds, self._backend
        return _Mixture(found.members, Stack(names, shares, np.array(temperatures), scores, score, *told), mixed, own)

    def _baseline(self, n: int) -> FloatArray:
        return np.tile(self._frequencies(), (n, 1))

    def _member_answer(self, mixture: _Mixture, m: int, table: Table) -> FloatArray:
        found = mixture.members[mixture.result.names[m]].predict(table, self._known_classes())
        frequencies = self._frequencies()
        return scaled(self._smoothed(found, frequencies), float(mixture.result.temperatures[m]), frequencies)

    def _finished(self, mixed: FloatArray, result: Stack) -> FloatArray:
        return scaled(mixed, result.temperature, self._frequencies())

    def _moderated(self, found: FloatArray, absent: FloatArray) -> FloatArray:
        # Members were weighted and calibrated on rows with more values, and there are few copies.
        rows = _BASELINE_ROWS * np.square(absent)
        share = (rows / (DONORS + rows))[:, None]
        return np.asarray((1.0 - share) * found + share * self._baseline(len(found)))

    def _predicted(self, table: Table) -> AnyArray:
        chosen: AnyArray = self._labels()[0][np.argmax(self._answered(table), axis=1)]
        return chosen

    def _own_precedents(self, found: Precedents, X: Any) -> Precedents:
        probabilities = self._answered(self._table(X))
        return replace(super()._own_precedents(found, X), probabilities=probabilities, classes=self._labels()[0])


class StackedRegressor(RegressorMixin, Stacked):
    """Weighted mixture of regressors, with weights learned from held-out predictions (stacking).

    Convex stacking (Breiman 1996): the prediction is ``sum_m w_m f_m(x)``, where the non-negative weights sum to 1 and
    minimize the held-out squared error. Predictions of members are clipped to the range of the targets, widened by a
    tenth on each side. Intervals and quantiles are based on held-out errors divided by a local scale, which is the mean
    absolute error of the 40 nearest rows, shrunk toward the mean. Missing values in a query increase the local scale.

    Parameters
    ----------
    members
        See `StackedClassifier`. The default members are k-NN and local linear regression, both with and without Relief
        weights, an RBF network, ridge regression and boosted trees. A ``baseline`` (the mean) is always a member.
    folds, prior, categorical_features, schema, random_state, n_jobs
        See `StackedClassifier`.

    Attributes
    ----------
    stack_, weights_, members_, ids_, n_samples_fit_, schema_, n_features_in_, feature_names_in_
        See `StackedClassifier`.

    References
    ----------
    .. [1] L. Breiman: Stacked regressions, 1996.

    Examples
    --------
    >>> import numpy as np, priorcase as pc
    >>> X = np.linspace(0, 1, 60)[:, None]
    >>> model = pc.StackedRegressor().fit(X, np.sin(6 * X[:, 0]))
    >>> model.predict([[0.25]]).round(2)
    array([1.])
    >>> low, high = model.predict_interval([[0.25]])[0]
    >>> bool(low < 0.998 < high)
    True
    """

    _task = "regress"
    _flat: bool

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the members and their weights, replacing any earlier fit; ``y`` has one finite number for each row."""
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Add rows; the next prediction refits members and weights."""
        return self._partial_fit(X, y, sample_weight)

    @reads
    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Predict the target of each row; with ``return_std``, also return the standard deviation of the errors."""
        self._answering()
        check_value("return_std", return_std, ["boolean"])
        table = self._table(X)
        found = self._answered(table)
        if not return_std:
            return found
        z = self._errors()[2]
        deviations = self._scale(table) * float(np.sqrt(np.mean(z * z)))
        return found, np.where(self._queries(table).blank, self._deviation(), deviations)

    @reads
    def predict_quantiles(self, X: Any, levels: Any) -> FloatArray:
        """Predict quantiles of the target, shape (queries, levels); ``levels`` are between 0 and 1."""
        self._answering()
        asked = np.atleast_1d(np.asarray(levels, dtype=np.float64))
        if asked.ndim != 1 or not ((asked > 0) & (asked < 1)).all():
            raise ParameterError(f"levels must be numbers strictly between 0 and 1, got {quoted(levels)}")
        return self._quantiles(self._table(X), asked)

    @reads
    def predict_interval(self, X: Any, level: float = 0.9) -> FloatArray:
        """Predict for each row an interval that contains the target with probability ``level``, shape (queries, 2)."""
        self._answering()
        check_value("level", level, [Interval(Real, 0, 1, closed="neither")])
        return self._quantiles(self._table(X), np.array([(1.0 - level) / 2.0, (1.0 + level) / 2.0]))

    def _quantiles(self, table: Table, levels: FloatArray) -> FloatArray:
        """Return quantiles of the target for each row; where nothing is known, those of the stored targets."""
        weights, errors = self._weights_of_several_rows(), self._errors()[2]
        found = self._answered(table)[:, None] + self._scale(table)[:, None] * _quantiles(errors, weights, levels)
        found[self._queries(table).blank] = _quantiles(self._stored_targets(), weights, levels)
        return np.asarray(found)

    def _weights_of_several_rows(self) -> FloatArray | None:
        """Return the weights of the stored rows; raise an error if there are fewer than two rows."""
        if len(self._stored()) < 2:
            raise TooFewRowsError("intervals and quantiles need at least two rows. Add rows with partial_fit.")
        return self._stored().row_weights

    @reads
    def loo_predict(self) -> FloatArray:
        """Return the held-out prediction of each stored row, in the order of ``ids_``."""
        return self._mixture().answers.copy()

    def _read_targets(self, y: Any, classes: Any, first: bool) -> tuple[Schema, AnyArray]:
        targets, numbers = learned_numbers(self, y, first, squared=True)
        if not self._flat and numbers.shape[1] == 1:
            text = (
                "A column-vector y was passed when a 1d array was expected. Use y.ravel() to change its shape to "
                "(n_samples,)."
            )
            warn_caller(DataConversionWarning(text))
        if numbers.shape[1] != 1:
            raise TargetError(
                f"y must be one number for each row, got {numbers.shape[1]} columns. Fit one model for each target."
            )
        return targets, numbers

    def _stored_targets(self) -> AnyArray:
        return np.asarray(self._stored().instances.target(0), dtype=np.float64)

    def _known_classes(self) -> None:
        return None

    def _truth(self) -> FloatArray:
        return self._stored_targets()

    def _mean(self) -> float:
        return float(np.average(self._stored_targets(), weights=self._stored().row_weights))

    def _deviation(self) -> float:
        squares = np.square(self._stored_targets() - self._mean())
        return float(np.sqrt(np.average(squares, weights=self._stored().row_weights)))

    def _mixed(self, found: _Predicted) -> _Mixture:
        y, names, weights = found.rows.targets, found.names, found.weights
        total = weights.sum()
        rest = np.where(total > weights, total - weights, 1.0)
        means = np.where(total > weights, (weights @ y - weights * y) / rest, self._mean())
        predictions = np.column_stack([means, *map(self._bounded, found.answers.values())])
        shares = squared_error_weights(predictions, y, weights, self._prior) if len(names) > 1 else np.ones(1)
        mixed = predictions @ shares
        errors = np.sqrt((weights[:, None] * (predictions - y[:, None]) ** 2).sum(axis=0) / total)
        score = float(np.sqrt((weights * (mixed - y) ** 2).sum() / total))
        told = 1.0, found.one_by_one, len(found.rows), found.folds, self._backend
        return _Mixture(found.members, Stack(names, shares, np.empty(0), errors, score, *told), mixed, y)

    def _errors(self) -> tuple[KNNRegressor | None, float, FloatArray]:
        """Return a model of absolute held-out errors, their mean, and the errors divided by their local scale."""
        memory = self._answering()

        def compute() -> tuple[KNNRegressor | None, float, FloatArray]:
            mixture = self._mixture()
            errors = np.asarray(mixture.truth - mixture.answers)
            mean = float(np.average(np.abs(errors), weights=memory.row_weights))
            if len(memory) < 2 or mean == 0.0:
                return None, mean, errors  # not scaled
            used, rows = self._used(), np.arange(len(memory))
            nearest = min(_SCALE_NEIGHBORS, self._least_rows(rows))
            model = KNNRegressor(nearest, schema=used.schema, n_jobs=self.n_jobs)
            table = stored_table(used, rows)
            model.fit(table, np.abs(errors), memory.row_weights)
            absent = missing_cells(table)
            moved = self._moved(np.diag(absent.any(axis=0)))  # by column: rows may lack any set of columns
            return model, mean, errors / np.hypot(_shrunk(model.loo_predict(), mean), np.sqrt(absent @ moved**2))

        return memory.cached("errors", compute)

    def _scale(self, table: Table) -> FloatArray:
        """Return the local scale of the errors around each query."""
        model, mean, _ = self._errors()
        if model is None:
            return np.full(len(table), mean and 1.0)
        queries = self._queries(table)
        patterns, of = np.unique(missing_cells(queries.table), axis=0, return_inverse=True)
        return np.hypot(_shrunk(model.predict(queries.table), mean), self._moved(patterns)[of.ravel()])

    def _moved(self, absent: BoolArray) -> FloatArray:
        """Return, for each row of the mask, the mean absolute change in predictions if its columns are missing."""
        # Held-out errors of rows with a known value do not show how large errors are without this value.
        moved = np.zeros(len(absent))
        if absent.any():
            used, imputation = self._used(), self._imputation()
            some = stored_table(used, fixed_sample(len(used), _LEFT_OUT_ROWS))
            whole = self._answer(imputation.queries(some))
            for i in np.flatnonzero(absent.any(axis=1)).tolist():
                lacking = without_cells(some, np.tile(absent[i], (len(some), 1)))
                moved[i] = np.abs(whole - self._answer(imputation.queries(lacking))).mean()
        return moved

    def _baseline(self, n: int) -> FloatArray:
        return np.full(n, self._mean())

    def _member_answer(self, mixture: _Mixture, m: int, table: Table) -> FloatArray:
        return self._bounded(mixture.members[mixture.result.names[m]].predict(table, None).reshape(len(table)))

    def _bounded(self, answers: FloatArray) -> FloatArray:
        """Clip predictions to the range of the targets, widened by a tenth on each side."""
        y = self._stored_targets()
        margin = 0.1 * (y.max() - y.min())
        return np.clip(answers, y.min() - margin, y.max() + margin)

    def _finished(self, mixed: FloatArray, result: Stack) -> FloatArray:
        return mixed

    def _predicted(self, table: Table) -> AnyArray:
        return self._answered(table)


def _quantiles(values: FloatArray, weights: FloatArray | None, levels: FloatArray) -> FloatArray:
    """Return quantiles of numbers (median-unbiased if the rows have no weights)."""
    if weights is None:
        return np.asarray(np.quantile(values, levels, method="median_unbiased"))
    order = np.argsort(values, kind="stable")  # NumPy has weighted quantiles since 2.0 only
    reached = np.cumsum(weights[order])
    return np.asarray(values[order[np.searchsorted(reached, levels * reached[-1]).clip(max=values.size - 1)]])


def _shrunk(local: FloatArray, mean: float) -> FloatArray:
    """Shrink local mean absolute errors toward the overall mean absolute error."""
    return (_SCALE_NEIGHBORS * local + _SCALE_PRIOR * mean) / (_SCALE_NEIGHBORS + _SCALE_PRIOR)
