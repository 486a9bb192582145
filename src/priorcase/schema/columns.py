"""One column before it has a meaning: what it holds, and its two readings, as numbers and as codes.

A column is one of three: an array of numbers or booleans, a list of Python objects, or codes into values. All three
answer alike:

``content``
    ``numbers``, ``booleans``, ``text``, ``any`` (mixed), or ``nothing`` where objects or text are only gaps.
``numbers()``
    float64 with NaN for missing, for ``numbers`` and ``booleans`` (0 and 1) only.
``coded()``
    codes and values, for any content.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from priorcase._typing import AnyArray, BoolArray, Content, FloatArray, Value
from priorcase.schema.kinds import Kind, Nominal, Numeric, Ordinal
from priorcase.schema.values import Coded, code, content, content_of, families, is_missing, plain

# Integers within a span this small are their own codes: no sorting, no hashing.
_SMALL_SPAN = 1024


class Column(Protocol):
    """What every column can say."""

    @property
    def content(self) -> Content: ...

    def numbers(self) -> FloatArray: ...

    def coded(self) -> Coded: ...

    def empty(self) -> bool:
        """Whether every value is missing."""
        ...

    def kind(self) -> Kind:
        """The kind that the type of the column stands for."""
        ...


@dataclass(frozen=True, eq=False)
class ArrayColumn:
    """A NumPy array of numbers or booleans, with a mask of missing values if NaN cannot say it."""

    array: AnyArray
    mask: BoolArray | None = None

    @property
    def content(self) -> Content:
        """Booleans or numbers, by dtype."""
        return "booleans" if self.array.dtype.kind == "b" else "numbers"

    @cached_property
    def _missing(self) -> BoolArray:
        mask = np.isnan(self.array) if self.array.dtype.kind == "f" else np.zeros(len(self.array), bool)
        return mask if self.mask is None else mask | self.mask

    def numbers(self) -> FloatArray:
        """The numbers; False and True are 0 and 1."""
        # A longdouble beyond float64 becomes infinite here, and is refused as such by the reader.
        with np.errstate(over="ignore"):
            numbers = self.array.astype(np.float64, copy=self.mask is not None)
        if self.mask is not None:
            numbers[self.mask] = np.nan
        return numbers

    def coded(self) -> Coded:
        """Codes by value."""
        missing, array = self._missing, self.array
        if array.dtype.kind == "b":
            return Coded(np.where(missing, np.int8(-1), array.astype(np.int8)), (False, True))
        if array.dtype.kind == "f":
            array = self.numbers()
        codes = np.full(len(array), -1, np.int32)
        known = array[~missing]
        if known.size and array.dtype.kind != "f" and int(known.max()) - int(known.min()) < _SMALL_SPAN:
            # Differences wrap around in narrow types; read as unsigned they are right again.
            differences = known - known.min()
            codes[~missing] = differences.view(f"u{differences.dtype.itemsize}")
            return Coded(codes, range(int(known.min()), int(known.max()) + 1))
        values, inverse = np.unique(known, return_inverse=True)
        codes[~missing] = inverse
        return Coded(codes, [plain(value) for value in values.tolist()])

    def empty(self) -> bool:
        """Whether every value is missing."""
        return bool(self._missing.all())

    def kind(self) -> Kind:
        """Nominal for booleans, numeric otherwise."""
        return Nominal(content="booleans") if self.content == "booleans" else Numeric()


@dataclass(frozen=True, eq=False)
class ObjectColumn:
    """Python objects of any types."""

    values: Sequence[Any]

    @cached_property
    def types(self) -> set[type]:
        """The Python types that occur."""
        return set(map(type, self.values))

    @cached_property
    def content(self) -> Content:
        """By the types of the values that are not missing."""
        found = families(self.types)
        if not found or (found == {"number"} and self.empty()):
            return "nothing"
        if len(found) > 1 and "number" in found:
            # A float NaN among strings or booleans is a gap, not a number.
            return content_of(value for value in self.values if not is_missing(value))
        return content(found)

    def numbers(self) -> FloatArray:
        """The numbers; raises ``OverflowError`` for one beyond float64."""
        if self.types <= {float, int, bool, type(None)}:
            return np.array(self.values, np.float64)
        return np.array([np.nan if is_missing(value) else float(value) for value in self.values], np.float64)

    def coded(self) -> Coded:
        """Codes by value; raises ``TypeError`` for an unhashable one."""
        return code(self.values, self.types)

    def empty(self) -> bool:
        """Whether every value is missing."""
        return all(map(is_missing, self.values))

    def kind(self) -> Kind:
        """Numeric where there are numbers and nothing else, nominal otherwise."""
        if self.content == "numbers":
            return Numeric()
        return Nominal(content=self.content)


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """Codes into values, as strings and categories come.

    ``ordered``: the values have an order. ``closed``: the type declares that there are no other values.
    """

    codes: Coded
    ordered: bool = False
    closed: bool = False

    @cached_property
    def content(self) -> Content:
        """By the types of the values."""
        return content_of(self.codes.values) if len(self.codes.values) else "nothing"

    def numbers(self) -> FloatArray:
        """The values as numbers."""
        table = np.array([*map(float, self.codes.values), np.nan])  # type: ignore[arg-type]  # callers check content
        return table[self.codes.codes]

    def coded(self) -> Coded:
        """The codes as they are."""
        return self.codes

    def empty(self) -> bool:
        """Whether every value is missing."""
        return bool((self.codes.codes < 0).all())

    def kind(self) -> Kind:
        """Ordinal where the type has an order, nominal otherwise."""
        values: tuple[Value, ...] = tuple(self.codes.values)
        if values and self.ordered:
            return Ordinal(values)
        if values and self.closed:
            return Nominal(values)
        return Nominal(content=self.content)
