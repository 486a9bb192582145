"""The table to be reduced: its rows, their targets and the distance between them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorcase._core import Plan
from priorcase._typing import FloatArray, IdArray
from priorcase.exceptions import DistanceError, ParameterError, TargetError
from priorcase.instances import Instances
from priorcase.learning.training import training_table
from priorcase.neighbors.base import NeighborsMemory, check_tabled, tabled_columns, with_tabled_values
from priorcase.neighbors.weighting import Weights, resolve_weights
from priorcase.reduction.targets import Targets, TargetSort, read_targets
from priorcase.relevance.weighing import Learned
from priorcase.schema import Numeric, Schema
from priorcase.similarity import resolve


@dataclass(frozen=True, eq=False)
class Rows:
    """T, all rows of the table; the distance keeps their statistics whoever leaves. A row is named by its position.

    Parameters
    ----------
    memory
        The rows with their distance and index.
    targets
        What they are kept for.
    threads
        How many threads share the work.
    owner
        Who reduces them, for messages.
    """

    memory: NeighborsMemory
    targets: Targets
    threads: int
    owner: str

    def __len__(self) -> int:
        return len(self.memory)

    @property
    def schema(self) -> Schema:
        """What the columns mean."""
        return self.memory.instances.schema

    @cached_property
    def plan(self) -> Plan:
        """The distance for the compiled core."""
        return self.memory.fitted.plan()

    @cached_property
    def cells(self) -> FloatArray:
        """The rows as the compiled core expects them."""
        return np.ascontiguousarray(self.memory.fitted.prepare(self.memory.instances.cells()))

    @property
    def weights(self) -> FloatArray:
        """One weight for each attribute."""
        weights = self.memory.attribute_weights
        return np.ones(len(self.schema)) if weights is None else np.ascontiguousarray(weights)

    def arguments(self, at: IdArray) -> tuple[Plan, NDArray[np.uint8], FloatArray, FloatArray]:
        """Plan, kinds, cells and weights of some rows, with which everything in the core begins."""
        coded = np.array([not isinstance(kind, Numeric) for kind in self.schema.kinds], dtype=np.uint8)
        return self.plan, coded, np.ascontiguousarray(self.cells[at]), self.weights

    def labels(self, at: IdArray) -> IdArray:
        """The codes of the classes of some rows."""
        if self.targets.codes is None:
            raise ValueError("numbers have no classes")
        return self.targets.codes[at]

    def check_finite(self) -> None:
        """Refuse numbers so far apart that the distance between them is none."""
        numeric = np.array([isinstance(kind, Numeric) for kind in self.schema.kinds])
        known = numeric & ~np.isnan(self.cells).all(axis=0)
        ends = np.full((2, len(numeric)), np.nan)
        ends[0, known] = np.fmin.reduce(self.cells[:, known], axis=0)
        ends[1, known] = np.fmax.reduce(self.cells[:, known], axis=0)
        if known.any() and np.isinf(self.memory.fitted.costs(ends[0], ends[1:], self.weights)).any():
            raise DistanceError.too_large(self.owner, "distance between two rows")


def read_rows(reducer: Any, X: Any, y: Any, *, sort: TargetSort, threads: int) -> Rows:
    """The table that a reducer is given, refused in words or made ready."""
    distance = resolve(reducer.distance)
    table = training_table(reducer, X)
    if not isinstance(reducer.schema, Schema):
        table = with_tabled_values(table, distance, reducer.schema or ())
    targets = read_targets(y, sort)
    if len(targets) != len(table):
        raise TargetError.length("y", len(targets), len(table))
    check_tabled(table, tabled_columns(table.schema, distance))
    instances = Instances(table.schema, targets.schema)
    memory = NeighborsMemory(
        instances,
        distance,
        owner=type(reducer).__name__,
        target=0,
        attribute_weights=_attribute_weights(reducer, instances, threads),
        algorithm="auto",
    )
    memory.append(table, targets.table(), None)
    memory.check()
    rows = Rows(memory, targets, threads, type(reducer).__name__)
    rows.check_finite()
    return rows


def _attribute_weights(reducer: Any, instances: Instances, threads: int) -> Weights:
    value, owner = reducer.attribute_weights, type(reducer).__name__
    weights = None if value is None else resolve_weights(value, instances, owner=owner, threads=threads)
    if isinstance(weights, Learned) and weights.local is not None:
        expected, hint = "weights that all rows share", "leave local out: rows are compared both ways here."
        raise ParameterError.wrong("attribute_weights", value, expected=expected, hint=hint)
    return weights
