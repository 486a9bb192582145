"""How cases become the columns of a learner's table, and questions become rows of the same table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from priorcase._typing import AnyArray, IntArray
from priorcase.cases import kinds
from priorcase.cases.errors import unknown_attributes
from priorcase.cases.kinds import CaseKind, Date, Graph, Set, Stored, Text
from priorcase.cases.learners.rows import CaseRows
from priorcase.cases.table import CaseTable
from priorcase.exceptions import CaseBaseError, named
from priorcase.schema import Coded, Nominal, Numeric, Ordinal
from priorcase.schema.columns import ArrayColumn, Column, ObjectColumn
from priorcase.schema.kinds import identity

__all__ = ["MOST_MEMBERS", "UNREADABLE", "Layout"]

UNREADABLE = (Text, Graph)
"""Kinds of which no column is made."""

MOST_MEMBERS = 100
"""So many members of a set, the most frequent ones, get a column of their own."""


@dataclass(frozen=True)
class Layout:
    """The columns that attributes become.

    ==================  =============================================================================================
    numeric             numbers
    date                numbers: days, moments with fractions
    ordinal             levels in their order
    nominal, taxonomy   names; of a taxonomy only whether two nodes are the same counts
    set                 a yes/no column for each member, the `MOST_MEMBERS` most frequent; all unknown where the set is
    text, graph         none
    ==================  =============================================================================================

    Parameters
    ----------
    attributes
        The attributes that are read, in order, with their kinds.
    members
        The members that have columns, for each set.
    ignored
        Other attributes of the cases, which questions may have as well.
    """

    attributes: Mapping[str, CaseKind]
    members: Mapping[str, tuple[Any, ...]]
    ignored: tuple[str, ...] = ()

    @classmethod
    def of(cls, table: CaseTable, names: Sequence[str], positions: IntArray) -> Layout:
        """The layout of some attributes, with the members that the cases at some positions have."""
        attributes = {name: table.attributes[name] for name in names}
        members = {
            name: _frequent(table, name, positions) for name, kind in attributes.items() if isinstance(kind, Set)
        }
        layout = cls(attributes, members, tuple(name for name in table.attributes if name not in attributes))
        columns = layout.columns
        if repeated := [name for name in dict.fromkeys(columns) if columns.count(name) > 1]:
            raise CaseBaseError(
                f"would make {named('column', repeated)} twice, one of them for a member of a set. Leave one of the "
                "attributes out."
            )
        return layout

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        found: list[str] = []
        for name in self.attributes:
            members = self.members.get(name)
            found += [name] if members is None else [f"{name} has {member!r}" for member in members]
        return found

    def rows(self, table: CaseTable, positions: IntArray) -> CaseRows:
        """The cases at some positions, as a learner takes them."""
        columns: list[Column] = []
        for name, kind in self.attributes.items():
            held = table.column(name)
            columns += self._columns(name, kind, held.codes[positions], held.values)
        return CaseRows(tuple(self.columns), tuple(columns), len(positions))

    def questions(self, queries: Iterable[Mapping[str, Any]]) -> CaseRows:
        """Questions as rows of the same table; attributes that they leave out are missing.

        Parameters
        ----------
        queries
            Attribute -> value, as people or the table write values.
        """
        queries = list(queries)
        known = {*self.attributes, *self.ignored}
        for query in queries:
            if strange := [name for name in query if name not in known]:
                raise unknown_attributes(strange, known)
        columns: list[Column] = []
        for name, kind in self.attributes.items():
            values = [kinds.check(kind, query.get(name), attribute=name) for query in queries]
            coded = ObjectColumn(values).coded()
            columns += self._columns(name, kind, coded.codes, coded.values)
        return CaseRows(tuple(self.columns), tuple(columns), len(queries))

    def _columns(self, name: str, kind: CaseKind, codes: IntArray, values: Sequence[Any]) -> list[Column]:
        """The columns of one attribute, whose values are coded; -1 is missing."""
        if isinstance(kind, Numeric | Date):
            number = kinds.days if isinstance(kind, Date) else float
            return [ArrayColumn(np.array([*map(number, values), np.nan], dtype=np.float64)[codes])]
        if isinstance(kind, Set):
            return [_yes_no([_has(value, member) for value in values], codes) for member in self.members[name]]
        if isinstance(kind, Ordinal):
            return [replace(_recoded(codes, values, kind.order), ordered=True)]
        if isinstance(kind, Nominal) and kind.values is not None:
            return [replace(_recoded(codes, values, kind.values), closed=True)]
        return [_used(codes, values)]

    def describe(self) -> dict[str, Any]:
        """The layout as plain values that JSON can write down."""
        return {
            "attributes": [[name, kinds.describe(kind)] for name, kind in self.attributes.items()],
            "members": {name: list(members) for name, members in self.members.items()},
            "ignored": list(self.ignored),
        }

    @classmethod
    def from_description(cls, found: Mapping[str, Any]) -> Layout:
        """The layout that `describe` wrote down."""
        attributes = {name: kinds.from_description(kind) for name, kind in found["attributes"]}
        members = {name: tuple(members) for name, members in found["members"].items()}
        return cls(attributes, members, tuple(found["ignored"]))


def _frequent(table: CaseTable, name: str, positions: IntArray) -> tuple[Any, ...]:
    """The members of a set that have columns: the most frequent ones, in the order in which sets are stored."""
    column = table.column(name)
    counts = np.bincount(column.codes[positions] + 1, minlength=len(column.values) + 1)[1:]
    found: dict[Any, tuple[int, Any]] = {}
    for value, times in zip(column.values, counts.tolist(), strict=True):
        for member in value if times else ():  # type: ignore[union-attr]
            key = identity(member)
            found[key] = (found[key][0] + times if key in found else times, member)
    most = sorted(found.values(), key=lambda each: (-each[0], type(each[1]).__name__, str(each[1])))[:MOST_MEMBERS]
    return tuple(sorted((member for _, member in most), key=lambda member: (type(member).__name__, str(member))))


def _has(value: Sequence[Any], member: Any) -> bool:
    """Whether a set has a member; unlike for Python, True is not 1."""
    return any(identity(other) == identity(member) for other in value if other == member)


def _yes_no(has: Sequence[bool], codes: IntArray) -> Column:
    """A column of truth values; missing where the set is."""
    table = np.array([*has, -1], dtype=np.int32)
    return Coded(table[codes], (False, True))


def _recoded(codes: IntArray, values: Sequence[Stored], declared: Sequence[Any]) -> Coded:
    """Codes into declared values; a value that is not declared can only stand in a question, and is unseen."""
    everything = list(declared)
    places = {identity(value): place for place, value in enumerate(everything)}
    for value in values:
        if places.setdefault(identity(value), len(everything)) == len(everything):
            everything.append(value)
    table: AnyArray = np.array([*(places[identity(value)] for value in values), -1], dtype=np.int32)
    return Coded(table[codes], tuple(everything))


def _used(codes: IntArray, values: Sequence[Stored]) -> Coded:
    """Codes into the values that some row holds, in order of first appearance."""
    present, first = np.unique(codes, return_index=True)
    present = present[np.argsort(first, kind="stable")]
    present = present[present >= 0]
    table = np.full(len(values) + 1, -1, dtype=np.int32)
    table[present] = np.arange(len(present), dtype=np.int32)
    return Coded(table[codes], tuple(values[place] for place in present))
