"""Single values: which are missing, which are the same, and how many rows hold which.

Missing arrives in many forms (NaN, None, NaT, ``pandas.NA``, masked, ``Decimal("NaN")``) and becomes one state here.
Two nominal values are the same when Python calls them equal, with one exception: booleans are not numbers. So ``1``,
``1.0`` and ``numpy.int8(1)`` are one value, while ``True`` and ``"1"`` are two others.
"""

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from priorcase._typing import Content, IntArray, Value

_NUMBERS = (int, float, np.integer, np.floating, Decimal, Fraction)
_BOOLEANS = (bool, np.bool_)
_DATES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
# Named, not imported: pandas may not be installed, and must not be loaded for its sake.
_MISSING_NAMES = frozenset({"NAType", "NaTType", "MaskedConstant", "NoneType"})

_CONTENTS: dict[str, Content] = {"text": "text", "number": "numbers", "boolean": "booleans"}

Family: TypeAlias = str
"""``missing``, ``boolean``, ``number``, ``text``, ``date``, ``complex`` or ``other``."""


@lru_cache(maxsize=256)
def family(kind: type) -> Family:
    """The family of values that a Python type belongs to."""
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


def families(types: Iterable[type]) -> frozenset[Family]:
    """The families of some types, missing ones left out."""
    return frozenset(map(family, types)) - {"missing"}


def content(found: frozenset[Family]) -> Content:
    """What values of some families are, taken together."""
    return _CONTENTS.get(next(iter(found)), "any") if len(found) == 1 else "any"


def content_of(values: Iterable[object]) -> Content:
    """What some values are, taken together.

    Examples
    --------
    >>> content_of(["a", "b"]), content_of([1, 2.5]), content_of([True]), content_of(["a", 1]), content_of([])
    ('text', 'numbers', 'booleans', 'any', 'any')
    """
    return content(families(set(map(type, values))))


def is_missing(value: object) -> bool:
    """Whether a value is one of the forms in which a gap arrives.

    Examples
    --------
    >>> [is_missing(value) for value in (None, float("nan"), "nan", 0)]
    [True, True, False, False]
    """
    if type(value).__name__ in _MISSING_NAMES:
        return True
    if isinstance(value, (float, np.floating)):
        return bool(value != value)
    if isinstance(value, Decimal):
        return value.is_nan()
    return isinstance(value, (np.datetime64, np.timedelta64)) and bool(np.isnat(value))


def plain(value: Any) -> Value:
    """A value as Python's own type; whole floats become integers, since both are one value.

    Examples
    --------
    >>> plain(np.float32(2.0)), plain(np.str_("a")), plain(0.5)
    (2, 'a', 0.5)
    """
    if isinstance(value, np.generic):
        # A longdouble's own item() is a longdouble again.
        value = float(value) if isinstance(value, np.floating) else value.item()
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value  # type: ignore[no-any-return]


def is_hashable(value: object) -> bool:
    """Whether a value can be looked up in a dictionary."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def identity(value: Value) -> Value:
    """A key that is equal for two values exactly when they are the same value."""
    return (bool, value) if isinstance(value, bool) else value


def canonical(value: Value) -> bytes:
    """Bytes that are equal for two values exactly when they are the same value, in any process.

    Values other than text, bytes, numbers and booleans go by their type and ``repr``.
    """
    if isinstance(value, bool):
        return b"b%d" % value
    if isinstance(value, str):
        return b"s" + str.__str__(value).encode("utf-8", "surrogatepass")
    if isinstance(value, bytes):
        return b"y" + value
    if isinstance(value, (int, float, Decimal, Fraction)):
        number = Fraction(value)
        return b"n%x/%x" % (number.numerator, number.denominator)
    if isinstance(value, tuple):
        return b"t" + b"".join(b"%d:" % len(part) + part for part in map(canonical, value))
    return f"o{type(value).__module__}.{type(value).__qualname__}:{value!r}".encode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """A column as codes into its values; code -1 is missing. Values may go unused, and are distinct."""

    codes: IntArray
    values: Sequence[Value]

    def __len__(self) -> int:
        return len(self.codes)


def code(values: Sequence[Any], types: set[type]) -> Coded:
    """Values of any types as codes, in order of first appearance.

    Raises ``TypeError`` where a value is not hashable.
    """
    if len(types) > 1 and any(issubclass(kind, _BOOLEANS) for kind in types):
        values = [identity(plain(value)) if isinstance(value, _BOOLEANS) else value for value in values]
    # Two passes in C: the distinct objects first, then a look-up for each row.
    index: dict[Any, int] = dict.fromkeys(values, -1)
    if (None in index and len(types) == 2 and str in types) or types == {str}:
        distinct: list[Value] = [value for value in index if value is not None]
        index.update((value, number) for number, value in enumerate(distinct))
    else:
        distinct = _number(index)
    return Coded(np.fromiter(map(index.__getitem__, values), np.int32, len(values)), distinct)


def _number(index: dict[Any, int]) -> list[Value]:
    """Number the keys of ``index`` in place, equal values alike and missing ones -1; the values."""
    distinct: list[Value] = []
    for value in index:
        if not is_missing(value):
            index[value] = len(distinct)
            distinct.append(value[1] if isinstance(value, tuple) and value[:1] == (bool,) else plain(value))
    return distinct
