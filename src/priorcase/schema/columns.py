"""Extract a column from an array or a frame, and read it as a column of a given kind.

A column is an array of numbers or booleans (`ArrayColumn`), a list of Python objects (`ObjectColumn`), or an array of
codes for distinct values (`Coded`). All three classes have these members:

- ``content``: ``numbers``, ``booleans``, ``text``, ``any`` if mixed, or ``nothing`` if all objects are missing.
- ``numbers()``: returns the values as float64, NaN if missing; only if the content is ``numbers`` or ``booleans``.
- ``coded()``: returns a `Coded` column.
- ``empty()``: returns whether every value is missing.
- ``kind()``: returns the kind implied by the type.
"""

import datetime
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, Self, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np

from priorcase._core import factorise
from priorcase._locks import cached_property
from priorcase._typing import AnyArray, BoolArray, Content, FloatArray, IntArray, Name, Value
from priorcase.exceptions import ReadingError, SchemaError, SchemaMismatchError, UnsupportedDataError, quoted
from priorcase.schema.dates import DAY, are_dates, date_of, seconds_of, seconds_of_array, seconds_of_day
from priorcase.schema.kinds import (
    BOOLEANS,
    Circular,
    Date,
    Kind,
    Nominal,
    Numeric,
    Ordinal,
    Set,
    Text,
    content_of,
    content_of_families,
    families,
    identity,
    is_hashable,
    is_missing,
    plain,
)

# Integers within a range this small are used directly as codes.
_SMALL_RANGE = 1024
# Below this many rows a Python dictionary is faster than setting up a native hash table.
_FEW = 64
# Sample size before all values are examined; columns with fewer distinct values are never free text.
_SAMPLE, _LEAST_TEXTS = 20, 10
# Types accepted as sets; tuples are ordinary values.
COLLECTIONS = (set, frozenset, list)
# Float64 represents every integer up to here.
EXACT = 2**53


@dataclass(frozen=True, eq=False)
class Coded:
    """Column of codes for distinct values; code -1 means a missing value.

    ``values`` contains the value of each code; some of the values may be unused. ``ordered`` is True if the values are
    ordered, and ``closed`` is True if the type of the column allows no other values. ``implied`` is the kind of the
    column, if known.

    >>> Coded(np.array([0, -1, 1]), ("red", "blue")).kind()
    Nominal(content='text')
    """

    codes: IntArray
    values: Sequence[Value]
    ordered: bool = False
    closed: bool = False
    implied: Kind | None = None

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: slice | IntArray) -> Self:
        """Return a column with only the given rows."""
        return replace(self, codes=self.codes[rows])

    def tolist(self) -> list[Value]:
        """Return the values as Python objects, None if missing."""
        return [None if code < 0 else self.values[code] for code in self.codes.tolist()]

    @cached_property
    def content(self) -> Content:
        return content_of(self.values) if len(self.values) else "nothing"

    def numbers(self) -> FloatArray:
        table = np.array([*map(float, self.values), np.nan])  # type: ignore[arg-type]  # callers check content
        return table[self.codes]

    def coded(self) -> Self:
        return self

    def empty(self) -> bool:
        return bool((self.codes < 0).all())

    def kind(self) -> Kind:
        if self.implied is not None:
            return self.implied
        values = tuple(self.values)
        if values and self.ordered:
            return Ordinal(values)
        if values and self.closed:
            return Nominal(values)
        return kind_of_text(values, int((self.codes >= 0).sum())) or Nominal(content=self.content)


@dataclass(frozen=True, eq=False)
class ArrayColumn:
    """A NumPy array of numbers or booleans, with a mask of missing values if NaN cannot represent them."""

    array: AnyArray
    mask: BoolArray | None = None
    implied: Kind | None = None  # such as `Date` for dates, which are stored as seconds; None for plain numbers

    @property
    def content(self) -> Content:
        if isinstance(self.implied, Date):
            return "dates"
        return "booleans" if self.array.dtype.kind == "b" else "numbers"

    @cached_property
    def _missing(self) -> BoolArray:
        mask = np.isnan(self.array) if self.array.dtype.kind == "f" else np.zeros(len(self.array), bool)
        return mask if self.mask is None else mask | self.mask

    def numbers(self) -> FloatArray:
        # A longdouble beyond float64 becomes infinite here; reading the column then raises an error.
        with np.errstate(over="ignore"):
            numbers = self.array.astype(np.float64, copy=self.mask is not None)
        if self.mask is not None:
            numbers[self.mask] = np.nan
        return numbers

    def coded(self) -> Coded:
        missing, array = self._missing, self.array
        if isinstance(self.implied, Date):
            return ObjectColumn([None if number != number else date_of(number) for number in array.tolist()]).coded()
        if array.dtype.kind == "b":
            return Coded(np.where(missing, np.int8(-1), array.astype(np.int8)), (False, True))
        if array.dtype.kind == "f":
            array = self.numbers()
        codes = np.full(len(array), -1, np.int32)
        known = array[~missing]
        if known.size and array.dtype.kind != "f" and int(known.max()) - int(known.min()) < _SMALL_RANGE:
            # Differences wrap around in narrow types; reading them as unsigned corrects this.
            differences = known - known.min()
            codes[~missing] = differences.view(f"u{differences.dtype.itemsize}")
            return Coded(codes, range(int(known.min()), int(known.max()) + 1))
        values, inverse = np.unique(known, return_inverse=True)
        codes[~missing] = inverse
        return Coded(codes, [plain(value) for value in values.tolist()])

    def empty(self) -> bool:
        return bool(self._missing.all())

    def kind(self) -> Kind:
        if self.implied is not None:
            return self.implied
        return Nominal(content="booleans") if self.content == "booleans" else Numeric()


@dataclass(frozen=True, eq=False)
class ObjectColumn:
    """Python objects of any type; ``implied`` is their kind if known."""

    values: Sequence[Any]
    implied: Kind | None = None

    @cached_property
    def types(self) -> set[type]:
        return set(map(type, self.values))

    @cached_property
    def content(self) -> Content:
        found = families(self.types)
        if not found or (found == {"number"} and self.empty()):
            return "nothing"
        if len(found) > 1 and "number" in found:
            # NaN among strings or booleans is a missing value, not a number.
            return content_of(value for value in self.values if not is_missing(value))
        return content_of_families(found)

    def numbers(self) -> FloatArray:
        """Convert to float64; raise ``OverflowError`` for a number that is too large."""
        if self.types <= {float, int, bool, type(None)}:
            return np.array(self.values, np.float64)
        return np.array([np.nan if is_missing(value) else float(value) for value in self.values], np.float64)

    def coded(self) -> Coded:
        """Encode values in order of first appearance; raise ``TypeError`` for an unhashable value."""
        values, types = self.values, self.types
        if len(types) > 1 and any(issubclass(kind, BOOLEANS) for kind in types):
            values = [identity(plain(value)) if isinstance(value, BOOLEANS) else value for value in values]
        if any(issubclass(kind, Decimal) for kind in types):  # a signaling NaN cannot be hashed
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

    def empty(self) -> bool:
        return all(map(is_missing, self.values))

    def kind(self) -> Kind:
        if self.implied is not None:
            return self.implied
        if self.content == "numbers":
            return Numeric()
        known = [value for value in self.values if not is_missing(value)]
        if known and all(isinstance(value, COLLECTIONS) for value in known):
            return Set()
        kind = kind_of_text(known[:_SAMPLE], 0) if self.content == "text" else None
        if kind is not None:
            kind = kind_of_text(tuple(dict.fromkeys(known)), len(known))
        return kind or Nominal(content=self.content)


def kind_of_text(values: Sequence[Any], known: int) -> Kind | None:
    """Return ``Date`` if all strings are dates, ``Text`` if the strings are long and mostly distinct, else None."""
    texts = [value for value in values[:_SAMPLE] if isinstance(value, str)]
    if not texts or len(texts) < min(len(values), _SAMPLE):
        return None
    if are_dates(texts) and are_dates(values):
        return Date()
    # ``known`` is the number of rows with a known value, or 0 if ``values`` is only a sample.
    if known and (len(values) < _LEAST_TEXTS or 2 * len(values) <= known):
        return None
    words = sum(len(text.split()) for text in texts)
    letters = sum(map(len, texts))
    return Text() if words >= 3 * len(texts) and letters >= 20 * len(texts) else None


Column: TypeAlias = ArrayColumn | ObjectColumn | Coded
"""A column before it is read as a kind."""

ReadColumn: TypeAlias = FloatArray | Coded
"""Numbers, ranks of ordinal levels (-1 for an unknown level), or a `Coded` column; NaN if missing."""


# -- from NumPy


def from_array(array: AnyArray, mask: BoolArray | None, name: Name) -> Column:
    """Create a column from a one-dimensional NumPy array."""
    dtype = array.dtype
    if dtype.kind in "fiub":
        return ArrayColumn(np.asarray(array), mask)
    if dtype.kind == "c":
        raise _complex(name)
    if dtype.kind == "M":
        return ArrayColumn(seconds_of_array(np.ma.getdata(array)), mask, Date())
    if dtype.kind == "m":
        return ArrayColumn(_spans(np.ma.getdata(array)), mask)
    if dtype.kind == "V":
        raise UnsupportedDataError(
            "X is a structured NumPy array; expected a plain 2D array or a frame. "
            "Convert it, for example with pandas.DataFrame(X)."
        )
    if dtype.kind == "U" and dtype.itemsize and mask is None and len(array):
        packed = np.ascontiguousarray(array)
        codes, first = factorise(packed.view(np.uint8).reshape(len(packed), -1))
        return Coded(codes, packed[first].tolist())
    return _objects(array.tolist(), name)  # a masked array lists its masked cells as None


def _objects(values: Sequence[Any], name: Name) -> ObjectColumn | ArrayColumn:
    column = ObjectColumn(values)
    found = families(column.types)
    if "complex" in found:
        raise _complex(name)
    if found == {"date"}:
        return ArrayColumn(
            np.array([np.nan if is_missing(value) else seconds_of(value) for value in values]), None, Date()
        )
    if found == {"span"}:
        return _span_column(values)
    return column


def _span_column(values: Sequence[Any]) -> ArrayColumn:
    """Convert times of day to a circular column of seconds, or time spans to a column of seconds."""
    known = [value for value in values if not is_missing(value)]
    if all(isinstance(value, datetime.time) for value in known):
        seconds = [np.nan if is_missing(value) else seconds_of_day(value) for value in values]
        return ArrayColumn(np.array(seconds), None, Circular(DAY))
    return ArrayColumn(
        _spans(np.array([np.timedelta64("NaT", "us") if is_missing(value) else value for value in values], "m8[us]"))
    )


def _spans(array: AnyArray) -> FloatArray:
    """Convert time spans to seconds, with NaN for NaT."""
    return np.where(np.isnat(array), np.nan, array / np.timedelta64(1, "s"))


def _complex(name: Name) -> SchemaError:
    return SchemaError(  # wording of scikit-learn
        f"Complex data not supported, found in column {name!r}. Pass the real and the imaginary part as two columns."
    )


# -- from pandas, Polars and PyArrow


def from_series(series: nw.Series[Any], name: Name) -> Column:
    """Create a column from a series: an array of numbers or booleans, codes of strings or categories, or objects."""
    dtype = series.dtype
    if dtype.is_decimal() or dtype in (nw.Int128, nw.UInt128):
        return ObjectColumn(series.to_list())
    if dtype.is_numeric() or dtype == nw.Boolean:
        return _numbers(series)
    if isinstance(dtype, (nw.Date, nw.Datetime)):
        return ArrayColumn(_microseconds(series.dt.timestamp("us")) / 1e6, None, Date())
    if isinstance(dtype, nw.Duration):
        return ArrayColumn(_microseconds(series.dt.total_microseconds()) / 1e6)
    if isinstance(dtype, (nw.Time, nw.List, nw.Array)):
        return _objects(series.to_list(), name)
    if isinstance(dtype, nw.Struct):
        raise UnsupportedDataError(
            f"column {name!r} is {_native_dtype(series)}; expected numbers, strings, booleans or categories. "
            "Split nested values into several columns, or convert them to strings."
        )
    if dtype == nw.String:
        return _objects(series.to_list(), name) if _has_other_objects(series) else _text(series)
    if dtype == nw.Categorical or isinstance(dtype, nw.Enum):
        return _categories(series)
    if dtype == nw.Unknown:
        return _unknown(series, name)
    return _objects(series.to_list(), name)


def _native_dtype(series: nw.Series[Any]) -> str:
    native = series.to_native()
    return str(getattr(native, "dtype", getattr(native, "type", series.dtype)))


def _microseconds(series: nw.Series[Any]) -> FloatArray:
    numbers = series.fill_null(0).to_numpy().astype(np.float64)
    numbers[np.asarray(series.is_null().to_numpy(), bool)] = np.nan
    return numbers


def _numbers(series: nw.Series[Any]) -> Column:
    native = series.to_native()
    if isinstance(getattr(native, "dtype", None), np.dtype):
        return ArrayColumn(native.to_numpy())
    if series.null_count() == 0 or series.dtype.is_float():
        array = series.to_numpy()
        if array.dtype.kind in "fiub":
            return ArrayColumn(array)
    mask = series.is_null().to_numpy()
    array = series.fill_null(False if series.dtype == nw.Boolean else 0).to_numpy()
    return ArrayColumn(array, np.asarray(mask, bool))


def _unknown(series: nw.Series[Any], name: Name) -> Column:
    """Create a column of a dtype that narwhals does not know, such as null, string view, sparse or period."""
    if series.null_count() == len(series):
        return ObjectColumn([None] * len(series))
    native, dtype = series.to_native(), _native_dtype(series)
    if dtype == "string_view":
        return _arrow_codes(native.cast("large_string").dictionary_encode())
    if "complex" in dtype:
        raise _complex(name)
    if dtype.startswith("period"):
        return ArrayColumn(seconds_of_array(native.dt.to_timestamp().to_numpy()), None, Date())
    if dtype.startswith("Sparse"):
        array = np.asarray(native)
        return ArrayColumn(array) if array.dtype.kind in "fiub" else _objects(array.tolist(), name)
    return _objects(series.to_list(), name)


def _has_other_objects(series: nw.Series[Any]) -> bool:
    """Return whether a pandas object column has values other than strings; narwhals only checks the first values."""
    native = series.to_native()
    return getattr(native, "dtype", None) == np.dtype(object) and not all(
        isinstance(value, str) for value in native.dropna().unique()
    )


def _text(series: nw.Series[Any]) -> Coded:
    """Encode strings, with the fast functions of the frame's library if there are many rows."""
    if len(series) > _FEW:
        native = series.to_native()
        if series.implementation.is_polars():
            return _polars_codes(series, series.drop_nulls().unique(maintain_order=True).to_list())
        if series.implementation.is_pyarrow():
            return _arrow_codes(native.dictionary_encode())
        if hasattr(native, "factorize"):
            codes, values = native.factorize()
            return Coded(np.asarray(codes), values.tolist())
    return ObjectColumn(series.to_list()).coded()


def _categories(series: nw.Series[Any]) -> Coded:
    native = series.to_native()
    if series.implementation.is_polars():
        if isinstance(series.dtype, nw.Enum):
            return replace(_polars_codes(series, list(series.dtype.categories)), closed=True)
        return _text(series)
    if series.implementation.is_pyarrow():
        return replace(_distinct(_arrow_codes(native)), ordered=bool(native.type.ordered))
    if hasattr(native.dtype, "categories"):
        coded = _distinct(Coded(np.asarray(native.array.codes), native.dtype.categories.tolist()))
        return replace(coded, ordered=bool(native.dtype.ordered))
    return _distinct(_text(series))


def _polars_codes(series: nw.Series[Any], values: list[str]) -> Coded:
    physical: nw.Series[Any] = nw.from_native(series.cast(nw.Enum(values)).to_native().to_physical(), series_only=True)
    return Coded(physical.cast(nw.Int32).fill_null(-1).to_numpy(), values)


def _arrow_codes(native: Any) -> Coded:
    """Return a PyArrow dictionary column as a column of codes; its chunks can have different dictionaries."""
    values: dict[Value, int] = {}
    chunks = list[IntArray]()
    for chunk in native.chunks:
        own = [values.setdefault(value, len(values)) for value in chunk.dictionary.to_pylist()]
        codes = dictionary_codes(chunk)
        chunks.append(codes if own == list(range(len(own))) else np.array([*own, -1], np.int32)[codes])
    if len(chunks) == 1:
        return Coded(chunks[0], list(values))
    return Coded(np.concatenate([np.empty(0, np.int32), *chunks]), list(values))


def dictionary_codes(chunk: Any, *, check: bool = True) -> IntArray:
    """Return the codes of a PyArrow dictionary array as signed integers, -1 for null."""
    import pyarrow as pa

    indices = chunk.indices
    if pa.types.is_unsigned_integer(indices.type):
        indices = indices.cast({8: pa.int16(), 16: pa.int32()}.get(indices.type.bit_width, pa.int64()))
    codes: IntArray = (indices.fill_null(-1) if indices.null_count else indices).to_numpy(zero_copy_only=False)
    if check and codes.size and (int(codes.max()) >= len(chunk.dictionary) or int(codes.min()) < -1):
        raise damaged_codes()
    return codes


def damaged_codes() -> ReadingError:
    """Return the error for codes that are not in their dictionary; Arrow does not check the codes of damaged files."""
    return ReadingError(
        "a dictionary column has codes that are not in its dictionary: the file or batch is damaged. Write the file "
        "or batch again, or omit the column."
    )


def _distinct(coded: Coded) -> Coded:
    """Convert values to plain Python types, merge equal values, and encode missing values as -1."""
    values = [plain(value) for value in coded.values]
    if len({identity(value) for value in values}) == len(values) and not any(map(is_missing, values)):
        return Coded(coded.codes, values)
    merged = ObjectColumn(values).coded()
    return Coded(np.append(merged.codes, np.int32(-1))[coded.codes], merged.values)


# -- read as a kind


def misfit(kind: Kind, column: Column) -> tuple[str, str] | None:
    """Return what the column is and what to pass instead, or None if the column can be read as ``kind``."""
    if isinstance(kind, Date):
        fits = column.content in ("dates", "text", "any", "nothing") or column.empty()
        return None if fits else (column.kind().describe(), "dates, datetimes or ISO strings")
    held, content = column.content, "numbers" if isinstance(kind, Numeric) else kind.content
    accepted = ("numbers", "booleans", "nothing") if isinstance(kind, Numeric) else ("any", "nothing", content)
    if held in accepted or content in ("any", "nothing") or column.empty():
        return None
    expected = content if content in ("numbers", "booleans") else "strings or categories"
    if held in ("numbers", "dates"):
        return "numeric" if held == "numbers" else "date", expected
    return "nominal (mixed values)" if held == "any" else Nominal(content=held).describe(), expected


def read_column(kind: Kind, column: Column, label: Name, known: Callable[[], Iterable[Value]] = tuple) -> ReadColumn:
    """Read a column as the kind it had in fit; ``known`` returns the values seen in fit, for error messages."""
    if (problem := misfit(kind, column)) is not None:
        found, expected = problem
        fitted = kind.describe(known()) if isinstance(kind, Nominal) else kind.describe()
        raise SchemaMismatchError(
            f"column {label!r} is {found} here but was {fitted} in fit. Pass it as {expected}, or refit."
        )
    if isinstance(kind, Date):
        return _read_dates(column, label)
    if isinstance(kind, Numeric):
        return _read_numbers(column, label)
    if isinstance(kind, Set):
        column = ObjectColumn([None if is_missing(value) else _members(value, label) for value in _listed(column)])
    try:
        coded = column.coded()
    except TypeError:
        culprit = next(value for value in getattr(column, "values", ()) if not is_hashable(value))
        raise UnsupportedDataError(
            f"column {label!r} contains a {type(culprit).__name__}; an argument must be a string, a real number, "
            "a boolean or another hashable value. Split nested values into several columns, or convert them to strings."
        ) from None
    if any(isinstance(value, (float, Decimal)) and value in (np.inf, -np.inf) for value in coded.values):
        raise infinite(label)
    if not isinstance(kind, Ordinal):
        return coded
    rank = {identity(level): float(position) for position, level in enumerate(kind.order)}
    return np.array([*(rank.get(identity(value), -1.0) for value in coded.values), np.nan])[coded.codes]


def _listed(column: Column) -> Iterable[Any]:
    return column.values if isinstance(column, ObjectColumn) else column.coded().tolist()


def _members(value: Any, label: Name) -> frozenset[Any]:
    """Return the members of a set; the value can be a set, a list or a string with separators."""
    if isinstance(value, str):
        mark = next((mark for mark in ";|," if mark in value), None)
        value = [part.strip() for part in (value.split(mark) if mark else [value]) if part.strip()]
    if isinstance(value, (*COLLECTIONS, tuple, np.ndarray)) and all(map(is_hashable, value)):
        return frozenset(plain(member) for member in value if not is_missing(member))
    raise SchemaMismatchError(
        f"column {label!r} contains {quoted(value)}; expected sets, lists, or strings such as 'red; blue'"
    )


def _read_dates(column: Column, label: Name) -> FloatArray:
    if isinstance(column, ArrayColumn):
        return column.numbers() if column.content == "dates" else np.full(len(column.array), np.nan)
    coded = column.coded()
    seconds = [seconds_of(value) for value in coded.values]
    for value, found in zip(coded.values, seconds, strict=True):
        if found is None:
            raise SchemaMismatchError(
                f"column {label!r} contains {quoted(value)}, which is not a date. Write dates as '2024-05-01' or "
                "'2024-05-01 14:30', and None if missing."
            )
    return np.array([*seconds, np.nan], np.float64)[coded.codes]


def _read_numbers(column: Column, label: Name) -> FloatArray:
    if column.content not in ("numbers", "booleans"):
        return np.full(len(column.coded()), np.nan)
    try:
        numbers = column.numbers()
    except OverflowError:
        raise infinite(label) from None
    narrow = isinstance(column, ArrayColumn) and column.array.dtype.kind in "iub" and column.array.dtype.itemsize <= 4
    if narrow:  # finite, and exact in float64
        return numbers
    if np.isinf(numbers).any():
        raise infinite(label)
    if isinstance(column, Coded):
        check_exact(lambda i: column.values[column.codes[i]], numbers, label)
    elif isinstance(column, ObjectColumn) or column.array.dtype.kind in "iu":
        given = column.values if isinstance(column, ObjectColumn) else column.array
        check_exact(given.__getitem__, numbers, label)
    return numbers


def check_exact(given: Callable[[int], Any], numbers: FloatArray, label: Name) -> None:
    """Raise an error for numbers that float64 would round, since different numbers could become equal."""
    for i in np.flatnonzero(np.abs(numbers) >= EXACT).tolist():
        value = given(i)
        value = value.item() if isinstance(value, np.integer) else value
        if isinstance(value, (int, Decimal, Fraction)) and value != numbers[i].item():
            raise SchemaError(
                f"column {label!r} contains {quoted(value)}, which float64 cannot represent exactly, so different "
                "numbers would become equal. Scale the numbers or subtract a constant. If the numbers are identifiers "
                "or codes, make the column nominal (Nominal() or categorical_features)."
            )


def infinite(label: Name) -> SchemaError:
    return SchemaError(  # wording of scikit-learn
        f"Input X contains infinity or a value too large for dtype('float64') in column {label!r}. "
        "Replace it with a finite number, or with NaN or None if the value is missing."
    )
