"""Small tables for the tests of similarity and search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from priorcase.instances import Instances
from priorcase.schema import Kind, Nominal, Numeric, Ordinal, Schema

LEVELS = ("low", "middle", "high", "top")
MIXED: tuple[Kind, ...] = (Numeric(), Nominal(), Ordinal(LEVELS), Numeric())


def store(
    kinds: Sequence[Kind],
    rows: Sequence[Sequence[Any]],
    classes: Sequence[Any] | None = None,
    weights: Sequence[float] | None = None,
    names: tuple[str, ...] | None = None,
    target: Kind | None = None,
) -> Instances:
    """Instances with these rows; the target is nominal unless said otherwise."""
    schema = Schema(names, tuple(kinds))
    targets = None if classes is None else Schema(None, (target or Nominal(),))
    instances = Instances(schema, targets)
    add(instances, rows, classes, weights)
    return instances


def add(
    instances: Instances,
    rows: Sequence[Sequence[Any]],
    classes: Sequence[Any] | None = None,
    weights: Sequence[float] | None = None,
) -> np.ndarray[Any, Any]:
    """Append rows; their ids."""
    if not rows:
        return np.empty(0, np.int64)
    table = instances.schema.read(_objects(rows))
    targets = None if classes is None else instances.targets.read(_objects([[c] for c in classes]))
    return instances.append(table, targets, weights)


def encode(instances: Instances, rows: Sequence[Sequence[Any]]) -> np.ndarray[Any, Any]:
    """Query rows as cells."""
    return instances.encode(instances.schema.read(_objects(rows)))


def _objects(rows: Sequence[Sequence[Any]]) -> np.ndarray[Any, Any]:
    array = np.empty((len(rows), len(rows[0])), dtype=object)
    for i, row in enumerate(rows):
        array[i] = list(row)
    return array


# Whole numbers from 0 to 10 with both ends present make every interval of max(5, classes) = 5 exactly 2 wide.
numbers = st.none() | st.integers(0, 10)
symbols = st.none() | st.sampled_from(("a", "b", "c"))
levels = st.none() | st.sampled_from(LEVELS)
labels = st.sampled_from(("x", "y", "z"))
mixed_rows = st.tuples(numbers, symbols, levels, numbers)
ENDS = [(0, "a", "low", 10), (10, "b", "top", 0)]

queries = st.tuples(
    st.none() | st.integers(-4, 14),
    st.none() | st.sampled_from(("a", "b", "c", "never seen")),
    st.none() | st.sampled_from((*LEVELS, "undeclared")),
    st.none() | st.sampled_from((-1, 0, 0.25, 3, 7.5, 10, 12)),
)


@st.composite
def mixed_cases(draw: st.DrawFn, weighted: bool = True) -> tuple[list[Any], list[str], list[int]]:
    """Rows of the kinds MIXED, their classes and whole-numbered weights."""
    rows = ENDS + draw(st.lists(mixed_rows, max_size=8))
    classes = draw(st.lists(labels, min_size=len(rows), max_size=len(rows)))
    weights = st.lists(st.integers(1, 3), min_size=len(rows), max_size=len(rows))
    return rows, classes, draw(weights) if weighted else [1] * len(rows)


def ranked(row: Sequence[Any]) -> list[Any]:
    """A row of the kinds MIXED as the reference wants it: levels by rank, -1 for one that was not declared."""
    level = row[2]
    rank = None if level is None else LEVELS.index(level) if level in LEVELS else -1
    return [row[0], row[1], rank, row[3]]
