"""Rows as a mixture sees them: attribute by attribute, ready for sums over rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from priorcase._typing import FloatArray, IntArray

# As many numbers as stay in a core's cache while a block of rows is worked on.
_AT_ONCE = 32768


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Encoded rows.

    Parameters
    ----------
    numbers
        Numeric attributes in standard units, shape (attributes, rows); 0 where missing.
    known
        For each numeric attribute 1 where it is known and 0 where it is missing; None where it is known in every row.
    codes
        Discrete attributes, shape (attributes, rows). For an attribute of n values: 0 to n - 1, n where missing, n + 1
        for a value never seen.
    offsets
        What the change to standard units takes from the log-density of each row.
    weights
        How many rows each row stands for.
    """

    numbers: FloatArray
    known: tuple[FloatArray | None, ...]
    codes: IntArray
    offsets: FloatArray
    weights: FloatArray

    def __len__(self) -> int:
        return len(self.weights)

    def blocks(self, width: int) -> Iterator[slice]:
        """Blocks of rows, so small that ``width`` numbers for each row fit into the cache."""
        rows = max(256, _AT_ONCE // max(width, 1))
        return (slice(start, min(start + rows, len(self))) for start in range(0, len(self), rows))

    def take(self, rows: IntArray | slice, weights: FloatArray | None = None) -> Cells:
        """Some rows, with other weights if they are given."""
        return Cells(
            np.ascontiguousarray(self.numbers[:, rows]),
            tuple(None if known is None else np.ascontiguousarray(known[rows]) for known in self.known),
            np.ascontiguousarray(self.codes[:, rows]),
            self.offsets[rows],
            self.weights[rows] if weights is None else weights,
        )

    def merged(self) -> Cells:
        """Each distinct row once, with the weights of its repetitions added up; equal rows must lie together."""
        n = len(self)
        changes = np.zeros(n, bool)
        changes[:1] = True
        for column in (*self.numbers, *self.codes, *(known for known in self.known if known is not None)):
            changes[1:] |= column[1:] != column[:-1]
        if changes.all():
            return self
        first = np.flatnonzero(changes)
        return self.take(first, np.add.reduceat(self.weights, first))

    def without(self, attribute: int, missing: int) -> Cells:
        """The same rows with a discrete attribute unknown; ``missing`` is its code for that."""
        codes = self.codes.copy()
        codes[attribute] = missing
        return replace(self, codes=codes)
