"""Scores of contenders over the same folds, and of two rules from a tenth of the rows."""

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
    """Mean ``ln p`` of the truth, and the accuracy."""

    log: float
    zero_one: float


def cross_validated(
    problem: Problem, contenders: Mapping[str, Contender], *, runs: int, folds: int, track: Track = silently
) -> dict[str, Score]:
    """The scores of each contender, over the same folds."""
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
    """Predictions of models fitted to a tenth of the rows for the others: an entry for each draw of the tenth."""

    logs: Any
    """Mean ``ln p`` of the truth."""
    capped: Any
    """The same with no row counting for more than 100 nats."""
    hits: Any
    """Accuracy."""
    impossible: Any
    """Part of the rows whose truth had probability 0."""


def from_a_tenth(
    problem: Problem, contenders: Mapping[str, Contender], *, times: int, track: Track = silently
) -> dict[str, FromATenth]:
    """The scores of each contender, from the same tenths. All are told of all classes, which a tenth may lack."""
    found: dict[str, list[tuple[float, ...]]] = {name: [] for name in contenders}
    draws = list(problem.tenths(times))
    for train, test in track(draws, f"{problem.name}: {times} times a tenth of the rows"):
        for name, make in contenders.items():
            logs = log_probabilities(make(problem), problem, train, test, told=True)
            gains, hits = gains_of(logs, problem, test), logs.argmax(axis=1) == problem.truth(test)
            found[name].append((gains.mean(), np.maximum(gains, -CAP).mean(), hits.mean(), np.isneginf(gains).mean()))
    return {name: FromATenth(*np.array(scores).T) for name, scores in found.items()}


def gains_of(logs: Any, problem: Problem, test: Any) -> Any:
    """``ln p`` of the truth in each row."""
    return logs[np.arange(len(test)), problem.truth(test)]
