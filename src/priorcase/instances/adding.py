"""How rows get into the stores of their columns: whole or not at all."""

from __future__ import annotations

from collections.abc import Sequence

from priorcase._typing import Value
from priorcase.instances.stores import CodeStore, Store
from priorcase.schema import Table


def add(stores: Sequence[Store], tables: Sequence[Table]) -> None:
    """Store the rows of some tables side by side, such as attributes and targets; all of them, or none.

    Parameters
    ----------
    stores
        One for each column of the tables, in their order.
    tables
        As many rows each, read under the schemas of the stores.
    """
    rows = [table.row for table in tables]
    if None in rows or not _add_row(stores, [value for row in rows for value in row or ()]):
        _add_columns(stores, tables)


def _add_row(stores: Sequence[Store], row: Sequence[Value]) -> bool:
    """Store a single row of known values; False where there is more to it, and nothing is changed."""
    items = [store.item(value) for store, value in zip(stores, row, strict=True)]
    if None in items:
        return False
    for store, item in zip(stores, items, strict=True):
        store.buffer.push(item)
        if type(store) is CodeStore:
            store.count_one(item)  # type: ignore[arg-type]  # each store takes the item it gave
    return True


def _add_columns(stores: Sequence[Store], tables: Sequence[Table]) -> None:
    """Store columns, each in its store; what a store refuses is refused before anything is stored."""
    columns = [(column, table.schema.label(a)) for table in tables for a, column in enumerate(table.columns)]
    prepared = [
        (store.commit, store.prepare(column, label)) for store, (column, label) in zip(stores, columns, strict=True)
    ]
    for commit, batch in prepared:
        commit(batch)  # type: ignore[arg-type]  # each store commits what it prepared itself
