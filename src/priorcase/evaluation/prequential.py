"""Prequential evaluation: each row of a stream is predicted before it is learned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from numbers import Integral
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval

from priorcase._numbers import decimals, fixed
from priorcase._parameters import check_seed, check_value
from priorcase._typing import Backend, FloatArray, IntArray
from priorcase.evaluation.curves import draw_curves
from priorcase.evaluation.running import NAN, Jobs, Part, Trial, fitted, part_of, seed_of, seeded, teach
from priorcase.evaluation.scoring import (
    OURS,
    USUAL,
    Kind,
    Predictions,
    Score,
    Scores,
    Task,
    ask,
    joined,
    needs_of,
    read_learners,
    read_scores,
    read_task,
    score_all,
    score_named,
)
from priorcase.evaluation.splits import Prequential
from priorcase.exceptions import ParameterError, listed, prefix_errors, quoted
from priorcase.learning.plotting import drawing
from priorcase.learning.resampling import taken_rows
from priorcase.learning.results import Grid, GridsResult, framed, short

_LINES = 10
_NAME_WIDTH = 30


def predicted_in_order(trial: Trial, start: int, own: bool = False) -> Part:
    """Predict each row, beginning with ``start``, from the rows before it; ``own`` allows ``learner.prequential``."""
    rows = np.arange(start, len(trial.task))
    return part_of(rows, lambda: (own and _own_run(trial, start)) or _one_after_another(trial, start))


def _one_after_another(trial: Trial, start: int) -> tuple[Predictions, float, float]:
    """Predict rows one by one, beginning with row ``start``; learn each row with ``partial_fit`` or by refitting."""
    learner, X, task = trial.learner, trial.X, trial.task
    grows = hasattr(learner, "partial_fit")
    model = seeded(learner, seed_of(trial.random_state, start)) if grows else None
    parts, fit_seconds, predict_seconds, known = [], 0.0, 0.0, 0
    for row in range(start, len(task)):
        if grows:
            before = perf_counter()
            teach(model, X, task, np.arange(known, row), first=known == 0)
            seconds, known = perf_counter() - before, row
        else:
            model, seconds = fitted(learner, X, task.truth, np.arange(row), seed_of(trial.random_state, row))
        before = perf_counter()
        parts.append(ask(model, X, np.array([row]), task, {"predicted", "proba"}))
        fit_seconds, predict_seconds = fit_seconds + seconds, predict_seconds + perf_counter() - before
    return joined(parts), fit_seconds, predict_seconds


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
    """Score learners on a stream in which each row is first predicted, then learned (test-then-train).

    Each row is learned with ``partial_fit``; if this method accepts ``classes``, all classes are passed with the first
    rows. A learner without ``partial_fit`` is refitted to all previous rows before each prediction. Learners with a
    ``prequential`` method process the whole stream in one call if no score needs probabilities.

    Parameters
    ----------
    learners, X, y
        See `compare`.
    start
        Number of rows learned before the first prediction; None for a tenth of all rows, at least 1 and at most 30.
    window
        Number of rows in the sliding window for windowed scores; None for cumulative scores only.
    scores
        See `compare`; each score must be a mean over rows, or the square root of such a mean (rmse). The defaults are
        accuracy, log_score and brier for classes, and rmse and mae for numbers.
    shuffle
        Whether to shuffle the rows first; the order is the same for all learners.
    random_state, n_jobs, progress
        See `compare`; learners run in parallel.

    Returns
    -------
    PrequentialCurve
        The cumulative scores and, with a window, the windowed scores. A learner that fails is listed below the table
        with the reason. After Ctrl-C, the scores of finished learners are returned with ``complete`` False.

    References
    ----------
    Dawid 1984, Statistical theory: the prequential approach. Gama, Sebastião & Rodrigues 2013, On evaluating stream
    learning algorithms.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X = [[n % 7] for n in range(60)]
    >>> y = ["high" if (n % 7 > 3) == (n < 40) else "low" for n in range(60)]  # reversed after 40 rows
    >>> curve = prequential({"Bayes": GaussianNB()}, X, y, scores="accuracy", start=10, window=10)
    >>> curve.final(), curve.windowed()[0, -1].item()
    ({'Bayes': 0.6}, 0.0)
    """
    named = read_learners(learners)
    task = read_task(named, y, X=X)
    chosen = _read_scores(scores, task.kind)
    protocol = Prequential(start)
    protocol.check(task)
    start = protocol.first(len(task))
    asked = len(task) - start
    check_value("window", window, [None, Interval(Integral, 1, asked + 1, closed="left")])
    seed = check_seed(random_state)
    check_value("shuffle", shuffle, ["boolean"])
    if shuffle:
        order = np.random.default_rng([seed]).permutation(len(task))
        X, task = taken_rows(X, order), Task(task.kind, task.truth[order], task.labels)
    pieces = [(Trial(name, learner, X, task, chosen, seed), start, True) for name, learner in named.items()]
    done = Jobs(n_jobs, progress, "prequential").run(predicted_in_order, pieces)
    losses = np.full((len(named), len(chosen), asked), np.nan)
    failures: dict[str, str] = {}
    reasons: dict[tuple[str, str], str] = {}
    for i, (name, part) in enumerate(zip(named, done, strict=True)):
        if part is not None and part.predictions is None:
            failures[name] = part.failure
        elif part is not None and part.predictions is not None:
            found = score_all(chosen, part.predictions)[1]
            reasons |= {(name, score): why for score, why in found.items()}
            for j, score in enumerate(chosen):
                if score.name not in found:
                    losses[i, j] = score.rows(part.predictions)
    wide = None if window is None else int(window)
    return PrequentialCurve(tuple(named), chosen, start, losses, wide, failures, reasons, None not in done)


def _read_scores(scores: Scores, kind: Kind) -> tuple[Score, ...]:
    """Return the requested scores, each of which must be a mean over rows or the square root of such a mean."""
    usual = [name for name in USUAL[kind] if OURS[name].of_rows is not None]
    chosen = read_scores(usual if scores is None else scores, kind)
    for score in chosen:
        if score.of_rows is None:
            known = listed([name for name, ours in OURS.items() if ours.of_rows is not None and ours.kind == kind])
            problem = f"scores must be means over rows such as {known}, got {quoted(score.name)}"
            raise ParameterError(f"{problem}. For other scores, use compare(..., splits='prequential').")
    return chosen


def _own_run(trial: Trial, start: int) -> tuple[Predictions, float, float] | None:
    """Return predictions of the learner's ``prequential`` method; None if it is missing or cannot be used."""
    learner, task = trial.learner, trial.task
    if needs_of(trial.scores) != {"predicted"} or not hasattr(learner, "prequential"):
        return None
    model = seeded(learner, seed_of(trial.random_state, start))
    rest = np.arange(start, len(task))
    teach(model, trial.X, task, np.arange(start), first=True)
    predicted = np.asarray(model.prequential(taken_rows(trial.X, rest), task.truth[rest]).predictions)
    if predicted.shape != rest.shape:
        return None
    return Predictions(task.truth[rest], predicted, None, None, task.labels), NAN, NAN


@dataclass(frozen=True, repr=False, eq=False)
class PrequentialCurve(GridsResult):
    """Scores of several learners along one stream; they print as one table for each score.

    ``learners`` and ``scores`` are in the order of the arguments; the first ``start`` rows were learned, not predicted.
    ``losses`` contains the scores of each row, shape (learners, scores, rows predicted); NaN for missing scores.
    ``window`` is the size of the sliding window, or None. ``failures`` maps the name of each failed learner to its
    error. ``reasons`` maps each missing score, as (learner, score), to an explanation. ``complete`` is False if the run
    was interrupted by Ctrl-C.
    """

    learners: tuple[str, ...]
    scores: tuple[Score, ...]
    start: int
    losses: FloatArray
    window: int | None = None
    failures: Mapping[str, str] = field(default_factory=dict)
    reasons: Mapping[tuple[str, str], str] = field(default_factory=dict)
    complete: bool = True

    def __len__(self) -> int:
        """Return the number of rows predicted."""
        return int(self.losses.shape[2])

    # -- numbers

    def so_far(self, score: str | None = None) -> FloatArray:
        """Return the cumulative score after each predicted row, shape (learners, rows predicted)."""
        chosen = self.score(score)
        means = np.cumsum(self._losses(chosen), axis=1) / np.arange(1, len(self) + 1)
        return np.sqrt(means) if chosen.root else np.asarray(means)

    def windowed(self, score: str | None = None, window: int | None = None) -> FloatArray:
        """Return sliding-window scores, shape (learners, rows predicted); NaN before the first full window.

        Parameters
        ----------
        score
            Name of the score; None for the first score.
        window
            Number of rows in the window; None for the window of the curve.
        """
        chosen, wide = self.score(score), self.window if window is None else window
        check_value("window", wide, [Interval(Integral, 1, len(self) + 1, closed="left")])
        assert wide is not None
        losses = self._losses(chosen)
        found = np.full(losses.shape, np.nan)
        # Not computed as differences of cumulative sums: after an infinite loss, all of them would be NaN.
        found[:, wide - 1 :] = np.lib.stride_tricks.sliding_window_view(losses, int(wide), axis=1).mean(axis=2)
        return np.sqrt(found) if chosen.root else found

    def final(self, score: str | None = None) -> dict[str, float]:
        """Return the score over all predicted rows for each learner."""
        return dict(zip(self.learners, self.so_far(score)[:, -1].tolist(), strict=True))

    def score(self, name: str | None = None) -> Score:
        """Return the score with the given name; None returns the first score."""
        return score_named(self.scores, name)

    # -- tables and plots

    @prefix_errors
    def frame(self, backend: Backend | None = None) -> Any:
        """Return a data frame with one row per learner, score and predicted row.

        The columns are ``learner``, ``row`` (the position in the stream), ``score``, ``value`` (the score of the row),
        ``so_far`` (the cumulative score) and, if there is a window, ``windowed``.
        """
        names = [score.name for score in self.scores]
        blocks = [(learner, name) for name in names for learner in self.learners]
        columns: dict[str, Any] = {
            "learner": [learner for learner, _ in blocks for _ in range(len(self))],
            "row": np.tile(np.arange(self.start, self.start + len(self)), len(blocks)),
            "score": [name for _, name in blocks for _ in range(len(self))],
            "value": np.concatenate([self._losses(score).ravel() for score in self.scores]),
            "so_far": np.concatenate([self.so_far(name).ravel() for name in names]),
        }
        if self.window is not None:
            columns["windowed"] = np.concatenate([self.windowed(name).ravel() for name in names])
        return framed(columns, backend)

    @prefix_errors
    def plot(self, score: str | None = None, ax: Any = None) -> Any:
        """Plot the windowed score, or else the cumulative score, against the number of rows seen; return the axes."""
        name = self.score(score).name
        lines = self.so_far(name) if self.window is None else self.windowed(name)
        with drawing(ax) as ax:
            draw_curves(ax, self.learners, self._seen(), lines, None)
            ax.set_xlabel("rows seen")
            ax.set_ylabel(f"{name} {'so far' if self.window is None else f'of the last {self.window:,} rows'}")
            return ax

    def _losses(self, score: Score) -> FloatArray:
        return self.losses[:, self.scores.index(score)]

    def _seen(self) -> IntArray:
        return np.arange(self.start + 1, self.start + len(self) + 1)

    def _grids(self) -> list[Grid]:
        whole = f"{len(self):,} rows, each predicted before it was learned; {self.start:,} rows were learned first"
        grids = []
        for number, score in enumerate(self.scores):
            title = f"{score.name} so far" + (f": {whole}" if number == 0 else "")
            grids.append(self._grid(title, self.so_far(score.name)))
            if self.window is not None:
                grids.append(self._grid(f"{score.name} of the last {self.window:,} rows", self.windowed(score.name)))
        notes = [] if self.complete else ["not complete: interrupted before all learners had finished"]
        notes += [f"{short(name, _NAME_WIDTH)} failed: {short(reason, 100)}" for name, reason in self.failures.items()]
        for (learner, score_name), reason in self.reasons.items():
            notes.append(f"{short(learner, _NAME_WIDTH)} has no {score_name}: {short(reason, 100)}")
        return [*grids[:-1], replace(grids[-1], note="\n  ".join(notes))]

    def _grid(self, title: str, numbers: FloatArray) -> Grid:
        places = decimals(numbers)
        at = np.unique(np.linspace(0, len(self) - 1, _LINES + 1).round().astype(int)[1:])
        lines = [[f"{self._seen()[i]:,}", *(fixed(row[i], places) for row in numbers)] for i in at.tolist()]
        header = ["rows seen", *(short(name, _NAME_WIDTH) for name in self.learners)]
        return Grid(title, header, lines, right=range(len(header)))
