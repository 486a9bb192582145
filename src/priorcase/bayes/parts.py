"""Attributes of a Bayes model: dates, circular numbers and sets are split into parts, other columns are unchanged.

A date becomes a number (the elapsed time) and, depending on its parts, the month, the weekday and the hour. A circular
number is reduced to one period, starting at 0. A set becomes one attribute for each member that occurs in the stored
rows; the attribute states whether the set contains the member.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._typing import FloatArray, IntArray, Name, Value
from priorcase.exceptions import TooLargeError
from priorcase.instances import Instances
from priorcase.learning.resampling import stored_table
from priorcase.learning.results import attribute_names, free_label
from priorcase.schema import Circular, Coded, Date, Kind, Nominal, Numeric, Ordinal, ReadColumn, Schema, Set, Table
from priorcase.schema.dates import DAY
from priorcase.schema.kinds import DatePart, canonical
from priorcase.similarity.periodic import parts_of
from priorcase.similarity.statistics import Statistics

MOST_MEMBERS = 4096
"""Maximum number of distinct members in all sets of a column."""

ARCS = 12
"""Number of arcs of equal length into which circular columns are divided by default."""

_HOUR = DAY / 24
_NAMES: dict[DatePart, tuple[Value, ...]] = {
    "season": ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
    "weekday": ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
    "hour": tuple(range(24)),
}
_YES_OR_NO = (False, True)


def has_parts(schema: Schema) -> bool:
    """Return whether any column of a schema is split into parts."""
    return any(isinstance(kind, (Date, Circular, Set)) for kind in schema.kinds)


@dataclass(frozen=True, eq=False)
class Parts:
    """Conversion of the columns of a table (schema ``source``) to attributes (schema ``schema``)."""

    source: Schema
    schema: Schema
    columns: IntArray
    """The column of each attribute, ascending."""
    taken: tuple[tuple[Any, ...] | None, ...]
    """The parts of each date and the members of each set; None for other columns."""
    known: bool = False
    """Whether each set has an additional attribute that only states whether the set is missing."""
    arcs: bool = False
    """Whether circular numbers are binned into arcs, represented by their midpoints."""

    @classmethod
    def of(cls, instances: Instances, *, known: bool = False, arcs: bool = False) -> Parts:
        """Create the conversion from stored rows; they determine set members, and date parts for ``parts="auto"``."""
        statistics, taken = Statistics(instances, None), list[tuple[Any, ...] | None]()
        for a, kind in enumerate(instances.schema.kinds):
            if isinstance(kind, Date):
                taken.append(parts_of(statistics.column(a)) if kind.parts == "auto" else kind.parts)
            else:
                taken.append(_members(instances, a) if isinstance(kind, Set) else None)
        return cls.taking(instances.schema, tuple(taken), known=known, arcs=arcs)

    @classmethod
    def taking(
        cls, source: Schema, taken: tuple[tuple[Any, ...] | None, ...], *, known: bool = False, arcs: bool = False
    ) -> Parts:
        """Create the conversion from the parts of each date and the members of each set; for ``taken`` see `Parts`."""
        columns, names, kinds, labels = list[int](), list[Name](), list[Kind](), attribute_names(source)
        for a, (kind, found) in enumerate(zip(source.kinds, taken, strict=True)):
            parts: tuple[Any, ...] = found or ()
            if isinstance(kind, Date):
                kinds += [Ordinal(_NAMES[part]) if part in _NAMES else Numeric() for part in parts]
            elif isinstance(kind, Set):
                kinds += [Nominal(_YES_OR_NO)] * len(parts)
                if known or not parts:
                    kinds.insert(len(names), Ordinal(("known",)))
                    parts = ("known", *parts)
            elif isinstance(kind, Circular):
                kinds.append(Ordinal(tuple(kind.period * (i + 0.5) / ARCS for i in range(ARCS))) if arcs else Numeric())
            else:
                kinds.append(kind)
            names += [f"{labels[a]} ({part})" for part in parts] or [source.label(a)]
            columns += [a] * (len(names) - len(columns))
        held: set[Name] = {source.label(a) for a, found in enumerate(taken) if found is None}
        for i, a in enumerate(columns):
            if taken[a] is not None:
                names[i] = free_label(str(names[i]), held)
                held.add(names[i])
        return cls(source, Schema(tuple(names), tuple(kinds)), np.array(columns, np.intp), taken, known, arcs)

    def attributes_of(self, a: int) -> IntArray:
        """Return the positions of the attributes of a column."""
        return np.flatnonzero(self.columns == a)

    @property
    def members(self) -> IntArray:
        """Positions of the attributes that indicate members of sets."""
        pairs = enumerate(zip(self.columns.tolist(), self.schema.kinds, strict=True))
        found = [i for i, (a, kind) in pairs if isinstance(self.source.kinds[a], Set) and isinstance(kind, Nominal)]
        return np.array(found, np.intp)

    def table(self, table: Table) -> Table:
        """Return a table in which each column is replaced by its attributes."""
        found = list[ReadColumn]()
        for kind, parts, column in zip(self.source.kinds, self.taken, table.columns, strict=True):
            if parts is not None and isinstance(column, Coded):
                if self.known or not parts:
                    found.append(np.where(column.codes < 0, np.nan, 0.0))
                found += _memberships(column, parts)
            elif parts is not None:
                found += [_date_part(part, np.asarray(column)) for part in parts]
            elif isinstance(kind, Circular):
                turned = np.mod(np.asarray(column), kind.period)
                found.append(np.minimum(np.floor(turned / kind.period * ARCS), ARCS - 1) if self.arcs else turned)
            else:
                found.append(column)
        return Table(self.schema, len(table), tuple(found))

    def instances(self, instances: Instances) -> Instances:
        """Return stored rows in which each column is replaced by its attributes; ids, targets and weights are kept."""
        table = self.table(stored_table(instances, np.arange(len(instances))))
        columns: list[Any] = [
            [column.codes, list(column.values)] if isinstance(column, Coded) else [column, None]
            for column in table.columns
        ]
        targets = instances.targets
        columns += [[instances.target(t), list(instances.target_values(t))] for t in range(len(targets or ()))]
        rest = instances.ids, instances.weights, instances.next_id
        return Instances.restored(self.schema, targets, columns, *rest)


def _members(instances: Instances, a: int) -> tuple[Value, ...]:
    """Return the members of the stored sets of a column, in an order that does not depend on the order of the rows."""
    found: set[Value] = set()
    for value in instances.known(a):
        found |= value  # type: ignore[arg-type]
    if len(found) > MOST_MEMBERS:
        raise TooLargeError(
            f"column {instances.schema.label(a)!r} has sets with {len(found):,} different members in all; expected at "
            f"most {MOST_MEMBERS:,}. Merge rare members, or drop the column."
        )
    return tuple(sorted(found, key=canonical))


def _memberships(column: Coded, members: Sequence[Value]) -> list[ReadColumn]:
    """Return an indicator column for each member; members of the sets that are not in ``members`` are ignored."""
    places = {member: j for j, member in enumerate(members)}
    has = np.zeros((len(members), len(column.values) + 1), np.int8)
    has[:, -1] = -1  # missing
    for code in np.unique(column.codes[column.codes >= 0]).tolist():
        value: Any = column.values[code]
        has[[places[member] for member in value if member in places], code] = 1
    return [Coded(one[column.codes], _YES_OR_NO) for one in has]


def _date_part(part: DatePart, seconds: FloatArray) -> FloatArray:
    """Return a part of dates: elapsed seconds, or the rank of the month, the weekday or the hour."""
    if part == "elapsed":
        return seconds
    known = ~np.isnan(seconds)
    found, days = np.full(len(seconds), np.nan), np.floor(seconds[known] / DAY)
    if part == "season":
        months = days.astype(np.int64).astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
        found[known] = months % 12
    elif part == "weekday":
        found[known] = (days + 3) % 7  # 1970 began on a Thursday
    else:
        found[known] = np.clip(np.floor((seconds[known] - days * DAY) / _HOUR), 0, 23)
    return found
