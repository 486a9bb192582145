"""Values that a table of differences lists: known from the start, whether or not a row holds them."""

from __future__ import annotations

from collections.abc import Iterable

from priorcase._typing import Name
from priorcase.exceptions import DistanceError
from priorcase.schema import Coded, Kind, Nominal, Schema, Table
from priorcase.schema.values import identity
from priorcase.similarity import Distance, ValueTable


def with_tabled_values(table: Table, distance: Distance, declared: Iterable[Name]) -> Table:
    """The first rows with a schema that declares the values of each `ValueTable`.

    A query value that the table lists is then compared by its entry although no stored row holds it. Columns whose
    kind is ``declared`` by hand, or whose type declares values, stay as they are.
    """
    schema = table.schema
    by_hand = {schema.position(key) for key in declared}
    kinds: list[Kind] = list(schema.kinds)
    for a, listed in tabled_columns(schema, distance):
        if a not in by_hand and getattr(kinds[a], "values", None) is None:
            kinds[a] = Nominal(tuple(listed.values))
    if kinds == list(schema.kinds):
        return table
    return Table(Schema(schema.names, tuple(kinds)), len(table), table.columns)


def check_tabled(table: Table, tabled: Iterable[tuple[int, ValueTable]]) -> None:
    """Refuse rows to store with values that the `ValueTable` of a column, as `tabled_columns` tells, does not list."""
    for a, listed in tabled:
        column, known = table.columns[a], {identity(value) for value in listed.values}
        if isinstance(column, Coded):
            used = [column.values[code] for code in sorted(set(column.codes.tolist())) if code >= 0]
            if lacking := [value for value in used if identity(value) not in known]:
                raise DistanceError.table_lacks(f"column {table.schema.label(a)!r}", lacking)


def tabled_columns(schema: Schema, distance: Distance) -> list[tuple[int, ValueTable]]:
    """Position and table of each nominal column that is compared by one."""
    return [
        (a, difference)
        for a, difference in enumerate(distance.differences(schema))
        if isinstance(difference, ValueTable) and isinstance(schema.kinds[a], Nominal)
    ]
