"""Rows whose target may be wrong: the learners disagree with it, and are sure of that."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from priorcase.concepts import PEBLS
from priorcase.reporting.left_out import LeftOut
from priorcase.reporting.problem import Problem
from priorcase.reporting.words import plain, value

__all__ = ["Suspect", "Suspects", "find_suspects"]

_SHOWN = 8
_UNLIKELY = 0.1
_SURE = 0.5  # of many classes most are unlikely, without anybody being sure of another
_FAR = 3.5
_MAD = 1.4826  # what makes the median deviation of normal numbers their standard deviation
_UNRELIABLE = 200


@dataclass(frozen=True)
class Suspect:
    """A row whose target may be wrong.

    Parameters
    ----------
    row
        Its position in the table.
    noted, expected
        Its target, and what was predicted without it.
    probability
        The probability of the noted class; for numbers how many usual errors the prediction is off.
    against
        How many of the other learners disagree as well; None for numbers.
    used, correct
        As a precedent of others (PEBLS): how often it was asked, and how often it was right; None unless its record is
        among the worst.
    """

    row: int
    noted: str
    expected: str
    probability: float
    against: int | None = None
    used: int | None = None
    correct: int | None = None


@dataclass(frozen=True)
class Suspects:
    """Rows whose target may be wrong.

    Parameters
    ----------
    rows
        The most suspicious ones, the worst first.
    found, by_chance
        How many rows are as unlikely as ``limit`` while another class has a probability of a half or more, and how many
        would be by chance alone if the probabilities are right; ``by_chance`` is None for numbers.
    limit
        The probability, or the number of usual errors, from which on a row is listed.
    asked
        How many other learners were asked.
    of
        How many rows were looked at.
    """

    rows: tuple[Suspect, ...]
    found: int
    by_chance: float | None
    limit: float
    asked: int
    of: int


def find_suspects(problem: Problem, answers: LeftOut, *, records: bool) -> Suspects:
    """The rows that disagree most with what was predicted without them.

    Parameters
    ----------
    problem, answers
        The table, and what the chosen learner said about each row.
    records
        Whether there is time to let PEBLS keep a record of every row.
    """
    if not problem.classes:
        return _far_off(answers)
    given = answers.of_truth
    sure = answers.proba.max(axis=1) >= _SURE
    unlikely = np.flatnonzero(sure & (given <= _UNLIKELY))
    by_chance = float(answers.proba[sure[:, np.newaxis] & (answers.proba <= _UNLIKELY)].sum())
    worst = _records(problem) if records else {}
    order = unlikely[np.lexsort((-answers.against[unlikely], given[unlikely].round(3)))]
    rows = []
    for at in order[:_SHOWN].tolist():
        row = int(answers.rows[at])
        used, correct = worst.get(row, (None, None))
        noted, expected = value(answers.truth[at]), value(answers.predicted[at])
        rows.append(Suspect(row, noted, expected, float(given[at]), int(answers.against[at]), used, correct))
    return Suspects(tuple(rows), unlikely.size, by_chance, _UNLIKELY, answers.asked, answers.truth.size)


def _far_off(answers: LeftOut) -> Suspects:
    """Numbers that are off by many usual errors."""
    errors = answers.truth - answers.predicted
    usual = _MAD * float(np.median(np.abs(errors - np.median(errors))))
    if usual == 0:
        return Suspects((), 0, None, _FAR, 0, errors.size)
    off = np.abs(errors) / usual
    far = np.flatnonzero(off >= _FAR)
    rows = []
    for at in far[np.argsort(-off[far], kind="stable")][:_SHOWN].tolist():
        noted, expected = value(float(answers.truth[at])), plain(float(answers.predicted[at]), 4)
        rows.append(Suspect(int(answers.rows[at]), noted, expected, float(off[at])))
    return Suspects(tuple(rows), far.size, None, _FAR, 0, errors.size)


def _records(problem: Problem) -> dict[int, tuple[int, int]]:
    """How often each of the least reliable rows was used and right, by position."""
    worst = PEBLS().fit(problem.X, problem.y).suspects(min(_UNRELIABLE, len(problem)))
    kept = zip(worst.ids.tolist(), worst.used.tolist(), worst.correct.tolist(), strict=True)
    return {row: (int(used) - 1, int(correct) - 1) for row, used, correct in kept if used - correct > 1}
