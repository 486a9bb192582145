"""Kinds of columns, and rules for missing and equal values (see the notes of `Schema`)."""

import datetime
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from priorcase._parameters import is_number, is_whole
from priorcase._typing import Content, Value
from priorcase.exceptions import PriorcaseError, SchemaError, advice, listed, quoted

_NUMBERS = (int, float, np.integer, np.floating, Decimal, Fraction)
BOOLEANS = (bool, np.bool_)
_DATES = (datetime.date, np.datetime64)
_SPANS = (datetime.time, datetime.timedelta, np.timedelta64)
# By name, because pandas may not be installed and must not be imported only for this.
_MISSING_NAMES = frozenset({"NAType", "NaTType", "MaskedConstant", "NoneType"})
_CONTENTS: dict[str, Content] = {"text": "text", "number": "numbers", "boolean": "booleans", "date": "dates"}


# -- values


@lru_cache(maxsize=256)
def family(kind: type) -> str:
    """Return the family of a Python type: missing, boolean, number, text, date, span, complex or other."""
    if kind.__name__ in _MISSING_NAMES:
        return "missing"
    if issubclass(kind, BOOLEANS):
        return "boolean"
    if issubclass(kind, _DATES):
        return "date"
    if issubclass(kind, _SPANS):
        return "span"
    if issubclass(kind, _NUMBERS):
        return "number"
    if issubclass(kind, (complex, np.complexfloating)):
        return "complex"
    return "text" if issubclass(kind, str) else "other"


def families(types: Iterable[type]) -> frozenset[str]:
    """Return the families of the given types, except "missing"."""
    return frozenset(map(family, types)) - {"missing"}


def content_of(values: Iterable[object]) -> Content:
    """Return ``"text"``, ``"numbers"``, ``"booleans"`` or ``"dates"`` if all values have this type, else ``"any"``."""
    return content_of_families(families(set(map(type, values))))


def content_of_families(found: frozenset[str]) -> Content:
    """Return the same as `content_of`, given the families of the values (see `family`)."""
    return _CONTENTS.get(next(iter(found)), "any") if len(found) == 1 else "any"


def is_missing(value: object) -> bool:
    """Return whether a value is missing, in any of its forms (None, NaN, NaT, ...)."""
    if type(value).__name__ in _MISSING_NAMES:
        return True
    if isinstance(value, (float, np.floating)):
        return bool(value != value)
    if isinstance(value, Decimal):
        return value.is_nan()
    return isinstance(value, (np.datetime64, np.timedelta64)) and bool(np.isnat(value))


def plain(value: Any) -> Value:
    """Convert a NumPy value to a plain Python value, and a float without a fraction to an integer."""
    if isinstance(value, np.generic):
        # item() of a longdouble returns a longdouble.
        value = float(value) if isinstance(value, np.floating) else value.item()
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value  # type: ignore[no-any-return]


def is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def identity(value: Value) -> Value:
    """Return a dictionary key for a value; ``True`` and 1 have different keys, although Python treats them as equal."""
    return (bool, value) if isinstance(value, bool) else value


def canonical(value: Value) -> bytes:
    """Return bytes that identify a value and are the same in every process."""
    if isinstance(value, bool):
        return b"b%d" % value
    if isinstance(value, str):
        return b"s" + str.__str__(value).encode("utf-8", "surrogatepass")
    if isinstance(value, bytes):
        return b"y" + value
    if isinstance(value, (int, float, Decimal, Fraction)):
        if value in (np.inf, -np.inf):  # only column names can be infinite
            return b"n%d/0" % (1 if value > 0 else -1)
        number = Fraction(value)
        return b"n%x/%x" % (number.numerator, number.denominator)
    if isinstance(value, frozenset):
        return b"f" + canonical(tuple(sorted(map(canonical, value))))
    if isinstance(value, tuple):
        return b"t" + b"".join(b"%d:" % len(part) + part for part in map(canonical, value))
    # The repr of other objects may contain a memory address, which differs between processes.
    return f"o{type(value).__module__}.{type(value).__qualname__}:{value!r}".encode("utf-8", "surrogatepass")


# -- kinds


@dataclass(frozen=True, slots=True)
class Numeric:
    """Numeric column.

    >>> Numeric().describe()
    'numeric'
    """

    def describe(self) -> str:
        """Describe the kind in words, for messages."""
        return "numeric"


@dataclass(frozen=True, slots=True)
class Ordinal:
    """Ordinal column: values are levels, given from lowest to highest.

    >>> Ordinal(("low", "middle", "high"))
    Ordinal(order=('low', 'middle', 'high'))
    """

    order: tuple[Value, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "order", check_distinct("parameter 'order' of Ordinal", self.order))

    @property
    def content(self) -> Content:
        return content_of(self.order)

    def describe(self) -> str:
        """Describe the kind in words, for messages."""
        return f"ordinal ({listed(self.order)})"


@dataclass(frozen=True, slots=True, repr=False)
class Nominal:
    """Nominal column: values are equal or different.

    Parameters
    ----------
    values
        Declared values: only these values can be stored, and they are known even without rows. None: all values can be
        stored, and the values of the stored rows are known.
    content
        Type of the values: ``"any"``, ``"text"``, ``"numbers"``, ``"booleans"``, ``"dates"`` or ``"nothing"`` (only
        missing values so far). Numbers passed for a string column raise an error. Comparisons of kinds ignore
        ``content``.

    Examples
    --------
    >>> Nominal(("yes", "no"))
    Nominal(values=('yes', 'no'))
    """

    values: tuple[Value, ...] | None = None
    content: Content = field(default="any", compare=False)

    def __post_init__(self) -> None:
        if self.values is not None:
            values = check_distinct("parameter 'values' of Nominal", self.values)
            object.__setattr__(self, "values", values)
            object.__setattr__(self, "content", content_of(values))
        if self.content not in get_args(Content):
            raise SchemaError(
                "parameter 'content' of Nominal must be 'any', 'text', 'numbers', 'booleans', 'dates' or 'nothing', "
                f"got {quoted(self.content)}. Omit it to allow any values."
            )

    def __repr__(self) -> str:
        if self.values is not None:
            return f"Nominal(values={self.values!r})"
        return "Nominal()" if self.content == "any" else f"Nominal(content={self.content!r})"

    def describe(self, known: Iterable[Value] = ()) -> str:
        """Describe the kind in words, for messages.

        If no values are declared, the description lists ``known``, the values of the stored rows.
        """
        values = self.values or tuple(known)
        if values:
            return f"nominal ({listed(values)})"
        described = {"any": "nominal", "nothing": "nominal (only missing values)"}
        return described.get(self.content, f"nominal ({self.content})")


@dataclass(frozen=True, slots=True)
class Circular(Numeric):
    """Circular column: numbers with a period, such as angles, hours of the day or days of the year.

    The difference of two numbers is the shorter way around the circle: with a period of 360, 350 and 10 differ by 20.

    >>> Circular(360)
    Circular(period=360.0)
    """

    period: float

    def __post_init__(self) -> None:
        if not is_number(self.period) or not 0 < self.period < float("inf"):
            raise SchemaError(
                f"parameter 'period' of Circular must be a finite number above 0, got {quoted(self.period)}"
            )
        object.__setattr__(self, "period", float(self.period))

    @property
    def parameters(self) -> Value:
        """Parameters of the kind."""
        return self.period

    def describe(self) -> str:
        """Describe the kind in words, for messages."""
        return f"circular with period {self.period:g}"


DatePart: TypeAlias = Literal["elapsed", "season", "weekday", "hour"]
DATE_PARTS: tuple[DatePart, ...] = get_args(DatePart)


@dataclass(frozen=True, slots=True)
class Date(Numeric):
    """Date or datetime column.

    Accepts dates and datetimes of Python, NumPy, pandas, Polars and PyArrow, and ISO 8601 strings. Datetimes with an
    offset are converted to UTC.

    Parameters
    ----------
    parts
        Parts of dates that are compared: ``"elapsed"`` (elapsed time), ``"season"`` (time of year), ``"weekday"`` and
        ``"hour"`` (time of day); the last three are circular. ``"auto"``: always elapsed; also season if the dates span
        at least 18 months, weekday if the dates span at least two weeks and more than one weekday, and hour if the
        dates have times of day and span at least two days.

    Examples
    --------
    >>> Date(), Date(("elapsed", "weekday"))
    (Date(parts='auto'), Date(parts=('elapsed', 'weekday')))
    """

    parts: Literal["auto"] | tuple[DatePart, ...] = "auto"

    def __post_init__(self) -> None:
        parts: Any = self.parts
        if isinstance(parts, str) and parts == "auto":
            return
        given = (parts,) if isinstance(parts, str) or not isinstance(parts, Iterable) else tuple(parts)
        if not given or not all(part in DATE_PARTS for part in given) or len(set(given)) < len(given):
            raise SchemaError(
                f"parameter 'parts' of Date must be 'auto' or some of {listed(DATE_PARTS)}, got {quoted(self.parts)}"
            )
        object.__setattr__(self, "parts", tuple(part for part in DATE_PARTS if part in given))

    @property
    def parameters(self) -> Value:
        """Parameters of the kind."""
        return self.parts

    def describe(self) -> str:
        """Describe the kind in words, for messages."""
        return "date"


Analyzer: TypeAlias = Literal["both", "words", "characters"]


@dataclass(frozen=True, slots=True)
class Text(Nominal):
    """Free-text column, compared by shared words and character sequences.

    Parameters
    ----------
    analyzer
        Tokens: ``"words"``, ``"characters"`` (three to five letters within words, robust to misspellings), or
        ``"both"``.
    longest
        Maximum number of characters; longer texts raise an error.

    Examples
    --------
    >>> Text()
    Text(analyzer='both', longest=1000000)
    """

    values: tuple[Value, ...] | None = field(default=None, init=False, repr=False)
    content: Content = field(default="text", init=False, repr=False, compare=False)
    analyzer: Analyzer = "both"
    longest: int = 1_000_000

    def __post_init__(self) -> None:
        if self.analyzer not in get_args(Analyzer):
            raise SchemaError(
                f"parameter 'analyzer' of Text must be one of {listed(get_args(Analyzer))}, got {quoted(self.analyzer)}"
            )
        if not is_whole(self.longest) or self.longest < 1:
            raise SchemaError(f"parameter 'longest' of Text must be an integer >= 1, got {quoted(self.longest)}")

    @property
    def parameters(self) -> Value:
        """Parameters of the kind."""
        return self.analyzer, self.longest

    def describe(self, known: Iterable[Value] = ()) -> str:
        """Describe the kind in words, for messages."""
        return "text"


@dataclass(frozen=True, slots=True)
class Set(Nominal):
    """Column whose values are sets, for example of labels, symptoms or parts.

    Accepts sets, lists and tuples, and strings with members separated by semicolons, bars or commas.

    >>> Set()
    Set()
    """

    values: tuple[Value, ...] | None = field(default=None, init=False, repr=False)
    content: Content = field(default="any", init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Skip the checks of `Nominal`."""

    def describe(self, known: Iterable[Value] = ()) -> str:
        """Describe the kind in words, for messages."""
        return "set"


Kind: TypeAlias = Numeric | Ordinal | Nominal
"""Kind of a column; all other kinds are subclasses of ``Numeric`` or ``Nominal``."""

WORDS: dict[str, type[Any]] = {"numeric": Numeric, "nominal": Nominal, "date": Date, "text": Text, "set": Set}
"""Kinds without required parameters, by name."""


_EXAMPLES = {
    "circular": "Circular(period=360)",
    "ordinal": "the list of its levels, such as ['low', 'high']",
    "taxonomy": "Taxonomy(tree)",
}


def as_kind(given: Any) -> Any:
    """Convert a name, a class or a list of levels to a kind; return anything else unchanged."""
    if isinstance(given, str) and given in WORDS:
        return WORDS[given]()
    if isinstance(given, list | tuple):
        return Ordinal(tuple(given))
    return given() if isinstance(given, type) and given in WORDS.values() else given


def kind_advice(given: object) -> str:
    """Return advice for the error message about an object that is not a kind."""
    word = str(getattr(given, "__name__", given)).lower()
    if word == "ignore":
        return "Drop the column from the table instead."
    if word in _EXAMPLES:
        return f"Write {_EXAMPLES[word]}."
    names = ", ".join(map(repr, WORDS))
    every = f"Kinds are {names}, a list of levels, or objects such as Numeric() and Circular(period=360)."
    return advice(word, [*WORDS, *_EXAMPLES], otherwise=every)


def check_distinct(
    parameter: str, values: Iterable[Value], error: type[PriorcaseError] = SchemaError
) -> tuple[Value, ...]:
    """Return the declared values of a parameter as a tuple; raise ``error`` if they are invalid or not distinct."""
    expected = f"{parameter} must be a tuple of distinct values, all hashable, such as ('low', 'high')"
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise error(f"{expected}, got {quoted(values)}")
    values = tuple(map(plain, values))
    if any(map(is_missing, values)):
        raise error(f"{parameter} has a missing value. Remove this value; missing cells are always allowed.")
    if not values or not all(map(is_hashable, values)) or len(set(map(identity, values))) < len(values):
        raise error(f"{expected}, got {quoted(values)}")
    return values
