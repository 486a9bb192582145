"""The learners that a report compares."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if

from priorcase._typing import AnyArray, FloatArray
from priorcase.datasets.columns import NamedColumns
from priorcase.registry import BASELINE, find
from priorcase.reporting.table import Problem
from priorcase.schema import Circular, Date, Numeric
from priorcase.schema.schema import backend_of

_BINS = {"numeric": "mdl"}
# Names in the registry with parameters, and above how many columns a learner is not tried.
_CLASSIFIERS: tuple[tuple[str, Mapping[str, Any], int | None], ...] = (
    ("naive_bayes", {}, None),
    ("naive_bayes", _BINS, None),
    ("subset_averaged_bayes", _BINS, None),
    ("tree_averaged_bayes", _BINS, 120),
    ("aode", _BINS, 400),
    ("tuned_knn", {}, None),
    ("locally_weighted", {"model": "naive_bayes"}, None),
    ("rbf_network", {}, None),
    ("ib3", {}, None),
    ("pebls", {}, None),
)
_REGRESSORS: tuple[tuple[str, Mapping[str, Any], int | None], ...] = (
    ("tuned_knn", {}, None),
    ("locally_weighted", {}, None),
    ("locally_weighted", {"attribute_weights": "relief"}, None),
    ("rbf_network", {}, None),
)


# -- candidates


@dataclass(frozen=True, eq=False)
class Candidate:
    """A learner to compare: its name and title (see `priorcase.registry`), what it does, and the estimator, not fitted.

    ``fit`` is the Python expression for the model fitted to ``X, y``; with more than ``max_columns`` it is not tried.
    """

    name: str
    title: str
    description: str
    learner: Any
    fit: str = ""
    max_columns: int | None = None


def candidates(problem: Problem, *, random_state: int, n_jobs: int | None = None) -> Iterator[Candidate]:
    """A set of learners that suits most tables, the baseline first."""
    yield _baseline(problem)
    numeric = any(isinstance(kind, Numeric) for kind in problem.X.kinds.values())
    listed = _CLASSIFIERS if problem.classes else _REGRESSORS
    named: set[str] = set()
    for name, given, max_columns in listed:
        settings = {key: each for key, each in given.items() if key != "numeric" or numeric}
        if name in named and not settings:  # bins make a difference to numbers only
            continue
        registered, variant = find(name), name in named
        named.add(name)
        if "random_state" in inspect.signature(registered.cls(problem.task)).parameters:
            settings["random_state"] = random_state
        words = ", ".join(f"{key}={each}" for key, each in given.items())
        arguments = ", ".join(f"{key}={each!r}" for key, each in settings.items())
        yield Candidate(
            f"{name}:{words}" if variant else name,
            f"{registered.title}, {words}" if variant else registered.title,
            registered.summary,
            registered.make(problem.task, **settings, n_jobs=n_jobs),
            f"pc.{registered.path(problem.task)}({arguments}).fit(X, y)",
            max_columns,
        )


def own_candidates(problem: Problem, learners: Mapping[str, Any]) -> list[Candidate]:
    """The caller's own learners, after the baseline."""
    own = (Candidate(name, name, "", each, f"learners[{name!r}].fit(X, y)") for name, each in learners.items())
    return [_baseline(problem), *own]


def _baseline(problem: Problem) -> Candidate:
    registered = find(BASELINE)
    return Candidate(BASELINE, registered.title, registered.summary, Converted(registered.make(problem.task), "rows"))


# -- learners of other libraries


class Converted(BaseEstimator):
    """Another library's learner, which gets the table in the form in which the caller passed it.

    ``form`` is a frame library, ``"array"``, or ``"rows"`` for a learner that only counts them.
    """

    model_: Any

    def __init__(self, learner: Any, form: str) -> None:
        self.learner = learner
        self.form = form

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = get_tags(self.learner).estimator_type
        return tags

    @property
    def classes_(self) -> AnyArray:
        return np.asarray(self.model_.classes_)

    def fit(self, X: Any, y: Any) -> Self:
        self.model_ = clone(self.learner).fit(self._convert(X), y)
        return self

    def predict(self, X: Any) -> AnyArray:
        return np.asarray(self.model_.predict(self._convert(X)))

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
    """The form of a table: ``"pandas"``, ``"polars"``, ``"pyarrow"``, ``"named"`` or ``"array"``."""
    if isinstance(X, NamedColumns):
        return "named"
    found = backend_of(X)
    return "array" if found is None else found if found in ("pandas", "polars", "pyarrow") else "pandas"


def converted(learner: Any, form: str) -> Any:
    """A learner that takes named columns: itself if it is one of this library's."""
    own = form == "named" or type(learner).__module__.startswith("priorcase.")
    return learner if own else Converted(learner, form)
