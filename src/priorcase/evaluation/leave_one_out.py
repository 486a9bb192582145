"""What a learner says about each row of a table, had it never seen it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from priorcase._parameters import check_seed
from priorcase._typing import AnyArray, FloatArray
from priorcase.datasets.columns import Backend
from priorcase.evaluation.answers import Answers, Kind, read_learners, read_task, readable
from priorcase.evaluation.calibration import CalibrationTable, calibration_table
from priorcase.evaluation.checks import check_frame
from priorcase.evaluation.compare_cells import Trial
from priorcase.evaluation.compare_rows import Running, left_out
from priorcase.evaluation.compare_table import mean_text
from priorcase.evaluation.scoring import Scores, read_scores, score_all
from priorcase.evaluation.splits import LeaveOneOut
from priorcase.exceptions import EvaluationError, prefix_errors
from priorcase.learning.results import Grid, GridResult, framed, free_label


@prefix_errors
def leave_one_out(
    learner: Any, X: Any, y: Any, *, random_state: Any = 0, n_jobs: int | None = None, progress: bool | None = None
) -> LeftOutAnswers:
    """What a learner says about each row of a table from all others.

    At once where the learner has ``loo_predict_proba`` or ``loo_predict`` (all Bayes classifiers here, neighbours,
    local fits and networks have); by a fit for each row where it has not, or where it learns from targets what such an
    answer would keep (``relearns_``: value differences, learned attribute weights, a k chosen by leave-one-out, cut
    points). So the target of a row never has a part in what is said about it. A row that is the only one of its class
    is always answered by a fit without it: nobody else would know that there is such a class, whose probability is 0.
    Ranges and standard deviations of columns, which need no target, may be those of all rows where answers come at
    once, and so may the number of neighbours of a local fit that is a part or the root of the number of rows.
    Where there is a fit for each row, the others come in random order, the same each time, for learners that go by it:
    tables are often sorted.

    Parameters
    ----------
    learner
        Any estimator of scikit-learn's kind; it is copied and not changed.
    X, y
        The rows and their targets.
    random_state
        The order of rows comes from it, and each ``random_state`` that is None in the learner, for each row anew.
    n_jobs
        How many fits at a time, where there is one for each row: see `compare`.
    progress
        False for no bar where standard error is a terminal.

    Returns
    -------
    LeftOutAnswers
        Predictions and probabilities of all rows, in their order; prints as a table of scores.

    Examples
    --------
    >>> import priorcase as pc
    >>> X, y = [[1], [2], [3], [7], [8], [9]], ["low", "low", "low", "high", "high", "high"]
    >>> leave_one_out(pc.KNNClassifier(2, prior=1.0), X, y)
    6 rows, each left out; at once
      score       value
      accuracy    1.000 ± 0.000
      log_score  -0.288 ± 0.000
      brier       0.125 ± 0.000
    """
    named = read_learners(learner)
    if len(named) > 1:
        raise EvaluationError(
            f"got {len(named)} learners; expected one. compare(learners, X, y, splits='loo') takes several."
        )
    task = read_task(named, y, X=X)
    LeaveOneOut().check(task)
    name, only = next(iter(named.items()))
    trial = Trial(name, only, readable(X, only), task, (), check_seed(random_state))
    parts = left_out({name: trial}, Running(n_jobs, progress, "leaving out")).get(name)
    if parts is None:
        raise KeyboardInterrupt
    cell = trial.scored(parts, len(task) - 1)
    if cell.answers is None:
        raise EvaluationError(
            f"{name} failed: {str(cell.failure).rstrip('.')}. Fit it on the table itself to see where."
        )
    return LeftOutAnswers(cell.answers, task.kind, parts[0].at_once)


@dataclass(frozen=True, repr=False, eq=False)
class LeftOutAnswers(GridResult):
    """Answers about rows that were left out one at a time; prints as a table of their scores.

    Parameters
    ----------
    answers
        Truth, predictions and probabilities of all rows.
    kind
        Whether classes or numbers were predicted.
    at_once
        Whether they come from one fit.
    """

    answers: Answers
    kind: Kind
    at_once: bool

    def __len__(self) -> int:
        return len(self.answers)

    @property
    def truth(self) -> AnyArray:
        """The target of each row."""
        return self.answers.truth

    @property
    def predicted(self) -> AnyArray:
        """The prediction for each row by the others."""
        predicted = self.answers.predicted
        assert predicted is not None  # it is always asked for
        return predicted

    @property
    def proba(self) -> FloatArray | None:
        """The probability of each of ``labels``, shape (rows, classes); None where the learner gives none."""
        return self.answers.proba

    @property
    def labels(self) -> AnyArray:
        """The classes; empty where numbers were predicted."""
        return self.answers.labels

    @prefix_errors
    def score(self, score: Scores = None) -> float:
        """One score over all rows.

        Parameters
        ----------
        score
            Its name, or a scorer or `Score` as in `compare`; None for accuracy, or for rmse.
        """
        chosen = read_scores(score, self.kind)[0]
        values, reasons = score_all((chosen,), self.answers)
        if chosen.name in reasons:
            raise EvaluationError(f"has no {chosen.name}: {reasons[chosen.name]}. Ask for a score of predictions.")
        return values[chosen.name]

    @prefix_errors
    def calibration(self, *, bins: int = 10) -> CalibrationTable:
        """How often the predictions of each bin of probability came true: see `calibration_table`."""
        if self.proba is None:
            raise EvaluationError(
                "has no calibration: the learner has no predict_proba. Ask for a score of predictions."
            )
        return calibration_table(self.truth, self.proba, labels=self.labels, bins=bins)

    @prefix_errors
    def frame(self, backend: Backend | None = None) -> Any:
        """One line for each row: ``truth``, ``predicted``, and ``p(CLASS)`` for each class.

        Parameters
        ----------
        backend
            As in `CalibrationTable.frame`.
        """
        check_frame(backend)
        columns: dict[str, Any] = {"truth": self.truth, "predicted": self.predicted}
        for place, label in enumerate(self.labels.tolist() if self.proba is not None else ()):
            assert self.proba is not None
            columns[free_label(f"p({label})", columns)] = self.proba[:, place]
        return framed(columns, backend)

    def _grid(self) -> Grid:
        scores = read_scores(None, self.kind)
        values, reasons = score_all(scores, self.answers)
        lines = []
        for score in scores:
            rows = None if score.name in reasons else score.rows(self.answers)
            error = float("nan") if rows is None else score.error(rows)
            lines.append([score.name, mean_text(values[score.name], error)])
        how = "at once" if self.at_once else "a fit for each"
        return Grid(f"{len(self)} rows, each left out; {how}", ["score", "value"], lines)
