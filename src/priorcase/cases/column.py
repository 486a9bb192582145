"""One attribute of all cases: each distinct value once, and for each case which it has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from priorcase._typing import BoolArray, FloatArray, IdArray, IntArray
from priorcase.cases.kinds import CaseKind, Date, Stored, days
from priorcase.schema import Numeric, Ordinal
from priorcase.schema.kinds import identity

_PLAIN = frozenset({str, int, float})

Scalar = TypeVar("Scalar", bound=np.generic)


class Buffer(Generic[Scalar]):
    """An array that grows at its end, by half of its size when it is full."""

    __slots__ = ("_data", "_used")

    def __init__(self, data: NDArray[Scalar]) -> None:
        self._data = data
        self._used = len(data)

    def __len__(self) -> int:
        return self._used

    def __getstate__(self) -> NDArray[Scalar]:
        return self._data[: self._used].copy()

    def __setstate__(self, data: NDArray[Scalar]) -> None:
        self._data = data
        self._used = len(data)

    def view(self) -> NDArray[Scalar]:
        """The items, read-only."""
        view = self._data[: self._used]
        view.flags.writeable = False
        return view

    def extend(self, items: NDArray[Any]) -> None:
        """Write items behind the last one."""
        end = self._used + len(items)
        if end > len(self._data):
            data = np.empty(max(end, self._used + self._used // 2), self._data.dtype)
            data[: self._used] = self._data[: self._used]
            self._data = data
        self._data[self._used : end] = items
        self._used = end

    def keep(self, mask: BoolArray) -> None:
        """Drop the items that the mask leaves out."""
        self._data = self._data[: self._used][mask]
        self._used = len(self._data)


@dataclass(frozen=True, slots=True, eq=False)
class CaseColumn:
    """What a column held when it was asked for; later changes of the table do not reach it.

    Parameters
    ----------
    name, kind
        Which attribute; the kind of solutions and outcomes is None, and their values are JSON texts.
    codes
        For each case, by its position, a place in ``values``; -1 where the value is missing.
    values
        Distinct stored values, each held by at least one case, in order of first appearance.
    counts
        How many cases hold each.
    version
        The same while the column is the same.
    """

    name: str
    kind: CaseKind | None
    codes: IntArray
    values: tuple[Stored, ...]
    counts: IntArray
    version: int
    _numbers: FloatArray | None
    _places: dict[Any, int]

    def numbers(self) -> FloatArray:
        """The values as numbers: days for dates, ranks from 0 for levels of an order."""
        if self._numbers is None:
            raise TypeError(f"the values of {self.name} are no numbers")
        return self._numbers

    def at(self, positions: IdArray) -> list[Stored]:
        """The values of some cases, None where one is missing."""
        values, codes = self.values, self.codes[positions].tolist()
        return [values[code] if code >= 0 else None for code in codes]

    def place(self, value: Stored) -> int:
        """Where a value stands among ``values``; -1 where no case has it."""
        place = self._places.get(_key(value), -1)
        return place if place < len(self.values) else -1  # the table may know more by now


class GrowingColumn:
    """A column that cases are added to, changed in and removed from."""

    def __init__(self, name: str, kind: CaseKind | None) -> None:
        self.name, self.kind = name, kind
        self._codes: Buffer[np.int32] = Buffer(np.empty(0, dtype=np.int32))
        self._values: list[Stored] = []
        self._places: dict[Any, int] = {}
        self._number = number_of(kind)
        self._numbers: FloatArray = np.empty(0)
        self._version = 0
        self._seen: CaseColumn | None = None

    def append(self, values: Sequence[Stored], version: int) -> None:
        """Add values for so many more cases."""
        self._codes.extend(np.fromiter(map(self._place, values), np.int32, len(values)))
        self._changed(version)

    def replace(self, positions: Sequence[int], values: Sequence[Stored], version: int) -> None:
        """Give some cases other values."""
        codes = self._codes.view().copy()
        new = np.fromiter(map(self._place, values), np.int32, len(values))
        if np.array_equal(codes[list(positions)], new):
            return
        codes[list(positions)] = new
        self._recode(codes, version)

    def keep(self, kept: BoolArray, version: int) -> None:
        """Remove all cases but some."""
        self._recode(self._codes.view()[kept], version)

    def column(self) -> CaseColumn:
        """The column as it is now."""
        if self._seen is None:
            codes, values = self._codes.view(), tuple(self._values)
            counts = np.bincount(codes + 1, minlength=len(values) + 1)[1:]
            numbers = self._as_numbers()
            self._seen = CaseColumn(self.name, self.kind, codes, values, counts, self._version, numbers, self._places)
        return self._seen

    def stored(self, position: int) -> Stored:
        """The value of one case."""
        code = self._codes.view()[position]
        return None if code < 0 else self._values[code]

    def _place(self, value: Stored) -> int:
        if value is None:
            return -1
        wanted = value if type(value) in _PLAIN else _key(value)
        place = self._places.setdefault(wanted, len(self._values))
        if place == len(self._values):
            self._values.append(value)
        return place

    def _recode(self, codes: IntArray, version: int) -> None:
        """Number values anew, in order of first appearance, and drop those that no case has any more."""
        first = np.full(len(self._values), len(codes), dtype=np.int64)
        known = np.flatnonzero(codes >= 0)[::-1]
        first[codes[known]] = known  # the last assignment, that of the first case, stays
        order = np.argsort(first, kind="stable")[: int(np.count_nonzero(first < len(codes)))]
        places = np.full(len(self._values) + 1, -1, dtype=np.int32)
        places[order] = np.arange(len(order), dtype=np.int32)
        self._values = [self._values[place] for place in order]
        self._places = {_key(value): place for place, value in enumerate(self._values)}
        self._codes = Buffer(places[codes])  # -1 is the last place, which stays -1
        self._numbers = np.empty(0)
        self._changed(version)

    def _changed(self, version: int) -> None:
        self._version, self._seen = version, None

    def _as_numbers(self) -> FloatArray | None:
        if self._number is None:
            return None
        new: Iterable[Stored] = self._values[len(self._numbers) :]
        numbers = np.fromiter(map(self._number, new), np.float64)
        self._numbers = np.concatenate([self._numbers, numbers]) if len(self._numbers) else numbers
        return self._numbers


def _key(value: Stored) -> Any:
    """A key that is equal for two values exactly when they are the same value, members of sets too."""
    if type(value) is tuple:
        return tuple(map(identity, value)) if bool in map(type, value) else value
    return identity(value)


def number_of(kind: CaseKind | None) -> Any:
    """How a stored value of a kind is a number; None where it is none."""
    if isinstance(kind, Ordinal):
        ranks = {identity(level): float(rank) for rank, level in enumerate(kind.order)}
        return lambda level: ranks[identity(level)]
    if isinstance(kind, Date):
        return days
    return float if isinstance(kind, Numeric) else None
