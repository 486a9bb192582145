"""Single values: which are missing, which are equal, and how a column of them is coded.

Missing values arrive in many forms (NaN, None, NaT, ``pandas.NA``, masked, ``Decimal("NaN")``) and become one state.
Two nominal values are equal when Python says so, except that booleans are not numbers: ``1``, ``1.0`` and
``numpy.int8(1)`` are one value, ``True`` and ``"1"`` are two others.
"""

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from priorcase._typing import Content, IntArray, Value

_NUMBERS = (int, float, np.integer, np.floating, Decimal, Fraction)
_BOOLEANS = (bool, np.bool_)
_DATES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
# By name, because pandas may not be installed and must not be imported only for this.
_MISSING_NAMES = frozenset({"NAType", "NaTType", "MaskedConstant", "NoneType"})
_CONTENTS: dict[str, Content] = {"text": "text", "number": "numbers", "boolean": "booleans"}


@lru_cache(maxsize=256)
def family(kind: type) -> str:
    """Family of a Python type: missing, boolean, number, text, date, complex or other."""
    if kind.__name__ in _MISSING_NAMES:
        return "missing"
    if issubclass(kind, _BOOLEANS):
        return "boolean"
    if issubclass(kind, _DATES):
        return "date"
    if issubclass(kind, _NUMBERS):
        return "number"
    if issubclass(kind, (complex, np.complexfloating)):
        return "complex"
    return "text" if issubclass(kind, str) else "other"


def families(types: Iterable[type]) -> frozenset[str]:
    """Families of some types, without missing."""
    return frozenset(map(family, types)) - {"missing"}


def content_of(values: Iterable[object]) -> Content:
    """Content of some values taken together."""
    return content_of_types(set(map(type, values)))


def content_of_types(types: Iterable[type]) -> Content:
    """Content of a column whose values have these types."""
    found = families(types)
    return _CONTENTS.get(next(iter(found)), "any") if len(found) == 1 else "any"


def is_missing(value: object) -> bool:
    """Whether a value is one of the forms in which missing values arrive."""
    if type(value).__name__ in _MISSING_NAMES:
        return True
    if isinstance(value, (float, np.floating)):
        return bool(value != value)
    if isinstance(value, Decimal):
        return value.is_nan()
    return isinstance(value, (np.datetime64, np.timedelta64)) and bool(np.isnat(value))


def plain(value: Any) -> Value:
    """Convert a value to Python's own type, and a whole float to an integer, since both are one value."""
    if isinstance(value, np.generic):
        # item() of a longdouble is a longdouble again.
        value = float(value) if isinstance(value, np.floating) else value.item()
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value  # type: ignore[no-any-return]


def is_hashable(value: object) -> bool:
    """Whether a value can be a key of a dictionary."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def identity(value: Value) -> Value:
    """Key that is equal for two values exactly when they are the same value."""
    return (bool, value) if isinstance(value, bool) else value


def canonical(value: Value) -> bytes:
    """Bytes that are equal for two values exactly when they are the same value, in any process.

    Values other than text, bytes, numbers and booleans are written by their type and ``repr``.
    """
    if isinstance(value, bool):
        return b"b%d" % value
    if isinstance(value, str):
        return b"s" + str.__str__(value).encode("utf-8", "surrogatepass")
    if isinstance(value, bytes):
        return b"y" + value
    if isinstance(value, (int, float, Decimal, Fraction)):
        if value in (np.inf, -np.inf):  # only a column can be called that
            return b"n%d/0" % (1 if value > 0 else -1)
        number = Fraction(value)
        return b"n%x/%x" % (number.numerator, number.denominator)
    if isinstance(value, tuple):
        return b"t" + b"".join(b"%d:" % len(part) + part for part in map(canonical, value))
    return f"o{type(value).__module__}.{type(value).__qualname__}:{value!r}".encode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """A column as codes into distinct values, some of which may be unused; code -1 is missing."""

    codes: IntArray
    values: Sequence[Value]

    def __len__(self) -> int:
        return len(self.codes)


def code(values: Sequence[Any], types: set[type]) -> Coded:
    """Code values of any types, in order of first appearance; ``TypeError`` if one is not hashable."""
    if len(types) > 1 and any(issubclass(kind, _BOOLEANS) for kind in types):
        values = [identity(plain(value)) if isinstance(value, _BOOLEANS) else value for value in values]
    if any(issubclass(kind, Decimal) for kind in types):  # a signalling NaN cannot be hashed
        values = [None if isinstance(value, Decimal) and value.is_nan() else value for value in values]
    # Two passes in C: first the distinct objects, then a look-up for each row.
    index: dict[Any, int] = dict.fromkeys(values, -1)
    if (None in index and len(types) == 2 and str in types) or types == {str}:
        distinct: list[Value] = [value for value in index if value is not None]
        index.update((value, number) for number, value in enumerate(distinct))
    else:
        distinct = []
        for value in index:
            if not is_missing(value):
                index[value] = len(distinct)
                distinct.append(value[1] if isinstance(value, tuple) and value[:1] == (bool,) else plain(value))
    return Coded(np.fromiter(map(index.__getitem__, values), np.int32, len(values)), distinct)
