"""Exported tables with one row for each case: CSV for spreadsheets, Parquet with typed columns.

Columns ``id``, ``key``, ``solution``, ``outcome``, ``notes``, ``by``, ``why``, ``added_at``, ``revised_at`` and
``retired`` come first, then the attributes.

**CSV.** An empty cell is a missing value. Numbers, booleans, lists and mappings are written as JSON. Text is written
unchanged unless the text is empty or could be mistaken for JSON; such text is written as a JSON string with quotation
marks. For example, the cell ``""`` contains the empty string, ``"7"`` a string, and ``7`` a number. As in all CSV files
of this library, an apostrophe is put before text and names that a spreadsheet would run as formulas; it is removed when
the file is read. CSV files do not contain the kinds of the attributes. Nothing is lost if a file is read into a
case base that declares the same attributes. If a case base declares no attributes, columns of numbers become numeric
attributes, columns of lists become sets, columns of mappings become graphs, and all other columns become nominal
attributes. A header without commas is split at semicolons or tabs, which spreadsheets write if the comma is the decimal
mark.

**Parquet** files are lossless. Numbers are doubles, sets are lists, and texts, taxonomy nodes and graphs are strings. A
column of dates contains days or timestamps, or strings if both occur or if some timestamps have UTC offsets. A column
of nominal values, solutions or outcomes has the Arrow type that fits all its values, such as string or boolean. If no
type fits all values, or if integers are too large for a double, the column contains JSON strings. The metadata of the
file list the columns that contain JSON strings.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO

from priorcase.cases import kinds
from priorcase.cases.checks import check_known
from priorcase.cases.exchange.records import (
    BESIDE,
    MARK,
    TEXTS,
    Kinds,
    ReadCases,
    check_no_columns,
    head_of,
    notes_as_plain,
    read_head,
    record_of,
)
from priorcase.cases.kinds import CaseKind, Graph, Stored
from priorcase.cases.storage import CaseRecord
from priorcase.datasets.arrow import check_texts, open_parquet
from priorcase.datasets.budget import Budget
from priorcase.datasets.csv_files import CSVWriter, as_written
from priorcase.datasets.delimited import checked_lines
from priorcase.exceptions import CaseBaseError, ReadingError, errors_at
from priorcase.schema import Date, Numeric, Set, Taxonomy, Text

_BLOCK = 1_000
_MANY = 50_000  # distinct cells of a column that are cached
_LONGEST, _LONGEST_HEADER = 200_000_000, 100_000
_JSON = frozenset('"-0123456789[{tfnNI \t\n\r')  # what JSON may begin with
_NONE: Any = object()
_limit = Lock()

# -- cells of CSV


def text_cell(text: str | None) -> str:
    if text is None:
        return ""
    return json.dumps(text, ensure_ascii=False) if not text or text.startswith('"') else text


def text_of(cell: str) -> str | None:
    """Return the text that `text_cell` wrote to a cell; None if the cell is empty."""
    if cell and cell[0] == '"' and isinstance(found := _parsed(cell), str):
        return found
    return as_written(cell) or None


def plain_cell(text: str | None) -> str:
    """Convert the JSON text of a solution or an outcome to the text of a CSV cell."""
    if text is None:
        return ""
    value = json.loads(text) if text[0] == '"' else ""
    return value if _stands(value) else text


def plain_of(cell: str) -> Any:
    """Return the solution or outcome in a CSV cell; None if the cell is empty."""
    if not cell:
        return None
    found = _parsed(cell)
    return as_written(cell) if found is _NONE else found


def _cell_of(kind: CaseKind, value: Stored) -> str:
    if isinstance(value, str) and (isinstance(kind, Graph) or _stands(value)):
        return value
    return json.dumps(value, ensure_ascii=False)


def _stored_of(kind: CaseKind, name: str, cell: str) -> Stored:
    value = text_of(cell) if isinstance(kind, Text | Taxonomy | Date) else plain_of(cell)
    return kinds.check(kind, cell or None if isinstance(kind, Graph) else value, attribute=name)


def _remembered(function: Callable[[Any], Any], kind: CaseKind) -> Callable[[Any], Any]:
    """Cache a function of the values of a column; the cache distinguishes types, since ``True == 1`` in Python."""
    if isinstance(kind, Text | Set):  # texts rarely repeat, and the types of set members are not distinguished
        return function
    return lru_cache(maxsize=_MANY, typed=True)(function)


def _stands(text: str) -> bool:
    """Return whether a string can be written to a CSV cell unchanged."""
    return bool(text) and not text.startswith('"') and _parsed(text) is _NONE


def _parsed(text: str) -> Any:
    """Parse JSON text; return _NONE if the text is not JSON."""
    if text[0] not in _JSON:
        return _NONE
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _NONE


# -- CSV


def write_csv(cases: Iterable[CaseRecord], attributes: Kinds, file: BinaryIO) -> int:
    writer = CSVWriter(_Encoded(file), lineterminator="\r\n")
    writer.write([*BESIDE, *map(text_cell, attributes)])
    columns = [_remembered(partial(_cell_of, kind), kind) for kind in attributes.values()]
    n = 0
    for n, case in enumerate(cases, start=1):  # noqa: B007 (returned)
        told = {name: text_cell(getattr(case, name)) for name in TEXTS}
        told |= {"solution": plain_cell(case.solution), "outcome": plain_cell(case.outcome)}
        told["notes"] = json.dumps(notes_as_plain(case), ensure_ascii=False) if case.notes else ""
        told |= {"id": "" if case.id is None else str(case.id), "retired": "true" if case.retired else ""}
        values = zip(columns, case.values, strict=True)
        cells = ("" if value is None else column(value) for column, value in values)
        writer.write([*(told[name] for name in BESIDE), *cells])
    return n


class _Encoded:
    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, text: str) -> int:
        return self._file.write(text.encode("utf-8"))


def read_csv(path: Path, attributes: Kinds | None, columns: Mapping[str, str], budget: Budget) -> ReadCases | None:
    """Return the cases of an exported file; None if the file is a table of another program."""
    if _first_cells(path)[: len(BESIDE)] != [*BESIDE]:
        return None
    header = next((header for _, header in _rows(path, budget)), [])
    budget.check_table(0, len(header))
    names = [text_of(cell) or "" for cell in header[len(BESIDE) :]]
    if attributes is None:
        attributes = _inferred(path, names, budget)
    else:
        check_known(names, attributes, source=str(path))
    check_no_columns(columns, str(path))
    return ReadCases(attributes, _csv_records(path, names, attributes, budget))


def _csv_records(path: Path, names: Sequence[str], attributes: Kinds, budget: Budget) -> Iterator[CaseRecord]:
    places = {name: place for place, name in enumerate(names, start=len(BESIDE))}
    columns = [
        (places.get(name), _remembered(partial(_stored_of, kind, name), kind)) for name, kind in attributes.items()
    ]
    for line, row in islice(_rows(path, budget), 1, None):
        with errors_at(f"{path} line {line}"):
            values = tuple([None if place is None else stored(row[place]) for place, stored in columns])
        told = {name: (text_of if name in TEXTS else plain_of)(cell) for name, cell in zip(BESIDE, row, strict=False)}
        yield record_of(values, told, f"{path} line {line}")


def _inferred(path: Path, names: Sequence[str], budget: Budget) -> dict[str, CaseKind]:
    """Infer the kinds of the attributes from all cells of the file."""
    samples: list[dict[type, Any]] = [{} for _ in names]
    for _, row in islice(_rows(path, budget), 1, None):
        for cell, seen in zip(row[len(BESIDE) :], samples, strict=True):
            if cell and str not in seen:  # one text makes the column nominal, whatever follows
                value = plain_of(cell)
                seen[type(value)] = value
    return {
        name: Graph() if {*seen} == {dict} else kinds.infer(seen.values())
        for name, seen in zip(names, samples, strict=True)
    }


def _first_line(path: Path) -> str:
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        return file.readline(_LONGEST_HEADER).replace("\0", "")


def _first_cells(path: Path) -> list[str]:
    return next(csv.reader([_first_line(path)], delimiter=_delimiter_of(path)), [])


def _delimiter_of(path: Path) -> str:
    """Return the delimiter of an exported file: the first of comma, semicolon and tab that splits its first line."""
    line = _first_line(path)
    found = (mark for mark in ",;\t" if len(next(csv.reader([line], delimiter=mark), [])) > 1)
    return next(found, ",")


def _rows(path: Path, budget: Budget) -> Iterator[tuple[int, list[str]]]:
    """Yield, for the header and for each nonempty row, the number of its first line and the list of its cells."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        delimiter = _delimiter_of(path)
        reader = csv.reader(checked_lines(file, delimiter, budget), delimiter=delimiter, strict=True)
        line, width, more = 1, 0, True
        while more:
            block = []
            try:
                with _long_cells():
                    for row in islice(reader, _BLOCK):
                        block.append((line, row))
                        line = reader.line_num + 1
            except csv.Error as error:
                raise ReadingError(
                    f"{path} line {line} is not valid CSV: {error}. Check for an unclosed quotation mark; "
                    "a quotation mark inside a field is written twice."
                ) from error
            except UnicodeDecodeError as error:
                raise ReadingError(
                    f"{path} line {line} is not text in the encoding utf-8. Save the file as UTF-8."
                ) from error
            for at, row in block:
                width = width or len(row)
                if row and len(row) != width:
                    raise ReadingError(
                        f"{path} line {at} has {len(row)} field{'s' * (len(row) != 1)}; its header has {width}. Quote "
                        "fields that contain the delimiter, or pass the right delimiter."
                    )
                if row:
                    yield at, row
            more = len(block) == _BLOCK
    if not width:
        raise CaseBaseError(f"{path} is empty; expected cases. Check that this is the right file.")


@contextmanager
def _long_cells() -> Iterator[None]:
    """Temporarily increase Python's global limit on the length of CSV cells."""
    with _limit:
        before = csv.field_size_limit(_LONGEST)
        try:
            yield
        finally:
            csv.field_size_limit(before)


# -- Parquet

_ROWS = 10_000
_LARGE = 2**53
_FIXED = {"id": "int64", "retired": "bool", "notes": "json"} | dict.fromkeys(TEXTS, "string")


def write_parquet(cases: Iterable[CaseRecord], attributes: Kinds, file: BinaryIO) -> int:
    import pyarrow
    import pyarrow.parquet

    gathered: dict[str, list[Any]] = {name: [] for name in (*BESIDE, *(f"={name}" for name in attributes))}
    columns = list(gathered.values())
    for case in cases:
        for column, value in zip(columns, [*_plain_beside(case), *case.values], strict=True):
            column.append(value)
    n = len(columns[0])
    del columns
    names, arrays, written = [*BESIDE, *attributes], [], {}
    for name, key in zip(names, list(gathered), strict=True):  # one at a time, so that few are in memory twice
        kind = attributes[name] if key.startswith("=") else None
        array, as_json = _arrow_column(kind, gathered.pop(key), fixed=_FIXED.get(key))
        written[key] = {"column": name, "json": as_json}
        arrays.append(array)
    head = json.dumps({**head_of(attributes), "columns": written}, ensure_ascii=False)
    table = pyarrow.Table.from_arrays(arrays, names=names).replace_schema_metadata({MARK: head})
    pyarrow.parquet.write_table(table, file, row_group_size=_ROWS)
    return n


def _plain_beside(case: CaseRecord) -> Iterator[Any]:
    for name in BESIDE:
        value = getattr(case, name)
        if name in ("solution", "outcome"):
            yield kinds.plain_shown(value)
        else:
            yield notes_as_plain(case) or None if name == "notes" else value


def _arrow_column(kind: CaseKind | None, values: list[Any], *, fixed: str | None) -> tuple[Any, bool]:
    """Return stored values as an Arrow column, and whether this column contains JSON strings."""
    import pyarrow

    known = [value for value in values if value is not None]
    found: Any = None
    if fixed is not None and fixed != "json":
        found = pyarrow.type_for_alias(fixed)
    elif isinstance(kind, Numeric) and not isinstance(kind, Date):
        if not any(type(value) is int and abs(value) >= _LARGE for value in known):  # a double would round them
            found = pyarrow.float64()
    elif isinstance(kind, Date):
        return _dates(values), False
    elif isinstance(kind, Set):
        inner = _type([member for value in known for member in value])
        found = None if inner is None else pyarrow.list_(inner)
    elif fixed is None:
        found = _type(known)
    if found is not None:
        return pyarrow.array(values, type=found), False
    texts = [None if value is None else kinds.written(value) for value in values]
    return pyarrow.array(texts, type=pyarrow.string()), True


def _type(values: Sequence[Any]) -> Any:
    """Return the Arrow type that fits all values; None if no type fits all values."""
    import pyarrow

    found = set(map(type, values))
    if found <= {str}:
        return pyarrow.string()
    if found == {bool}:
        return pyarrow.bool_()
    if found == {int} and all(-_LARGE <= value <= _LARGE for value in values):
        return pyarrow.int64()
    # Integers among floats are restored exactly from doubles: a whole number in a case base is always an integer.
    exact = found <= {int, float} and float in found and all(type(v) is float or abs(v) < _LARGE for v in values)
    return pyarrow.float64() if exact else None


def _dates(values: list[Any]) -> Any:
    import pyarrow

    shown = [kinds.shown(Date(), value) for value in values]
    known = [value for value in shown if value is not None]
    moments = [value for value in known if isinstance(value, datetime)]
    if moments and (len(moments) < len(known) or any(moment.tzinfo is not None for moment in moments)):
        return pyarrow.array(values, type=pyarrow.string())
    return pyarrow.array(shown, type=pyarrow.timestamp("us") if moments else pyarrow.date32())


def read_parquet(path: Path, attributes: Kinds | None, columns: Mapping[str, str], budget: Budget) -> ReadCases | None:
    """Return the cases of an exported file; None if the file is a table of another program."""
    with _arrow_errors(path), path.open("rb") as source, open_parquet(source, budget) as (file, _):
        metadata = file.schema_arrow.metadata or {}
    if (text := metadata.get(MARK.encode())) is None:
        return None
    check_no_columns(columns, str(path))
    with _edited(path, "its metadata do not describe its columns"):
        head = json.loads(text)
        written = {name: (each["column"], bool(each["json"])) for name, each in head["columns"].items()}
        declared = read_head(head, str(path)) or {}
    if attributes is not None:
        check_known(declared, attributes, source=str(path))
    return ReadCases(
        declared if attributes is None else attributes, _parquet_records(path, attributes or declared, written, budget)
    )


def _parquet_records(
    path: Path, attributes: Kinds, written: Mapping[str, tuple[str, bool]], budget: Budget
) -> Iterator[CaseRecord]:
    line = 0
    with _arrow_errors(path), path.open("rb") as source, open_parquet(source, budget) as (file, rows):
        for batch in file.iter_batches(batch_size=min(_ROWS, rows or _ROWS)):
            check_texts(batch, budget)
            with _edited(path, "its columns are not the columns that its metadata describe"):
                held = {name: batch.column(column).to_pylist() for name, (column, _) in written.items()}
                for name, values in held.items():
                    if written[name][1]:
                        held[name] = [None if value is None else json.loads(value) for value in values]
            columns = [(name, kind, held.get(f"={name}")) for name, kind in attributes.items()]
            for row in range(batch.num_rows):
                line += 1
                with errors_at(f"{path} row {line}"):
                    values = tuple(
                        [kinds.check(kind, None if c is None else c[row], attribute=name) for name, kind, c in columns]
                    )
                told = {name: held[name][row] for name in BESIDE if name in held}
                yield record_of(values, told, f"{path} line {line}")


@contextmanager
def _arrow_errors(path: Path) -> Iterator[None]:
    import pyarrow

    try:
        yield
    except MemoryError:
        raise
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise ReadingError(f"{path} is not valid Parquet: {reason}. Copy or download it again.") from error


@contextmanager
def _edited(path: Path, problem: str) -> Iterator[None]:
    """Convert errors caused by invalid metadata to a `CaseBaseError`."""
    try:
        yield
    except CaseBaseError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise CaseBaseError(
            f"{path} cannot be read: {problem}. If the file was edited, export the cases again; nothing was imported."
        ) from error
