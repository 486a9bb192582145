"""Schema of a table: names and kinds of the columns, inferred from types or declared; used to read tables.

A table is a frame, an array or a list of rows. `Source` is a table as passed by the user, and `Table` contains its rows
after reading.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from math import isfinite, nan
from typing import Any, Literal, TypeAlias, cast

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from scipy import sparse

from priorcase._grids import Grid, TextResult, grids_html
from priorcase._typing import AnyArray, Backend, Content, FloatArray, Name, Value
from priorcase.exceptions import (
    ParameterError,
    SchemaError,
    SchemaMismatchError,
    UnsupportedDataError,
    advice,
    listed,
    misspelt,
    prefix_errors,
    quoted,
)
from priorcase.schema.columns import (
    EXACT,
    Coded,
    Column,
    ReadColumn,
    check_exact,
    from_array,
    from_series,
    infinite,
    misfit,
    read_column,
)
from priorcase.schema.dates import seconds_of
from priorcase.schema.kinds import (
    Circular,
    Date,
    Kind,
    Nominal,
    Numeric,
    Ordinal,
    Set,
    as_kind,
    is_hashable,
    is_missing,
    kind_advice,
    plain,
)

CategoricalFeatures: TypeAlias = Literal["from_dtype"] | Sequence[Any] | AnyArray | None
"""``"from_dtype"``, None, or a mask, positions or names of the nominal columns."""

# Number of column names listed in a message.
_SHOWN = 5

_RESHAPE = (
    "Reshape your data either using array.reshape(-1, 1) if your data has a single feature "
    "or array.reshape(1, -1) if it contains a single sample."
)


@dataclass(frozen=True, slots=True, repr=False)
class Schema:
    """Names and kinds of the columns of a table.

    Parameters
    ----------
    names
        Column labels of any hashable type, all distinct and none missing; None for a table without names.
    kinds
        ``Numeric()``, ``Ordinal(order)``, ``Nominal()``, ``Date()``, ``Text()``, ``Set()``, ``Circular(period)`` or
        ``Taxonomy(tree)`` for each column, or the strings ``"numeric"``, ``"nominal"``, ``"date"``, ``"text"`` and
        ``"set"``.

    Notes
    -----
    **Kinds by type** (``Schema.infer``)

    ==================================================  ========================================================
    column                                              kind
    ==================================================  ========================================================
    integers, floats, decimals, pandas' nullable ones   ``Numeric()``
    booleans                                            ``Nominal()``
    all other strings, NumPy's ``U``, ``S``             ``Nominal()``
    pandas ``category``, Polars ``Categorical``,        ``Nominal()``; ``Ordinal(categories)`` if it is ordered
    PyArrow ``dictionary``
    Polars ``Enum``                                     ``Nominal(categories)``: its values are declared
    objects: only numbers and missing values            ``Numeric()``
    objects: anything else, or only missing values;     ``Nominal()``
    Polars ``Null``
    dates and datetimes of any type; ISO strings        ``Date()``
    times of day                                        ``Circular(86400)``: seconds
    spans of time                                       ``Numeric()``: seconds
    sets and lists                                      ``Set()``
    long strings that are mostly distinct               ``Text()``
    complex numbers, structs, unhashable objects        error
    ==================================================  ========================================================

    Strings are long if they have at least 20 characters and three words on average; strings with fewer than 10 distinct
    values are nominal. A Polars ``Enum`` is nominal, because its values often have no order; declare ``Ordinal`` if the
    values are ordered.

    **Kinds are fixed by the first rows** and do not change when rows are added or removed. Declare the kinds for a
    stream if its first rows may not be representative. An object column with only missing values is nominal; numbers
    raise an error until the column has a value of another type, because they could be amounts or codes.

    **Values** are known (stored or declared), unseen or missing. Missing values are NaN, None, NaT, ``pandas.NA``,
    nulls, masked cells and ``Decimal("NaN")``; ``"nan"`` and ``""`` are not missing. Nominal values are compared by
    ``==``, except that booleans are not numbers: ``1`` and ``1.0`` are equal; ``True`` and ``"1"`` differ from ``1``.
    Numbers are float64. Infinite numbers raise an error, and so do integers and decimals beyond 2**53 that float64
    cannot represent exactly; in a nominal column, numbers of any size are exact.

    **Later tables.** If both tables have names, columns are matched by name, in any order, and no column may be missing
    or extra; otherwise, columns are matched by position. A column with only missing values is valid for any kind.
    Numbers in a string column, or strings in a numeric column, raise ``SchemaMismatchError``. Booleans are valid in a
    numeric column as 0 and 1, but numbers are not valid in a boolean column.

    Examples
    --------
    >>> schema = Schema(("age", "size", "colour"), (Numeric(), Ordinal(("S", "M", "L")), Nominal()))
    >>> schema
    Schema: 3 attributes
      age     Numeric()
      size    Ordinal(order=('S', 'M', 'L'))
      colour  Nominal()
    >>> schema.read([[31, "M", "red"], [None, "XL", "blue"]]).columns[1]
    array([ 1., -1.])
    """

    names: tuple[Name, ...] | None
    kinds: tuple[Kind, ...]
    _numeric: bool = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "kinds", tuple(map(as_kind, self.kinds)))
        object.__setattr__(self, "_numeric", all(type(kind) in (Numeric, Circular) for kind in self.kinds))
        kinds: tuple[object, ...] = self.kinds
        for a, kind in enumerate(kinds):
            if not isinstance(kind, (Numeric, Ordinal, Nominal)):
                label = quoted(self.names[a]) if self.names and len(self.names) > a else a
                raise SchemaError(f"got {quoted(kind)} as the kind of column {label}. {kind_advice(kind)}")
        if not self.kinds:
            raise SchemaError("Schema needs a kind for each column and at least one column, got no kinds")
        if self.names is None:
            return
        object.__setattr__(self, "names", tuple(self.names))
        if len(self.names) != len(self.kinds):
            raise SchemaError(
                f"Schema needs as many names as kinds, got {len(self.names)} names and {len(self.kinds)} kinds. "
                "Pass names=None for a table without names."
            )
        for a, name in enumerate(self.names):
            if any(map(is_missing, name if isinstance(name, tuple) else (name,))):
                raise SchemaError(f"the name of column {a} is missing ({name!r}). Give the column a name.")
        if len(set(self.names)) < len(self.names):
            raise duplicate_names(self.names)

    def __len__(self) -> int:
        return len(self.kinds)

    def __repr__(self) -> str:
        labels = [str(self.label(a)) for a in range(len(self))]
        width = max(map(len, labels))
        lines = [f"  {label:<{width}}  {kind!r}" for label, kind in zip(labels, self.kinds, strict=True)]
        return "\n".join([f"Schema: {len(self)} attribute{'s' if len(self) > 1 else ''}", *lines])

    def _repr_html_(self) -> str:
        lines = [[str(self.label(a)), repr(kind)] for a, kind in enumerate(self.kinds)]
        return grids_html([Grid(repr(self).partition("\n")[0], ["column", "kind"], lines)])

    def label(self, a: int) -> Name:
        """Return the name of attribute ``a``, or its position if there are no names."""
        return a if self.names is None else self.names[a]

    def position(self, key: Name, *, parameter: str = "key") -> int:
        """Return the position of an attribute; raise ``ParameterError`` if the attribute does not exist.

        A Python or NumPy integer is treated as a name if an attribute has this name, otherwise as a position from 0.
        ``parameter`` is the name of the parameter that contains ``key``, for messages.

        >>> Schema(("age", "size"), (Numeric(), Nominal())).position("size")
        1
        """
        names, n, boolean = self.names, len(self), isinstance(key, (bool, np.bool_))
        if names is not None and is_hashable(key) and key in names:
            found = names.index(key)
            if isinstance(names[found], bool) == boolean:
                return found
        if isinstance(key, (int, np.integer)) and not boolean and 0 <= key < n:
            return int(key)
        columns = f"columns {listed(names)}" if names is not None else f"{n} unnamed columns, 0 to {n - 1}"
        remedy = advice(key, names or (), otherwise="Use names, or positions from 0.")
        raise ParameterError(f"{parameter} contains {quoted(key)}, which is not a column; X has {columns}. {remedy}")

    def positions(self, names: Iterable[Name], *, parameter: str = "keys") -> tuple[int, ...]:
        """Return the positions of several attributes; raise an error for duplicates."""
        seen: dict[int, Name] = {}
        for key in names:
            a = self.position(key, parameter=parameter)
            if a in seen:
                raise ParameterError(
                    f"{parameter} contains {seen[a]!r} and {key!r}, which are the same column. Remove one of them."
                )
            seen[a] = key
        return tuple(seen)

    @classmethod
    @prefix_errors
    def infer(
        cls, X: Any, categorical_features: CategoricalFeatures = "from_dtype", kinds: Mapping[Name, Kind] | None = None
    ) -> Schema:
        """Infer the schema of a table from the types of its columns.

        Parameters
        ----------
        X
            A pandas, Polars or PyArrow frame, a NumPy array, or a list of rows.
        categorical_features
            ``"from_dtype"``: kinds are inferred from types, see `Schema`. A mask, positions or names: these columns are
            nominal, and all other columns are numeric (or ordinal, if their type is ordered). None: no column is
            nominal.
        kinds
            Declared kinds, by name or position; declared kinds take precedence over all others.

        Examples
        --------
        >>> Schema.infer([[1.5, "red", True], [None, "blue", False]])
        Schema: 3 attributes
          0  Numeric()
          1  Nominal(content='text')
          2  Nominal(content='booleans')
        >>> Schema.infer([[1.5, 2], [0.5, 1]], categorical_features=[1])
        Schema: 2 attributes
          0  Numeric()
          1  Nominal(content='numbers')
        """
        return inferred(X, categorical_features, kinds)

    def read(self, X: Any, *, known: Callable[[int], Iterable[Value]] | None = None) -> Table:
        """Read the rows of a table with this schema.

        ``known`` is a function that returns the stored values of the attribute at a position, for error messages.
        """
        if type(X) is Table and X.schema == self:
            return X
        if self._numeric and type(X) is np.ndarray and X.ndim == 2 and X.dtype.kind in "fiu":
            if X.shape[1] != len(self):
                raise other_width(X.shape[1], len(self))
            return Table(self, len(X), block=_read_block(X, self.names or range(len(self))))
        if (table := read_one_row(self, X)) is not None:
            return table
        source = open_source(X)
        order = self._match(source)
        columns = []
        for a, position in enumerate(order):
            values = tuple if known is None else partial(known, a)
            columns.append(read_column(self.kinds[a], source.columns[position], self.label(a), values))
        return Table(self, source.rows, tuple(columns))

    def _match(self, source: Source) -> Sequence[int]:
        """Return, for each attribute of the schema, the position of its column in ``source``."""
        if self.names is None or source.names is None or self.names == source.names:
            if len(source.columns) != len(self):
                raise other_width(len(source.columns), len(self))
            return range(len(self))
        positions = {name: position for position, name in enumerate(source.names)}
        fitted = set(self.names)
        unseen = [name for name in source.names if name not in fitted]
        absent = [name for name in self.names if name not in positions]
        if not unseen and not absent:
            return [positions[name] for name in self.names]
        lines = ["The feature names should match those that were passed during fit."]  # wording of scikit-learn
        titles = "Feature names unseen at fit time:", "Feature names seen at fit time, yet now missing:"
        for title, names in zip(titles, (unseen, absent), strict=True):
            if names:
                lines += [title, *(f"- {name}" for name in names[:_SHOWN]), *["- ..."] * (len(names) > _SHOWN)]
        lines.append("Columns are matched by name, in any order.")
        if meant := misspelt(unseen, absent):
            lines[-1] = f"{meant} {lines[-1]}"
        else:
            lines[-1] += " Rename or drop the columns that were not in fit." * bool(unseen)
            lines[-1] += " Pass every column of fit, with None or NaN for unknown values." * bool(absent)
        raise SchemaMismatchError("\n".join(lines))


def other_width(found: int, expected: int) -> SchemaMismatchError:
    """Return the error for a table that has a different number of columns than the table passed to fit."""
    absent = ", with None or NaN for unknown values" * (found < expected)
    return SchemaMismatchError(  # wording of scikit-learn
        f"X has {found} features, but it is expecting {expected} features as input. Columns without names are matched "
        f"by position: pass the {expected} columns of fit{absent}."
    )


def inferred(
    X: Any, categorical_features: CategoricalFeatures, kinds: Mapping[Name, Kind] | None, *, parameter: str = "kinds"
) -> Schema:
    """Infer a schema as `Schema.infer` does; ``parameter`` is the name of ``kinds`` in messages."""
    source = open_source(X)
    by_type = Schema(source.names, tuple(column.kind() for column in source.columns))
    chosen, declared = _with_categorical(by_type, source, categorical_features), kinds or {}
    for a, kind in zip(by_type.positions(declared, parameter=parameter), declared.values(), strict=True):
        chosen[a] = kind
    schema = Schema(source.names, tuple(chosen))
    for a, (kind, column) in enumerate(zip(schema.kinds, source.columns, strict=True)):
        if (problem := misfit(kind, column)) is not None:
            raise SchemaError(
                f"column {schema.label(a)!r} is {problem[0]} but was declared as {kind.describe()}. Pass it as "
                f"{problem[1]}, or declare another kind for it (categorical_features or {parameter})."
            )
    return schema


def _with_categorical(schema: Schema, source: Source, chosen: CategoricalFeatures) -> list[Kind]:
    """Return the kinds of ``schema``, changed as the parameter ``categorical_features`` (here ``chosen``) requires."""
    kinds, n = list(schema.kinds), len(schema)
    if isinstance(chosen, str) and chosen == "from_dtype":
        return kinds
    if chosen is None:
        chosen = ()
    if isinstance(chosen, str) or not isinstance(chosen, Iterable) or len(getattr(chosen, "shape", (0,))) != 1:
        raise ParameterError(
            "categorical_features must be 'from_dtype', None, a mask, or a list of column names or positions, "
            f"got {quoted(chosen)}. Pass a single column as a list: [0] or ['color']."
        )
    keys = chosen.tolist() if isinstance(chosen, np.ndarray) else list(chosen)
    if keys and all(isinstance(key, (bool, np.bool_)) for key in keys):
        if len(keys) != n:
            raise ParameterError(
                f"categorical_features must be a mask of {n} booleans, one for each column, or a list of column names "
                f"or positions, got {quoted(chosen)}"
            )
        nominal = set(np.flatnonzero(keys).tolist())
    else:
        nominal = {schema.position(key, parameter="categorical_features") for key in keys}
    for a, column in enumerate(source.columns):
        if a in nominal:
            kinds[a] = Nominal(content="any" if column.content == "nothing" else column.content)
        elif type(kinds[a]) is Nominal:
            kinds[a] = Numeric()
    return kinds


# -- tables as passed


@dataclass(frozen=True, eq=False)
class Source:
    """A table as passed by the user: its column names, if any, and its columns."""

    names: tuple[Name, ...] | None
    columns: tuple[Column, ...]
    rows: int

    def label(self, position: int) -> Name:
        """Return the name of a column, or its position if there are no names."""
        return position if self.names is None else self.names[position]


def open_source(X: Any) -> Source:
    """Extract the columns of a frame, an array or a list of rows; error messages follow scikit-learn's wording."""
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
        raise SchemaError(
            "Expected a 2-dimensional container, got a Series. Use X.iloc[[0]] for one row, and to_frame() for one "
            f"column. {_RESHAPE}"
        )
    if isinstance(X, (list, tuple)):
        return _open_array(_rows(X))
    if hasattr(X, "collect"):
        raise UnsupportedDataError(
            "X is a lazy frame; expected a frame in memory. Call .collect() first. If the data do not fit in memory, "
            "pass the name of the target column as y to fit, or predict with priorcase.batches."
        )
    if isinstance(X, (str, os.PathLike)):
        raise UnsupportedDataError(
            f"X is {quoted(X)}; expected a frame, a 2D array or a list of rows. Read a file with "
            "priorcase.datasets.read_table. For Parquet files, pass the name of the target column as y to fit, or "
            "predict with priorcase.batches."
        )
    if hasattr(X, "__array__") or np.isscalar(X):
        return _open_array(np.asarray(X))
    kind = type(X)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    raise UnsupportedDataError(
        f"X must be a pandas, Polars or PyArrow frame, a 2D NumPy array or a list of rows, "
        f"got {'None' if X is None else f'a {name}'}. Build a frame first, for example with pandas.DataFrame(X)."
    )


def _rows(X: Sequence[Any]) -> AnyArray:
    """Convert a list of rows to an object array; NumPy would convert numbers to strings if a row contains both."""
    if not X:  # even the number of columns is unknown
        raise SchemaError("Found array with 0 sample(s) (shape=(0,)) while a minimum of 1 is required.")
    try:
        rows = np.array(X, dtype=object)
    except ValueError:
        rows = None
    if rows is None or (rows.ndim == 1 and all(isinstance(row, (list, tuple, np.ndarray)) for row in X)):
        raise SchemaError("The rows of X have different lengths. Use None for missing values.")
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
    """Return the error for duplicate column names."""
    repeated = dict.fromkeys(name for name in names if names.count(name) > 1)
    return SchemaError(f"X has more than one column named {listed(repeated)}. Rename or drop the repeated columns.")


def backend_of(X: Any) -> Backend | None:
    """Return the name of the library of a frame, or None for arrays and lists."""
    if isinstance(X, np.ndarray) or not nw.dependencies.is_into_dataframe(X):
        return None
    return cast(Backend, nw.from_native(X, eager_only=True).implementation.value)


# -- rows after reading


class Table(TextResult):
    """Rows of a table that were read with a schema but are not yet encoded.

    The rows are stored in one of three forms. ``columns`` contains one column for each attribute. ``block`` is a matrix
    of numbers, shape (rows, attributes), for tables whose attributes are all numeric. ``row`` contains the values of a
    single row: a number or rank (NaN if missing), or a nominal value (None if missing), for each attribute.

    >>> Schema(None, (Numeric(), Nominal())).read([[31, "red"], [None, "blue"]])
    Table(rows=2, attributes=2)
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
        return f"Table(rows={self.rows}, attributes={len(self.schema)})"

    @property
    def columns(self) -> tuple[ReadColumn, ...]:
        """Columns in schema order."""
        if self._columns is None:
            if self.block is not None:
                self._columns = tuple(self.block.T)
            else:
                self._columns = tuple(map(_column_of, self.schema.kinds, cast(tuple[Value, ...], self._row)))
        return self._columns

    @property
    def row(self) -> tuple[Value, ...] | None:
        """Values of the row if the table has exactly one row, otherwise None."""
        if self._row is None and self.rows == 1:
            cells = (column.tolist()[0] for column in self.columns) if self.block is None else self.block[0].tolist()
            self._row = tuple(cells)
        return self._row

    def part(self, start: int, stop: int) -> Table:
        """Return a table with the rows from ``start`` up to, but not including, ``stop``."""
        rows = slice(start, min(stop, self.rows))
        n = max(rows.stop - start, 0)
        if self.block is not None:
            return Table(self.schema, n, block=self.block[rows])
        return Table(self.schema, n, tuple(column[rows] for column in self.columns))


def _column_of(kind: Kind, value: Value) -> ReadColumn:
    if not isinstance(kind, Nominal):
        return np.array([value], np.float64)
    return Coded(np.array([-1], np.int8), ()) if value is None else Coded(np.zeros(1, np.int8), (value,))


# -- single rows, read without columns: for single queries and streams

# Kinds of the NumPy dtypes of frame columns whose values can be read without converting the column.
_PLAIN = "fiubOUT"
# Content of values of plain types; other types are read as columns.
_CONTENTS: dict[type, Content] = {str: "text", bool: "booleans", **dict.fromkeys((int, float, np.float64), "numbers")}
_UNCLEAR = object()


def _read_block(X: AnyArray, labels: Sequence[Name]) -> FloatArray:
    """Convert an array to float64; raise an error for infinite numbers and integers that float64 cannot represent."""
    block = X
    if X.dtype != np.float64:
        with np.errstate(over="ignore"):  # a longdouble beyond float64 becomes infinite and raises an error
            block = X.astype(np.float64)
    if X.dtype.kind == "f":
        if (found := np.isinf(block)).any():
            raise infinite(labels[int(found.any(axis=0).argmax())])
    elif np.abs(block).max(initial=0.0) >= EXACT:
        for a, label in enumerate(labels):
            check_exact(X[:, a].__getitem__, block[:, a], label)
    return block


def read_one_row(schema: Schema, X: Any) -> Table | None:
    """Read a table with a single row of plain values without creating columns; return None for any other input."""
    row = _single_row(schema, X)
    if row is None or len(row) != len(schema):
        return None
    cells = tuple(map(_cell, schema.kinds, row))
    return None if _UNCLEAR in cells else Table(schema, 1, row=cells)


def _single_row(schema: Schema, X: Any) -> Sequence[Any] | None:
    if type(X) is np.ndarray:
        return X[0].tolist() if X.ndim == 2 and len(X) == 1 and X.dtype.kind in "OfiubU" else None
    if type(X) is list:
        return X[0] if len(X) == 1 and type(X[0]) in (list, tuple) else None
    pandas = sys.modules.get("pandas")  # None also if its import is blocked
    if pandas is None or type(X) is not pandas.DataFrame:
        return None
    if len(X) != 1 or schema.names is None or tuple(X.columns) != schema.names:
        return None
    for kind, dtype in zip(schema.kinds, X.dtypes.tolist(), strict=True):
        known = dtype.kind in _PLAIN if isinstance(dtype, np.dtype) else isinstance(dtype, pandas.StringDtype)
        if not known:
            categories = getattr(dtype, "categories", None)
            if isinstance(kind, Numeric) or categories is None or categories.dtype.kind not in "OUT":
                return None
    row: list[Any] = X.to_numpy(dtype=object)[0].tolist()
    return row


def _cell(kind: Kind, value: Any) -> Any:
    """Convert a value to a number, rank or nominal value, or return ``_UNCLEAR`` if it must be read as a column."""
    content = _CONTENTS.get(type(value))
    missing = value is None or (content == "numbers" and value != value)
    if isinstance(kind, Numeric):
        if missing:
            return nan
        if isinstance(kind, Date):
            return _UNCLEAR if content == "numbers" or (seconds := seconds_of(value)) is None else seconds
        if content == "numbers":
            clear = isfinite(value) if type(value) is not int else -(2**53) < value < 2**53
            return float(value) if clear else _UNCLEAR
        return float(value) if content == "booleans" else _UNCLEAR
    if type(kind) is Ordinal:
        if missing:
            return nan
        ranks = _text_ranks(kind) if content == "text" else None
        return _UNCLEAR if ranks is None else ranks.get(value, -1.0)
    if missing:
        return None
    if isinstance(kind, Set):
        return _UNCLEAR
    if content is None or kind.content not in (content, "any", "nothing"):
        return _UNCLEAR
    if content != "numbers":
        return value
    return plain(value) if type(value) is int or isfinite(value) else _UNCLEAR


@lru_cache(maxsize=256)
def _text_ranks(kind: Ordinal) -> dict[Value, float] | None:
    """Return the rank of each level, or None if the levels are all numbers, all booleans or all dates."""
    if kind.content not in ("text", "any"):
        return None
    return {level: float(rank) for rank, level in enumerate(kind.order)}
