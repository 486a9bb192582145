"""Cases written to a file, and read from one: exported by `export`, or a table of another program."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from priorcase._files import missing_file, whole_file
from priorcase._parameters import check_choice
from priorcase.cases import kinds
from priorcase.cases.checks import check_known
from priorcase.cases.exchange.records import (
    IGNORED,
    Kinds,
    ReadCases,
    Row,
    read_json_lines,
    records_of,
    write_json_lines,
)
from priorcase.cases.exchange.tables import (
    check_pyarrow,
    delimiter_of,
    plain_of,
    read_csv,
    read_parquet,
    write_csv,
    write_parquet,
)
from priorcase.cases.kinds import CaseKind
from priorcase.cases.storage import CaseRecord
from priorcase.datasets import read_table
from priorcase.datasets.columns import check_column, parse_number
from priorcase.datasets.reading import FORMATS
from priorcase.exceptions import CaseBaseError, listed
from priorcase.schema import Nominal, Numeric, Ordinal, Set
from priorcase.schema.kinds import plain

Format: TypeAlias = Literal["jsonl", "csv", "parquet"]

_SUFFIXES: dict[str, Format] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".csv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
}
_PARTS = ("solution", "outcome", "key", "note", "by", "why")
"""What a row of another program's table can have beside attributes."""


def export(
    cases: Iterable[CaseRecord],
    path: str | os.PathLike[str],
    attributes: Kinds,
    *,
    format: Format | None = None,
    overwrite: bool = False,
) -> int:
    """Write cases to a file, completely or not at all; returns their number. See `CaseBase.export`.

    Values are in the order of the attributes, as they are stored. JSON lines have everything, kinds too; Parquet has
    the same in typed columns, and needs PyArrow; CSV has everything but the kinds.
    """
    path = Path(path)
    if format is not None:
        check_choice("format", format, get_args(Format), hint="Leave it out to go by the suffix of the name.")
    elif (format := _SUFFIXES.get(path.suffix.lower())) is None:
        raise CaseBaseError(
            f"cannot tell the format of {path!s} by its name; expected one of {listed(get_args(Format))}. End the "
            "name in .jsonl, .csv or .parquet, or name the format."
        )
    _check_file(path)
    if not path.parent.is_dir():
        raise CaseBaseError(
            f"cannot write to {path.parent!s}, which is not a folder. Create the folder first, or check the path."
        )
    if format == "parquet":
        check_pyarrow()
    write = {"jsonl": write_json_lines, "csv": write_csv, "parquet": write_parquet}[format]
    try:
        with whole_file(path, overwrite=overwrite) as file:
            return write(cases, attributes, file)
    except FileExistsError:
        raise CaseBaseError(
            f"{path!s} exists already; nothing was written. Name another file, or set overwrite."
        ) from None


def read_cases(
    path: str | os.PathLike[str],
    attributes: Kinds | None = None,
    *,
    solution: str | None = None,
    outcome: str | None = None,
    key: str | None = None,
    note: str | None = None,
    format: str | None = None,
) -> ReadCases:
    """The attributes and the cases of a file that `export` wrote, or of a table of another program.

    Cases are read as they are asked for: a mistake in a later line shows when it is reached, and names that line.
    A file with other attributes than these is an error. Without ``attributes`` they are as the file says, else inferred
    from its values: numbers are numeric, lists sets, everything else nominal. In tables of other programs ``solution``,
    ``outcome``, ``key`` and ``note`` name columns that have other names; these, ``by``, ``why`` and ``id`` are no
    attributes.
    """
    path = Path(path)
    _check_file(path)
    if not path.exists():
        raise missing_file(path)
    if format is not None:
        choices = tuple(dict.fromkeys([*get_args(Format), *FORMATS]))
        check_choice("format", format, choices, hint="Leave it out to go by name and content.")
    given = {"solution": solution, "outcome": outcome, "key": key, "note": note}
    columns = {part: name for part, name in given.items() if name is not None}
    found = format or _SUFFIXES.get(path.suffix.lower())
    if found == "jsonl":
        read = read_json_lines(path, attributes, columns)
        return read if isinstance(read, ReadCases) else _cases_of(read, attributes, columns, str(path))
    reader = {"parquet": read_parquet, "csv": read_csv}.get(found or "")
    exported = None if reader is None else reader(path, attributes, columns)
    return exported or _table_cases(path, attributes, columns, format, delimiter_of(path) if found == "csv" else None)


def _check_file(path: Path) -> None:
    if path.is_dir():
        raise CaseBaseError(
            f"got {path!s}, which is a directory; expected a file. Name a file in it, for example cases.jsonl."
        )


# -- tables of other programs


def _table_cases(
    path: Path, attributes: Kinds | None, columns: Mapping[str, str], format: Any, delimiter: str | None
) -> ReadCases:
    """The cases of a table; columns that hold only numbers are numeric, others nominal, unless declared."""
    table = read_table(path, format=format, delimiter=delimiter)
    table.require(list(columns.values()))
    others = {*(columns.get(part, part) for part in _PARTS), *IGNORED}
    inferred = table.kinds()
    if attributes is None:
        attributes = {name: kind for name, kind in inferred.items() if name not in others}
    else:
        check_known((name for name in table.names if name not in others), attributes, source=str(path))
    texts = {columns.get(part, part) for part in ("key", "note", "by", "why")}
    read = {name: None if name in texts else attributes.get(name, inferred[name]) for name in table.names}
    values = [  # what does not fit stays as it is, for the check to name
        [known[cell] for cell in column]
        for name, column in zip(table.names, table.columns, strict=True)
        for known in [{cell: _value(cell, read[name]) for cell in set(column)}]
    ]
    rows = (dict(zip(table.names, row, strict=True)) for row in zip(*values, strict=True))
    return _cases_of(zip(table.lines, rows, strict=False), attributes, columns, str(path))


def _value(cell: str | None, kind: CaseKind | None) -> Any:
    if cell is None or kind is None:
        return cell
    if type(kind) is Numeric:
        number = parse_number(cell)
        return cell if number is None else plain(number)
    if isinstance(kind, Set):
        return plain_of(cell)
    declared = kind.order if isinstance(kind, Ordinal) else kind.values if isinstance(kind, Nominal) else None
    return next((value for value in declared or () if str(value) == cell), cell)


def _cases_of(rows: Iterable[Row], attributes: Kinds | None, columns: Mapping[str, str], source: str) -> ReadCases:
    """The cases that rows stand for; without attributes every name is one, with the kind of its values."""
    parts = {part: columns.get(part, part) for part in _PARTS}
    if attributes is None:
        rows = list(rows)
        names = dict.fromkeys(name for _, row in rows for name in row)
        for wanted in columns.values():
            check_column(source, wanted, list(names))
        taken = {*parts.values(), *IGNORED}
        attributes = {name: kinds.infer(row.get(name) for _, row in rows) for name in names if name not in taken}
    return ReadCases(attributes, records_of(_parts(rows, attributes, parts), attributes, source))


def _parts(
    rows: Iterable[Row], attributes: Kinds, parts: Mapping[str, str]
) -> Iterator[tuple[int, Mapping[str, Any], Mapping[str, Any]]]:
    others = {*parts.values(), *IGNORED} - attributes.keys()
    for line, row in rows:
        told = {part: row.get(name) for part, name in parts.items() if name in others}
        note = told.pop("note", None)
        told["notes"] = None if note is None else [{"text": note}]
        yield line, {name: value for name, value in row.items() if name not in others}, told
