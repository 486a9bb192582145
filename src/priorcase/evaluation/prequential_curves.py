"""Learners along a stream: each row is asked about before it is learned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._parameters import check_flag, check_seed, is_whole
from priorcase._typing import FloatArray
from priorcase.evaluation.answers import Answers, Kind, Task, read_learners, read_task
from priorcase.evaluation.compare_cells import Trial
from priorcase.evaluation.prequential_answers import one_after_another
from priorcase.evaluation.prequential_results import PrequentialCurve
from priorcase.evaluation.running import run_all, seed_of, seeded, teach
from priorcase.evaluation.scoring import (
    OURS,
    USUAL,
    Reasons,
    Score,
    Scores,
    needs_of,
    read_scores,
    reason_of,
    score_all,
)
from priorcase.evaluation.splits import usual_start
from priorcase.exceptions import EvaluationError, ParameterError, listed, prefix_errors, quoted
from priorcase.learning.resampling import taken_rows

__all__ = ["prequential"]


@dataclass(frozen=True, eq=False)
class Stream:
    """What came of one learner: what each row adds to each score, shape (scores, rows), or why there is nothing."""

    losses: FloatArray
    reasons: Reasons
    failure: str = ""


@prefix_errors
def prequential(
    learners: Any,
    X: Any,
    y: Any,
    *,
    start: int | None = None,
    window: int | None = None,
    scores: Scores = None,
    shuffle: bool = False,
    random_state: Any = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> PrequentialCurve:
    """How well learners predict each row of a stream from the rows before it, which they then learn.

    Rows come in their order. Each is learned by ``partial_fit``, which is told of all classes at the beginning if it
    takes ``classes``; a learner without it is fitted anew on all rows so far. Where a learner has a method
    ``prequential`` and scores need no more than its predictions, the stream is one call of that.

    Parameters
    ----------
    learners
        A mapping from name to estimator; several estimators, named by what they print; or one. Any estimator of
        scikit-learn's kind will do. They are copied and never changed.
    X, y
        The rows, in a table of any make, and their classes or numbers.
    start
        How many rows are learned, all at once, before the first is asked about; None for a tenth of them, at least 1
        and at most 30, as in `Prequential`.
    window
        Over how many of the last answers scores are taken as well; None for over all so far alone.
    scores
        As in `compare`, but only means over rows: accuracy, log_score and brier of classes (None for these), rmse and
        mae (None for these) and mse of numbers.
    shuffle
        Whether to bring the rows into a random order first; the same for all learners.
    random_state, n_jobs, progress
        As in `compare`; learners run side by side.

    Returns
    -------
    PrequentialCurve
        The scores so far and, with a window, of the last answers. A learner that fails is there with its reason. Ctrl-C
        ends the run, and the learners that are finished are returned with ``complete`` False.

    References
    ----------
    Dawid 1984, Statistical theory: the prequential approach. Gama, Sebastião & Rodrigues 2013, On evaluating stream
    learning algorithms.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X = [[n % 7] for n in range(60)]
    >>> y = ["high" if (n % 7 > 3) == (n < 40) else "low" for n in range(60)]  # after 40 rows the other way round
    >>> prequential({"Bayes": GaussianNB()}, X, y, scores="accuracy", start=10, window=10)
    accuracy so far: 50 rows asked about before they were learned, after 10 that were only learned
      rows seen  Bayes
             16  1.000
             21  1.000
             26  1.000
             31  1.000
             35  1.000
             40  1.000
             45  0.857
             50  0.750
             55  0.667
             60  0.600
    <BLANKLINE>
    accuracy of the last 10 rows
      rows seen  Bayes
             16      -
             21  1.000
             26  1.000
             31  1.000
             35  1.000
             40  1.000
             45  0.500
             50  0.000
             55  0.000
             60  0.000
    """
    named = read_learners(learners)
    task = read_task(named, y, X=X)
    chosen = _read_scores(scores, task.kind)
    start = _read_start(start, len(task))
    window = _read_window(window, len(task) - start)
    seed = check_seed(random_state)
    if check_flag("shuffle", shuffle, hint="True brings the rows into a random order."):
        order = np.random.default_rng([seed]).permutation(len(task))
        X, task = taken_rows(X, order), Task(task.kind, task.truth[order], task.labels)
    pieces = [(Trial(name, learner, X, task, chosen, seed), start) for name, learner in named.items()]
    done = run_all(_follow, pieces, n_jobs=n_jobs, progress=progress, text="prequential")
    nothing = Stream(np.full((len(chosen), len(task) - start), np.nan), {})
    streams = {name: stream or nothing for name, stream in zip(named, done.results, strict=True)}
    failures = {name: stream.failure for name, stream in streams.items() if stream.failure}
    reasons = {(name, score): why for name, stream in streams.items() for score, why in stream.reasons.items()}
    losses = np.stack([stream.losses for stream in streams.values()])
    return PrequentialCurve(tuple(named), chosen, start, losses, window, failures, reasons, done.complete)


def _follow(trial: Trial, start: int) -> Stream:
    """One learner along the whole stream."""
    losses = np.full((len(trial.scores), len(trial.task) - start), np.nan)
    try:
        answers = _at_once(trial, start)
        if answers is None:
            answers = one_after_another(trial.learner, trial.X, trial.task, start, trial.seed)[0]
    except Exception as error:  # whatever a learner fails by is a line of the table, not the end of the run
        return Stream(losses, {}, reason_of(error))
    _, reasons = score_all(trial.scores, answers)
    for number, score in enumerate(trial.scores):
        if score.name not in reasons:
            losses[number] = score.rows(answers)
    return Stream(losses, reasons)


def _at_once(trial: Trial, start: int) -> Answers | None:
    """Predictions by the learner's own ``prequential``; None where it has none, or cannot answer every row."""
    learner, task = trial.learner, trial.task
    if needs_of(trial.scores) != {"predicted"} or not hasattr(learner, "prequential"):
        return None
    model = seeded(learner, seed_of(trial.seed, start))
    rest = np.arange(start, len(task))
    teach(model, trial.X, task, np.arange(start), first=True)
    predicted = np.asarray(model.prequential(taken_rows(trial.X, rest), task.truth[rest]).predictions)
    if predicted.shape != rest.shape:
        return None
    return Answers(task.truth[rest], predicted, None, None, task.labels)


def _read_scores(scores: Scores, kind: Kind) -> tuple[Score, ...]:
    """The scores that a user means, all of them means over rows."""
    usual = [name for name in USUAL[kind] if OURS[name].of_rows is not None]
    chosen = read_scores(usual if scores is None else scores, kind)
    for score in chosen:
        if score.of_rows is None:
            known = listed([name for name, ours in OURS.items() if ours.of_rows is not None and ours.kind == kind])
            raise ParameterError(
                f"scores must be means over rows such as {known}, got {quoted(score.name)}. compare(..., "
                "splits='prequential') takes any score."
            )
    return chosen


def _read_start(start: Any, rows: int) -> int:
    if rows < 2:
        raise EvaluationError("got one row, and nothing is left to learn from; expected two rows or more. add rows.")
    if start is None:
        return usual_start(rows)
    if is_whole(start) and 1 <= start < rows:
        return int(start)
    raise ParameterError(
        f"start must be None or a whole number from 1 to {rows - 1}, one less than rows, got {quoted(start)}. Learners "
        "that need several rows to answer fail if it is too small."
    )


def _read_window(window: Any, rows: int) -> int | None:
    if window is None or (is_whole(window) and 1 <= window <= rows):
        return None if window is None else int(window)
    raise ParameterError(
        f"window must be None or a number of rows from 1 to {rows}, which are asked about, got {quoted(window)}. 100 "
        "is usual for long streams."
    )
