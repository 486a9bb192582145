"""Kontkanen et al. 1997, section 4.1: how good predictions are after one row, two rows, and so on."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.papers.data import DiscreteTable
from priorcase.papers.kontkanen1997_counts import RULES, GrowingCounts
from priorcase.papers.kontkanen1997_table import read_discrete
from priorcase.papers.options import Options
from priorcase.papers.protocols import Measured

__all__ = ["REPETITIONS", "Curves", "measured", "one_repetition"]

REPETITIONS, FEW = 100, 3
RESERVOIR = 0.7

Score = Literal["log", "zero_one"]
SCORES: tuple[Score, ...] = ("log", "zero_one")


@dataclass(frozen=True, eq=False)
class Curves:
    """The scores of the three rules on the test rows after each training row, in each repetition.

    Parameters
    ----------
    name
        The data set.
    classes
        How many it has.
    scores
        Shape (repetitions, training rows, rules, scores): mean ``ln p``, and the part of right answers.
    ruled_out
        The part of the test rows whose class maximum likelihood calls impossible: (repetitions, training rows).
    """

    name: str
    classes: int
    scores: FloatArray
    ruled_out: FloatArray

    @property
    def sizes(self) -> IntArray:
        """The numbers of training rows: 1, 2, and so on."""
        return np.arange(1, self.scores.shape[1] + 1)

    def of(self, rule: str, score: Score = "log") -> FloatArray:
        """The scores of a rule, shape (repetitions, training rows)."""
        values: FloatArray = self.scores[:, :, RULES.index(rule), SCORES.index(score)]
        return values

    def at(self, size: int, rule: str, score: Score = "log") -> Measured:
        """The scores of a rule after so many training rows."""
        return Measured(self.of(rule, score)[:, size - 1])

    def ladder(self) -> list[int]:
        """Some sizes to print, up to all training rows."""
        return [*(size for size in (1, 2, 5, 10, 20, 40, 80, 160, 320) if size < self.sizes[-1]), int(self.sizes[-1])]


def measured(name: str, options: Options) -> Curves:
    """The curves of one data set."""
    table = read_discrete(name, options.data)
    count = options.count(REPETITIONS, FEW)
    text = f"{name}, row by row: {count} repetitions"
    found = options.each(partial(one_repetition, table=table, seed=options.seed), range(count), text)
    scores, ruled_out = (np.array(each) for each in zip(*found, strict=True))
    return Curves(name, len(table.classes), scores, ruled_out)


def one_repetition(repetition: int, *, table: DiscreteTable, seed: int) -> tuple[FloatArray, FloatArray]:
    """Scores on 30 % of the rows after each of the others, which come in random order; and what is ruled out."""
    stream = np.random.default_rng([seed, zlib.crc32(table.name.encode()), repetition])
    order = stream.permutation(len(table))
    train, test = np.split(order, [round(RESERVOIR * len(table))])
    scores, ruled_out = zip(*_steps(table, train, test), strict=True)
    return np.array(scores), np.array(ruled_out)


def _steps(table: DiscreteTable, train: IntArray, test: IntArray) -> Iterator[tuple[FloatArray, float]]:
    counts, truth = GrowingCounts(table, test), table.truth[test]
    rows = np.arange(test.size)
    for row in train.tolist():
        counts.learn(row)
        logs = counts.log_probabilities()
        told = logs[rows, truth]
        best = logs.max(axis=1)
        right = (told == best) / (logs == best[:, None]).sum(axis=1)  # of classes that tie each is guessed as often
        yield np.stack([told.mean(axis=0), right.mean(axis=0)], axis=1), counts.ruled_out()
