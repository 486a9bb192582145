"""Learners measured one by one on the same splits, as long as the time allows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter

import numpy as np

from priorcase._typing import IntArray
from priorcase.evaluation.compare import compare
from priorcase.evaluation.running import Cell
from priorcase.evaluation.scoring import Task
from priorcase.evaluation.splits import Folds, Split
from priorcase.reporting.contenders import BASELINE, Contender
from priorcase.reporting.problem import Problem
from priorcase.reporting.words import seconds

__all__ = ["Field", "deal", "pilot", "sample_rows", "task_of"]

_PILOTS = (24, 60, 120, 240)
_TELLING = 0.01  # seconds: shorter pilots tell nothing of how the time grows
_LONG = 1.5  # a pilot that is expected to take longer is not begun
_RISK = 0.4  # how much of the time that is left one split may be expected to take


@dataclass
class Field:
    """What has been measured so far on one table.

    Parameters
    ----------
    problem
        The table.
    splits
        The rows to learn from and to ask about, the same for all learners.
    seed, n_jobs
        As in `compare`.
    """

    problem: Problem
    splits: list[Split]
    seed: int
    n_jobs: int | None
    cells: list[Cell] = field(default_factory=list)
    costs: dict[str, float] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)

    def enter(self, contender: Contender, expected: float, left: Callable[[], float]) -> None:
        """Measure one learner on all splits, or note why there was no time for that; guessing is always measured."""
        first, rest = self.splits[:1], self.splits[1:]
        if contender.name != BASELINE and expected / len(self.splits) > _RISK * left():
            self._dismiss(contender, expected, left())
            return
        start = perf_counter()
        cells = self.run([contender], first)
        pace = perf_counter() - start
        if contender.name != BASELINE and pace * len(rest) > left() and not cells[0].failure:
            self._dismiss(contender, pace * len(self.splits), left() + pace)
            return
        if cells[0].failure:
            self.left_out[contender.name] = f"failed: {cells[0].failure}"
            return
        cells += self.run([contender], rest)
        self.cells += cells
        self.costs[contender.name] = perf_counter() - start

    def again(self, contenders: Sequence[Contender], splits: list[Split]) -> None:
        """Measure those that were measured before on more splits."""
        self.cells += self.run([one for one in contenders if one.name in self.costs], splits)

    def run(self, contenders: Sequence[Contender], splits: list[Split]) -> list[Cell]:
        """What comes of some learners on some splits."""
        if not splits:
            return []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a far query or a slow fit is no news in a comparison
            found = compare(
                {one.name: one.learner for one in contenders},
                self.problem.X,
                self.problem.y,
                splits=[(split.train, split.test) for split in splits],
                random_state=self.seed,
                n_jobs=self.n_jobs,
                keep_answers=True,
                progress=False,
            )
        if not found.complete:
            raise KeyboardInterrupt
        return [
            replace(cell, repeat=splits[cell.split].repeat, split=splits[cell.split].number) for cell in found.cells
        ]

    def _dismiss(self, contender: Contender, needed: float, left: float) -> None:
        spare = f"the budget left {seconds(max(left, 0.0))}"
        self.left_out[contender.name] = f"not measured: it would have taken about {seconds(needed)}, and {spare}"


def task_of(problem: Problem) -> Task:
    """The targets as `priorcase.evaluation` has them."""
    if problem.classes:
        return Task("classes", problem.y, np.unique(problem.y))
    return Task("numbers", problem.y, np.empty(0))


def deal(problem: Problem, parts: int, *, seed: int, repeat: int) -> list[Split]:
    """The rows dealt into parts, each predicted from the others; classes spread evenly."""
    return list(Folds(parts).deal(task_of(problem), seed=seed, repeat=repeat))


def sample_rows(problem: Problem, size: int, *, seed: int) -> IntArray:
    """Positions of a random sample of the rows, ascending, each class with its share; all rows where there are few."""
    if size >= len(problem):
        return np.arange(len(problem))
    parts = max(round(len(problem) / size), 1)
    if not problem.classes or parts < 2:
        return np.sort(np.random.default_rng(seed).choice(len(problem), size, replace=False))
    return deal(problem, parts, seed=seed, repeat=0)[0].test


def pilot(contender: Contender, problem: Problem, parts: int, *, seed: int) -> float:
    """About how long a learner will take for all splits of a table, judged by small parts of it.

    From the time of 240 rows, or of fewer where those take long already: in proportion, or as it grew between the last
    two pilots where that is faster (rows may bring new values, and each of them a coefficient). What does not grow with
    the rows is taken for growing too: the first split puts that right.
    """
    taken, size, growth = 0.0, 1, 1.0
    for rows in _PILOTS:
        if taken * (rows / size) ** growth > _LONG:
            break
        shorter, fewer = taken, size
        size = min(rows, len(problem))
        small = problem.taken(sample_rows(problem, size, seed=seed))
        field = Field(small, deal(small, 4, seed=seed, repeat=0)[:1], seed, None)
        start = perf_counter()
        field.run([contender], field.splits)
        taken = perf_counter() - start
        if shorter > _TELLING and size > fewer:
            growth = float(np.clip(np.log(taken / shorter) / np.log(size / fewer), 1.0, 3.0))
        if size == len(problem):
            break
    return float(parts * taken * (len(problem) / size) ** growth)
