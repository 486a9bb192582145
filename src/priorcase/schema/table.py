"""A table read under a schema: columns whose meaning is settled, but whose values have no stored codes yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from priorcase.schema.values import Coded
from priorcase.typing import FloatArray

if TYPE_CHECKING:
    from priorcase.schema.schema import Schema

ReadColumn: TypeAlias = FloatArray | Coded
"""Numeric: numbers. Ordinal: ranks, -1 for a level that is not in the order. Both: NaN for missing. Nominal: coded."""


class Table:
    """Rows read under a schema, column by column.

    Parameters
    ----------
    schema
        The schema they were read under.
    rows
        How many there are.
    columns
        One for each attribute; None where ``block`` holds them all.
    block
        All columns at once, where every attribute is numeric: rows by attributes.
    """

    __slots__ = ("_columns", "block", "rows", "schema")

    def __init__(
        self,
        schema: Schema,
        rows: int,
        columns: tuple[ReadColumn, ...] | None = None,
        *,
        block: FloatArray | None = None,
    ) -> None:
        self.schema = schema
        self.rows = rows
        self._columns = columns
        self.block = block

    def __len__(self) -> int:
        return self.rows

    def __repr__(self) -> str:
        return f"Table({self.rows} rows of {len(self.schema)} attributes)"

    @property
    def columns(self) -> tuple[ReadColumn, ...]:
        """The columns, in the order of the schema."""
        if self._columns is None:
            block = np.empty((self.rows, len(self.schema))) if self.block is None else self.block
            self._columns = tuple(block.T)
        return self._columns
