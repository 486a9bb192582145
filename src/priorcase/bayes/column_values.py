"""The values that a discrete column can have, in an order that no history changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from priorcase._typing import AnyArray, IntArray, Value
from priorcase.bayes.counts import MISSING
from priorcase.bayes.intervals import intervals
from priorcase.bayes.statistics import Discrete
from priorcase.instances import Instances
from priorcase.learning.targets import objects
from priorcase.schema import Kind, Nominal
from priorcase.schema.values import canonical, content_of, family


@dataclass(frozen=True, eq=False)
class ColumnValues:
    """Values, and the cells in which they are counted.

    Parameters
    ----------
    values
        Declared values and levels in declared order, other values ascending, bins as intervals ascending; last None
        for a gap where gaps count and occur.
    cells
        The cell of each.
    """

    values: AnyArray
    cells: IntArray


def column_values(discrete: Discrete, d: int, instances: Instances) -> ColumnValues:
    """The values of discrete attribute ``d`` that some row holds or that are declared."""
    a, cuts, codes = discrete.attributes[d], discrete.cuts[d], discrete.codes(d)
    kind = instances.schema.kinds[a]
    held = np.flatnonzero(discrete.inside[codes])
    names: Sequence[Value] = instances.values(a) if cuts is None else intervals(cuts)
    held = held[shown_order([names[code] for code in held.tolist()], kind)]
    values, cells = [names[code] for code in held.tolist()], codes.start + held
    gap = int(discrete.starts[d]) + MISSING
    if discrete.inside[gap]:
        values, cells = [*values, None], np.append(cells, gap)
    return ColumnValues(value_array(values), cells)


def shown_order(values: Sequence[Value], kind: Kind) -> list[int]:
    """The positions of a column's values as they are shown: of values that are not declared, ascending.

    Examples
    --------
    >>> shown_order(["b", "c", "a"], Nominal()), shown_order(["b", "c", "a"], Nominal(("b", "c", "a")))
    ([2, 0, 1], [0, 1, 2])
    """
    positions = range(len(values))
    if isinstance(kind, Nominal) and kind.values is None:
        return sorted(positions, key=lambda i: ascending(values[i]))
    return list(positions)


def ascending(value: Value) -> tuple[int, Any]:
    """A key to sort values of any types by: booleans, numbers, texts, then all others by their type and ``repr``.

    Examples
    --------
    >>> sorted(["b", 10, "a", 9.5, True, ("x", 1)], key=ascending)
    [True, 9.5, 10, 'a', 'b', ('x', 1)]
    """
    rank = {"boolean": 0, "number": 1, "text": 2}.get(family(type(value)), 3)
    if rank == 1:
        number: Any = value
        return rank, Fraction(number)  # decimals and fractions do not compare with each other
    return rank, canonical(value) if rank == 3 else value


def value_array(values: Sequence[Value]) -> AnyArray:
    """Values as an array of text, whole numbers or booleans where they all are that, of objects otherwise.

    Examples
    --------
    >>> value_array(("red", "blue")), value_array((1, "1"))
    (array(['red', 'blue'], dtype='<U4'), array([1, '1'], dtype=object))
    """
    # Text of fixed width would drop null characters at the end.
    if content_of(values) != "any" and not any(str(value).endswith("\0") for value in values):
        array = np.array(values)
        if len({type(value) for value in values}) == 1 and array.dtype.kind in "Ubi":
            return array
    return objects(list(values))
