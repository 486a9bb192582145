"""How the papers measured: repeated cross-validation on parts of the training rows, and leaving one out."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.evaluation import log_score, zero_one_score
from priorcase.papers.data import DiscreteTable


class Rule(Protocol):
    """A way to predict classes from rows with known classes."""

    def split(self, table: DiscreteTable, train: IntArray, test: IntArray) -> FloatArray:
        """Log-probabilities of all classes for the ``test`` rows, learned from the ``train`` rows."""
        ...

    def leave_one_out(self, table: DiscreteTable) -> FloatArray:
        """Log-probabilities of all classes for each row, learned from the others."""
        ...


@dataclass(frozen=True, eq=False)
class Measured:
    """A figure measured several times: its mean, and how far the mean may be off by chance."""

    runs: FloatArray

    @property
    def mean(self) -> float:
        """The mean of the runs."""
        return float(self.runs.mean())

    @property
    def standard_error(self) -> float:
        """Standard deviation of the mean; NaN for a single run."""
        return float(self.runs.std(ddof=1) / np.sqrt(self.runs.size)) if self.runs.size > 1 else float("nan")


@dataclass(frozen=True)
class Scores:
    """0/1-score, from 0 to 1, and log-score, ``mean ln p``, of one rule."""

    zero_one: Measured
    log: Measured


def cross_validate(
    table: DiscreteTable, rules: Mapping[str, Rule], *, folds: int, runs: int, share: float = 1.0, seed: int = 0
) -> dict[str, Scores]:
    """Scores of some rules over repeated cross-validation with random folds, the same for all rules.

    Parameters
    ----------
    table
        The data set.
    rules
        What to compare, by name.
    folds
        How many parts of nearly equal size each run has.
    runs
        How many times the rows are dealt out.
    share
        The part of the training rows to learn from, drawn anew in each fold: ``floor(share * n)`` of n.
    seed
        Start of the random numbers. Each data set and share has its own stream, whatever else is measured.
    """
    stream = np.random.default_rng([seed, zlib.crc32(table.name.encode()), round(share * 1_000_000)])
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in rules}
    for _ in range(runs):
        logs = {name: np.empty((len(table), len(table.classes))) for name in rules}
        for train, test in deal(len(table), folds, share, stream):
            for name, rule in rules.items():
                logs[name][test] = rule.split(table, train, test)
        for name in rules:
            found[name].append(_scores(table, logs[name]))
    return {
        name: Scores(*(Measured(np.array(each)) for each in zip(*pairs, strict=True))) for name, pairs in found.items()
    }


def leave_one_out(table: DiscreteTable, rules: Mapping[str, Rule]) -> dict[str, Scores]:
    """Scores of some rules where each row is predicted from all others."""
    found = {name: _scores(table, rule.leave_one_out(table)) for name, rule in rules.items()}
    return {name: Scores(*(Measured(np.array([each])) for each in pair)) for name, pair in found.items()}


def deal(rows: int, folds: int, share: float, stream: np.random.Generator) -> Iterator[tuple[IntArray, IntArray]]:
    """Training and test rows of each fold of one run.

    Examples
    --------
    >>> for train, test in deal(5, 2, 1.0, np.random.default_rng(0)):
    ...     print(train, test)
    [0 1] [2 4 3]
    [2 3 4] [0 1]
    """
    order = stream.permutation(rows)
    for test in np.array_split(order, folds):
        train = np.setdiff1d(order, test)
        if share < 1:
            train = np.sort(stream.choice(train, int(share * train.size + 1e-9), replace=False))
        yield train, test


def _scores(table: DiscreteTable, logs: FloatArray) -> tuple[float, float]:
    labels = range(len(table.classes))
    hits = zero_one_score(table.truth, np.exp(logs), labels=labels, ties="expected")
    return hits, log_score(table.truth, logs, labels=labels, logs=True)
