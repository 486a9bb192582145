"""A table with its gaps filled, in the container it came in and with everything else as it was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from priorcase._typing import AnyArray, BoolArray


@dataclass(frozen=True, slots=True, eq=False)
class Filling:
    """What goes into the gaps of one column.

    Parameters
    ----------
    gaps
        Which rows have none.
    values
        One for each of them: Python's own values.
    numeric
        Whether they are expected numbers, which whole-number columns cannot hold.
    """

    gaps: BoolArray
    values: list[Any]
    numeric: bool


def filled(X: Any, fillings: dict[int, Filling]) -> Any:
    """A copy of a table with the gaps of some columns, by position, filled."""
    if isinstance(X, np.ndarray):
        return _array(X, fillings)
    if nw.dependencies.is_into_dataframe(X):
        return _frame(X, fillings)
    if isinstance(X, (list, tuple)):
        return _rows(X, fillings)
    return _array(np.asarray(X), fillings)


def _array(X: AnyArray, fillings: dict[int, Filling]) -> AnyArray:
    whole = X.dtype.kind in "iub" and any(filling.numeric for filling in fillings.values())
    result = X.astype(np.float64) if whole else X.copy()
    for position, filling in fillings.items():
        result[filling.gaps, position] = _objects(filling.values) if result.dtype.kind == "O" else filling.values
    return result


def _rows(X: list[Any] | tuple[Any, ...], fillings: dict[int, Filling]) -> list[Any] | tuple[Any, ...]:
    rows = [list(row) for row in X]
    for position, filling in fillings.items():
        for row, value in zip(np.flatnonzero(filling.gaps).tolist(), filling.values, strict=True):
            rows[row][position] = value
    same = [_row_like(old, row) for old, row in zip(X, rows, strict=True)]
    return same if isinstance(X, list) else tuple(same)


def _row_like(old: Any, row: list[Any]) -> Any:
    """A row in the type that it came in."""
    if isinstance(old, np.ndarray):
        return np.array(row, dtype=old.dtype)
    return tuple(row) if isinstance(old, tuple) else row


def _frame(X: Any, fillings: dict[int, Filling]) -> Any:
    frame = nw.from_native(X, eager_only=True)
    if frame.implementation.is_pandas_like():
        result = X.copy()
        for position, filling in fillings.items():
            result.isetitem(position, _pandas(X.iloc[:, position], filling))
        return result
    names = frame.columns
    columns = [_column(frame[names[position]], filling) for position, filling in fillings.items()]
    return frame.with_columns(columns).to_native()


def _pandas(column: Any, filling: Filling) -> Any:
    """A pandas column filled; of another type only where its own cannot hold the values."""
    kind = str(column.dtype).lower()
    if filling.numeric and kind.startswith(("int", "uint", "bool")):
        column = column.astype("double[pyarrow]" if kind.endswith("[pyarrow]") else "Float64")
    elif kind.startswith("sparse"):
        column = column.sparse.to_dense()
    elif hasattr(column, "cat") and hasattr(column.dtype, "categories"):
        absent = [value for value in dict.fromkeys(filling.values) if value not in column.dtype.categories]
        column = column.cat.add_categories(absent)
    array = column.array.copy()
    plain = isinstance(column.dtype, np.dtype)
    if plain and column.dtype.kind == "O":
        array[filling.gaps] = _objects(filling.values)
    else:
        array[filling.gaps] = np.array(filling.values, column.dtype) if plain else filling.values
    # With its type said, or pandas would take objects for text.
    return type(column)(array, index=column.index, dtype=column.dtype)


def _column(series: nw.Series[Any], filling: Filling) -> nw.Series[Any]:
    """A Polars or PyArrow column filled; of another type only where its own cannot hold the values."""
    kind, dtype = series.to_native(), series.dtype
    if filling.numeric and not dtype.is_float():
        series = series.cast(nw.Float64)
    elif isinstance(dtype, nw.Enum) and not set(filling.values) <= set(dtype.categories):
        series = series.cast(nw.String)
    spread: list[Any] = [None] * len(series)
    for row, value in zip(np.flatnonzero(filling.gaps).tolist(), filling.values, strict=True):
        spread[row] = value
    backend = series.implementation.value
    text = backend == "pyarrow" and series.dtype == nw.Categorical
    given = nw.String if text else None if series.dtype == nw.Object else series.dtype
    fill: nw.Series[Any] = nw.new_series(series.name, spread, given, backend=backend)
    kept: nw.Series[Any] = nw.new_series("kept", (~filling.gaps).tolist(), nw.Boolean, backend=backend)
    result: nw.Series[Any] = series.zip_with(kept, fill).alias(series.name)
    if text:
        result = nw.from_native(result.to_native().cast(kind.type), series_only=True).alias(series.name)
    return result


def _objects(values: list[Any]) -> AnyArray:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
