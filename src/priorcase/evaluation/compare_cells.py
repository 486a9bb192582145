"""One learner on one split: what is learned, asked and scored, with the time it took or why it failed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

import numpy as np

from priorcase._typing import IntArray
from priorcase.evaluation.answers import Answers, Task, ask, joined, replaced
from priorcase.evaluation.closed_form import left_out_at_once
from priorcase.evaluation.prequential_answers import one_after_another
from priorcase.evaluation.running import Died, fitted, seed_of
from priorcase.evaluation.scoring import Score, needs_of, reason_of, score_all
from priorcase.evaluation.splits import Split


@dataclass(frozen=True, eq=False)
class Cell:
    """What came of one learner on one split.

    Parameters
    ----------
    learner, repeat, split
        Which learner, in which repetition, on which split of it.
    train, test
        How many rows it learned from, and about how many it was asked.
    values, reasons
        Each score, NaN where there is none, and why there is none.
    fit_seconds, predict_seconds
        How long it took to learn and to answer.
    failure
        Why there is nothing at all: class and first line of the error; empty otherwise.
    rows, answers
        The positions of the test rows and what was said about them, where that is kept.
    """

    learner: str
    repeat: int
    split: int
    train: int
    test: int
    values: Mapping[str, float]
    reasons: Mapping[str, str] = field(default_factory=dict)
    fit_seconds: float = float("nan")
    predict_seconds: float = float("nan")
    failure: str = ""
    rows: IntArray | None = None
    answers: Answers | None = None


def first_failures(cells: Iterable[Cell]) -> dict[str, str]:
    """Why a learner failed, by its name: the first reason where there are several."""
    found: dict[str, str] = {}
    for cell in cells:
        if cell.failure:
            found.setdefault(cell.learner, cell.failure)
    return found


@dataclass(frozen=True, eq=False)
class Part:
    """What one learner said about some rows, each asked about alone; no answers where it failed.

    Parameters
    ----------
    rows, answers, fit_seconds, predict_seconds, failure
        As in `Cell`.
    at_once
        Whether one fit was enough.
    """

    rows: IntArray
    answers: Answers | None
    fit_seconds: float
    predict_seconds: float
    failure: str = ""
    at_once: bool = False

    @property
    def unsettled(self) -> bool:
        """Whether there are no answers though nothing failed: they must be asked of a fit for each row."""
        return self.answers is None and not self.failure


@dataclass(frozen=True, eq=False)
class Trial:
    """One learner and what it is tried on.

    Parameters
    ----------
    name, learner
        The learner, not fitted.
    X, task
        The table and its targets.
    scores
        How answers are scored.
    seed
        Where everything random comes from.
    """

    name: str
    learner: Any
    X: Any
    task: Task
    scores: Sequence[Score]
    seed: int

    def failing(self, error: Exception) -> Trial:
        """The same with a learner that fails by an error."""
        return replace(self, learner=Died(error))

    def on_split(self, split: Split, keep: bool) -> Cell:
        """Learn the training rows, answer the test rows, and score the answers."""
        place = (self.name, split.repeat, split.number, split.train.size, split.test.size)
        try:
            seed = seed_of(self.seed, split.repeat, split.number)
            model, fit_seconds = fitted(self.learner, self.X, self.task.truth, split.train, seed)
            start = perf_counter()
            answers = ask(model, self.X, split.test, self.task, needs_of(self.scores, kept=keep))
            predict_seconds = perf_counter() - start
        except Exception as error:  # whatever a learner fails by is a line of the table, not the end of the run
            return Cell(*place, self._nothing(), failure=reason_of(error))
        values, reasons = score_all(self.scores, answers)
        kept = (split.test, answers.alone()) if keep else (None, None)
        return Cell(*place, values, reasons, fit_seconds, predict_seconds, "", *kept)

    def without_each(self) -> Part:
        """Every row answered without itself, in closed form or by one search."""
        return replace(self._part(np.arange(len(self.task)), self._at_once), at_once=True)

    def without(self, rows: IntArray) -> Part:
        """Some rows, each answered by a fit without it."""
        return self._part(rows, lambda: self._refits(rows))

    def in_order(self, start: int) -> Part:
        """Each row from ``start`` on answered by those before it."""
        rows = np.arange(start, len(self.task))
        return self._part(rows, lambda: one_after_another(self.learner, self.X, self.task, start, self.seed))

    def scored(self, parts: Sequence[Part], train: int) -> Cell:
        """All rows together, as one cell."""
        rows = np.concatenate([part.rows for part in parts])
        place = (self.name, 0, 0, train, rows.size)
        failure = next((part.failure for part in parts if part.failure), "")
        if failure:
            return Cell(*place, self._nothing(), failure=failure)
        answers = joined([part.answers for part in parts if part.answers is not None])
        values, reasons = score_all(self.scores, answers)
        seconds = (sum(part.fit_seconds for part in parts), sum(part.predict_seconds for part in parts))
        return Cell(*place, values, reasons, *seconds, "", rows, answers)

    def _part(self, rows: IntArray, work: Callable[[], tuple[Answers | None, float, float]]) -> Part:
        try:
            return Part(rows, *work())
        except Exception as error:  # as above: the reason stands in the table
            return Part(rows, None, float("nan"), float("nan"), reason_of(error))

    def _at_once(self) -> tuple[Answers | None, float, float]:
        """Answers from one fit, but for rows alone in their class: that there is such a class only they have told."""
        answers, fit_seconds, predict_seconds = left_out_at_once(self.learner, self.X, self.task, self.seed)
        alone = self.task.alone
        if answers is None or not alone.size:
            return answers, fit_seconds, predict_seconds
        others, fits, predictions = self._refits(alone)
        return replaced(answers, alone, others), fit_seconds + fits, predict_seconds + predictions

    def _refits(self, rows: IntArray) -> tuple[Answers, float, float]:
        parts, fit_seconds, predict_seconds = [], 0.0, 0.0
        order = np.random.default_rng(self.seed).permutation(len(self.task))  # some learners go by it
        for row in rows.tolist():
            model, seconds = fitted(self.learner, self.X, self.task.truth, order[order != row], seed_of(self.seed, row))
            start = perf_counter()
            answers = ask(model, self.X, np.array([row]), self.task, {"predicted", "proba"})
            fit_seconds, predict_seconds = fit_seconds + seconds, predict_seconds + perf_counter() - start
            parts.append(answers)
        return joined(parts), fit_seconds, predict_seconds

    def _nothing(self) -> dict[str, float]:
        return {score.name: float("nan") for score in self.scores}
