"""Answers to a request: an estimator fitted to the past cases, asked about the new ones block by block."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase.cli.options import Request
from priorcase.cli.tables import Problem
from priorcase.exceptions import ParameterError
from priorcase.neighbors import KNNClassifier, KNNRegressor
from priorcase.neighbors.precedents import Precedents
from priorcase.typing import AnyArray

__all__ = ["Answer", "Estimator", "answers", "fit"]

_BLOCK = 1000

Estimator = KNNClassifier | KNNRegressor


@dataclass(frozen=True)
class Answer:
    """What is predicted for one new case.

    ``probabilities`` are by class, likeliest first (none for a regression); ``actual`` is what the file
    says, if it does.
    """

    line: int
    prediction: str | float
    probabilities: dict[str, float] | None
    actual: str | float | None
    precedents: Precedents | None = None


def fit(problem: Problem, request: Request) -> Estimator:
    """The estimator asked for, fitted to the past cases."""
    settings: dict[str, Any] = {"distance": request.distance, "vote": request.vote}
    if request.ties is not None:
        settings["ties"] = request.ties
    if request.prior is not None and problem.task == "regress":
        raise ParameterError.wrong(
            "priorcase", "--prior", request.prior, expected="no prior for a regression", hint="leave --prior out."
        )
    if not isinstance(request.neighbors, str) and request.neighbors > len(problem.train):
        expected = f"at most {len(problem.train)}, the number of past cases"
        hint = "ask fewer of them, or take --neighbors sqrt, loo or all."
        raise ParameterError.wrong("priorcase", "--neighbors", request.neighbors, expected=expected, hint=hint)
    if problem.task == "classify":
        classifier = KNNClassifier(request.neighbors, prior=request.prior, **settings)
        return classifier.fit(problem.train, problem.targets)
    return KNNRegressor(request.neighbors, **settings).fit(problem.train, problem.targets)


def answers(problem: Problem, estimator: Estimator, *, explained: bool) -> Iterator[Answer]:
    """One answer for each new case, with its precedents if it is to be explained."""
    for block in _blocks(problem):
        cases = problem.query.take(block)
        if explained:
            yield from _explained(problem, block, estimator.precedents(cases))
        elif isinstance(estimator, KNNClassifier):
            yield from _classified(problem, block, estimator.predict_proba(cases), estimator.predict(cases), estimator)
        else:
            for i, prediction in enumerate(estimator.predict(cases).tolist(), start=block.start):
                yield Answer(problem.lines[i], prediction, None, _actual(problem, i))


def _explained(problem: Problem, block: slice, found: Precedents) -> Iterator[Answer]:
    for i, one in enumerate(found, start=block.start):
        probabilities = None if one.probabilities is None else _by_class(one.classes, one.probabilities[0])
        yield Answer(problem.lines[i], one.predictions.tolist()[0], probabilities, _actual(problem, i), one)


def _classified(
    problem: Problem, block: slice, probabilities: Any, predictions: AnyArray, estimator: KNNClassifier
) -> Iterator[Answer]:
    for i, (prediction, row) in enumerate(zip(predictions.tolist(), probabilities, strict=True), start=block.start):
        yield Answer(problem.lines[i], prediction, _by_class(estimator.classes_, row), _actual(problem, i))


def _by_class(classes: Any, probabilities: Any) -> dict[str, float]:
    order = np.argsort(-probabilities, kind="stable").tolist()
    return {str(classes[c]): float(probabilities[c]) for c in order}


def _actual(problem: Problem, row: int) -> str | float | None:
    return None if problem.actual is None else problem.actual[row]


def _blocks(problem: Problem) -> Iterator[slice]:
    """Blocks of new cases, with a progress bar on standard error where that is a terminal and there are several."""
    starts = range(0, len(problem.query), _BLOCK)
    blocks = (slice(start, min(start + _BLOCK, len(problem.query))) for start in starts)
    if len(starts) < 2 or not sys.stderr.isatty():
        yield from blocks
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(blocks, "answering", total=len(starts), console=Console(stderr=True), transient=True)
