"""What learners are asked about test rows, and what they answer, aligned to the classes of the whole table."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, cast

import narwhals.stable.v2 as nw
import numpy as np
from sklearn.base import BaseEstimator, is_classifier, is_regressor

from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.datasets.columns import Backend, NamedColumns
from priorcase.exceptions import EvaluationError, UnsupportedDataError, quoted
from priorcase.learning.resampling import taken_rows
from priorcase.learning.results import free_label, installed_backend
from priorcase.learning.targets import as_array, read_labels, read_numbers

Kind: TypeAlias = Literal["classes", "numbers"]
Need: TypeAlias = Literal["predicted", "proba", "learner"]
"""What a score is made from: predictions, probabilities, or the learner itself (a scorer of scikit-learn)."""


@dataclass(frozen=True, eq=False)
class Task:
    """What is to be predicted.

    Parameters
    ----------
    kind
        Whether learners are classifiers or regressors.
    truth
        The target of each row.
    labels
        The classes of the whole table in ascending order; empty where numbers are predicted.
    """

    kind: Kind
    truth: AnyArray
    labels: AnyArray

    def __len__(self) -> int:
        return len(self.truth)

    @property
    def codes(self) -> IntArray:
        """Position in ``labels`` of each row's class."""
        return np.searchsorted(self.labels, self.truth)

    @property
    def alone(self) -> IntArray:
        """Positions of the rows whose class no other row has."""
        codes = self.codes if self.labels.size else np.empty(0, dtype=np.intp)
        return np.flatnonzero(np.bincount(codes, minlength=1)[codes] == 1)


@dataclass(frozen=True, eq=False)
class Answers:
    """What one learner said about some rows, beside what came true.

    Parameters
    ----------
    truth
        What came true.
    predicted
        The predicted class or number of each row; None where it was not asked for.
    proba
        The probability of each class of the whole table, shape (rows, classes); 0 for a class that the learner has
        never seen. None where it was not asked for, or the learner gives none.
    log_of_truth
        The natural logarithm of the probability of what came true: it may be finite where the probability is too small
        to show. None as ``proba``.
    labels
        The classes of the whole table, one for each column of ``proba``; empty where numbers are predicted.
    learner, X
        The fitted learner and the rows it was asked about, for scorers that ask it themselves; None where each row was
        asked of a learner of its own.
    """

    truth: AnyArray
    predicted: AnyArray | None
    proba: FloatArray | None
    log_of_truth: FloatArray | None
    labels: AnyArray
    learner: Any = None
    X: Any = None

    def __len__(self) -> int:
        return len(self.truth)

    def alone(self) -> Answers:
        """The same without the learner and its rows, to be kept."""
        return replace(self, learner=None, X=None)


def read_learners(learners: Any) -> dict[str, Any]:
    """Learners by name: of a mapping, of several (named by what they print, numbered where equal), or of one.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> list(read_learners([DummyClassifier(), DummyClassifier()]))
    ['DummyClassifier()', 'DummyClassifier() (2)']
    """
    if isinstance(learners, Mapping):
        named = {str(name): learner for name, learner in learners.items()}
    elif hasattr(learners, "fit") or not isinstance(learners, Collection) or isinstance(learners, str):
        named = {_name(learners): learners}
    else:
        named = {}
        for learner in learners:
            named[free_label(_name(learner), named)] = learner
    if not named:
        raise EvaluationError(
            "got no learners; expected at least one. Pass a mapping such as {'3-NN': KNNClassifier(3)}, or a list of "
            "estimators."
        )
    for name, learner in named.items():
        if isinstance(learner, type) or not (hasattr(learner, "fit") and hasattr(learner, "predict")):
            raise EvaluationError(
                f"got learner {name!r} as {quoted(learner)}; expected an estimator with fit and predict. Pass an "
                "instance, not a class: KNNClassifier(), not KNNClassifier."
            )
    return named


def read_task(learners: Mapping[str, Any], y: Any, *, X: Any) -> Task:
    """What some learners are to predict: classes if they are classifiers, numbers if they are regressors."""
    sorts = {name: _sort(name, learner) for name, learner in learners.items()}
    if len(set(sorts.values())) > 1:
        first = {sort: name for name, sort in reversed(sorts.items())}
        raise EvaluationError(
            f"got {first['classes']!r}, a classifier, beside {first['numbers']!r}, a regressor; expected one sort. "
            "Evaluate classifiers and regressors in two calls."
        )
    kind = next(iter(sorts.values()))
    rows = row_count(X)
    if rows == 0:
        raise EvaluationError(
            "got a table without rows; expected two rows or more. Check the filter or selection that made this table."
        )
    array = as_array(y)
    if array.ndim == 2 and array.shape[1] > 1:
        raise EvaluationError(
            f"got y with {array.shape[1]} columns; expected one target for each row. Evaluate one target after the "
            "other."
        )
    if rows != len(array):
        raise EvaluationError(
            f"got X with {rows} rows and y with {len(array)}; expected as many. Pass the target of each row, in the "
            "order of the rows."
        )
    if kind == "numbers":
        return Task(kind, read_numbers(y)[0][:, 0], np.empty(0))
    truth = read_labels(y).values[:, 0]
    return Task(kind, truth, np.unique(truth))


def row_count(X: Any) -> int:
    """How many rows a table of any make has."""
    if nw.dependencies.is_into_lazyframe(X):
        raise UnsupportedDataError(
            "got a lazy frame; expected one with its rows in memory. Call .collect() on it first."
        )
    if shape := getattr(X, "shape", None):
        return int(shape[0])
    if hasattr(X, "num_rows"):
        return int(X.num_rows)
    if isinstance(X, (str, bytes)) or not hasattr(X, "__len__"):
        found = "None" if X is None else f"a {type(X).__module__}.{type(X).__qualname__}".replace("builtins.", "")
        raise UnsupportedDataError(
            f"got {found}; expected a pandas, Polars or PyArrow frame, a 2D NumPy array or a list of rows. Build a "
            "frame from it first, for example with pandas.DataFrame(X)."
        )
    return len(X)


def readable(table: Any, learner: Any) -> Any:
    """A table as a learner can read it: one of this library's own becomes a frame for learners of others."""
    if isinstance(table, NamedColumns) and not type(learner).__module__.startswith("priorcase."):
        backend = installed_backend()
        return table if backend is None else table.frame(cast(Backend, backend))
    return table


def ask(learner: Any, X: Any, rows: IntArray, task: Task, needs: Collection[Need]) -> Answers:
    """What a fitted learner says about some rows of a table: only what scores need, and only what it can say.

    Parameters
    ----------
    learner
        A fitted classifier or regressor.
    X
        The table.
    rows
        Positions of the rows to ask about.
    task
        What is to be predicted; it has the truth of all rows.
    needs
        What to ask for: `Score.needs` of each score.
    """
    queries, truth = readable(taken_rows(X, rows), learner), task.truth[rows]
    predicted = proba = logs = None
    if "predicted" in needs:
        predicted = np.asarray(learner.predict(queries)).reshape(len(rows))
    if "proba" in needs and hasattr(learner, "predict_proba"):
        proba = aligned(np.asarray(learner.predict_proba(queries)), learner.classes_, task.labels)
        logs = log_of_truth(proba, task.codes[rows])
        lost = np.flatnonzero(np.isneginf(logs))
        if lost.size and hasattr(learner, "predict_log_proba"):
            with np.errstate(divide="ignore"):  # a class may be impossible indeed
                told = np.asarray(learner.predict_log_proba(taken_rows(queries, lost)))
            told = aligned(told, learner.classes_, task.labels, empty=-np.inf)
            logs[lost] = told[np.arange(lost.size), task.codes[rows[lost]]]
    return Answers(truth, predicted, proba, logs, task.labels, learner, queries)


def aligned(proba: FloatArray, classes: AnyArray, labels: AnyArray, *, empty: float = 0.0) -> FloatArray:
    """Columns of probabilities in the order of the classes of a whole table, ``empty`` for those never seen.

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
    """The natural logarithm of the probability of what came true; -inf where it was 0."""
    with np.errstate(divide="ignore"):
        logs: FloatArray = np.log(proba[np.arange(len(codes)), codes])
    return logs


def joined(parts: Sequence[Answers]) -> Answers:
    """Answers of several learners about different rows, one after the other."""
    columns: list[Any] = []
    for field in ("predicted", "proba", "log_of_truth"):
        values = [getattr(part, field) for part in parts]
        columns.append(None if any(value is None for value in values) else np.concatenate(values))
    truth = np.concatenate([part.truth for part in parts])
    return Answers(truth, columns[0], columns[1], columns[2], parts[0].labels)


def replaced(answers: Answers, rows: IntArray, others: Answers) -> Answers:
    """Answers about all rows, with those of others about some."""
    rest = np.setdiff1d(np.arange(len(answers)), rows)
    order = np.argsort(np.concatenate([rest, rows]))
    return _taken(joined([_taken(answers, rest), others]), order)


def _taken(answers: Answers, rows: IntArray) -> Answers:
    told = (answers.predicted, answers.proba, answers.log_of_truth)
    predicted, proba, logs = (None if part is None else part[rows] for part in told)
    return Answers(answers.truth[rows], predicted, proba, logs, answers.labels)


def _name(learner: Any) -> str:
    """What a learner prints, on one line; without its parameters where it is no estimator of scikit-learn's kind."""
    if isinstance(learner, type):
        return learner.__name__
    return " ".join(repr(learner).split()) if isinstance(learner, BaseEstimator) else type(learner).__name__


def _sort(name: str, learner: Any) -> Kind:
    if is_classifier(learner):
        return "classes"
    if is_regressor(learner):
        return "numbers"
    raise EvaluationError(
        f"got learner {name!r}, {quoted(learner)}, which is neither a classifier nor a regressor. Derive it from "
        "scikit-learn's ClassifierMixin or RegressorMixin."
    )
