"""What each column is worth: how much worse the answers get when it is hidden, and whether it matters at all."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone

from priorcase._typing import AnyArray, FloatArray
from priorcase.bayes import SubsetAveragedBayes
from priorcase.evaluation.scoring import Task, aligned
from priorcase.evaluation.splits import Split
from priorcase.neighbors import attribute_weights
from priorcase.reporting.hiding import shuffled
from priorcase.reporting.measuring import deal, task_of
from priorcase.reporting.problem import Problem

__all__ = ["ColumnWorth", "Worth", "measure_worth"]

_ASKED, _LEAST = 1000, 50
_DRAWS = 5
_COLUMNS = 100  # of more columns those are measured that matter most by themselves


@dataclass(frozen=True)
class ColumnWorth:
    """What a column is worth.

    Parameters
    ----------
    name
        The column.
    loss, error
        How much the score gets worse when the column is hidden from the chosen learner, with its standard error: the
        log-score of classes, the mean squared error of numbers as a share of their variance. To hide a column, its
        values are dealt to other rows, five times, and the answers averaged.
    right
        The change in the share of rows that are predicted right; None for numbers.
    matters
        The probability that the target depends on the column at all, by the average over all choices of columns; None
        for numbers, and for a column of numbers that nothing was found to cut at.
    weight
        Relief's weight relative to the largest; None for classes.
    """

    name: str
    loss: float
    error: float
    right: float | None
    matters: float | None
    weight: float | None


@dataclass(frozen=True)
class Worth:
    """What the columns are worth to the chosen learner.

    Parameters
    ----------
    columns
        The columns, the most valuable first.
    rows
        How many rows were asked about, none of which had been learned.
    """

    columns: tuple[ColumnWorth, ...]
    rows: int


def measure_worth(
    problem: Problem, learner: Any, parts: int, *, seed: int, allowed: float, say: Callable[[str], None]
) -> Worth:
    """Hide each column in turn from the chosen learner, on rows it has not learned.

    Parameters
    ----------
    problem, learner
        The table, and the learner, not fitted.
    parts
        Into how many parts the rows are dealt; as many are used as the time allows, at least one.
    seed
        Where the parts come from.
    allowed
        Seconds that this may take.
    say
        Called with what is being done.
    """
    start, task = perf_counter(), task_of(problem)
    losses: list[FloatArray] = []
    hits: list[FloatArray] = []
    matters, weights = _matters(problem), _weights(problem)
    likely = matters or weights
    names = sorted(problem.X.kinds, key=lambda name: -likely.get(name, 0.0))[:_COLUMNS]
    for number, split in enumerate(deal(problem, parts, seed=seed, repeat=0)):
        if number and (number + 1) / number * (perf_counter() - start) > allowed:
            break
        say("columns")
        spare = allowed - (perf_counter() - start)
        worse, wrong = _on_split(problem, learner, task, split, names, seed=seed, allowed=spare)
        losses.append(worse)
        hits.append(wrong)
    loss, hit = np.concatenate(losses, axis=1), np.concatenate(hits, axis=1)
    means, errors = loss.mean(axis=1), loss.std(axis=1, ddof=1) / np.sqrt(loss.shape[1])
    right = hit.mean(axis=1).tolist() if problem.classes else [None] * len(names)
    columns = [
        ColumnWorth(name, float(means[a]), float(errors[a]), right[a], matters.get(name), weights.get(name))
        for a, name in enumerate(names)
    ]
    return Worth(tuple(sorted(columns, key=lambda one: -one.loss)), loss.shape[1])


def _on_split(
    problem: Problem, learner: Any, task: Task, split: Split, names: Sequence[str], *, seed: int, allowed: float
) -> tuple[FloatArray, FloatArray]:
    """For each column and test row, how much is lost without it, and whether it is still right, less whether it was."""
    stream = np.random.default_rng([seed, split.number])
    asked = split.test[stream.permutation(split.test.size)[:_ASKED]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = clone(learner).fit(problem.X.take(split.train), problem.y[split.train])
        start = perf_counter()
        _answers(model, problem.X.take(asked), task)
        needed = (1 + _DRAWS * len(names)) * (perf_counter() - start)
        asked = asked[: max(_LEAST, int(asked.size * min(1.0, allowed / needed)))]
        here = problem.taken(asked)
        orders = [stream.permutation(asked.size) for _ in range(_DRAWS)]
        known = _scored(_answers(model, here.X, task), here.y, task)
        without = []
        for name in names:
            told = [_answers(model, table, task) for table in shuffled(here.X, name, orders)]
            without.append(_scored(np.mean(told, axis=0), here.y, task))
    usual = 1.0 if problem.classes else float(problem.y.var())
    worse = np.array([(loss - known[0]) / usual for loss, _ in without])
    return worse, np.array([hit - known[1] for _, hit in without])


def _answers(model: Any, X: Any, task: Task) -> FloatArray:
    """Probabilities of the classes of the whole table, or numbers."""
    if task.kind == "classes":
        return aligned(np.asarray(model.predict_proba(X)), model.classes_, task.labels)
    numbers: FloatArray = np.asarray(model.predict(X), dtype=np.float64)
    return numbers


def _scored(answers: FloatArray, truth: AnyArray, task: Task) -> tuple[FloatArray, FloatArray]:
    """The loss of each row, and 1 where it is predicted right."""
    if task.kind == "numbers":
        return (answers - truth) ** 2, np.zeros(truth.size)
    given = answers[np.arange(truth.size), np.searchsorted(task.labels, truth)]
    least = 1 / len(task)  # so many rows tell no smaller probability from none: one row alone must not decide
    right = task.labels[answers.argmax(axis=1)] == truth
    return -np.log(np.maximum(given, least)), right.astype(np.float64)


def _matters(problem: Problem) -> dict[str, float]:
    """The posterior probability that the target depends on each column, for classes."""
    if not problem.classes:
        return {}
    model = SubsetAveragedBayes(numeric="mdl").fit(problem.X, problem.y)
    uncut = {name for name, cuts in model.cut_points_.items() if not len(cuts)}
    table = model.relevance_table()
    pairs = zip(table.labels, table.probabilities.tolist(), strict=True)
    return {str(name): probability for name, probability in pairs if name not in uncut}


def _weights(problem: Problem) -> dict[str, float]:
    """Relief's weights relative to the largest, for numbers."""
    if problem.classes:
        return {}
    table = attribute_weights(problem.X, problem.y, "relief", target="numbers")
    largest = float(table.weights.max(initial=0.0)) or 1.0
    return {str(name): float(weight) / largest for name, weight in zip(table.names, table.weights, strict=True)}
