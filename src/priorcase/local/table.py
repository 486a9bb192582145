"""The stored rows as local fits take them: cells, what they mean, in which units, and their targets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from priorcase._typing import BoolArray, FloatArray, IdArray
from priorcase.instances import Instances
from priorcase.neighbors.memory import Memory
from priorcase.schema import Nominal, Numeric

NUMERIC, ORDINAL, NOMINAL = 0, 1, 2
"""The core's numbers for the kinds of columns."""


@dataclass(frozen=True, slots=True, eq=False)
class LocalTable:
    """Rows for the core. Values are numbered by their first row, so that neither names nor history change a bit.

    Parameters
    ----------
    cells
        Numbers, ranks and numbers of values, NaN for missing, shape (rows, attributes).
    kinds
        Numeric, ordinal or nominal, by the core's numbers.
    scales
        The unit of each column: its standard deviation, 1 where all its values are equal, and for nominal columns.
    targets
        Shape (rows, targets).
    values
        For a nominal column the number of values that rows hold, else 0.
    numbers
        For each nominal column the number of each code, -1 for a code that no row holds; None for the others.
    ignored
        The columns whose attribute weight is 0: they count neither in distances nor in fits.
    """

    cells: FloatArray
    kinds: NDArray[np.uint8]
    scales: FloatArray
    targets: FloatArray
    values: IdArray
    numbers: tuple[FloatArray | None, ...]
    ignored: BoolArray

    def encode(self, cells: FloatArray) -> FloatArray:
        """Queries, numbered like the rows; -1 for a value that no row holds, or a level that is none."""
        return _renumbered(cells, self.numbers)

    def placed(self, cells: FloatArray) -> FloatArray:
        """Queries as a fit takes them, where a column that is missing is left out.

        So are those that are ignored, and a level that is none, which has no rank to be at.
        """
        found = self.encode(cells)
        found[(self.kinds == ORDINAL) & (found < 0)] = np.nan
        found[:, self.ignored] = np.nan
        return found


def local_table(memory: Memory) -> LocalTable:
    """The rows stored now."""
    return memory.cached("local table", lambda: _made(memory.instances, memory.row_weights, memory.attribute_weights))


def _made(instances: Instances, weights: FloatArray | None, attribute_weights: FloatArray | None) -> LocalTable:
    kinds = [_kind(kind) for kind in instances.schema.kinds]
    cells = instances.cells()
    numbers = tuple(_numbers(cells[:, a]) if kind == NOMINAL else None for a, kind in enumerate(kinds))
    n_targets = 0 if instances.targets is None else len(instances.targets)
    return LocalTable(
        cells=_renumbered(cells, numbers),
        kinds=np.array(kinds, dtype=np.uint8),
        scales=np.array([1.0 if k == NOMINAL else _spread(cells[:, a], weights) for a, k in enumerate(kinds)]),
        targets=np.stack([instances.target(t).astype(np.float64) for t in range(n_targets)], axis=1),
        values=np.array([0 if of is None else int(of.max(initial=-1.0)) + 1 for of in numbers], dtype=np.int64),
        numbers=numbers,
        ignored=np.zeros(len(kinds), dtype=bool) if attribute_weights is None else attribute_weights == 0,
    )


def _kind(kind: object) -> int:
    return NUMERIC if isinstance(kind, Numeric) else NOMINAL if isinstance(kind, Nominal) else ORDINAL


def _numbers(column: FloatArray) -> FloatArray:
    """The number of each code, in the order in which rows first hold them."""
    codes, first = np.unique(column[~np.isnan(column)].astype(np.int64), return_index=True)
    numbers = np.full(int(codes.max(initial=-1)) + 1, -1.0)
    numbers[codes[np.argsort(first)]] = np.arange(codes.size)
    return numbers


def _renumbered(cells: FloatArray, numbers: tuple[FloatArray | None, ...]) -> FloatArray:
    found = np.array(cells, dtype=np.float64, order="C")
    for a, of in enumerate(numbers):
        if of is not None:
            known = ~np.isnan(cells[:, a])
            codes = cells[known, a].astype(np.int64)
            codes[codes >= of.size] = -1
            found[known, a] = np.append(of, -1.0)[codes]
    return found


def _spread(column: FloatArray, weights: FloatArray | None) -> float:
    """The standard deviation of the known values, 1 where it is 0; in parts of the largest, which cannot overflow."""
    known = ~np.isnan(column)
    values, times = column[known], np.ones(int(known.sum())) if weights is None else weights[known]
    if not values.size or values.min() == values.max():
        return 1.0
    largest = float(np.abs(values).max())
    values = values / largest
    mean = float((values * times).sum() / times.sum())
    return max(
        float(np.sqrt(((values - mean) ** 2 * times).sum() / times.sum())) * largest, float(np.finfo(float).tiny)
    )
