"""Attributes that appear in the middle of a stream, and tables that lack some of the attributes (IB5).

The columns of the first table are attributes from the start. A column that is new in a later table becomes an attribute
at the first row in which its value is known. Results therefore do not depend on how the later rows are split into
tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from priorcase._typing import BoolArray, IdArray, Name
from priorcase.exceptions import SchemaMismatchError
from priorcase.instances import Instances
from priorcase.learning.estimator import check_some
from priorcase.schema import Coded, Kind, Schema, Table
from priorcase.schema.columns import ArrayColumn
from priorcase.schema.schema import Source, open_source

# The columns of a table with their kinds; None if the attributes are fixed.
ColumnKinds: TypeAlias = tuple[tuple[Name, Kind], ...] | None
# Start and end of a range of rows in learning order, and the schema with the attributes of these rows.
Stage: TypeAlias = tuple[int, int, Schema]


def read_some(instances: Instances, X: Any, *, extend: bool) -> tuple[Table, ColumnKinds]:
    """Read a table that may lack attributes or, with ``extend``, add some; also return its columns with their kinds."""
    source = open_source(X)
    check_some(source.rows, len(source.columns))
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
    lacking = ArrayColumn(np.full(source.rows, np.nan))
    chosen = tuple(lacking if position is None else source.columns[position] for position in columns)
    places = sorted((position, a) for a, position in enumerate(columns) if position is not None)
    table = schema.read(
        Source(schema.names, chosen, source.rows),
        known=lambda a: instances.known(a) if a < len(instances.schema) else (),
    )
    return table, tuple((schema.label(a), schema.kinds[a]) for _, a in places)


def _matched(schema: Schema, source: Source) -> tuple[list[int | None], list[int]]:
    """Return the position of each attribute's column (None if absent), and the positions of all other columns."""
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


def brings_columns(schema: Schema, X: Any) -> bool:
    """Return whether a table has columns beyond the attributes of a schema."""
    source = open_source(X)
    if schema.names is None or source.names is None:
        return len(source.columns) > len(schema)
    return not set(source.names) <= set(schema.names)


def stages(table: Table, known: int) -> Iterator[tuple[slice, Table]]:
    """Split a table at the rows where attributes appear; yield the row range and the table of each part."""
    later = table.columns[known:]
    order, parts = _appearing(
        [column.codes >= 0 if isinstance(column, Coded) else ~np.isnan(column) for column in later], len(table)
    )
    schema, chosen = table.schema, [*range(known), *(known + a for a in order)]
    for start, stop, n in parts:
        rows, here = slice(start, stop), chosen[: known + n]
        names = None if schema.names is None else tuple(schema.names[a] for a in here)
        columns = tuple(table.columns[a][rows] for a in here)
        yield rows, Table(Schema(names, tuple(schema.kinds[a] for a in here)), stop - start, columns)


def staged(
    instances: Instances, order: IdArray, calls: Sequence[ColumnKinds], declared: Schema | None
) -> tuple[Instances, list[Stage]]:
    """Return the rows to learn again, with the attributes that they still have, and the stages of learning.

    ``order`` contains the ids of the rows in the order of learning. ``calls`` contains the columns of each table that
    was passed to `fit` or `partial_fit`; calls without remaining rows are omitted.
    """
    schema = instances.schema
    if not calls or calls[0] is None:
        return instances, [(0, len(order), schema)]
    at = {schema.label(a): a for a in range(len(schema))}
    # Attributes of the first call: declared attributes, then the columns of its table. Their kinds do not change.
    first = dict(calls[0])
    names = [*(declared.label(a) for a in range(len(declared))), *first] if declared else [*first]
    base = {name: schema.kinds[at[name]] if name in at else first[name] for name in dict.fromkeys(names)}
    # Attributes that appear at the same row are ordered as in the tables that contain them.
    brought = dict.fromkeys(name for columns in calls for name, _ in columns or ())
    later = [name for name in brought if name in at and name not in base]
    cells = instances.cells(instances.positions(order))
    appearing, parts = _appearing([~np.isnan(cells[:, at[name]]) for name in later], len(order))
    kinds = base | {later[k]: schema.kinds[at[later[k]]] for k in appearing}

    def first_attributes(n: int) -> Schema:
        names, some = list(kinds)[: len(base) + n], list(kinds.values())[: len(base) + n]
        return Schema(None if schema.names is None else tuple(names), tuple(some))

    stages = [(start, stop, first_attributes(n)) for start, stop, n in parts]
    return instances.reshaped(first_attributes(len(appearing)), [at.get(name) for name in kinds]), stages


def _appearing(known: Sequence[BoolArray], n: int) -> tuple[list[int], list[tuple[int, int, int]]]:
    """Return the columns by the row of their first known value, and the parts into which these rows split ``n`` rows.

    A part is a tuple (start, stop, number of columns that have appeared).
    """
    births = sorted((int(np.argmax(rows)), a) for a, rows in enumerate(known) if rows.any())
    starts = sorted({0, *(row for row, _ in births)})
    bounds = zip(starts, [*starts[1:], n], strict=True)
    return [a for _, a in births], [(start, stop, sum(row <= start for row, _ in births)) for start, stop in bounds]
