"""Tables from CSV files, with nothing but the standard library.

A file is read in two steps, so that new cases are understood exactly as the stored ones were: :func:`read_text` gives
fields as text, :meth:`TextTable.kinds` decides what each column means, and :meth:`TextTable.typed` applies that
decision to this file or to another one.
"""

from __future__ import annotations

import csv
import gzip
import io
import math
import os
import sys
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TypeAlias

import numpy as np

from priorcase.datasets.columns import NamedColumns
from priorcase.exceptions import ReadingError
from priorcase.schema import Kind, Nominal, Numeric, Ordinal
from priorcase.typing import AnyArray

__all__ = ["MISSING", "TextTable", "parse_number", "read_text"]

Field: TypeAlias = str | None

MISSING = ("?", "NA", "NaN", "nan", "null", "NULL")
"""Fields read as missing unless told otherwise; an empty field always is."""

_GZIP_MAGIC = b"\x1f\x8b"


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
        The line of the file on which each row begins (the header is line 1).
    """

    source: str
    names: tuple[str, ...]
    columns: tuple[tuple[Field, ...], ...]
    lines: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.lines)

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def column(self, name: str) -> tuple[Field, ...]:
        """The fields of one column."""
        self.require([name])
        return self.columns[self.names.index(name)]

    def require(self, names: Collection[str]) -> None:
        """Raise if the header lacks one of ``names``."""
        for name in names:
            if name not in self.names:
                raise ReadingError.no_column(self.source, name, self.names)

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
        """What each column means: numeric if every known field is a finite number, else nominal, unless declared here.

        Parameters
        ----------
        numeric, nominal
            Names of columns declared numeric or nominal.
        ordinal
            The levels of each ordinal column, lowest first.

        Examples
        --------
        >>> import io
        >>> table = read_text(io.BytesIO(b"age,size,job\\n7,S,brakes\\n?,L,wheel\\n"))
        >>> table.kinds(ordinal={"size": ("S", "M", "L")})
        {'age': Numeric(), 'size': Ordinal(order=('S', 'M', 'L')), 'job': Nominal()}
        """
        ordinal = ordinal or {}
        declared = [*numeric, *nominal, *ordinal]
        self.require(declared)
        for name in declared:
            if declared.count(name) > 1:
                raise ReadingError.declared_twice(self.source, name)
        kinds: dict[str, Kind] = {}
        for name, fields in zip(self.names, self.columns, strict=True):
            if name in ordinal:
                kinds[name] = Ordinal(tuple(ordinal[name]))
            elif name in numeric or (name not in nominal and _all_numbers(fields)):
                kinds[name] = Numeric()
            else:
                kinds[name] = Nominal()
        return kinds

    def values(self, name: str, kind: Kind) -> AnyArray:
        """One column read as a kind: floats with NaN for a numeric one, objects with None otherwise.

        A field of a numeric column that is no finite number is an error that names its line.
        """
        fields = self.column(name)
        if not isinstance(kind, Numeric):
            return np.array(fields, dtype=object)
        numbers = np.full(len(fields), np.nan)
        for row, field in enumerate(fields):
            if field is not None:
                number = parse_number(field)
                if number is None:
                    raise ReadingError.not_a_number(self.source, self.lines[row], name, field)
                numbers[row] = number
        return numbers

    def typed(self, kinds: Mapping[str, Kind]) -> NamedColumns:
        """The columns named in ``kinds``, in that order, each read as its kind."""
        self.require(kinds)
        return NamedColumns.of({name: self.values(name, kind) for name, kind in kinds.items()}, kinds)

    def doubtful(self, kinds: Mapping[str, Kind]) -> Iterator[tuple[str, str, int]]:
        """Columns taken for nominal though most fields are numbers: the name, the first other field and its line."""
        for name, fields in zip(self.names, self.columns, strict=True):
            if not isinstance(kinds.get(name), Nominal):
                continue
            known = [(field, line) for field, line in zip(fields, self.lines, strict=True) if field is not None]
            odd = [(field, line) for field, line in known if parse_number(field) is None]
            if odd and 2 * len(odd) < len(known):
                yield name, *odd[0]


def read_text(
    source: str | os.PathLike[str] | IO[bytes],
    *,
    missing: Collection[str] = MISSING,
    delimiter: str = ",",
    encoding: str = "utf-8",
    name: str | None = None,
) -> TextTable:
    """The fields of a CSV file with a header row, as text.

    Spaces around a field do not count, blank lines are passed over, and a gzipped file is unpacked whatever its name.

    Parameters
    ----------
    source
        A path or an open binary file.
    missing
        The fields read as missing, besides the empty one.
    delimiter
        The character between fields.
    encoding
        How characters are stored; a byte-order mark is accepted.
    name
        How messages call the file; its path if None.

    Raises
    ------
    ReadingError
        The file is empty, is no text in this encoding, has rows of unequal length, or a column without its own name.
    OSError
        The file cannot be opened.

    Examples
    --------
    >>> import io
    >>> table = read_text(io.BytesIO(b"age,size\\n7,S\\n?,L\\n"))
    >>> table.names, table.column("age")
    (('age', 'size'), ('7', None))
    """
    if isinstance(source, str | os.PathLike):
        name, content = name or os.fspath(source), Path(source).read_bytes()
    else:
        name, content = name or str(getattr(source, "name", "the table")), source.read()
    text = _decode(_unpack(content, name), encoding, name)
    header, rows, lines = _split(text, delimiter, name)
    _check_names(header, name)
    gaps = {"", *missing}
    columns = zip(*rows, strict=True) if rows else iter([()] * len(header))
    known = tuple(tuple(None if field in gaps else sys.intern(field) for field in column) for column in columns)
    return TextTable(name, tuple(header), known, tuple(lines))


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
    return all(field is None or parse_number(field) is not None for field in fields)


def _unpack(content: bytes, name: str) -> bytes:
    if not content.startswith(_GZIP_MAGIC):
        return content
    try:
        return gzip.decompress(content)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ReadingError.damaged(name) from error


def _decode(content: bytes, encoding: str, name: str) -> str:
    try:
        text = content.decode("utf-8-sig" if encoding.lower() in {"utf-8", "utf8"} else encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ReadingError.not_text(name, encoding, line) from error
    except LookupError as error:
        raise ReadingError.unknown_encoding(encoding) from error
    if "\0" in text:
        raise ReadingError.not_text(name, encoding, text.count("\n", 0, text.index("\0")) + 1)
    return text


def _split(text: str, delimiter: str, name: str) -> tuple[list[str], list[list[str]], list[int]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True)
    header: list[str] = []
    rows: list[list[str]] = []
    lines: list[int] = []
    line = 1
    try:
        for record in reader:
            fields = [field.strip() for field in record]
            if not header:
                header = fields
            elif fields:
                if len(fields) != len(header):
                    raise ReadingError.field_count(name, line, len(fields), len(header))
                rows.append(fields)
                lines.append(line)
            line = reader.line_num + 1
    except csv.Error as error:
        raise ReadingError.not_csv(name, line, str(error)) from error
    if not header:
        raise ReadingError.empty(name)
    return header, rows, lines


def _check_names(header: Sequence[str], source: str) -> None:
    seen: set[str] = set()
    for position, name in enumerate(header, start=1):
        if not name:
            raise ReadingError.unnamed(source, position)
        if name in seen:
            raise ReadingError.duplicate_name(source, name)
        seen.add(name)
