"""Background checks of all stored rows: rows whose target may be wrong (suspects), and unusual rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from sklearn.base import is_classifier

from priorcase._typing import AnyArray, FloatArray, IdArray, IntArray
from priorcase.exceptions import NotAvailableError
from priorcase.explorer.jobs import Job
from priorcase.learning.results import attribute_names
from priorcase.learning.state import pinned
from priorcase.learning.targets import objects
from priorcase.schema import Nominal, Numeric, Ordinal

if TYPE_CHECKING:
    from priorcase.explorer.workspace import Workspace
    from priorcase.reporting.findings import Outliers
    from priorcase.reporting.table import Problem

T = TypeVar("T")

_LEAST = 10  # minimum number of rows for finding unusual rows


class Computed(Generic[T]):
    """A result that a background job computes from the current model, and recomputes after the model has changed.

    ``title`` is the name of the job. ``compute`` is called with a snapshot of the model and with the job.
    """

    def __init__(self, workspace: Workspace, title: str, compute: Callable[[Any, Job], T]) -> None:
        self._workspace, self._title, self._compute = workspace, title, compute
        self._lock = Lock()
        self._version = -1
        self._job: Job | None = None
        self.latest: T | None = None

    def now(self) -> T | None:
        """Return the result for the current model and rows; None while a job computes the result."""
        workspace = self._workspace
        with self._lock:
            version, job = workspace.version, self._job
            if version == self._version and job is not None:
                if job.state == "failed":
                    raise NotAvailableError(job.message)
                return self.latest if job.state == "done" else None
            if job is not None:
                workspace.jobs.cancel(job.id)
            self._version = version
            self._job = workspace.jobs.start(self._title, self._work(pinned(workspace.served), version))
        return None

    def again(self) -> None:
        """Let the next call of `now` start a new job if the last job was canceled or has failed."""
        with self._lock:
            if self._job is not None and self._job.state in ("failed", "cancelled"):
                self._job = None

    @property
    def state(self) -> str:
        """State of the job if it is not done: ``"running"``, ``"failed"`` or ``"cancelled"``."""
        return self._job.state if self._job is not None and self._job.state != "done" else "running"

    def _work(self, model: Any, version: int) -> Callable[[Job], None]:
        def work(job: Job) -> None:
            value = self._compute(model, job)
            if self._version == version:
                self.latest = value

        return work


# -- leave-one-out


@dataclass(frozen=True)
class Score:
    """A score over all rows, and whether higher scores are better.

    The JSON value is rounded as displayed, so that differences between scores match the displayed values.
    """

    name: str
    value: float
    higher: bool

    def document(self) -> dict[str, Any]:
        """Return the score as JSON."""
        value = round(self.value, 3) if abs(self.value) < 10 else float(f"{self.value:.5g}")
        return {"name": self.name, "value": value, "higher": self.higher}


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Leave-one-out predictions of the stored rows.

    ``errors`` is 1 minus the probability of the actual class, or the absolute error for regression. ``suspects``
    contains the positions of rows whose target may be wrong, most suspicious first. Each position comes with the
    probability of the actual class, or for regression with the error in robust standard deviations.
    """

    ids: IdArray
    predicted: AnyArray
    errors: FloatArray
    scores: tuple[Score, ...]
    suspects: tuple[tuple[int, float], ...]


def left_out(model: Any, job: Job | None = None) -> LeftOut:
    """Predict each stored row from all other rows, with the leave-one-out method of the model."""
    from priorcase.reporting.findings import find_suspects
    from priorcase.reporting.predictions import OutOfFold

    if not hasattr(model, "loo_predict_proba") and not hasattr(model, "loo_predict"):
        raise NotAvailableError(f"{type(model).__name__} has no leave-one-out predictions.")
    instances = model._stored().instances
    rows, nobody = np.arange(len(instances)), np.zeros(len(instances), np.int64)
    truth: AnyArray
    scores: tuple[Score, ...]
    if not is_classifier(model):
        truth, predicted = np.asarray(instances.target(), np.float64), np.asarray(model.loo_predict(), np.float64)
        found = OutOfFold(rows, np.empty(0), np.empty((0, 0)), predicted, truth, nobody, 0)
        off = predicted - truth
        scores = (
            Score("mean absolute error", float(np.abs(off).mean()), higher=False),
            Score("RMSE", float(np.sqrt((off * off).mean())), higher=False),
        )
        errors = np.abs(off)
    else:
        classes, truth = np.asarray(model.classes_), _class_numbers(model, instances)
        proba = np.asarray(model.loo_predict_proba(), np.float64)
        numbers = proba.argmax(axis=1)
        found = OutOfFold(rows, np.arange(len(classes)), proba, numbers, truth, nobody, 0)
        of_truth = found.of_truth
        predicted, errors = classes[numbers], 1.0 - of_truth
        scores = (Score("accuracy", float((numbers == truth).mean()), higher=True),)
        if (of_truth > 0).all():
            scores += (Score("log-score", float(np.log(of_truth).mean()), higher=True),)
    told = find_suspects(_task(is_classifier(model), rows), found, records=False)
    suspects = tuple((one.row, one.probability) for one in told.rows)
    return LeftOut(np.array(instances.ids), predicted, errors, scores, suspects)


def _class_numbers(model: Any, instances: Any) -> IntArray:
    """Return the position of each row's class in ``classes_``."""
    places = {label: place for place, label in enumerate(model.classes_.tolist())}
    of_code = np.array([places.get(value, -1) for value in instances.target_values()], np.int64)
    return np.asarray(of_code[instances.target().astype(np.int64)])


def _task(classes: bool, rows: IntArray) -> Problem:
    """Return a `Problem` that contains only the task and the positions of the rows; its other fields are not used."""
    from priorcase.datasets.columns import NamedColumns
    from priorcase.reporting.table import Problem

    nothing: Any = np.empty(0)
    return Problem("", "", "classify" if classes else "regress", NamedColumns.of({}, {}), nothing, rows)


# -- unusual rows


@dataclass(frozen=True, eq=False)
class FoundOutliers:
    """Outlier score of each stored row, and the unusual rows."""

    ids: IdArray
    scores: FloatArray
    outliers: Outliers


def stored_outliers(model: Any, job: Job | None = None) -> FoundOutliers:
    """Score each stored row by its negative log-density under mixture models that were not fitted to this row."""
    from priorcase.reporting.findings import score_outliers

    instances = model._stored().instances
    if len(instances) < _LEAST:
        raise NotAvailableError(f"Finding unusual rows requires at least {_LEAST} rows; there are {len(instances)}.")
    outliers, scores = score_outliers(stored_problem(model), random_state=0, n_jobs=1)
    return FoundOutliers(np.array(instances.ids), scores, outliers)


def stored_problem(model: Any) -> Problem:
    """Return the stored rows as a `Problem`, the input of the functions for reports."""
    from priorcase.datasets.columns import NamedColumns
    from priorcase.reporting.table import Problem

    instances = model._stored().instances
    data: dict[str, Any] = {}
    kinds = {}
    for a, (name, kind) in enumerate(zip(attribute_names(instances.schema), instances.schema.kinds, strict=True)):
        cells = instances.column(a)
        kinds[str(name)] = kind
        if isinstance(kind, Numeric):
            data[str(name)] = np.asarray(cells, np.float64)
            continue
        values = kind.order if isinstance(kind, Ordinal) else instances.values(a)
        codes = cells if isinstance(kind, Nominal) else np.where(np.isnan(cells), -1, cells)
        data[str(name)] = objects([*values, None])[codes.astype(np.int64)]
    task: Any = "classify" if is_classifier(model) else "regress"
    table = NamedColumns.of(data, kinds)
    return Problem("", "", task, table, np.asarray(instances.target()), np.array(instances.ids))
