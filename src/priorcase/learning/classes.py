"""The classes of one output: their labels, how many rows each has, and which class a stored row is of."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from priorcase.instances import Instances
from priorcase.typing import AnyArray, FloatArray, IdArray, IntArray


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes of one output.

    Parameters
    ----------
    labels
        The classes in ascending order.
    weights
        How many rows each class has, weights counted as repetitions.
    stored
        The stored code of each row's class.
    mark
        What labels and numbering were made from: while it is the same they are.
    """

    labels: AnyArray
    weights: FloatArray
    stored: IntArray = field(repr=False)
    mark: Any = field(repr=False)
    # The classes that rows have, their stored codes, and the class of each stored code.
    _present: IntArray = field(repr=False)
    _codes: IntArray = field(repr=False)
    _numbers: IntArray = field(repr=False)

    @classmethod
    def of(cls, instances: Instances, output: int, labels: AnyArray, codes: IntArray, mark: Any = None) -> Classes:
        """Of the stored rows, with the stored code of each label; -1 where no row has it."""
        present = np.flatnonzero(codes >= 0)
        # As few bytes a row as the classes allow: they may be held as long as the rows.
        numbers = np.zeros(len(instances.target_values(output)) + 1, dtype=np.min_scalar_type(-labels.size - 1))
        numbers[codes[present]] = present
        empty = cls(labels, np.zeros(0), np.zeros(0, np.int8), mark, present, codes[present], numbers)
        return empty.followed(instances, output)

    def followed(self, instances: Instances, output: int) -> Classes:
        """The same classes of the rows that are stored now."""
        stored, row_weights = instances.target(output), instances.weights
        weights = np.zeros(self.labels.size)
        if row_weights is None:
            weights[self._present] = instances.target_counts(output)[self._codes]
        else:
            weights += np.bincount(self._numbers[stored], weights=row_weights, minlength=self.labels.size)
        return Classes(self.labels, weights, stored, self.mark, self._present, self._codes, self._numbers)

    @cached_property
    def codes(self) -> IntArray:
        """Position in ``labels`` of each stored row's class."""
        return self._numbers[self.stored]

    def at(self, rows: IntArray) -> IdArray:
        """Position in ``labels`` of the class of some stored rows, by position."""
        return self._numbers[self.stored[rows]].astype(np.int64)
