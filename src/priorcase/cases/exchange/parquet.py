"""Parquet: typed columns, and nothing lost. Needs PyArrow.

Numbers are doubles, dates days or moments where all are (texts where offsets differ or both occur), sets lists, text,
taxonomies and graphs text. Names, solutions and outcomes have the type that all of them have; where they have several,
the column holds JSON texts, and the file says so in its metadata, beside the attributes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO

from priorcase.cases import kinds
from priorcase.cases.errors import unknown_attributes
from priorcase.cases.exchange.arrow_columns import column_of, values_of
from priorcase.cases.exchange.beside import beside, notes_as_plain
from priorcase.cases.exchange.heads import MARK, head_of, read_head
from priorcase.cases.exchange.records import BESIDE, CaseRecord, ReadCases, Written
from priorcase.cases.kinds import CaseKind
from priorcase.exceptions import CaseBaseError, MissingExtraError, ReadingError, errors_at, named

__all__ = ["read_parquet", "write_parquet"]

_ROWS = 10_000
_KEY = MARK.encode()


def write_parquet(cases: Iterable[Written], attributes: Mapping[str, CaseKind], file: BinaryIO) -> int:
    """Write cases; how many. Columns are gathered as they are and become Arrow's one after the other."""
    import_pyarrow()
    import pyarrow
    import pyarrow.parquet

    gathered: dict[str, list[Any]] = {name: [] for name in BESIDE}
    values: list[list[Any]] = [[] for _ in attributes]
    for case in cases:
        for name, value in _beside(case):
            gathered[name].append(value)
        for column, value in zip(values, case.values, strict=True):
            column.append(value)
    n = len(gathered["id"])
    names, arrays, written = [], [], {}
    for name in BESIDE:
        array, as_json = column_of(None, gathered.pop(name), fixed=_FIXED.get(name))
        written[name] = {"column": name, "json": as_json}
        names.append(name)
        arrays.append(array)
    for name, kind in attributes.items():
        array, as_json = column_of(kind, values.pop(0))
        written[f"={name}"] = {"column": name, "json": as_json}
        names.append(name)
        arrays.append(array)
    head = json.dumps({**head_of(attributes), "columns": written}, ensure_ascii=False)
    table = pyarrow.Table.from_arrays(arrays, names=names).replace_schema_metadata({MARK: head})
    pyarrow.parquet.write_table(table, file, row_group_size=_ROWS)
    return n


_FIXED = {"id": "int64", "retired": "bool", "notes": "json"} | dict.fromkeys(
    ("key", "by", "why", "added_at", "revised_at"), "string"
)


def _beside(case: Written) -> Iterator[tuple[str, Any]]:
    for name in BESIDE:
        value = getattr(case, name)
        if name in ("solution", "outcome"):
            value = kinds.plain_shown(value)
        elif name == "notes":
            value = notes_as_plain(value) or None
        yield name, value


def import_pyarrow() -> None:
    """Raise the library's own error where PyArrow is not installed."""
    if find_spec("pyarrow") is None:
        raise MissingExtraError(
            "writes Parquet with PyArrow, which is not installed; nothing was written. pip install pyarrow, or export "
            "the cases as JSON lines or CSV."
        )


def read_parquet(
    path: Path, attributes: Mapping[str, CaseKind] | None, columns: Mapping[str, str], *, source: str
) -> ReadCases | None:
    """The cases of an exported file; None where it is a table of others, or PyArrow is not installed."""
    if find_spec("pyarrow") is None:
        return None
    import pyarrow
    import pyarrow.parquet

    try:
        metadata = pyarrow.parquet.read_schema(path).metadata or {}
    except (pyarrow.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise ReadingError(f"{source} is not valid Parquet: {reason}. Copy or download it again.") from error
    if _KEY not in metadata:
        return None
    if columns:
        raise CaseBaseError(
            f"{source} was exported from a case base and says itself what its columns are; got "
            f"{named('parameter', columns)}. Leave them out."
        )
    try:
        head = json.loads(metadata[_KEY])
        written = {name: (each["column"], bool(each["json"])) for name, each in head["columns"].items()}
        told = read_head(head, source) or {}
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, CaseBaseError):
            raise
        raise CaseBaseError(
            f"{source} tells of cases in a way that cannot be read: its metadata are no head. Was it edited? Export "
            "the cases again; nothing was imported."
        ) from error
    if attributes is not None and (strange := [name for name in told if name not in attributes]):
        raise unknown_attributes(strange, attributes, source)
    return ReadCases(told if attributes is None else attributes, _records(path, attributes or told, written, source))


def _records(
    path: Path, attributes: Mapping[str, CaseKind], written: Mapping[str, tuple[str, bool]], source: str
) -> Iterator[CaseRecord]:
    import pyarrow
    import pyarrow.parquet

    line = 0
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=_ROWS):
                held = _held(batch, written, source)
                for row in range(batch.num_rows):
                    line += 1
                    yield _record(held, row, attributes, source, line)
    except (pyarrow.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise ReadingError(f"{source} is not valid Parquet: {reason}. Copy or download it again.") from error


def _held(batch: Any, written: Mapping[str, tuple[str, bool]], source: str) -> dict[str, list[Any]]:
    """The columns of a batch by what they hold."""
    try:
        return {name: values_of(batch, column, as_json) for name, (column, as_json) in written.items()}
    except (LookupError, TypeError, ValueError) as error:
        raise CaseBaseError(
            f"{source} tells of cases in a way that cannot be read: its columns are not those that it tells of. Was it "
            "edited? Export the cases again; nothing was imported."
        ) from error


def _record(
    held: Mapping[str, list[Any]], row: int, attributes: Mapping[str, CaseKind], source: str, line: int
) -> CaseRecord:
    with errors_at(f"{source} row {line}"):
        values = tuple(
            kinds.check(kind, held[f"={name}"][row] if f"={name}" in held else None, attribute=name)
            for name, kind in attributes.items()
        )
    told = {name: held[name][row] for name in BESIDE if name in held}
    return CaseRecord(values, **beside(told, source=source, line=line))
