"""Answers to a request: the fitted learner is asked about the new cases, block by block."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from priorcase.bayes import NaiveBayes
from priorcase.bayes.log_odds import Contributions
from priorcase.bayes.subsets import SubsetAveragedBayes
from priorcase.cli.fitting import Estimator
from priorcase.cli.records import Lookup, Record, records
from priorcase.cli.tables import Problem
from priorcase.concepts import IB1, IB2, IB3, IB4, PEBLS
from priorcase.datasets import NamedColumns
from priorcase.neighbors import KNNClassifier, KNNRegressor
from priorcase.neighbors.precedents import Precedents

__all__ = ["Answer", "Explanation", "answers"]

_BLOCK = 1000

Explanation: TypeAlias = Precedents | Contributions
# A prediction, the probabilities of the classes, and what speaks for it.
_Found: TypeAlias = tuple[Any, dict[str, float] | None, Explanation | None]


@dataclass(frozen=True)
class Answer:
    """What is predicted for one new case.

    ``probabilities`` are by class, likeliest first (none for a regression); ``actual`` is what the file
    says, if it does; ``records`` are those of the precedents and of the unlike case, by id, where cases have some.
    """

    line: int
    prediction: str | float
    probabilities: dict[str, float] | None
    actual: str | float | None
    explanation: Explanation | None = None
    records: dict[int, Record] = field(default_factory=dict)


def answers(problem: Problem, estimator: Estimator, *, explained: bool) -> Iterator[Answer]:
    """One answer for each new case, with what speaks for it if that is asked for."""
    ask = _explained if explained else _predicted
    lookup = records(estimator) if explained else None
    for block in _blocks(problem):
        for i, (prediction, probabilities, explanation) in enumerate(
            ask(estimator, problem.query.take(block)), start=block.start
        ):
            actual = None if problem.actual is None else problem.actual[i]
            found = _records(lookup, prediction, explanation)
            yield Answer(problem.lines[i], prediction, probabilities, actual, explanation, found)


def _predicted(estimator: Estimator, cases: NamedColumns) -> Iterator[_Found]:
    predictions = estimator.predict(cases).tolist()
    if isinstance(estimator, KNNRegressor):
        yield from ((prediction, None, None) for prediction in predictions)
        return
    for prediction, row in zip(predictions, np.asarray(estimator.predict_proba(cases)), strict=True):
        yield prediction, _by_class(estimator.classes_, row), None


def _explained(estimator: Estimator, cases: NamedColumns) -> Iterator[_Found]:
    if isinstance(estimator, KNNClassifier | KNNRegressor | IB1 | IB2 | IB3 | IB4 | PEBLS):
        for one in estimator.precedents(cases):
            shares = None if one.probabilities is None else _by_class(one.classes, one.probabilities[0])
            yield one.predictions.tolist()[0], shares, one
    elif isinstance(estimator, NaiveBayes | SubsetAveragedBayes):
        for part, row in zip(estimator.contributions(cases), estimator.predict_proba(cases), strict=True):
            yield part.predicted.tolist()[0], _by_class(estimator.classes_, row), part


def _records(lookup: Lookup | None, prediction: Any, explanation: Explanation | None) -> dict[int, Record]:
    """The records of the cases shown for one answer."""
    if lookup is None or not isinstance(explanation, Precedents):
        return {}
    unlike = [case.id for case in explanation.unlike if case is not None]
    return {id_: lookup(prediction, id_) for id_ in [*explanation.ids.tolist(), *unlike]}


def _by_class(classes: Any, probabilities: Any) -> dict[str, float]:
    order = np.argsort(-probabilities, kind="stable").tolist()
    return {str(classes[c]): float(probabilities[c]) for c in order}


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
