"""The oddest rows: those that a model of all columns finds least likely, and the values that make them so."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from priorcase._typing import IntArray
from priorcase.bayes import MixtureModel
from priorcase.reporting.problem import Problem
from priorcase.reporting.words import plain, value
from priorcase.schema import Numeric

__all__ = ["OddRow", "OddValue", "Oddities", "find_oddities"]

_SHOWN = 5
_VALUES = 3
_BEYOND = 1.0
_SAMPLE = 1000
_COMPONENTS = 8
_BLOCK = 10_000


@dataclass(frozen=True)
class OddValue:
    """A value that its row does not let one expect.

    Parameters
    ----------
    column, value
        The column, and what the row holds there.
    expected
        What the other columns of the row suggest.
    beyond
        How much less likely it is than values of this column usually are, in nats: 1 is a factor of 2.7.
    """

    column: str
    value: str
    expected: str
    beyond: float


@dataclass(frozen=True)
class OddRow:
    """An odd row.

    Parameters
    ----------
    row
        Its position in the table.
    tail
        The share of the rows that are at least as odd.
    values
        The values that are least expected.
    """

    row: int
    tail: float
    values: tuple[OddValue, ...]


@dataclass(frozen=True)
class Oddities:
    """The oddest rows.

    Parameters
    ----------
    rows
        The rows, the oddest first.
    components
        Of how many kinds of rows each of the two models is made.
    learned, looked_at
        How many rows each model was learned from, and how many rows there are.
    """

    rows: tuple[OddRow, ...]
    components: tuple[int, int]
    learned: int
    looked_at: int


def find_oddities(problem: Problem, *, seed: int, n_jobs: int | None) -> Oddities:
    """The rows with the lowest density under a mixture model that has not learned them.

    The rows are dealt into two halves. Each is asked of a model of the other half, or of a sample of it: a row that is
    far from all others would get a component of its own if it had been learned.
    """
    order = np.random.default_rng(seed).permutation(len(problem))
    half = (len(problem) + 1) // 2
    first, second = np.sort(order[:half]), np.sort(order[half:])
    scores = np.empty(len(problem))
    models: list[tuple[MixtureModel, set[int]]] = []
    for rows, others in ((first, second), (second, first)):
        model = _learned(problem, order[np.isin(order, others)][:_SAMPLE], seed, n_jobs)
        for start in range(0, rows.size, _BLOCK):
            asked = rows[start : start + _BLOCK]
            scores[asked] = model.oddness(problem.X.take(asked)).scores
        models.append((model, set(rows.tolist())))
    oddest = np.argsort(-scores, kind="stable")[:_SHOWN]
    tails = np.searchsorted(np.sort(-scores), -scores[oddest], side="right") / scores.size
    found = []
    for row, tail in zip(oddest.tolist(), tails.tolist(), strict=True):
        model = next(model for model, rows in models if row in rows)
        found.append(OddRow(row, tail, _values(problem, model, row)))
    components = tuple(int(model.n_components_) for model, _ in models)
    return Oddities(tuple(found), (components[0], components[1]), min(_SAMPLE, second.size), len(problem))


def _learned(problem: Problem, rows: IntArray, seed: int, n_jobs: int | None) -> MixtureModel:
    """A mixture of a few kinds of rows."""
    most = min(_COMPONENTS, rows.size // 10 + 1)
    model = MixtureModel(max_components=most, random_state=seed, n_jobs=n_jobs, progress=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a mixture that has not quite settled still tells odd rows
        return model.fit(problem.X.take(np.sort(rows)))


def _values(problem: Problem, model: MixtureModel, row: int) -> tuple[OddValue, ...]:
    """The values of a row that are least expected, and what would have been."""
    one = problem.X.take(slice(row, row + 1))
    oddness = model.oddness(one)
    beyond = oddness.surprises[0] - oddness.usual
    names = list(problem.X.kinds)
    found: list[OddValue] = []
    for a in np.argsort(-beyond, kind="stable")[:_VALUES].tolist():
        if oddness.queries[0][a] is None or (beyond[a] < _BEYOND and found):
            continue
        expected = np.asarray(model.predict_column(one, names[a]))[0]
        held = one[names[a]][0]
        words = plain(float(expected)) if isinstance(problem.X.kinds[names[a]], Numeric) else value(expected)
        found.append(OddValue(names[a], value(held), words, float(beyond[a])))
    return tuple(found)
