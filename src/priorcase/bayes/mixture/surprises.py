"""How odd rows are, and each of their values: what the training rows and others are measured by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.bayes.mixture.cells import Cells
from priorcase.bayes.mixture.densities import log_number, log_value, normalised
from priorcase.bayes.mixture.layout import Layout
from priorcase.bayes.mixture.parameters import Parameters


@dataclass(frozen=True, slots=True, eq=False)
class Measures:
    """Rows without their class, measured.

    Parameters
    ----------
    scores
        Minus the log-density of each row.
    surprises
        ``-ln p(x_i | all other known columns)``, shape (rows, columns of the table); 0 where a column is missing.
    shares
        ``sum_k r_k (-ln p(x_i | k))`` with the component probabilities r of the whole row, likewise.
    """

    scores: FloatArray
    surprises: FloatArray
    shares: FloatArray

    @property
    def mixing(self) -> FloatArray:
        """What the shares leave of the score: ``sum_k r_k ln(r_k / p_k)``."""
        left: FloatArray = self.scores - self.shares.sum(axis=1)
        return left


@dataclass(frozen=True, slots=True, eq=False)
class Yardstick:
    """How odd the training rows are: what other rows are held against.

    Parameters
    ----------
    scores
        Their scores, ascending.
    above
        Share of the training rows at least as odd as each of them, and 0 at the end.
    usual
        Mean surprise of each column over the rows that know it.
    """

    scores: FloatArray
    above: FloatArray
    usual: FloatArray

    @classmethod
    def of(cls, layout: Layout, parameters: Parameters, cells: Cells) -> Yardstick:
        """From the training rows."""
        scores, usual = np.empty(len(cells)), np.zeros(len(layout.schema))
        for rows in cells.blocks(_width(layout, parameters)):
            part = measure_block(layout, parameters, cells, rows)
            scores[rows] = part.scores
            usual += np.einsum("na,n->a", part.surprises, cells.weights[rows])
        order = np.argsort(scores, kind="stable")
        above = np.append(np.cumsum(cells.weights[order[::-1]])[::-1], 0.0)
        known = np.zeros_like(usual)
        for j, a in enumerate(_columns(layout).tolist()):
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
        part = measure_block(layout, parameters, cells, rows)
        scores[rows], surprises[rows], shares[rows] = part.scores, part.surprises, part.shares
    return Measures(scores, surprises, shares)


def measure_block(layout: Layout, parameters: Parameters, cells: Cells, rows: slice) -> Measures:
    """Some rows, measured in one pass over the log-densities of their attributes.

    What the other attributes say of the component is the sum of the terms before and after; to subtract a term from
    the sum of all would leave nothing but rounding where that term is an outlier's.
    """
    columns, n = _columns(layout), rows.stop - rows.start
    terms = [log_number(parameters, cells, j, rows) for j in range(len(layout.numeric))]
    terms += [log_value(parameters, cells, j, rows) for j in range(len(layout.discrete))]
    after = [np.zeros((len(parameters), n))]
    for term in terms[:0:-1]:
        after.append(after[-1] + term)
    before = np.repeat(parameters.log_weights[:, None], n, axis=1)
    surprises, shares = np.zeros((n, len(layout.schema))), np.zeros((n, len(layout.schema)))
    for a, term in zip(columns.tolist(), terms, strict=True):
        others = before + after.pop()
        surprises[:, a] = -normalised(others - normalised(others.copy()) + term)
        before += term
    scores = -(normalised(before) + cells.offsets[rows])  # `before` is now the share of each component
    for j, (a, term) in enumerate(zip(columns.tolist(), terms, strict=True)):
        for owner, log in zip(before, term, strict=True):
            shares[:, a] -= owner * log
        width, known = layout.scales[j].log_width if j < len(layout.numeric) else 0.0, _known(layout, cells, j, rows)
        surprises[:, a] = (surprises[:, a] + width) * known
        shares[:, a] += width * known
    return Measures(scores, surprises, shares)


def _columns(layout: Layout) -> IntArray:
    """Where in the table the attributes stand, the numeric ones first."""
    return np.array((*layout.numeric, *layout.discrete), np.intp)


def _width(layout: Layout, parameters: Parameters) -> int:
    return len(parameters) * max(len(layout.schema), 1)


def _known(layout: Layout, cells: Cells, j: int, rows: slice) -> FloatArray:
    """1 where the attribute is known, 0 where it is missing."""
    discrete = j - len(layout.numeric)
    if discrete >= 0:
        return np.where(cells.codes[discrete, rows] == layout.sizes[discrete], 0.0, 1.0)
    known = cells.known[j]
    return np.ones(rows.stop - rows.start) if known is None else known[rows]
