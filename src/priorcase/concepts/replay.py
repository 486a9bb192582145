"""Forgetting by learning the other rows again, and attributes that appear in mid-stream (IB5).

An attribute appears at the row in which it first has a known value, whatever rows come with that one in a call, so that
a stream is the same however it is cut into calls. Columns of the first call are attributes from the start.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from priorcase._typing import BoolArray, IdArray, Name, Value
from priorcase.concepts import memory as memories
from priorcase.concepts.description import Comparison, Descriptions, Growing, Rows
from priorcase.concepts.memory import Call, ColumnKinds, ConceptMemory, Log, learn_blocks, slices
from priorcase.concepts.targets import SeenClasses
from priorcase.exceptions import ForgettingError, SchemaError, SchemaMismatchError, UnknownIdError, listed
from priorcase.instances import Instances
from priorcase.instances.instances import check_ids
from priorcase.schema import Coded, Kind, Nominal, ReadColumn, Schema, Table
from priorcase.schema.columns import read_column
from priorcase.schema.table import Source, open_source

Stage: TypeAlias = tuple[int, int, Schema]
"""From which row to which, in the order of learning, the stream has the attributes of a schema."""

_REPLAY = 'Choose history="replay" before the first row: it keeps all rows, so that forgetting replays the others'


# Forgetting ---------------------------------------------------------------------------------------------------------


def forget(memory: ConceptMemory, ids: ArrayLike, *, threads: int) -> ConceptMemory:
    """The memory as if some rows had never come."""
    design, wanted_ids = memory.design, check_ids(ids)
    if wanted_ids.size == 0:
        return memory
    if memory.log is not None:
        known = memory.log.instances
        if absent := wanted_ids[~np.isin(wanted_ids, known.ids)].tolist():
            raise UnknownIdError(
                f"ids {listed(absent)} name no row that was seen and not forgotten; nothing was changed. "
                f"Rows are numbered from 0 in the order they were given, {known.next_id} so far."
            )
        _check_distinct(wanted_ids)
        return _replayed(memory, memory.log.without(wanted_ids), threads)
    if not design.rules.keeps_all:
        why = (
            "rows that have left the window= would have to come back, and are gone"
            if design.rules.keep == "every"
            else "which rows are kept, and their records, depend on rows that are gone"
        )
        raise ForgettingError(f"rows cannot be forgotten exactly: {why}. Nothing was changed. {_REPLAY}.")
    if design.growing:
        return memories.forget(memory, wanted_ids)
    memory.instances.positions(wanted_ids)
    _check_distinct(wanted_ids)
    return _replayed(memory, Log(memory.instances, Growing(_learned_order(memory))).without(wanted_ids), threads)


def refreshed(memory: ConceptMemory, *, threads: int) -> ConceptMemory:
    """The memory with records and traces as if rows forgotten since had never come."""
    if not memory.stale:
        return memory
    assert memory.comparison is not None
    descriptions, order = memory.design.begin(memory.comparison), _learned_order(memory)
    fresh = memory.fork()
    fresh.latest, fresh.stale = [], False
    fresh.descriptions, _ = _learned(
        memory.comparison, descriptions, memory.instances, memory.classes(), order, threads
    )
    return fresh


def _learned_order(memory: ConceptMemory) -> IdArray:
    """Ids in the order they were learned, of a learner that stores every row."""
    return memory.learned().first.core.records()[0]


def _replayed(memory: ConceptMemory, log: Log, threads: int) -> ConceptMemory:
    """The memory of a learner that learned the rows of a log."""
    design = memory.design
    calls = _calls_left(memory.calls, log.instances.ids)
    log, stages = _staged(log, [call for call, _ in calls], design.declared)
    seen, order = memory.classes().of_rows(log.instances), log.order.view()
    instances = log.instances.fork()
    comparison: Comparison | None = None
    descriptions: Descriptions | None = None
    gone = [np.empty(0, np.int64)]
    for start, stop, schema in stages if calls else ():
        comparison = design.compare(schema, instances.subset(calls[0][1]))
        descriptions = design.begin(comparison) if descriptions is None else descriptions.copy(comparison)
        descriptions, left = _learned(comparison, descriptions, instances, seen, order[start:stop], threads)
        gone.append(left)
    instances.remove(np.concatenate(gone))
    fresh = ConceptMemory(instances, design)
    fresh.comparison, fresh.descriptions, fresh.seen = comparison, descriptions, seen
    fresh.log, fresh.calls = None if memory.log is None else log, tuple(call for call, _ in calls)
    return fresh


def _learned(
    comparison: Comparison,
    descriptions: Descriptions,
    instances: Instances,
    seen: SeenClasses,
    order: IdArray,
    threads: int,
) -> tuple[Descriptions, IdArray]:
    """Descriptions after stored rows were learned in an order, by their first attributes; ids that none stores."""
    parts, width = slices(len(order)), len(comparison.schema)

    def blocks() -> Iterator[Rows]:
        for part in parts:
            positions = instances.positions(order[part])
            cells = comparison.prepared(instances.cells(positions)[:, :width], instances)
            yield np.ascontiguousarray(order[part]), cells, seen.coded(instances, positions)

    return learn_blocks(descriptions, blocks(), len(parts), threads=threads, text="relearn")


def _calls_left(calls: Sequence[Call], ids: IdArray) -> list[tuple[Call, IdArray]]:
    """The calls of which some rows are left, with the ids of these rows.

    Examples
    --------
    >>> [(call.first, ids.tolist()) for call, ids in _calls_left([Call(0), Call(3), Call(5)], np.array([1, 2, 6]))]
    [(0, [1, 2]), (5, [6])]
    """
    starts = np.searchsorted(ids, [call.first for call in calls])
    parts = zip(calls, starts.tolist(), [*starts[1:].tolist(), len(ids)], strict=True)
    return [(call, ids[start:end]) for call, start, end in parts if end > start]


def _check_distinct(ids: IdArray) -> None:
    values, counts = np.unique(ids, return_counts=True)
    if (counts > 1).any():
        raise UnknownIdError(f"ids {listed(values[counts > 1].tolist())} are given more than once; nothing was changed")


# The attributes of a replayed stream --------------------------------------------------------------------------------


def _staged(log: Log, calls: list[Call], declared: Schema | None) -> tuple[Log, list[Stage]]:
    """The log with the attributes that its rows have in the end, and the stages in which they appear."""
    n, schema = len(log.order.view()), log.instances.schema
    if not calls or calls[0].columns is None:
        return log, [(0, n, schema)]
    at = {schema.label(a): a for a in range(len(schema))}
    # The attributes of the first call: those declared, then the columns of its table. Their kinds stay.
    first = dict(calls[0].columns)
    names = [*(declared.label(a) for a in range(len(declared))), *first] if declared else [*first]
    base = {name: schema.kinds[at[name]] if name in at else first[name] for name in dict.fromkeys(names)}
    # Others that appear at the same row come in the order of the tables that had them.
    later = [name for name in dict.fromkeys(name for call in calls for name, _ in call.columns or ()) if name in at]
    later = [name for name in later if name not in base]
    rows = log.instances.positions(log.order.view())
    births = _births([_known(_stored_column(log.instances, at[name]))[rows] for name in later])
    named = [*base, *(later[k] for _, k in births)]
    kinds = [*base.values(), *(schema.kinds[at[later[k]]] for _, k in births)]
    schemas = [
        Schema(None if schema.names is None else tuple(named[:width]), tuple(kinds[:width]))
        for width in range(len(base), len(named) + 1)
    ]
    starts = sorted({0, *(row for row, _ in births)})
    stages = [
        (start, stop, schemas[sum(row <= start for row, _ in births)])
        for start, stop in zip(starts, [*starts[1:], n], strict=True)
    ]
    return Log(log.instances.reshaped(schemas[-1], [at.get(name) for name in named]), log.order), stages


def _births(columns: Sequence[BoolArray]) -> list[tuple[int, int]]:
    """The first row in which each column is known, and the column, ascending; from masks of known rows."""
    return sorted((int(np.argmax(known)), a) for a, known in enumerate(columns) if known.any())


def _known(column: ReadColumn) -> BoolArray:
    known: BoolArray = column.codes >= 0 if isinstance(column, Coded) else ~np.isnan(column)
    return known


def _stored_column(instances: Instances, a: int) -> ReadColumn:
    column = instances.column(a)
    return Coded(column, instances.values(a)) if isinstance(instances.schema.kinds[a], Nominal) else column


# Tables that bring attributes, or lack some -------------------------------------------------------------------------


def read_some(instances: Instances, X: Any, *, extend: bool) -> tuple[Table, ColumnKinds]:
    """Rows of a table that may lack attributes; and the columns it had, with their kinds.

    An attribute that the table lacks is missing in every row. Columns are matched by name where both sides have names,
    and otherwise by position, where none of the known ones may be lacking. With ``extend`` further columns become
    attributes at the end of the schema; otherwise they are refused, unless all their values are missing.
    """
    source = open_source(X)
    if source.rows == 0:
        raise SchemaError(
            f"Found array with 0 sample(s) (shape={(0, len(source.columns))}) while a minimum of 1 is required."
        )
    schema = instances.schema
    columns, further = _matched(schema, source)
    if extend and further:
        kinds = (*schema.kinds, *(source.columns[position].kind() for position in further))
        names = None if schema.names is None else (*schema.names, *(source.label(position) for position in further))
        schema, columns = Schema(names, kinds), [*columns, *further]
    elif unknown := [position for position in further if not source.columns[position].empty()]:
        if schema.names is None or source.names is None:
            raise _width_error(source, schema)
        shown = "\n".join(f"- {source.label(position)}" for position in unknown)
        raise SchemaMismatchError(
            "The feature names should match those that were passed during fit.\n"
            f"Feature names unseen at fit time:\n{shown}\nDrop these columns from the queries."
        )
    read = tuple(
        _missing(kind, source.rows)
        if position is None
        else read_column(kind, source.columns[position], schema.label(a), partial(_known_values, instances, a))
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
    """Rows of a table in parts, each with the attributes known by then: the first ``known`` ones, and later ones.

    Attributes come in the order of their first known values; one without any does not.

    Examples
    --------
    >>> from priorcase.schema import Numeric
    >>> schema = Schema(("size", "age", "weight"), (Numeric(), Numeric(), Numeric()))
    >>> table = schema.read([[1, None, None], [2, None, 7], [3, 40, None]])
    >>> [(rows, part.schema.names) for rows, part in stages(table, 1)]  # doctest: +NORMALIZE_WHITESPACE
    [(slice(0, 1, None), ('size',)), (slice(1, 2, None), ('size', 'weight')),
    (slice(2, 3, None), ('size', 'weight', 'age'))]
    """
    births = _births([_known(table.columns[a]) for a in range(known, len(table.schema))])
    chosen = [*range(known), *(known + a for _, a in births)]
    starts = sorted({0, *(row for row, _ in births)})
    for start, stop in zip(starts, [*starts[1:], len(table)], strict=True):
        width = known + sum(row <= start for row, _ in births)
        yield slice(start, stop), _part(table, chosen[:width], slice(start, stop))


def _part(table: Table, columns: Sequence[int], rows: slice) -> Table:
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
            raise _width_error(source, schema)
        return list(range(n)), list(range(n, len(source.columns)))
    at: dict[Name, int] = {name: position for position, name in enumerate(source.names)}
    known = set(schema.names)
    return [at.get(name) for name in schema.names], [at[name] for name in source.names if name not in known]


def _width_error(source: Source, schema: Schema) -> SchemaMismatchError:
    return SchemaMismatchError(
        f"X has {len(source.columns)} features, but it is expecting {len(schema)} features as input. "
        "Columns without names are matched by position."
    )


def _known_values(instances: Instances, a: int) -> tuple[Value, ...]:
    return instances.known(a) if a < len(instances.schema) else ()


def _missing(kind: Kind, rows: int) -> ReadColumn:
    return Coded(np.full(rows, -1, np.int8), ()) if isinstance(kind, Nominal) else np.full(rows, np.nan)
