"""Parallel evaluation of learners on splits, with handling of seeds, failures, dead workers and Ctrl-C."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any, NoReturn, Self, TypeVar

import joblib
import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

from priorcase._parameters import is_whole
from priorcase._typing import IntArray
from priorcase.evaluation.scoring import Predictions, Score, Task, ask, joined, needs_of, readable, reason_of, score_all
from priorcase.evaluation.splits import Split
from priorcase.exceptions import EvaluationError, ParameterError, quoted
from priorcase.learning.resampling import bar, taken_rows
from priorcase.learning.results import short

R = TypeVar("R")
NAN = float("nan")
REASON_WIDTH = 140
ZERO_FOR_UNSEEN = (
    "learners that give probability 0 to classes without training rows have a log-score of -inf.\n"
    "  Compare by the Brier score, or merge rare classes"
)


# -- one learner


@dataclass(frozen=True, eq=False)
class Cell:
    """The result of one learner on one split: scores, times, and the reason if the learner failed."""

    learner: str
    repeat: int
    split: int
    train: int  # numbers of training and test rows
    test: int
    values: Mapping[str, float]  # value of each score; NaN if missing
    reasons: Mapping[str, str] = field(default_factory=dict)  # why values are missing
    fit_seconds: float = NAN
    predict_seconds: float = NAN
    failure: str = ""  # class and first line of the error
    rows: IntArray | None = None  # test rows; None if predictions are not kept
    predictions: Predictions | None = None
    unseen: tuple[Any, ...] = ()  # classes of test rows that do not occur in the training rows


@dataclass(frozen=True, eq=False)
class Part:
    """Leave-one-out or prequential predictions of one learner for some rows."""

    rows: IntArray
    predictions: Predictions | None  # None without a failure: the learner must be fitted once for each row
    fit_seconds: float = NAN
    predict_seconds: float = NAN
    failure: str = ""
    at_once: bool = False  # whether a single fit was used


Place = tuple[int, int, int, int]
"""Repetition number, split number, number of training rows, and number of test rows."""


@dataclass(frozen=True, eq=False)
class Trial:
    """An unfitted learner, the table to evaluate it on, and the scores to compute."""

    name: str
    learner: Any
    X: Any
    task: Task
    scores: Sequence[Score]
    random_state: int

    def failing(self, error: Exception) -> Trial:
        """Return a copy of this trial with a learner that raises an error in ``fit``."""
        return replace(self, learner=Died(error))

    def failed(self, place: Place, error: Exception | str) -> Cell:
        """Return a cell that records a failure, without scores."""
        failure = error if isinstance(error, str) else reason_of(error)
        return Cell(self.name, *place, {score.name: NAN for score in self.scores}, failure=failure)

    def on_split(self, split: Split, keep: bool = False) -> Cell:
        """Fit the learner to the training rows, predict the test rows, and score the predictions."""
        place = (split.repeat, split.number, split.train.size, split.test.size)
        try:
            state = seed_of(self.random_state, split.repeat, split.number)
            X = np.asarray(self.X)[:, split.train] if takes_distances(self.learner) else self.X
            model, seconds = fitted(self.learner, X, self.task.truth, split.train, state)
            cell = self.tested(place, model, seconds, X, split.test, self.task, keep=keep)
            return replace(cell, unseen=self.task.unseen(split.train, split.test))
        except Exception as error:  # the failure of one learner is shown in the table and does not end the run
            return self.failed(place, error)

    def tested(
        self, place: Place, model: Any, fit_seconds: float, X: Any, rows: IntArray, task: Task, *, keep: bool = False
    ) -> Cell:
        """Predict rows with a fitted model, and score the predictions."""
        start = perf_counter()
        predictions = ask(model, X, rows, task, needs_of(self.scores, kept=keep))
        seconds = (fit_seconds, perf_counter() - start)
        kept = (rows, replace(predictions, learner=None, X=None)) if keep else (None, None)
        return Cell(self.name, *place, *score_all(self.scores, predictions), *seconds, "", *kept)

    def scored(self, parts: Sequence[Part], train: int) -> Cell:
        """Combine the predictions of all parts, and return their scores as one cell."""
        rows = np.concatenate([part.rows for part in parts])
        place = (0, 0, train, rows.size)
        if failure := next((part.failure for part in parts if part.failure), ""):
            return self.failed(place, failure)
        predictions = joined([part.predictions for part in parts if part.predictions is not None])
        seconds = (sum(part.fit_seconds for part in parts), sum(part.predict_seconds for part in parts))
        return Cell(self.name, *place, *score_all(self.scores, predictions), *seconds, "", rows, predictions)


def part_of(
    rows: IntArray, work: Callable[[], tuple[Predictions | None, float, float]], *, at_once: bool = False
) -> Part:
    """Call ``work``, and return its predictions and times, or the reason for a failure, as a `Part`."""
    try:
        return Part(rows, *work(), at_once=at_once)
    except Exception as error:  # as in Trial.on_split
        return Part(rows, None, failure=reason_of(error), at_once=at_once)


def takes_distances(learner: Any) -> bool:
    """Return whether a learner expects a distance matrix as X, for example because of ``distance="precomputed"``."""
    return hasattr(learner, "__sklearn_tags__") and bool(get_tags(learner).input_tags.pairwise)


def seed_of(random_state: int, *numbers: int) -> int:
    """Return a seed for one task, derived from the seed of the run and the numbers that identify the task."""
    return int(np.random.SeedSequence([random_state, *numbers]).generate_state(1)[0] >> 1)


def seeded(learner: Any, random_state: int) -> Any:
    """Return a clone of a learner in which each ``random_state`` that is None is replaced by a seed."""
    fresh = clone(learner)
    states = {
        name: seed_of(random_state, number)
        for number, (name, value) in enumerate(sorted(fresh.get_params(deep=True).items(), key=lambda item: item[0]))
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    }
    return fresh.set_params(**states) if states else fresh


def fitted(learner: Any, X: Any, y: Any, rows: IntArray | None, random_state: int) -> tuple[Any, float]:
    """Fit a clone of a learner to some rows (all rows if None); return the clone and the fit time in seconds."""
    fresh = seeded(learner, random_state)
    table, targets = (X, y) if rows is None else (taken_rows(X, rows), taken_rows(y, rows))
    table = readable(table, learner)
    start = perf_counter()
    fresh.fit(table, targets)
    return fresh, perf_counter() - start


def teach(model: Any, X: Any, task: Task, rows: IntArray, *, first: bool = False) -> None:
    """Call ``partial_fit`` with the given rows; the first call also passes all classes if the method accepts them."""
    if not hasattr(model, "partial_fit"):
        raise AttributeError("the learner has no partial_fit")
    takes = first and task.kind == "classes" and "classes" in inspect.signature(model.partial_fit).parameters
    options = {"classes": task.labels} if takes else {}
    model.partial_fit(readable(taken_rows(X, rows), model), task.truth[rows], **options)


class Died:
    """Replacement for a learner whose worker process died; ``fit`` always raises the error."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __sklearn_clone__(self) -> Self:
        return self

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {}

    def fit(self, X: Any, y: Any) -> NoReturn:
        raise self.error

    partial_fit = fit


# -- in parallel


@dataclass(frozen=True)
class Jobs:
    """Settings for running tasks in parallel: number of jobs, progress bar on or off, and text of the progress bar."""

    n_jobs: int | None
    progress: bool | None
    text: str

    def run(self, work: Callable[..., R], pieces: Sequence[tuple[Any, ...]]) -> list[R | None]:
        """Return ``work(*piece)`` for each piece, in order; None for calls that had not finished at Ctrl-C.

        The first element of each piece is a `Trial`. ``work`` must be picklable and must not return None. If no call
        has finished at Ctrl-C, ``KeyboardInterrupt`` is raised. If a worker process dies, the calls that it may have
        run are repeated one at a time. If the process of a repeated call also dies, ``work`` is called with
        ``piece[0].failing(error)`` instead of ``piece[0]``, to record the failure.
        """
        check_jobs(self.n_jobs)
        results: list[R | None] = [None] * len(pieces)
        try:
            with bar(len(pieces), shown=self.progress is not False, text=self.text) as advance:
                for number, result in _as_finished(work, dict(enumerate(pieces)), self.n_jobs):
                    if result is None:  # a worker was interrupted
                        raise KeyboardInterrupt
                    results[number] = result
                    advance(self.text)
        except KeyboardInterrupt:
            if all(result is None for result in results):
                raise
        return results


def check_jobs(n_jobs: object) -> None:
    if n_jobs is not None and not (is_whole(n_jobs) and int(n_jobs) != 0):
        raise ParameterError(
            f"n_jobs must be None or an integer other than 0, got {quoted(n_jobs)}. Pass -1 to use all cores."
        )


def _as_finished(
    work: Callable[..., R], left: dict[int, tuple[Any, ...]], n_jobs: int | None
) -> Iterator[tuple[int, R | None]]:
    """Yield the number and the result of each piece in ``left`` as soon as it has finished; remove it from ``left``."""
    while left:
        try:
            for number, result in _side_by_side(work, left, n_jobs):
                del left[number]
                yield number, result
        except BrokenProcessPool:  # which piece is not known; pieces are sent out in order, so it was one of the first
            for number in list(left)[: 2 * max(1, joblib.effective_n_jobs(n_jobs))]:
                yield number, _alone(work, left.pop(number), n_jobs)


def _side_by_side(
    work: Callable[..., R], pieces: Mapping[int, tuple[Any, ...]], n_jobs: int | None
) -> Iterator[tuple[int, R | None]]:
    calls = [joblib.delayed(_numbered)(number, work, piece) for number, piece in pieces.items()]
    with closed_quietly(_parallel(n_jobs)(calls)) as found:
        for numbered in found:  # noqa: UP028  # `yield from` would close the calls itself, with a warning
            yield numbered


@contextmanager
def closed_quietly(results: Any) -> Iterator[Any]:
    """Close joblib's generator of results on exit, without joblib's warning about unfinished jobs."""
    try:
        yield results
    finally:
        if hasattr(results, "close"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                results.close()


def _alone(work: Callable[..., R], piece: tuple[Any, ...], n_jobs: int | None) -> R | None:
    """Run one piece while no other pieces run; if its worker process dies, record a failure of the learner."""
    try:
        ((_, result),) = _side_by_side(work, {0: piece}, n_jobs)
    except BrokenProcessPool as error:
        codes = ", ".join(sorted(set(re.findall(r"\b(SIG\w+|EXIT\(\d+\))", str(error)))))  # as joblib writes them
        died = EvaluationError(
            f"the worker process died{f' by {codes}' if codes else ''}: out of memory, or a crash in compiled code. "
            "Use a smaller n_jobs to save memory, or run without n_jobs to see the crash."
        )
        return work(piece[0].failing(died), *piece[1:])
    return result


def _numbered(number: int, work: Callable[..., R], piece: tuple[Any, ...]) -> tuple[int, R | None]:
    """Return the number and the result of a piece; return None at Ctrl-C, so that finished results are not lost."""
    try:
        return number, work(*piece)
    except KeyboardInterrupt:
        return number, None


def _parallel(n_jobs: int | None) -> Any:
    """Return a `joblib.Parallel` that yields results as they finish, if the backend supports this."""
    try:
        return joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    except ValueError:  # backends such as multiprocessing return everything at the end
        return joblib.Parallel(n_jobs=n_jobs)


# -- cells as tables


def cell_columns(
    cells: Sequence[Cell], scores: Sequence[Score], place: Mapping[str, Sequence[Any]]
) -> dict[str, list[Any]]:
    """Return columns with one row per cell and score; ``place`` has additional columns with one value per cell."""
    lines = [(cell, score.name) for cell in cells for score in scores]
    columns: dict[str, list[Any]] = {"learner": [cell.learner for cell, _ in lines]}
    columns |= {name: [value for value in values for _ in scores] for name, values in place.items()}
    columns |= {"score": [score for _, score in lines], "value": [cell.values[score] for cell, score in lines]}
    for name in ("train", "test", "fit_seconds", "predict_seconds"):
        columns[name] = [getattr(cell, name) for cell, _ in lines]
    return columns | {"reason": [cell.failure or cell.reasons.get(score, "") for cell, score in lines]}


def first_failures(cells: Iterable[Cell]) -> dict[str, str]:
    """Return the first error message of each learner that failed, by name of the learner."""
    found: dict[str, str] = {}
    for cell in cells:
        if cell.failure:
            found.setdefault(cell.learner, cell.failure)
    return found


def unseen_note(cells: Iterable[Cell], *, of: str) -> list[str]:
    """Return a note on classes without training rows if these classes made a score infinite."""
    classes = {label for cell in cells if np.isinf(list(cell.values.values())).any() for label in cell.unseen}
    if not classes:
        return []
    have = "1 class has" if len(classes) == 1 else f"{len(classes)} classes have"
    return [f"{have} no training rows in some {of}; {ZERO_FOR_UNSEEN}"]


def missing_notes(cells: Sequence[Cell], learners: Sequence[str], *, of: str) -> list[str]:
    """Return a note for each missing score of a learner that did not fail, with the first of the reasons."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for cell in cells:
        for score, reason in cell.reasons.items():
            reasons.setdefault((cell.learner, score), []).append(reason)
    notes = []
    for name, score in sorted(reasons, key=lambda key: (learners.index(key[0]), key[1])):
        given, sound = reasons[name, score], sum(cell.learner == name and not cell.failure for cell in cells)
        times = "" if len(given) == sound else f" on {len(given)} of {sound} {of}"
        notes.append(f"{short(name, 30)} has no {score}{times}: {short(given[0], REASON_WIDTH)}")
    return notes
