"""What attribute weights are learned from: the stored rows, and the distance fitted to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from priorcase._core import Plan
from priorcase._typing import FloatArray, IdArray
from priorcase.instances import Instances
from priorcase.relevance.numbering import in_order
from priorcase.schema import Nominal, Numeric
from priorcase.search import Algorithm, Index
from priorcase.similarity import FittedDistance

T = TypeVar("T")


class Cached(Protocol):
    """What keeps things until the rows change."""

    def __call__(self, key: str, compute: Callable[[], T]) -> T: ...


def _computed(key: str, compute: Callable[[], T]) -> T:
    return compute()


@dataclass(frozen=True, slots=True)
class Evidence:
    """Rows with a target, and how far apart they are.

    Parameters
    ----------
    instances
        The rows.
    fitted
        The distance, fitted to them.
    index
        Gives the rows laid out to be searched, where they have to be.
    algorithm
        How to search them.
    threads
        How many threads share the work; the weights do not depend on it.
    owner
        Who learns, for the bar that is shown while it takes long.
    cached
        Keeps what is computed under a name until the rows change; by default nothing is kept.
    target
        Position of the target to be told.
    """

    instances: Instances
    fitted: FittedDistance
    index: Callable[[], Index]
    algorithm: Algorithm = "auto"
    threads: int = 1
    owner: str = "attribute_weights"
    cached: Cached = _computed
    target: int = 0

    def __len__(self) -> int:
        return len(self.instances)

    @property
    def width(self) -> int:
        """Number of attributes."""
        return len(self.instances.schema)

    def of_each_target(self) -> list[Evidence]:
        """The same rows, once for each target."""
        targets = self.instances.targets
        return [replace(self, target=t) for t in range(1 if targets is None else len(targets))]

    @property
    def has_classes(self) -> bool:
        """Whether the target is a class; a number otherwise."""
        targets = self.instances.targets
        return targets is not None and isinstance(targets.kinds[self.target], Nominal)

    def classes(self) -> tuple[IdArray, int]:
        """The class of each row, numbered in the order in which they first occur, and how many there are.

        The stored codes depend on rows that have gone; these numbers do not.
        """
        codes = in_order(np.asarray(self.instances.target(self.target), dtype=np.int64))
        return codes, int(codes.max(initial=-1)) + 1

    def numbers(self) -> FloatArray:
        """The targets as numbers."""
        return np.asarray(self.instances.target(self.target), dtype=np.float64)

    def repetitions(self) -> FloatArray:
        """How many rows each row stands for."""
        weights = self.instances.weights
        return np.ones(len(self)) if weights is None else np.asarray(weights, dtype=np.float64)

    def compiled(self, rows: IdArray) -> tuple[Plan, NDArray[np.uint8], FloatArray]:
        """Plan, marks of coded columns and cells of some rows, with which everything in the core begins."""
        coded = np.array([not isinstance(kind, Numeric) for kind in self.instances.schema.kinds], dtype=np.uint8)
        cells = np.ascontiguousarray(self.fitted.prepare(self.instances.cells(rows)))
        return self.fitted.plan(), coded, cells
