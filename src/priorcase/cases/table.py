"""All cases of a case base in memory, by columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from priorcase._typing import BoolArray, IdArray
from priorcase.cases.column import Buffer, CaseColumn, GrowingColumn
from priorcase.cases.errors import unknown_ids
from priorcase.cases.kinds import CaseKind, Stored, plain_shown, shown
from priorcase.exceptions import prefix_errors

Row = tuple[int, Mapping[str, Stored], str | None, str | None]
"""A case: its id, its known values, its solution and its outcome as JSON texts."""

BESIDE = ("solution", "outcome")
"""Columns that every table has beside its attributes."""


class Snapshot:
    """Some cases as they were, to be looked at when somebody wants to see them; it holds on to no others."""

    def __init__(self, columns: Iterable[CaseColumn], positions: IdArray) -> None:
        self._cases = len(positions)
        self._columns = [(column.name, column.kind, column.at(positions)) for column in columns]

    def shown(self) -> list[tuple[dict[str, Any], Any, Any]]:
        """For each case its values, its solution and its outcome, as users see them."""
        found = []
        for i in range(self._cases):
            case: dict[str, Any] = {}
            for name, kind, stored in self._columns:
                case[name] = plain_shown(stored[i]) if kind is None else shown(kind, stored[i])  # type: ignore[arg-type]
            solution, outcome = case.pop("solution"), case.pop("outcome")
            found.append((case, solution, outcome))
        return found


class CaseTable:
    """All cases by columns, in the order of their ids, ready to be searched.

    After any change a table equals a fresh one of the same cases.

    Parameters
    ----------
    attributes
        Names and kinds.

    Examples
    --------
    >>> from priorcase.schema import Nominal, Numeric
    >>> rows = [(1, {"age": 3, "make": "A"}, '"fix"', None), (2, {"age": 5}, '"swap"', None)]
    >>> table = CaseTable.of({"age": Numeric(), "make": Nominal()}, rows)
    >>> table.column("age").numbers(), table.column("make").codes
    (array([3., 5.]), array([ 0, -1], dtype=int32))
    >>> table.remove([1])
    >>> table.ids, table.column("make").values
    (array([2]), ())
    """

    def __init__(self, attributes: Mapping[str, CaseKind]) -> None:
        self.attributes = dict(attributes)
        self.version = 0
        self._columns = {name: GrowingColumn(name, kind) for name, kind in self.attributes.items()}
        self._columns |= {name: GrowingColumn(name, None) for name in BESIDE}
        self._ids: Buffer[np.int64] = Buffer(np.empty(0, dtype=np.int64))
        self._retired: Buffer[np.bool_] = Buffer(np.empty(0, dtype=bool))

    @classmethod
    def of(cls, attributes: Mapping[str, CaseKind], rows: Iterable[Row]) -> CaseTable:
        """A table of some cases, ids ascending."""
        table = cls(attributes)
        table.append(rows)
        return table

    @property
    def ids(self) -> IdArray:
        """The ids of all cases, ascending; a case's position is its place among them."""
        return self._ids.view()

    @property
    def retired(self) -> BoolArray:
        """Which cases are never retrieved any more."""
        return self._retired.view()

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, id: int) -> bool:
        ids = self._ids.view()
        at = int(np.searchsorted(ids, id))
        return at < len(ids) and bool(ids[at] == id)

    def known(self, ids: Sequence[int]) -> list[int]:
        """Those of some ids that are here."""
        here, wanted = self._ids.view(), np.asarray(ids, dtype=np.int64)
        at = np.minimum(np.searchsorted(here, wanted), len(here) - 1)
        return wanted[here[at] == wanted].tolist() if len(here) else []

    def column(self, name: str) -> CaseColumn:
        """An attribute, ``"solution"`` or ``"outcome"``."""
        return self._columns[name].column()

    @prefix_errors
    def position(self, id: int) -> int:
        """Where a case stands."""
        if id not in self:
            raise unknown_ids([id])
        return int(np.searchsorted(self._ids.view(), id))

    def values(self, position: int) -> dict[str, Stored]:
        """The values of one case, None where one is missing."""
        return {name: self._columns[name].stored(position) for name in self.attributes}

    def solution(self, position: int) -> str | None:
        """The solution of one case, as JSON text."""
        found = self._columns["solution"].stored(position)
        return None if found is None else str(found)

    def only(self, mask: BoolArray) -> CaseTable:
        """A table of some of the cases."""
        found, at = CaseTable(self.attributes), np.flatnonzero(mask)
        columns = {name: column.column().at(at) for name, column in self._columns.items()}
        found.append_columns(self.ids[at].tolist(), columns, self.retired[at].tolist())
        return found

    def snapshot(self, positions: IdArray) -> Snapshot:
        """Some cases as they are now, whatever becomes of the table."""
        return Snapshot(map(self.column, self._columns), positions)

    def append(self, rows: Iterable[Row]) -> None:
        """Add cases; their ids are larger than all others."""
        rows = list(rows)
        columns = {name: [row[1].get(name) for row in rows] for name in self.attributes}
        columns |= {"solution": [row[2] for row in rows], "outcome": [row[3] for row in rows]}
        self.append_columns([row[0] for row in rows], columns)

    def append_columns(
        self, ids: Sequence[int], columns: Mapping[str, Sequence[Stored]], retired: Sequence[bool] | None = None
    ) -> None:
        """The same, column by column."""
        if not len(ids):
            return
        self.version += 1
        for name, column in self._columns.items():
            column.append(columns[name], self.version)
        self._ids.extend(np.asarray(ids, dtype=np.int64))
        self._retired.extend(np.zeros(len(ids), dtype=bool) if retired is None else np.asarray(retired, dtype=bool))

    def replace(self, rows: Iterable[Row]) -> None:
        """Give cases other values, solutions and outcomes."""
        rows = list(rows)
        if not rows:
            return
        positions = [self.position(row[0]) for row in rows]
        self.version += 1
        for name in self.attributes:
            self._columns[name].replace(positions, [row[1].get(name) for row in rows], self.version)
        self._columns["solution"].replace(positions, [row[2] for row in rows], self.version)
        self._columns["outcome"].replace(positions, [row[3] for row in rows], self.version)

    def remove(self, ids: Iterable[int]) -> None:
        """Take cases away."""
        ids = list(ids)
        if not ids:
            return
        kept = np.ones(len(self), dtype=bool)
        kept[[self.position(id) for id in ids]] = False
        self.version += 1
        for column in self._columns.values():
            column.keep(kept, self.version)
        self._ids.keep(kept)
        self._retired.keep(kept)

    def retire(self, ids: Iterable[int], retired: bool = True) -> None:
        """Leave cases out of every retrieval, or let them in again."""
        flags = self._retired.view().copy()
        flags[[self.position(id) for id in ids]] = retired
        if not np.array_equal(flags, self._retired.view()):
            self._retired = Buffer(flags)
            self.version += 1
