"""Conformal prediction: prediction intervals and sets with a coverage guarantee, for any learner."""

from __future__ import annotations

import inspect
import math
import os
import pickle
import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, TypeAlias, TypeVar, get_args

import joblib
import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    MetaEstimatorMixin,
    RegressorMixin,
    clone,
    is_classifier,
    is_regressor,
)
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import get_tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from priorcase import saving
from priorcase._parameters import check_parameters, check_seed, check_value
from priorcase._typing import AnyArray, Backend, BoolArray, FloatArray, IdArray, IntArray, Value
from priorcase.evaluation.running import check_jobs, closed_quietly, seeded
from priorcase.evaluation.scoring import aligned, readable
from priorcase.exceptions import (
    EvaluationError,
    ForgettingError,
    ParameterError,
    SchemaError,
    TargetError,
    prefix_errors,
    quoted,
)
from priorcase.instances import Instances
from priorcase.learning.diagram import html_inner, mimebundle
from priorcase.learning.estimator import EstimatorMeta, RowsEstimator
from priorcase.learning.plotting import color, drawing
from priorcase.learning.resampling import bar, taken_rows
from priorcase.learning.results import Grid, GridResult, PerQuery, framed, rest_text, short
from priorcase.learning.state import changes, reads
from priorcase.learning.targets import check_length, read_labels, read_numbers

Method: TypeAlias = Literal["cv+", "jackknife+", "jackknife-minmax"]
Folds: TypeAlias = int | Literal["loo"]
Positions: TypeAlias = tuple[IdArray, ...]
T = TypeVar("T")

KEPT = 30
"""Maximum number of folds whose models are kept in memory; with more folds, a model is created when it is needed."""

_FOLDS = 10
_PARTS = 64
_NUMBERS = 2**23  # numbers kept in memory at a time, one for each row and query: 64 MiB


def _upper_rank(level: float, n: int) -> int:
    """Return the rank of the upper end of an interval among n values: ``ceil(level (n + 1))`` (Barber et al. 2021)."""
    return math.ceil(Fraction(repr(float(level))) * (n + 1))  # 0.9 means exactly 9/10, which no float equals


def _ordered(values: FloatArray, rank: int) -> FloatArray:
    """Return the ``rank``-th smallest value of each row; -inf for rank 0, inf for ranks above the row length."""
    if not 0 < rank <= values.shape[1]:
        return np.full(len(values), np.inf if rank else -np.inf)
    found: FloatArray = np.partition(values, rank - 1, axis=1)[:, rank - 1]
    return found


# -- models without each fold


def _dealt(n: int, folds: Folds, random_state: int) -> Positions:
    """Return random folds, each as ascending row positions; fold sizes differ by at most one."""
    if n < (least := 2 if folds == "loo" else folds):
        problem = f"got {n} rows for {least} folds (n_samples = {n}); expected at least one row for each fold"
        raise EvaluationError(f"{problem}. Use fewer folds (at least 2), or pass more rows.")
    if folds == "loo" or folds == n:
        return tuple(np.arange(n, dtype=np.int64)[:, None])
    # Not stratified: coverage is guaranteed only if the folds do not depend on the targets.
    order = np.random.default_rng(random_state).permutation(n).astype(np.int64)
    return tuple(np.sort(order[fold::folds]) for fold in range(folds))


@dataclass(frozen=True, eq=False)
class LeftOut:
    """One model for each fold, fitted to all rows outside the fold."""

    estimator: Any
    X: Any
    y: AnyArray
    folds: Positions
    models: tuple[Any, ...] = ()  # if empty, each model is created when it is needed
    # A pickled model of all rows, which forgets the row of a fold. Reading it takes a tenth of the time of a deep copy.
    pickled: bytes = b""

    def without(self, fold: int) -> Any:
        """Return a model fitted to all rows outside a fold."""
        if self.models:
            return self.models[fold]
        if self.pickled:
            return pickle.loads(self.pickled).forget([fold])
        others = np.delete(np.arange(self.y.size), self.folds[fold])
        try:
            return clone(self.estimator).fit(taken_rows(self.X, others), self.y[others])
        except ValueError as error:  # the fit on all rows succeeded
            raise EvaluationError(
                f"{type(self.estimator).__name__} could not be fitted to {others.size} of {self.y.size} rows (all but "
                f"one fold): {str(error).rstrip('.')}. A rare class may occur only in that fold: use more "
                "folds, drop the class, or choose another learner."
            ) from error


def forgetting(model: Any, n: int) -> bytes:
    """Return the pickled model; empty if the model drops rows, cannot be pickled, or cannot forget a row exactly."""
    if not isinstance(model, RowsEstimator) or not np.array_equal(model.ids_, np.arange(n)):
        return b""
    try:
        pickled = pickle.dumps(model)
        pickle.loads(pickled).forget([0])
    except (ForgettingError, pickle.PicklingError, AttributeError):  # a lambda cannot be pickled
        return b""
    return pickled


def _left_out(estimator: Any, model: Any, X: Any, y: AnyArray, folds: Positions, n_jobs: int | None) -> LeftOut:
    """Return the models of all folds; ``model`` is the estimator already fitted to all rows."""
    refitting = LeftOut(estimator, X, y, folds)
    if len(folds) <= KEPT:
        parts = _over_folds(partial(_models, refitting), len(folds), n_jobs, "folds", shown=True)
        return LeftOut(None, None, y, folds, models=tuple(made for _, part in parts for made in part))
    if len(folds) == y.size and (pickled := forgetting(model, y.size)):
        return LeftOut(None, None, y, folds, pickled=pickled)
    return LeftOut(estimator, deepcopy(X), y, folds)


def _models(source: LeftOut, part: range) -> list[Any]:
    return [source.without(fold) for fold in part]


def _over_folds(
    task: Callable[[range], T], n: int, n_jobs: int | None, text: str, *, shown: bool = False
) -> Iterator[tuple[range, T]]:
    """Run a task with joblib on consecutive ranges of the ``n`` folds, and yield each range with its result."""
    size = -(-n // _PARTS)
    parts = [range(start, min(start + size, n)) for start in range(0, n, size)]
    results = joblib.Parallel(n_jobs=n_jobs, return_as="generator")(joblib.delayed(task)(part) for part in parts)
    progress = bar(len(parts), shown=shown or n > KEPT, text=text)
    with closed_quietly(results), progress as advance:
        for part, result in zip(parts, results, strict=True):
            yield part, result
            advance(text)


def _of_own_rows(
    predict: Callable[[Any, Any], FloatArray], source: LeftOut, X: Any, part: range
) -> list[tuple[IdArray, FloatArray]]:
    """Return the rows of each fold in ``part``, and their predictions by the model fitted without these rows."""
    return [(source.folds[fold], predict(source.without(fold), taken_rows(X, source.folds[fold]))) for fold in part]


def _of_queries(predict: Callable[[Any, Any], FloatArray], source: LeftOut, X: Any, part: range) -> list[FloatArray]:
    return [predict(source.without(fold), X) for fold in part]


def _refuse_nan(values: AnyArray, model: Any) -> None:
    if (missing := np.isnan(values).any(axis=1)).any():
        raise EvaluationError(
            f"got NaN from {type(model).__name__} for row {int(missing.argmax())}; expected a number from the model of "
            "every fold. Choose another learner, or fewer folds."
        )


class ConformalEstimator(MetaEstimatorMixin, BaseEstimator, metaclass=EstimatorMeta):
    """Base class of conformal estimators, which fit one model to all rows and one to the rows outside each fold."""

    estimator: Any
    random_state: Any
    n_jobs: int | None
    estimator_: Any
    n_features_in_: int
    feature_names_in_: AnyArray
    _parameter_constraints: ClassVar[dict[str, list[Any]]]
    _left_out: LeftOut
    _fitted: ClassVar[tuple[str, ...]]  # attributes set by fit, in addition to the models of the folds

    @reads
    def predict(self, X: Any) -> AnyArray:
        """Predict with the estimator fitted to all rows."""
        check_is_fitted(self)
        found: AnyArray = self.estimator_.predict(readable(X, self.estimator_))
        return found

    def _check(self, X: Any, wanted: str, is_other: Callable[[Any], bool]) -> None:
        check_parameters(self)
        given = self.estimator
        if isinstance(given, type) or not hasattr(given, "fit") or not hasattr(given, "predict") or is_other(given):
            raise ParameterError(
                f"estimator must be a {wanted}, got {quoted(given)}. Use "
                f"Conformal{wanted.capitalize()}(KNN{wanted.capitalize()}()), for example."
            )
        check_jobs(self.n_jobs)
        if isinstance(X, np.ndarray) and X.dtype.kind == "c":
            raise SchemaError(
                "Complex data not supported, found in column 0; expected real numbers. Pass the real part and the "
                "imaginary part as two columns."
            )

    def _fit_folds(self, X: Any, y: AnyArray, folds: Folds) -> int:
        """Fit the estimator to all rows, prepare the models of the folds, and return the random seed."""
        seed = check_seed(self.random_state)
        estimator = seeded(self.estimator, seed)  # a model that is refitted must be the same as before
        self.estimator_ = clone(estimator).fit(X, y)
        self._record_features()
        self._left_out = _left_out(estimator, self.estimator_, X, y, _dealt(y.size, folds, seed), self.n_jobs)
        return seed

    def _record_features(self) -> None:
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))

    def _over_models(self, ask: Callable[..., T], *arguments: Any, text: str) -> Iterator[tuple[range, T]]:
        return _over_folds(partial(ask, *arguments), len(self._left_out.folds), self.n_jobs, text)

    @prefix_errors
    def save(self, path: str | os.PathLike[str]) -> Path:
        """Save the model to a file that `priorcase.load` reads; return the path.

        The estimator must be from priorcase. With more than 30 folds, ``X`` is also saved if models have to be refitted
        after loading; ``X`` must then be an array or a list.
        """
        return saving.save(self, path)

    @reads
    def _saved_state(self) -> dict[str, Any] | None:
        if "_left_out" not in self.__dict__:
            return None
        source = self._left_out
        state = {name: self.__dict__[name] for name in self._fitted} | {"_folds": source.folds}
        if source.models:
            return state | {"kept": list(source.models)}
        if source.pickled:
            return state
        return state | {"refitting": {"estimator": source.estimator, "X": source.X, "y": source.y}}

    def _restore_state(self, state: dict[str, Any]) -> None:
        model, folds, own = state["estimator_"], state["_folds"], {name: state[name] for name in self._fitted}
        models = [model, *state.get("kept", ())]
        if {type(each) for each in models} != {type(self.estimator)}:
            raise ValueError("the models have different types")
        for each in models:
            check_is_fitted(each)
            if each.n_features_in_ != model.n_features_in_:
                raise ValueError("the models have different columns")
        for rows in folds:
            saving.checked(rows, np.int64, (None,), least=0)
        n = sum(map(len, folds))
        if len(folds) < 2 or not np.array_equal(np.sort(np.concatenate(folds)), np.arange(n)):
            raise ValueError("the folds do not partition the rows")
        self._check_fitted(own, models, n)
        if "kept" in state:
            source = LeftOut(None, None, np.empty(n), folds, models=tuple(models[1:]))
            complete = len(source.models) == len(folds)
        elif "refitting" in state:
            told = state["refitting"]  # read from a file, and therefore checked below
            source = LeftOut(told["estimator"], told["X"], told["y"], folds)
            complete = type(source.estimator) is type(model) and source.y.shape == (n,)
        else:
            source = LeftOut(None, None, np.empty(n), folds, pickled=forgetting(model, n) if len(folds) == n else b"")
            complete = bool(source.pickled)
        if not complete:
            raise ValueError("folds without a model")
        source.without(0)
        self.__dict__.update(own)
        self._left_out = source
        self._record_features()

    _repr_html_inner, _repr_mimebundle_ = html_inner, mimebundle

    def _diagram_rows(self) -> Instances | None:
        inner: Any = self.__dict__.get("estimator_")
        return inner._diagram_rows() if isinstance(type(inner), EstimatorMeta) else None

    @abstractmethod
    def _check_fitted(self, state: dict[str, Any], models: list[Any], n: int) -> None:
        """Raise ``ValueError`` if the attributes read from a file do not fit the models or the ``n`` training rows."""

    def _asked(self, X: Any) -> tuple[Any, int]:
        """Return the queries in the form that the estimator accepts, and the number of queries."""
        check_is_fitted(self)
        check_jobs(self.n_jobs)
        X = readable(X, self.estimator_)
        return X, len(self.estimator_.predict(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if hasattr(self.estimator, "__sklearn_tags__"):
            inner = get_tags(self.estimator)
            tags.input_tags = inner.input_tags
            tags.classifier_tags = inner.classifier_tags and tags.classifier_tags
        tags.target_tags.required = True
        tags.target_tags.multi_output = False
        return tags


# -- intervals


class ConformalRegressor(RegressorMixin, ConformalEstimator):
    """Prediction intervals with guaranteed coverage for any regressor (jackknife+ and CV+).

    Let ``mu_-i`` be the regressor fitted without row i (for ``"cv+"``, without the fold of row i) and ``R_i = |y_i -
    mu_-i(x_i)|``. The interval of level ``1 - alpha`` at x goes from the ``floor(alpha (n + 1))``-th smallest of
    ``mu_-i(x) - R_i`` to the ``ceil((1 - alpha)(n + 1))``-th smallest of ``mu_-i(x) + R_i`` (Barber et al. 2021).

    For exchangeable rows, coverage is at least ``1 - 2 alpha`` for ``"jackknife+"`` (Theorem 1), ``1 - alpha`` for
    ``"jackknife-minmax"`` (Theorem 3), and ``1 - 2 alpha - min(2 (1 - 1/K) / (n/K + 1), (1 - K/n) / (K + 1))`` for
    ``"cv+"`` with K folds (Theorem 4). The coverage of jackknife+ and CV+ is usually close to ``1 - alpha``.

    Parameters
    ----------
    estimator
        Any regressor with scikit-learn's ``fit`` and ``predict``; it is cloned.
    method
        ``"cv+"`` fits one model per fold; ``"jackknife+"`` and ``"jackknife-minmax"`` fit one model per row. Minmax
        intervals go from the smallest to the largest ``mu_-i(x)``, widened by a quantile of the residuals.
    folds
        Number of random folds, for ``"cv+"`` only.
    nonconformity
        ``"absolute"``: the absolute residual. ``"scaled"``: this residual divided by the standard deviation from
        ``predict(X, return_std=True)``, which adapts the width to the query.
    random_state
        Seed of the folds, and of the estimator if its ``random_state`` is None.
    n_jobs
        Number of models to fit in parallel with joblib.

    Attributes
    ----------
    estimator_, residuals_
        The estimator fitted to all rows, and the residual ``R_i`` of each row.

    Notes
    -----
    The models of up to 30 folds are kept in memory. With more folds, the models are created again in each call, so
    pass many queries at once. Shuffle the rows if the learner depends on their order, such as `IB2` to `IB5`.

    References
    ----------
    R. F. Barber, E. J. Candès, A. Ramdas & R. J. Tibshirani, Predictive inference with the jackknife+, *Annals of
    Statistics* 49, 2021.

    Examples
    --------
    >>> import numpy as np
    >>> from priorcase.evaluation import ConformalRegressor
    >>> import priorcase as pc
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(0.0, 6.0, (60, 1))
    >>> y = np.sin(X[:, 0]) + rng.normal(0.0, 0.1, 60)
    >>> model = ConformalRegressor(pc.KNNRegressor(5), method="jackknife+").fit(X, y)
    >>> model.predict_interval([[1.0], [4.5]], level=0.9).round(2)
    array([[ 0.56,  0.91],
           [-1.09, -0.73]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "method": [StrOptions({"cv+", "jackknife+", "jackknife-minmax"})],
        "folds": [Interval(Integral, 2, None, closed="left")],
        "nonconformity": [StrOptions({"absolute", "scaled"})],
    }
    residuals_: FloatArray
    _method: Method
    _scaled: bool
    _fitted = ("estimator_", "residuals_", "_method", "_scaled")

    def __init__(
        self,
        estimator: Any,
        *,
        method: Method = "cv+",
        folds: int = _FOLDS,
        nonconformity: Literal["absolute", "scaled"] = "absolute",
        random_state: int | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.folds = folds
        self.nonconformity = nonconformity
        self.random_state = random_state
        self.n_jobs = n_jobs

    @changes
    def fit(self, X: Any, y: Any) -> Self:
        """Fit the estimator to all rows, and compute the held-out residuals."""
        self._check(X, "regressor", is_classifier)
        if self.nonconformity == "scaled" and not _has_spread(self.estimator):
            raise EvaluationError(
                f"got nonconformity='scaled' and {type(self.estimator).__name__}, whose predict has no return_std. "
                "Use nonconformity='absolute', or a regressor with return_std such as LocallyWeightedRegressor."
            )
        if self.method != "cv+" and self.folds != _FOLDS:
            problem = f"folds must be {_FOLDS} with method={self.method!r}, got {quoted(self.folds)}"
            raise ParameterError(f"{problem}. Omit folds: this method leaves out one row at a time.")
        X, (numbers, flat) = readable(X, self.estimator), read_numbers(y)
        if numbers.shape[1] != 1:
            raise TargetError(f"got y of shape {numbers.shape}; y should be a 1d array. Pass one target for each row.")
        if not flat:
            text = "A column-vector y was passed when a 1d array was expected. Use y.ravel() to change its shape."
            warnings.warn(text, DataConversionWarning, stacklevel=3)
        targets = numbers[:, 0]
        self._fit_folds(X, targets, int(self.folds) if self.method == "cv+" else "loo")
        self._method, self._scaled = self.method, self.nonconformity == "scaled"
        self.residuals_ = np.empty(targets.size)
        predict = partial(_with_spread, scaled=self._scaled)
        for _, answers in self._over_models(_of_own_rows, predict, self._left_out, X, text="left-out residuals"):
            for rows, answer in answers:
                self.residuals_[rows] = _residuals(targets[rows], answer)
        return self

    @reads
    def predict_interval(self, X: Any, level: float = 0.9) -> FloatArray:
        """Return the interval of each query, shape (queries, 2); infinite if there are too few rows for the level."""
        X, m = self._asked(X)
        check_value("level", level, [Interval(Real, 0, 1, closed="neither")])
        rank = _upper_rank(level, self.residuals_.size)
        return self._minmax(X, m, rank) if self._method == "jackknife-minmax" else self._plus(X, m, rank)

    def _check_fitted(self, state: dict[str, Any], models: list[Any], n: int) -> None:
        residuals, method = state["residuals_"], state["_method"]
        if residuals.dtype != np.float64 or residuals.shape != (n,) or not (residuals >= 0).all():
            raise ValueError("invalid residuals")
        if not all(map(is_regressor, models)) or method not in get_args(Method) or type(state["_scaled"]) is not bool:
            raise ValueError("an unknown method")
        if state["_scaled"] and not _has_spread(models[0]):
            raise ValueError("a regressor whose predict has no return_std")

    def _asked_models(self, X: Any) -> Iterator[tuple[int, FloatArray]]:
        """Yield each fold with the predictions and standard deviations of its model, shape (2, queries)."""
        predict = partial(_with_spread, scaled=self._scaled)
        for part, answers in self._over_models(_of_queries, predict, self._left_out, X, text="intervals"):
            yield from zip(part, answers, strict=True)

    def _plus(self, X: Any, m: int, rank: int) -> FloatArray:
        """Return jackknife+ or CV+ intervals of ``m`` queries; ``rank`` is the rank of their upper ends."""
        n, found, folds = self.residuals_.size, np.tile([-np.inf, np.inf], (m, 1)), self._left_out.folds
        if rank > n:
            return found
        at_once, starts = max(1, _NUMBERS // n), np.cumsum([0, *map(len, folds)])
        for start in range(0, m, at_once):
            queries = np.arange(start, min(start + at_once, m))
            lower, upper = np.empty((queries.size, n)), np.empty((queries.size, n))
            for fold, (prediction, spread) in self._asked_models(X if queries.size == m else taken_rows(X, queries)):
                rows = slice(starts[fold], starts[fold + 1])
                within = _reach(self.residuals_[folds[fold]], spread[:, None])
                np.subtract(prediction[:, None], within, out=lower[:, rows])
                np.add(prediction[:, None], within, out=upper[:, rows])
            found[queries, 0], found[queries, 1] = _ordered(lower, n + 1 - rank), _ordered(upper, rank)
        return found

    def _minmax(self, X: Any, m: int, rank: int) -> FloatArray:
        """Return intervals from the smallest to the largest prediction, widened by a quantile of the residuals."""
        residual, found = _ordered(self.residuals_[None], rank), np.tile([np.inf, -np.inf], (m, 1))
        for _, (prediction, spread) in self._asked_models(X):
            within = _reach(residual, spread)
            found[:, 0] = np.minimum(found[:, 0], prediction - within)
            found[:, 1] = np.maximum(found[:, 1], prediction + within)
        return found


def _has_spread(estimator: Any) -> bool:
    parameters = inspect.signature(estimator.predict).parameters.values()
    return any(each.name == "return_std" or each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters)


def _with_spread(model: Any, X: Any, *, scaled: bool) -> FloatArray:
    """Return predictions and standard deviations, shape (2, rows); without ``scaled``, standard deviations are 1."""
    values = model.predict(X, return_std=True) if scaled else (model.predict(X),)
    found = np.ones((2, len(values[0])))
    for part, numbers in zip(found, values, strict=False):
        part[:] = np.asarray(numbers).reshape(part.size, -1)[:, 0]
    _refuse_nan(found.T, model)
    return found


def _residuals(y: FloatArray, answers: FloatArray) -> FloatArray:
    """Return ``|y - prediction| / spread``; if the spread is 0, return 0 for exact predictions, otherwise infinity."""
    off = np.abs(y - answers[0])
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(off == 0, 0.0, off / answers[1])


def _reach(residual: FloatArray, spread: FloatArray) -> FloatArray:
    """Return ``residual * spread``, where 0 times infinity is infinity."""
    with np.errstate(invalid="ignore"):
        found: FloatArray = residual * spread
    found[np.isnan(found)] = np.inf  # 0 times infinity
    return found


# -- sets


class ConformalClassifier(ClassifierMixin, ConformalEstimator):
    """Prediction sets with guaranteed coverage for any classifier (cross-conformal prediction).

    Let ``E_i`` be the nonconformity of row i under a model fitted without its fold, and ``E_i(x, c)`` the nonconformity
    of query x with class c under this model. The p-value of c is ``(#{i: E_i >= E_i(x, c)} + 1) / (n + 1)``. The set of
    level ``1 - alpha`` contains the classes with a p-value above alpha, and can be empty. These are the cross-conformal
    sets of Vovk (2015), which equal the CV+ sets of Romano, Sesia & Candès (2020).

    For exchangeable rows, coverage is at least
    ``1 - 2 alpha - min(2 (1 - 1/K) / (n/K + 1), (1 - K/n) / (K + 1))`` for n rows in K folds (Romano et al. 2020), and
    ``1 - 2 alpha`` for ``folds="loo"``. Coverage is usually close to ``1 - alpha``.

    Parameters
    ----------
    estimator
        Any classifier with scikit-learn's ``fit`` and ``predict_proba``; it is cloned.
    nonconformity
        ``"one_minus"``: one minus the probability of the class, which usually gives smaller sets than ``"aps"``.
        ``"aps"``: adaptive prediction sets, which are larger for queries whose class is uncertain.
    folds
        Number of random folds, or ``"loo"`` (every row is a fold, which takes longest).
    class_conditional
        Whether to compute the p-value of a class from the rows of this class only, so that coverage is guaranteed for
        each class. Classes with fewer than ``1 / alpha - 1`` rows are then in every set.
    randomized
        Whether to randomize the scores, which makes sets smaller (Romano et al. 2020); only with ``"aps"``.
    random_state
        Seed of the folds and of ``randomized``, and of the estimator if its ``random_state`` is None.
    n_jobs
        Number of models to fit in parallel with joblib.

    Attributes
    ----------
    estimator_, classes_, scores_
        The estimator fitted to all rows, the classes, and the held-out nonconformity of each row, minus one.

    References
    ----------
    V. Vovk, Cross-conformal predictors, *Annals of Mathematics and Artificial Intelligence* 74, 2015. Y. Romano,
    M. Sesia & E. J. Candès, Classification with valid and adaptive coverage, *NeurIPS* 2020. V. Vovk, A. Gammerman &
    G. Shafer, *Algorithmic Learning in a Random World*, 2005 (class-conditional).

    Examples
    --------
    >>> from priorcase.evaluation import ConformalClassifier
    >>> import priorcase as pc
    >>> X, y = pc.load_repairs()
    >>> model = ConformalClassifier(pc.NaiveBayes(numeric="student"), folds="loo").fit(X, y)
    >>> model.predict_set(X[:4], level=0.9)
    prediction sets at level 0.9: 4 queries, 1.50 classes on average
      query  size  classes (p-value)
          0     1  tune-up (0.990)
          1     2  brakes (0.289), wheel (0.103)
          2     2  wheel (0.320), tune-up (0.103)
          3     1  wheel (0.990)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "nonconformity": [StrOptions({"one_minus", "aps"})],
        "folds": [Interval(Integral, 2, None, closed="left"), StrOptions({"loo"})],
        "class_conditional": ["boolean"],
        "randomized": ["boolean"],
    }
    classes_: AnyArray
    scores_: FloatArray
    _targets: IntArray
    _adaptive: bool
    _own_class: bool
    _seed: int | None
    _fitted = ("estimator_", "classes_", "scores_", "_targets", "_adaptive", "_own_class", "_seed")

    def __init__(
        self,
        estimator: Any,
        *,
        nonconformity: Literal["one_minus", "aps"] = "one_minus",
        folds: Folds = _FOLDS,
        class_conditional: bool = False,
        randomized: bool = False,
        random_state: int | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.nonconformity = nonconformity
        self.folds = folds
        self.class_conditional = class_conditional
        self.randomized = randomized
        self.random_state = random_state
        self.n_jobs = n_jobs

    @changes
    def fit(self, X: Any, y: Any) -> Self:
        """Fit the estimator to all rows, and compute the held-out nonconformity scores."""
        self._check(X, "classifier", is_regressor)
        if self.randomized and self.nonconformity != "aps":
            problem = f"randomized must be False with nonconformity={self.nonconformity!r}, got True"
            raise ParameterError(f"{problem}. Only nonconformity='aps' can be randomized.")
        if not hasattr(self.estimator, "predict_proba"):
            raise EvaluationError(
                f"got an estimator without predict_proba, {type(self.estimator).__name__}. Use a classifier with "
                "predict_proba, or wrap the estimator in scikit-learn's CalibratedClassifierCV."
            )
        X, labels = readable(X, self.estimator), _one_column(y)
        self.classes_, self._targets = np.unique(labels, return_inverse=True)
        seed = self._fit_folds(X, labels, self.folds if self.folds == "loo" else int(self.folds))
        self._adaptive, self._own_class = self.nonconformity == "aps", bool(self.class_conditional)
        self._seed = seed if self.randomized else None
        self.scores_ = np.empty(labels.size)
        draws, predict = self._draws(0, labels.size), partial(_class_shares, classes=self.classes_)
        for _, answers in self._over_models(_of_own_rows, predict, self._left_out, X, text="left-out scores"):
            for rows, shares in answers:
                strange = _nonconformity(shares, None if draws is None else draws[rows], adaptive=self._adaptive)
                self.scores_[rows] = strange[np.arange(rows.size), self._targets[rows]]
        return self

    @available_if(lambda self: hasattr(self.estimator, "predict_proba"))
    @reads
    def predict_proba(self, X: Any) -> FloatArray:
        """Predict probabilities with the estimator fitted to all rows."""
        check_is_fitted(self)
        found: FloatArray = self.estimator_.predict_proba(readable(X, self.estimator_))
        return found

    @reads
    def p_values(self, X: Any) -> FloatArray:
        """Return the p-value of each class for each query, shape (queries, classes), in the order of ``classes_``.

        The p-value of a class is the share of rows, including the query itself, whose nonconformity is at least as
        large as the nonconformity of the query with this class.
        """
        return (self._counts(X) + 1) / (self._compared() + 1)

    @reads
    def predict_set(self, X: Any, level: float = 0.9) -> PredictionSets:
        """Return the prediction set of each query."""
        check_value("level", level, [Interval(Real, 0, 1, closed="neither")])
        counts, compared = self._counts(X), self._compared()
        # p > alpha in integers: counts + 1 > alpha (n + 1).
        least = np.array([n + 1 - _upper_rank(level, n) for n in compared.tolist()])
        return PredictionSets(self.classes_, counts >= least, (counts + 1) / (compared + 1), float(level))

    def _check_fitted(self, state: dict[str, Any], models: list[Any], n: int) -> None:
        classes, targets = state["classes_"], saving.checked(state["_targets"], np.int64, (n,), least=0)
        saving.checked(state["scores_"], np.float64, (n,))
        if not np.array_equal(np.unique(classes), classes) or not targets.max() < classes.size:
            raise ValueError("invalid classes")
        for each in models:
            if not hasattr(each, "predict_proba") or not np.isin(each.classes_, classes).all():
                raise ValueError("a classifier with different classes")
        kinds = [type(state[name]) for name in ("_adaptive", "_own_class", "_seed")]
        if kinds not in ([bool, bool, type(None)], [bool, bool, int]) or (state["_seed"] or 0) < 0:
            raise ValueError("an unknown setting")

    def _counts(self, X: Any) -> IdArray:
        """Return, for each query and class, how many rows are at least as nonconforming as the query in this class."""
        X, m = self._asked(X)
        rows = (self.scores_, self._targets if self._own_class else None)
        asked = (self._left_out, X, self._draws(1, m), *rows, self.classes_, self._adaptive)
        found = np.zeros((m, self.classes_.size), dtype=np.int64)
        for _, counts in self._over_models(_count_no_less, *asked, text="p-values"):
            found += counts
        return found

    def _compared(self) -> IdArray:
        """Return, for each class, the number of rows from which its p-value is computed."""
        if not self._own_class:
            return np.full(self.classes_.size, self._targets.size)
        return np.bincount(self._targets, minlength=self.classes_.size)

    def _draws(self, stream: int, n: int) -> FloatArray | None:
        """Return ``n`` random numbers for randomized scores, otherwise None; fit and queries use different streams."""
        return None if self._seed is None else np.random.default_rng([self._seed, stream]).random(n)


def _one_column(y: Any) -> AnyArray:
    labels = read_labels(y).values
    if labels.shape[1] != 1:
        raise TargetError(
            f"got y with {labels.shape[1]} columns; expected one class for each row. Fit one model for each target."
        )
    return labels[:, 0]


def _class_shares(model: Any, X: Any, *, classes: AnyArray) -> FloatArray:
    """Return the probabilities of all classes for each row; 0 for classes that the model has not seen."""
    shares = np.asarray(model.predict_proba(X))
    _refuse_nan(shares, model)
    return aligned(shares, model.classes_, classes)


def _nonconformity(shares: FloatArray, draws: FloatArray | None = None, *, adaptive: bool) -> FloatArray:
    """Return the nonconformity of each class, minus one; ``shares`` contains the class probabilities.

    The result is ``-P(class)`` or, if ``adaptive`` is True, minus the total probability of all less probable classes.
    For randomized scores, a random fraction (``draws``) of the probabilities of the class itself and of all equally
    probable classes is added to the total.
    """
    if not adaptive:
        return -shares
    found = np.empty_like(shares)
    for c in range(shares.shape[1]):
        own = shares[:, c : c + 1]
        mass = np.where(shares < own, shares, 0.0).sum(axis=1)  # exactly 0 for the least probable class
        if draws is not None:
            mass += draws * np.where(shares == own, shares, 0.0).sum(axis=1)
        found[:, c] = -mass
    return found


def _count_no_less(
    source: LeftOut,
    X: Any,
    draws: FloatArray | None,
    scores: FloatArray,
    targets: IntArray | None,
    classes: AnyArray,
    adaptive: bool,
    part: range,
) -> IdArray:
    """For each query and class, count rows in the folds ``part`` that are at least as nonconforming as the query."""
    total: IdArray | int = 0
    for fold in part:
        strange = _nonconformity(_class_shares(source.without(fold), X, classes=classes), draws, adaptive=adaptive)
        left = source.folds[fold]
        for c in range(classes.size):
            among = np.sort(scores[left if targets is None else left[targets[left] == c]])
            strange[:, c] = among.size - np.searchsorted(among, strange[:, c])
        total = total + strange.astype(np.int64)
    return np.asarray(total)


@dataclass(frozen=True, repr=False, eq=False)
class PredictionSets(PerQuery, GridResult):
    """Prediction sets, one for each query; they print as a table, and can be indexed and sliced.

    ``inside`` marks the ``classes`` in each set, and ``p_values`` contains the p-value of each class, both of shape
    (queries, classes). A set contains the classes with a p-value above ``1 - level``. ``numbers`` are the positions of
    the queries before slicing.
    """

    classes: AnyArray
    inside: BoolArray
    p_values: FloatArray
    level: float
    numbers: tuple[int, ...] = ()

    _by_query: ClassVar[tuple[str, ...]] = ("inside", "p_values")
    _shown: ClassVar[int] = 20

    @property
    def sizes(self) -> IdArray:
        """Number of classes in each set."""
        found: IdArray = self.inside.sum(axis=1)
        return found

    @property
    def labels(self) -> list[list[Value]]:
        """Classes of each set, sorted by descending p-value."""
        return [[label for label, _ in self._plausible(query)] for query in range(len(self))]

    def holds(self, y: Any) -> BoolArray:
        """Return a mask of the queries whose set contains the true class."""
        truth = _one_column(y)
        check_length(len(truth), len(self))
        found: BoolArray = (self.inside & (truth[:, np.newaxis] == self.classes)).any(axis=1)
        return found

    @prefix_errors
    def frame(self, backend: Backend | None = None) -> Any:
        """Return one row per query and class, with columns ``query``, ``class``, ``p_value`` and ``inside``."""
        columns = {
            "query": np.repeat(np.array(self.numbers, dtype=np.int64), self.classes.size),
            "class": np.tile(self.classes, len(self)),
            "p_value": self.p_values.ravel(),
            "inside": self.inside.ravel(),
        }
        return framed(columns, backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """Plot the distribution of set sizes as bars; return the axes."""
        sizes = np.arange(min(self.classes.size, int(self.sizes.max(initial=0)) + 1) + 1)
        with drawing(ax) as ax:
            from matplotlib.ticker import MaxNLocator

            bars = ax.bar(sizes, np.bincount(self.sizes, minlength=sizes.size), color=color(0), width=0.6)
            ax.bar_label(bars, padding=2, fontsize=8.5)
            ax.grid(axis="x", visible=False)
            for axis in (ax.xaxis, ax.yaxis):
                axis.set_major_locator(MaxNLocator(integer=True))
            ax.set_xlabel("classes in the set")
            ax.set_ylabel("queries")
            ax.set_title(f"Prediction sets at level {self.level:g}: {len(self):,} queries")
            return ax

    def _grid(self) -> Grid:
        of_queries = "1 query" if len(self) == 1 else f"{len(self):,} queries"
        title = f"prediction sets at level {self.level:g}: {of_queries}, {self.sizes.mean():.2f} classes on average"
        lines = []
        for query in range(min(len(self), self._shown)):
            inside = self._plausible(query)
            names = ", ".join(f"{label} ({p:.3f})" for label, p in inside)
            lines.append([str(self.numbers[query]), str(len(inside)), short(names, 60) or "-"])
        return Grid(title, ("query", "size", "classes (p-value)"), lines, rest_text(self._shown, len(self)), {0, 1})

    def _plausible(self, query: int) -> list[tuple[Value, float]]:
        """Return the classes of one set with their p-values, in descending order of the p-values."""
        order = np.argsort(-self.p_values[query], kind="stable")
        kept = order[self.inside[query, order]]
        return list(zip(self.classes[kept].tolist(), self.p_values[query, kept].tolist(), strict=True))
