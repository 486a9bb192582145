"""The one door: a frame or array of any make becomes named columns."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from scipy import sparse

from priorcase._core import factorise
from priorcase._typing import AnyArray, BoolArray, Name
from priorcase.exceptions import SchemaError, UnsupportedDataError
from priorcase.schema.columns import ArrayColumn, CodedColumn, Column, ObjectColumn
from priorcase.schema.series import column_of
from priorcase.schema.values import Coded, families, is_missing


@dataclass(frozen=True, eq=False)
class Source:
    """A table as it came: column names, if it has any, and its columns."""

    names: tuple[Name, ...] | None
    columns: tuple[Column, ...]
    rows: int

    def label(self, position: int) -> Name:
        """How messages name a column."""
        return position if self.names is None else self.names[position]


def open_source(X: Any) -> Source:
    """The columns of a pandas, Polars or PyArrow frame, a NumPy array, or a list of rows.

    Raises the library's errors for anything that is not a table of at least one column; a table without rows is one.
    """
    if isinstance(X, Source):
        return X
    if sparse.issparse(X):
        raise UnsupportedDataError.sparse()
    if isinstance(X, np.ndarray):
        return _from_array(X)
    if type(X).__name__ == "RecordBatch" and "pyarrow" in sys.modules:
        X = sys.modules["pyarrow"].Table.from_batches([X])
    if nw.dependencies.is_into_dataframe(X):
        return _from_frame(X)
    if nw.dependencies.is_into_series(X):
        raise SchemaError.shape((len(X),), series=True)
    if isinstance(X, (list, tuple)):
        return _from_array(_rows(X))
    if hasattr(X, "collect"):
        raise UnsupportedDataError.lazy()
    if hasattr(X, "__array__"):
        return _from_array(np.asarray(X))
    if np.isscalar(X):
        raise SchemaError.shape(())
    raise UnsupportedDataError.container(X)


def _rows(X: Sequence[Any]) -> AnyArray:
    """A list of rows as an array of objects, so that numbers beside strings stay numbers."""
    if not X:  # it does not even say how many columns there are
        raise SchemaError.too_few("sample", (0,))
    try:
        rows = np.array(X, dtype=object)
    except ValueError:
        raise SchemaError.ragged() from None
    if rows.ndim == 1 and all(isinstance(row, (list, tuple, np.ndarray)) for row in X):
        raise SchemaError.ragged()
    if rows.ndim == 1 and all(isinstance(row, Mapping) for row in X):
        raise UnsupportedDataError.records()
    return rows


def _from_frame(X: Any) -> Source:
    try:
        frame = nw.from_native(X, eager_only=True)
    except DuplicateError:
        raise _duplicates(X) from None
    names = tuple(name.item() if isinstance(name, np.generic) else name for name in frame.columns)
    if not names:
        raise SchemaError.too_few("feature", (len(frame), 0))
    columns = tuple(
        _checked(column_of(series, name), name) for name, series in zip(names, frame.iter_columns(), strict=True)
    )
    return Source(names, columns, len(frame))


def _duplicates(X: Any) -> SchemaError:
    names = list(X.column_names if hasattr(X, "column_names") else X.columns)
    return SchemaError.duplicate_names(dict.fromkeys(name for name in names if names.count(name) > 1))


def _from_array(X: AnyArray) -> Source:
    if isinstance(X, np.matrix):
        raise UnsupportedDataError.matrix()
    if X.ndim != 2:
        raise SchemaError.shape(X.shape)
    if X.shape[1] == 0:
        raise SchemaError.too_few("feature", X.shape)
    mask = np.ma.getmaskarray(X) if isinstance(X, np.ma.MaskedArray) and X.mask is not np.ma.nomask else None
    columns = tuple(_array_column(X[:, a], None if mask is None else mask[:, a], a) for a in range(X.shape[1]))
    return Source(None, columns, len(X))


def _array_column(array: AnyArray, mask: BoolArray | None, name: int) -> Column:
    dtype = array.dtype
    if dtype.kind in "fiub":
        return ArrayColumn(np.asarray(array), mask)
    if dtype.kind == "c":
        raise SchemaError.complex_numbers(name)
    if dtype.kind in "Mm":
        raise UnsupportedDataError.dates(name, str(dtype))
    if dtype.kind == "V":
        raise UnsupportedDataError.structured()
    if dtype.kind == "U" and dtype.itemsize and mask is None and len(array):
        return CodedColumn(_text_codes(np.asarray(array)))
    # A masked array lists its masked cells as None.
    return _checked(ObjectColumn(array.tolist()), name)


def _text_codes(array: AnyArray) -> Coded:
    """Fixed-width text as codes, in order of first appearance."""
    packed = np.ascontiguousarray(array)
    codes, first = factorise(packed.view(np.uint8).reshape(len(packed), -1))
    return Coded(codes, packed[first].tolist())


def _checked(column: Column, name: Name) -> Column:
    """The column, unless it holds objects that are no values."""
    if isinstance(column, ObjectColumn) and (unread := families(column.types) & {"date", "complex"}):
        if "complex" in unread:
            raise SchemaError.complex_numbers(name)
        for value in column.values:
            if not is_missing(value) and families([type(value)]) == {"date"}:
                raise UnsupportedDataError.dates(name, f"{type(value).__name__} objects")
    return column
