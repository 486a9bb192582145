"""Leave-one-out evaluation: each row of a table is predicted from all other rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.metrics import confusion_matrix

from priorcase._numbers import with_errors
from priorcase._parameters import check_seed
from priorcase._typing import AnyArray, Backend, FloatArray, IntArray
from priorcase.evaluation.calibration import CalibrationTable, calibration_table
from priorcase.evaluation.running import NAN, Jobs, Part, Trial, fitted, part_of, seed_of
from priorcase.evaluation.scoring import (
    Kind,
    Predictions,
    Scores,
    aligned,
    ask,
    joined,
    log_of_truth,
    read_learners,
    read_scores,
    read_task,
    readable,
    score_all,
)
from priorcase.evaluation.splits import LeaveOneOut
from priorcase.exceptions import EvaluationError, prefix_errors
from priorcase.learning.plotting import INK, MUTED, captions, color, drawing
from priorcase.learning.results import Grid, GridResult, framed, free_label

_ROWS_AT_ONCE = 16


@prefix_errors
def leave_one_out(
    learner: Any, X: Any, y: Any, *, random_state: Any = 0, n_jobs: int | None = None, progress: bool | None = None
) -> LeaveOneOutPredictions:
    """Predict each row of a table from all other rows.

    Learners with ``loo_predict_proba`` or ``loo_predict`` (Bayes classifiers, nearest neighbors, local models, RBF
    networks) are fitted once, unless their attribute ``relearns_`` is True. This attribute is True if settings such as
    attribute weights, the number of neighbors, cut points or the weights of a stack are learned from all rows. All
    other learners are fitted once for each row, with the training rows in a fixed random order. The target of a row
    does not influence its prediction. If a row is the only one of its class, this class gets probability 0. Ranges and
    standard deviations of columns can include the left-out row.

    Parameters
    ----------
    learner
        Any scikit-learn estimator; it is cloned.
    X, y
        The rows and their targets.
    random_state
        Seed of the order of training rows, and of the learner if its ``random_state`` is None.
    n_jobs
        Number of parallel fits; see `compare`.
    progress
        False turns off the progress bar, which is shown only on a terminal.

    Returns
    -------
    LeaveOneOutPredictions
        Predictions and probabilities in the order of the rows; they print as a table of scores.

    Examples
    --------
    >>> import priorcase as pc
    >>> X, y = [[1], [2], [3], [7], [8], [9]], ["low", "low", "low", "high", "high", "high"]
    >>> leave_one_out(pc.KNNClassifier(2, prior=1.0), X, y)
    leave-one-out of 6 rows, with one fit
      score      value
      accuracy   1.000 ± 0.000
      log_score  -0.288 ± 0.000
      brier      0.125 ± 0.000
    """
    named = read_learners(learner)
    if len(named) > 1:
        raise EvaluationError(f"got {len(named)} learners; expected one. For several, use compare(..., splits='loo').")
    task = read_task(named, y, X=X)
    LeaveOneOut().check(task)
    name, only = next(iter(named.items()))
    trial = Trial(name, only, readable(X, only), task, (), check_seed(random_state))
    parts = left_out({name: trial}, Jobs(n_jobs, progress, "leaving out")).get(name)
    if parts is None:
        raise KeyboardInterrupt
    cell = trial.scored(parts, len(task) - 1)
    if cell.predictions is None:
        raise EvaluationError(
            f"{name} failed: {cell.failure.rstrip('.')}. To see the traceback, fit the learner to the whole table; "
            "the same error may occur there."
        )
    return LeaveOneOutPredictions(cell.predictions, task.kind, parts[0].at_once)


@dataclass(frozen=True, repr=False, eq=False)
class LeaveOneOutPredictions(GridResult):
    """Leave-one-out predictions; they print as a table of their scores.

    ``predictions`` contains the true target, the prediction and the probabilities of each row; ``kind`` is
    ``"classes"`` or ``"numbers"``; ``at_once`` is True if the predictions come from a single fit.
    """

    predictions: Predictions
    kind: Kind
    at_once: bool

    def __len__(self) -> int:
        return len(self.predictions)

    @property
    def truth(self) -> AnyArray:
        """Target of each row."""
        return self.predictions.truth

    @property
    def predicted(self) -> AnyArray:
        """Leave-one-out prediction of each row."""
        assert self.predictions.predicted is not None  # it is always requested
        return self.predictions.predicted

    @property
    def proba(self) -> FloatArray | None:
        """Predicted class probabilities, shape (rows, classes); None for learners without probabilities."""
        return self.predictions.proba

    @property
    def labels(self) -> AnyArray:
        """Classes; empty for regression."""
        return self.predictions.labels

    @prefix_errors
    def score(self, score: Scores = None) -> float:
        """Return the value of a score over all rows; None for the first default score."""
        chosen = read_scores(score, self.kind)[0]
        values, reasons = score_all((chosen,), self.predictions)
        if chosen.name in reasons:
            raise EvaluationError(f"{chosen.name} is not available: {reasons[chosen.name]}. Choose another score.")
        return values[chosen.name]

    @prefix_errors
    def calibration(self, *, bins: int = 10) -> CalibrationTable:
        """Return the calibration table of the predictions; see `calibration_table`."""
        if self.proba is None:
            raise EvaluationError("calibration is not available: the learner has no predict_proba. Use score().")
        return calibration_table(self.truth, self.proba, labels=self.labels, bins=bins)

    @prefix_errors
    def frame(self, backend: Backend | None = None) -> Any:
        """Return one row per left-out row, with columns ``truth``, ``predicted`` and one ``p(CLASS)`` per class."""
        columns: dict[str, Any] = {"truth": self.truth, "predicted": self.predicted}
        if self.proba is not None:
            for place, label in enumerate(self.labels.tolist()):
                columns[free_label(f"p({label})", columns)] = self.proba[:, place]
        return framed(columns, backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """Plot the confusion matrix, or predicted against true numbers for regression; return the axes."""
        with drawing(ax, size=(5.2, 4.2)) as ax:
            if self.kind == "numbers":
                ends = [min(self.truth.min(), self.predicted.min()), max(self.truth.max(), self.predicted.max())]
                ax.plot(ends, ends, color=MUTED, linewidth=1, linestyle=(0, (4, 2)))
                ax.plot(self.truth, self.predicted, "o", color=color(0), markersize=4, markeredgecolor="white")
                ax.set(xlabel="true", ylabel="predicted from all other rows")
            else:
                counts = confusion_matrix(self.truth, self.predicted, labels=self.labels)
                ax.imshow(counts, cmap="Blues")
                for (row, column), count in np.ndenumerate(counts):
                    ink = "white" if count > 0.6 * counts.max() else INK
                    ax.text(column, row, f"{count}", ha="center", va="center", color=ink)
                names = captions(self.labels.tolist())
                ax.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor")
                ax.set_yticks(range(len(names)), names)
                ax.grid(False)
                ax.set(xlabel="predicted from all other rows", ylabel="true")
            ax.set_title(f"Leave-one-out of {len(self):,} rows")
            return ax

    def _grid(self) -> Grid:
        scores = read_scores(None, self.kind)
        values, reasons = score_all(scores, self.predictions)
        lines = []
        for score in scores:
            rows = None if score.name in reasons else score.rows(self.predictions)
            error = NAN if rows is None else score.error(rows)
            lines.append([score.name, *with_errors([values[score.name]], [error])])
        how = "with one fit" if self.at_once else "with a fit for each row"
        return Grid(f"leave-one-out of {len(self):,} rows, {how}", ["score", "value"], lines)


# -- predictions for left-out rows


def left_out(trials: Mapping[str, Trial], jobs: Jobs) -> dict[str, list[Part]]:
    """Return the leave-one-out predictions of each learner; learners interrupted by Ctrl-C are omitted."""
    quick = {
        name: trial
        for name, trial in trials.items()
        if hasattr(trial.learner, "loo_predict_proba") or hasattr(trial.learner, "loo_predict")
    }
    settled: dict[str, list[Part]] = {}
    if quick:
        found = jobs.run(_without_each, [(trial,) for trial in quick.values()])
        parts = zip(quick, found, strict=True)
        settled = {name: [part] for name, part in parts if part is not None and (part.predictions or part.failure)}
        if None in found:
            return settled
    try:
        return settled | _refitted([trial for name, trial in trials.items() if name not in settled], jobs)
    except KeyboardInterrupt:
        if not settled:
            raise
        return settled


def _refitted(trials: Sequence[Trial], jobs: Jobs) -> dict[str, list[Part]]:
    """Predict each row with a separate fit; rows are processed in batches."""
    pieces = [
        (trial, np.arange(start, min(start + _ROWS_AT_ONCE, len(trial.task))))
        for trial in trials
        for start in range(0, len(trial.task), _ROWS_AT_ONCE)
    ]
    found: dict[str, list[Part]] = {trial.name: [] for trial in trials}
    for (trial, _), part in zip(pieces, jobs.run(_without, pieces) if pieces else (), strict=True):
        if part is None:  # interrupted: the learner is not complete
            found.pop(trial.name, None)
        elif trial.name in found:
            found[trial.name].append(part)
    return found


def _without(trial: Trial, rows: IntArray) -> Part:
    return part_of(rows, lambda: _refits(trial, rows))


def _without_each(trial: Trial) -> Part:
    """Predict all rows from a single fit; each row that is the only one of its class gets a separate fit."""

    def work() -> tuple[Predictions | None, float, float]:
        predictions, fit_seconds, predict_seconds = _from_one_fit(trial)
        alone = trial.task.alone
        if predictions is None or not alone.size:
            return predictions, fit_seconds, predict_seconds
        others, fits, asking = _refits(trial, alone)
        rest = np.setdiff1d(np.arange(len(predictions)), alone)
        order = np.argsort(np.concatenate([rest, alone]))
        return joined([predictions.taken(rest), others]).taken(order), fit_seconds + fits, predict_seconds + asking

    return part_of(np.arange(len(trial.task)), work, at_once=True)


def _refits(trial: Trial, rows: IntArray) -> tuple[Predictions, float, float]:
    parts, fit_seconds, predict_seconds = [], 0.0, 0.0
    order = np.random.default_rng(trial.random_state).permutation(len(trial.task))  # tables are often sorted
    for row in rows.tolist():
        state = seed_of(trial.random_state, row)
        model, seconds = fitted(trial.learner, trial.X, trial.task.truth, order[order != row], state)
        start = perf_counter()
        parts.append(ask(model, trial.X, np.array([row]), trial.task, {"predicted", "proba"}))
        fit_seconds, predict_seconds = fit_seconds + seconds, predict_seconds + perf_counter() - start
    return joined(parts), fit_seconds, predict_seconds


def _from_one_fit(trial: Trial) -> tuple[Predictions | None, float, float]:
    """Return predictions from a single fit (None if ``relearns_`` is True), and the times of fitting and predicting."""
    task = trial.task
    model, fit_seconds = fitted(trial.learner, trial.X, task.truth, None, trial.random_state)
    if getattr(model, "relearns_", False):
        return None, fit_seconds, 0.0
    start = perf_counter()
    proba = logs = None
    if hasattr(model, "loo_predict_proba"):
        proba = aligned(np.asarray(model.loo_predict_proba()), model.classes_, task.labels)
        logs = log_of_truth(proba, task.codes)
        if np.isneginf(logs).any() and hasattr(model, "loo_predict_log_proba"):
            exact = aligned(np.asarray(model.loo_predict_log_proba()), model.classes_, task.labels, empty=-np.inf)
            logs = exact[np.arange(len(task)), task.codes]
    if hasattr(model, "loo_predict"):
        predicted = np.asarray(model.loo_predict()).reshape(len(task))
    else:
        assert proba is not None
        predicted = task.labels[proba.argmax(axis=1)]
    return Predictions(task.truth, predicted, proba, logs, task.labels), fit_seconds, perf_counter() - start
