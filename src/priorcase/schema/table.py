"""A table read under a schema: columns whose meaning is settled, but whose values have no stored codes yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from priorcase._typing import FloatArray, Value
from priorcase.schema.kinds import Kind, Nominal
from priorcase.schema.values import Coded

if TYPE_CHECKING:
    from priorcase.schema.schema import Schema

ReadColumn: TypeAlias = FloatArray | Coded
"""Numeric: numbers. Ordinal: ranks, -1 for a level that is not in the order. Both: NaN for missing. Nominal: coded."""

_FIRST = np.zeros(1, np.int8)
_MISSING = np.full(1, -1, np.int8)
_FIRST.flags.writeable = _MISSING.flags.writeable = False


class Table:
    """Rows read under a schema, column by column.

    Parameters
    ----------
    schema
        The schema they were read under.
    rows
        How many there are.
    columns
        One for each attribute; None where ``block`` or ``row`` holds them all.
    block
        All columns at once, where every attribute is numeric: rows by attributes.
    row
        A single row: for each attribute a number or rank, NaN for missing; or a nominal value, None for missing.
    """

    __slots__ = ("_columns", "_row", "block", "rows", "schema")

    def __init__(
        self,
        schema: Schema,
        rows: int,
        columns: tuple[ReadColumn, ...] | None = None,
        *,
        block: FloatArray | None = None,
        row: tuple[Value, ...] | None = None,
    ) -> None:
        self.schema = schema
        self.rows = rows
        self._columns = columns
        self._row = row
        self.block = block

    def __len__(self) -> int:
        return self.rows

    def __repr__(self) -> str:
        return f"Table({self.rows} rows of {len(self.schema)} attributes)"

    @property
    def columns(self) -> tuple[ReadColumn, ...]:
        """The columns, in the order of the schema."""
        if self._columns is None:
            if self._row is not None and self.block is None:
                self._columns = tuple(map(_column, self.schema.kinds, self._row))
            else:
                block = np.empty((self.rows, len(self.schema))) if self.block is None else self.block
                self._columns = tuple(block.T)
        return self._columns

    @property
    def row(self) -> tuple[Value, ...] | None:
        """The values of a single row; None where there is not exactly one."""
        if self._row is None and self.rows == 1:
            self._row = tuple(map(_value, self.columns) if self.block is None else self.block[0].tolist())
        return self._row

    def part(self, start: int, stop: int) -> Table:
        """Some rows, one after the other."""
        rows = slice(start, min(stop, self.rows))
        n = max(rows.stop - start, 0)
        if self.block is not None:
            return Table(self.schema, n, block=self.block[rows])
        columns = [
            Coded(column.codes[rows], column.values) if isinstance(column, Coded) else column[rows]
            for column in self.columns
        ]
        return Table(self.schema, n, tuple(columns))


def _value(column: ReadColumn) -> Value:
    """The value of a column of one."""
    if not isinstance(column, Coded):
        return float(column[0])
    code = int(column.codes[0])
    return None if code < 0 else column.values[code]


def _column(kind: Kind, value: Value) -> ReadColumn:
    """A column of one value."""
    if type(kind) is not Nominal:
        return np.array([value], np.float64)
    return Coded(_MISSING, ()) if value is None else Coded(_FIRST, (value,))
