"""Class-conditional counts that rows can be added to and taken from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from priorcase._core import code_counts, count_values
from priorcase._typing import AnyArray, FloatArray, IdArray, IntArray

MISSING, UNSEEN, FIRST = 0, 1, 2
"""Slots of an attribute: for missing, for values never seen (where nothing is counted), then one for each code."""


class Counts:
    """How many rows of each class hold each value of some discrete attributes.

    The slots of all attributes lie one after another in ``cells``, one column for each class code. Whole numbers, so
    that rows taken out leave no trace, and rows may come in any order, in parts or all at once.

    Parameters
    ----------
    cuts
        For each attribute None, or the cut points of a numeric one.

    Examples
    --------
    >>> counts = Counts([None])
    >>> counts.grow([4], 2)
    >>> counts.add([np.array([0, 1, 1, -1], np.int8)], np.array([0, 0, 1, 1], np.int8))
    >>> counts.cells[FIRST:], counts.classes
    (array([[1, 0],
           [1, 1]]), array([2, 2]))
    """

    def __init__(self, cuts: Sequence[FloatArray | None]) -> None:
        self.cuts = list(cuts)
        self.starts: IdArray = np.arange(len(self.cuts) + 1, dtype=np.int64) * FIRST
        self.cells: IdArray = np.zeros((int(self.starts[-1]), 0), np.int64)
        self.classes: IdArray = np.zeros(0, np.int64)

    def grow(self, sizes: Sequence[int], n_classes: int) -> None:
        """Make room for as many slots of each attribute and as many classes; what is there stays."""
        old, starts = self.starts, np.concatenate([[0], np.cumsum(np.asarray(sizes, np.int64))])
        if n_classes == self.classes.size and np.array_equal(starts, old):
            return
        cells = np.zeros((int(starts[-1]), n_classes), np.int64)
        known = self.classes.size
        for d in range(len(sizes)):
            block = self.cells[old[d] : old[d + 1]]
            cells[starts[d] : starts[d] + len(block), :known] = block
        self.starts, self.cells = starts, cells
        self.classes = np.concatenate([self.classes, np.zeros(n_classes - known, np.int64)])

    def add(self, columns: Sequence[AnyArray], classes: IntArray, *, sign: int = 1, threads: int = 1) -> None:
        """Count rows in, or out with ``sign=-1``: one column of codes, ranks or numbers for each attribute."""
        count_values(columns, self.cuts, classes, self.starts, self.cells, sign, threads)
        self.classes += sign * code_counts(classes, self.classes.size)


def slots_of(column: AnyArray, cuts: FloatArray | None = None) -> IntArray:
    """The slot of each stored value: a code, a rank, or a number to be cut.

    Examples
    --------
    >>> slots_of(np.array([0, -1, 2], np.int8)), slots_of(np.array([0.5, np.nan, 7.0]), np.array([1.0, 5.0]))
    (array([2, 0, 4]), array([2, 0, 4]))
    """
    if column.dtype.kind != "f":
        codes = column.astype(np.intp)
        return np.where(codes < 0, MISSING, codes + FIRST)
    missing = np.isnan(column)
    codes = np.where(missing, 0, column) if cuts is None else np.searchsorted(cuts, column, side="right")
    return np.where(missing, MISSING, codes.astype(np.intp) + FIRST)
