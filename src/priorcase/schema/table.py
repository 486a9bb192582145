"""Tables: a frame or array as it was passed (`Source`), and its rows as they were read (`Table`)."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from scipy import sparse

from priorcase._typing import AnyArray, FloatArray, Name, Value
from priorcase.exceptions import SchemaError, UnsupportedDataError, listed
from priorcase.schema.columns import Column, ReadColumn, from_array, from_series
from priorcase.schema.kinds import Kind, Nominal
from priorcase.schema.values import Coded

if TYPE_CHECKING:
    from priorcase.schema.schema import Schema

_RESHAPE = (
    "Reshape your data either using array.reshape(-1, 1) if your data has a single feature "
    "or array.reshape(1, -1) if it contains a single sample."
)


@dataclass(frozen=True, eq=False)
class Source:
    """A table as it was passed: its column names, if it has any, and its columns."""

    names: tuple[Name, ...] | None
    columns: tuple[Column, ...]
    rows: int

    def label(self, position: int) -> Name:
        """Name of a column, or its position if there are no names."""
        return position if self.names is None else self.names[position]


def open_source(X: Any) -> Source:
    """Take the columns of a pandas, Polars or PyArrow frame, a NumPy array, or a list of rows.

    Anything but a table of at least one column is refused; it may have no rows. The messages have scikit-learn's words.
    """
    if isinstance(X, Source):
        return X
    if sparse.issparse(X):
        raise UnsupportedDataError(
            "Sparse data was passed for X, but dense data is required. "
            "Use '.toarray()' to convert to a dense numpy array."
        )
    if isinstance(X, np.ndarray):
        return _open_array(X)
    if type(X).__name__ == "RecordBatch" and "pyarrow" in sys.modules:
        X = sys.modules["pyarrow"].Table.from_batches([X])
    if nw.dependencies.is_into_dataframe(X):
        return _open_frame(X)
    if nw.dependencies.is_into_series(X):
        raise SchemaError(f"Expected a 2-dimensional container, got a Series. Use to_frame(). {_RESHAPE}")
    if isinstance(X, (list, tuple)):
        return _open_array(_rows(X))
    if hasattr(X, "collect"):
        raise UnsupportedDataError("X is a lazy frame; expected one with its rows in memory. Call .collect() first.")
    if hasattr(X, "__array__") or np.isscalar(X):
        return _open_array(np.asarray(X))
    kind = type(X)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    raise UnsupportedDataError(
        f"X must be a pandas, Polars or PyArrow frame, a 2D NumPy array or a list of rows, "
        f"got {'None' if X is None else f'a {name}'}. Build a frame first, for example with pandas.DataFrame(X)."
    )


def _rows(X: Sequence[Any]) -> AnyArray:
    """Convert a list of rows to an array of objects, so that numbers beside strings stay numbers."""
    if not X:  # it does not even tell how many columns there are
        raise SchemaError("Found array with 0 sample(s) (shape=(0,)) while a minimum of 1 is required.")
    try:
        rows = np.array(X, dtype=object)
    except ValueError:
        rows = None
    if rows is None or (rows.ndim == 1 and all(isinstance(row, (list, tuple, np.ndarray)) for row in X)):
        raise SchemaError("The rows of X have different lengths. Write None where a value is missing.")
    if rows.ndim == 1 and all(isinstance(row, Mapping) for row in X):
        raise UnsupportedDataError(
            "X is a list of dictionaries; expected a frame, a 2D NumPy array or a list of rows. "
            "Build a frame first, for example with pandas.DataFrame(X)."
        )
    return rows


def _open_frame(X: Any) -> Source:
    try:
        frame = nw.from_native(X, eager_only=True)
    except DuplicateError:
        raise duplicate_names(list(X.column_names if hasattr(X, "column_names") else X.columns)) from None
    names = tuple(name.item() if isinstance(name, np.generic) else name for name in frame.columns)
    _check_width((len(frame), len(names)))
    columns = tuple(from_series(series, name) for name, series in zip(names, frame.iter_columns(), strict=True))
    return Source(names, columns, len(frame))


def _open_array(X: AnyArray) -> Source:
    if isinstance(X, np.matrix):
        raise UnsupportedDataError("np.matrix is not supported. Please convert to a numpy array with np.asarray.")
    if X.ndim > 2:
        raise SchemaError(
            f"Found array with dim {X.ndim}, while dim <= 2 is required. Pass one row per case, one column per feature."
        )
    if X.ndim < 2:
        what = "1D" if X.ndim else "scalar"
        raise SchemaError(f"Expected 2D array, got {what} array instead: shape={X.shape}. {_RESHAPE}")
    _check_width(X.shape)
    mask = np.ma.getmaskarray(X) if isinstance(X, np.ma.MaskedArray) and X.mask is not np.ma.nomask else None
    columns = tuple(from_array(X[:, a], None if mask is None else mask[:, a], a) for a in range(X.shape[1]))
    return Source(None, columns, len(X))


def _check_width(shape: tuple[int, ...]) -> None:
    if shape[1] == 0:
        raise SchemaError(f"Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is required.")


def duplicate_names(names: Sequence[Name]) -> SchemaError:
    """The error for column names of which some are equal."""
    repeated = dict.fromkeys(name for name in names if names.count(name) > 1)
    return SchemaError(f"X has more than one column named {listed(repeated)}. Rename or drop the repeated columns.")


_FIRST = np.zeros(1, np.int8)
_MISSING = np.full(1, -1, np.int8)
_FIRST.flags.writeable = _MISSING.flags.writeable = False


class Table:
    """Rows read by a schema, whose values have no stored codes yet.

    They are given as ``columns``, one for each attribute; as a ``block`` of rows by attributes, if all are numeric; or
    as a single ``row``: for each attribute a number or rank, NaN for missing, or a nominal value, None for missing.
    """

    __slots__ = ("_columns", "_row", "block", "rows", "schema")

    def __init__(
        self,
        schema: Schema,
        rows: int,
        columns: tuple[ReadColumn, ...] | None = None,
        *,
        block: FloatArray | None = None,
        row: tuple[Value, ...] | None = None,
    ) -> None:
        self.schema = schema
        self.rows = rows
        self._columns = columns
        self._row = row
        self.block = block

    def __len__(self) -> int:
        return self.rows

    def __repr__(self) -> str:
        return f"Table({self.rows} rows of {len(self.schema)} attributes)"

    @property
    def columns(self) -> tuple[ReadColumn, ...]:
        """Columns, in the order of the schema."""
        if self._columns is None:
            if self._row is not None and self.block is None:
                self._columns = tuple(map(_column_of, self.schema.kinds, self._row))
            else:
                block = np.empty((self.rows, len(self.schema))) if self.block is None else self.block
                self._columns = tuple(block.T)
        return self._columns

    @property
    def row(self) -> tuple[Value, ...] | None:
        """Values of a single row; None if there is not exactly one."""
        if self._row is None and self.rows == 1:
            self._row = tuple(map(_value_of, self.columns) if self.block is None else self.block[0].tolist())
        return self._row

    def part(self, start: int, stop: int) -> Table:
        """Rows from ``start`` to ``stop``."""
        rows = slice(start, min(stop, self.rows))
        n = max(rows.stop - start, 0)
        if self.block is not None:
            return Table(self.schema, n, block=self.block[rows])
        columns = [
            Coded(column.codes[rows], column.values) if isinstance(column, Coded) else column[rows]
            for column in self.columns
        ]
        return Table(self.schema, n, tuple(columns))


def _value_of(column: ReadColumn) -> Value:
    if not isinstance(column, Coded):
        return float(column[0])
    code = int(column.codes[0])
    return None if code < 0 else column.values[code]


def _column_of(kind: Kind, value: Value) -> ReadColumn:
    if type(kind) is not Nominal:
        return np.array([value], np.float64)
    return Coded(_MISSING, ()) if value is None else Coded(_FIRST, (value,))
