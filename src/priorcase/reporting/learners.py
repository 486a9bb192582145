"""The learners that a report compares."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if

from priorcase._typing import AnyArray, FloatArray
from priorcase.datasets.columns import NamedColumns
from priorcase.evaluation.scoring import Task, aligned
from priorcase.evaluation.splits import Folds, Holdout
from priorcase.learning.estimator import RowsEstimator
from priorcase.neighbors import KNNClassifierCV
from priorcase.registry import BASELINE, find
from priorcase.reporting.table import Problem
from priorcase.schema import Circular, Date, Numeric
from priorcase.schema.schema import backend_of
from priorcase.stacking import StackedClassifier
from priorcase.stacking.stacked import best_temperature, scaled

ALWAYS = ("stacked", "tuned_knn")
"""Names of the learners that are always measured; they are fitted to a sample of the rows if time is short."""

_COOLEST, _HOTTEST, _TEMPERATURE_FOLDS = 0.2, 5.0, 3
# Names in the registry, parameters, and the maximum number of columns for which a learner is tried.
_CLASSIFIERS: tuple[tuple[str, Mapping[str, Any], int | None], ...] = (
    ("stacked", {}, None),
    ("tuned_knn", {}, None),
    ("naive_bayes", {}, None),
    ("naive_bayes", {"numeric": "student"}, None),
    ("subset_averaged_bayes", {}, None),
    ("tree_averaged_bayes", {}, 120),
    ("aode", {}, 400),
    ("locally_weighted", {"model": "naive_bayes"}, None),
    ("rbf_network", {}, None),
    ("ib3", {}, None),
    ("pebls", {}, None),
)
_REGRESSORS: tuple[tuple[str, Mapping[str, Any], int | None], ...] = (
    ("stacked", {}, None),
    ("tuned_knn", {}, None),
    ("locally_weighted", {}, None),
    ("locally_weighted", {"attribute_weights": "relief"}, None),
    ("rbf_network", {}, None),
)

# Description of how a second entry of a learner differs from the first.
_VARIANTS = {"numeric=student": "Student t densities", "attribute_weights=relief": "Relief weights"}


# -- candidates


@dataclass(frozen=True, eq=False)
class Candidate:
    """A learner to compare, with its title and description (see `priorcase.registry`)."""

    name: str
    title: str
    description: str
    learner: Any  # unfitted estimator
    fit: str = ""  # Python expression that fits the learner to ``X, y``
    max_columns: int | None = None  # the learner is skipped if the table has more columns
    class_name: str = ""  # empty for the baseline and for the caller's own learners


def candidates(problem: Problem, *, random_state: int, n_jobs: int | None = None) -> Iterator[Candidate]:
    """Yield learners that suit most tables, starting with the baseline."""
    yield _baseline(problem)
    numeric = any(isinstance(kind, Numeric) for kind in problem.X.kinds.values())
    listed = _CLASSIFIERS if problem.classes else _REGRESSORS
    named: set[str] = set()
    for name, given, max_columns in listed:
        settings = {key: each for key, each in given.items() if key != "numeric" or numeric}
        if name in named and not settings:  # the variant differs only for numeric columns
            continue
        registered, variant = find(name), name in named
        named.add(name)
        if "random_state" in inspect.signature(registered.cls(problem.task)).parameters:
            settings["random_state"] = random_state
        words = ", ".join(f"{key}={each}" for key, each in given.items())
        arguments = ", ".join(f"{key}={each!r}" for key, each in settings.items())
        yield Candidate(
            f"{name}:{words}" if variant else name,
            f"{registered.title} ({_VARIANTS[words]})" if variant else registered.title,
            registered.summary,
            rescaled(registered.make(problem.task, **settings, n_jobs=n_jobs)),
            f"pc.{registered.path(problem.task)}({arguments}).fit(X, y)",
            max_columns,
            registered.path(problem.task),
        )


def own_candidates(problem: Problem, learners: Mapping[str, Any]) -> list[Candidate]:
    """Return the baseline and the learners passed by the caller."""
    own = (
        Candidate(name, name, "", rescaled(each), f"learners[{name!r}].fit(X, y)") for name, each in learners.items()
    )
    return [_baseline(problem), *own]


def _baseline(problem: Problem) -> Candidate:
    registered = find(BASELINE)
    return Candidate(BASELINE, registered.title, registered.summary, Converted(registered.make(problem.task), "rows"))


# -- learners within others


class Within(BaseEstimator):
    """Base class of learners that wrap another learner: ``learner`` is unfitted, and ``model_`` is its fitted copy."""

    model_: Any

    def __init__(self, learner: Any) -> None:
        self.learner = learner

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = get_tags(self.learner).estimator_type
        return tags

    @property
    def classes_(self) -> AnyArray:
        return np.asarray(self.model_.classes_)

    def fit(self, X: Any, y: Any) -> Self:
        self.model_ = clone(self.learner).fit(X, y)
        return self

    def predict(self, X: Any) -> AnyArray:
        return np.asarray(self.model_.predict(X))

    @available_if(lambda self: hasattr(self.learner, "predict_proba"))
    def predict_proba(self, X: Any) -> FloatArray:
        return np.asarray(self.model_.predict_proba(X))


class Scaled(Within):
    """Classifier whose probabilities are scaled by the temperature that fits held-out predictions best."""

    def fit(self, X: Any, y: Any) -> Self:
        super().fit(X, y)
        codes = np.searchsorted(self.classes_, y)
        self.rows_ = codes.size
        self.frequencies_ = (np.bincount(codes) + 1.0 / self.classes_.size) / (codes.size + 1.0)
        self.temperature_ = 1.0
        if self.classes_.size > 1:
            left_out = self._smoothed(self._left_out(X, np.asarray(y)))
            self.temperature_ = best_temperature(left_out, codes, np.ones(codes.size), _COOLEST, _HOTTEST)
        return self

    @available_if(lambda self: hasattr(self.learner, "predict_proba"))
    def predict_proba(self, X: Any) -> FloatArray:
        return scaled(self._smoothed(np.asarray(self.model_.predict_proba(X))), self.temperature_)

    def _smoothed(self, probabilities: FloatArray) -> FloatArray:
        # The class frequencies, with the weight of one row, keep every probability above 0.
        share = 1.0 / (self.rows_ + 1.0)
        return np.asarray((1.0 - share) * probabilities + share * self.frequencies_)

    def _left_out(self, X: Any, y: AnyArray) -> FloatArray:
        """Return the class probabilities of each row, predicted by a model that was not fitted to the row."""
        if isinstance(self.model_, RowsEstimator) and not getattr(self.model_, "relearns_", True):
            return np.asarray(self.model_.loo_predict_proba())
        found = np.zeros((y.size, self.classes_.size))
        for split in Folds(_TEMPERATURE_FOLDS).deal(Task("classes", y, self.classes_), random_state=0, repeat=0):
            if np.all(y[split.train] == y[split.train[0]]):
                found[split.test, np.searchsorted(self.classes_, y[split.train[0]])] = 1.0
                continue
            part = clone(self.learner).fit(X.take(split.train), y[split.train])
            answers = np.asarray(part.predict_proba(X.take(split.test)))
            found[split.test] = aligned(answers, part.classes_, self.classes_)
        return found


class Sampled(Within):
    """Learner that is fitted to a random sample of the training rows, stratified by class for classifiers."""

    def __init__(self, learner: Any, rows: int) -> None:
        self.learner, self.rows = learner, rows

    def fit(self, X: Any, y: Any) -> Self:
        kept = np.arange(len(y))
        if self.rows < kept.size:
            task = Task("classes", y, np.unique(y)) if is_classifier(self) else Task("numbers", y, np.empty(0))
            kept = next(iter(Holdout(self.rows).deal(task, random_state=0, repeat=0))).train
            first = np.unique(y, return_index=True)[1] if is_classifier(self) else kept[:0]
            kept = np.unique(np.concatenate([kept, first]))
        return super().fit(X.take(kept), y[kept])


def rescaled(learner: Any) -> Any:
    """Wrap a learner in `Scaled` if it is a classifier that predicts probabilities and does not scale them itself."""
    own = isinstance(learner, (StackedClassifier, KNNClassifierCV))
    return Scaled(learner) if not own and is_classifier(learner) and hasattr(learner, "predict_proba") else learner


# -- learners of other libraries


class Converted(Within):
    """Learner that receives the table in another form: a frame library, ``"array"``, or ``"rows"`` (row count only)."""

    def __init__(self, learner: Any, form: str) -> None:
        self.learner, self.form = learner, form

    def fit(self, X: Any, y: Any) -> Self:
        return super().fit(self._convert(X), y)

    def predict(self, X: Any) -> AnyArray:
        return super().predict(self._convert(X))

    @available_if(lambda self: hasattr(self.learner, "predict_proba"))
    def predict_proba(self, X: Any) -> FloatArray:
        return np.asarray(self.model_.predict_proba(self._convert(X)))

    def _convert(self, X: Any) -> Any:
        if self.form == "rows":
            return np.empty((len(X), 1))
        if self.form != "array":
            return X.frame(self.form)
        if all(type(kind) in (Numeric, Circular) for kind in X.kinds.values()):
            return np.column_stack(list(X.data.values()))
        rows = np.empty((len(X), len(X.kinds)), dtype=object)
        for a, (name, kind) in enumerate(X.kinds.items()):
            rows[:, a] = X[name] if isinstance(kind, Numeric) and not isinstance(kind, Date) else X.shown(name)
        return rows


def form_of(X: Any) -> str:
    """Return the form of a table: ``"pandas"``, ``"polars"``, ``"pyarrow"``, ``"named"`` or ``"array"``."""
    if isinstance(X, NamedColumns):
        return "named"
    found = backend_of(X)
    return "array" if found is None else found if found in ("pandas", "polars", "pyarrow") else "pandas"


def converted(learner: Any, form: str) -> Any:
    """Return a learner that accepts named columns; learners of priorcase are returned unchanged."""
    own = form == "named" or type(learner).__module__.startswith("priorcase.")
    return learner if own else Converted(learner, form)
