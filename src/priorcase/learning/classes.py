"""The classes of one output: their labels, how many rows each has, and which class a stored row is of."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from priorcase._typing import AnyArray, FloatArray, IdArray, IntArray
from priorcase.instances import Instances


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
        self.of_code = np.zeros(n_codes + 1, dtype=np.int64)
        self.of_code[self.codes] = self.present

    def weights(self, counts: IdArray) -> FloatArray:
        """How many rows each class has, given how many have each stored code."""
        weights = np.zeros(self.labels.size)
        weights[self.present] = counts[self.codes]
        return weights


class Classes:
    """The classes of one output, and the stored rows of each; for as long as no row comes or goes.

    Parameters
    ----------
    numbering
        The classes.
    instances
        The stored rows.
    output
        Which of their targets.
    """

    def __init__(self, numbering: Numbering, instances: Instances, output: int) -> None:
        self.numbering = numbering
        self.labels = numbering.labels
        self._instances = instances
        self._output = output
        self.stored = instances.target(output)

    @cached_property
    def weights(self) -> FloatArray:
        """How many rows each class has, weights counted as repetitions."""
        row_weights = self._instances.weights
        if row_weights is None:
            return self.numbering.weights(self._instances.target_counts(self._output))
        return np.bincount(self.codes, weights=row_weights, minlength=self.labels.size).astype(np.float64)

    @cached_property
    def codes(self) -> IntArray:
        """Position in ``labels`` of each stored row's class, in as few bytes as the classes allow."""
        return self.numbering.of_code.astype(np.min_scalar_type(-self.labels.size - 1))[self.stored]

    def at(self, rows: IntArray | slice) -> IdArray:
        """Position in ``labels`` of the class of some stored rows, by position."""
        return self.numbering.of_code[self.stored[rows]]
