"""Growing columns: float64 for numbers and ranks, small integers for the codes of nominal values.

A store knows nothing of ids. Rows are added in two steps, so that a batch is stored whole or not at all: ``prepare``
checks and encodes without changing anything, ``commit`` cannot fail. A single row of values that are known already has
a shorter way of the same two steps: ``item``, then into the buffer. Views that were handed out stay as they are: rows
are written behind them or into a new buffer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from priorcase._typing import FloatArray, IdArray, IntArray, Name, Value
from priorcase.exceptions import SchemaMismatchError
from priorcase.instances.buffer import Buffer
from priorcase.instances.recoding import occurring, translated, used, width
from priorcase.schema import Coded, Kind, Nominal, Ordinal
from priorcase.schema.values import content_of, identity


class NumberStore:
    """The numbers of a numeric attribute, or the ranks of an ordinal one."""

    __slots__ = ("buffer", "kind")

    def __init__(self, kind: Kind, data: FloatArray | None = None) -> None:
        self.kind = kind
        self.buffer: Buffer[np.float64] = Buffer(np.empty(0) if data is None else data)

    @property
    def values(self) -> tuple[Value, ...]:
        """The levels of an ordinal attribute."""
        return self.kind.order if isinstance(self.kind, Ordinal) else ()

    @property
    def known(self) -> tuple[Value, ...]:
        """The levels of an ordinal attribute."""
        return self.values

    @property
    def counts(self) -> IdArray:
        """Rows for each level, all rows counted."""
        column = self.buffer.view()
        return np.bincount(column[~np.isnan(column)].astype(np.int64), minlength=len(self.values))[: len(self.values)]

    def prepare(self, column: FloatArray | Coded, label: Name) -> FloatArray:
        """Numbers to be stored; a level outside the order is refused."""
        assert isinstance(column, np.ndarray)  # what Schema.read makes of numeric and ordinal attributes
        if isinstance(self.kind, Ordinal) and (column < 0).any():
            raise SchemaMismatchError.outside_order(label, np.flatnonzero(column < 0).tolist(), self.kind.order)
        return column

    def commit(self, prepared: FloatArray) -> None:
        """Store prepared numbers."""
        self.buffer.extend(prepared)

    def item(self, value: Any) -> float | None:
        """What is stored for the value of a single row; None for a level outside the order, which is refused."""
        number: float = value
        return None if number < 0 and isinstance(self.kind, Ordinal) else number

    def cell(self, value: Any) -> float:
        """The value of a single query as a cell."""
        number: float = value
        return number

    def release(self, rows: IdArray) -> None:
        """Rows that will go; nothing is counted here."""

    def taken(self, rows: IdArray) -> NumberStore:
        """A store of some rows."""
        return NumberStore(self.kind, self.buffer.view()[rows])

    def cells(self, rows: slice | IdArray) -> FloatArray:
        """Some rows as cells."""
        return self.buffer.view()[rows]

    def lookup(self, column: FloatArray | Coded) -> FloatArray:
        """A column of queries as cells."""
        assert isinstance(column, np.ndarray)  # what Schema.read makes of numeric and ordinal attributes
        return column

    def decoded(self, rows: IdArray) -> list[Value]:
        """Some rows as Python values, None for missing."""
        cells = self.cells(rows).tolist()
        if isinstance(self.kind, Ordinal):
            return [None if cell != cell else self.kind.order[int(cell)] for cell in cells]
        return [None if cell != cell else cell for cell in cells]


@dataclass(slots=True)
class Prepared:
    """A batch of codes, not stored yet, with the number of rows of each, and the values that are new."""

    codes: IntArray
    counts: dict[int, int]
    new: dict[int, Value] = field(default_factory=dict)


class CodeStore:
    """The codes of a nominal attribute, its values, and how many rows hold each.

    A value whose last row goes is forgotten, unless it is declared, and its code is given to the next new value.
    """

    __slots__ = ("_counts", "_free", "_index", "_values", "buffer", "epoch", "kind")

    def __init__(self, kind: Nominal) -> None:
        self.kind = kind
        self._values: list[Value] = list(kind.values or ())
        self._index: dict[Value, int] = {identity(value): code for code, value in enumerate(self._values)}
        self._free: list[int] = []
        self._counts: list[int] = [0] * len(self._values)
        self.epoch = 0  # counts how often the values that rows hold became more or less
        self.buffer: Buffer[Any] = Buffer(np.empty(0, width(len(self._values))))

    @property
    def values(self) -> tuple[Value, ...]:
        """The value of each code; None for a code that no value has."""
        return tuple(self._values)

    @property
    def counts(self) -> IdArray:
        """How many rows hold each code, read-only."""
        counts = np.array(self._counts, np.int64)
        counts.flags.writeable = False
        return counts

    @property
    def known(self) -> tuple[Value, ...]:
        """The values that some row holds or the kind declares."""
        return tuple(self._values[code] for code in self._index.values())

    def prepare(self, column: FloatArray | Coded, label: Name) -> Prepared:
        """Codes to be stored; a value outside the declared ones is refused."""
        assert isinstance(column, Coded)  # what Schema.read makes of nominal attributes
        positions = used(column)
        translate: dict[int, int] = {}
        fresh: list[int] = []
        for position in positions:
            code = self._index.get(identity(column.values[position]))
            if code is None:
                fresh.append(position)
            else:
                translate[position] = code
        self._check([column.values[position] for position in fresh], label)
        codes = self._free[: -len(fresh) - 1 : -1]
        codes += range(len(self._values), len(self._values) + len(fresh) - len(codes))
        translate.update(zip(fresh, codes, strict=True))
        new = {code: column.values[position] for code, position in zip(codes, fresh, strict=True)}
        counts = {translate[position]: count for position, count in positions.items()}
        return Prepared(translated(column, translate), counts, new)

    def _check(self, new: list[Value], label: Name) -> None:
        """Refuse values beyond the declared ones, and numbers where gaps left open what they mean."""
        if new and self.kind.values is not None:
            raise SchemaMismatchError.undeclared(label, new, self.kind.values)
        if new and self.kind.content == "nothing" and not self._index and content_of(new) == "numbers":
            raise SchemaMismatchError.undecided(label, new)

    def commit(self, prepared: Prepared) -> None:
        """Store prepared codes."""
        for code, value in prepared.new.items():
            if code < len(self._values):
                self._values[code] = value
                self._free.pop()
            else:
                self._values.append(value)
            self._index[identity(value)] = code
        needed = np.dtype(width(len(self._values)))
        if needed.itemsize > self.buffer.dtype.itemsize:
            self.buffer.widen(needed)
        self.buffer.extend(prepared.codes)
        self._count(prepared.counts, 1)

    def item(self, value: Value) -> int | None:
        """What is stored for the value of a single row; None for a new value, which needs a place first."""
        return -1 if value is None else self._index.get(identity(value))

    def count_one(self, item: int) -> None:
        """Count an item that was written to the buffer."""
        if item >= 0:
            self.epoch += not self._counts[item]
            self._counts[item] += 1

    def cell(self, value: Value) -> float:
        """The value of a single query as a cell; -1 for a value that no row holds and nobody declared."""
        return np.nan if value is None else self._index.get(identity(value), -1)

    def release(self, rows: IdArray) -> None:
        """Rows that will go: count them out, and forget values without rows."""
        going = occurring(self.buffer.view()[rows], len(self._values))
        self._count(going, -1)
        self._forget(going)

    def _count(self, rows: dict[int, int], sign: int) -> None:
        self._counts += [0] * (len(self._values) - len(self._counts))
        for code, count in rows.items():
            before = self._counts[code]
            self._counts[code] += sign * count
            self.epoch += (before == 0) != (self._counts[code] == 0)

    def _forget(self, codes: Iterable[int]) -> None:
        """Let go of those codes that no row holds any more; values that are declared stay."""
        if self.kind.values is None:
            for code in codes:
                if self._counts[code] == 0:
                    del self._index[identity(self._values[code])]
                    self._values[code] = None
                    self._free.append(code)

    def taken(self, rows: IdArray) -> CodeStore:
        """A store of some rows, with the same codes."""
        store = CodeStore(self.kind)
        store._values, store._index, store._free = list(self._values), dict(self._index), list(self._free)
        store.buffer = Buffer(self.buffer.view()[rows])
        store._counts = [0] * len(self._values)
        store._count(occurring(store.buffer.view(), len(self._values)), 1)
        store._forget(list(self._index.values()))
        return store

    def cells(self, rows: slice | IdArray) -> FloatArray:
        """Some rows as cells."""
        codes = self.buffer.view()[rows]
        cells = codes.astype(np.float64)
        cells[codes < 0] = np.nan
        return cells

    def lookup(self, column: FloatArray | Coded) -> FloatArray:
        """A column of queries as cells; -1 for a value that no row holds and nobody declared."""
        assert isinstance(column, Coded)  # what Schema.read makes of nominal attributes
        translate = np.full(len(column.values) + 1, np.nan)
        for position in used(column):
            translate[position] = self._index.get(identity(column.values[position]), -1)
        return translate[column.codes]

    def translation(self, column: Coded) -> dict[int, int]:
        """The stored code of each code that occurs in a column; -1 for a value that is unseen."""
        return {position: self._index.get(identity(column.values[position]), -1) for position in used(column)}

    def decoded(self, rows: IdArray) -> list[Value]:
        """Some rows as Python values, None for missing."""
        return [None if code < 0 else self._values[code] for code in self.buffer.view()[rows].tolist()]


Store = NumberStore | CodeStore


def make_store(kind: Kind) -> Store:
    """An empty store for a kind of attribute."""
    return CodeStore(kind) if isinstance(kind, Nominal) else NumberStore(kind)
