"""Read file formats: compressed files, Excel workbooks, JSON lines and SQLite databases."""

from __future__ import annotations

import bz2
import datetime
import gzip
import io
import json
import lzma
import math
import os
import re
import sqlite3
import struct
import warnings
import zipfile
import zlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from decimal import Decimal
from functools import partial
from importlib.util import find_spec
from itertools import chain, islice, repeat, zip_longest
from pathlib import Path, PurePath
from typing import IO, Any, Literal, TypeAlias, cast, get_args
from urllib.parse import quote

from priorcase._files import check_path, missing_file, read_file
from priorcase._parameters import is_whole
from priorcase.datasets.budget import MAX_BYTES, Budget, check_max_bytes, reason
from priorcase.datasets.delimited import RawTable, check_names, free_name, has_header, numbered_lines, runs
from priorcase.datasets.values import text_of
from priorcase.exceptions import MissingExtraError, ReadingError, advice, listed, quoted

Readable: TypeAlias = str | os.PathLike[str] | IO[bytes]
"""A path, or an open binary file."""

Format: TypeAlias = Literal["csv", "tsv", "arff", "c4.5", "excel", "parquet", "feather", "jsonl", "sqlite"]
FORMATS: tuple[Format, ...] = get_args(Format)

_SUFFIXES: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".arff": "arff",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "feather",
    ".arrow": "feather",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".names": "c4.5",
    ".data": "c4.5",
    ".test": "c4.5",
}
PACKED = (".gz", ".bz2", ".xz", ".zst")
_OLD_EXCEL = b"\xd0\xcf\x11\xe0"
_SQLITE = b"SQLite format 3\0"
_BLANKS = re.compile(r"[ \t\n\r]*")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_FUNCTION = 31  # SQLITE_FUNCTION, the call of an SQL function
_VIRTUAL = 2  # a column that SQLite computes when it is read
_TERM = 4  # characters of the shortest SQL expression with a result of its own, such as a||b
_ROWS = 2**10  # rows after which the number of cells is checked
_WINDOW = 2**24  # characters of a JSON text that are parsed at once
_EXCEL_ROWS = 2**20  # rows of a sheet
_ELEMENT = 24  # bytes of the limit for each XML element of a workbook
_DICTIONARY = 2**29  # memory limit for xz decompression, in bytes
_DAMAGED = "Copy or download the file again."
_EXCEL_ERRORS = (
    *(ArithmeticError, AssertionError, AttributeError, EOFError, LookupError, OSError, RuntimeError),
    *(SyntaxError, TypeError, ValueError, struct.error, zipfile.BadZipFile, zlib.error),
)


# -- bytes


def table_of(source: str) -> tuple[str, str | None]:
    """Split ``file.db::table`` into the path and the table name; the table name is None if there is no ``::``."""
    path, mark, table = source.rpartition("::")
    return (path, table) if mark and path and not os.path.exists(source) else (source, None)


def check_no_url(source: object) -> None:
    """Raise an error if a source is a URL."""
    if isinstance(source, str) and _URL.match(source):
        raise ReadingError(f"{source} is a URL; tables are read from files. Download the file, and pass its path.")


def contents(source: Readable, name: str | None = None, max_bytes: int = MAX_BYTES) -> tuple[Budget, bytes]:
    """Return the limits for reading a file, with its name, and its bytes, decompressed if necessary."""
    check_max_bytes(max_bytes)
    check_no_url(source)
    if isinstance(source, str | os.PathLike):
        path = check_path(source)
        if path.is_dir():
            raise ReadingError(f"{path} is a directory; expected a file. Pass the path of a file.")
        name, content = name or os.fspath(source), read_file(path)
    elif not hasattr(source, "read"):
        raise ReadingError(
            f"expected a path or an open binary file, got {type(source).__name__}. Frames, arrays and lists of rows "
            "can be passed to fit directly."
        )
    else:
        name, content = name or str(getattr(source, "name", "the table")), source.read()
    if not hasattr(content, "decode"):  # the stream returned strings, not bytes
        raise ReadingError(
            f"{name} was opened in text mode; expected a path or a binary file. Pass the "
            "path, open(path, 'rb') or io.BytesIO(text.encode())."
        )
    budget = Budget(name, max_bytes, stored=len(content))
    return budget, _unpacked(content, budget)


def _unpacked(content: bytes, budget: Budget) -> bytes:
    name = budget.source
    if content.startswith(b"\x1f\x8b"):
        word, pieces = "gzip", _pieces(gzip.GzipFile(fileobj=io.BytesIO(content)))
    elif re.match(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)", content):
        word, pieces = "bzip2", _pieces(bz2.BZ2File(io.BytesIO(content)))
    elif content.startswith(b"\xfd7zXZ\0"):
        word, pieces = "xz", _xz_pieces(content)
    elif content.startswith(b"\x28\xb5\x2f\xfd"):
        word, pieces = "zstd", _pieces(_zstd_file(content, name))
    else:
        return content
    unpacked = io.BytesIO()
    try:
        for piece in pieces:
            budget.check_size(unpacked.tell() + len(piece))
            unpacked.write(piece)
    except ReadingError:
        raise
    except _unpacking_errors() as error:
        raise ReadingError(f"{name} looks compressed by {word} but is truncated or damaged. {_DAMAGED}") from error
    return unpacked.getvalue()


def _pieces(file: Any) -> Iterator[bytes]:
    with file:
        while piece := file.read(2**20):
            yield piece


def _xz_pieces(content: bytes) -> Iterator[bytes]:
    """Decompress xz data in steps, to limit the use of memory."""
    while content:
        unpacker = lzma.LZMADecompressor(memlimit=_DICTIONARY)
        given = content
        while not unpacker.eof:
            if unpacker.needs_input and not given:
                raise EOFError
            yield unpacker.decompress(given, max_length=2**20)
            given = b""
        content = unpacker.unused_data.lstrip(b"\0")


def _zstd_file(content: bytes, name: str) -> Any:
    if find_spec("compression") is not None:  # Python 3.14
        from compression import zstd  # type: ignore[import-not-found, unused-ignore]

        return zstd.ZstdFile(io.BytesIO(content))
    if find_spec("zstandard") is None:
        raise MissingExtraError(
            f"{name} is compressed by zstd. Install zstandard (pip install zstandard), or decompress the file first."
        )
    import zstandard

    return zstandard.ZstdDecompressor(max_window_size=2**27).stream_reader(content, read_across_frames=True)


def _unpacking_errors() -> tuple[type[Exception], ...]:
    usual = (EOFError, OSError, ValueError, zlib.error, lzma.LZMAError)
    if find_spec("compression") is not None:
        from compression import zstd

        return (*usual, zstd.ZstdError)
    if find_spec("zstandard") is None:
        return usual
    import zstandard

    return (*usual, zstandard.ZstdError)


def unpacked_name(source: str | os.PathLike[str]) -> PurePath:
    """Return the path of a file without its compression suffix, such as ``.gz``."""
    path = PurePath(os.fspath(source))
    return path.with_suffix("") if path.suffix.lower() in PACKED else path


_NO_TABLES = {
    "a web page": rb"(?i)<!doctype html|<html",
    "an XML file": rb"<\?xml",
    "a PDF document": rb"%PDF-",
    "an image": rb"\x89PNG|GIF8|\xff\xd8\xff",
}


def check_content(content: bytes, called: str) -> None:
    """Reject files that are often mistaken for tables, such as a login page downloaded by accident."""
    start = content[:64].removeprefix(b"\xef\xbb\xbf").lstrip()
    for what, pattern in _NO_TABLES.items():
        if re.match(pattern, start):
            raise ReadingError(
                f"{called} is {what}; expected a table. Open the file to check its content, or download it again."
            )


def format_of(source: Readable, content: bytes, format: object = None) -> Format:
    """Return the requested format, or detect the format by content and then by suffix; the default is CSV."""
    if format is not None:
        found = next((known for known in FORMATS if known == format), None)
        if found is None:
            raise ReadingError(
                f"got format={quoted(format)}; expected one of {listed(FORMATS, limit=len(FORMATS))}, or None to infer "
                "the format."
            )
        return found
    starts: dict[bytes, Format] = {b"PAR1": "parquet", b"ARROW1": "feather", b"FEA1": "feather", _SQLITE: "sqlite"}
    for start, known in starts.items():
        if content.startswith(start):
            return known
    if content.startswith((b"PK\x03\x04", _OLD_EXCEL)):
        return "excel"
    lines = (line.removeprefix(b"\xef\xbb\xbf").strip() for line in content[: 2**20].splitlines())
    first = next((line for line in lines if line and not line.startswith(b"%")), b"")
    if first[:10].lower().startswith((b"@relation", b"@attribute", b"@data")):
        return "arff"
    if isinstance(source, str | os.PathLike):
        suffix = unpacked_name(source).suffix.lower()
        if suffix in _SUFFIXES:
            return _SUFFIXES[suffix]
    return "jsonl" if re.match(rb'\{\s*"', first) else "csv"


# -- columns of values


def from_columns(
    source: str, names: Sequence[str], columns: Iterable[Sequence[Any]], rows: int, **more: Any
) -> RawTable:
    """Create a table from columns of numbers, strings, booleans and dates; columns of mixed types become strings."""
    check_names(names, source)
    made = {name: _typed_column(column, name, source) for name, column in zip(names, columns, strict=True)}
    return RawTable(source, made, rows, **more)


def _typed_column(values: Sequence[Any], name: str, source: str) -> Any:
    import pyarrow as pa

    values = [None if value != value else value for value in values]
    types = {type(value) for value in values} - {type(None)}
    try:
        if not types:
            return pa.chunked_array([pa.nulls(len(values), pa.float64())])
        if types == {bool}:
            return pa.chunked_array([pa.array(values, pa.bool_())])
        exact = types <= {int, float} and all(value is None or abs(value) <= 2**53 for value in values)
        if exact:
            return pa.chunked_array([pa.array(values, pa.float64() if float in types else pa.int64())])
        if types <= {datetime.date, datetime.datetime}:
            return pa.chunked_array([pa.array([_moment(value) for value in values], pa.timestamp("us"))])
    except (pa.ArrowException, OverflowError):
        pass
    return text_of([_field(value, name, source) for value in values])


def _moment(value: Any) -> Any:
    whole = value is None or isinstance(value, datetime.datetime)
    return value if whole else datetime.datetime.combine(value, datetime.time())


def _field(value: Any, name: str, source: str) -> str | None:
    """Convert a value to the text that a text file would contain for it."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, int | float | Decimal):
        return repr(int(value)) if value == int(value) else repr(value) if math.isfinite(value) else str(value)
    if isinstance(value, datetime.timedelta):
        return repr(value.total_seconds())
    raise _nested(value, name, source)


def _nested(value: Any, name: str, source: str) -> ReadingError:
    return ReadingError(
        f"{source}: column {name!r} contains a {type(value).__name__}; expected numbers, text or dates. Spread nested "
        "values over several columns, or drop the column."
    )


# -- Excel


def read_excel(content: bytes, sheet: str | int | None, header: bool | None, budget: Budget) -> RawTable:
    """Read one sheet of an Excel workbook, by default the first, with openpyxl."""
    source = budget.source
    if not content.startswith(b"PK\x03\x04"):
        raise ReadingError(
            f"{source} is not an .xlsx workbook; the older .xls format is not supported. Save it as .xlsx or CSV, or "
            "use pandas.read_excel."
        )
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            inside, size = archive.namelist(), sum(info.file_size for info in archive.infolist())
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError, struct.error) as error:
        what = {"priorcase": "saved model", "ods": "OpenDocument file"}.get(source.rpartition(".")[2], "Excel workbook")
        raise ReadingError(f"{source} is not a complete {what}. {_DAMAGED}") from error
    if "content.xml" in inside:
        raise ReadingError(f"{source} is an OpenDocument file, which cannot be read. Save the sheet as .xlsx or CSV.")
    if "xl/workbook.xml" not in inside:
        raise ReadingError(
            f"{source} is an archive, not an Excel workbook (.xlsx). Unpack it, or save the sheet as .xlsx or CSV."
        )
    budget.check_size(size)
    if find_spec("openpyxl") is None:
        raise MissingExtraError(
            f"Reading the Excel workbook {source} requires openpyxl. Install it with pip install openpyxl (or "
            "priorcase[excel]), or save the sheet as CSV."
        )
    rows, title = _excel_rows(content, sheet, budget)
    numbers = [number for number, _ in rows]
    records = [row for _, row in rows]
    width = max(map(len, records), default=0)
    if not records:
        raise ReadingError(
            f"{source} is empty; expected a header and one row per case. Check that this is the right file."
        )
    budget.check_table(len(records), width)
    if header is None:
        header = has_header([_shown_cells(row, width) for row in records[:200]])
    names = [free_name(at, ()) for at in range(width)]
    if header:
        told = _shown_cells(records[0], width)
        told = [name.strip() for name in told]
        taken = set(told)
        names = [name or free_name(at, taken) for at, name in enumerate(told)]
        records, numbers = records[1:], numbers[1:]
    about = {"header": header} | ({} if title is None else {"sheet": title})
    columns = islice(chain(zip_longest(*records), repeat(())), width)
    return from_columns(source, names, columns, len(records), lines=runs(numbers), about=about)


def _shown_cells(row: Sequence[Any], width: int) -> list[str]:
    """Return the cells of a row as ``width`` strings."""
    shown = ["" if cell is None else str(cell) for cell in row]
    return shown + [""] * (width - len(row))


def _excel_rows(
    content: bytes, sheet: str | int | None, budget: Budget
) -> tuple[list[tuple[int, list[Any]]], str | None]:
    """Return the nonempty rows as (row number, cells) pairs, and the name of the sheet (None if there is only one)."""
    from openpyxl.reader.excel import ExcelReader

    found: list[tuple[int, list[Any]]] = []
    cells = 0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings about styles and validations do not matter here
            reader = ExcelReader(io.BytesIO(content), read_only=True, data_only=True, keep_links=False)
            with closing(reader.archive):
                _limit_parts(reader.archive, budget)
                reader.read()
                chosen = _sheet_of(reader.wb, sheet, budget.source)
                chosen.reset_dimensions()  # the declared dimensions can be far larger than the table
                title = str(chosen.title) if len(reader.wb.sheetnames) > 1 else None
                for number, row in enumerate(chosen.iter_rows(values_only=True), start=1):
                    cells += len(row)
                    budget.check_table(cells, 1)
                    if number > _EXCEL_ROWS:
                        raise ReadingError(f"{budget.source} has a row beyond {_EXCEL_ROWS:,}. {_DAMAGED}")
                    values = [cell if cell != "" else None for cell in row]
                    while values and values[-1] is None:
                        values.pop()
                    if values:
                        found.append((number, values))
    except ReadingError:
        raise
    except _EXCEL_ERRORS as error:  # openpyxl and its parsers raise many kinds of errors
        if isinstance(error.__cause__, ReadingError):
            raise error.__cause__ from None
        raise ReadingError(f"{budget.source} is not a complete Excel workbook: {reason(error)}. {_DAMAGED}") from error
    return found, title


def _limit_parts(archive: zipfile.ZipFile, budget: Budget) -> None:
    """Check the elements of each part of a workbook while openpyxl reads it."""

    def open_part(name: Any, *how: Any, **options: Any) -> IO[bytes]:
        return cast("IO[bytes]", _Part(opened(name, *how, **options), budget))

    opened = archive.open
    archive.open = open_part  # type: ignore[method-assign]


class _Part(io.RawIOBase):
    """A part of a workbook; its XML elements are counted, because openpyxl may keep all of them in memory."""

    def __init__(self, file: IO[bytes], budget: Budget) -> None:
        self._file = file
        self._budget = budget
        self._elements = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        piece = self._file.read(-1 if size is None else size)
        self._elements += piece.count(b"<") - piece.count(b"</")
        self._budget.check_size(_ELEMENT * self._elements)
        return piece

    def close(self) -> None:
        self._file.close()
        super().close()


def _sheet_of(book: Any, sheet: str | int | None, source: str) -> Any:
    names = list(book.sheetnames)
    if isinstance(sheet, str) and sheet not in names and sheet.isdecimal():
        sheet = int(sheet)
    if sheet is None:
        sheet = 1
    if isinstance(sheet, str) and sheet in names:
        found = book[sheet]
    elif is_whole(sheet) and 1 <= int(sheet) <= len(names):
        found = book[names[int(sheet) - 1]]
    else:
        remedy = advice(sheet, names, otherwise="Pass the name of a sheet, or its number from 1.")
        raise ReadingError(f"{source} has no sheet {quoted(sheet)}; it has {listed(names)}. {remedy}")
    if not hasattr(found, "iter_rows"):
        raise ReadingError(f"{source}: the sheet {quoted(sheet)} is a chart, not a table. Choose another sheet.")
    return found


# -- JSON lines


def read_json_lines(text: str, budget: Budget) -> RawTable:
    """Read JSON lines, with one object on each line, or a JSON array of objects."""
    source = budget.source
    columns: dict[str, list[Any]] = {}
    lines = array("q")
    for line, found in _json_objects(text, budget):
        if not isinstance(found, dict):
            raise ReadingError(
                f'{source} line {line} is not a JSON object; expected one object per row, such as {{"age": 7}}.'
            )
        for name, value in found.items():
            if isinstance(value, list | dict):
                raise _nested(value, name, source)
            if name not in columns:
                budget.check_table(len(lines) + 1, len(columns) + 1)
                columns[name] = []
            column = columns[name]
            if len(column) < len(lines):
                column.extend(repeat(None, len(lines) - len(column)))
            column.append(value)
        lines.append(line)
        if len(lines) % _ROWS == 0:
            budget.check_table(len(lines), len(columns))
    budget.check_table(len(lines), len(columns))
    if not columns:
        raise ReadingError(
            f"{source} is empty; expected a JSON object on each line. Check that this is the right file."
        )
    for column in columns.values():
        column.extend(repeat(None, len(lines) - len(column)))
    named = [name.strip() or free_name(at, columns) for at, name in enumerate(columns)]
    return from_columns(source, named, columns.values(), len(lines), lines=runs(lines))


def _json_objects(text: str, budget: Budget) -> Iterator[tuple[int, Any]]:
    """Yield the value on each line, or the items of a single JSON array, with the line or item number from 1."""
    line = 1
    try:
        if text.startswith("[", _after_blanks(text, 0)):
            yield from enumerate(_json_items(text, budget), start=1)
            return
        for line, part in numbered_lines(text):
            if part.strip():
                check_json(part, budget)
                yield line, json.loads(part)
    except (ValueError, RecursionError) as error:
        if isinstance(error, ReadingError):
            raise
        raise ReadingError(
            f"{budget.source} line {line} is not valid JSON: {reason(error)}. Expected an object on each line."
        ) from error


def check_json(text: str | bytes, budget: Budget) -> None:
    """Check the number of values in a long JSON text before it is parsed."""
    if len(text) > _WINDOW:
        marks: Any = ":[{," if isinstance(text, str) else (b":", b"[", b"{", b",")
        budget.check_parts(sum(map(text.count, marks)))


def _json_items(text: str, budget: Budget) -> Iterator[Any]:
    """Yield the items of a JSON array, parsed one at a time from a window of the text."""
    decode = json.JSONDecoder().raw_decode
    at = _after_blanks(text, _after_blanks(text, 0) + 1)
    begin, size = 0, _WINDOW
    window = text[:size]
    more = text[at : at + 1] != "]"
    if not more:
        at = _after_blanks(text, at + 1)
    while more:
        try:
            value, length = decode(window, at - begin)
        except ValueError:
            if begin + len(window) >= len(text):
                raise
            size = 2 * size if at == begin else _WINDOW
            begin = at
            window = text[begin : begin + size]
            if size > _WINDOW:
                check_json(window, budget)
            continue
        yield value
        at = _after_blanks(text, begin + length)
        mark = text[at : at + 1]
        if mark not in (",", "]"):
            raise json.JSONDecodeError("Expecting ',' delimiter", text, at)
        at = _after_blanks(text, at + 1)
        more = mark == ","
    if at < len(text):
        raise json.JSONDecodeError("Extra data", text, at)


def _after_blanks(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    return at if found is None else found.end()


# -- SQLite


def read_sqlite(source: Readable, content: bytes, table: str | None, budget: Budget) -> RawTable:
    """Read a table of an SQLite database; the table name can be omitted if there is only one table."""
    called = budget.source
    try:
        with closing(_database(source, content)) as base:
            base.text_factory = lambda given: given.decode("utf-8", "replace")
            base.execute("PRAGMA trusted_schema = OFF")
            base.execute("PRAGMA cell_size_check = ON")
            table = _table_of(base, table, called)
            base.set_authorizer(partial(_authorized, table))
            _limit_rows(base, table, budget)
            found = base.execute(f"SELECT * FROM {_identifier(table)}")
            names = [name for name, *_ in found.description]
            rows = []
            for row in found:
                budget.charge(sum(len(cell) for cell in row if isinstance(cell, str | bytes)))
                rows.append(row)
    except ReadingError:
        raise
    except (sqlite3.Error, ValueError, OverflowError) as error:
        if "too big" in str(error):
            budget.refuse(f" (a row of the table {table!r})")
        raise ReadingError(f"{called} is not a complete SQLite database: {reason(error)}. {_DAMAGED}") from error
    named = [name.strip() or free_name(at, names) for at, name in enumerate(names)]
    columns = zip(*rows, strict=True) if rows else repeat((), len(names))
    return from_columns(f"{called}::{table}" if "::" not in called else called, named, columns, len(rows))


def _table_of(base: sqlite3.Connection, table: str | None, called: str) -> str:
    """Return the requested table, or the only table of a database; views and virtual tables run code of the file."""
    query = (
        "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"
    )
    names = [name for (name,) in base.execute(query)]
    if table is None and len(names) == 1:
        return str(names[0])
    if table is not None and table in names:
        return table
    if not names:
        raise ReadingError(f"{called} is a database without tables. Check that this is the right file.")
    example = f"Choose a table, for example {called}::{names[0]}."
    remedy = example if table is None else advice(table, names, otherwise=example)
    asked = "has several tables:" if table is None else f"has no table {table!r}; its tables are"
    raise ReadingError(f"{called} {asked} {listed(names)}. {remedy}")


def _limit_rows(base: sqlite3.Connection, table: str, budget: Budget) -> None:
    """Check the number of cells; limit the size of values, so that all values computed for one row fit the budget."""
    columns = base.execute(f"PRAGMA table_xinfo({_identifier(table)})").fetchall()
    (rows,) = base.execute(f"SELECT count(*) FROM {_identifier(table)}").fetchone()
    budget.check_table(rows, len(columns))
    parts = len(columns)
    if any(hidden == _VIRTUAL for *_, hidden in columns):
        (length,) = base.execute("SELECT length(sql) FROM sqlite_master WHERE name = ?", [table]).fetchone()
        parts += length // _TERM
    base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(budget.most_bytes // max(parts, 1), 2**31 - 1))


def _authorized(table: str, action: int, first: str | None, second: str | None, *_: str | None) -> int:
    """Allow SQLite to read one table, but nothing that a manipulated file could make it run beside that."""
    if action == sqlite3.SQLITE_READ:
        allowed = first in (table, "sqlite_master")
    elif action == sqlite3.SQLITE_PRAGMA:
        allowed = first == "table_xinfo"
    elif action == _FUNCTION:
        allowed = second in ("count", "length")
    else:
        allowed = action == sqlite3.SQLITE_SELECT
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def _identifier(name: str) -> str:
    return '"{}"'.format(name.replace('"', '""'))


def _database(source: Readable, content: bytes) -> sqlite3.Connection:
    """Open an SQLite database file read-only, or the content of a compressed or open file in memory."""
    if isinstance(source, str | os.PathLike):
        path = Path(table_of(os.fspath(source))[0])
        if not path.exists():
            raise missing_file(path)
        with path.open("rb") as file:
            if file.read(len(_SQLITE)) == _SQLITE:
                return sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True)
    base = sqlite3.connect(":memory:")
    base.deserialize(content)
    return base
