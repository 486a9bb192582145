"""Three predictions explained: one that is clear, one that is in doubt, one that is wrong, each with its precedents."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from priorcase._typing import FloatArray, IntArray
from priorcase.neighbors import KNNClassifier, KNNRegressor, Precedents
from priorcase.reporting.hiding import copies
from priorcase.reporting.left_out import LeftOut
from priorcase.reporting.problem import Problem
from priorcase.reporting.tuned import TunedClassifier, TunedRegressor
from priorcase.reporting.words import plain, value

__all__ = ["Clue", "Explained", "Precedent", "explain"]

_PRECEDENTS = 3
_CANDIDATES = 4
_CLEAR = 0.97
_DRAWS = 40


@dataclass(frozen=True)
class Precedent:
    """A row that is like the one in question.

    Parameters
    ----------
    row, target
        Its position in the table, and its target.
    distance
        How far it is.
    values
        What it holds in the columns that are shown.
    unlike
        Whether it is the nearest row of another class than the one its neighbours vote for.
    """

    row: int
    target: str
    distance: float
    values: dict[str, str]
    unlike: bool = False


@dataclass(frozen=True)
class Clue:
    """What one column has to do with the answer.

    Parameters
    ----------
    column, value
        The column, and what the row holds there.
    without
        The prediction if that column is not known, the mean over values that other rows have there: the probability of
        the predicted class, or the number.
    """

    column: str
    value: str
    without: float


@dataclass(frozen=True)
class Explained:
    """One prediction, and what speaks for it.

    Parameters
    ----------
    kind
        ``"clear"``, ``"doubtful"`` or ``"wrong"``; for numbers ``"close"``, ``"typical"`` or ``"far off"``.
    row, actual, predicted
        The position of the row, its target, and what was predicted without it.
    probabilities
        The likeliest classes with their probabilities; empty for numbers.
    said
        The probability of the predicted class, or the predicted number.
    clues
        The columns, those first that change the answer most when they are hidden.
    precedents
        The most similar rows, the nearest first.
    """

    kind: str
    row: int
    actual: str
    predicted: str
    probabilities: tuple[tuple[str, float], ...]
    said: float
    clues: tuple[Clue, ...]
    precedents: tuple[Precedent, ...]


def explain(problem: Problem, answers: LeftOut, learner: Any, *, seed: int) -> tuple[Explained, ...]:
    """Three rows of the table, predicted by a fit to the others, less all rows that came into question."""
    candidates = dict(_for_classes(answers) if problem.classes else _for_numbers(answers))
    asked = np.unique(np.concatenate(list(candidates.values())))
    others = np.setdiff1d(np.arange(len(problem)), answers.rows[asked])
    known = problem.taken(others)
    drawn = np.random.default_rng(seed).choice(others.size, min(_DRAWS, others.size), replace=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = clone(learner).fit(known.X, known.y)
        near = _neighbours(model, known)
        explained = []
        for kind, rows in candidates.items():
            row = _still(kind, problem, model, answers.rows[rows])
            if row is not None:
                explained.append(_explained(kind, problem, known, model, near, row, others, drawn))
    return tuple(explained)


def _for_classes(answers: LeftOut) -> Iterator[tuple[str, IntArray]]:
    """A few rows of each kind, the best example first."""
    top = answers.proba.max(axis=1)
    second = np.sort(answers.proba, axis=1)[:, -2]
    right = answers.predicted == answers.truth
    yield "clear", _first(np.where(right, np.abs(top - _CLEAR), np.inf))
    yield "doubtful", _first(top - second)
    if not right.all():
        middle = np.median(top[~right])
        yield "wrong", _first(np.where(right, np.inf, np.abs(top - middle)))


def _for_numbers(answers: LeftOut) -> Iterator[tuple[str, IntArray]]:
    off = np.abs(answers.predicted - answers.truth)
    yield "close", _first(np.abs(off - np.quantile(off, 0.05)))
    yield "typical", _first(np.abs(off - np.median(off)))
    yield "far off", _first(-off)


def _first(scores: FloatArray) -> IntArray:
    most = min(_CANDIDATES, max(scores.size // 30, 1))  # three kinds leave as many rows as a part of ten does
    order = np.argsort(scores, kind="stable")[:most]
    return order[np.isfinite(scores[order])]


def _still(kind: str, problem: Problem, model: Any, rows: IntArray) -> int | None:
    """The first row that is an example of its kind for this fit, too; None where there is none."""
    if not problem.classes:
        off = np.abs(np.asarray(model.predict(problem.X.take(rows))) - problem.y[rows])
        return int(rows[{"close": off.argmin(), "far off": off.argmax()}.get(kind, 0)])
    shares = np.asarray(model.predict_proba(problem.X.take(rows)))
    if kind == "doubtful":
        if len(model.classes_) < 2:  # all rows of the other class came into question
            return None
        ordered = np.sort(shares, axis=1)
        return int(rows[(ordered[:, -1] - ordered[:, -2]).argmin()])
    right = model.classes_[shares.argmax(axis=1)] == problem.y[rows]
    fitting = rows[right == (kind == "clear")]
    return int(fitting[0]) if fitting.size else None


def _neighbours(model: Any, known: Problem) -> Any:
    """Who names precedents: the tuned neighbours if they were chosen, else plain ones."""
    if isinstance(model, (TunedClassifier, TunedRegressor)):
        return model.model_
    if known.classes:
        return KNNClassifier(_PRECEDENTS, distance="hvdm").fit(known.X, known.y)
    return KNNRegressor(_PRECEDENTS).fit(known.X, known.y)


def _explained(
    kind: str, problem: Problem, known: Problem, model: Any, near: Any, row: int, others: IntArray, drawn: IntArray
) -> Explained:
    one = problem.X.take(slice(row, row + 1))
    if problem.classes:
        shares = np.asarray(model.predict_proba(one))[0]
        at = int(shares.argmax())
        order = np.argsort(-shares, kind="stable")[:4].tolist()
        likely = tuple((value(model.classes_[c]), float(shares[c])) for c in order)
        said, predicted = float(shares[at]), value(model.classes_[at])
    else:
        said, likely, at = float(np.asarray(model.predict(one))[0]), (), 0
        predicted = plain(said, 4)
    clues = []
    for name in problem.X.kinds:
        if (held := value(one[name][0])) != "?":
            asked = copies(one, name, known.X, drawn)
            told = model.predict_proba(asked)[:, at] if problem.classes else model.predict(asked)
            clues.append(Clue(name, held, float(np.mean(told))))
    clues.sort(key=lambda clue: -abs(clue.without - said))
    found = tuple(_precedents(near.precedents(one), known, others, problem.classes))
    actual = value(problem.y[row])
    return Explained(kind, row, actual, predicted, likely, said, tuple(clues), found)


def _precedents(found: Precedents, known: Problem, others: IntArray, classes: bool) -> Iterator[Precedent]:
    names = list(known.X.kinds)
    listed = found.ids[:_PRECEDENTS].tolist()
    for entry, at in enumerate(listed):
        values = dict(zip(names, map(value, found.rows[entry]), strict=True))
        yield Precedent(int(others[at]), value(found.targets[entry]), float(found.distances[entry]), values)
    unlike = found.unlike[0] if classes and found.unlike else None
    if unlike is not None and unlike.id not in listed:
        values = dict(zip(names, map(value, unlike.row), strict=True))
        yield Precedent(int(others[unlike.id]), value(unlike.target), unlike.distance, values, unlike=True)
