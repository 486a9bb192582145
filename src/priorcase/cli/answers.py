"""Answers to a request: the fitted learner is asked about the new cases, block by block."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from priorcase.bayes import NaiveBayes
from priorcase.bayes.results import Contributions
from priorcase.bayes.subsets import SubsetAveragedBayes
from priorcase.cli.fitted import Estimator, Fitted
from priorcase.cli.notices import Notices, noticed
from priorcase.cli.records import Lookup, Record, records
from priorcase.cli.tables import Problem
from priorcase.concepts import IB1, IB2, IB3, IB4, PEBLS
from priorcase.datasets import NamedColumns
from priorcase.local import LocallyWeightedClassifier, LocallyWeightedRegressor, RBFNetworkRegressor
from priorcase.neighbors import KNNClassifier, KNNRegressor
from priorcase.neighbors.precedents import Precedents

__all__ = ["Answer", "Explanation", "answers"]

_BLOCK = 1000
_WITH_PRECEDENTS = (
    KNNClassifier,
    KNNRegressor,
    LocallyWeightedClassifier,
    LocallyWeightedRegressor,
    IB1,
    IB2,
    IB3,
    IB4,
    PEBLS,
)

Explanation: TypeAlias = Precedents | Contributions


@dataclass(frozen=True)
class _Found:
    """What a learner says of one new case: see `Answer`."""

    prediction: Any
    probabilities: dict[str, float] | None = None
    explanation: Explanation | None = None
    interval: tuple[float, float] | None = None
    slopes: dict[str, float] | None = None


@dataclass(frozen=True)
class Answer:
    """What is predicted for one new case.

    ``probabilities`` are by class, likeliest first (none for a regression); ``actual`` is what the file
    says, if it does; ``records`` are those of the precedents and of the unlike case, by id, where cases have some.
    ``interval`` is where a number lies, and ``slopes`` how it changes with each attribute, for learners that know.
    """

    line: int
    prediction: str | float
    probabilities: dict[str, float] | None
    actual: str | float | None
    explanation: Explanation | None = None
    records: dict[int, Record] = field(default_factory=dict)
    interval: tuple[float, float] | None = None
    slopes: dict[str, float] | None = None


def answers(problem: Problem, fitted: Fitted, notices: Notices, *, explained: bool) -> Iterator[Answer]:
    """One answer for each new case, with what speaks for it if that is asked for; warnings become notices."""
    lookup = records(fitted.estimator) if explained else None
    for block in _blocks(problem):
        with noticed(notices, problem.lines[block]):
            found = list(_found(fitted, problem.query.take(block), explained=explained))
        for i, one in enumerate(found, start=block.start):
            yield Answer(
                line=problem.lines[i],
                prediction=one.prediction,
                probabilities=one.probabilities,
                actual=None if problem.actual is None else problem.actual[i],
                explanation=one.explanation,
                records=_records(lookup, one.prediction, one.explanation),
                interval=one.interval,
                slopes=one.slopes,
            )


def _found(fitted: Fitted, cases: NamedColumns, *, explained: bool) -> Iterator[_Found]:
    estimator = fitted.estimator
    ask = _explained if explained else _predicted
    if not isinstance(estimator, LocallyWeightedRegressor):
        yield from ask(estimator, cases)
        return
    ends = estimator.prediction_interval(cases, fitted.settings["level"])
    intervals = zip(*(end.tolist() for end in ends), strict=True)
    slopes = _slopes(estimator, cases) if explained else [None] * len(cases)
    for one, interval, slope in zip(ask(estimator, cases), intervals, slopes, strict=True):
        yield replace(one, interval=interval, slopes=slope)


def _slopes(estimator: LocallyWeightedRegressor, cases: NamedColumns) -> Sequence[dict[str, float] | None]:
    """How each local fit changes from its new case on; None for all where fits are flat."""
    if estimator.degree == 0:
        return [None] * len(cases)
    found = estimator.coefficients(cases)
    return [dict(zip(found.labels, row, strict=True)) for row in found.slopes.tolist()]


def _predicted(estimator: Estimator, cases: NamedColumns) -> Iterator[_Found]:
    predictions = estimator.predict(cases).tolist()
    if isinstance(estimator, KNNRegressor | LocallyWeightedRegressor | RBFNetworkRegressor):
        yield from map(_Found, predictions)
        return
    for prediction, row in zip(predictions, np.asarray(estimator.predict_proba(cases)), strict=True):
        yield _Found(prediction, _by_class(estimator.classes_, row))


def _explained(estimator: Estimator, cases: NamedColumns) -> Iterator[_Found]:
    if isinstance(estimator, _WITH_PRECEDENTS):
        for one in estimator.precedents(cases):
            shares = None if one.probabilities is None else _by_class(one.classes, one.probabilities[0])
            yield _Found(one.predictions.tolist()[0], shares, one)
    elif isinstance(estimator, NaiveBayes | SubsetAveragedBayes):
        for part, row in zip(estimator.contributions(cases), estimator.predict_proba(cases), strict=True):
            yield _Found(part.predicted.tolist()[0], _by_class(estimator.classes_, row), part)


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
