"""How odd rows are compared with the training rows, and which of their values make them so."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from priorcase._typing import Backend, FloatArray, Name
from priorcase.bayes.mixture.columns import Cells, Layout
from priorcase.bayes.mixture.em import Parameters, log_number, log_value, normalize
from priorcase.learning.results import (
    Grid,
    PerQuery,
    Row,
    by_attribute,
    framed,
    grids_html,
    grids_text,
    rest_text,
    short,
    value_text,
)

_QUERIES, _ATTRIBUTES, _VALUE_WIDTH = 5, 10, 24  # as many as are printed


@dataclass(frozen=True, repr=False, eq=False)
class Oddness(PerQuery):
    """How odd some rows are, and why.

    ``oddness[i]`` and ``oddness[i:j]`` are the same for some rows alone, which keep their numbers. Prints as a table,
    the columns most surprising beyond their usual level first, in terminals and notebooks.

    Parameters
    ----------
    names
        Names of the columns, ``x0``, ``x1``, ... for a table without names.
    queries
        Values of the rows, None where missing.
    scores
        Minus the log-density of each row, in nats.
    tails
        Share of the training rows that are at least as odd: small for an odd row.
    surprises
        ``-ln p(x_i | all other known columns)``, shape (rows, columns); 0 where missing. If one value of a row is
        wrong, its surprise rises most.
    usual
        The mean surprise of each column over the training rows in which it is known.
    shares
        What each column adds to the score, ``sum_k r_k (-ln p(x_i | k))`` with the row's responsibilities r; 0 where
        missing.
    mixing
        The rest of the score: how unusual the row's components are, ``sum_k r_k ln(r_k / p_k)``.
    backend
        The library whose frame the estimator was fitted on, or None.
    numbers
        The number of each row among all queries; 0, 1, ... when left out.
    """

    names: tuple[Name, ...]
    queries: list[Row]
    scores: FloatArray
    tails: FloatArray
    surprises: FloatArray
    usual: FloatArray
    shares: FloatArray
    mixing: FloatArray
    backend: Backend | None = None
    numbers: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.queries)

    def _taken(self, at: list[int]) -> Oddness:
        return replace(
            self,
            queries=[self.queries[i] for i in at],
            scores=self.scores[at],
            tails=self.tails[at],
            surprises=self.surprises[at],
            shares=self.shares[at],
            mixing=self.mixing[at],
            numbers=tuple(self.numbers[i] for i in at),
        )

    def frame(self) -> Any:
        """One row per query, in a frame of the library that the estimator was fitted with, or the installed one.

        Columns: ``query``, ``score``, ``tail``, ``component`` for the rest of the score, the columns' values by name,
        and for each of them ``surprise of NAME`` and ``share of NAME``. A column called like one of the first becomes
        ``NAME (value)``; where two would still have the same name, the later becomes ``NAME (2)``.
        """
        columns: dict[str, Any] = {
            "query": np.array(self.numbers, np.int64),
            "score": self.scores,
            "tail": self.tails,
            "component": self.mixing,
        }
        parts = {"surprise": self.surprises, "share": self.shares}
        return framed(by_attribute(columns, self.names, self.queries, parts), self.backend)

    def __str__(self) -> str:
        return grids_text(self._grids(), rest_text(_QUERIES, len(self)))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return grids_html(self._grids(), rest_text(_QUERIES, len(self)))

    def _grids(self) -> list[Grid]:
        return [self._grid(i) for i in range(min(len(self), _QUERIES))]

    def _grid(self, i: int) -> Grid:
        """The known columns, the most surprising beyond their usual level first, and what the components add."""
        beyond = self.surprises[i] - self.usual
        order = [a for a in np.argsort(-beyond, kind="stable").tolist() if self.queries[i][a] is not None]
        lines = []
        for a in order[:_ATTRIBUTES]:
            texts = [short(str(self.names[a]), _VALUE_WIDTH), value_text(self.queries[i][a], _VALUE_WIDTH)]
            numbers = (self.surprises[i, a], self.usual[a], beyond[a], self.shares[i, a])
            lines.append([*texts, *(f"{number:.3g}" for number in numbers)])
        if rest := order[_ATTRIBUTES:]:
            lines.append([f"{len(rest)} others", "", "", "", "", f"{self.shares[i, rest].sum():.3g}"])
        lines.append(["(component)", "", "", "", "", f"{self.mixing[i]:.3g}"])
        share = f"{self.tails[i]:.2%} of the training rows are at least as odd"
        header = ["column", "value", "surprise", "usual", "beyond", "share"]
        title = f"query {self.numbers[i]}: {self.scores[i]:.4g} nats; {share}"
        return Grid(title, header, lines, right=range(2, 6))


@dataclass(frozen=True, slots=True, eq=False)
class Measures:
    """Scores, surprises and shares of some rows, without their class, as in `Oddness`."""

    scores: FloatArray
    surprises: FloatArray
    shares: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class TrainingOddness:
    """How odd the training rows are.

    ``scores`` ascend; ``above`` is the share of the training rows at least as odd as each, and 0 at the end; ``usual``
    is as in `Oddness`.
    """

    scores: FloatArray
    above: FloatArray
    usual: FloatArray

    @classmethod
    def of(cls, layout: Layout, parameters: Parameters, cells: Cells) -> TrainingOddness:
        """From the training rows."""
        scores, usual, known = np.empty(len(cells)), np.zeros(len(layout.schema)), np.zeros(len(layout.schema))
        for rows in cells.blocks(_width(layout, parameters)):
            part = _measure_block(layout, parameters, cells, rows)
            scores[rows] = part.scores
            usual += np.einsum("na,n->a", part.surprises, cells.weights[rows])
        order = np.argsort(scores, kind="stable")
        above = np.append(np.cumsum(cells.weights[order[::-1]])[::-1], 0.0)
        for j, a in enumerate((*layout.numeric, *layout.discrete)):
            known[a] = (_known(layout, cells, j, slice(0, len(cells))) * cells.weights).sum()
        return cls(scores[order], above / above[0], np.divide(usual, known, out=np.zeros_like(usual), where=known > 0))

    def tails(self, scores: FloatArray) -> FloatArray:
        """Share of the training rows that are at least as odd."""
        return self.above[np.searchsorted(self.scores, scores, side="left")]


def measure(layout: Layout, parameters: Parameters, cells: Cells) -> Measures:
    """All rows, measured block by block."""
    scores, shape = np.empty(len(cells)), (len(cells), len(layout.schema))
    surprises, shares = np.empty(shape), np.empty(shape)
    for rows in cells.blocks(_width(layout, parameters)):
        part = _measure_block(layout, parameters, cells, rows)
        scores[rows], surprises[rows], shares[rows] = part.scores, part.surprises, part.shares
    return Measures(scores, surprises, shares)


def _measure_block(layout: Layout, parameters: Parameters, cells: Cells, rows: slice) -> Measures:
    """Some rows, measured in one pass over the log-densities of their attributes.

    The log-density of all other attributes is the sum of the terms before and after: subtracting an outlier's term from
    the sum of all would leave nothing but rounding.
    """
    columns, n = (*layout.numeric, *layout.discrete), rows.stop - rows.start
    terms = [log_number(parameters, cells, j, rows) for j in range(len(layout.numeric))]
    terms += [log_value(parameters, cells, j, rows) for j in range(len(layout.discrete))]
    after = [np.zeros((len(parameters), n))]
    for term in terms[:0:-1]:
        after.append(after[-1] + term)
    before = np.repeat(parameters.log_weights[:, None], n, axis=1)
    surprises, shares = np.zeros((n, len(layout.schema))), np.zeros((n, len(layout.schema)))
    for a, term in zip(columns, terms, strict=True):
        others = before + after.pop()
        surprises[:, a] = -normalize(others - normalize(others.copy()) + term)
        before += term
    scores = -(normalize(before) + cells.offsets[rows])  # `before` now holds the responsibilities
    for j, (a, term) in enumerate(zip(columns, terms, strict=True)):
        for owner, log in zip(before, term, strict=True):
            shares[:, a] -= owner * log
        width, known = layout.scales[j].log_width if j < len(layout.numeric) else 0.0, _known(layout, cells, j, rows)
        surprises[:, a] = (surprises[:, a] + width) * known
        shares[:, a] += width * known
    return Measures(scores, surprises, shares)


def _width(layout: Layout, parameters: Parameters) -> int:
    return len(parameters) * max(len(layout.schema), 1)


def _known(layout: Layout, cells: Cells, j: int, rows: slice) -> FloatArray:
    """1 where an attribute is known, 0 where it is missing; numeric attributes come first."""
    discrete = j - len(layout.numeric)
    if discrete >= 0:
        return np.where(cells.codes[discrete, rows] == layout.sizes[discrete], 0.0, 1.0)
    known = cells.known[j]
    return np.ones(rows.stop - rows.start) if known is None else known[rows]
