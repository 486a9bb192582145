"""Storage of rows in encoded form; each row has an id that never changes.

Numbers and the ranks of ordinal levels are stored as float64, and nominal values as small integer codes.

Each change of the rows creates a new snapshot (`_Rows`). New rows are written after the existing rows, and stored
values are never overwritten. Successive snapshots can therefore share the same columns. Each snapshot records how many
of the rows and codes in the columns belong to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import count
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from priorcase._core import are_cells, code_counts, recode
from priorcase._grids import TextResult
from priorcase._typing import AnyArray, FloatArray, IdArray, IntArray, Name, Value
from priorcase.exceptions import SchemaMismatchError, TargetError, UnknownIdError, listed, misspelt
from priorcase.schema import Circular, Coded, Date, Kind, Nominal, Ordinal, Schema, Table, Taxonomy, Text
from priorcase.schema.dates import date_of
from priorcase.schema.kinds import canonical, content_of, identity, is_missing

_EPOCHS = count()
# Products of weights and votes must neither overflow nor vanish.
_LEAST_WEIGHT, _MOST_WEIGHT = 1e-100, 1e100
_LARGEST_SPAN = 2**32 - 2  # between the ids of stored rows, which a compiled index numbers by 32 bits
# Removed rows stay in memory until there are more than _FEW of them and more than one row in _SHARE was removed.
_FEW, _SHARE = 1024, 64


# -- columns

# Batch of rows of one column, ready to store: numbers or codes, and the values that get new codes.
Batch: TypeAlias = tuple[AnyArray, dict[int, Value]]


class Growing:
    """Array that grows when items are appended; a full array is enlarged by at least half of its size."""

    __slots__ = ("data",)

    def __init__(self, data: AnyArray) -> None:
        self.data = data

    def view(self, size: int) -> AnyArray:
        """Return a read-only view of the first ``size`` items of the array."""
        view = self.data[:size]
        view.flags.writeable = False
        return view

    def extend(self, size: int, items: AnyArray) -> None:
        """Write ``items`` after the first ``size`` items, and enlarge the array if necessary."""
        end = size + len(items)
        if end > len(self.data):
            self.grow(size, end)
        self.data[size:end] = items

    def grow(self, size: int, least: int) -> None:
        data = np.empty(max(least, size + size // 2), self.data.dtype)
        data[:size] = self.data[:size]
        self.data = data


class NumberColumn(Growing):
    """Stored column with the numbers of a numeric attribute or the ranks of an ordinal attribute."""

    __slots__ = ("kind", "values")

    def __init__(self, kind: Kind, data: FloatArray | None = None) -> None:
        super().__init__(np.empty(0) if data is None else data)
        self.kind = kind
        self.values = kind.order if isinstance(kind, Ordinal) else ()

    def with_data(self, data: AnyArray, codes: int) -> NumberColumn:
        return NumberColumn(self.kind, data)

    def prepare(self, column: Any, codes: int, label: Name) -> Batch:
        """Return the numbers to store for a new batch of values; raise an error for undeclared ordinal levels."""
        if isinstance(self.kind, Ordinal) and (column < 0).any():
            rows = np.flatnonzero(column < 0).tolist()
            raise SchemaMismatchError(
                f"column {label!r} has a level that is not in its order {listed(self.kind.order)}, in "
                f"row{'s' * (len(rows) > 1)} {listed(rows)}. Correct the level, use None for a missing value, or refit "
                "with the new level in the order."
            )
        return column, {}

    def item(self, value: Any, codes: int) -> Any:
        """Return the number to store for a single value, or None if the value is an undeclared ordinal level."""
        return None if value < 0 and isinstance(self.kind, Ordinal) else value

    def cell(self, value: Any, codes: int) -> Any:
        return value

    def lookup(self, column: Any, codes: int) -> Any:
        return column

    def decoded(self, numbers: FloatArray) -> list[Value]:
        """Convert stored numbers or ranks to Python values; missing values become None."""
        if isinstance(self.kind, Ordinal):
            return [None if cell != cell else self.kind.order[int(cell)] for cell in numbers.tolist()]
        if isinstance(self.kind, Date):
            return [None if cell != cell else date_of(cell) for cell in numbers.tolist()]
        return [None if cell != cell else cell for cell in numbers.tolist()]


class CodeColumn(Growing):
    """Stored column with the codes of a nominal attribute and the value of each code.

    A value that the schema does not declare is deleted with its last row, and a new value reuses its code. ``epoch``
    changes whenever a value is deleted or a code is reused.
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

    def with_data(self, data: AnyArray, codes: int, gone: Iterable[int] = ()) -> CodeColumn:
        """Return a column with other data and the first ``codes`` values; the codes in ``gone`` lose their values."""
        gone = set(gone)
        values = [None if code in gone else value for code, value in enumerate(self.values[:codes])]
        index = {key: code for key, code in self.index.items() if code < codes and code not in gone}
        return CodeColumn(self.kind, data, values, index, (*self.free, *sorted(gone)))

    def known(self, codes: int) -> tuple[Value, ...]:
        """Return the values that are stored in rows or declared in the schema."""
        return tuple(self.values[code] for code in self.index.values() if code < codes)

    def code(self, value: Value, codes: int) -> int:
        """Return the code of a value, or -1 if it has no code."""
        code = self.index.get(identity(value), -1)
        return code if code < codes else -1

    def prepare(self, column: Any, codes: int, label: Name) -> Batch:
        """Return the codes to store and the values that get new codes; raise an error for invalid values."""
        translate = self.translate(column, codes)
        fresh = [position for position, code in translate.items() if code < 0]
        new = [column.values[position] for position in fresh]
        self._check(new, codes, label)
        places = [*self.free[::-1], *range(codes, codes + len(fresh))][: len(fresh)]
        translate.update(zip(fresh, places, strict=True))
        recoded = column.codes
        if any(position != code for position, code in translate.items()):
            table = np.full(len(column.values), -1, np.int32)
            table[list(translate)] = list(translate.values())
            recoded = np.empty(len(column.codes), _width(max(translate.values()) + 1))
            recode(column.codes, table, recoded)
        return recoded, dict(zip(places, new, strict=True))

    def translate(self, column: Coded, codes: int) -> dict[int, int]:
        """Map each code of a column from another table to the stored code of its value (-1 if unseen)."""
        used = np.flatnonzero(code_counts(column.codes, len(column.values))).tolist()
        return {position: self.code(column.values[position], codes) for position in used}

    def _check(self, new: list[Value], codes: int, label: Name) -> None:
        """Raise an error for undeclared values, and for numbers in a column whose stored values are all missing."""
        if new and self.kind.values is not None:
            meant = misspelt(new, self.kind.values)
            raise SchemaMismatchError(
                f"column {label!r} has {listed(new)}, but declares the values {listed(self.kind.values)}. "
                + (meant or "Correct the value, use None for a missing value, or refit with the new value declared.")
            )
        if new and self.kind.content == "nothing" and not self.known(codes) and content_of(new) == "numbers":
            raise SchemaMismatchError(
                f"column {label!r} has {listed(new)}, but had only missing values so far, so it is unknown whether "
                f"these numbers are quantities or category codes. Declare the kind of the column in fit, as in "
                f"schema={{{label!r}: Numeric()}}, or with Nominal() for category codes."
            )

    def settled(self, new: dict[int, Value], codes: int) -> CodeColumn:
        """Add new values and return the column; ``new`` maps codes to values."""
        column = self
        if min(new) < codes:  # the code of a deleted value is reused: change a copy
            column = self.with_data(self.data, codes)
            column.free = self.free[: len(self.free) - sum(code < codes for code in new)]
        for code, value in new.items():
            if code < len(column.values):
                column.values[code] = value
            else:
                column.values.append(value)
            column.index[identity(value)] = code
        if (needed := _width(len(column.values))).itemsize > column.data.dtype.itemsize:
            column.data = column.data.astype(needed)
        return column

    def item(self, value: Value, codes: int) -> int | None:
        """Return the code to store for a single value, or None if the value has no code yet."""
        if value is None:
            return -1
        code = self.index.get(identity(value))
        return code if code is not None and code < codes else None

    def cell(self, value: Value, codes: int) -> float:
        """Encode one query's value of this attribute: NaN if the value is missing, -1 if it is unseen."""
        return np.nan if value is None else self.code(value, codes)

    def lookup(self, column: Any, codes: int) -> Any:
        """Encode several queries' values of this attribute: NaN if a value is missing, -1 if it is unseen."""
        table = np.full(len(column.values) + 1, np.nan)
        for position, code in self.translate(column, codes).items():
            table[position] = code
        return table[column.codes]

    def decoded(self, codes: IntArray) -> list[Value]:
        """Convert stored codes to Python values; missing values become None."""
        return [None if code < 0 else self.values[code] for code in codes.tolist()]


Column = NumberColumn | CodeColumn


def make_column(
    kind: Kind, data: AnyArray | None = None, values: Iterable[Value] | None = None, free: Iterable[int] = ()
) -> Column:
    """Return a stored column for an attribute of the given kind; without ``data``, the column is empty."""
    if not isinstance(kind, Nominal):
        return NumberColumn(kind, data)
    return CodeColumn(kind, data, None if values is None else list(values), None, tuple(free))


def _restored_column(kind: Kind, data: Any, values: Any, n: int, *, target: bool) -> Column:
    """Return a column of ``n`` rows that was read from a file; raise ``ValueError`` if the column is invalid."""
    if (
        not isinstance(data, np.ndarray)
        or data.shape != (n,)
        or data.dtype.kind != ("f", "i")[isinstance(kind, Nominal)]
    ):
        raise ValueError("a column with an invalid type or length")
    if not isinstance(kind, Nominal):
        data = np.ascontiguousarray(data, np.float64)
        if not are_cells(data, len(kind.order) if isinstance(kind, Ordinal) else 0, not target):
            raise ValueError("an infinite number, an undeclared level or a missing target")
        return NumberColumn(kind, data)
    held = [value for value in values if value is not None]
    if any(map(is_missing, held)) or len(set(map(identity, held))) < len(held):
        raise ValueError("missing or repeated values")
    if kind.values is not None and list(map(identity, kind.values)) != list(map(identity, values)):
        raise ValueError("undeclared values")
    free = [code for code, value in enumerate(values) if value is None]
    data = np.ascontiguousarray(data)
    least, most = (-1, -1) if not n else (data.min(), data.max())
    if least < (0 if target and n else -1) or most >= len(values) or (free and np.isin(data, free).any()):
        raise ValueError("a code without a value")
    return CodeColumn(kind, data.astype(_width(len(values)), copy=False), list(values), None, tuple(free))


def count_codes(codes: IntArray, n: int) -> IdArray:
    """Return, for each code from 0 to ``n - 1``, the number of rows with this code."""
    return np.asarray(code_counts(np.ascontiguousarray(codes), n), np.int64)


def _width(n: int) -> np.dtype[Any]:
    """Return the smallest integer type that can store ``n`` codes and -1 for missing values."""
    return np.min_scalar_type(-max(n, 1))


# -- rows


@dataclass(slots=True, eq=False)
class _Rows:
    """Immutable snapshot of the stored rows.

    Snapshots can share their columns, because rows are only appended to the columns. They then also share the list
    ``ends``, which contains one number: how many rows have been written to the columns.

    To append rows without a copy, a snapshot removes the number from the list, writes the rows, and puts the new number
    into the list. The columns are copied instead if another snapshot has already appended rows, or if the list is
    empty, because a write is in progress or has failed.

    Snapshots with the same ``line`` object differ only in appended rows.
    """

    columns: tuple[Column, ...]
    codes: tuple[int, ...]
    ids: Growing
    weights: Growing | None
    size: int
    next_id: int
    version: int = 0
    removals: int = 0
    removed: IdArray | None = None
    line: object = None
    ends: list[int] = field(default_factory=list)
    _cache: dict[tuple[str, int], Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.line is None:  # this snapshot does not share its columns
            self.line, self.ends = object(), [self.size]

    def __len__(self) -> int:
        return self.size if self.removed is None else self.size - self.removed.size

    def live(self, key: tuple[str, int], column: Growing) -> AnyArray:
        """Return the values of a stored column, without removed rows, as a read-only array."""
        if self.removed is None:
            return column.view(self.size)
        found = self._cache.get(key)
        if found is None:
            found = np.delete(column.view(self.size), self.removed)
            found.flags.writeable = False
            self._cache[key] = found
        return found

    def column(self, j: int) -> AnyArray:
        """Return the values of column ``j``, without removed rows."""
        return self.live(("column", j), self.columns[j])

    def counts(self, j: int) -> IdArray:
        """Return, for each code or rank of column ``j``, the number of rows with this code or rank."""
        found = self._cache.get(("counts", j))
        if found is None:
            column = self.columns[j]
            if not isinstance(column, CodeColumn):
                ranks, n = self.column(j), self.codes[j]
                found = np.bincount(ranks[~np.isnan(ranks)].astype(np.int64), minlength=n)[:n]
            elif ("counted", j) in self._cache:
                start, before = self._cache["counted", j]
                found = count_codes(column.view(self.size)[start:], self.codes[j])
                found[: len(before)] += before
            else:
                found = count_codes(self.column(j), self.codes[j])
            found.flags.writeable = False
            self._cache["counts", j] = found
        return found

    def prepare_row(self, row: Sequence[Value]) -> list[Any] | None:
        """Return the encoded values of a single row for `with_row`, or None if a value is new or undeclared."""
        items = [column.item(value, n) for column, value, n in zip(self.columns, row, self.codes, strict=True)]
        return None if None in items else items

    def with_row(self, items: list[Any], weight: float | None) -> _Rows:
        """Return a snapshot with one more row, given by its encoded values."""
        parts = columns, ids, weights, _ = self._writable(weight is not None)
        size, growing = self.size, [*columns, ids]
        items = [*items, self.next_id]
        if weights is not None:
            growing.append(weights)
            items.append(1.0 if weight is None else weight)
        for column, item in zip(growing, items, strict=True):
            if size == len(column.data):
                column.grow(size, size + 1)
            column.data[size] = item
        return self._longer(parts, self.codes, 1)

    def with_rows(self, prepared: list[Batch], weights: FloatArray | None, count: int) -> _Rows:
        """Return a snapshot with ``count`` more rows; ``prepared`` contains one `Batch` for each column."""
        columns, ids, stored_weights, ends = self._writable(weights is not None)
        size, grown, codes = self.size, list(columns), list(self.codes)
        for j, (column, (batch, new)) in enumerate(zip(columns, prepared, strict=True)):
            if new and isinstance(column, CodeColumn):
                grown[j] = column.settled(new, codes[j])
                codes[j] = max(codes[j], max(new) + 1)
            grown[j].extend(size, batch)
        new_ids = np.arange(self.next_id, self.next_id + count, dtype=np.int64)
        if size:
            ids.extend(size, new_ids)
        else:
            ids.data = new_ids
        if stored_weights is not None:
            stored_weights.extend(size, np.ones(count) if weights is None else weights)
        return self._longer((tuple(grown), ids, stored_weights, ends), tuple(codes), count)

    def _writable(self, weighted: bool) -> tuple[tuple[Column, ...], Growing, Growing | None, list[int]]:
        """Return columns, ids and weights to which rows can be appended, and the list ``ends``; see `_Rows`."""
        rows, ends = self, self.ends
        try:
            end = self.ends.pop()  # atomic: only one of two threads gets it
        except IndexError:
            end = -1
        if end != self.size:
            if end >= 0:
                self.ends.append(end)
            rows, ends = self.taken(slice(None)), []
        weights = Growing(np.ones(self.size)) if weighted and self.weights is None else rows.weights
        return rows.columns, rows.ids, weights, ends

    def _longer(
        self, parts: tuple[tuple[Column, ...], Growing, Growing | None, list[int]], codes: tuple[int, ...], count: int
    ) -> _Rows:
        columns, ids, weights, ends = parts
        size, next_id, line = self.size + count, self.next_id + count, self.line if ends is self.ends else None
        ends.append(size)
        version, removals = self.version + 1, self.removals
        found = _Rows(columns, codes, ids, weights, size, next_id, version, removals, self.removed, line, ends)
        for key, known in list(self._cache.items()):  # update cached counts instead of counting again
            if key[0] == "counts":
                found._cache["counted", key[1]] = (self.size, known)
            elif key[0] == "counted":
                found._cache.setdefault(key, known)
        return found

    def without(self, gone: IdArray) -> _Rows:
        """Return a snapshot without the rows at the given positions."""
        removed = gone if self.removed is None else np.insert(self.removed, self.removed.searchsorted(gone), gone)
        columns, counted = list(self.columns), {}
        for j, column in enumerate(self.columns):
            if isinstance(column, CodeColumn):
                counts = self.counts(j).copy()
                if gone.size == 1:  # one row at a time must be quick
                    vanished, code = [], column.data.item(gone.item())
                    if code >= 0:
                        counts[code] = left = counts.item(code) - 1
                        vanished = [] if left else [code]
                else:
                    going = count_codes(column.data[gone], self.codes[j])
                    counts -= going
                    vanished = np.flatnonzero((going > 0) & (counts == 0)).tolist()
                counts.flags.writeable = False
                counted["counts", j] = counts
                if vanished and column.kind.values is None:
                    columns[j] = column.with_data(column.data, self.codes[j], vanished)
        same = self.codes, self.ids, self.weights, self.size, self.next_id
        found = _Rows(tuple(columns), *same, self.version + 1, self.removals + 1, removed, object(), self.ends)
        found._cache.update(counted)
        return found if removed.size <= max(_FEW, self.size // _SHARE) else found.compacted()

    def taken(self, places: IdArray | slice) -> _Rows:
        """Return a new snapshot with a copy of the rows at the given positions."""
        pairs = zip(self.columns, self.codes, strict=True)
        columns = tuple(column.with_data(column.view(self.size)[places].copy(), n) for column, n in pairs)
        ids = self.ids.view(self.size)[places].copy()
        weights = None if self.weights is None else Growing(self.weights.view(self.size)[places].copy())
        return _Rows(columns, self.codes, Growing(ids), weights, len(ids), self.next_id, self.version, self.removals)

    def compacted(self) -> _Rows:
        """Return a snapshot of the same rows, in which the columns no longer contain the removed rows."""
        if self.removed is None:
            return self
        found = self.taken(np.delete(np.arange(self.size), self.removed))
        found._cache.update({key: value for key, value in list(self._cache.items()) if key[0] == "counts"})
        return found


class Instances(TextResult):
    """Stored rows of a mixed table, each with a unique id.

    A number takes 8 bytes, and a nominal value takes 1, 2 or 4 bytes. Rows are stored in ascending order of their ids.
    When the last row with a nominal value is removed, the value is treated as unseen, unless the schema declares it.
    The kinds of the attributes never change.

    Appending or removing rows is atomic: a failed change has no effect, and other threads see either the whole change
    or nothing of it. Only one thread at a time may append or remove rows.

    ``schema`` describes the attributes, and ``targets`` describes the targets, if there are any.

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
        self.keeps_unseen: tuple[int, ...] = ()  # coded attributes whose unseen values `encode` keeps
        columns = tuple(make_column(kind) for kind in (*schema.kinds, *(targets.kinds if targets else ())))
        codes = tuple(len(column.values) for column in columns)
        self._rows = _Rows(columns, codes, Growing(np.empty(0, np.int64)), None, 0, 0)

    def __len__(self) -> int:
        rows = self._rows
        return rows.size if rows.removed is None else len(rows)

    def __repr__(self) -> str:
        targets = f", targets={len(self.targets)}" if self.targets else ""
        return f"Instances(rows={len(self)}, attributes={len(self.schema)}{targets})"

    def fork(self) -> Instances:
        """Return a copy that shares memory with the original instances until either of the two is changed."""
        return self._with(self.schema, self._rows)

    __copy__ = fork

    def __deepcopy__(self, memo: Any) -> Instances:
        return self.fork()

    def __getstate__(self) -> dict[str, Any]:
        rows = self._rows.compacted()
        columns = [
            (np.array(column.view(rows.size)), column.values[:n], getattr(column, "free", ()))
            for column, n in zip(rows.columns, rows.codes, strict=True)
        ]
        return {
            "schema": self.schema,
            "targets": self.targets,
            "columns": columns,
            "ids": np.array(rows.ids.view(rows.size)),
            "weights": None if rows.weights is None else np.array(rows.weights.view(rows.size)),
            "counts": (rows.next_id, rows.version, rows.removals),
            "keeps_unseen": self.keeps_unseen,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.schema, self.targets, self.keeps_unseen = state["schema"], state["targets"], state["keeps_unseen"]
        kinds = (*self.schema.kinds, *(self.targets.kinds if self.targets else ()))
        columns = tuple(make_column(kind, *stored) for kind, stored in zip(kinds, state["columns"], strict=True))
        codes = tuple(len(column.values) for column in columns)
        weights = None if state["weights"] is None else Growing(state["weights"])
        self._rows = _Rows(columns, codes, Growing(state["ids"]), weights, len(state["ids"]), *state["counts"])

    def saved(self) -> dict[str, Any]:
        """Return a dictionary of the arguments with which `restored` recreates these instances."""
        rows = self._rows.compacted()
        columns = [
            [column.view(rows.size), list(column.values[:n]) if isinstance(column, CodeColumn) else None]
            for column, n in zip(rows.columns, rows.codes, strict=True)
        ]
        weights = None if rows.weights is None else rows.weights.view(rows.size)
        stored = {"ids": rows.ids.view(rows.size), "weights": weights, "columns": columns, "next_id": rows.next_id}
        return {"schema": self.schema, "targets": self.targets} | stored

    @classmethod
    def restored(
        cls, schema: Schema, targets: Schema | None, columns: Sequence[Any], ids: Any, weights: Any, next_id: int
    ) -> Instances:
        """Recreate instances from the result of `saved`; raise ``ValueError`` for invalid values, ids or weights.

        The arrays may be read-only, for example if they are memory-mapped from a file. The arrays are used without a
        copy until rows are added or removed.
        """
        if not isinstance(schema, Schema) or not isinstance(targets, Schema | None):
            raise ValueError("missing schema")
        kinds = (*schema.kinds, *(targets.kinds if targets else ()))
        if not isinstance(ids, np.ndarray) or ids.dtype != np.int64 or ids.ndim != 1 or type(next_id) is not int:
            raise ValueError("missing row ids")
        ends = (0, 0) if not ids.size else (int(ids[0]), int(ids[-1]) + 1)
        if ids.size and next_id - ends[0] > _LARGEST_SPAN:
            raise ValueError("row ids that are too far apart")
        if not 0 <= next_id < 2**62 or (ids[1:] <= ids[:-1]).any() or ends[0] < 0 or ends[1] > next_id:
            raise ValueError("row ids that are not ascending")
        found = tuple(
            _restored_column(kind, data, values, ids.size, target=j >= len(schema))
            for j, (kind, (data, values)) in enumerate(zip(kinds, columns, strict=True))
        )
        growing = None
        if weights is not None:
            known = check_weights(weights, ids.size)
            if known is None or not known.all() or weights.dtype != np.float64:
                raise ValueError("zero row weights")
            growing = Growing(weights)
        codes = tuple(len(column.values) for column in found)
        other = cls(schema, targets)
        other._rows = _Rows(found, codes, Growing(ids), growing, ids.size, next_id)
        return other

    @classmethod
    def coded_alike(
        cls, schema: Schema, targets: Schema | None, values: Sequence[Sequence[Value]], counts: Sequence[Any] = ()
    ) -> Instances:
        """Return instances without rows but with given codes, so that all parts of a table can use the same codes.

        ``values`` lists the values of each attribute and target in the order of their codes, with None for an unused
        code. ``counts``, if given, contains an array for each column (or None), which counts the rows of the whole
        table with each code.

        >>> from priorcase.schema import Nominal
        >>> schema = Schema(("colour",), (Nominal(),))
        >>> part = Instances.coded_alike(schema, None, [("red", "blue")])
        >>> _ = part.append(schema.read([["blue"]]))
        >>> part.cells()
        array([[1.]])
        """
        other = cls(schema, targets)
        kinds = (*schema.kinds, *(targets.kinds if targets else ()))
        columns = tuple(
            make_column(
                kind, np.empty(0, _width(len(own))), own, [code for code, value in enumerate(own) if value is None]
            )
            if isinstance(kind, Nominal)
            else make_column(kind)
            for kind, own in zip(kinds, values, strict=True)
        )
        codes = tuple(len(column.values) for column in columns)
        other._rows = _Rows(columns, codes, Growing(np.empty(0, np.int64)), None, 0, 0)
        other._rows._cache.update({("counts", j): found for j, found in enumerate(counts) if found is not None})
        return other

    def from_id(self, next_id: int) -> Instances:
        """Return a copy of the instances in which the next appended row gets the id ``next_id``."""
        rows = self._rows.taken(slice(None))  # writable columns
        rows.next_id = next_id
        return self._with(self.schema, rows)

    @classmethod
    def joined(cls, parts: Sequence[Instances]) -> Instances:
        """Concatenate instances with the same codes (see `part`); the ids must increase from one part to the next."""
        first, rows = parts[0], [part._rows.compacted() for part in parts]
        n = sum(len(each) for each in rows)
        columns = tuple(
            _used(column.with_data(np.concatenate([each.columns[j].view(each.size) for each in rows]), codes), codes)
            for j, (column, codes) in enumerate(zip(rows[0].columns, rows[0].codes, strict=True))
        )
        weights = None
        if any(each.weights is not None for each in rows):
            held = [np.ones(each.size) if each.weights is None else each.weights.view(each.size) for each in rows]
            weights = Growing(np.concatenate(held))
        ids = Growing(np.concatenate([each.ids.view(each.size) for each in rows]))
        return first._with(first.schema, _Rows(columns, rows[0].codes, ids, weights, n, rows[-1].next_id))

    # -- changes

    def append(self, table: Table, targets: Table | None = None, weights: ArrayLike | None = None) -> IdArray:
        """Append rows and return their ids; if an error occurs, no row is appended.

        ``table`` contains the rows, which must have been read with ``self.schema``. ``targets`` contains the targets of
        these rows, read with ``self.targets``, and ``weights`` contains their sample weights.
        """
        self._check_tables(table, targets)
        count, rows = len(table), self._rows
        weighted = check_weights(weights, count, parameter="weights")
        if count:
            tables = (table,) if targets is None else (table, targets)
            parts = [part.row for part in tables]
            items = None if None in parts else rows.prepare_row([value for part in parts for value in part or ()])
            if items is not None:
                self._rows = rows.with_row(items, None if weighted is None else float(weighted[0]))
            else:
                labeled = [(column, part.schema.label(a)) for part in tables for a, column in enumerate(part.columns)]
                prepared = [
                    column.prepare(given, n, label)
                    for column, n, (given, label) in zip(rows.columns, rows.codes, labeled, strict=True)
                ]
                self._rows = rows.with_rows(prepared, weighted, count)
        return self._rows.ids.view(self._rows.size)[rows.size :]

    def remove(self, ids: ArrayLike) -> None:
        """Remove rows by id; if an id is unknown or repeated, raise an error and remove no row."""
        gone = np.sort(self._places(ids, distinct=True))
        if gone.size:
            self._rows = self._rows.without(gone)

    def subset(self, ids: ArrayLike, weights: FloatArray | None = None) -> Instances:
        """Return new instances with only the rows that have the given ids, optionally with other sample weights."""
        rows = self._rows.taken(np.sort(self._places(ids, distinct=True)))
        if weights is not None:
            rows.weights = Growing(weights)
        columns = tuple(_used(column, n) for column, n in zip(rows.columns, rows.codes, strict=True))
        return self._with(self.schema, replace(rows, columns=columns, version=0, removals=0))

    def part(self, places: IdArray) -> Instances:
        """Return new instances with only the rows at the given positions; all codes stay the same."""
        return self._with(self.schema, self._rows.taken(places))

    def reshaped(self, schema: Schema, sources: Sequence[int | None]) -> Instances:
        """Return new instances with the attributes of another schema and the same rows, ids, targets and weights.

        ``sources`` contains the current position of each attribute of ``schema``, or None for a new attribute, whose
        values are missing in all rows.

        >>> from priorcase.schema import Nominal, Numeric
        >>> schema = Schema(("age", "colour"), (Numeric(), Nominal()))
        >>> instances = Instances(schema)
        >>> _ = instances.append(schema.read([[31, "red"], [45, "blue"]]))
        >>> wider = Schema(("colour", "size"), (Nominal(), Numeric()))
        >>> instances.reshaped(wider, [1, None]).decode([0, 1])
        [('red', None), ('blue', None)]
        """
        rows = self._rows.compacted().taken(slice(None))
        columns, codes = [], []
        targets = range(len(self.schema), len(rows.columns))
        for kind, source in zip((*schema.kinds, *(None for _ in targets)), (*sources, *targets), strict=True):
            if source is None and kind is not None:
                column = make_column(kind)
                missing = -1 if isinstance(column, CodeColumn) else np.nan
                codes.append(len(column.values))
                columns.append(column.with_data(np.full(rows.size, missing, column.data.dtype), codes[-1]))
            elif source is not None:
                column, n = rows.columns[source], rows.codes[source]
                if isinstance(kind, Nominal) and isinstance(column, CodeColumn) and kind.values != column.kind.values:
                    other = CodeColumn(kind)  # other declared values: encode again
                    batch, new = other.prepare(Coded(column.data, tuple(column.values[:n])), len(other.values), source)
                    other = other.settled(new, len(other.values)) if new else other
                    column, n = other.with_data(batch, len(other.values)), len(other.values)
                codes.append(n)
                columns.append(column)
        return self._with(schema, replace(rows, columns=tuple(columns), codes=tuple(codes), version=0, removals=0))

    def _with(self, schema: Schema, rows: _Rows) -> Instances:
        other = Instances.__new__(Instances)
        other.schema, other.targets, other._rows = schema, self.targets, rows
        other.keeps_unseen = self.keeps_unseen if schema is self.schema else ()
        return other

    # -- rows

    @property
    def ids(self) -> IdArray:
        """Ids of the rows in ascending order."""
        return self._rows.live(("ids", 0), self._rows.ids)

    @property
    def next_id(self) -> int:
        """Id that the next appended row will get."""
        return self._rows.next_id

    @property
    def version(self) -> int:
        """Number of times that rows were appended or removed."""
        return self._rows.version

    @property
    def removals(self) -> int:
        """Number of calls of `remove` that removed rows."""
        return self._rows.removals

    @property
    def line(self) -> object:
        """Object that stays the same while rows are only appended; `line` and `version` together identify the rows."""
        return self._rows.line

    @property
    def weights(self) -> FloatArray | None:
        """Sample weight of each row, or None if all weights are 1."""
        if self._rows.weights is None:
            return None
        weights: FloatArray = self._rows.live(("weights", 0), self._rows.weights)
        return None if (weights == 1.0).all() else weights

    @property
    def nbytes(self) -> int:
        """Size of the encoded columns in bytes."""
        return sum(column.data.dtype.itemsize for column in self._rows.columns) * len(self)

    @property
    def weighted(self) -> bool:
        """Whether sample weights were passed for any rows."""
        return self._rows.weights is not None

    def look_up(self, ids: ArrayLike) -> tuple[list[AnyArray], list[AnyArray], FloatArray | None]:
        """Return the columns, targets and sample weights of the rows with the given ids."""
        places = self._places(ids, distinct=False)
        if places.size and places[-1] - places[0] == places.size - 1 and (np.diff(places) == 1).all():
            return self._stored(slice(int(places[0]), int(places[-1]) + 1))
        return self._stored(places)

    def stored(self) -> tuple[list[AnyArray], list[AnyArray], FloatArray | None, IdArray]:
        """Return columns, targets and weights, in which removed rows may remain, and the positions of these rows."""
        removed = self._rows.removed
        return *self._stored(slice(None)), np.empty(0, np.int64) if removed is None else removed

    def _stored(self, at: slice | IdArray) -> tuple[list[AnyArray], list[AnyArray], FloatArray | None]:
        rows = self._rows
        found = [column.view(rows.size)[at] for column in rows.columns]
        weights = None if rows.weights is None else rows.weights.view(rows.size)[at]
        return found[: len(self.schema)], found[len(self.schema) :], weights

    def translation(self, a: int, column: Coded) -> dict[int, int]:
        """Map each code of a new column for attribute ``a`` to the stored code of its value (-1 if unseen)."""
        stored, n = self._rows.columns[a], self._rows.codes[a]
        assert isinstance(stored, CodeColumn)  # only nominal columns come coded
        return stored.translate(column, n)

    def positions(self, ids: ArrayLike) -> IdArray:
        """Return the positions of the rows with the given ids."""
        places, removed = self._places(ids, distinct=False), self._rows.removed
        return places if removed is None else places - np.searchsorted(removed, places)

    def cells(self, rows: slice | ArrayLike = slice(None)) -> FloatArray:
        """Return the rows at the given positions as a matrix of numbers, ranks and codes; missing values are NaN."""
        state = self._rows
        chosen: Any = rows if isinstance(rows, slice) else np.asarray(rows, np.int64)
        count = len(range(len(state))[chosen]) if isinstance(chosen, slice) else len(chosen)
        cells = np.empty((count, len(self.schema)))
        for a in range(len(self.schema)):
            column = state.column(a)[chosen]
            cells[:, a] = column
            if column.dtype.kind == "i":
                cells[column < 0, a] = np.nan
        return cells

    def encode(self, table: Table) -> FloatArray:
        """Encode queries as a matrix of numbers, ranks and codes, with NaN for missing and -1 for unseen values.

        In the attributes listed in ``keeps_unseen``, the unseen values are encoded as -2, -3, ... in the order of
        `unseen_values`.
        """
        if table.schema is not self.schema and table.schema != self.schema:
            raise SchemaMismatchError("the table was read with another schema. Read the rows with instances.schema.")
        if table.block is not None:
            return np.array(table.block, order="C")
        state = self._rows
        if (row := table.row) is not None:
            items = zip(state.columns, row, state.codes, strict=False)
            cells = np.array([[column.cell(value, n) for column, value, n in items]], np.float64)
            return self._with_unseen(cells, table) if self.keeps_unseen else cells
        cells = np.empty((len(table), len(self.schema)))
        for a, column in enumerate(table.columns):
            cells[:, a] = state.columns[a].lookup(column, state.codes[a])
        return self._with_unseen(cells, table) if self.keeps_unseen else cells

    def _with_unseen(self, cells: FloatArray, table: Table) -> FloatArray:
        """Encode the unseen values of the attributes listed in ``keeps_unseen`` as -2, -3, ..."""
        unseen = list[Value]()
        for a in self.keeps_unseen:
            rows = np.flatnonzero(cells[:, a] == -1.0)
            column, numbers = table.columns[a], dict[int, float]()
            if not rows.size or not isinstance(column, Coded):
                continue
            for code in np.unique(column.codes[rows]).tolist():
                numbers[code] = -2.0 - len(unseen)
                unseen.append(column.values[code])
            cells[rows, a] = [numbers[code] for code in column.codes[rows].tolist()]
        return with_unseen(cells, unseen)

    def decode(self, positions: ArrayLike) -> list[tuple[Value, ...]]:
        """Return the rows at the given positions as tuples of Python values, with None for missing values."""
        state, rows = self._rows, np.asarray(positions, np.int64)
        columns = (state.columns[a].decoded(state.column(a)[rows]) for a in range(len(self.schema)))
        return list(zip(*columns, strict=True))

    def decode_cells(self, a: int, cells: FloatArray) -> list[Value]:
        """Convert encoded values of attribute ``a`` to Python values, with None for missing values."""
        column = self._rows.columns[a]
        if isinstance(column, CodeColumn):
            return column.decoded(np.where(np.isnan(cells), -1, cells).astype(np.int64))
        return column.decoded(cells)

    # -- columns

    def column(self, a: int) -> AnyArray:
        """Return attribute ``a`` of all rows as numbers or ranks (NaN if missing) or as codes (-1 if missing)."""
        return self._rows.column(a)

    def values(self, a: int) -> tuple[Value, ...]:
        """Return the value of each code or rank of attribute ``a``, or None for an unused code."""
        return tuple(self._rows.columns[a].values[: self._rows.codes[a]])

    def n_values(self, a: int) -> int:
        """Return the number of codes or ranks of attribute ``a``."""
        return self._rows.codes[a]

    def range_of(self, a: int) -> tuple[int, float, float]:
        """Return how many rows have a number in attribute ``a``, and the smallest and the largest one."""
        numbers = self.column(a)
        return int(np.count_nonzero(~np.isnan(numbers))), np.fmin.reduce(numbers), np.fmax.reduce(numbers)

    def code(self, a: int, value: Value) -> int:
        """Return the code of a value of attribute ``a``; -1 if no row has it and the schema does not declare it."""
        column = self._rows.columns[a]
        return column.code(value, self._rows.codes[a]) if isinstance(column, CodeColumn) else -1

    def known(self, a: int) -> tuple[Value, ...]:
        """Return the values of attribute ``a`` that are stored in rows or declared in the schema."""
        column = self._rows.columns[a]
        return column.known(self._rows.codes[a]) if isinstance(column, CodeColumn) else column.values

    def value_counts(self, a: int) -> IdArray:
        """Return, for each code or rank of attribute ``a``, the number of rows with this code or rank."""
        return self._rows.counts(a)

    def target(self, t: int = 0) -> AnyArray:
        """Return target ``t`` of all rows, in the format of `column`."""
        return self._rows.column(len(self.schema) + t)

    def target_values(self, t: int = 0) -> tuple[Value, ...]:
        """Return the value of each code or rank of target ``t``, or None for an unused code."""
        return self.values(len(self.schema) + t)

    def target_counts(self, t: int = 0) -> IdArray:
        """Return, for each code or rank of target ``t``, the number of rows with this code or rank."""
        return self._rows.counts(len(self.schema) + t)

    def target_epoch(self, t: int = 0) -> tuple[int, int]:
        """Return a token that changes whenever the set of stored values of target ``t`` changes."""
        j = len(self.schema) + t
        column = self._rows.columns[j]
        return (column.epoch, self._rows.codes[j]) if isinstance(column, CodeColumn) else (-1, self._rows.version)

    def digest(self) -> str:
        """Return a hash of the schema and of the values, targets and weights of all rows, in row order.

        The hash does not depend on row ids or on earlier appends and removals.
        """
        parts = sha256(b"priorcase instances 1rows %d" % len(self))
        for schema in (self.schema, self.targets):
            with_lengths(parts, described(schema))
        for j, column in enumerate(self._rows.columns):
            if isinstance(column, CodeColumn):
                _update_codes(parts, self._rows.column(j), column.values)
            else:
                parts.update(_numbers(self._rows.column(j)))
        weights = self.weights
        parts.update(b"weights" if weights is None else b"weights" + _numbers(weights))
        return parts.hexdigest()

    # -- internal

    def _check_tables(self, table: Table, targets: Table | None) -> None:
        """Raise an error if rows or targets were read with another schema, or if there is not one target per row."""
        problem = None
        if table.schema is not self.schema and table.schema != self.schema:
            problem = "the table was read with another schema"
        elif (targets is None) != (self.targets is None):
            problem = "targets are missing" if targets is None else "targets were passed, but no targets are stored"
        elif targets is not None and targets.schema is not self.targets and targets.schema != self.targets:
            problem = "the targets were read with another schema"
        elif targets is not None and len(targets) != len(table):
            problem = f"there are {len(table)} rows and {len(targets)} targets"
        if problem is not None:
            raise SchemaMismatchError(
                f"{problem}. Read rows with instances.schema and targets with instances.targets. Pass one target for "
                "each row."
            )

    def _places(self, ids: ArrayLike, *, distinct: bool) -> IdArray:
        """Return the positions of the rows with the given ids in the stored columns, which may contain removed rows."""
        rows, wanted = self._rows, check_ids(ids, distinct=distinct)
        stored = rows.ids.data[: rows.size]
        places = stored.searchsorted(wanted)
        found = stored.take(places, mode="clip") == wanted if rows.size else np.zeros(len(wanted), bool)
        if rows.removed is not None and rows.removed.size:
            found &= rows.removed.take(rows.removed.searchsorted(places), mode="clip") != places
        if not found.all():
            absent = wanted[~found].tolist()
            raise UnknownIdError(
                f"id{'s' * (len(absent) > 1)} {listed(absent)} {'are' if len(absent) > 1 else 'is'} not stored; "
                "ids_ contains the stored ids. Rows are numbered from 0 in order of arrival, and ids are "
                "not labels of a pandas index."
            )
        return places


def with_lengths(parts: Any, pieces: Iterable[bytes]) -> None:
    """Add a list of byte strings to a hash, with their number and lengths, so that different lists are told apart."""
    pieces = list(pieces)
    parts.update(b"%d;" % len(pieces))
    for piece in pieces:
        parts.update(b"%d:" % len(piece))
        parts.update(piece)


def described(schema: Schema | None) -> Iterable[bytes]:
    if schema is None:
        return
    yield b"unnamed" if schema.names is None else b"named"
    yield from map(canonical, schema.names or ())
    for kind in schema.kinds:
        yield type(kind).__name__.encode()
        if isinstance(kind, Ordinal):
            yield canonical(kind.order)
        if isinstance(kind, (Circular, Date, Text, Taxonomy)):
            yield canonical(kind.parameters)
        if type(kind) is Nominal and kind.values is not None:
            # Declared values are a set: their order is irrelevant.
            yield canonical(tuple(sorted(map(canonical, kind.values))))


def _numbers(column: FloatArray) -> bytes:
    """Return the bytes of a numeric column, with one bit pattern for all NaNs and one for 0.0 and -0.0."""
    return (np.where(np.isnan(column), np.nan, column) + 0.0).astype("<f8").tobytes()


def _update_codes(parts: Any, codes: IntArray, values: Sequence[Value]) -> None:
    """Add the values of a nominal column to a hash, in a form that does not depend on the codes of the values."""
    occurring = np.unique(codes[codes >= 0]).tolist()
    written = sorted((canonical(values[code]), code) for code in occurring)
    with_lengths(parts, (text for text, _ in written))
    positions = np.full(len(values) + 1, -1, "<i4")
    for position, (_, code) in enumerate(written):
        positions[code] = position
    parts.update(positions[codes].tobytes())


class _Queries(np.ndarray[Any, np.dtype[np.float64]]):
    """Encoded queries with a list of their unseen values; slices of the queries have the same list."""

    unseen: Sequence[Value] = ()

    def __array_finalize__(self, source: Any) -> None:
        self.unseen = getattr(source, "unseen", ())


def with_unseen(cells: FloatArray, unseen: Sequence[Value]) -> FloatArray:
    """Return encoded queries in which the codes -2, -3, ... represent the given unseen values."""
    queries = cells.view(_Queries)
    queries.unseen = unseen
    return queries


def _used(column: Column, n: int) -> Column:
    """Return a column with ``n`` codes, without the values that occur in no row; declared values are kept."""
    if isinstance(column, CodeColumn) and column.kind.values is None:
        held = count_codes(column.data, n) > 0
        if gone := [code for code in column.index.values() if not held[code]]:
            return column.with_data(column.data, n, gone)
    return column


def unseen_values(cells: FloatArray | None) -> Sequence[Value]:
    """Return the unseen values that the codes -2, -3, ... represent in queries from `Instances.encode`."""
    return getattr(cells, "unseen", ())


def check_ids(ids: ArrayLike, *, distinct: bool = False) -> IdArray:
    """Check a list of integer ids and return it as an array.

    >>> check_ids([3, 1])
    array([3, 1])
    """
    wanted = np.asarray(ids)
    if wanted.ndim != 1 or (wanted.size and wanted.dtype.kind not in "iu"):
        remedy = "Pass a list such as [3] for a single id; ids_ contains all stored ids."
        if wanted.ndim == 1 and wanted.dtype.kind == "b":
            remedy = "To select rows with a boolean mask over the rows passed to fit, pass np.flatnonzero(mask)."
        raise UnknownIdError(
            f"ids must be a list of integers, got {wanted.ndim}-dimensional {wanted.dtype} data. {remedy}"
        )
    wanted = wanted.astype(np.int64)
    if distinct and not (wanted[1:] > wanted[:-1]).all():
        values, counts = np.unique(wanted, return_counts=True)
        if repeated := values[counts > 1].tolist():
            raise UnknownIdError(f"ids must be distinct, got {listed(repeated)} more than once; nothing was removed")
    return wanted


def check_weights(weights: Any, rows: int, *, parameter: Name = "sample_weight") -> FloatArray | None:
    """Check sample weights and return one weight for each row as a new array, or None if ``weights`` is None.

    Each weight must be 0 or between 1e-100 and 1e100; a single number is used as the weight of every row.

    >>> check_weights(2, 3)
    array([2., 2., 2.])
    """
    if weights is None:
        return None
    checked = as_floats(weights)
    if checked is None:
        raise TargetError(f"{parameter} must contain only real numbers that float64 can represent")
    if checked.ndim == 0:
        checked = np.full(rows, float(checked))
    if checked.ndim != 1:
        raise TargetError(f"Sample weights must be 1D array or scalar, got {parameter} of shape {checked.shape}")
    if checked.size != rows:
        raise TargetError(
            "Found input variables with inconsistent numbers of samples: "
            f"X has {rows} and {parameter} has {checked.size}"
        )
    if not np.isfinite(checked).all() or (checked < 0).any():
        raise TargetError(f"{parameter} has a negative, NaN or infinite entry; expected finite numbers >= 0")
    if (checked > _MOST_WEIGHT).any() or ((checked > 0) & (checked < _LEAST_WEIGHT)).any():
        raise TargetError(f"{parameter} has an entry above 1e100, or between 0 and 1e-100. Rescale the weights.")
    return checked


def as_floats(values: object) -> FloatArray | None:
    """Convert numbers to a new float64 array; return None if an entry is not a real number or is too large.

    >>> as_floats([1, 2]), as_floats(["1"])
    (array([1., 2.]), None)
    """
    try:
        array = np.asarray(values)
        return array.astype(np.float64) if array.dtype.kind in "fiubO" else None
    except (TypeError, ValueError, OverflowError):
        return None
