"""How odd a row is, beside the rows that were learned from, and which of its values make it so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from priorcase.bayes.mixture.cells import Cells
from priorcase.bayes.mixture.densities import log_number, log_value, responsibilities
from priorcase.bayes.mixture.grids import aligned, text_of
from priorcase.bayes.mixture.layout import Layout
from priorcase.bayes.mixture.parameters import Parameters
from priorcase.typing import FloatArray, IntArray, Name

_ROWS = 5
_ATTRIBUTES = 10


@dataclass(frozen=True, eq=False)
class Oddness:
    """How odd some rows are; it prints as a table for each, the oddest values first.

    Parameters
    ----------
    scores
        Minus the log-density of each row, in nats.
    tails
        Share of the training rows that are at least as odd: small for an odd row.
    shares
        What each column adds to the score, shape (rows, columns): ``sum_k r_k (-ln p(x_i | k))`` with the row's own
        component probabilities r, 0 where it is missing.
    mixing
        What is left of the score: how unusual the row's components are, ``sum_k r_k ln(r_k / p_k)``.
    usual
        The mean share of each column over the training rows that know it.
    names
        The columns.
    rows
        Their values, None where missing.
    numbers
        The number of each row among all that were asked about.
    """

    scores: FloatArray
    tails: FloatArray
    shares: FloatArray
    mixing: FloatArray
    usual: FloatArray
    names: tuple[Name, ...]
    rows: list[tuple[Any, ...]]
    numbers: IntArray

    def __len__(self) -> int:
        return self.scores.size

    def __iter__(self) -> Iterator[Oddness]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, row: int | slice) -> Oddness:
        """One row, or some; they keep their numbers."""
        chosen = range(len(self))[row]
        at = np.array(chosen if isinstance(chosen, range) else [chosen], dtype=np.int64)
        return replace(
            self,
            scores=self.scores[at],
            tails=self.tails[at],
            shares=self.shares[at],
            mixing=self.mixing[at],
            rows=[self.rows[i] for i in at.tolist()],
            numbers=self.numbers[at],
        )

    def __str__(self) -> str:
        texts = [self._one(i) for i in range(min(len(self), _ROWS))]
        if len(self) > _ROWS:
            texts.append(f"... and {len(self) - _ROWS} more rows")
        return "\n\n".join(texts)

    __repr__ = __str__

    def _one(self, i: int) -> str:
        """A row: its score, and the columns that add most beyond what they usually add."""
        share = f"{self.tails[i]:.2%} of the training rows are at least as odd"
        head = f"row {self.numbers[i]}: {self.scores[i]:.4g} nats; {share}"
        known = [a for a, value in enumerate(self.rows[i]) if value is not None]
        beyond = {a: float(self.shares[i, a] - self.usual[a]) for a in known}
        lines = [["column", "value", "share", "usual", "beyond"]]
        for a in sorted(known, key=lambda a: -beyond[a])[:_ATTRIBUTES]:
            numbers = [f"{number:.3g}" for number in (self.shares[i, a], self.usual[a], beyond[a])]
            lines.append([text_of(self.names[a]), text_of(self.rows[i][a]), *numbers])
        if rest := sorted(known, key=lambda a: -beyond[a])[_ATTRIBUTES:]:
            lines.append([f"{len(rest)} others", "", f"{self.shares[i, rest].sum():.3g}", "", ""])
        lines.append(["(component)", "", f"{self.mixing[i]:.3g}", "", ""])
        return head + "\n" + aligned(lines, right=(2, 3, 4), indent="  ")


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
        Mean share of each column over the rows that know it.
    """

    scores: FloatArray
    above: FloatArray
    usual: FloatArray

    @classmethod
    def of(cls, layout: Layout, parameters: Parameters, cells: Cells) -> Yardstick:
        """From the training rows, without their class."""
        cells = without_class(layout, cells)
        scores, shares, _ = measure(layout, parameters, cells)
        order = np.argsort(scores, kind="stable")
        above = np.append(np.cumsum(cells.weights[order[::-1]])[::-1], 0.0)
        rows = np.einsum("an,n->a", _known(layout, cells), cells.weights)
        usual = np.einsum("na,n->a", shares, cells.weights)
        return cls(scores[order], above / above[0], np.divide(usual, rows, out=np.zeros_like(rows), where=rows > 0))

    def tails(self, scores: FloatArray) -> FloatArray:
        """Share of the training rows that are at least as odd."""
        return self.above[np.searchsorted(self.scores, scores, side="left")]


def without_class(layout: Layout, cells: Cells) -> Cells:
    """Rows with their class, if there is one, unknown."""
    return cells.without(len(layout.sizes) - 1, layout.sizes[-1]) if layout.classed else cells


def measure(layout: Layout, parameters: Parameters, cells: Cells) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Score of each row, the share of each column of the table, and what is left for the components."""
    owners, densities = responsibilities(parameters, cells)
    shares = np.zeros((len(cells), len(layout.schema)))
    every = slice(0, len(cells))
    for j, (a, width) in enumerate(zip(layout.numeric, layout.log_widths.tolist(), strict=True)):
        known = cells.known[j]
        shares[:, a] = _mean(owners, log_number(parameters, cells, j, every))
        shares[:, a] += width * (1.0 if known is None else known)
    for j, a in enumerate(layout.discrete):
        shares[:, a] = _mean(owners, log_value(parameters, cells, j, every))
    return -densities, shares, -densities - shares.sum(axis=1)


def _mean(owners: FloatArray, logs: FloatArray) -> FloatArray:
    """Minus the mean of the logs under the components of each row."""
    total = np.zeros(owners.shape[1])
    for owner, log in zip(owners, logs, strict=True):
        total -= owner * log
    return total


def _known(layout: Layout, cells: Cells) -> FloatArray:
    """1 where a column of the table is known and says something, shape (columns, rows)."""
    known = np.zeros((len(layout.schema), len(cells)))
    for a, there in zip(layout.numeric, cells.known, strict=True):
        known[a] = 1.0 if there is None else there
    for j, a in enumerate(layout.discrete):
        known[a] = cells.codes[j] != layout.sizes[j]
    return known
