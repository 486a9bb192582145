"""Write CSV files that spreadsheets can open without running formulas.

An apostrophe is put before text that a spreadsheet would run as a formula. Numbers keep their signs. All CSV files for
users are written here: by the command line, the explorer, and the export of cases.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from typing import Any, Protocol

from priorcase.datasets.values import NUMBER

_FORMULA = re.compile(r"'*(?:[=@\t\r]|[+-](?!\Z))")  # with the apostrophes before it, so that `as_written` is exact


def inert(cell: Any) -> Any:
    """Put an apostrophe before a string that a spreadsheet would run as a formula; return other cells unchanged.

    >>> inert("=1+1"), inert("-5 dB"), inert(-5), inert("a=b"), inert("-1.516,34 €"), inert("+")
    ("'=1+1", "'-5 dB", -5, 'a=b', '-1.516,34 €', '+')
    """
    if not isinstance(cell, str) or not _FORMULA.match(cell):
        return cell
    return cell if NUMBER.match(cell) else f"'{cell}"


def as_written(cell: str) -> str:
    """Return the string from which `inert` made a cell.

    >>> as_written(inert("=1+1")), as_written(inert("'=1+1")), as_written("'quoted'")
    ('=1+1', "'=1+1", "'quoted'")
    """
    return cell[1:] if cell.startswith("'") and inert(cell[1:]) == cell else cell


def inert_column(column: Any) -> Any:
    """Apply `inert` to the strings of an Arrow array; return arrays of other types unchanged."""
    import pyarrow as pa

    if not pa.types.is_string(column.type):
        return column
    coded = column.dictionary_encode()
    safe = pa.array([inert(text) for text in coded.dictionary.to_pylist()], pa.string())
    return pa.DictionaryArray.from_arrays(coded.indices, safe).dictionary_decode()


class _TextFile(Protocol):
    def write(self, text: str, /) -> Any: ...


class CSVWriter:
    """Writes rows to a text file as CSV; None becomes an empty field."""

    def __init__(self, file: _TextFile, *, delimiter: str = ",", lineterminator: str = "\n") -> None:
        self._writer = csv.writer(file, delimiter=delimiter, lineterminator=lineterminator)

    def write(self, cells: Iterable[Any]) -> None:
        """Write one row."""
        self._writer.writerow(map(inert, cells))
