"""Rows of a table as Python values again."""

from __future__ import annotations

from typing import Any, TypeAlias

from priorcase._typing import Name
from priorcase.schema import Coded, Ordinal, Schema, Table

Row: TypeAlias = tuple[Any, ...]


def decoded(table: Table) -> list[Row]:
    """Rows of a table as Python values, None for missing."""
    columns = [_decoded_column(table.schema, a, column) for a, column in enumerate(table.columns)]
    return list(zip(*columns, strict=True))


def _decoded_column(schema: Schema, a: int, column: Any) -> list[Any]:
    if isinstance(column, Coded):
        return [None if code < 0 else column.values[code] for code in column.codes.tolist()]
    kind = schema.kinds[a]
    if isinstance(kind, Ordinal):
        levels = dict(enumerate(kind.order))
        return [None if value != value else levels.get(int(value), "(no such level)") for value in column.tolist()]
    return [None if value != value else value for value in column.tolist()]


def attribute_names(schema: Schema) -> tuple[Name, ...]:
    """The columns' names; ``x0``, ``x1``, ... where there are none."""
    return tuple(f"x{a}" for a in range(len(schema))) if schema.names is None else schema.names
