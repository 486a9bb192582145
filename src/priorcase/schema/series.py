"""One column of a frame, in the frame's own fastest way."""

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from priorcase._typing import Name, Value
from priorcase.exceptions import SchemaError, UnsupportedDataError
from priorcase.schema.columns import ArrayColumn, CodedColumn, Column, ObjectColumn
from priorcase.schema.values import Coded, identity, is_missing, plain

_DATES = (nw.Date, nw.Datetime, nw.Duration, nw.Time)
# Below this many rows a Python dictionary is faster than the set-up of a native hash table.
_FEW = 64
_NESTED = (nw.List, nw.Array, nw.Struct)


def column_of(series: nw.Series[Any], name: Name) -> Column:
    """A series by its dtype: numbers and booleans as arrays, text and categories as codes, the rest as objects."""
    dtype = series.dtype
    if dtype.is_decimal() or dtype in (nw.Int128, nw.UInt128):
        return ObjectColumn(series.to_list())
    if dtype.is_numeric() or dtype == nw.Boolean:
        return _numbers(series)
    if isinstance(dtype, _DATES):
        raise UnsupportedDataError.dates(name, _spell(series))
    if isinstance(dtype, _NESTED):
        raise UnsupportedDataError.dtype(name, _spell(series))
    if dtype == nw.String:
        return CodedColumn(_factorized(series))
    if dtype == nw.Categorical or isinstance(dtype, nw.Enum):
        return _categories(series)
    if dtype == nw.Unknown:
        return _unknown(series, name)
    return ObjectColumn(series.to_list())


def _spell(series: nw.Series[Any]) -> str:
    native = series.to_native()
    return str(getattr(native, "dtype", getattr(native, "type", series.dtype)))


def _numbers(series: nw.Series[Any]) -> Column:
    native = series.to_native()
    if isinstance(getattr(native, "dtype", None), np.dtype):
        return ArrayColumn(native.to_numpy())
    if series.null_count() == 0 or series.dtype.is_float():
        array = series.to_numpy()
        if array.dtype.kind in "fiub":
            return ArrayColumn(array)
    mask = series.is_null().to_numpy()
    filler = False if series.dtype == nw.Boolean else 0
    array = series.fill_null(filler).to_numpy()
    return ArrayColumn(array, np.asarray(mask, bool))


def _unknown(series: nw.Series[Any], name: Name) -> Column:
    """A dtype that narwhals has no name for: nothing but nulls, sparse, periods, intervals, complex."""
    if series.null_count() == len(series):
        return ObjectColumn([None] * len(series))
    native, spelled = series.to_native(), _spell(series)
    if "complex" in spelled:
        raise SchemaError.complex_numbers(name)
    if spelled.startswith("period"):
        raise UnsupportedDataError.dates(name, spelled)
    if spelled.startswith("Sparse"):
        array = np.asarray(native)
        return ArrayColumn(array) if array.dtype.kind in "fiub" else ObjectColumn(array.tolist())
    return ObjectColumn(series.to_list())


def _factorized(series: nw.Series[Any]) -> Coded:
    """Text as codes, by the hash table of the frame's library."""
    if len(series) <= _FEW:
        return ObjectColumn(series.to_list()).coded()
    native = series.to_native()
    if series.implementation.is_polars():
        return _polars_codes(series, series.drop_nulls().unique(maintain_order=True).to_list())
    if series.implementation.is_pyarrow():
        return _arrow_codes(native.dictionary_encode())
    if hasattr(native, "factorize"):
        codes, values = native.factorize()
        return Coded(np.asarray(codes), values.tolist())
    return ObjectColumn(series.to_list()).coded()


def _categories(series: nw.Series[Any]) -> Column:
    native = series.to_native()
    if series.implementation.is_polars():
        if isinstance(series.dtype, nw.Enum):
            return CodedColumn(_polars_codes(series, list(series.dtype.categories)), closed=True)
        return CodedColumn(_factorized(series))
    if series.implementation.is_pyarrow():
        return CodedColumn(_tidy(_arrow_codes(native)), ordered=bool(native.type.ordered))
    if hasattr(native.dtype, "categories"):
        codes, values = np.asarray(native.array.codes), native.dtype.categories.tolist()
        return CodedColumn(_tidy(Coded(codes, values)), ordered=bool(native.dtype.ordered))
    return CodedColumn(_tidy(_factorized(series)))


def _polars_codes(series: nw.Series[Any], values: list[str]) -> Coded:
    physical: nw.Series[Any] = nw.from_native(series.cast(nw.Enum(values)).to_native().to_physical(), series_only=True)
    return Coded(physical.cast(nw.Int32).fill_null(-1).to_numpy(), values)


def _arrow_codes(native: Any) -> Coded:
    """Codes of a PyArrow dictionary column; each chunk has a dictionary of its own."""
    values: dict[Value, int] = {}
    chunks = [np.empty(0, np.int32)]
    for chunk in native.chunks:
        own = [values.setdefault(value, len(values)) for value in chunk.dictionary.to_pylist()]
        codes = chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        chunks.append(np.array([*own, -1], np.int32)[codes])
    return Coded(np.concatenate(chunks), list(values))


def _tidy(coded: Coded) -> Coded:
    """Values as plain Python, with a missing one among them, or two that are the same, folded away."""
    values = [plain(value) for value in coded.values]
    if len({identity(value) for value in values}) == len(values) and not any(map(is_missing, values)):
        return Coded(coded.codes, values)
    folded = ObjectColumn(values).coded()
    return Coded(np.append(folded.codes, np.int32(-1))[coded.codes], folded.values)
