"""Tables of others: CSV, TSV, ARFF, Parquet and C4.5, with one row for each case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from priorcase.cases.errors import unknown_attributes
from priorcase.cases.exchange.cells import plain_of
from priorcase.cases.exchange.plain_rows import IGNORED, PARTS, plain_rows
from priorcase.cases.exchange.records import ReadCases
from priorcase.cases.kinds import CaseKind, Set
from priorcase.datasets import read_table
from priorcase.datasets.columns import TextTable, parse_number
from priorcase.schema import Nominal, Numeric, Ordinal
from priorcase.schema.kinds import plain

__all__ = ["read_plain_table"]


def read_plain_table(
    path: Path,
    attributes: Mapping[str, CaseKind] | None,
    columns: Mapping[str, str],
    *,
    source: str,
    format: Any = None,
    delimiter: str | None = None,
) -> ReadCases:
    """The cases of a table; columns that hold only numbers are numeric, others nominal, unless declared.

    Parameters
    ----------
    path
        The file.
    attributes
        What columns mean; the table may have no others.
    columns
        Which columns hold the solution, the outcome, the key and the note, where they are not called so.
    source, format, delimiter
        How messages call the file; its format where its name does not tell, and what parts its fields.
    """
    table = read_table(path, format=format, delimiter=delimiter, name=source)
    table.require(list(columns.values()))
    beside = {*(columns.get(part, part) for part in PARTS), *IGNORED}
    found = table.kinds()
    if attributes is None:
        meant: Mapping[str, CaseKind] = {name: kind for name, kind in found.items() if name not in beside}
    elif strange := [name for name in table.names if name not in attributes and name not in beside]:
        raise unknown_attributes(strange, attributes, source)
    else:
        meant = attributes
    text = {columns.get(part, part) for part in ("key", "note", "by", "why")}
    read = {name: meant.get(name, found[name]) for name in table.names if name not in text}
    return plain_rows(_rows(table, read), meant, columns, source=source)


def _rows(table: TextTable, read: Mapping[str, CaseKind]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows, cells as their columns mean them; what does not fit is left as it is, for the check to name."""
    known: dict[str, dict[Any, Any]] = {
        name: {cell: _value(cell, read.get(name)) for cell in set(table.column(name))} for name in table.names
    }
    for row, line in enumerate(table.lines):
        cells = zip(table.names, table.columns, strict=True)
        yield line, {name: known[name][column[row]] for name, column in cells}


def _value(cell: str | None, kind: CaseKind | None) -> Any:
    if cell is None or kind is None:
        return cell
    if isinstance(kind, Numeric):
        number = parse_number(cell)
        return cell if number is None else plain(number)
    if isinstance(kind, Set):
        return plain_of(cell)
    declared = kind.order if isinstance(kind, Ordinal) else kind.values if isinstance(kind, Nominal) else None
    return next((value for value in declared or () if str(value) == cell), cell)
