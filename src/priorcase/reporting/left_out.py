"""What the chosen learner says about each row when it has not seen it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.reporting.comparing import Compared
from priorcase.reporting.contenders import BASELINE
from priorcase.reporting.problem import Problem

__all__ = ["LeftOut", "left_out"]


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Answers about rows by fits without them, the mean over the repetitions.

    Parameters
    ----------
    rows
        Positions of the rows in the table.
    labels
        The classes; empty for numbers.
    proba
        Probability of each class, shape (rows, classes); no columns for numbers.
    predicted, truth
        The predicted and the true class or number of each row.
    against
        How many other learners predict another class than the row has, each in its own way: guessing is not asked.
        Empty for numbers.
    asked
        How many other learners were asked.
    """

    rows: IntArray
    labels: AnyArray
    proba: FloatArray
    predicted: AnyArray
    truth: AnyArray
    against: IntArray
    asked: int

    @property
    def of_truth(self) -> FloatArray:
        """The probability that was given to what came true."""
        return self.proba[np.arange(len(self.truth)), np.searchsorted(self.labels, self.truth)]


def left_out(compared: Compared, problem: Problem, chosen: str) -> LeftOut:
    """What a learner said about each row, and how many others would give the row another class."""
    truth = problem.y[compared.rows]
    labels = np.unique(problem.y) if problem.classes else np.empty(0)
    proba = np.zeros((truth.size, labels.size))
    numbers, times = np.zeros(truth.size), np.zeros(truth.size)
    for cell in compared.result.answers(chosen):
        if cell.rows is None or cell.answers is None:
            continue
        times[cell.rows] += 1
        if cell.answers.proba is not None:
            at = np.searchsorted(labels, cell.answers.labels)
            proba[np.ix_(cell.rows, at)] += cell.answers.proba
        if not problem.classes and cell.answers.predicted is not None:
            numbers[cell.rows] += cell.answers.predicted
    if not problem.classes:
        nobody = np.empty(0, dtype=np.int64)
        return LeftOut(compared.rows, labels, proba, numbers / times, truth, nobody, 0)
    proba /= times[:, np.newaxis]
    against, asked = _against(compared, truth, chosen)
    return LeftOut(compared.rows, labels, proba, labels[proba.argmax(axis=1)], truth, against, asked)


def _against(compared: Compared, truth: AnyArray, chosen: str) -> tuple[IntArray, int]:
    """How many other learners predict another class, by the first repetition."""
    against, asked = np.zeros(truth.size, dtype=np.int64), 0
    for name in compared.result.learners:
        cells = [cell for cell in compared.result.answers(name) if cell.repeat == 0]
        if name in (chosen, BASELINE) or not cells:
            continue
        asked += 1
        for cell in cells:
            if cell.rows is not None and cell.answers is not None and cell.answers.predicted is not None:
                against[cell.rows] += cell.answers.predicted != cell.answers.truth
    return against, asked
