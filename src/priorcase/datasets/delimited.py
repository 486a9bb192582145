"""Tables from CSV and TSV files, with nothing but the standard library.

A file is read in two steps, so that new cases are understood exactly as the stored ones were: :func:`read_text` gives
fields as text, :meth:`TextTable.kinds` decides what each column means, and :meth:`TextTable.typed` applies that
decision to this file or to another one.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Sequence

from priorcase.datasets.contents import Readable, contents, decoded
from priorcase.datasets.errors import field_count, not_csv
from priorcase.datasets.text_table import MISSING, Field, TextTable
from priorcase.exceptions import ReadingError

__all__ = ["check_names", "read_delimited", "read_text"]


def read_text(
    source: Readable,
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
    name, content = contents(source, name)
    return read_delimited(decoded(content, name, encoding), name, missing=missing, delimiter=delimiter)


def read_delimited(text: str, name: str, *, missing: Collection[str] = MISSING, delimiter: str = ",") -> TextTable:
    """The fields of a text with a header line."""
    header, rows, lines = _split(text, delimiter, name, _Known({"", *missing}))
    check_names(header, name)
    columns = zip(*rows, strict=True) if rows else iter([()] * len(header))
    return TextTable(name, tuple(header), tuple(columns), tuple(lines))


def check_names(header: Sequence[str], source: str) -> None:
    """Raise unless every column has a name of its own."""
    seen: set[str] = set()
    for position, name in enumerate(header, start=1):
        if not name:
            raise ReadingError(
                f"{source} has no name for column {position} in its header; expected a name for every column. Name it; "
                "a table saved with its row numbers has such a column in front."
            )
        if name in seen:
            raise ReadingError(
                f"{source} names column {name!r} twice in its header; expected different names. Rename one of the "
                "columns."
            )
        seen.add(name)


class _Known(dict[str, Field]):
    """Fields without the spaces around them, None for gaps; equal ones are one object, which keeps big tables small."""

    def __init__(self, gaps: Collection[str]) -> None:
        super().__init__()
        self.gaps = gaps
        self.once: dict[str, str] = {}

    def __missing__(self, field: str) -> Field:
        bare = field.strip()
        known = self[field] = None if bare in self.gaps else self.once.setdefault(bare, bare)
        return known


def _split(text: str, delimiter: str, name: str, known: _Known) -> tuple[list[str], list[list[Field]], list[int]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True)
    header: list[str] = []
    rows: list[list[Field]] = []
    lines: list[int] = []
    line, field_of = 1, known.__getitem__
    try:
        for record in reader:
            if not header:
                header = [field.strip() for field in record]
            elif record:
                if len(record) != len(header):
                    raise field_count(name, line, len(record), len(header))
                rows.append([*map(field_of, record)])
                lines.append(line)
            line = reader.line_num + 1
    except csv.Error as error:
        raise not_csv(name, line, str(error)) from error
    if not header:
        raise ReadingError(f"{name} is empty; expected a header row and one row for each case. Is this the right file?")
    return header, rows, lines
