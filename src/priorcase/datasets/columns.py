"""Tables of named columns with kinds; estimators accept these tables, and no frame library is needed."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args, overload

import narwhals.stable.v2 as nw
import numpy as np

from priorcase._grids import Grid, grids_html
from priorcase._numbers import number
from priorcase._parameters import check_choice
from priorcase._typing import AnyArray, IntArray
from priorcase.exceptions import (
    ParameterError,
    QueryIndexError,
    UnknownNameError,
    advice,
    listed,
    prefix_errors,
    quoted,
    visible,
)
from priorcase.schema import Coded, Date, Kind, Nominal, Numeric, Ordinal, Set, Taxonomy, Text
from priorcase.schema.columns import ArrayColumn, Column, ObjectColumn
from priorcase.schema.dates import date_of, seconds_of
from priorcase.schema.kinds import is_missing
from priorcase.schema.schema import Source

Backend: TypeAlias = Literal["pandas", "polars", "pyarrow"]

_SHOWN = 8


@dataclass(frozen=True, eq=False, repr=False)
class NamedColumns(Source):
    """A table with column names and kinds, which every estimator accepts; no frame library is needed.

    ``data`` maps names to columns. Numeric columns and dates are arrays of floats with NaN for missing values; dates
    are seconds since 1970. Other columns are arrays of objects with None for missing values. ``kinds`` maps names to
    the kinds of the columns.

    Examples
    --------
    >>> kinds = {"age": Numeric(), "size": Ordinal(("S", "L"))}
    >>> table = NamedColumns.of({"age": [7.0, None], "size": ["S", None]}, kinds)
    >>> table
    NamedColumns: 2 rows
       age  size
         7     S
         ?     ?
    >>> len(table), table["size"]
    (2, array(['S', None], dtype=object))
    >>> table[:1]
    NamedColumns: 1 row
       age  size
         7     S
    """

    data: dict[str, AnyArray]
    kinds: dict[str, Kind]

    @classmethod
    def of(cls, data: Mapping[str, Any], kinds: Mapping[str, Kind]) -> NamedColumns:
        """Create a table of the columns named in ``kinds``, in that order."""
        arrays = {name: _array(data[name], kind) for name, kind in kinds.items()}
        columns = tuple(_column(arrays[name], kind) for name, kind in kinds.items())
        rows = len(next(iter(arrays.values()), ()))
        return cls(tuple(kinds), columns, rows, arrays, dict(kinds))

    def __len__(self) -> int:
        return self.rows

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and number of columns."""
        return self.rows, len(self.kinds)

    @overload
    def __getitem__(self, wanted: str) -> AnyArray: ...
    @overload
    def __getitem__(self, wanted: slice | Sequence[int] | AnyArray) -> NamedColumns: ...
    def __getitem__(self, wanted: str | slice | Sequence[int] | AnyArray) -> AnyArray | NamedColumns:
        """Return the column with a given name, or the rows selected by a slice, by positions or by a mask."""
        if isinstance(wanted, slice):
            return self.take(wanted)
        if not isinstance(wanted, Hashable) or isinstance(wanted, tuple):
            return self.take(self._positions(wanted))
        if wanted not in self.data:
            remedy = advice(wanted, self.data, otherwise="list(table) lists all names.")
            known = listed(self.data)
            raise UnknownNameError(f"There is no column {quoted(wanted)}; the columns are {known}. {remedy}")
        return self.data[wanted]

    def __iter__(self) -> Iterator[str]:
        return iter(self.data)

    def _positions(self, wanted: Any) -> AnyArray:
        rows = np.asarray(wanted)
        rows = rows.astype(np.intp) if not rows.size and rows.dtype != bool else rows
        if rows.ndim != 1 or rows.dtype.kind not in "biu":
            raise ParameterError(
                f"expected the name of a column, or rows as a slice, integers or a mask, got {quoted(wanted)}. "
                "To select several columns, convert the table with frame()."
            )
        if rows.dtype == bool and rows.size != self.rows:
            raise ParameterError(
                f"the mask has {rows.size} entries, but the table has {self.rows} rows. Pass one entry for each row."
            )
        if rows.dtype != bool and rows.size and not -self.rows <= rows.min() <= rows.max() < self.rows:
            raise QueryIndexError(
                f"there is no row {rows[np.abs(rows).argmax()]}; there are {self.rows} rows, numbered from 0"
            )
        return rows

    def take(self, rows: slice | AnyArray) -> NamedColumns:
        """Return a table that contains only the given rows."""
        return NamedColumns.of({name: column[rows] for name, column in self.data.items()}, self.kinds)

    def shown(self, name: str, rows: slice | IntArray = slice(None)) -> list[Any]:
        """Return the values of a column; dates become date objects, and missing values become None."""
        kind = self.kinds[name]
        written = date_of if isinstance(kind, Date) else float if isinstance(kind, Numeric) else lambda value: value
        return [None if is_missing(value) else written(value) for value in self.data[name][rows].tolist()]

    def tuples(self) -> list[tuple[Any, ...]]:
        """Return the rows as tuples, with None for missing values."""
        return list(zip(*map(self.shown, self.kinds), strict=True))

    @prefix_errors
    def frame(self, backend: Backend | None = None) -> Any:
        """Convert the table to a ``"pandas"`` (the default), ``"polars"`` or ``"pyarrow"`` frame.

        In a pandas frame, ordinal columns are ordered categoricals.
        """
        backend = "pandas" if backend is None else backend
        check_backend(backend, "backend")
        if backend == "pandas":
            return self._pandas()
        plain = {name: self.shown(name) for name in self.kinds}
        return nw.from_dict(plain, backend=backend).to_native()

    def __repr__(self) -> str:
        columns = [[visible(name), *map(_text, self.shown(name, slice(_SHOWN)))] for name in self.data]
        widths = [max(map(len, column)) for column in columns]
        lines = [f"NamedColumns: {self.rows:,} row{'s' * (self.rows != 1)}"]
        for row in zip(*columns, strict=True):
            lines.append("   " + "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)))
        if self.rows > _SHOWN:
            lines.append(f"   ... and {self.rows - _SHOWN} more")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        columns = [list(map(_text, self.shown(name, slice(_SHOWN)))) for name in self.data]
        note = f"... and {self.rows - _SHOWN} more" if self.rows > _SHOWN else ""
        title = repr(self).partition("\n")[0]
        right = [a for a, kind in enumerate(self.kinds.values()) if isinstance(kind, Numeric)]
        return grids_html([Grid(title, list(self.data), list(zip(*columns, strict=True)), note, right)])

    def _pandas(self) -> Any:
        import pandas as pd

        frame = pd.DataFrame(index=range(self.rows))
        for name, kind in self.kinds.items():
            column = self.data[name]
            if isinstance(kind, Date):
                frame[name] = pd.to_datetime(pd.Series(column), unit="s").astype("datetime64[us]")
            elif isinstance(kind, Ordinal):
                frame[name] = pd.Categorical(column.tolist(), categories=list(kind.order), ordered=True)
            elif isinstance(kind, Set):
                frame[name] = pd.Series(column.tolist(), dtype=object)
            elif isinstance(kind, Nominal) and set(map(type, column.tolist())) <= {bool, type(None)}:
                frame[name] = pd.array(column.tolist(), dtype="boolean")
            else:
                frame[name] = pd.Series(column.tolist(), dtype="float64" if isinstance(kind, Numeric) else "str")
        return frame


def check_backend(value: object, parameter: str) -> None:
    """Raise an error if a value is not the name of a frame library."""
    check_choice(parameter, value, get_args(Backend), hint="To get a frame of another library, convert the result.")


def _array(values: Any, kind: Kind) -> AnyArray:
    if isinstance(kind, Date) and (not isinstance(values, np.ndarray) or values.dtype.kind == "O"):
        values = [value if isinstance(value, float) else seconds_of(value) for value in values]
    if isinstance(kind, Numeric):
        return np.asarray(values, dtype=np.float64)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _column(array: AnyArray, kind: Kind) -> Column:
    if isinstance(kind, Numeric):
        return ArrayColumn(array, None, None if type(kind) is Numeric else kind)
    if isinstance(kind, (Text, Set, Taxonomy)):
        return ObjectColumn(array.tolist(), kind)
    declared = kind.order if isinstance(kind, Ordinal) else kind.values
    if declared is None:
        return ObjectColumn(array.tolist())
    # Only a table of queries can contain an undeclared value, which is treated as unseen.
    values = dict.fromkeys([*declared, *(value for value in array.tolist() if value is not None)])
    codes = {None: -1, **{value: code for code, value in enumerate(values)}}
    numbers = np.array([codes[value] for value in array.tolist()], np.int32)
    return Coded(numbers, tuple(values), ordered=isinstance(kind, Ordinal), closed=isinstance(kind, Nominal))


def _text(value: Any) -> str:
    if value is None:
        return "?"
    if isinstance(value, frozenset):
        value = "{" + ", ".join(sorted(map(str, value))) + "}"
    return number(value) if isinstance(value, float) else visible(str(value))
