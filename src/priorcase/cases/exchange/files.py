"""Write cases to a file, and read cases from an exported file or from a table of another program."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

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
    plain_of,
    read_csv,
    read_parquet,
    write_csv,
    write_parquet,
)
from priorcase.cases.kinds import CaseKind
from priorcase.cases.storage import CaseRecord
from priorcase.datasets.budget import MAX_BYTES, Budget, check_max_bytes, memory_errors
from priorcase.datasets.files import FORMATS, check_no_url, table_of
from priorcase.datasets.reading import check_column, line_numbers, read_frame
from priorcase.exceptions import CaseBaseError, listed
from priorcase.schema import Date, Nominal, Numeric, Ordinal, Set
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
"""Fields of a case, besides its attributes, that a table of another program can contain."""


def export(
    cases: Iterable[CaseRecord],
    path: str | os.PathLike[str],
    attributes: Kinds,
    *,
    format: Format | None = None,
    overwrite: bool = False,
) -> int:
    """Write cases to a file, completely or not at all; return the number of cases. See `CaseBase.export`."""
    path = Path(path)
    if format is not None:
        check_choice("format", format, get_args(Format), hint="By default, the format is inferred from the suffix.")
    elif (format := _SUFFIXES.get(path.suffix.lower())) is None:
        raise CaseBaseError(
            f"cannot infer the format of {path!s} from its name; expected one of {listed(get_args(Format))}. Use the "
            "suffix .jsonl, .csv or .parquet, or set the format."
        )
    _check_file(path)
    if not path.parent.is_dir():
        raise CaseBaseError(
            f"cannot write to {path.parent!s}, which is not a folder. Create the folder first, or check the path."
        )
    write = {"jsonl": write_json_lines, "csv": write_csv, "parquet": write_parquet}[format]
    try:
        with whole_file(path, overwrite=overwrite) as file:
            return write(cases, attributes, file)
    except FileExistsError:
        raise CaseBaseError(
            f"{path!s} exists already; nothing was written. Choose another file, or set 'overwrite'."
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
    reading: Mapping[str, Any] | None = None,
) -> ReadCases:
    """Read the attributes and cases of a file written by `export`, or of a table from another program.

    Cases of an exported file are read lazily, so an invalid case raises an error only when its line is reached. If
    ``attributes`` is None, the attributes are those declared in the file; if the file declares none, they are inferred
    from the values. For tables from other programs, ``solution``, ``outcome``, ``key`` and ``note`` are column names,
    and ``reading`` contains options of `read_table`.
    """
    check_no_url(path)
    whole, path = str(path), Path(table_of(os.fspath(path))[0])
    _check_file(path)
    if not path.exists():
        raise missing_file(path)
    if format is not None:
        choices = tuple(dict.fromkeys([*get_args(Format), *FORMATS]))
        check_choice("format", format, choices, hint="By default, the format is inferred from the file.")
    given = {"solution": solution, "outcome": outcome, "key": key, "note": note}
    columns = {part: name for part, name in given.items() if name is not None}
    how = dict(reading or {})
    max_bytes = how.get("max_bytes", MAX_BYTES)
    check_max_bytes(max_bytes)
    budget = Budget(whole, max_bytes, stored=path.stat().st_size)
    options = how.keys() - {"max_bytes"}
    found = format or _SUFFIXES.get(path.suffix.lower())
    with memory_errors(whole):
        if found == "jsonl" and not options:
            read = read_json_lines(path, attributes, columns, budget)
            cases = read if isinstance(read, ReadCases) else _cases_of(read, attributes, columns, budget)
        else:
            reader = {"parquet": read_parquet, "csv": read_csv}.get(found or "")
            exported = None if reader is None or options else reader(path, attributes, columns, budget)
            how |= {"format": format} if format else {}
            cases = exported or _table_cases(whole, attributes, columns, how, budget)
    return cases._replace(cases=_within(cases, budget))


def _within(read: ReadCases, budget: Budget) -> Iterator[CaseRecord]:
    """Yield the cases of a file while the number of their values is within the limit."""
    with memory_errors(budget.source):
        for n, case in enumerate(read.cases, start=1):
            budget.check_table(n, len(read.attributes))
            yield case


def _check_file(path: Path) -> None:
    if path.is_dir():
        raise CaseBaseError(
            f"got {path!s}, which is a directory; expected a file. Add the name of a file, for example cases.jsonl."
        )


# -- tables of other programs


def _table_cases(
    path: str, attributes: Kinds | None, columns: Mapping[str, str], reading: Mapping[str, Any], budget: Budget
) -> ReadCases:
    """Return the cases of a table; the kinds of its columns are inferred, unless attributes are declared."""
    others = {*(columns.get(part, part) for part in _PARTS), *IGNORED}
    texts = {columns.get(part, part) for part in ("key", "note", "by", "why")}
    schema: dict[str, str] = dict.fromkeys(texts, "nominal")
    for name, kind in (attributes or {}).items():
        schema[name] = "date" if isinstance(kind, Date) else "numeric" if isinstance(kind, Numeric) else "nominal"
    table = read_frame(path, schema=schema, lenient=True, **reading)
    for name in columns.values():
        check_column(path, name, list(table.columns))
    if attributes is None:
        told = table.attrs["columns"]
        attributes = {name: _kind(one) for name, one in told.items() if name not in others}
    else:
        check_known((name for name in table.columns if name not in others), attributes, source=path)
    read = {name: attributes.get(name) for name in table.columns}
    values = [_values(table[name], kind) for name, kind in read.items()]
    rows = (dict(zip(read, row, strict=True)) for row in zip(*values, strict=True))
    lines = line_numbers(table.attrs, np.arange(len(table))).tolist()
    return _cases_of(zip(lines, rows, strict=True), attributes, columns, budget)._replace(about=table.attrs)


def _kind(told: Mapping[str, Any]) -> CaseKind:
    """Convert the inferred kind of a table column to the kind of an attribute."""
    if told["kind"] == "numeric":
        return Numeric()
    if told["kind"] == "date":
        return Date()
    return Ordinal(tuple(told["values"])) if told["kind"] == "ordinal" else Nominal(told.get("values"))


def _values(column: Any, kind: CaseKind | None) -> list[Any]:
    """Return a column as plain values, with None for missing values; each distinct value is converted once."""
    held = column.astype(object).where(column.notna(), None)
    if column.dtype.kind == "M":
        days = not ((column.dropna() - column.dropna().dt.normalize()).astype("int64")).any()
        known = {value: value.date() if days else value.to_pydatetime() for value in column.dropna().unique()}
        if kind is None:
            known = {value: moment.isoformat() for value, moment in known.items()}
    else:
        known = {value: _value(value, kind) for value in held.unique() if value is not None}
    return [None if value is None else known[value] for value in held]


def _value(cell: Any, kind: CaseKind | None) -> Any:
    if not isinstance(cell, str):
        return plain(cell)
    if isinstance(kind, Set):
        return plain_of(cell)
    declared = kind.order if isinstance(kind, Ordinal) else kind.values if isinstance(kind, Nominal) else None
    return next((value for value in declared or () if str(value) == cell), cell)


def _cases_of(rows: Iterable[Row], attributes: Kinds | None, columns: Mapping[str, str], budget: Budget) -> ReadCases:
    """Convert rows to cases; if ``attributes`` is None, attributes and kinds are inferred from the names and values."""
    source = budget.source
    parts = {part: columns.get(part, part) for part in _PARTS}
    if attributes is None:
        rows = list(rows)
        names = dict.fromkeys(name for _, row in rows for name in row)
        budget.check_table(len(rows), len(names))
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
