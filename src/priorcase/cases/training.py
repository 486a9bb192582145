"""Cases as the table that a learner is fitted to, and queries as rows of the same table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import numpy as np

from priorcase._typing import AnyArray, IdArray, IntArray
from priorcase.cases import kinds
from priorcase.cases.checks import check_known, rows_of
from priorcase.cases.kinds import CaseKind, Graph, Stored
from priorcase.cases.table import BESIDE, CaseTable
from priorcase.exceptions import CaseBaseError, ParameterError, listed, named, quoted
from priorcase.schema import Coded, Date, Nominal, Numeric, Ordinal, Set, Text
from priorcase.schema.columns import ArrayColumn, Column, ObjectColumn
from priorcase.schema.kinds import content_of, identity
from priorcase.schema.schema import Source

MOST_MEMBERS = 100
"""So many members of a set, the most frequent ones, get a column of their own."""


@dataclass(frozen=True, eq=False, repr=False)
class CaseRows(Source):
    """Rows that learners take as X; their columns have the kinds of the attributes they came from."""

    def __len__(self) -> int:
        return self.rows

    def __repr__(self) -> str:
        names = ", ".join(map(str, self.names or ()))
        return f"CaseRows: {self.rows} row{'s' * (self.rows != 1)} of {names}"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        """The rows as an array of objects, None where a value is missing."""
        array: AnyArray = np.empty(self.shape, dtype=object)
        for a, column in enumerate(self.columns):
            coded = column.coded()
            values = np.empty(len(coded.values) + 1, dtype=object)
            values[:-1] = list(coded.values)
            array[:, a] = values[coded.codes]
        return array if dtype is None else array.astype(dtype)

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows, len(self.columns)

    def take(self, rows: slice | IntArray) -> CaseRows:
        columns: list[Column] = []
        for column in self.columns:
            if isinstance(column, Coded):
                columns.append(column[rows])
            else:
                assert isinstance(column, ArrayColumn)  # layouts make no other columns
                columns.append(replace(column, array=column.array[rows]))
        return replace(self, columns=tuple(columns), rows=len(np.arange(self.rows)[rows]))

    __getitem__ = take


@dataclass(frozen=True)
class Layout:
    """The columns that attributes become.

    ==================  =============================================================================================
    numeric, date       numbers; dates are days, with fractions
    ordinal             levels in their order
    nominal, taxonomy   names; of a taxonomy only whether two nodes are the same counts
    set                 a yes/no column for each member, the `MOST_MEMBERS` most frequent; missing where the set is
    text, graph         none
    ==================  =============================================================================================

    `members` has the members with columns for each set, `ignored` the other attributes, which queries may have too.
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
                f"got {named('column', repeated)} twice, once for a member of a set. Leave one of the attributes out."
            )
        return layout

    @property
    def columns(self) -> list[str]:
        found: list[str] = []
        for name in self.attributes:
            members = self.members.get(name)
            found += [name] if members is None else [f"{name} has {member!r}" for member in members]
        return found

    def rows(self, table: CaseTable, positions: IntArray) -> CaseRows:
        columns: list[Column] = []
        for name, kind in self.attributes.items():
            held = table.column(name)
            columns += self._columns(name, kind, held.codes[positions], held.values)
        return CaseRows(tuple(self.columns), tuple(columns), len(positions))

    def queries(self, queries: Iterable[Mapping[str, Any]]) -> CaseRows:
        """Queries as rows of the same table; attributes that they leave out are missing."""
        queries = rows_of(queries)
        for query in queries:
            check_known(query, [*self.attributes, *self.ignored])
        columns: list[Column] = []
        for name, kind in self.attributes.items():
            coded = ObjectColumn([kinds.check(kind, query.get(name), attribute=name) for query in queries]).coded()
            columns += self._columns(name, kind, coded.codes, coded.values)
        return CaseRows(tuple(self.columns), tuple(columns), len(queries))

    def _columns(self, name: str, kind: CaseKind, codes: IntArray, values: Sequence[Any]) -> list[Column]:
        """The columns of one attribute, whose values are coded; -1 is missing."""
        if isinstance(kind, Numeric | Date):
            number = kinds.days if isinstance(kind, Date) else float
            return [ArrayColumn(np.array([*map(number, values), np.nan], dtype=np.float64)[codes])]
        if isinstance(kind, Set):
            has = [[_has(value, member) for value in values] for member in self.members[name]]
            return [Coded(np.array([*each, -1], dtype=np.int32)[codes], (False, True)) for each in has]
        if isinstance(kind, Ordinal):
            return [replace(_recoded(codes, values, kind.order), ordered=True)]
        if isinstance(kind, Nominal) and kind.values is not None:
            return [replace(_recoded(codes, values, kind.values), closed=True)]
        used, first = np.unique(codes[codes >= 0], return_index=True)
        used = used[np.argsort(first, kind="stable")]  # values that some row has, in order of first appearance
        return [_recoded(codes, values, [values[code] for code in used], used)]

    def describe(self) -> dict[str, Any]:
        return {
            "attributes": [[name, kinds.describe(kind)] for name, kind in self.attributes.items()],
            "members": {name: list(members) for name, members in self.members.items()},
            "ignored": list(self.ignored),
        }

    @classmethod
    def from_description(cls, found: Mapping[str, Any]) -> Layout:
        attributes = {name: kinds.from_description(kind) for name, kind in found["attributes"]}
        members = {name: tuple(members) for name, members in found["members"].items()}
        return cls(attributes, members, tuple(found["ignored"]))


def _frequent(table: CaseTable, name: str, positions: IntArray) -> tuple[Any, ...]:
    """The members of a set that get columns: the most frequent ones, in the order in which sets are stored."""
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


def _recoded(codes: IntArray, values: Sequence[Stored], levels: Sequence[Any], used: IntArray | None = None) -> Coded:
    """Codes into levels; a value that is no level can only be in a query, and is unseen."""
    everything = list(levels)
    places = {identity(value): place for place, value in enumerate(everything)}
    table: IntArray = np.full(len(values) + 1, -1, dtype=np.int32)
    for code in range(len(values)) if used is None else used.tolist():
        place = table[code] = places.setdefault(identity(values[code]), len(everything))
        if place == len(everything):
            everything.append(values[code])
    return Coded(table[codes], tuple(everything))


@dataclass(frozen=True, eq=False)
class TrainingTable:
    """What a learner is fitted to: rows, targets (None without) and the id of the case of each row.

    `left_out` are attributes that were not asked for by name and that no column can be made of; `without_target` and
    `retired` count the cases that were left out.
    """

    X: CaseRows
    y: AnyArray | None
    ids: IdArray
    layout: Layout
    left_out: tuple[str, ...]
    without_target: int
    retired: int

    def digest(self) -> str:
        check = sha256(json.dumps([self.layout.describe(), list(self.X.names or ())], sort_keys=True).encode())
        check.update(self.ids.tobytes())
        for column in self.X.columns:
            coded = column.coded()
            check.update(repr(list(coded.values)).encode("utf-8", "surrogatepass"))
            check.update(np.asarray(coded.codes, np.int32).tobytes())
        if self.y is not None:
            check.update(repr(self.y.tolist()).encode("utf-8", "surrogatepass"))
        return check.hexdigest()


def training_table(
    table: CaseTable,
    attributes: Iterable[str] | None = None,
    target: str | None = "solution",
    *,
    ids: Sequence[int] | IdArray | None = None,
) -> TrainingTable:
    """The table that a learner is fitted to, without retired cases and cases that have no target.

    Attributes None are all that columns can be made of, other than the target; a target None is for learners without
    targets; ids None are all cases.
    """
    codes, targets = (None, None) if target is None else _targets(table, target)
    used, left_out = _used_attributes(table, attributes, target)
    wanted = ~table.retired
    if ids is not None:
        wanted &= np.isin(table.ids, np.asarray(ids, dtype=np.int64))
    positions = np.flatnonzero(wanted if codes is None else wanted & (codes >= 0))
    cases = int(np.count_nonzero(wanted))
    if not len(positions):
        found = f"none of the {cases:,} cases has the target {str(target)!r}" if cases else "the case base has no cases"
        raise CaseBaseError(f"cannot learn: {found}. Name another target: 'solution', 'outcome' or an attribute.")
    layout = Layout.of(table, used, positions)
    y = None if codes is None or targets is None else targets[codes[positions]]
    retired = int(np.count_nonzero(table.retired))
    rows = layout.rows(table, positions)
    return TrainingTable(rows, y, table.ids[positions].copy(), layout, left_out, cases - len(positions), retired)


def _used_attributes(
    table: CaseTable, attributes: Iterable[str] | None, target: str | None
) -> tuple[list[str], tuple[str, ...]]:
    """Attributes to learn from, and those left out without being asked for."""
    readable = [name for name, kind in table.attributes.items() if not isinstance(kind, Text | Graph)]
    left_out: tuple[str, ...] = ()
    if attributes is None:
        used = [name for name in readable if name != target]
        left_out = tuple(name for name in table.attributes if name not in readable and name != target)
    else:
        used = list(attributes) if isinstance(attributes, Iterable) and not isinstance(attributes, str) else []
        if not used or len(set(used)) < len(used) or target in used:
            raise ParameterError(
                f"attributes must be a list of distinct names without the target, got {quoted(attributes)}. Leave "
                "attributes out to learn from all of them."
            )
        check_known(used, table.attributes)
        if strange := [
            f"{name!r} ({kinds.kind_name(table.attributes[name])})" for name in used if name not in readable
        ]:
            raise CaseBaseError(
                f"got attributes that learners cannot read: {', '.join(strange)}. Leave them out; they count in "
                "retrieve, and words of a text can be a set attribute."
            )
    if not used:
        raise CaseBaseError(
            "found no attribute to learn from: each is the target, or a text or a graph. Declare numeric, ordinal, "
            "nominal, date, set or taxonomy attributes."
        )
    return used, left_out


def _targets(table: CaseTable, target: str) -> tuple[IntArray, AnyArray]:
    """Distinct targets, all text, all numbers or all booleans, and for each case a place among them, or -1."""
    check_known([target], [*BESIDE, *table.attributes])
    column = table.column(target)
    if isinstance(column.kind, Text | Graph | Set):
        raise CaseBaseError(
            f"got target={target!r}, a {kinds.kind_name(column.kind)} attribute; expected numbers, dates, levels or "
            "names. Name another target: 'solution', 'outcome' or such an attribute."
        )
    values: Sequence[Any] = column.values
    if column.kind is None:
        values = [kinds.plain_shown(str(text)) for text in column.values]
    elif isinstance(column.kind, Date):
        values = column.numbers().tolist()
    sorts = {content_of([value]) for value in values}
    if len(sorts) > 1 or not sorts <= {"text", "numbers", "booleans"}:
        examples = listed(list({content_of([value]): value for value in reversed(values)}.values())[::-1], limit=3)
        raise CaseBaseError(
            f"got the target {target!r} with values such as {examples}. Learners take only text, only numbers or only "
            "booleans; keep what is to be learned in an attribute."
        )
    if "numbers" in sorts:
        whole = all(isinstance(value, int) and abs(value) < 2**63 for value in values)
        return column.codes, np.array(values, dtype=np.int64 if whole else np.float64)
    if "booleans" in sorts:
        return column.codes, np.array(values, dtype=bool)
    texts = np.empty(len(values), dtype=object)
    texts[:] = values
    return column.codes, texts
