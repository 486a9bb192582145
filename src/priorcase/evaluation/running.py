"""Many small pieces of work, side by side where the caller wants it: seeds, processes that die, Ctrl-C."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Generic, NoReturn, Self, TypeVar

import joblib
import numpy as np
from sklearn.base import clone

from priorcase._parameters import is_whole
from priorcase._typing import IntArray
from priorcase.evaluation.answers import Task, readable
from priorcase.exceptions import EvaluationError, ParameterError, quoted
from priorcase.learning.resampling import bar, taken_rows

R = TypeVar("R")


@dataclass(frozen=True, eq=False)
class Finished(Generic[R]):
    """What came of some pieces of work.

    Parameters
    ----------
    results
        The result of each piece, in their order; None for those that were not finished.
    complete
        Whether all were finished; False where Ctrl-C came before.
    """

    results: tuple[R | None, ...]
    complete: bool

    @property
    def done(self) -> list[R]:
        """The results of those that were finished, in their order."""
        return [result for result in self.results if result is not None]


def run_all(
    work: Callable[..., R],
    pieces: Sequence[tuple[Any, ...]],
    *,
    n_jobs: int | None = None,
    progress: bool | None = None,
    text: str = "evaluating",
) -> Finished[R]:
    """Results of ``work(*piece)`` for each piece, in their order, whatever the number of jobs.

    Pieces run by `joblib.Parallel`: ``with joblib.parallel_config(backend=...)`` around the call says where. Ctrl-C
    stops what is not finished and returns what is; where nothing is, it goes on.

    Where a worker process dies, by a crash or for want of memory, the pieces that may have run in it are done again,
    one at a time. Of those that end their process even so, ``work`` is called with ``piece[0].failing(error)`` in place
    of ``piece[0]``, and is to return that failure.

    Parameters
    ----------
    work
        A function of a module, so that processes can be told of it; it returns anything but None.
    pieces
        The arguments of each call.
    n_jobs
        How many at a time: None for one (or what ``parallel_config`` says), -1 for as many as cores.
    progress
        Whether to show a bar on a terminal: None and True do, where standard error is one.
    text
        What stands before the bar.

    Examples
    --------
    >>> run_all(pow, [(2, 3), (3, 2)])
    Finished(results=(8, 9), complete=True)
    """
    check_jobs(n_jobs)
    results: list[R | None] = [None] * len(pieces)
    try:
        with bar(len(pieces), shown=progress is not False, text=text) as advance:
            for number, result in _as_finished(work, dict(enumerate(pieces)), n_jobs):
                if result is None:  # a worker was interrupted
                    raise KeyboardInterrupt
                results[number] = result
                advance(text)
    except KeyboardInterrupt:
        if all(result is None for result in results):
            raise
    return Finished(tuple(results), all(result is not None for result in results))


def check_jobs(n_jobs: object) -> None:
    """Refuse what is no number of jobs."""
    if n_jobs is not None and not (is_whole(n_jobs) and int(n_jobs) != 0):
        raise ParameterError(
            f"n_jobs must be None or a whole number other than 0, got {quoted(n_jobs)}. None runs one at a time, -1 as "
            "many as there are cores."
        )


def seed_of(seed: int, *numbers: int) -> int:
    """A seed of its own for each piece of work, from that of the whole and the piece's numbers.

    Examples
    --------
    >>> seed_of(0, 1, 2) == seed_of(0, 1, 2), seed_of(0, 1, 2) == seed_of(0, 2, 1)
    (True, False)
    """
    return int(np.random.SeedSequence([seed, *numbers]).generate_state(1)[0] >> 1)


def seeded(learner: Any, seed: int) -> Any:
    """A fresh copy of a learner; each ``random_state`` in it that is None is derived from a seed.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> seeded(DecisionTreeClassifier(), 7).random_state == seeded(DecisionTreeClassifier(), 7).random_state
    True
    >>> seeded(DecisionTreeClassifier(random_state=3), 7).random_state
    3
    """
    fresh = clone(learner)
    states = {
        name: seed_of(seed, number)
        for number, (name, value) in enumerate(sorted(fresh.get_params(deep=True).items(), key=lambda item: item[0]))
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    }
    return fresh.set_params(**states) if states else fresh


def fitted(learner: Any, X: Any, y: Any, rows: IntArray | None, seed: int) -> tuple[Any, float]:
    """A copy of a learner that has learned some rows (all: None), and how many seconds it took."""
    fresh = seeded(learner, seed)
    table, targets = (X, y) if rows is None else (taken_rows(X, rows), taken_rows(y, rows))
    table = readable(table, learner)
    start = perf_counter()
    fresh.fit(table, targets)
    return fresh, perf_counter() - start


def teach(model: Any, X: Any, task: Task, rows: IntArray, *, first: bool = False) -> None:
    """Learn more rows by ``partial_fit``, which is told of all classes with the first if it takes ``classes``."""
    if not hasattr(model, "partial_fit"):
        raise AttributeError("the learner has no partial_fit")
    told = first and task.kind == "classes" and "classes" in inspect.signature(model.partial_fit).parameters
    options = {"classes": task.labels} if told else {}
    model.partial_fit(readable(taken_rows(X, rows), model), task.truth[rows], **options)


class Died:
    """A learner whose process has died: it can be copied as before, and learns nothing.

    Parameters
    ----------
    error
        What it fails by whenever it is to learn.

    Examples
    --------
    >>> clone(Died(ValueError("killed"))).fit([[1]], ["a"])
    Traceback (most recent call last):
        ...
    ValueError: killed
    """

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __sklearn_clone__(self) -> Self:
        return self

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """No parameters."""
        return {}

    def fit(self, X: Any, y: Any) -> NoReturn:
        """Fail."""
        raise self.error

    partial_fit = fit


def _as_finished(
    work: Callable[..., R], left: dict[int, tuple[Any, ...]], n_jobs: int | None
) -> Iterator[tuple[int, R | None]]:
    """Numbers and results of pieces as they are finished; takes them out of ``left``."""
    while left:
        try:
            for number, result in _side_by_side(work, left, n_jobs):
                del left[number]
                yield number, result
        except BrokenProcessPool:  # of whom is not said; pieces are sent out in order, so it was one of the first
            for number in list(left)[: 2 * max(1, joblib.effective_n_jobs(n_jobs))]:
                yield number, _alone(work, left.pop(number), n_jobs)


def _side_by_side(
    work: Callable[..., R], pieces: Mapping[int, tuple[Any, ...]], n_jobs: int | None
) -> Iterator[tuple[int, R | None]]:
    calls = [joblib.delayed(_numbered)(number, work, piece) for number, piece in pieces.items()]
    found = _parallel(n_jobs)(calls)
    try:
        for numbered in found:  # noqa: UP028  # `yield from` would close the calls itself, with a warning
            yield numbered
    finally:
        if hasattr(found, "close"):
            with warnings.catch_warnings():  # joblib warns of results that nobody waits for any more
                warnings.simplefilter("ignore", UserWarning)
                found.close()


def _alone(work: Callable[..., R], piece: tuple[Any, ...], n_jobs: int | None) -> R | None:
    """The result of one piece, with nothing beside it; a failure where its process dies again."""
    try:
        ((_, result),) = _side_by_side(work, {0: piece}, n_jobs)
    except BrokenProcessPool as error:
        codes = ", ".join(sorted(set(re.findall(r"\b(SIG\w+|EXIT\(\d+\))", str(error)))))  # as joblib tells them
        died = EvaluationError(
            f"its process died{f' by {codes}' if codes else ''}: out of memory, or a crash in compiled code. Fewer "
            "n_jobs take less memory; without n_jobs the crash itself is seen."
        )
        return work(piece[0].failing(died), *piece[1:])
    return result


def _numbered(number: int, work: Callable[..., R], piece: tuple[Any, ...]) -> tuple[int, R | None]:
    """The result of a piece and its number; None after Ctrl-C, which as an error would take other results with it."""
    try:
        return number, work(*piece)
    except KeyboardInterrupt:
        return number, None


def _parallel(n_jobs: int | None) -> Any:
    """Parallel calls whose results come as they are finished, where the backend can do so."""
    try:
        return joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    except ValueError:  # backends such as multiprocessing hand over everything at the end
        return joblib.Parallel(n_jobs=n_jobs)
