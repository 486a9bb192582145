"""Convert cases to the table that a learner is fitted to, and queries to rows of the same table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, cast

import numpy as np

from priorcase._typing import AnyArray, IdArray, IntArray
from priorcase.cases import kinds
from priorcase.cases.checks import check_known, rows_of
from priorcase.cases.kinds import CaseKind, Graph, Stored
from priorcase.cases.table import BESIDE, CaseTable
from priorcase.exceptions import CaseBaseError, ParameterError, listed, quoted
from priorcase.schema import Coded, Date, Nominal, Numeric, Ordinal, Set, Text
from priorcase.schema.columns import ArrayColumn, Column, ObjectColumn
from priorcase.schema.dates import seconds_of
from priorcase.schema.kinds import canonical, content_of, identity
from priorcase.schema.schema import Source


@dataclass(frozen=True, eq=False, repr=False)
class CaseRows(Source):
    """Rows to pass to learners as X, with columns that have the kinds of the original attributes."""

    def __len__(self) -> int:
        return self.rows

    def __repr__(self) -> str:
        names = ", ".join(map(str, self.names or ()))
        return f"CaseRows: {self.rows:,} row{'s' * (self.rows != 1)} of {names}"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        """Return the rows as an array of objects, with None for missing values."""
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
            assert isinstance(column, (Coded, ArrayColumn))  # layouts make no other columns
            columns.append(column[rows] if isinstance(column, Coded) else replace(column, array=column.array[rows]))
        return replace(self, columns=tuple(columns), rows=len(np.arange(self.rows)[rows]))

    __getitem__ = take


@dataclass(frozen=True)
class Layout:
    """The columns of a learner's table: the attributes that the learner uses, with their kinds."""

    attributes: Mapping[str, CaseKind]
    ignored: tuple[str, ...] = ()  # the other attributes of the case base; queries can contain them

    @classmethod
    def of(cls, table: CaseTable, names: Sequence[str]) -> Layout:
        """Return the layout for some attributes of a table."""
        attributes = {name: table.attributes[name] for name in names}
        return cls(attributes, tuple(name for name in table.attributes if name not in attributes))

    def rows(self, table: CaseTable, positions: IntArray) -> CaseRows:
        held = [table.column(name) for name in self.attributes]
        columns = tuple(_column(kind, c.codes[positions], c.values) for kind, c in zip(self._kinds, held, strict=True))
        return CaseRows(tuple(self.attributes), columns, len(positions))

    def queries(self, queries: Iterable[Mapping[str, Any]]) -> CaseRows:
        """Convert queries to rows of the same table; attributes that a query omits become missing values."""
        queries = rows_of(queries)
        for query in queries:
            check_known(query, [*self.attributes, *self.ignored])
        columns: list[Column] = []
        for name, kind in self.attributes.items():
            coded = ObjectColumn([kinds.check(kind, query.get(name), attribute=name) for query in queries]).coded()
            columns.append(_column(kind, coded.codes, coded.values))
        return CaseRows(tuple(self.attributes), tuple(columns), len(queries))

    @property
    def _kinds(self) -> Iterable[CaseKind]:
        return self.attributes.values()

    def describe(self) -> dict[str, Any]:
        return {
            "attributes": [[name, kinds.describe(kind)] for name, kind in self.attributes.items()],
            "ignored": list(self.ignored),
        }

    @classmethod
    def from_description(cls, found: Mapping[str, Any]) -> Layout:
        attributes = {name: kinds.from_description(kind) for name, kind in found["attributes"]}
        return cls(attributes, tuple(found["ignored"]))


def _column(kind: CaseKind, codes: IntArray, values: Sequence[Any]) -> Column:
    """Return the column of an attribute, made from coded values; the code -1 stands for a missing value."""
    if isinstance(kind, Numeric):
        number = seconds_of if isinstance(kind, Date) else float
        numbers = np.array([*map(number, values), np.nan], dtype=np.float64)[codes]
        return ArrayColumn(numbers, None, None if type(kind) is Numeric else kind)
    if isinstance(kind, Ordinal):
        return replace(_recoded(codes, values, kind.order), ordered=True)
    if type(kind) is Nominal and kind.values is not None:
        return replace(_recoded(codes, values, kind.values), closed=True)
    used, first = np.unique(codes[codes >= 0], return_index=True)
    used = used[np.argsort(first, kind="stable")]  # values that some row has, in order of first appearance
    found = _recoded(codes, values, [values[code] for code in used], used)
    if isinstance(kind, Set):
        found = replace(found, values=tuple(frozenset(cast(Any, members)) for members in found.values))
    assert isinstance(kind, Nominal)  # graphs have no columns
    return found if type(kind) is Nominal else replace(found, implied=kind)


def _recoded(codes: IntArray, values: Sequence[Stored], levels: Sequence[Any], used: IntArray | None = None) -> Coded:
    """Recode values as positions in ``levels``; append other values, which occur only in queries, to the levels."""
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
    """Training data of a learner: rows, targets (None if unsupervised) and the case id of each row."""

    X: CaseRows
    y: AnyArray | None
    ids: IdArray
    layout: Layout
    left_out: tuple[str, ...]  # attributes that were dropped because learners do not support them
    without_target: int  # number of cases that were excluded because they have no target
    retired: int  # number of retired cases in the case base

    def digest(self) -> str:
        check = sha256(json.dumps([self.layout.describe(), list(self.X.names or ())], sort_keys=True).encode())
        check.update(self.ids.tobytes())
        for column in self.X.columns:
            coded = column.coded()
            check.update(canonical(tuple(coded.values)))
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
    """Return the table to which a learner is fitted, without retired cases and cases that have no target."""
    codes, targets = (None, None) if target is None else _targets(table, target)
    used, left_out = _used_attributes(table, attributes, target)
    wanted = ~table.retired
    if ids is not None:
        wanted &= np.isin(table.ids, np.asarray(ids, dtype=np.int64))
    positions = np.flatnonzero(wanted if codes is None else wanted & (codes >= 0))
    cases = int(np.count_nonzero(wanted))
    if not len(positions):
        which = "the only case does not have" if cases == 1 else f"none of the {cases:,} cases has"
        found = f"{which} the target {str(target)!r}" if cases else "the case base has no cases"
        raise CaseBaseError(
            f"cannot learn: {found}. Add cases, or choose another target: 'solution', 'outcome' or an attribute."
        )
    layout = Layout.of(table, used)
    y = None if codes is None or targets is None else targets[codes[positions]]
    retired = int(np.count_nonzero(table.retired))
    rows = layout.rows(table, positions)
    return TrainingTable(rows, y, table.ids[positions].copy(), layout, left_out, cases - len(positions), retired)


def _used_attributes(
    table: CaseTable, attributes: Iterable[str] | None, target: str | None
) -> tuple[list[str], tuple[str, ...]]:
    """Return the attributes to learn from, and the attributes that were dropped automatically."""
    readable = [name for name, kind in table.attributes.items() if not isinstance(kind, Graph)]
    left_out: tuple[str, ...] = ()
    if attributes is None:
        used = [name for name in readable if name != target]
        left_out = tuple(name for name in table.attributes if name not in readable and name != target)
    else:
        used = list(attributes) if isinstance(attributes, Iterable) and not isinstance(attributes, str) else []
        if not used or len(set(used)) < len(used) or target in used:
            raise ParameterError(
                f"attributes must be a list of distinct names without the target, got {quoted(attributes)}. To learn "
                "from all supported attributes, omit this parameter."
            )
        check_known(used, table.attributes)
        if strange := [
            f"{name!r} ({kinds.kind_name(table.attributes[name])})" for name in used if name not in readable
        ]:
            raise CaseBaseError(
                f"got attributes that learners do not support: {', '.join(strange)}. Omit these attributes; only "
                "retrieve uses them."
            )
    if not used:
        raise CaseBaseError(
            "found no attribute to learn from, since learners use neither the target nor graphs as attributes. Declare "
            "attributes of other kinds."
        )
    return used, left_out


def _targets(table: CaseTable, target: str) -> tuple[IntArray, AnyArray]:
    """Return the position of each case's target in an array of distinct targets (-1 if missing), and this array."""
    check_known([target], [*BESIDE, *table.attributes])
    column = table.column(target)
    if isinstance(column.kind, Text | Graph | Set):
        raise CaseBaseError(
            f"got target={target!r}, a {kinds.kind_name(column.kind)} attribute; expected a numeric, date, "
            "ordinal or nominal attribute. Choose another target, such as 'solution' or 'outcome'."
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
            f"got the target {target!r} with values such as {examples}. Expected only strings, only numbers or only "
            "booleans. Store the target in an attribute of one type."
        )
    if "numbers" in sorts:
        whole = all(isinstance(value, int) and abs(value) < 2**63 for value in values)
        return column.codes, np.array(values, dtype=np.int64 if whole else np.float64)
    if "booleans" in sorts:
        return column.codes, np.array(values, dtype=bool)
    texts = np.empty(len(values), dtype=object)
    texts[:] = values
    return column.codes, texts
