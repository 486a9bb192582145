"""Scores of models by cross-validation on the same folds, and after training on a tenth of the rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.models.contenders import Contender, log_probabilities
from benchmarks.models.problems import Problem
from papers.reproduction import Track, silently

CAP = 100.0


@dataclass(frozen=True)
class Score:
    """Mean log-probability of the true class, and accuracy."""

    log: float
    zero_one: float


def cross_validated(
    problem: Problem, contenders: Mapping[str, Contender], *, runs: int, folds: int, track: Track = silently
) -> dict[str, Score]:
    """Return the scores of each model, with the same folds for all."""
    found = {}
    for name, make in track(list(contenders.items()), f"{problem.name}: {runs} x {folds}-fold cross-validation"):
        gains, hits = [], []
        for train, test in problem.folds(runs, folds):
            logs = log_probabilities(make(problem), problem, train, test)
            gains.append(gains_of(logs, problem, test))
            hits.append(logs.argmax(axis=1) == problem.truth(test))
        found[name] = Score(float(np.concatenate(gains).mean()), float(np.concatenate(hits).mean()))
    return found


@dataclass(frozen=True, eq=False)
class FromATenth:
    """Scores of a model fitted to a tenth of the rows and tested on the rest, with one entry per draw."""

    logs: Any
    """Mean log-probability of the true class."""
    capped: Any
    """Mean log-probability of the true class, with each row counting at most 100 nats."""
    hits: Any
    """Accuracy."""
    impossible: Any
    """Share of the rows whose true class had probability 0."""


def from_a_tenth(
    problem: Problem, contenders: Mapping[str, Contender], *, times: int, track: Track = silently
) -> dict[str, FromATenth]:
    """Return the scores of each model, trained on the same tenths. All models know the full set of classes."""
    found: dict[str, list[tuple[float, ...]]] = {name: [] for name in contenders}
    draws = list(problem.tenths(times))
    for train, test in track(draws, f"{problem.name}: {times} times a tenth of the rows"):
        for name, make in contenders.items():
            logs = log_probabilities(make(problem), problem, train, test, told=True)
            gains, hits = gains_of(logs, problem, test), logs.argmax(axis=1) == problem.truth(test)
            found[name].append((gains.mean(), np.maximum(gains, -CAP).mean(), hits.mean(), np.isneginf(gains).mean()))
    return {name: FromATenth(*np.array(scores).T) for name, scores in found.items()}


def gains_of(logs: Any, problem: Problem, test: Any) -> Any:
    """Return the log-probability of the true class of each row."""
    return logs[np.arange(len(test)), problem.truth(test)]
