"""Sorting of values and rows that does not depend on names or on the row order of the table.

Stored codes depend on which nominal value occurs first, and rows are stored in order of arrival. Some results depend on
the order of codes or rows, such as the initial values of EM, held-out rows, and rounding errors of sums. Learners
therefore use the order defined here. If rows are shuffled or values are renamed, the results stay the same, even after
rows were added and forgotten.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.instances import Instances
from priorcase.schema import Nominal


def value_orders(
    numbers: Sequence[FloatArray], codes: Sequence[IntArray], sizes: Sequence[int], weights: FloatArray
) -> list[IntArray]:
    """Return, for each discrete attribute, its codes sorted by the frequency of their values, most frequent first.

    Ties are broken by a score of the rows with the value, which does not depend on names or on the row order. Missing
    values are NaN in ``numbers`` and -1 in ``codes``. ``sizes`` contains the number of codes of each discrete column.
    """
    counts = [_sums(column, weights, size) for column, size in zip(codes, sizes, strict=True)]
    if all(np.unique(count).size == count.size for count in counts):
        return [np.argsort(-count, kind="stable") for count in counts]
    # The score of a row is the sum of position * rank over all columns. The rank of a nominal value is the rank of its
    # frequency, so that it does not depend on names; a missing value has rank 0.
    likeness = np.zeros(len(weights))
    for position, values in enumerate(numbers, start=1):
        known = ~np.isnan(values)
        likeness[known] += position * (np.unique(values[known], return_inverse=True)[1] + 1.0)
    for position, (column, count) in enumerate(zip(codes, counts, strict=True), start=len(numbers) + 1):
        # A code without rows, left by forgotten rows, has no frequency: it would raise all ranks but that of missing.
        frequencies = np.unique(count[count > 0.0])
        likeness += position * np.append(np.searchsorted(frequencies, count) + 1.0, 0.0)[column]
    return [
        np.lexsort((_sums(column, weights * likeness, count.size), -count))
        for column, count in zip(codes, counts, strict=True)
    ]


def _sums(codes: IntArray, amounts: FloatArray, size: int) -> FloatArray:
    """Return, for each code, the sum of the amounts of the rows with this code."""
    return np.asarray(np.bincount(codes + 1, weights=amounts, minlength=size + 1)[1:], np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class SortedRows:
    """Stored rows sorted by their values, so that equal rows are adjacent.

    ``targets`` has shape (rows, targets). ``positions`` contains the positions of the rows before sorting.
    ``value_ranks`` maps the position of each nominal column to the ranks of its codes in the order of `value_orders`.
    If several values are equally good choices, the value with the lowest rank is used.
    """

    instances: Instances
    cells: FloatArray
    targets: FloatArray
    weights: FloatArray
    positions: IntArray
    value_ranks: dict[int, IntArray]

    def __len__(self) -> int:
        return len(self.cells)

    def distinct(self) -> SortedRows:
        """Return each distinct row once, with the total weight and the first target of all its duplicates."""
        before, here = self.cells[:-1], self.cells[1:]
        same = (before == here) | (np.isnan(before) & np.isnan(here))
        firsts = np.flatnonzero(np.concatenate(([True], ~same.all(axis=1))))
        return replace(self.take(firsts), weights=np.add.reduceat(self.weights, firsts))

    def take(self, rows: IntArray) -> SortedRows:
        """Return the rows at the given positions in the sorted order."""
        parts = {name: getattr(self, name)[rows] for name in ("cells", "targets", "weights", "positions")}
        return replace(self, **parts)


def sort_rows(instances: Instances, targets: FloatArray, classes: IntArray | None = None) -> SortedRows:
    """Sort the stored rows by their values, then by their classes (if given), then by their numeric targets."""
    weights = np.ones(len(instances)) if instances.weights is None else instances.weights
    cells = instances.cells()
    nominal = [a for a, kind in enumerate(instances.schema.kinds) if isinstance(kind, Nominal)]
    others = [cells[:, a] for a in range(cells.shape[1]) if a not in nominal]
    codes, numberings = [], []
    for a in nominal:  # stored codes may depend on removed rows, the new numbers do not
        numbered, numbering = _by_appearance(np.asarray(instances.column(a), np.int64), instances.n_values(a))
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
    order = np.lexsort([*keys, *targets.T][::-1])
    value_ranks = dict(zip(nominal, ranks, strict=True))
    return SortedRows(instances, cells[order], targets[order], weights[order], order, value_ranks)


def _by_appearance(column: IntArray, size: int) -> tuple[IntArray, IntArray]:
    """Renumber codes other than -1 by first occurrence; return the new column and the new number of each code."""
    first = np.full(size + 1, len(column))
    np.minimum.at(first, column, np.arange(len(column)))  # -1 is counted at the last position
    order = np.argsort(first[:size], kind="stable")
    numbering = np.empty(size, np.int64)
    numbering[order] = np.arange(size)
    return np.append(numbering, -1)[column], numbering
