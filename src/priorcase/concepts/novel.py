"""Attributes that appear in mid-stream, and tables that lack some: what IB5 is for.

An attribute is taken up at the row in which it first has a known value, whatever rows come with that one in a call: so
a stream is the same however it is cut. Columns of the first call are attributes from the start.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from priorcase.concepts.log import ColumnKinds
from priorcase.exceptions import SchemaError, SchemaMismatchError
from priorcase.instances import Instances
from priorcase.schema import Coded, Kind, Nominal, ReadColumn, Schema, Table
from priorcase.schema.columns import read_column
from priorcase.schema.table import Source, open_source


def read_some(instances: Instances, X: Any, *, taking: bool) -> tuple[Table, ColumnKinds]:
    """Rows of a table that may lack attributes; and the columns it had, with the kinds their types stand for.

    An attribute that the table lacks is missing in every row. Columns are matched by name where both sides have names,
    and otherwise by position, where none of the known ones may be lacking.

    Parameters
    ----------
    instances
        The rows stored so far, by whose schema to read.
    X
        The table.
    taking
        Whether to read further columns too, as attributes at the end of the schema; they are refused otherwise, unless
        they hold nothing but gaps.
    """
    source = open_source(X)
    if source.rows == 0:
        raise SchemaError.too_few("sample", (0, len(source.columns)))
    schema = instances.schema
    columns, further = _matched(schema, source)
    if taking:
        schema = _extended(schema, source, further)
        columns = [*columns, *further]
    elif strange := [position for position in further if not source.columns[position].empty()]:
        raise _unknown(schema, source, strange)
    read = tuple(
        _missing(kind, source.rows) if position is None else _read(instances, schema, a, source, position)
        for a, (kind, position) in enumerate(zip(schema.kinds, columns, strict=True))
    )
    places = sorted((position, a) for a, position in enumerate(columns) if position is not None)
    had = tuple((schema.label(a), schema.kinds[a]) for _, a in places)
    return Table(schema, source.rows, read), had


def brings_columns(schema: Schema, X: Any) -> bool:
    """Whether a table has columns beyond the attributes of a schema."""
    source = open_source(X)
    if schema.names is None or source.names is None:
        return len(source.columns) > len(schema)
    return not set(source.names) <= set(schema.names)


def stages(table: Table, known: int) -> Iterator[tuple[slice, Table]]:
    """Rows of a table in parts, each with the attributes that are known by then: ``known`` ones, and those come up.

    Attributes come up in the order of their first known values; one without any does not.

    Examples
    --------
    >>> from priorcase.schema import Numeric
    >>> schema = Schema(("size", "age", "weight"), (Numeric(), Numeric(), Numeric()))
    >>> table = schema.read([[1, None, None], [2, None, 7], [3, 40, None]])
    >>> [(rows, part.schema.names) for rows, part in stages(table, 1)]  # doctest: +NORMALIZE_WHITESPACE
    [(slice(0, 1, None), ('size',)), (slice(1, 2, None), ('size', 'weight')),
    (slice(2, 3, None), ('size', 'weight', 'age'))]
    """
    births = births_of([_known(table.columns[a]) for a in range(known, len(table.schema))])
    chosen = [*range(known), *(known + a for _, a in births)]
    starts = sorted({0, *(row for row, _ in births)})
    for start, stop in zip(starts, [*starts[1:], len(table)], strict=True):
        width = known + sum(row <= start for row, _ in births)
        yield slice(start, stop), _picked(table, chosen[:width], slice(start, stop))


def births_of(columns: Sequence[Any]) -> list[tuple[int, int]]:
    """The first row in which each column is known, and the column, ascending; from masks of known rows."""
    return sorted((int(np.argmax(known)), a) for a, known in enumerate(columns) if known.any())


def _known(column: ReadColumn) -> Any:
    return column.codes >= 0 if isinstance(column, Coded) else ~np.isnan(column)


def _picked(table: Table, columns: Sequence[int], rows: slice) -> Table:
    """Some columns and rows of a table."""
    schema = table.schema
    names = None if schema.names is None else tuple(schema.names[a] for a in columns)
    read = tuple(
        Coded(column.codes[rows], column.values) if isinstance(column, Coded) else column[rows]
        for column in (table.columns[a] for a in columns)
    )
    return Table(Schema(names, tuple(schema.kinds[a] for a in columns)), rows.stop - rows.start, read)


def _matched(schema: Schema, source: Source) -> tuple[list[int | None], list[int]]:
    """For each attribute the position of its column, None where it lacks; and the positions of further columns."""
    n = len(schema)
    if schema.names is None or source.names is None:
        if len(source.columns) < n or (schema.names is not None and len(source.columns) > n):
            raise SchemaMismatchError.width(len(source.columns), n)
        return list(range(n)), list(range(n, len(source.columns)))
    at = {name: position for position, name in enumerate(source.names)}
    known = set(schema.names)
    return [at.get(name) for name in schema.names], [at[name] for name in source.names if name not in known]


def _extended(schema: Schema, source: Source, further: Sequence[int]) -> Schema:
    """The schema with some columns of a table at its end, of the kinds their types stand for."""
    if not further:
        return schema
    kinds = (*schema.kinds, *(source.columns[position].kind() for position in further))
    names = None if schema.names is None else (*schema.names, *(source.label(position) for position in further))
    return Schema(names, kinds)


def _unknown(schema: Schema, source: Source, strange: Sequence[int]) -> SchemaMismatchError:
    if schema.names is None or source.names is None:
        return SchemaMismatchError.width(len(source.columns), len(schema))
    return SchemaMismatchError.names([source.label(position) for position in strange], [])


def _read(instances: Instances, schema: Schema, a: int, source: Source, position: int) -> ReadColumn:
    known = partial(instances.known, a) if a < len(instances.schema) else tuple
    return read_column(schema.kinds[a], source.columns[position], schema.label(a), known)


def _missing(kind: Kind, rows: int) -> ReadColumn:
    return Coded(np.full(rows, -1, np.int8), ()) if isinstance(kind, Nominal) else np.full(rows, np.nan)
