"""Predictions for test rows, and scores of predictions."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, Literal, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.metrics import get_scorer, get_scorer_names
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _num_samples

from priorcase._parameters import check_value
from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.datasets.columns import NamedColumns
from priorcase.exceptions import EvaluationError, ParameterError, UnsupportedDataError, advice, listed, quoted
from priorcase.learning.resampling import taken_rows
from priorcase.learning.results import free_label
from priorcase.learning.targets import as_array, read_labels, read_numbers

Kind: TypeAlias = Literal["classes", "numbers"]
Need: TypeAlias = Literal["predicted", "proba", "learner"]
"""Input of a score: predictions, probabilities, or the learner itself (for a scikit-learn scorer)."""

# How Python prints functions and objects without a repr of their own; the group is their name or class.
_ADDRESS = re.compile(r"<(?:function )?(?:\S*\.)?(\S+)(?: object)? at 0x[0-9A-Fa-f]+>")

# -- learners and targets


@dataclass(frozen=True, eq=False)
class Task:
    """Targets of all rows, and the classes in ascending order (empty for regression)."""

    kind: Kind
    truth: AnyArray
    labels: AnyArray

    def __len__(self) -> int:
        return len(self.truth)

    @property
    def codes(self) -> IntArray:
        """Position of each row's class in ``labels``."""
        return np.searchsorted(self.labels, self.truth)

    @property
    def alone(self) -> IntArray:
        """Positions of the rows that are the only ones of their class."""
        codes = self.codes if self.labels.size else np.empty(0, dtype=np.intp)
        return np.flatnonzero(np.bincount(codes, minlength=1)[codes] == 1)

    def unseen(self, train: IntArray, test: IntArray) -> tuple[Any, ...]:
        """Return the classes of test rows that do not occur in the training rows."""
        known = self.truth[train] if self.labels.size else self.truth
        return tuple(np.setdiff1d(self.truth[test], known).tolist())


def read_learners(learners: Any) -> dict[str, Any]:
    """Return a mapping from name to learner; learners that are passed without a name get their repr as name.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> list(read_learners([DummyClassifier(), DummyClassifier()]))
    ['DummyClassifier()', 'DummyClassifier() (2)']
    """
    if isinstance(learners, Mapping):
        named = {str(name): learner for name, learner in learners.items()}
    else:
        one = hasattr(learners, "fit") or not isinstance(learners, Collection) or isinstance(learners, str)
        named = {}
        for learner in [learners] if one else learners:
            named[free_label(_name(learner), named)] = learner
    if not named:
        raise EvaluationError(
            "got no learners; expected an estimator, a list of estimators or a mapping from name to estimator."
        )
    for name, learner in named.items():
        if isinstance(learner, type) or not (hasattr(learner, "fit") and hasattr(learner, "predict")):
            found = f"the class {learner.__name__}" if isinstance(learner, type) else quoted(learner)
            raise EvaluationError(
                f"got learner {name!r} as {found}; expected an estimator with fit and predict. Pass an instance, such "
                "as KNNClassifier()."
            )
    return named


def _name(learner: Any) -> str:
    if isinstance(learner, type):
        return learner.__name__
    if not isinstance(learner, BaseEstimator):
        return type(learner).__name__
    return _ADDRESS.sub(r"\1", " ".join(repr(learner).split()))


def read_task(learners: Mapping[str, Any], y: Any, *, X: Any) -> Task:
    """Return the targets as classes if the learners are classifiers, or as numbers if the learners are regressors."""
    by_kind: dict[Kind, str] = {}
    for name, learner in learners.items():
        if not (is_classifier(learner) or is_regressor(learner)):
            raise EvaluationError(
                f"got learner {name!r}, {quoted(learner)}, which is neither a classifier nor a regressor. Derive it "
                "from scikit-learn's ClassifierMixin or RegressorMixin."
            )
        by_kind.setdefault("classes" if is_classifier(learner) else "numbers", name)
    if len(by_kind) > 1:
        raise EvaluationError(
            f"got the classifier {by_kind['classes']!r} and the regressor {by_kind['numbers']!r}; expected only "
            "classifiers or only regressors. Compare them in two calls."
        )
    rows = row_count(X)
    if rows == 0:
        raise EvaluationError(
            "got a table without rows; expected at least two rows. Check whether all rows were filtered out."
        )
    array = as_array(y)
    if array.ndim == 2 and array.shape[1] > 1:
        raise EvaluationError(f"got y with {array.shape[1]} columns; expected one. Evaluate one target at a time.")
    if rows != len(array):
        raise EvaluationError(f"got X with {rows} rows and y with {len(array)}; expected one target for each row.")
    if "numbers" in by_kind:
        return Task("numbers", read_numbers(y)[0][:, 0], np.empty(0))
    truth = read_labels(y).values[:, 0]
    return Task("classes", truth, np.unique(truth))


def row_count(X: Any) -> int:
    """Return the number of rows of a table of any type."""
    if nw.dependencies.is_into_lazyframe(X):
        raise UnsupportedDataError("got a lazy frame; expected a frame in memory. Call .collect() first.")
    if hasattr(X, "num_rows"):  # a PyArrow table
        return int(X.num_rows)
    try:
        if isinstance(X, (str, bytes)):
            raise TypeError
        return int(_num_samples(X))
    except TypeError:
        found = "None" if X is None else f"a {type(X).__qualname__}"
        raise UnsupportedDataError(
            f"got {found}; expected a pandas, Polars or PyArrow frame, a 2D NumPy array or a list of rows. Convert "
            "X to a frame, for example with pandas.DataFrame(X)."
        ) from None


def readable(table: Any, learner: Any) -> Any:
    """Return a table in a form that a learner accepts; for other libraries, convert priorcase tables to data frames."""
    if isinstance(table, NamedColumns) and not type(learner).__module__.startswith("priorcase."):
        return table.frame()
    return table


# -- predictions


@dataclass(frozen=True, eq=False)
class Predictions:
    """Predictions of one learner, and the true targets; attributes that were not requested are None.

    ``proba`` has a column for each class of the whole table, with probability 0 for classes that the learner has not
    seen. ``log_of_truth`` is the logarithm of the probability of the true class; for learners with
    ``predict_log_proba``, the logarithm is finite even if the probability underflows. ``learner`` and ``X`` are for
    scorers that call the learner; both are None if rows were predicted by different fits.
    """

    truth: AnyArray
    predicted: AnyArray | None
    proba: FloatArray | None
    log_of_truth: FloatArray | None
    labels: AnyArray  # empty for regression
    learner: Any = None
    X: Any = None

    def __len__(self) -> int:
        return len(self.truth)

    def taken(self, rows: IntArray) -> Predictions:
        """Return the predictions for a subset of the rows."""
        parts = (self.predicted, self.proba, self.log_of_truth)
        predicted, proba, logs = (None if part is None else part[rows] for part in parts)
        return Predictions(self.truth[rows], predicted, proba, logs, self.labels)


def ask(learner: Any, X: Any, rows: IntArray, task: Task, needs: Collection[Need]) -> Predictions:
    """Predict rows of a table with a fitted learner; only the outputs in ``needs`` are computed."""
    queries, truth = readable(taken_rows(X, rows), learner), task.truth[rows]
    predicted = proba = logs = None
    if "predicted" in needs:
        predicted = np.asarray(learner.predict(queries)).reshape(len(rows))
    if "proba" in needs and hasattr(learner, "predict_proba"):
        proba = aligned(np.asarray(learner.predict_proba(queries)), learner.classes_, task.labels)
        logs = log_of_truth(proba, task.codes[rows])
        lost = np.flatnonzero(np.isneginf(logs))
        if lost.size and hasattr(learner, "predict_log_proba"):
            with np.errstate(divide="ignore"):  # a class may really be impossible
                exact = np.asarray(learner.predict_log_proba(taken_rows(queries, lost)))
            exact = aligned(exact, learner.classes_, task.labels, empty=-np.inf)
            logs[lost] = exact[np.arange(lost.size), task.codes[rows[lost]]]
    return Predictions(truth, predicted, proba, logs, task.labels, learner, queries)


def aligned(proba: FloatArray, classes: AnyArray, labels: AnyArray, *, empty: float = 0.0) -> FloatArray:
    """Return probabilities with columns in the order of ``labels``; labels that are not in ``classes`` get ``empty``.

    Examples
    --------
    >>> aligned(np.array([[0.25, 0.75]]), np.array(["a", "c"]), np.array(["a", "b", "c"]))
    array([[0.25, 0.  , 0.75]])
    """
    place = {label: column for column, label in enumerate(labels.tolist())}
    found = np.full((len(proba), labels.size), empty)
    found[:, [place[label] for label in np.asarray(classes).tolist()]] = proba
    return found


def log_of_truth(proba: FloatArray, codes: IntArray) -> FloatArray:
    """Return the natural logarithm of the probability of the true class; -inf if the probability is 0."""
    with np.errstate(divide="ignore"):
        logs: FloatArray = np.log(proba[np.arange(len(codes)), codes])
    return logs


def joined(parts: Sequence[Predictions]) -> Predictions:
    """Concatenate several predictions, each for different rows."""
    columns: list[Any] = []
    for field in ("predicted", "proba", "log_of_truth"):
        values = [getattr(part, field) for part in parts]
        columns.append(None if any(value is None for value in values) else np.concatenate(values))
    predicted, proba, logs = columns
    return Predictions(np.concatenate([part.truth for part in parts]), predicted, proba, logs, parts[0].labels)


class _Echo(BaseEstimator):
    """Estimator that returns stored predictions to scikit-learn scorers; ``X`` contains row numbers."""

    def __init__(self, predictions: Predictions) -> None:
        self.predictions = predictions
        self.classes_ = predictions.labels

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = "classifier" if self.classes_.size else "regressor"
        return tags

    @available_if(lambda self: self.predictions.predicted is not None)  # scorers check whether a learner has it at all
    def predict(self, X: IntArray) -> Any:
        return self.predictions.predicted[X]  # type: ignore[index]

    @available_if(lambda self: self.predictions.proba is not None)
    def predict_proba(self, X: IntArray) -> Any:
        return self.predictions.proba[X]  # type: ignore[index]


# -- scores


@dataclass(frozen=True)
class Score:
    """A score of predictions, such as the accuracy.

    Parameters
    ----------
    name
        Name of the score in tables.
    needs
        Input of the score: ``"predicted"``, ``"proba"`` or ``"learner"``.
    of_rows
        Function that returns the score of each row; None if the score is not a mean over rows, or the root of a mean
        over rows.
    of_all
        Function that returns the score of all rows together; None if ``of_rows`` is not None.
    greater_is_better
        Whether a greater score is better.
    root
        Whether the score is the square root of the mean of ``of_rows``.
    kind
        ``"classes"`` for classification, ``"numbers"`` for regression; None for both.

    Examples
    --------
    >>> half_off = Score("half_off", "predicted", of_rows=lambda p: abs(p.predicted - p.truth) > 0.5)
    >>> half_off.value(Predictions(np.array([1.0, 2.0]), np.array([1.2, 2.7]), None, None, np.empty(0)))
    0.5
    """

    name: str
    needs: Need
    of_rows: Callable[[Predictions], Any] | None = None
    of_all: Callable[[Predictions], float] | None = None
    greater_is_better: bool = True
    root: bool = False
    kind: Kind | None = None

    def rows(self, predictions: Predictions) -> FloatArray | None:
        """Return the score of each row; None if the score is not a mean over rows."""
        return None if self.of_rows is None else np.asarray(self.of_rows(predictions), dtype=np.float64)

    def value(self, predictions: Predictions) -> float:
        """Return the score of all rows."""
        rows = self.rows(predictions)
        if rows is not None:
            return self.of_mean(float(rows.mean()))
        assert self.of_all is not None
        return float(self.of_all(predictions))

    def of_mean(self, mean: float) -> float:
        """Return the score of all rows, computed from the mean of the scores of the rows."""
        return float(np.sqrt(mean)) if self.root else mean

    def error(self, rows: FloatArray) -> float:
        """Return the standard error, computed from the scores of the rows; NaN for infinite values or a single row.

        The standard error of a mean is ``s / sqrt(n)``. For the square root of a mean, the delta method gives ``se(sqrt
        m) = se(m) / (2 sqrt m)``.
        """
        if rows.size < 2 or not np.isfinite(rows).all():
            return float("nan")
        error, mean = float(rows.std(ddof=1) / np.sqrt(rows.size)), float(rows.mean())
        if not self.root:
            return error
        return error / (2 * float(np.sqrt(mean))) if mean > 0 else 0.0

    def better(self, first: float, second: float) -> bool:
        """Return whether the first score is better than the second score."""
        return first > second if self.greater_is_better else first < second


Scores: TypeAlias = "str | Score | Sequence[str | Score] | Mapping[str, Any] | None"
"""None for the default scores; one or more names or `Score` objects; or a mapping from name to score or function."""


def read_scores(scores: Scores, kind: Kind) -> tuple[Score, ...]:
    """Return the requested scores for ``kind``, which is ``"classes"`` or ``"numbers"``.

    Examples
    --------
    >>> [score.name for score in read_scores(None, "classes")]
    ['accuracy', 'log_score', 'brier']
    >>> [score.name for score in read_scores(["rmse", "neg_median_absolute_error"], "numbers")]
    ['rmse', 'neg_median_absolute_error']
    """
    if scores is None:
        return tuple(OURS[name] for name in USUAL[kind])
    given: Any = [scores] if isinstance(scores, (str, Score)) else scores
    found: tuple[Score, ...] = ()
    if isinstance(given, Mapping):
        found = tuple(_read_score(str(name), score, kind) for name, score in given.items())
    elif isinstance(given, Iterable):
        found = tuple(_read_score(None, score, kind) for score in given)
    if not found or len({score.name for score in found}) < len(found):
        raise ParameterError(
            f"scores must be None, one or more different score names, or a mapping from name to score, got "
            f"{quoted(scores)}. Omit scores to get {', '.join(USUAL[kind])}."
        )
    return found


def _read_score(name: str | None, score: Any, kind: Kind) -> Score:
    """Create a score from a name, a scorer or a function; ``name`` replaces the default name of the score."""
    ours = [known for known, each in OURS.items() if each.kind in (None, kind)]
    if isinstance(score, str) and score in OURS:
        if score not in ours:
            raise EvaluationError(
                f"got the score {score!r}, which is not available for {kind}; expected {listed(ours, limit=20)}."
            )
        score = OURS[score]
    if isinstance(score, Score):
        return score if name is None else replace(score, name=name)
    if isinstance(score, str) and score in get_scorer_names():
        return _from_scorer(name or score, get_scorer(score), named=score)
    if isinstance(score, str) or not callable(score):
        known = advice(score, [*ours, *get_scorer_names()], otherwise="Pass functions as {'name': function}.")
        raise EvaluationError(
            f"got the score {score!r}; expected {listed(ours, limit=20)} or the name of a scikit-learn scorer. {known}"
        )
    label = name or str(getattr(score, "__name__", type(score).__name__))
    if hasattr(score, "_score_func") or _takes_learner(score):
        return _from_scorer(label, score)
    return Score(label, "predicted", of_all=lambda predictions: float(score(predictions.truth, predictions.predicted)))


def _takes_learner(function: Callable[..., Any]) -> bool:
    """Return whether a function has three arguments (learner, rows and targets), as scikit-learn's scorers do."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    return sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty for p in parameters) == 3


_MULTICLASS = {name: f"{name}_macro" for name in ("f1", "precision", "recall", "jaccard")} | {"roc_auc": "roc_auc_ovr"}
"""scikit-learn scorers for two classes, and the names of their multiclass versions."""


def _from_scorer(name: str, scorer: Any, *, named: str = "") -> Score:
    """Return a score that calls a scikit-learn scorer; ``named`` is the name of the scorer in scikit-learn."""

    def of_all(predictions: Predictions) -> float:
        try:
            if predictions.learner is not None:
                return float(scorer(predictions.learner, predictions.X, predictions.truth))
            return float(scorer(_Echo(predictions), np.arange(len(predictions)), predictions.truth))
        except ValueError as error:
            if named not in _MULTICLASS or set(predictions.labels.tolist()) == {0, 1}:
                raise
            n, instead = predictions.labels.size, _MULTICLASS[named]
            raise EvaluationError(
                f"{named!r} is for {f'two classes, but y has {n}' if n > 2 else 'classes 0 and 1'}; {instead!r} "
                f"works for any classes. Pass scores={instead!r}, or a mapping from name to function."
            ) from error

    return Score(name, "learner", of_all=of_all)


def score_named(scores: Sequence[Score], name: str | None) -> Score:
    """Return the score with the given name; None returns the first score."""
    if name is None:
        return scores[0]
    names = [score.name for score in scores]
    check_value("score", name, [StrOptions(set(names))])
    return scores[names.index(name)]


def needs_of(scores: Iterable[Score], *, kept: bool = False) -> set[Need]:
    """Return the inputs that scores need; if ``kept`` is True, ``"predicted"`` and ``"proba"`` are included."""
    needs: set[Need] = {score.needs for score in scores}
    return needs | {"predicted", "proba"} if kept else needs


def score_all(scores: Sequence[Score], predictions: Predictions) -> tuple[dict[str, float], dict[str, str]]:
    """Return the value of each score (NaN if it is missing), and the reasons for missing values."""
    values, reasons = {score.name: float("nan") for score in scores}, {}
    for score in scores:
        if score.needs == "proba" and predictions.proba is None:
            reasons[score.name] = "the learner has no predict_proba"
        elif score.needs == "predicted" and predictions.predicted is None:
            reasons[score.name] = "no predictions were made"
        else:
            try:
                values[score.name] = score.value(predictions)
                if np.isnan(values[score.name]):
                    reasons[score.name] = _undefined(predictions)
            except Exception as error:  # a score may be the user's function; the reason is shown in the table
                reasons[score.name] = reason_of(error)
    return values, reasons


def reason_of(error: BaseException) -> str:
    """Return the class name and the first line of an error."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def _undefined(predictions: Predictions) -> str:
    """Return the reason why a score is NaN: either predictions are NaN, or the score is not defined on the rows."""
    for values, words in ((predictions.predicted, "predictions"), (predictions.proba, "probabilities")):
        if values is not None and values.dtype.kind == "f":
            missing = np.isnan(values.reshape(len(values), -1)).any(axis=1)
            if missing.any():
                return f"{missing.sum()} of {missing.size} {words} are NaN"
    return f"the score is not defined on {'one row' if len(predictions) == 1 else f'these {len(predictions)} rows'}"


def _hits(predictions: Predictions) -> Any:
    return predictions.predicted == predictions.truth


def _brier(predictions: Predictions) -> Any:
    """Return ``sum_k (P(k) - [y = k])^2`` for each row (Brier 1950, eq. 2)."""
    misses: Any = predictions.proba - (predictions.labels[np.newaxis, :] == predictions.truth[:, np.newaxis])
    return (misses * misses).sum(axis=1)


def _errors(predictions: Predictions) -> Any:
    return np.asarray(predictions.predicted, dtype=np.float64) - predictions.truth


def _sizes(predictions: Predictions) -> Any:
    return np.abs(_errors(predictions))


def _squares(predictions: Predictions) -> Any:
    return _errors(predictions) ** 2


def _balanced(predictions: Predictions) -> float:
    """Return the mean recall over the classes."""
    hits = _hits(predictions)
    return float(np.mean([hits[predictions.truth == label].mean() for label in np.unique(predictions.truth)]))


def _r2(predictions: Predictions) -> float:
    """Return ``1 - sum (y - f)^2 / sum (y - mean)^2``; NaN if all targets are equal, as for a single row."""
    spread = float(((predictions.truth - predictions.truth.mean()) ** 2).sum())
    return 1.0 - float(_squares(predictions).sum()) / spread if spread > 0 else float("nan")


def _storage(predictions: Predictions) -> float:
    """Return the share of the training rows that a learner keeps."""
    if not hasattr(predictions.learner, "storage_"):
        raise AttributeError("the learner has no storage_")
    return float(predictions.learner.storage_)


OURS: dict[str, Score] = {
    score.name: score
    for score in (
        Score("accuracy", "predicted", of_rows=_hits, kind="classes"),
        Score("log_score", "proba", of_rows=attrgetter("log_of_truth"), kind="classes"),
        Score("brier", "proba", of_rows=_brier, greater_is_better=False, kind="classes"),
        Score("balanced_accuracy", "predicted", of_all=_balanced, kind="classes"),
        Score("rmse", "predicted", of_rows=_squares, greater_is_better=False, root=True, kind="numbers"),
        Score(
            "mae",
            "predicted",
            of_rows=_sizes,
            greater_is_better=False,
            kind="numbers",
        ),
        Score("mse", "predicted", of_rows=_squares, greater_is_better=False, kind="numbers"),
        Score("r2", "predicted", of_all=_r2, kind="numbers"),
        Score("storage", "learner", of_all=_storage, greater_is_better=False),
    )
}
USUAL: dict[Kind, tuple[str, ...]] = {"classes": ("accuracy", "log_score", "brier"), "numbers": ("rmse", "mae", "r2")}
