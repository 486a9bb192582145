"""Learning attribute weights: base class of the methods, training data, and conversion of scores to weights."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from priorcase._core import Plan
from priorcase._parameters import check_fields
from priorcase._typing import AnyArray, FloatArray, IdArray
from priorcase.instances import Instances
from priorcase.schema import Nominal
from priorcase.search import Algorithm, Index
from priorcase.similarity import FittedDistance
from priorcase.similarity.statistics import first_seen

# With smaller weights, relative to the largest, distances could consist of rounding errors.
_MIN_WEIGHT = 1e-12


@dataclass(frozen=True, slots=True)
class TrainingData:
    """The rows from which attribute weights are learned, with a fitted distance and the position of the target."""

    instances: Instances
    fitted: FittedDistance
    index: Callable[[], Index]  # returns a search index of the rows
    algorithm: Algorithm
    threads: int
    cached: Callable[[str, Callable[[], Any]], Any]  # caches results until the rows change
    target: int = 0  # position of the target

    def __len__(self) -> int:
        return len(self.instances)

    @property
    def n_attributes(self) -> int:
        return len(self.instances.schema)

    @property
    def has_classes(self) -> bool:
        """Whether the target is a class rather than a number."""
        targets = self.instances.targets
        return targets is not None and isinstance(targets.kinds[self.target], Nominal)

    def targets(self) -> AnyArray:
        """Return the target of each row: a numeric value, or the number of its class (see `renumbered`)."""
        values = self.instances.target(self.target)
        return renumbered(np.asarray(values, np.int64)) if self.has_classes else np.asarray(values, np.float64)

    def row_weights(self) -> FloatArray:
        """Return the sample weight of each row, 1 by default."""
        weights = self.instances.weights
        return np.ones(len(self)) if weights is None else np.asarray(weights, dtype=np.float64)

    def core_arguments(self, rows: IdArray) -> tuple[Plan, NDArray[np.uint8], FloatArray]:
        """Return arguments for the compiled core: distance plan, mask of coded columns, and rows as numbers."""
        ids, cells = self.instances.ids[rows], self.instances.cells(rows)
        return self.fitted.plan(), self.fitted.coded(self.instances.schema), self.fitted.stored_cells(ids, cells)


class WeightingMethod(ABC):
    """Base class of the methods for learning attribute weights; the fields of a method are its options."""

    method: ClassVar[str]  # name of the method as a value of ``attribute_weights``
    takes_numbers: ClassVar[bool] = True  # whether the target may be numeric; otherwise it must be a class
    local: bool = False  # whether each query has its own weights, returned by `around`
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    def __post_init__(self) -> None:
        check_fields(self)

    @abstractmethod
    def learn(self, data: TrainingData) -> FloatArray:
        """Return a score for each attribute: 0 or less for irrelevant attributes, and larger for more relevant ones."""

    def around(self, data: TrainingData, weights: FloatArray, cells: FloatArray, own: IdArray | None) -> FloatArray:
        """Return separate attribute weights for each query, shape (queries, attributes).

        ``weights`` are the global weights, and ``cells`` contains the queries. An attribute with global weight 0 has
        weight 0 for each query. If the queries are stored rows, ``own`` contains their ids, and no query is its own
        neighbor; a row with weight 2 still has one copy of itself as a neighbor.
        """
        return np.tile(weights, (len(cells), 1))


@dataclass(frozen=True, slots=True)
class LearnedWeights:
    """Attribute weights that are learned from the stored rows when needed."""

    weighting: WeightingMethod
    threads: int = 1

    def learn(self, data: TrainingData) -> FloatArray:
        """Return the attribute weights, averaged over the targets; all are 1 if no attribute seems relevant."""
        targets = data.instances.targets
        n_targets = 0 if not len(data) else 1 if targets is None else len(targets)
        scores = [self.weighting.learn(replace(data, target=t)) for t in range(n_targets)]
        if n_targets > 1:
            positive = [np.maximum(each, 0.0) for each in scores]
            scores = [np.mean([each / (float(each.max(initial=0.0)) or 1.0) for each in positive], axis=0)]
        found = scores[0] if scores else np.ones(data.n_attributes)
        weights = np.where(found > _MIN_WEIGHT * float(found.max(initial=0.0)), found, 0.0)
        weights = weights if weights.any() else np.ones(data.n_attributes)
        weights.flags.writeable = False  # cached
        return weights


def renumbered(codes: IdArray) -> IdArray:
    """Renumber codes by first occurrence, so that they do not depend on removed rows; -1 is unchanged."""
    order = first_seen(codes)
    numbers = np.full(int(codes.max(initial=-1)) + 2, -1)
    numbers[order] = np.arange(order.size)
    return numbers[codes]  # code -1 selects the last entry, which is -1


def shuffled(n: int) -> IdArray:
    """Return the numbers 0 to n - 1 in a fixed pseudo-random order."""
    return np.argsort(splitmix(0, n), kind="stable")


def splitmix(seed: int, n: int) -> NDArray[np.uint64]:
    """Return ``n`` numbers of the SplitMix64 generator, as in the compiled core (Steele, Lea & Flood 2014)."""
    z = np.uint64(seed % 2**64) + np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: NDArray[np.uint64] = z ^ (z >> np.uint64(31))
    return mixed


def fixed_sample(n: int, size: int) -> IdArray:
    """Return a fixed pseudo-random sample of at most ``size`` numbers from 0 to n - 1, in ascending order."""
    # An evenly spaced sample could miss a class if classes alternate in the table.
    return np.sort(shuffled(n)[:size]) if size < n else np.arange(n, dtype=np.int64)
