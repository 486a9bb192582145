"""What a mixture keeps of its rows: how much of them each component has, and their sums and counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.bayes.mixture.cells import Cells
from priorcase.bayes.mixture.densities import log_joint, normalised
from priorcase.bayes.mixture.parameters import Parameters


@dataclass(frozen=True, slots=True, eq=False)
class Statistics:
    """Counts and sums by component, of rows shared out among the components.

    Parameters
    ----------
    rows
        Rows of each component.
    known, sums, squares
        Rows in which a numeric attribute is known, the sum of its numbers and of their squares, in standard units,
        each of shape (attributes, components).
    counts
        For each discrete attribute the rows that hold each value, shape (components, values).
    """

    rows: FloatArray
    known: FloatArray
    sums: FloatArray
    squares: FloatArray
    counts: tuple[FloatArray, ...]


class Collector:
    """Adds up the statistics of rows, block by block."""

    def __init__(self, cells: Cells, sizes: Sequence[int], components: int) -> None:
        shape = (len(cells.numbers), components)
        self._cells = cells
        self._gaps = [j for j, known in enumerate(cells.known) if known is not None]
        self._rows = np.zeros(components)
        self._known, self._sums, self._squares = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        self._counts = [np.zeros((components, size + 2)) for size in sizes]

    def add(self, rows: slice, shares: FloatArray) -> None:
        """Add a block of rows; ``shares`` says how much of each goes to each component, shape (components, rows)."""
        cells = self._cells
        shares = shares * cells.weights[rows]
        self._rows += shares.sum(axis=1)
        numbers = cells.numbers[:, rows]
        # einsum adds up in one fixed order, where a matrix product may go by the number of threads.
        self._sums += np.einsum("an,kn->ak", numbers, shares)
        self._squares += np.einsum("an,kn->ak", np.square(numbers), shares)
        for j in self._gaps:
            self._known[j] += np.einsum("n,kn->k", cells.known[j][rows], shares)  # type: ignore[index]  # has gaps
        for codes, counts in zip(cells.codes[:, rows], self._counts, strict=True):
            # One slot for each pair of component and value: a single pass, each slot summed in the order of the rows.
            slots = codes + np.arange(0, counts.size, counts.shape[1])[:, None]
            counts += np.bincount(slots.ravel(), shares.ravel(), minlength=counts.size).reshape(counts.shape)

    def result(self) -> Statistics:
        """What the blocks added up to."""
        known = np.repeat(self._rows[None, :], len(self._sums), axis=0)
        known[self._gaps] = self._known[self._gaps]
        counts = tuple(count[:, :-2].copy() for count in self._counts)
        return Statistics(self._rows, known, self._sums, self._squares, counts)


def expectation(parameters: Parameters, cells: Cells) -> tuple[Statistics, float]:
    """The E-step: expected statistics under some parameters, and the log-likelihood of the rows in standard units."""
    collector = Collector(cells, [table.shape[1] - 2 for table in parameters.tables], len(parameters))
    total = 0.0
    for rows in cells.blocks(len(parameters)):
        joint = log_joint(parameters, cells, rows)
        total += float((normalised(joint) * cells.weights[rows]).sum())
        collector.add(rows, joint)
    return collector.result(), total


def assigned(cells: Cells, sizes: Sequence[int], components: int, owners: IntArray) -> Statistics:
    """Statistics of rows that each belong to one component."""
    collector = Collector(cells, sizes, components)
    every = np.arange(components)[:, None]
    for rows in cells.blocks(components):
        collector.add(rows, (owners[rows] == every).astype(np.float64))
    return collector.result()
