"""Warnings about queries unlike the stored rows: values that no row has, and numbers far outside the stored range.

Each call of a public method warns at most once about each of the two. Calls by other parts of the library, as in
leave-one-out, tuning, explanations and reports, do not warn.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np

from priorcase._typing import BoolArray, FloatArray, Value
from priorcase.exceptions import (
    FarQueryWarning,
    UnseenValuesWarning,
    joined,
    nearest,
    quoted,
    similar_value,
    warn_caller,
)
from priorcase.instances import Instances
from priorcase.learning import state
from priorcase.schema import Circular, Date, Kind, Nominal, Numeric, Ordinal, Set, Table, Text
from priorcase.schema.dates import date_of

_WIDTHS, _WIDTHS_OF_ONE_ROW = 3.0, 30.0  # a number is far if it is beyond the range by 3 + 30 / n times its width
_VALUES = 3  # unseen values named for each column
_DECORATORS = {"reads.<locals>.inner": False, "changes.<locals>.inner": True}


@dataclass(frozen=True, eq=False)
class Ranges:
    """The smallest and the largest number of each column, and the limits beyond which a number is far."""

    version: int
    low: FloatArray
    high: FloatArray
    least: FloatArray
    most: FloatArray
    numeric: list[tuple[int, float, float]]  # columns with their limits
    coded: list[int]  # nominal columns whose values may be unseen
    ordinal: list[int]

    @classmethod
    def of(cls, instances: Instances) -> Ranges:
        kinds = instances.schema.kinds
        low, high = np.full(len(kinds), -np.inf), np.full(len(kinds), np.inf)
        margin = np.zeros(len(kinds))
        for a, kind in enumerate(kinds):
            if not isinstance(kind, Numeric) or isinstance(kind, Circular):
                continue
            n_known, *ends = instances.range_of(a)
            if n_known == 0:
                continue
            low[a], high[a] = ends
            with np.errstate(over="ignore"):
                width = high[a] - low[a] or max(abs(high[a]), 1.0)
                margin[a] = (_WIDTHS + _WIDTHS_OF_ONE_ROW / n_known) * width
        with np.errstate(over="ignore"):
            least, most = low - margin, high + margin
        numeric = [(a, float(least[a]), float(most[a])) for a in np.flatnonzero(np.isfinite(low)).tolist()]
        coded = [a for a, kind in enumerate(kinds) if isinstance(kind, Nominal) and not isinstance(kind, (Text, Set))]
        ordinal = [a for a, kind in enumerate(kinds) if isinstance(kind, Ordinal)]
        return cls(instances.version, low, high, least, most, numeric, coded, ordinal)


def warn_drift(table: Table, memory: state.Memory) -> None:
    """Warn the user about unseen values and far numbers in queries, unless another part of the library asks."""
    instances = memory.instances
    known = memory._cache.get("ranges")
    if known is not None and table.rows == 1 and not _is_strange(table.row, instances, known[1]):
        return  # single rows must be quick
    if not isinstance(instances, Instances) or not len(instances):
        return
    far = _far(table, memory)
    unseen = _unseen(table, instances, _ranges(memory, current=False))
    if (far or unseen) and _is_asked_by_user():
        if unseen:
            warn_caller(_unseen_warning(table, instances, unseen))
        if far:
            warn_caller(_far_warning(table, instances, far, _ranges(memory)))


# -- numbers


def _ranges(memory: state.Memory, *, current: bool = True) -> Ranges:
    """Return the ranges of the stored numbers; they may be those of earlier rows if they need not be current."""
    found: Ranges | None = memory._cache.get("ranges", (None, None))[1]
    if found is None or (current and found.version != memory.instances.version):
        found = Ranges.of(memory.instances)
        memory._cache["ranges"] = found.version, found
    return found


def _far(table: Table, memory: state.Memory) -> dict[int, BoolArray]:
    """Return the columns that have far numbers, with a mask of the rows."""
    # Rows that were added since the ranges were computed can only widen them.
    if not _beyond(table, _ranges(memory, current=False)):
        return {}
    ranges = _ranges(memory)
    found = {}
    for a in _beyond(table, ranges):
        numbers: Any = table.columns[a]
        found[a] = (numbers < ranges.least[a]) | (numbers > ranges.most[a])
    return found


def _beyond(table: Table, ranges: Ranges) -> list[int]:
    """Return the columns that have numbers beyond the limits."""
    if table.block is not None and len(table) > 1:
        low, high = np.fmin.reduce(table.block, axis=0), np.fmax.reduce(table.block, axis=0)
        return np.flatnonzero((low < ranges.least) | (high > ranges.most)).tolist()
    found = []
    for a, least, most in ranges.numeric:
        numbers: Any = table.columns[a]
        if np.fmin.reduce(numbers) < least or np.fmax.reduce(numbers) > most:
            found.append(a)
    return found


def _far_warning(table: Table, instances: Instances, far: dict[int, BoolArray], ranges: Ranges) -> FarQueryWarning:
    told = []
    rows = np.zeros(len(table), bool)
    for a, mask in far.items():
        rows |= mask
        kind, numbers = instances.schema.kinds[a], np.asarray(table.columns[a])[mask]
        first, low, high = (_shown(kind, number) for number in (numbers[0], ranges.low[a], ranges.high[a]))
        told.append(
            f"{instances.schema.label(a)!r} ({first} in {_of_rows(len(numbers), len(table))}; "
            f"the stored rows have {low} to {high})"
        )
    columns = "column" if len(told) == 1 else "columns"
    warning = FarQueryWarning(
        f"numbers far outside the range of the stored rows in {columns} {joined(told)}. The predictions may be "
        "meaningless; check the units and decimal marks."
    )
    warning.queries = tuple(np.flatnonzero(rows).tolist())
    return warning


def _shown(kind: Kind, number: float) -> str:
    return f"{date_of(number):%Y-%m-%d}" if isinstance(kind, Date) else f"{number:g}"


# -- values


def _unseen(table: Table, instances: Instances, ranges: Ranges) -> list[tuple[int, BoolArray, list[Value]]]:
    """Return the columns that have unseen values or levels, with a mask of the rows and the values."""
    if table.block is not None:
        return []
    found = list[tuple[int, BoolArray, list[Value]]]()
    for a in ranges.coded:
        column: Any = table.columns[a]
        numbers = [number for number, value in enumerate(column.values) if instances.code(a, value) < 0]
        if numbers and (mask := np.isin(column.codes, numbers)).any():
            found.append((a, mask, [column.values[number] for number in np.unique(column.codes[mask]).tolist()]))
    for a in ranges.ordinal:
        ranks: Any = table.columns[a]
        if (mask := ranks < 0).any():
            found.append((a, mask, []))
    return sorted(found, key=lambda one: one[0])


def _is_strange(row: Any, instances: Instances, ranges: Ranges) -> bool:
    """Return whether a single row has a far number, or an unseen value or level."""
    for a, least, most in ranges.numeric:
        if row[a] < least or row[a] > most:
            return True
    for a in ranges.coded:
        if row[a] is not None and instances.code(a, row[a]) < 0:
            return True
    return any(row[a] < 0 for a in ranges.ordinal)


def _unseen_warning(
    table: Table, instances: Instances, unseen: Sequence[tuple[int, BoolArray, list[Value]]]
) -> UnseenValuesWarning:
    told = [
        f"{instances.schema.label(a)!r} ({_values(values, instances, a)} in {_of_rows(int(mask.sum()), len(table))})"
        for a, mask, values in unseen
    ]
    columns = "column" if len(told) == 1 else "columns"
    warning = UnseenValuesWarning(f"values that no stored row has in {columns} {joined(told)}.")
    warning.columns = tuple(instances.schema.label(a) for a, *_ in unseen)
    return warning


def _values(values: Sequence[Value], instances: Instances, a: int) -> str:
    """Return a list of unseen values, with the known values that are spelled most similarly."""
    if not values:
        return "levels outside the order"
    known, told = instances.known(a), []
    for value in values[:_VALUES]:
        meant = similar_value(value, known) or nearest(value, known)
        told.append(quoted(value) + ("" if meant is None else f" (did you mean {meant!r}?)"))
    more = len(values) - len(told)
    return ", ".join(told) + (f" and {more:,} more" if more else "")


def _of_rows(count: int, rows: int) -> str:
    return f"{count:,} of {rows:,} row{'s' * (rows > 1)}"


# -- calls


def _is_asked_by_user() -> bool:
    """Return whether a public method that only reads its estimator was called from outside the library."""
    frame: FrameType | None = sys._getframe(1)
    inside = False
    while frame is not None:
        name, code = frame.f_globals.get("__name__", ""), frame.f_code
        if name == state.__name__ and code.co_qualname in _DECORATORS:
            if _DECORATORS[code.co_qualname]:
                return False
            inside = True
        elif inside and name.startswith("priorcase.") and name != "priorcase.batches":
            # Below another decorated method, the library's own code is part of the user's call.
            inside = False
        frame = frame.f_back
    return inside
