"""All cases in memory by columns: the distinct values, and the position of each case's value among them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from priorcase import _core
from priorcase._typing import BoolArray, FloatArray, IdArray, IntArray
from priorcase.cases.kinds import CaseKind, Stored, days, plain_shown, shown
from priorcase.exceptions import UnknownIdError, named
from priorcase.schema import Date, Numeric, Ordinal
from priorcase.schema.kinds import identity

Row = tuple[int, Mapping[str, Stored], str | None, str | None]
"""A case: its id, its known values, and its solution and outcome as JSON text."""

BESIDE = ("solution", "outcome")
"""Columns of every table in addition to its attributes."""

_PLAIN = frozenset({str, int, float, type(None)})

Scalar = TypeVar("Scalar", bound=np.generic)


class Buffer(Generic[Scalar]):
    """An array to which items can be appended; a full array grows by half of its size."""

    __slots__ = ("_data", "_used")

    def __init__(self, data: NDArray[Scalar]) -> None:
        self._data = data
        self._used = len(data)

    def __len__(self) -> int:
        return self._used

    def view(self) -> NDArray[Scalar]:
        view = self._data[: self._used]
        view.flags.writeable = False
        return view

    def extend(self, items: NDArray[Any]) -> None:
        end = self._used + len(items)
        if end > len(self._data):
            data = np.empty(max(end, self._used + self._used // 2), self._data.dtype)
            data[: self._used] = self._data[: self._used]
            self._data = data
        self._data[self._used : end] = items
        self._used = end

    def keep(self, mask: BoolArray) -> None:
        self._data = self._data[: self._used][mask]
        self._used = len(self._data)


@dataclass(frozen=True, slots=True, eq=False)
class CaseColumn:
    """Snapshot of a column, unaffected by later changes; the same object until the column changes."""

    name: str
    kind: CaseKind | None  # None for solutions and outcomes, whose values are JSON strings
    codes: IntArray  # the position of each case's value in ``values``; -1 if missing
    values: tuple[Stored, ...]  # the distinct values in order of first appearance
    counts: IntArray  # the number of cases with each value
    _numbers: FloatArray | None
    _places: dict[Any, int]
    _kept: list[_core.CodedColumn]  # the result of `coded`, now or when the column had fewer cases

    def numbers(self) -> FloatArray:
        """Return the values as numbers: days for dates, ranks from 0 for ordinal levels."""
        if self._numbers is None:
            raise TypeError(f"the values of {self.name} are not numbers")
        return self._numbers

    def coded(self) -> _core.CodedColumn:
        """Return the codes in the form that the compiled core needs; computed on first use."""
        last = self._kept[0] if self._kept else None
        if last is not None and len(last) == len(self.codes):
            return last
        earlier = last if last is not None and len(last) < len(self.codes) else None
        made = _core.CodedColumn(self.codes, len(self.values), self._numbers, earlier)
        self._kept[:] = [made]
        return made

    def at(self, positions: IdArray) -> list[Stored]:
        """Return the values of some cases, with None for missing values."""
        values, codes = self.values, self.codes[positions].tolist()
        return [values[code] if code >= 0 else None for code in codes]

    def place(self, value: Stored) -> int:
        """Return the position of a value in ``values``; -1 if no case has the value."""
        place = self._places.get(value if type(value) in _PLAIN else _key(value), -1)
        return place if place < len(self.values) else -1  # later values of the growing column are not in this snapshot


class GrowingColumn:
    """A column in which the values of cases can be added, changed and removed."""

    def __init__(self, name: str, kind: CaseKind | None) -> None:
        self.name, self.kind = name, kind
        self._codes: Buffer[np.int32] = Buffer(np.empty(0, dtype=np.int32))
        self._values: list[Stored] = []
        self._places = _places([])
        self._number = number_of(kind)
        self._numbers: FloatArray = np.empty(0)
        self._seen: CaseColumn | None = None
        self._kept: list[_core.CodedColumn] = []  # last result of `CaseColumn.coded`; appending leaves it valid

    def append(self, values: Sequence[Stored]) -> None:
        self._codes.extend(self._coded(values))
        self._seen = None

    def replace(self, positions: Sequence[int], values: Sequence[Stored]) -> None:
        codes = self._codes.view().copy()
        new = self._coded(values)
        if np.array_equal(codes[list(positions)], new):
            return
        codes[list(positions)] = new
        self._recode(codes)

    def keep(self, kept: BoolArray) -> None:
        self._recode(self._codes.view()[kept])

    def column(self) -> CaseColumn:
        if self._seen is None:
            codes, values = self._codes.view(), tuple(self._values)
            counts = np.bincount(codes + 1, minlength=len(values) + 1)[1:]
            numbers = self._as_numbers()
            self._seen = CaseColumn(self.name, self.kind, codes, values, counts, numbers, self._places, self._kept)
        return self._seen

    def _coded(self, values: Sequence[Stored]) -> IntArray:
        """Return the position of each value among the distinct values; append values that are new."""
        keys = values if _PLAIN.issuperset(map(type, values)) else list(map(_key, values))
        known = len(self._values)
        codes = np.fromiter(map(self._places.__getitem__, keys), np.int32, len(values))
        new = np.flatnonzero(codes >= known)
        first = np.unique(codes[new], return_index=True)[1]
        self._values.extend(values[at] for at in new[first].tolist())
        return codes

    def _recode(self, codes: IntArray) -> None:
        """Set the codes of all cases, renumber the values by first appearance, and drop values that no case has."""
        first = np.full(len(self._values), len(codes), dtype=np.int64)
        known = np.flatnonzero(codes >= 0)[::-1]
        first[codes[known]] = known  # the last assignment, that of the first case, stays
        order = np.argsort(first, kind="stable")[: int(np.count_nonzero(first < len(codes)))]
        places = np.full(len(self._values) + 1, -1, dtype=np.int32)
        places[order] = np.arange(len(order), dtype=np.int32)
        self._values = [self._values[place] for place in order]
        self._places = _places(self._values)
        self._codes = Buffer(places[codes])  # -1 is the last place, which stays -1
        self._numbers = np.empty(0)
        self._seen, self._kept = None, []

    def _as_numbers(self) -> FloatArray | None:
        if self._number is None:
            return None
        new: Iterable[Stored] = self._values[len(self._numbers) :]
        numbers = np.fromiter(map(self._number, new), np.float64)
        self._numbers = np.concatenate([self._numbers, numbers]) if len(self._numbers) else numbers
        return self._numbers


def _places(values: Sequence[Stored]) -> defaultdict[Any, int]:
    """Return a mapping from value keys to positions (-1 for None); looking up a new key assigns the next position."""
    places = {None: -1} | {_key(value): place for place, value in enumerate(values)}
    return defaultdict(count(len(values)).__next__, places)


def _key(value: Stored) -> Any:
    """Return a key that is equal for equal values; booleans and numbers (True and 1) have different keys."""
    if type(value) is tuple:
        return tuple(map(identity, value)) if bool in map(type, value) else value
    return identity(value)


def number_of(kind: CaseKind | None) -> Any:
    """Return a function that converts stored values of a kind to numbers; None if the kind is not numeric."""
    if isinstance(kind, Ordinal):
        ranks = {identity(level): float(rank) for rank, level in enumerate(kind.order)}
        return lambda level: ranks[identity(level)]
    if isinstance(kind, Date):
        return days
    return float if isinstance(kind, Numeric) else None


class Snapshot:
    """A snapshot of some cases, column by column, that keeps no references to other cases."""

    def __init__(self, kinds: Iterable[tuple[str, CaseKind | None]], values: list[list[Any]], cases: int) -> None:
        self._kinds, self._values, self._cases = kinds, values, cases

    def shown(self) -> list[tuple[dict[str, Any], Any, Any]]:
        """Return the values, solution and outcome of each case in the form in which users see them."""
        found = []
        for i in range(self._cases):
            case: dict[str, Any] = {}
            for (name, kind), stored in zip(self._kinds, self._values, strict=True):
                case[name] = plain_shown(stored[i]) if kind is None else shown(kind, stored[i])
            solution, outcome = case.pop("solution"), case.pop("outcome")
            found.append((case, solution, outcome))
        return found


class CaseTable:
    """All cases in memory, stored by columns in id order; after any change, equal to a new table of the same cases."""

    def __init__(self, attributes: Mapping[str, CaseKind]) -> None:
        self.attributes = dict(attributes)
        self._columns = {name: GrowingColumn(name, kind) for name, kind in self.attributes.items()}
        self._columns |= {name: GrowingColumn(name, None) for name in BESIDE}
        self._ids: Buffer[np.int64] = Buffer(np.empty(0, dtype=np.int64))
        self._retired: Buffer[np.bool_] = Buffer(np.empty(0, dtype=bool))
        self._kinds = tuple((name, column.kind) for name, column in self._columns.items())
        self._held: tuple[object, _core.CaseValues] | None = None
        self.state = object()  # replaced before each change, so that caches can detect the change

    @classmethod
    def of(cls, attributes: Mapping[str, CaseKind], rows: Iterable[Row]) -> CaseTable:
        table = cls(attributes)
        table.append(rows)
        return table

    @property
    def ids(self) -> IdArray:
        """The ids of all cases in ascending order; the position of a case is the index of its id."""
        return self._ids.view()

    @property
    def retired(self) -> BoolArray:
        """Boolean mask of the retired cases, which are not retrieved."""
        return self._retired.view()

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, id: int) -> bool:
        ids = self._ids.view()
        if not len(ids) or not ids[0] <= id <= ids[-1]:
            return False
        return bool(ids[np.searchsorted(ids, id)] == id)

    def known(self, ids: Sequence[int]) -> list[int]:
        """Return the given ids that are in the table."""
        here, wanted = self._ids.view(), np.asarray(ids, dtype=np.int64)
        at = np.minimum(np.searchsorted(here, wanted), len(here) - 1)
        return wanted[here[at] == wanted].tolist() if len(here) else []

    def check_ids(self, ids: Sequence[int]) -> None:
        if absent := [id for id in ids if id not in self]:
            which = "this id" if len(absent) == 1 else "these ids"
            raise UnknownIdError(
                f"got {named('id', absent)}, but no case has {which}. Ids are returned by add; list all cases to "
                "see them."
            )

    def position(self, id: int) -> int:
        self.check_ids([id])
        return int(np.searchsorted(self._ids.view(), id))

    def column(self, name: str) -> CaseColumn:
        """Return the column of an attribute, of ``"solution"`` or of ``"outcome"``."""
        return self._columns[name].column()

    def values(self, position: int) -> dict[str, Stored]:
        """Return the values of one case, with None for missing values."""
        return {name: self.column(name).at(np.array([position]))[0] for name in self.attributes}

    def only(self, mask: BoolArray) -> CaseTable:
        found, at = CaseTable(self.attributes), np.flatnonzero(mask)
        columns = {name: column.column().at(at) for name, column in self._columns.items()}
        found.append_columns(self.ids[at].tolist(), columns, self.retired[at].tolist())
        return found

    def snapshot(self, positions: IdArray) -> Snapshot:
        state, held = self._held or (None, None)
        if held is None or state is not self.state:
            columns = [column.column() for column in self._columns.values()]
            held = _core.CaseValues([column.codes for column in columns], [column.values for column in columns])
            self._held = self.state, held
        return Snapshot(self._kinds, held.at(positions), len(positions))

    def append(self, rows: Iterable[Row]) -> None:
        """Add cases, whose ids must be larger than all existing ids."""
        rows = list(rows)
        self.append_columns([row[0] for row in rows], self._by_columns(rows))

    def append_columns(
        self, ids: Sequence[int], columns: Mapping[str, Sequence[Stored]], retired: Sequence[bool] | None = None
    ) -> None:
        if not len(ids):
            return
        self.state = object()
        for name, column in self._columns.items():
            column.append(columns[name])
        self._ids.extend(np.asarray(ids, dtype=np.int64))
        self._retired.extend(np.zeros(len(ids), dtype=bool) if retired is None else np.asarray(retired, dtype=bool))

    def replace(self, rows: Iterable[Row]) -> None:
        if not (rows := list(rows)):
            return
        positions = [self.position(row[0]) for row in rows]
        self.state = object()
        for name, values in self._by_columns(rows).items():
            self._columns[name].replace(positions, values)

    def remove(self, ids: Iterable[int]) -> None:
        if not (ids := list(ids)):
            return
        kept = np.ones(len(self), dtype=bool)
        kept[[self.position(id) for id in ids]] = False
        self.state = object()
        for column in self._columns.values():
            column.keep(kept)
        self._ids.keep(kept)
        self._retired.keep(kept)

    def retire(self, ids: Iterable[int], retired: bool = True) -> None:
        if ids := list(ids):
            flags = self._retired.view().copy()
            flags[[self.position(id) for id in ids]] = retired
            self.state = object()
            self._retired = Buffer(flags)

    def _by_columns(self, rows: Sequence[Row]) -> dict[str, list[Stored]]:
        columns: dict[str, list[Stored]] = {name: [row[1].get(name) for row in rows] for name in self.attributes}
        return columns | {"solution": [row[2] for row in rows], "outcome": [row[3] for row in rows]}
