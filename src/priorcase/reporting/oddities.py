"""The oddest rows: those that a model of all columns finds least likely, and the values that make them so."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from priorcase.bayes import MixtureModel
from priorcase.reporting.measuring import sample_rows
from priorcase.reporting.problem import Problem
from priorcase.reporting.words import number, value
from priorcase.schema import Numeric

__all__ = ["OddRow", "OddValue", "Oddities", "find_oddities"]

_SHOWN = 5
_VALUES = 3
_BEYOND = 1.0
_SAMPLE = 2000
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
        Of how many kinds of rows the model is made.
    learned, looked_at
        How many rows it was learned from, and how many it was asked about.
    """

    rows: tuple[OddRow, ...]
    components: int
    learned: int
    looked_at: int


def find_oddities(problem: Problem, *, seed: int, n_jobs: int | None) -> Oddities:
    """The rows with the lowest density under a mixture model, learned from a sample where there are many."""
    sample = sample_rows(problem, _SAMPLE, seed=seed)
    model = MixtureModel(max_components=min(_COMPONENTS, len(problem) // 10 + 1), random_state=seed, n_jobs=n_jobs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a mixture that has not quite settled still tells odd rows
        model.fit(problem.X.take(sample))
    scores = np.concatenate(
        [model.oddness(problem.X.take(slice(start, start + _BLOCK))).scores for start in range(0, len(problem), _BLOCK)]
    )
    order = np.argsort(-scores, kind="stable")
    ranks = np.searchsorted(np.sort(-scores), -scores[order[:_SHOWN]], side="right") / scores.size
    shown = zip(order[:_SHOWN].tolist(), ranks.tolist(), strict=True)
    rows = tuple(OddRow(row, tail, _values(problem, model, row)) for row, tail in shown)
    return Oddities(rows, int(model.n_components_), sample.size, len(problem))


def _values(problem: Problem, model: MixtureModel, row: int) -> tuple[OddValue, ...]:
    """The values of a row that are least expected, and what would have been."""
    one = problem.X.take(slice(row, row + 1))
    oddness = model.oddness(one)
    beyond = oddness.surprises[0] - oddness.usual
    names = list(problem.X.kinds)
    found = []
    for a in np.argsort(-beyond, kind="stable")[:_VALUES].tolist():
        if oddness.queries[0][a] is None or (beyond[a] < _BEYOND and found):
            continue
        expected = np.asarray(model.predict_column(one, names[a]))[0]
        held = one[names[a]][0]
        words = number(float(expected)) if isinstance(problem.X.kinds[names[a]], Numeric) else value(expected)
        found.append(OddValue(names[a], value(held), words, float(beyond[a])))
    return tuple(found)
