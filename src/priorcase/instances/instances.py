"""Instances: encoded rows with stable ids."""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from priorcase._typing import AnyArray, FloatArray, IdArray, Value
from priorcase.exceptions import SchemaMismatchError, UnknownIdError, prefix_errors
from priorcase.instances.adding import add
from priorcase.instances.buffer import Buffer
from priorcase.instances.checks import check_ids, check_tables, check_weights
from priorcase.instances.digest import fingerprint
from priorcase.instances.stores import CodeStore, Store, make_store
from priorcase.schema import Coded, Schema, Table

# One lock for all instances: it is held for milliseconds, and a lock of their own could not be pickled.
_SETTLING = Lock()
# Removed rows that may stay in memory, however few others there are.
_FEW = 1024


class Instances:
    """Rows of a mixed table, each with an id that is never given to another row.

    Numbers take 8 bytes, nominal values 1, 2 or 4. Rows lie in the order of their ids. Removed rows are dropped from
    memory when a column is next looked at, all at once; a value whose last row was removed is unknown again, unless
    the schema declares it. The kinds of the schema stay as they are, whatever rows come and go.

    Several threads may read at once. Changes are for one thread at a time, with no reader beside it: whoever shares
    instances between threads keeps a lock around them.

    Parameters
    ----------
    schema
        The attributes.
    targets
        What is to be predicted, if anything.

    Attributes
    ----------
    next_id
        The id of the next row; ids count up from 0.
    version
        Counts changes.
    removals
        Counts calls that removed rows.

    Examples
    --------
    >>> from priorcase.schema import Nominal, Numeric
    >>> schema = Schema(("age", "colour"), (Numeric(), Nominal()))
    >>> instances = Instances(schema)
    >>> instances.append(schema.read([[31, "red"], [None, "blue"], [45, None]]))
    array([0, 1, 2])
    >>> instances.remove([1])
    >>> instances.ids, instances.column(0)
    (array([0, 2]), array([31., 45.]))
    >>> instances.encode(schema.read([[50, "blue"]]))
    array([[50., -1.]])
    >>> instances.decode([1])
    [(45.0, None)]
    """

    def __init__(self, schema: Schema, targets: Schema | None = None) -> None:
        self.schema = schema
        self.targets = targets
        self.next_id = 0
        self.version = 0
        self.removals = 0
        self._attributes: list[Store] = [make_store(kind) for kind in schema.kinds]
        self._targets: list[Store] = [make_store(kind) for kind in targets.kinds] if targets else []
        self._ids: Buffer[np.int64] = Buffer(np.empty(0, np.int64))
        self._weights: Buffer[np.float64] | None = None
        self._dead: Buffer[np.bool_] | None = None
        self._removed = 0

    def __len__(self) -> int:
        return len(self._ids) - self._removed

    def __repr__(self) -> str:
        what = f"{len(self)} rows of {len(self.schema)} attributes"
        return f"Instances({what})" if not self.targets else f"Instances({what} and {len(self.targets)} targets)"

    def __getstate__(self) -> dict[str, Any]:
        self._settle()
        return self.__dict__.copy()

    # -- changes -----------------------------------------------------------------------------------------------------

    def append(self, table: Table, targets: Table | None = None, weights: ArrayLike | None = None) -> IdArray:
        """The ids of rows added at the end; all of them are stored, or none and an error says why.

        Parameters
        ----------
        table
            Rows read under ``schema``.
        targets
            Their targets, read under ``targets``.
        weights
            How many equal rows each stands for; None for one.
        """
        check_tables(self.schema, self.targets, table, targets)
        rows = len(table)
        weighted = check_weights(weights, rows)
        add((*self._attributes, *self._targets), (table,) if targets is None else (table, targets))
        self._append_weights(weighted, rows)
        ids = np.arange(self.next_id, self.next_id + rows, dtype=np.int64)
        if len(self._ids):
            self._ids.extend(ids)
        else:
            self._ids = Buffer(ids)
            ids = self._ids.view()  # read-only: it is the stored one
        if self._dead is not None:
            self._dead.extend(np.zeros(rows, bool))
        self.next_id += rows
        self.version += rows > 0
        return ids

    def remove(self, ids: ArrayLike) -> None:
        """Forget rows; an id that names no row, or that is given twice, is an error and nothing is changed."""
        gone = self._physical(ids, distinct=True)
        if not gone.size:
            return
        for store in (*self._attributes, *self._targets):
            store.release(gone)
        if self._dead is None:
            self._dead = Buffer(np.zeros(len(self._ids), bool))
        self._dead.mark(gone, True)
        self._removed += len(gone)
        self.version += 1
        self.removals += 1
        if self._removed > _FEW and 2 * self._removed > len(self._ids):
            self._settle()  # or a stream that adds and removes without looking would grow for ever

    def subset(self, ids: ArrayLike) -> Instances:
        """Some rows, with their ids, as instances of their own."""
        self._settle()
        rows = np.sort(self._physical(ids, distinct=True))
        chosen = Instances(self.schema, self.targets)
        chosen.next_id = self.next_id
        chosen._attributes = [store.taken(rows) for store in self._attributes]
        chosen._targets = [store.taken(rows) for store in self._targets]
        chosen._ids = Buffer(self._ids.view()[rows])
        chosen._weights = None if self._weights is None else Buffer(self._weights.view()[rows])
        return chosen

    # -- rows --------------------------------------------------------------------------------------------------------

    @property
    def ids(self) -> IdArray:
        """The ids of the rows, ascending."""
        self._settle()
        return self._ids.view()

    @property
    def weights(self) -> FloatArray | None:
        """How many equal rows each row stands for; None where each stands for one."""
        self._settle()
        if self._weights is None or (self._weights.view() == 1.0).all():
            return None
        return self._weights.view()

    @property
    def nbytes(self) -> int:
        """Bytes of the encoded columns."""
        return sum(store.buffer.dtype.itemsize for store in (*self._attributes, *self._targets)) * len(self)

    @property
    def weighted(self) -> bool:
        """Whether rows came with weights, were it 1 for each."""
        return self._weights is not None

    def look_up(self, ids: ArrayLike) -> tuple[list[AnyArray], list[AnyArray], FloatArray | None]:
        """Attributes, targets and weights of some rows; takes no longer when many others were removed."""
        rows: Any = self._physical(ids, distinct=False)
        if rows.size and rows[-1] - rows[0] == rows.size - 1 and (np.diff(rows) == 1).all():
            rows = slice(int(rows[0]), int(rows[-1]) + 1)
        attributes = [store.buffer.view()[rows] for store in self._attributes]
        targets = [store.buffer.view()[rows] for store in self._targets]
        return attributes, targets, None if self._weights is None else self._weights.view()[rows]

    def translation(self, a: int, column: Coded) -> dict[int, int]:
        """The stored code of each code that occurs in a column read for attribute ``a``; -1 for an unseen value."""
        store = self._attributes[a]
        assert isinstance(store, CodeStore)  # only nominal columns come coded
        return store.translation(column)

    def positions(self, ids: ArrayLike) -> IdArray:
        """Where rows lie among all rows, in the order of ``ids``."""
        self._settle()
        return self._physical(ids, distinct=False)

    def cells(self, rows: slice | ArrayLike = slice(None)) -> FloatArray:
        """Rows by position as one matrix: numbers, ranks and codes, NaN for missing."""
        self._settle()
        chosen: Any = rows if isinstance(rows, slice) else np.asarray(rows, np.int64)
        count = len(self._ids.view()[chosen])
        cells = np.empty((count, len(self.schema)))
        for a, store in enumerate(self._attributes):
            cells[:, a] = store.cells(chosen)
        return cells

    @prefix_errors
    def encode(self, table: Table) -> FloatArray:
        """Queries as a matrix like that of ``cells``; -1 for a value that is unseen."""
        if table.schema is not self.schema and table.schema != self.schema:
            raise SchemaMismatchError.other_table("a table read under another schema")
        if table.block is not None:
            return np.array(table.block, order="C")
        if (row := table.row) is not None:
            row_cells = [store.cell(value) for store, value in zip(self._attributes, row, strict=True)]
            return np.array([row_cells], np.float64)
        cells = np.empty((len(table), len(self.schema)))
        for a, (store, column) in enumerate(zip(self._attributes, table.columns, strict=True)):
            cells[:, a] = store.lookup(column)
        return cells

    def decode(self, positions: ArrayLike) -> list[tuple[Value, ...]]:
        """Rows by position as Python values, None for missing."""
        self._settle()
        rows = np.asarray(positions, np.int64)
        return list(zip(*(store.decoded(rows) for store in self._attributes), strict=True))

    # -- columns -----------------------------------------------------------------------------------------------------

    def column(self, a: int) -> AnyArray:
        """Attribute ``a`` of all rows, read-only: numbers or ranks, NaN for missing; or codes, -1 for missing."""
        self._settle()
        return self._attributes[a].buffer.view()

    def values(self, a: int) -> tuple[Value, ...]:
        """What each code or rank of attribute ``a`` stands for; None for a code that no value has."""
        return self._attributes[a].values

    def known(self, a: int) -> tuple[Value, ...]:
        """The values of attribute ``a`` that some row holds or the schema declares."""
        return self._attributes[a].known

    def value_counts(self, a: int) -> IdArray:
        """Rows for each code or rank of attribute ``a``."""
        return self._counts(self._attributes[a])

    def target(self, t: int = 0) -> AnyArray:
        """Target ``t`` of all rows, like ``column``."""
        self._settle()
        return self._targets[t].buffer.view()

    def target_values(self, t: int = 0) -> tuple[Value, ...]:
        """What each code or rank of target ``t`` stands for, like ``values``."""
        return self._targets[t].values

    def target_counts(self, t: int = 0) -> IdArray:
        """Rows for each code or rank of target ``t``."""
        return self._counts(self._targets[t])

    def target_epoch(self, t: int = 0) -> int:
        """Counts how often the values that rows of target ``t`` hold became more or less."""
        store = self._targets[t]
        return store.epoch if isinstance(store, CodeStore) else self.version

    def digest(self) -> str:
        """A fingerprint of names, kinds, values, targets and weights in the order of the rows.

        It is the same after any history of appends and removals that leaves the same rows, and does not depend on ids.
        """
        self._settle()
        stores = (*self._attributes, *self._targets)
        return fingerprint((self.schema, self.targets), stores, self.weights, len(self))

    # -- inside ------------------------------------------------------------------------------------------------------

    def _counts(self, store: Store) -> IdArray:
        if not isinstance(store, CodeStore):  # which keeps its counts up to date
            self._settle()
        return store.counts

    def _append_weights(self, weights: FloatArray | None, rows: int) -> None:
        if weights is not None and self._weights is None:
            self._weights = Buffer(np.ones(len(self._ids)))
        if self._weights is not None:
            self._weights.extend(np.ones(rows) if weights is None else weights)

    def _physical(self, ids: ArrayLike, *, distinct: bool) -> IdArray:
        """Where rows lie, those not yet dropped from memory counted in."""
        wanted = check_ids(ids)
        stored = self._ids.view()
        rows = np.searchsorted(stored, wanted)
        found = rows < len(stored)
        found[found] = stored[rows[found]] == wanted[found]
        if self._dead is not None:
            found[found] = ~self._dead.view()[rows[found]]
        if not found.all():
            raise UnknownIdError.absent(wanted[~found].tolist())
        if distinct and len(np.unique(wanted)) < len(wanted):
            values, counts = np.unique(wanted, return_counts=True)
            raise UnknownIdError.repeated(values[counts > 1].tolist())
        return rows

    def _settle(self) -> None:
        """Drop removed rows from memory; readers in several threads wait for the one that does it."""
        if self._dead is not None:
            with _SETTLING:
                self._drop()

    def _drop(self) -> None:
        if self._dead is None:  # another thread was first
            return
        alive = ~self._dead.view()
        for store in (*self._attributes, *self._targets):
            store.buffer.keep(alive)
        self._ids.keep(alive)
        if self._weights is not None:
            self._weights.keep(alive)
        self._dead, self._removed = None, 0
