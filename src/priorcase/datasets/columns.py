"""Tables as named columns: of values, which estimators take, and of text, as they stand in a file."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, get_args, overload

import narwhals.stable.v2 as nw
import numpy as np

from priorcase._parameters import check_choice
from priorcase._typing import AnyArray, IntArray
from priorcase.exceptions import ReadingError, UnknownNameError, advice, listed, nearest, prefix_errors, quoted, visible
from priorcase.schema import Coded, Kind, Nominal, Numeric, Ordinal
from priorcase.schema.columns import ArrayColumn, Column, ObjectColumn
from priorcase.schema.schema import Source, open_source

Backend: TypeAlias = Literal["pandas", "polars", "pyarrow"]
Field: TypeAlias = str | None

MISSING = ("?", "NA", "NaN", "nan", "null", "NULL")
"""Fields of a CSV file read as missing by default; an empty field always is."""

_SHOWN = 8
_MANY = 20  # names that a message lists where none is similar to the one that was asked for
_INDEX = re.compile(r"__index_level_\d+__")
_EXACT = 2.0**53

# -- columns of values


@dataclass(frozen=True, eq=False, repr=False)
class NamedColumns(Source):
    """A table with names and kinds, which every estimator takes as X without pandas, Polars or PyArrow.

    ``data`` has the columns by name, numeric ones as floats with NaN, others as objects with None where missing;
    ``kinds`` says what each column means.

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
        """A table of the columns that are named in ``kinds``, in that order."""
        arrays = {name: _array(data[name], kind) for name, kind in kinds.items()}
        columns = tuple(_column(arrays[name], kind) for name, kind in kinds.items())
        rows = len(next(iter(arrays.values()), ()))
        return cls(tuple(kinds), columns, rows, arrays, dict(kinds))

    def __len__(self) -> int:
        return self.rows

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns, which scikit-learn's estimators look for."""
        return self.rows, len(self.kinds)

    @overload
    def __getitem__(self, wanted: str) -> AnyArray: ...
    @overload
    def __getitem__(self, wanted: slice) -> NamedColumns: ...
    def __getitem__(self, wanted: str | slice) -> AnyArray | NamedColumns:
        """The column of a name, or some of the rows."""
        if isinstance(wanted, slice):
            return self.take(wanted)
        if wanted not in self.data:
            remedy = advice(wanted, self.data, otherwise="list(table) gives all names.")
            raise UnknownNameError(f"There is no column {quoted(wanted)}; there are {listed(self.data)}. {remedy}")
        return self.data[wanted]

    def __iter__(self) -> Iterator[str]:
        return iter(self.data)

    def take(self, rows: slice | IntArray) -> NamedColumns:
        """Some of the rows."""
        return NamedColumns.of({name: column[rows] for name, column in self.data.items()}, self.kinds)

    def tuples(self) -> list[tuple[Any, ...]]:
        """The rows, None for missing."""
        return list(zip(*map(_plain, self.data.values()), strict=True))

    @prefix_errors
    def frame(self, backend: Backend | None = None) -> Any:
        """The table as a frame of ``"pandas"``, with ordered categories, ``"polars"`` or ``"pyarrow"``."""
        backend = "pandas" if backend is None else backend
        check_backend(backend, "backend")
        if backend == "pandas":
            return self._pandas()
        plain = {name: _plain(column) for name, column in self.data.items()}
        return nw.from_dict(plain, backend=backend).to_native()

    def __repr__(self) -> str:
        columns = [[visible(name), *map(_text, self.data[name][:_SHOWN])] for name in self.data]
        widths = [max(map(len, column)) for column in columns]
        lines = [f"NamedColumns: {self.rows} row{'s' * (self.rows != 1)}"]
        for row in zip(*columns, strict=True):
            lines.append("   " + "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)))
        if self.rows > _SHOWN:
            lines.append(f"   ... and {self.rows - _SHOWN} more")
        return "\n".join(lines)

    def _pandas(self) -> Any:
        import pandas as pd

        frame = pd.DataFrame(index=range(self.rows))
        for name, kind in self.kinds.items():
            column = self.data[name]
            if isinstance(kind, Ordinal):
                frame[name] = pd.Categorical(column.tolist(), categories=list(kind.order), ordered=True)
            elif isinstance(kind, Nominal) and set(map(type, column.tolist())) <= {bool, type(None)}:
                frame[name] = pd.array(column.tolist(), dtype="boolean")
            else:
                frame[name] = pd.Series(column.tolist(), dtype="float64" if isinstance(kind, Numeric) else "str")
        return frame


def check_backend(value: object, parameter: str) -> None:
    """Raise unless a value names a frame library."""
    check_choice(parameter, value, get_args(Backend), hint="Convert one of these to a frame of another library.")


def _array(values: Any, kind: Kind) -> AnyArray:
    if isinstance(kind, Numeric):
        return np.asarray(values, dtype=np.float64)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _column(array: AnyArray, kind: Kind) -> Column:
    if isinstance(kind, Numeric):
        return ArrayColumn(array)
    declared = kind.order if isinstance(kind, Ordinal) else kind.values
    if declared is None:
        return ObjectColumn(array.tolist())
    # Only a table of queries can hold a value that is not declared; it is unseen there.
    values = dict.fromkeys([*declared, *(value for value in array.tolist() if value is not None)])
    codes = {None: -1, **{value: code for code, value in enumerate(values)}}
    numbers = np.array([codes[value] for value in array.tolist()], np.int32)
    return Coded(numbers, tuple(values), ordered=isinstance(kind, Ordinal), closed=isinstance(kind, Nominal))


def _plain(column: AnyArray) -> list[Any]:
    return [None if isinstance(value, float) and math.isnan(value) else value for value in column.tolist()]


def _text(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "?"
    return f"{value:g}" if isinstance(value, float) else visible(str(value))


# -- columns of text


@dataclass(frozen=True)
class TextTable:
    """Named columns of text, as they stand in a file; None is missing.

    Attributes
    ----------
    source
        The name of the file in messages.
    names, columns
        The header row, and one tuple of fields for each name.
    lines
        The line of the file on which each row begins, or its number from 1 where the file has no lines (``counted``).
    declared
        The kinds that the file itself gives to columns, as ARFF, C4.5 and Parquet files do.
    target
        The column that the file, or its reader, calls the target; None if neither does.

    Examples
    --------
    >>> import io
    >>> from priorcase.datasets import read_text
    >>> table = read_text(io.BytesIO(b"age,size,job\\n7,S,brakes\\n?,L,wheel\\n"), name="visits.csv")
    >>> table
    visits.csv: 2 rows
       age   numeric  1 missing
       size  nominal
       job   nominal
    >>> X, y = table.split("job")
    >>> y
    array(['brakes', 'wheel'], dtype=object)
    """

    source: str
    names: tuple[str, ...]
    columns: tuple[tuple[Field, ...], ...]
    lines: Sequence[int]
    declared: Mapping[str, Kind] = field(default_factory=dict)
    target: str | None = None
    counted: Literal["line", "row"] = "line"

    def __len__(self) -> int:
        return len(self.lines)

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def __repr__(self) -> str:
        kinds, counts = self.kinds(), [column.count(None) for column in self.columns]
        words = [kinds[name].describe() for name in self.names]
        shown = {name: visible(name) for name in self.names}
        wide, deep = max(map(len, shown.values()), default=0), max(map(len, words), default=0)
        lines = [f"{visible(self.source)}: {len(self)} row{'s' * (len(self) != 1)}"]
        for name, word, missing in zip(self.names, words, counts, strict=True):
            notes = ", ".join([f"{missing} missing"] * bool(missing) + ["target"] * (name == self.target))
            lines.append(f"   {shown[name].ljust(wide)}  {word.ljust(deep)}  {notes}".rstrip())
        return "\n".join(lines)

    def column(self, name: str) -> tuple[Field, ...]:
        """The fields of one column."""
        self.require([name])
        return self.columns[self.names.index(name)]

    def where(self, row: int) -> str:
        """The place of a row in messages: its line, or its number where the file has no lines."""
        return f"{self.counted} {self.lines[row]}"

    def require(self, names: Collection[str]) -> None:
        """Raise if the header lacks one of ``names``."""
        for name in names:
            check_column(self.source, name, self.names)

    def without(self, names: Collection[str]) -> TextTable:
        """The table without some of its columns; names it does not have are ignored."""
        kept = [i for i, name in enumerate(self.names) if name not in names]
        return replace(self, names=tuple(self.names[i] for i in kept), columns=tuple(self.columns[i] for i in kept))

    def kinds(
        self,
        *,
        numeric: Collection[str] = (),
        nominal: Collection[str] = (),
        ordinal: Mapping[str, Sequence[str]] | None = None,
    ) -> dict[str, Kind]:
        """What each column means: as declared here, else as the file declares it, else by its fields.

        By its fields a column is numeric if every known one is a finite number, else nominal. ``numeric`` and
        ``nominal`` name columns, ``ordinal`` gives the levels of each ordinal column, lowest first.

        Examples
        --------
        >>> import io
        >>> from priorcase.datasets import read_text
        >>> table = read_text(io.BytesIO(b"age,size,job\\n7,S,brakes\\n?,L,wheel\\n"))
        >>> table.kinds(ordinal={"size": ("S", "M", "L")})
        {'age': Numeric(), 'size': Ordinal(order=('S', 'M', 'L')), 'job': Nominal()}
        """
        ordinal = ordinal or {}
        told = [*numeric, *nominal, *ordinal]
        self.require(told)
        for name in told:
            if told.count(name) > 1:
                raise ReadingError(
                    f"{self.source}: column {name!r} is declared more than once. Declare one kind for it."
                )
        kinds: dict[str, Kind] = {}
        for name, fields in zip(self.names, self.columns, strict=True):
            known = self.declared.get(name)
            if name in ordinal:
                kinds[name] = Ordinal(tuple(ordinal[name]))
            elif name in numeric:
                kinds[name] = Numeric()
            elif name in nominal:
                kinds[name] = known if isinstance(known, Nominal) else Nominal()
            else:
                numbers = all(field is None or parse_number(field) is not None for field in dict.fromkeys(fields))
                kinds[name] = known or (Numeric() if numbers else Nominal())
        return kinds

    def values(self, name: str, kind: Kind) -> AnyArray:
        """One column read as a kind: floats with NaN for a numeric one, objects with None otherwise."""
        fields = self.column(name)
        if not isinstance(kind, Numeric):
            return np.array(fields, dtype=object)
        # Columns repeat themselves: each different field is parsed once.
        numbers = {known: math.nan if known is None else parse_number(known) for known in set(fields)}
        if any(number is None for number in numbers.values()):
            row = next(row for row, known in enumerate(fields) if numbers[known] is None)
            raise ReadingError(
                f"{self.source} {self.where(row)}, column {name!r} holds {str(fields[row])!r}; expected a finite "
                "number. Correct the field, leave it empty if it is unknown, or declare the column nominal."
            )
        return np.fromiter(map(numbers.__getitem__, fields), np.float64, len(fields))

    def typed(self, kinds: Mapping[str, Kind]) -> NamedColumns:
        """The columns named in ``kinds``, in that order, each read as its kind."""
        self.require(kinds)
        return NamedColumns.of({name: self.values(name, kind) for name, kind in kinds.items()}, kinds)

    def check_levels(self, kinds: Mapping[str, Kind]) -> None:
        """Raise if a column holds something other than the levels or values declared for it."""
        for name, kind in kinds.items():
            allowed = kind.order if isinstance(kind, Ordinal) else kind.values if isinstance(kind, Nominal) else None
            fields = self.column(name)
            if allowed is not None and not {*fields} <= (known := {None, *allowed}):
                row = next(row for row, text in enumerate(fields) if text not in known)
                remedy = "Correct the field, or add the level where it belongs in the order."
                raise ReadingError(
                    f"{self.source} {self.where(row)}, column {name!r} holds {fields[row]!r}; expected one of "
                    f"{listed(allowed)}. {advice(fields[row], allowed, otherwise=remedy)}"
                )

    def require_targets(self, target: str) -> None:
        """Raise if a row has no value in the target column."""
        fields = self.column(target)
        if None in fields:
            raise ReadingError(
                f"{self.source} {self.where(fields.index(None))} has no value in the target column {target!r}; "
                "expected one in every past case. Remove the row, or move it to the table of new cases."
            )

    def require_attributes(self, kinds: Collection[str], target: str) -> None:
        """Raise if no column is left beside the target."""
        if not kinds:
            raise ReadingError(
                f"{self.source} has no column to compare cases by, beside the target {target!r} and ignored ones. Add "
                "columns, ignore fewer, or name the right delimiter."
            )

    def split(
        self,
        target: str | None = None,
        *,
        ignore: Collection[str] = (),
        numeric: Collection[str] = (),
        nominal: Collection[str] = (),
        ordinal: Mapping[str, Sequence[str]] | None = None,
    ) -> tuple[NamedColumns, AnyArray]:
        """The attributes and the target, as estimators take them.

        Parameters
        ----------
        target
            The column to predict; None for the one that the file names, else the last.
        ignore
            Columns to leave out, such as ids.
        numeric, nominal, ordinal
            See :meth:`kinds`.
        """
        target = target or self.target or self.names[-1]
        self.require([target, *ignore])
        kinds = self.kinds(numeric=numeric, nominal=nominal, ordinal=ordinal)
        self.require_targets(target)
        y = self.values(target, kinds.pop(target))
        kinds = {name: kind for name, kind in kinds.items() if name not in ignore}
        self.require_attributes(kinds, target)
        self.check_levels(kinds)
        return self.typed(kinds), y

    def doubtful(self, kinds: Mapping[str, Kind]) -> Iterator[tuple[str, str, int]]:
        """Columns read as nominal though most fields are numbers: the name, the first other field and its line."""
        for name, fields in zip(self.names, self.columns, strict=True):
            if isinstance(kinds.get(name), Nominal) and name not in self.declared:
                odd = {known for known in set(fields) if known is not None and parse_number(known) is None}
                rows = [row for row, known in enumerate(fields) if known in odd]
                if rows and 2 * len(rows) < len(fields) - fields.count(None):
                    yield name, str(fields[rows[0]]), self.lines[rows[0]]


def text_of(frame: Any, source: str, *, missing: Collection[str] = ()) -> TextTable:
    """The values of any table as text with the kinds of its types; the unnamed index of pandas is left out."""
    opened = open_source(frame)
    kept = [i for i in range(len(opened.columns)) if _INDEX.fullmatch(str(opened.label(i))) is None]
    names = tuple(str(opened.label(i)) for i in kept)
    check_names(names, source)
    kinds, columns = {}, []
    for name, i in zip(names, kept, strict=True):
        kinds[name], fields = _as_text(opened.columns[i])
        columns.append(tuple(None if field in missing else field for field in fields))
    return TextTable(source, names, tuple(columns), range(1, opened.rows + 1), kinds, counted="row")


def _as_text(column: Column) -> tuple[Kind, Sequence[Field]]:
    """The kind of a column with its values as text, and its fields."""
    kind = column.kind()
    if isinstance(kind, Numeric):
        return kind, [_shortest(number) for number in column.numbers().tolist()]
    if isinstance(kind, Ordinal):
        kind = Ordinal(tuple(map(str, kind.order)))
    elif kind.values is not None:
        kind = Nominal(tuple(map(str, kind.values)))
    coded = column.coded()
    words = [*map(str, coded.values), None]
    return kind, [words[code] for code in coded.codes.tolist()]


def _shortest(number: float) -> Field:
    """The shortest text that is read back as the same number; None for NaN."""
    if math.isnan(number):
        return None
    return str(int(number)) if number.is_integer() and abs(number) < _EXACT else repr(number)


def parse_number(field: str) -> float | None:
    """The finite number a field spells, or None."""
    if "_" in field:  # only Python spells 1000 so
        return None
    try:
        number = float(field)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def check_names(header: Sequence[str], source: str) -> None:
    """Raise unless every column has a name of its own."""
    for position, name in enumerate(header):
        if not name:
            raise ReadingError(
                f"{source} has no name for column {position + 1} in its header; expected a name for every column. "
                "Name it; a table saved with its row numbers has such a column in front."
            )
    for name, times in Counter(header).items():
        if times > 1:
            raise ReadingError(f"{source} names column {name!r} twice in its header. Rename one of the columns.")


def check_column(source: str, name: str, names: Sequence[str]) -> None:
    """Raise if a table does not have a column."""
    if name in names:
        return
    shown = listed(names) if nearest(name, names) else listed(names, limit=_MANY)
    mark = next((mark for mark in ";\t|" if len(names) == 1 and mark in names[0]), None)
    remedy = advice(name, names, otherwise="Column names are compared letter by letter.")
    if mark is not None:
        remedy = f"Name the delimiter {mark!r} if that is what stands between fields (delimiter=, --read delimiter=)."
    raise ReadingError(f"{source} has no column {name!r}; it has {shown}. {remedy}")
