"""Rows in an order of their own, so that nothing hangs on the table's order or on how rows came and went."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.instances import Instances
from priorcase.learning.canonical import row_order, value_orders
from priorcase.schema import Nominal


@dataclass(frozen=True, slots=True, eq=False)
class SortedRows:
    """Stored rows sorted by what they hold; equal rows lie together.

    Parameters
    ----------
    instances
        The table they are from.
    cells, targets, weights
        Of each row: its cells, the numbers to be learned, shape (rows, targets), and how many rows it stands for.
    positions
        Where each lies in the table.
    value_ranks
        For each nominal column, by position, the rank of each code: the lower one wins where two values are as
        frequent.
    """

    instances: Instances
    cells: FloatArray
    targets: FloatArray
    weights: FloatArray
    positions: IntArray
    value_ranks: dict[int, IntArray]

    def __len__(self) -> int:
        return len(self.cells)

    def firsts(self) -> IntArray:
        """The first of each run of equal rows."""
        return np.flatnonzero(self._new())

    def distinct(self) -> SortedRows:
        """Each different row once, with the weights of its repetitions added up; of their targets the first."""
        firsts = self.firsts()
        weights = np.add.reduceat(self.weights, firsts)
        return SortedRows(
            self.instances, self.cells[firsts], self.targets[firsts], weights, self.positions[firsts], self.value_ranks
        )

    def take(self, rows: IntArray) -> SortedRows:
        """Some of the rows."""
        return SortedRows(
            self.instances,
            self.cells[rows],
            self.targets[rows],
            self.weights[rows],
            self.positions[rows],
            self.value_ranks,
        )

    def _new(self) -> IntArray:
        before, here = self.cells[:-1], self.cells[1:]
        same = (before == here) | (np.isnan(before) & np.isnan(here))
        return np.concatenate(([1], ~same.all(axis=1)))


def sort_rows(instances: Instances, targets: FloatArray, classes: IntArray | None = None) -> SortedRows:
    """All rows of a table, sorted.

    Parameters
    ----------
    instances
        The table.
    targets
        Numbers to be learned from the rows, shape (rows, targets).
    classes
        Classes to be learned from the rows, numbered from 0 in any order; they count as one more nominal column.
    """
    weights = np.ones(len(instances)) if instances.weights is None else instances.weights
    cells = instances.cells()
    nominal = [a for a, kind in enumerate(instances.schema.kinds) if isinstance(kind, Nominal)]
    others = [cells[:, a] for a in range(cells.shape[1]) if a not in nominal]
    codes, numberings = [], []
    for a in nominal:
        numbered, numbering = _by_appearance(np.asarray(instances.column(a), np.int64), len(instances.values(a)))
        codes.append(numbered)
        numberings.append(numbering)
    if classes is not None:
        codes.append(classes)
        numberings.append(np.arange(int(classes.max(initial=-1)) + 1))
    sizes = [numbering.size for numbering in numberings]
    orders = value_orders([*others, *targets.T], codes, sizes, weights)
    ranks = [np.argsort(order)[numbering] for order, numbering in zip(orders, numberings, strict=True)]
    keys = list(cells.T)
    if classes is not None:
        keys.append(ranks.pop()[classes].astype(np.float64))
    for a, rank in zip(nominal, ranks, strict=True):
        keys[a] = np.append(rank, -1)[np.asarray(instances.column(a), np.int64)].astype(np.float64)
    order = row_order([*keys, *targets.T], [])
    return SortedRows(
        instances, cells[order], targets[order], weights[order], order, dict(zip(nominal, ranks, strict=True))
    )


def _by_appearance(column: IntArray, size: int) -> tuple[IntArray, IntArray]:
    """Codes numbered by the row they first appear in, and the new number of each; -1 stays.

    Stored codes may tell of values that are gone; these numbers do not.

    Examples
    --------
    >>> _by_appearance(np.array([2, -1, 0, 2]), 3)
    (array([ 0, -1,  1,  0]), array([1, 2, 0]))
    """
    first = np.full(size + 1, len(column))
    np.minimum.at(first, column, np.arange(len(column)))  # -1 counts in the last place
    order = np.argsort(first[:size], kind="stable")
    numbering = np.empty(size, np.int64)
    numbering[order] = np.arange(size)
    return np.append(numbering, -1)[column], numbering
