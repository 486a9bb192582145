"""The classes of one output: their labels, how many rows each has, and which class a stored row is of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from priorcase.instances import Instances
from priorcase.typing import AnyArray, FloatArray, IdArray, IntArray


class Numbering:
    """Classes in ascending order, and the stored codes that stand for them.

    Parameters
    ----------
    labels
        The classes in ascending order.
    codes
        The stored code of each; -1 where no row has it.
    n_codes
        How many stored codes there are.
    made_from
        What they were made from: while that is the same they are.
    """

    def __init__(self, labels: AnyArray, codes: IntArray, n_codes: int, made_from: Any) -> None:
        self.labels = labels
        self.made_from = made_from
        self.present = np.flatnonzero(codes >= 0)
        self.codes = codes[self.present]
        # As few bytes a row as the classes allow: they may be held as long as the rows.
        self.of_code = np.zeros(n_codes + 1, dtype=np.min_scalar_type(-labels.size - 1))
        self.of_code[self.codes] = self.present

    def weights(self, counts: IdArray) -> FloatArray:
        """How many rows each class has, given how many have each stored code."""
        weights = np.zeros(self.labels.size)
        weights[self.present] = counts[self.codes]
        return weights


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes of one output, and the stored rows of each.

    Parameters
    ----------
    numbering
        The classes.
    stored
        The stored code of each row's class.
    weights
        How many rows each class has, weights counted as repetitions.
    """

    numbering: Numbering
    stored: IntArray
    weights: FloatArray

    @classmethod
    def of(cls, numbering: Numbering, instances: Instances, output: int) -> Classes:
        """Of the rows that are stored now."""
        stored, row_weights = instances.target(output), instances.weights
        if row_weights is None:
            return cls(numbering, stored, numbering.weights(instances.target_counts(output)))
        n, of_rows = numbering.labels.size, numbering.of_code[stored]
        return cls(numbering, stored, np.bincount(of_rows, weights=row_weights, minlength=n).astype(np.float64))

    @property
    def labels(self) -> AnyArray:
        """The classes in ascending order."""
        return self.numbering.labels

    @cached_property
    def codes(self) -> IntArray:
        """Position in ``labels`` of each stored row's class."""
        return self.numbering.of_code[self.stored]

    def at(self, rows: IntArray | slice) -> IdArray:
        """Position in ``labels`` of the class of some stored rows, by position."""
        return self.numbering.of_code[self.stored[rows]].astype(np.int64)
