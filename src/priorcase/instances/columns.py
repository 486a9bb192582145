"""Stored columns: float64 for numbers and ranks, small integers for the codes of nominal values.

A column only ever grows at its end, and what lies before the end is never changed. So successive states of some rows
share their columns: each state knows how many rows, and how many codes, of a column are its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import count
from typing import Any

import numpy as np

from priorcase._core import code_counts, recode
from priorcase._typing import AnyArray, FloatArray, IdArray, IntArray, Name, Value
from priorcase.exceptions import SchemaMismatchError, listed, misspelt
from priorcase.schema import Coded, Kind, Nominal, Ordinal
from priorcase.schema.values import content_of, identity

_WIDTHS = ((np.int8, 2**7), (np.int16, 2**15), (np.int32, 2**31))
_EPOCHS = count()


class Growing:
    """An array that grows at its end, by half of its size when it is full."""

    __slots__ = ("data",)

    def __init__(self, data: AnyArray) -> None:
        self.data = data

    def view(self, size: int) -> AnyArray:
        """The first items, read-only."""
        view = self.data[:size]
        view.flags.writeable = False
        return view

    def extend(self, size: int, items: AnyArray) -> None:
        """Write items behind the first ``size`` ones."""
        end = size + len(items)
        if end > len(self.data):
            self._grow(size, end)
        self.data[size:end] = items

    def push(self, size: int, item: Any) -> None:
        """Write one item behind the first ``size`` ones."""
        if size == len(self.data):
            self._grow(size, size + 1)
        self.data[size] = item

    def _grow(self, size: int, least: int) -> None:
        data = np.empty(max(least, size + size // 2), self.data.dtype)
        data[:size] = self.data[:size]
        self.data = data


class NumberColumn(Growing):
    """The numbers of a numeric attribute, or the ranks of an ordinal one."""

    __slots__ = ("kind",)

    def __init__(self, kind: Kind, data: FloatArray | None = None) -> None:
        super().__init__(np.empty(0) if data is None else data)
        self.kind = kind

    @property
    def levels(self) -> tuple[Value, ...]:
        """The levels of an ordinal attribute."""
        return self.kind.order if isinstance(self.kind, Ordinal) else ()

    def copy(self, size: int, codes: int) -> NumberColumn:
        """A column of its own with the first rows."""
        return NumberColumn(self.kind, self.data[:size].copy())

    def with_data(self, data: AnyArray) -> NumberColumn:
        """The same attribute of other rows."""
        return NumberColumn(self.kind, data)

    def prepare(self, column: FloatArray | Coded, codes: int, label: Name) -> FloatArray:
        """Numbers to be stored; a level outside the order is refused."""
        assert isinstance(column, np.ndarray)  # what Schema.read makes of numeric and ordinal attributes
        if isinstance(self.kind, Ordinal) and (column < 0).any():
            rows = np.flatnonzero(column < 0).tolist()
            raise SchemaMismatchError(
                f"column {label!r} has a level that is not in its order {listed(self.kind.order)}, in "
                f"row{'s' * (len(rows) > 1)} {listed(rows)}. Correct it, write None if it is missing, or refit with "
                "the new level in the order."
            )
        return column

    def item(self, value: Any, codes: int) -> float | None:
        """What is stored for the value of a single row; None for a level outside the order, which is refused."""
        number: float = value
        return None if number < 0 and isinstance(self.kind, Ordinal) else number

    def cell(self, value: Any, codes: int) -> float:
        """The value of a single query as a cell."""
        number: float = value
        return number

    def lookup(self, column: FloatArray | Coded, codes: int) -> FloatArray:
        """A column of queries as cells."""
        assert isinstance(column, np.ndarray)  # what Schema.read makes of numeric and ordinal attributes
        return column

    def decoded(self, numbers: FloatArray) -> list[Value]:
        """Numbers or ranks as Python values, None for missing."""
        if isinstance(self.kind, Ordinal):
            return [None if cell != cell else self.kind.order[int(cell)] for cell in numbers.tolist()]
        return [None if cell != cell else cell for cell in numbers.tolist()]


class NewCodes:
    """A batch of codes, not stored yet, and the values that are new."""

    __slots__ = ("codes", "new")

    def __init__(self, codes: IntArray, new: dict[int, Value]) -> None:
        self.codes = codes
        self.new = new


class CodeColumn(Growing):
    """The codes of a nominal attribute and the value of each.

    A value whose last row goes is forgotten, unless it is declared, and its code is given to the next new value.
    ``epoch`` is another number after every such change.
    """

    __slots__ = ("epoch", "free", "index", "kind", "values")

    def __init__(
        self,
        kind: Nominal,
        data: IntArray | None = None,
        values: list[Value] | None = None,
        index: dict[Value, int] | None = None,
        free: tuple[int, ...] = (),
    ) -> None:
        self.kind = kind
        self.values: list[Value] = list(kind.values or ()) if values is None else values
        if index is None:
            index = {identity(value): code for code, value in enumerate(self.values) if value is not None}
        self.index = index
        self.free = free
        self.epoch = next(_EPOCHS)
        super().__init__(np.empty(0, _width(len(self.values))) if data is None else data)

    def copy(self, size: int, codes: int) -> CodeColumn:
        """A column of its own with the first rows and codes."""
        index = {key: code for key, code in self.index.items() if code < codes}
        return CodeColumn(self.kind, self.data[:size].copy(), self.values[:codes], index, self.free)

    def with_data(self, data: AnyArray) -> CodeColumn:
        """The same attribute and codes of other rows."""
        return CodeColumn(self.kind, data, list(self.values), dict(self.index), self.free)

    def without(self, gone: Iterable[int], codes: int) -> CodeColumn:
        """The same rows, with some codes free for other values."""
        gone = set(gone)
        values = [None if code in gone else value for code, value in enumerate(self.values[:codes])]
        index = {key: code for key, code in self.index.items() if code < codes and code not in gone}
        return CodeColumn(self.kind, self.data, values, index, (*self.free, *sorted(gone)))

    def known(self, codes: int) -> tuple[Value, ...]:
        """The values that some row holds or the kind declares."""
        return tuple(self.values[code] for code in self.index.values() if code < codes)

    def code(self, value: Value, codes: int) -> int:
        """The code of a value; -1 where it has none."""
        code = self.index.get(identity(value), -1)
        return code if code < codes else -1

    def prepare(self, column: FloatArray | Coded, codes: int, label: Name) -> NewCodes:
        """Codes to be stored; a value outside the declared ones is refused."""
        assert isinstance(column, Coded)  # what Schema.read makes of nominal attributes
        translate, fresh = {}, []
        for position in used(column):
            code = self.code(column.values[position], codes)
            if code < 0:
                fresh.append(position)
            else:
                translate[position] = code
        new = [column.values[position] for position in fresh]
        self._check(new, codes, label)
        places = [*self.free[::-1], *range(codes, codes + len(fresh))][: len(fresh)]
        translate.update(zip(fresh, places, strict=True))
        return NewCodes(_translated(column, translate), dict(zip(places, new, strict=True)))

    def _check(self, new: list[Value], codes: int, label: Name) -> None:
        """Refuse values beyond the declared ones, and numbers where only missing values were seen before."""
        if new and self.kind.values is not None:
            meant = misspelt(new, self.kind.values)
            raise SchemaMismatchError(
                f"column {label!r} has {listed(new)}, but declares the values {listed(self.kind.values)}. "
                + (meant or "Correct the value, write None if it is missing, or refit with the new value declared.")
            )
        if new and self.kind.content == "nothing" and not self.known(codes) and content_of(new) == "numbers":
            raise SchemaMismatchError(
                f"column {label!r} has {listed(new)}, but held only missing values so far, which do not say whether "
                f"its numbers are amounts or codes. Declare the column from the start: "
                f"schema={{{label!r}: Numeric()}}, or Nominal() if they are codes."
            )

    def settled(self, prepared: NewCodes, codes: int) -> CodeColumn:
        """The column with the new values of a batch, not yet with its rows; another one where free codes are used."""
        if not prepared.new:
            return self
        column = self
        if min(prepared.new) < codes:
            free = self.free[: len(self.free) - sum(code < codes for code in prepared.new)]
            index = {key: code for key, code in self.index.items() if code < codes}
            column = CodeColumn(self.kind, self.data, self.values[:codes], index, free)
        for code, value in prepared.new.items():
            if code < len(column.values):
                column.values[code] = value
            else:
                column.values.append(value)
            column.index[identity(value)] = code
        needed = np.dtype(_width(len(column.values)))
        if needed.itemsize > column.data.dtype.itemsize:
            column.data = column.data.astype(needed)
        return column

    def item(self, value: Value, codes: int) -> int | None:
        """What is stored for the value of a single row; None for a new value."""
        if value is None:
            return -1
        code = self.index.get(identity(value))
        return code if code is not None and code < codes else None

    def cell(self, value: Value, codes: int) -> float:
        """The value of a single query as a cell; -1 for an unseen one."""
        return np.nan if value is None else self.code(value, codes)

    def lookup(self, column: FloatArray | Coded, codes: int) -> FloatArray:
        """A column of queries as cells; -1 for an unseen value."""
        assert isinstance(column, Coded)  # what Schema.read makes of nominal attributes
        translate = np.full(len(column.values) + 1, np.nan)
        for position in used(column):
            translate[position] = self.code(column.values[position], codes)
        return translate[column.codes]

    def decoded(self, codes: IntArray) -> list[Value]:
        """Codes as Python values, None for missing."""
        return [None if code < 0 else self.values[code] for code in codes.tolist()]


Column = NumberColumn | CodeColumn


def make_column(kind: Kind) -> Column:
    """An empty column for a kind of attribute."""
    return CodeColumn(kind) if isinstance(kind, Nominal) else NumberColumn(kind)


def count_codes(codes: IntArray, n: int) -> IdArray:
    """How many rows hold each of the first ``n`` codes."""
    return np.asarray(code_counts(np.ascontiguousarray(codes), n), np.int64)


def used(column: Coded) -> list[int]:
    """The codes that occur in a column, ascending."""
    codes, n = column.codes, len(column.values)
    if len(codes) == 1:
        return [code] if (code := int(codes[0])) >= 0 else []
    if n > len(codes):
        return sorted(Counter(code for code in codes.tolist() if code >= 0))
    found: list[int] = np.flatnonzero(code_counts(codes, n)).tolist()
    return found


def _width(n: int) -> type[np.signedinteger[Any]]:
    """The smallest integer type for ``n`` codes and -1."""
    return next(kind for kind, codes in _WIDTHS if n <= codes)


def _translated(column: Coded, translate: dict[int, int]) -> IntArray:
    """The codes of a column, translated; the same array where that changes nothing."""
    if all(position == code for position, code in translate.items()):
        return column.codes
    codes = np.empty(len(column.codes), _width(max(translate.values(), default=0) + 1))
    if len(column.values) > len(column.codes):
        codes[:] = [translate.get(code, -1) for code in column.codes.tolist()]
        return codes
    table = np.full(len(column.values), -1, np.int32)
    table[list(translate)] = list(translate.values())
    recode(column.codes, table, codes)
    return codes
