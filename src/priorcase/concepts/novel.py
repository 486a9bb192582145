"""Attributes that appear in mid-stream, and tables that lack some: what IB5 is for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from priorcase.concepts.log import Log
from priorcase.concepts.memory import ConceptMemory
from priorcase.exceptions import SchemaError, SchemaMismatchError
from priorcase.instances import Instances
from priorcase.instances.reshaping import reshaped
from priorcase.schema import Coded, Kind, Nominal, Schema, Table
from priorcase.schema.readings import fits, found, read_column, wanted
from priorcase.schema.sources import Source, open_source
from priorcase.schema.table import ReadColumn


def read_some(instances: Instances, X: Any, *, caller: str, taking: bool) -> tuple[Table, tuple[int, ...]]:
    """Rows of a table that may lack attributes, and which attributes it had.

    An attribute that the table lacks is missing in every row. Columns are matched by name where both sides have names,
    and otherwise by position, where none of the known ones may be lacking.

    Parameters
    ----------
    instances
        The rows stored so far, by whose schema to read.
    X
        The table.
    caller
        Who asks, for messages.
    taking
        Whether further columns are taken up, as attributes at the end of the schema; they are refused otherwise.
        A column that holds nothing but gaps of no type is not taken up yet.
    """
    source = open_source(X, caller=caller)
    if source.rows == 0:
        raise SchemaError.too_few(caller, "sample", (0, len(source.columns)))
    schema = instances.schema
    columns, further = _matched(schema, source, caller)
    if taking:
        novel = [position for position in further if source.columns[position].content != "nothing"]
        schema = _extended(schema, source, novel)
        columns = [*columns, *novel]
    elif further:
        raise _unknown(schema, source, further, caller)
    read = tuple(
        _missing(kind, source.rows) if position is None else _read(instances, schema, a, source, position, caller)
        for a, (kind, position) in enumerate(zip(schema.kinds, columns, strict=True))
    )
    had = tuple(a for a, position in enumerate(columns) if position is not None)
    return Table(schema, source.rows, read), had


def widened(memory: ConceptMemory, schema: Schema) -> ConceptMemory:
    """All that was learned, with further attributes that are missing in every row; the memory is left as it is."""
    sources = [*range(len(memory.instances.schema)), *(None for _ in schema.kinds[len(memory.instances.schema) :])]
    wider = ConceptMemory(reshaped(memory.instances, schema, sources), owner=memory.owner, design=memory.design)
    wider.roll, wider.calls = memory.roll, list(memory.calls)
    if memory.descriptions is not None:
        wider.comparison = memory.design.compare(schema, wider.instances)
        wider.descriptions = memory.descriptions.copy(wider.comparison)
    if memory.log is not None:
        wider.log = Log(reshaped(memory.log.instances, schema, sources), memory.log.order.copy())
    return wider


def _matched(schema: Schema, source: Source, caller: str) -> tuple[list[int | None], list[int]]:
    """For each attribute the position of its column, None where it lacks; and the positions of further columns."""
    n = len(schema)
    if schema.names is None or source.names is None:
        if len(source.columns) < n or (schema.names is not None and len(source.columns) > n):
            raise SchemaMismatchError.width(caller, len(source.columns), n)
        return list(range(n)), list(range(n, len(source.columns)))
    at = {name: position for position, name in enumerate(source.names)}
    known = set(schema.names)
    return [at.get(name) for name in schema.names], [at[name] for name in source.names if name not in known]


def _extended(schema: Schema, source: Source, novel: Sequence[int]) -> Schema:
    """The schema with some columns of a table at its end, of the kinds their types stand for."""
    if not novel:
        return schema
    kinds = (*schema.kinds, *(source.columns[position].kind() for position in novel))
    names = None if schema.names is None else (*schema.names, *(source.label(position) for position in novel))
    return Schema(names, kinds)


def _unknown(schema: Schema, source: Source, further: Sequence[int], caller: str) -> SchemaMismatchError:
    if schema.names is None or source.names is None:
        return SchemaMismatchError.width(caller, len(source.columns), len(schema))
    return SchemaMismatchError.names(caller, [source.label(position) for position in further], [])


def _read(instances: Instances, schema: Schema, a: int, source: Source, position: int, caller: str) -> ReadColumn:
    kind, column = schema.kinds[a], source.columns[position]
    if not fits(kind, column):
        known = instances.known(a) if isinstance(kind, Nominal) and a < len(instances.schema) else ()
        fitted = kind.describe(known) if isinstance(kind, Nominal) else kind.describe()
        raise SchemaMismatchError.kind(caller, schema.label(a), found(column), fitted, wanted(kind))
    return read_column(kind, column, caller, schema.label(a))


def _missing(kind: Kind, rows: int) -> ReadColumn:
    return Coded(np.full(rows, -1, np.int8), ()) if isinstance(kind, Nominal) else np.full(rows, np.nan)
