"""The values of discrete attributes numbered from 0, those alone that an attribute can have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from priorcase._typing import FloatArray, IntArray
from priorcase.bayes.additive import query_slots
from priorcase.bayes.counts import slots_of
from priorcase.bayes.statistics import Discrete
from priorcase.instances import Instances


@dataclass(frozen=True, slots=True, eq=False)
class ValueNumbers:
    """What number each slot of each attribute has, in the order of the schema; -1 for a value it cannot have.

    Parameters
    ----------
    discrete
        Where the slots lie; every attribute of the schema must be among them.
    order
        For each attribute of the schema its position there.
    numbers
        For each attribute of the schema the number of each slot.
    """

    discrete: Discrete
    order: tuple[int, ...]
    numbers: tuple[NDArray[np.int32], ...]

    @classmethod
    def of(cls, discrete: Discrete) -> ValueNumbers:
        """Values numbered in the order of their slots: the gap first, where it is a value."""
        order = np.argsort(np.array(discrete.attributes, dtype=np.intp))
        numbers = []
        for d in order.tolist():
            inside = discrete.inside[discrete.starts[d] : discrete.starts[d + 1]]
            numbers.append(np.where(inside, np.cumsum(inside) - 1, -1).astype(np.int32))
        return cls(discrete, tuple(order.tolist()), tuple(numbers))

    @property
    def sizes(self) -> IntArray:
        """How many values each attribute can have."""
        sizes: IntArray = self.discrete.sizes[list(self.order)]
        return sizes

    def stored(self, instances: Instances, rows: slice) -> NDArray[np.int32]:
        """The values of some stored rows, (attributes, rows)."""
        found = np.empty((len(self.order), len(range(*rows.indices(len(instances))))), dtype=np.int32)
        for a, d in enumerate(self.order):
            found[a] = self.numbers[a][slots_of(instances.column(a)[rows], self.discrete.cuts[d])]
        return found

    def queries(self, cells: FloatArray) -> NDArray[np.int32]:
        """The values of queries, (queries, attributes); -1 where a value was never seen."""
        found = np.empty(cells.shape, dtype=np.int32)
        for a, d in enumerate(self.order):
            found[:, a] = self.numbers[a][query_slots(cells[:, a], self.discrete, d)]
        return found
