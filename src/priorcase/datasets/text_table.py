"""Named columns of text, as they stand in a file, and what they mean."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import numpy as np

from priorcase._typing import AnyArray
from priorcase.datasets.columns import NamedColumns
from priorcase.datasets.errors import no_attributes, no_column, no_target
from priorcase.exceptions import ReadingError, advice, listed
from priorcase.schema import Kind, Nominal, Numeric, Ordinal

__all__ = ["MISSING", "Field", "TextTable", "parse_number"]

Field: TypeAlias = str | None

MISSING = ("?", "NA", "NaN", "nan", "null", "NULL")
"""Fields of a CSV file read as missing unless told otherwise; an empty field always is."""


@dataclass(frozen=True)
class TextTable:
    """Named columns of text, as they stand in a file.

    Attributes
    ----------
    source
        How messages call the file.
    names
        The header row.
    columns
        One tuple of fields for each name; None is a missing entry.
    lines
        The line of the file on which each row begins, or its number from 1 where the file has no lines.
    declared
        The kinds that the file itself gives to columns, as ARFF, C4.5 and Parquet files do.
    target
        The column that the file, or its reader, calls the target; None where nobody did.
    counted
        What ``lines`` are numbers of.

    Examples
    --------
    >>> import io
    >>> from priorcase.datasets import read_text
    >>> table = read_text(io.BytesIO(b"age,size,job\\n7,S,brakes\\n?,L,wheel\\n"), name="visits.csv")
    >>> table
    visits.csv: 2 rows
       age   numeric  1 gap
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
        kinds, gaps = self.kinds(), [column.count(None) for column in self.columns]
        words = [kinds[name].describe() for name in self.names]
        wide, deep = max(map(len, self.names), default=0), max(map(len, words), default=0)
        lines = [f"{self.source}: {len(self)} row{'s' * (len(self) != 1)}"]
        for name, word, missing in zip(self.names, words, gaps, strict=True):
            told = f"{missing} gap{'s' * (missing != 1)}" if missing else ""
            told += f"{', ' * bool(told)}target" if name == self.target else ""
            lines.append(f"   {name.ljust(wide)}  {word.ljust(deep)}  {told}".rstrip())
        return "\n".join(lines)

    def column(self, name: str) -> tuple[Field, ...]:
        """The fields of one column."""
        self.require([name])
        return self.columns[self.names.index(name)]

    def where(self, row: int) -> str:
        """How messages call a row: by its line, or by its number where the file has no lines."""
        return f"{self.counted} {self.lines[row]}"

    def require(self, names: Collection[str]) -> None:
        """Raise if the header lacks one of ``names``."""
        for name in names:
            if name not in self.names:
                raise no_column(self.source, name, self.names)

    def without(self, names: Collection[str]) -> TextTable:
        """The table less some of its columns; names it does not have are passed over."""
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

        By its fields a column is numeric if every known one is a finite number, else nominal.

        Parameters
        ----------
        numeric, nominal
            Names of columns declared numeric or nominal.
        ordinal
            The levels of each ordinal column, lowest first.

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
                    f"{self.source}: column {name!r} is declared more than once. Declare it numeric, nominal or "
                    "ordinal, once."
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
                kinds[name] = known or (Numeric() if _all_numbers(fields) else Nominal())
        return kinds

    def values(self, name: str, kind: Kind) -> AnyArray:
        """One column read as a kind: floats with NaN for a numeric one, objects with None otherwise.

        A field of a numeric column that is no finite number is an error that names its line.
        """
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
        """Raise if a column holds something beside the levels of its order, or the values declared for it."""
        for name, kind in kinds.items():
            allowed = kind.order if isinstance(kind, Ordinal) else kind.values if isinstance(kind, Nominal) else None
            fields = self.column(name)
            if allowed is not None and not {*fields} <= (known := {None, *allowed}):
                row = next(row for row, text in enumerate(fields) if text not in known)
                field = str(fields[row])
                remedy = advice(
                    field, allowed, otherwise="Correct the field, or add the level where it belongs in the order."
                )
                raise ReadingError(
                    f"{self.source} {self.where(row)}, column {name!r} holds {field!r}; expected one of "
                    f"{listed(allowed)}. {remedy}"
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
            Columns that are neither, ids for example.
        numeric, nominal, ordinal
            As for :meth:`kinds`.
        """
        target = target or self.target or self.names[-1]
        self.require([target, *ignore])
        kinds = self.kinds(numeric=numeric, nominal=nominal, ordinal=ordinal)
        fields = self.column(target)
        if None in fields:
            raise no_target(self.source, self.where(fields.index(None)), target)
        y = self.values(target, kinds.pop(target))
        kinds = {name: kind for name, kind in kinds.items() if name not in ignore}
        if not kinds:
            raise no_attributes(self.source, target)
        self.check_levels(kinds)
        return self.typed(kinds), y

    def doubtful(self, kinds: Mapping[str, Kind]) -> Iterator[tuple[str, str, int]]:
        """Columns taken for nominal though most fields are numbers: the name, the first other field and its line."""
        for name, fields in zip(self.names, self.columns, strict=True):
            if isinstance(kinds.get(name), Nominal) and name not in self.declared:
                odd = {known for known in set(fields) if known is not None and parse_number(known) is None}
                rows = [row for row, known in enumerate(fields) if known in odd]
                if rows and 2 * len(rows) < len(fields) - fields.count(None):
                    yield name, str(fields[rows[0]]), self.lines[rows[0]]


def parse_number(field: str) -> float | None:
    """The finite number a field spells, or None.

    Examples
    --------
    >>> parse_number("1e3"), parse_number("1_000"), parse_number("inf")
    (1000.0, None, None)
    """
    if "_" in field:  # Python's own spelling of 1000, nobody else's
        return None
    try:
        number = float(field)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _all_numbers(fields: Sequence[Field]) -> bool:
    return all(known is None or parse_number(known) is not None for known in dict.fromkeys(fields))
