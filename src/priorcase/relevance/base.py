"""Learning attribute weights: what a method is, the rows it learns from, and how its scores become weights."""

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

# Smaller weights, relative to the largest, would leave distances that consist of rounding errors.
_MIN_WEIGHT = 1e-12


@dataclass(frozen=True, slots=True)
class TrainingData:
    """The stored rows with one of their targets, and the distance fitted to them."""

    instances: Instances
    fitted: FittedDistance
    index: Callable[[], Index]  # gives the rows ready to be searched
    algorithm: Algorithm
    threads: int
    cached: Callable[[str, Callable[[], Any]], Any]  # keeps what is computed until the rows change
    target: int = 0  # its position

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
        """The class of each row, numbered as in `renumbered`, or its number."""
        values = self.instances.target(self.target)
        return renumbered(np.asarray(values, np.int64)) if self.has_classes else np.asarray(values, np.float64)

    def row_weights(self) -> FloatArray:
        """The weight of each row; 1 where none were given."""
        weights = self.instances.weights
        return np.ones(len(self)) if weights is None else np.asarray(weights, dtype=np.float64)

    def core_arguments(self, rows: IdArray) -> tuple[Plan, NDArray[np.uint8], FloatArray]:
        """Plan, marks of coded columns and cells of some rows: the first arguments of everything in the core."""
        ids, cells = self.instances.ids[rows], self.instances.cells(rows)
        return self.fitted.plan(), self.fitted.coded(self.instances.schema), self.fitted.stored_cells(ids, cells)


class WeightingMethod(ABC):
    """Base of the methods for learning attribute weights: frozen dataclasses that hold the options."""

    method: ClassVar[str]  # its name as a value of ``attribute_weights``
    takes_numbers: ClassVar[bool] = True  # whether the target may be a number; it must be a class otherwise
    local: bool = False  # whether each query has weights of its own, given by `around`
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    def __post_init__(self) -> None:
        check_fields(self)

    @abstractmethod
    def learn(self, data: TrainingData) -> FloatArray:
        """One score for each attribute: the larger, the more it matters; at most 0 where it does not."""

    def around(self, data: TrainingData, weights: FloatArray, cells: FloatArray, own: IdArray | None) -> FloatArray:
        """Return the weights of each query, shape (queries, attributes); 0 where the global ``weights`` are 0.

        ``own`` is the id of the stored row that each query is a copy of; one repetition of it is left out.
        """
        return np.tile(weights, (len(cells), 1))


@dataclass(frozen=True, slots=True)
class LearnedWeights:
    """Weights that a method learns from the rows stored when they are asked for."""

    weighting: WeightingMethod
    threads: int = 1

    def learn(self, data: TrainingData) -> FloatArray:
        """One weight for each attribute, read-only; of several targets the mean, each relative to its largest.

        0 where a score is negative or negligible; all 1 where no weight is left.
        """
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
    """Codes numbered in the order of their first occurrence; -1 stays.

    Stored codes depend on rows that were removed; these do not.
    """
    order = first_seen(codes)
    numbers = np.full(int(codes.max(initial=-1)) + 2, -1)
    numbers[order] = np.arange(order.size)
    return numbers[codes]  # -1 is the last place


def shuffled(n: int) -> IdArray:
    """The numbers 0 to n - 1 in a fixed pseudo-random order, sorted by the keys that SplitMix64 gives them."""
    return np.argsort(splitmix(0, n), kind="stable")


def splitmix(seed: int, n: int) -> NDArray[np.uint64]:
    """The first ``n`` numbers of SplitMix64, as the compiled core draws them (Steele, Lea & Flood 2014)."""
    z = np.uint64(seed % 2**64) + np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: NDArray[np.uint64] = z ^ (z >> np.uint64(31))
    return mixed


def fixed_sample(n: int, size: int) -> IdArray:
    """At most ``size`` of the numbers 0 to n - 1, ascending, always the same ones.

    They are not evenly spaced: where classes alternate, every second row would be of one class.
    """
    return np.sort(shuffled(n)[:size]) if size < n else np.arange(n, dtype=np.int64)
