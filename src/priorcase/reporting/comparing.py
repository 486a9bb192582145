"""Which learners were compared on which rows, and how they did, within a share of the budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from priorcase._typing import IntArray
from priorcase.evaluation.comparison import Comparison
from priorcase.evaluation.scoring import read_scores
from priorcase.exceptions import EvaluationError
from priorcase.reporting.budget import Budget
from priorcase.reporting.contenders import BASELINE, Contender
from priorcase.reporting.measuring import Field, deal, pilot, sample_rows
from priorcase.reporting.problem import Problem
from priorcase.reporting.words import count

__all__ = ["Compared", "Standing", "compare_learners"]

_MANY, _LARGE, _SAMPLE = 2000, 8000, 2000
_PARTS, _PARTS_OF_MANY = 10, 5
_REPEATS = 2
_SHARE, _SHARE_OF_SAMPLE, _SHARE_OF_REPEATS = 0.6, 0.3, 0.25
_GROWTH = 0.7  # part of the time does not grow with the rows


@dataclass(frozen=True)
class Standing:
    """How one learner did.

    Parameters
    ----------
    name, words
        What the report calls it, and what it does.
    scores
        The mean of each score and its standard error, by the score's name; NaN where there is none.
    seconds
        How long it took for all splits.
    reason
        Why there is no score; empty where there is one.
    """

    name: str
    words: str
    scores: dict[str, tuple[float, float]]
    seconds: float
    reason: str = ""


@dataclass(frozen=True, eq=False)
class Compared:
    """How some learners did on the same splits of the same rows.

    Parameters
    ----------
    protocol
        How rows were dealt out, in words.
    rows
        Positions of the rows that took part.
    of
        How many rows the table has.
    standings
        The learners, the best first, then those without a score.
    result
        The values on every split.
    """

    protocol: str
    rows: IntArray
    of: int
    standings: tuple[Standing, ...]
    result: Comparison

    @property
    def on_sample(self) -> bool:
        """Whether not all rows took part."""
        return self.rows.size < self.of


def compare_learners(
    problem: Problem,
    contenders: Sequence[Contender],
    budget: Budget,
    *,
    seed: int,
    n_jobs: int | None,
    say: Callable[[str], None],
) -> list[Compared]:
    """The learners on all rows where these are few; else on a sample first, and then on all rows as time allows.

    The last of the results is the one to go by.
    """
    if len(problem) <= _LARGE:
        return [_on_all(problem, contenders, budget, seed=seed, n_jobs=n_jobs, say=say)]
    rows = sample_rows(problem, _SAMPLE, seed=seed)
    small = _field(problem.taken(rows), _PARTS_OF_MANY, seed, n_jobs)
    _first_round(small, contenders, lambda: budget.until(_SHARE_OF_SAMPLE), say)
    sample = _settled(small, contenders, rows, len(problem), 1)
    order = [one.name for one in sample.standings if not one.reason]
    promising = sorted((one for one in contenders if one.name in order), key=lambda one: order.index(one.name))
    promising.sort(key=lambda one: one.name != BASELINE)
    whole = _field(problem, _PARTS_OF_MANY, seed, n_jobs)
    for contender in promising:
        say(contender.name)
        expected = small.costs[contender.name] * (len(problem) / rows.size) ** _GROWTH
        whole.enter(contender, expected, lambda: budget.until(_SHARE))
    if len(whole.costs) < 2:  # only guessing came to an end: the sample is what there is to go by
        return [sample]
    return [sample, _settled(whole, promising, np.arange(len(problem)), len(problem), 1)]


def _on_all(
    problem: Problem,
    contenders: Sequence[Contender],
    budget: Budget,
    *,
    seed: int,
    n_jobs: int | None,
    say: Callable[[str], None],
) -> Compared:
    """All learners on all rows, dealt out several times as long as the time allows."""
    parts = _PARTS_OF_MANY if len(problem) > _MANY else min(_PARTS, len(problem) // 2)
    field = _field(problem, parts, seed, n_jobs)
    _first_round(field, contenders, lambda: budget.until(_SHARE), say)
    repeats = 1
    while repeats < _REPEATS and sum(field.costs.values()) < budget.until(_SHARE_OF_REPEATS):
        say(f"repetition {repeats + 1}")
        field.again(contenders, deal(problem, len(field.splits), seed=seed, repeat=repeats))
        repeats += 1
    return _settled(field, contenders, np.arange(len(problem)), len(problem), repeats)


def _field(problem: Problem, parts: int, seed: int, n_jobs: int | None) -> Field:
    return Field(problem, deal(problem, parts, seed=seed, repeat=0), seed, n_jobs)


def _first_round(
    field: Field, contenders: Sequence[Contender], left: Callable[[], float], say: Callable[[str], None]
) -> None:
    """Each learner on each split once, the quickest first, so that the slow ones are those that are left out."""
    costs: dict[str, float] = {}
    allowed, columns = left() / 2, len(field.problem.X.kinds)
    for one in contenders:
        say(one.name)
        if one.widest is not None and columns > one.widest:
            field.left_out[one.name] = f"not measured: {columns:,} columns are too many for it"
        elif one.name != BASELINE and left() < allowed:
            field.left_out[one.name] = "not measured: there was no time to try it"
        else:
            known = one.name == BASELINE
            costs[one.name] = 0.0 if known else pilot(one, field.problem, len(field.splits), seed=field.seed)
    for one in sorted((one for one in contenders if one.name in costs), key=lambda one: costs[one.name]):
        say(one.name)
        field.enter(one, costs[one.name], left)


def _settled(field: Field, contenders: Sequence[Contender], rows: IntArray, of: int, repeats: int) -> Compared:
    names = [one.name for one in contenders if one.name in field.costs]
    if not names:
        reasons = "; ".join(f"{name} {why}" for name, why in field.left_out.items())
        raise EvaluationError(f"no learner could be measured: {reasons.rstrip('.')}. Give it more time, or fewer rows.")
    scores = read_scores(None, "classes" if field.problem.classes else "numbers")
    parts = len(field.splits)
    again = "" if repeats == 1 else f", {repeats} times over"
    protocol = f"{count(rows.size, 'row')} dealt into {parts} parts, each predicted from the others{again}"
    result = Comparison(tuple(names), scores, tuple(field.cells), protocol, rows.size, repeats)
    by = "log_score" if field.problem.classes else "rmse"
    standings = [_standing(one, field, result) for one in contenders]
    sign = -1.0 if field.problem.classes else 1.0
    standings.sort(key=lambda one: (one.reason != "", sign * one.scores[by][0] if not one.reason else 0.0))
    return Compared(protocol, rows, of, tuple(standings), result)


def _standing(contender: Contender, field: Field, result: Comparison) -> Standing:
    name = contender.name
    if name not in field.costs:
        return Standing(name, contender.words, {}, float("nan"), field.left_out.get(name, "not measured"))
    spent = sum(cell.fit_seconds + cell.predict_seconds for cell in result.cells if cell.learner == name)
    scores = {
        each.name: (result.mean(name, each.name), result.standard_error(name, each.name)) for each in result.scores
    }
    return Standing(name, contender.words, scores, spent, result.failures.get(name, ""))
