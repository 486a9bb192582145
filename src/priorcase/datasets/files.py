"""Read file formats: compressed files, Excel workbooks, Parquet, Feather, JSON lines and SQLite databases."""

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
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from decimal import Decimal
from importlib.util import find_spec
from pathlib import Path, PurePath
from typing import IO, Any, Literal, TypeAlias, get_args
from urllib.parse import quote

from priorcase._files import check_path, missing_file, read_file
from priorcase._parameters import is_whole
from priorcase.datasets.delimited import RawTable, check_names, free_name, has_header, runs
from priorcase.datasets.values import text_of
from priorcase.exceptions import MissingExtraError, ParameterError, ReadingError, advice, listed, quoted

Readable: TypeAlias = str | os.PathLike[str] | IO[bytes]
"""A path, or an open binary file."""

Format: TypeAlias = Literal["csv", "tsv", "arff", "c4.5", "excel", "parquet", "feather", "jsonl", "sqlite"]
FORMATS: tuple[Format, ...] = get_args(Format)

MAX_BYTES = 2**30
"""Default limit on the size of a decompressed file."""

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
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_INDEX = re.compile(r"__index_level_\d+__")
_DICTIONARY = 2**29  # memory limit for xz decompression, in bytes
_DAMAGED = "Copy or download the file again."
_EXCEL_ERRORS = (
    *(ArithmeticError, AssertionError, AttributeError, EOFError, LookupError, MemoryError, OSError, RuntimeError),
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


def contents(source: Readable, name: str | None = None, max_bytes: int = MAX_BYTES) -> tuple[str, bytes]:
    """Return the file name used in messages, and the bytes of the file, decompressed if necessary."""
    if not is_whole(max_bytes) or max_bytes < 0:
        raise ParameterError(f"max_bytes must be an integer >= 0, got {quoted(max_bytes)}.")
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
    return name, _unpacked(name, content, max_bytes)


def _unpacked(name: str, content: bytes, max_bytes: int) -> bytes:
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
    found = bytearray()
    try:
        for piece in pieces:
            found += piece
            if len(found) > max_bytes:
                raise _too_large(name, max_bytes)
    except _unpacking_errors() as error:
        if isinstance(error, ReadingError):
            raise
        raise ReadingError(f"{name} looks compressed by {word} but is truncated or damaged. {_DAMAGED}") from error
    return bytes(found)


def _too_large(name: str, max_bytes: int) -> ReadingError:
    return ReadingError(
        f"{name} has more than {max_bytes:,} bytes uncompressed. Pass a larger max_bytes (--read max_bytes=) if you "
        "trust the file."
    )


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
    usual = (EOFError, OSError, ValueError, zlib.error, lzma.LZMAError, MemoryError)
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


def from_rows(source: str, names: Sequence[str], rows: Sequence[Sequence[Any]], **more: Any) -> RawTable:
    """Create a table from rows of numbers, strings, booleans and dates; columns of mixed types become strings."""
    check_names(names, source)
    columns = list(zip(*rows, strict=True)) if rows else [() for _ in names]
    made = {name: _typed_column(column, name, source) for name, column in zip(names, columns, strict=True)}
    return RawTable(source, made, len(rows), **more)


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
    raise ReadingError(
        f"{source}: column {name!r} contains a {type(value).__name__}; expected numbers, text or dates. Spread nested "
        "values over several columns, or drop the column."
    )


# -- Excel


def read_excel(content: bytes, source: str, sheet: str | int | None, header: bool | None, max_bytes: int) -> RawTable:
    """Read one sheet of an Excel workbook, by default the first, with openpyxl."""
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
    if size > max_bytes:
        raise _too_large(source, max_bytes)
    if find_spec("openpyxl") is None:
        raise MissingExtraError(
            f"Reading the Excel workbook {source} requires openpyxl. Install it with pip install openpyxl (or "
            "priorcase[excel]), or save the sheet as CSV."
        )
    rows, title = _excel_rows(content, source, sheet, max_bytes)
    width = max((len(row) for _, row in rows), default=0)
    records = [[*row, *[None] * (width - len(row))] for _, row in rows]
    if not records:
        raise ReadingError(
            f"{source} is empty; expected a header and one row per case. Check that this is the right file."
        )
    if header is None:
        header = has_header([["" if cell is None else str(cell) for cell in row] for row in records[:200]])
    numbers = [number for number, _ in rows]
    names = [free_name(at, ()) for at in range(width)]
    if header:
        told = ["" if cell is None else str(cell).strip() for cell in records[0]]
        names = [name or free_name(at, told) for at, name in enumerate(told)]
        records, numbers = records[1:], numbers[1:]
    about = {"header": header} | ({} if title is None else {"sheet": title})
    return from_rows(source, names, records, lines=runs(numbers), about=about)


def _excel_rows(
    content: bytes, source: str, sheet: str | int | None, max_bytes: int
) -> tuple[list[tuple[int, list[Any]]], str | None]:
    """Return the nonempty rows as (row number, cells) pairs, and the name of the sheet (None if there is only one)."""
    import openpyxl

    found: list[tuple[int, list[Any]]] = []
    cells = 0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings about styles and validations do not matter here
            book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
            with closing(book):
                chosen = _sheet_of(book, sheet, source)
                title = str(chosen.title) if len(book.sheetnames) > 1 else None
                for number, row in enumerate(chosen.iter_rows(values_only=True), start=1):
                    cells += len(row) + 1
                    if 8 * cells > max_bytes:
                        raise _too_large(source, max_bytes)
                    values = [cell if cell != "" else None for cell in row]
                    while values and values[-1] is None:
                        values.pop()
                    if values:
                        found.append((number, values))
    except ReadingError:
        raise
    except _EXCEL_ERRORS as error:  # openpyxl and its parsers raise many kinds of errors
        raise ReadingError(f"{source} is not a complete Excel workbook: {_reason(error)}. {_DAMAGED}") from error
    return found, title


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


def _reason(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")[:200]


# -- Parquet and Feather


def read_arrow(content: bytes, source: str, format: Format, max_bytes: int) -> RawTable:
    """Read the columns of a Parquet or Feather file with their types; an unnamed pandas index is dropped."""
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet

    word = "Parquet" if format == "parquet" else "Feather"
    try:
        if format == "parquet":
            file = pyarrow.parquet.ParquetFile(io.BytesIO(content))
            groups = [file.metadata.row_group(at).total_byte_size for at in range(file.metadata.num_row_groups)]
            cells = file.metadata.num_rows * len(file.schema_arrow.names)
            if sum(groups) > max_bytes or 8 * cells > max_bytes:
                raise _too_large(source, max_bytes)
            table = file.read()
        else:
            table = pyarrow.feather.read_table(io.BytesIO(content))
        table.validate(full=True)
        if table.nbytes > max_bytes:
            raise _too_large(source, max_bytes)
        names = [str(name) for name in table.column_names]
    except (pa.ArrowException, OSError, UnicodeDecodeError, MemoryError, OverflowError, TypeError) as error:
        raise ReadingError(
            f"{source} is not valid {word}: {_reason(error)}. Copy the file again, or pass its format."
        ) from error
    kept = {name: column for name, column in zip(names, table.columns, strict=True) if not _INDEX.fullmatch(name)}
    check_names(names, source)
    columns = {name: _simple_column(column, name, source) for name, column in kept.items()}
    return RawTable(source, columns, table.num_rows, about={"typed": True})


def _simple_column(column: Any, name: str, source: str) -> Any:
    """Convert a column to a simple type: numbers, booleans, text, categories or timestamps."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import types

    kind = column.type
    try:
        if types.is_null(kind):
            return column.cast(pa.float64())
        if types.is_decimal(kind) or types.is_float16(kind):
            return column.cast(pa.float64())
        if types.is_date(kind):
            return column.cast(pa.timestamp("ms")).cast(pa.timestamp("us"))
        if types.is_timestamp(kind):
            return column.cast(pa.timestamp("us", tz=kind.tz), safe=False)
        if types.is_duration(kind):
            return pc.divide(column.cast(pa.duration("us"), safe=False).cast(pa.int64()).cast(pa.float64()), 1e6)
        if types.is_time(kind):
            return column.cast(pa.string())
        if types.is_dictionary(kind):
            return _categories(column)
        if types.is_large_string(kind) or str(kind) == "string_view":
            return column.cast(pa.string())
    except pa.ArrowException as error:
        raise ReadingError(
            f"{source}: column {name!r} cannot be read: {_reason(error)}. Convert or drop the column."
        ) from error
    if types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_string(kind):
        return column
    raise ReadingError(
        f"{source}: column {name!r} is {kind}; expected numbers, text, dates or categories. Spread nested values over "
        "several columns, or drop the column."
    )


def _categories(column: Any) -> Any:
    """Encode string categories with one dictionary that keeps their order; convert other categories to plain values."""
    import pyarrow as pa
    from pyarrow import types

    kind = column.type
    if types.is_string(kind.value_type) or types.is_large_string(kind.value_type):
        words = pa.dictionary(pa.int32(), pa.string(), kind.ordered)
        unified = column.cast(words) if kind != words else column
        return unified.unify_dictionaries()
    return column.cast(kind.value_type)


# -- JSON lines


def read_json_lines(text: str, source: str) -> RawTable:
    """Read JSON lines, with one object on each line, or a JSON array of objects."""
    rows: list[dict[str, Any]] = []
    lines: list[int] = []
    for line, found in _json_objects(text, source):
        if not isinstance(found, dict):
            raise ReadingError(
                f'{source} line {line} is not a JSON object; expected one object per row, such as {{"age": 7}}.'
            )
        rows.append(found)
        lines.append(line)
    names = list(dict.fromkeys(name for row in rows for name in row))
    if not names:
        raise ReadingError(
            f"{source} is empty; expected a JSON object on each line. Check that this is the right file."
        )
    named = [name.strip() or free_name(at, names) for at, name in enumerate(names)]
    return from_rows(source, named, [[row.get(name) for name in names] for row in rows], lines=runs(lines))


def _json_objects(text: str, source: str) -> Iterable[tuple[int, Any]]:
    whole = text.lstrip()[:1] == "["
    for line, part in [(1, text)] if whole else enumerate(text.split("\n"), start=1):
        if not part.strip():
            continue
        try:
            found = json.loads(part)
        except (ValueError, RecursionError) as error:
            raise ReadingError(
                f"{source} line {line} is not valid JSON: {_reason(error)}. Expected an object on each line."
            ) from error
        yield from enumerate(found, start=1) if whole and isinstance(found, list) else [(line, found)]


# -- SQLite


def read_sqlite(source: Readable, content: bytes, called: str, table: str | None, max_bytes: int) -> RawTable:
    """Read a table of an SQLite database; the table name can be omitted if there is only one table."""
    try:
        with closing(_database(source, content)) as base:
            base.text_factory = lambda given: given.decode("utf-8", "replace")
            base.execute("PRAGMA trusted_schema = OFF")
            base.execute("PRAGMA cell_size_check = ON")
            query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"
            names = [name for (name,) in base.execute(query)]
            if table is None and len(names) == 1:
                table = names[0]
            if table is None or table not in names:
                if not names:
                    raise ReadingError(f"{called} is a database without tables. Check that this is the right file.")
                example = f"Choose a table, for example {called}::{names[0]}."
                remedy = example if table is None else advice(table, names, otherwise=example)
                asked = "has several tables:" if table is None else f"has no table {table!r}; its tables are"
                raise ReadingError(f"{called} {asked} {listed(names)}. {remedy}")
            found = base.execute('SELECT * FROM "{}"'.format(table.replace('"', '""')))
            columns = [column for column, *_ in found.description]
            rows, size = [], 0
            for row in found:
                size += 8 * len(row) + sum(len(cell) for cell in row if isinstance(cell, str | bytes))
                if size > max_bytes:
                    raise _too_large(called, max_bytes)
                rows.append(row)
    except (sqlite3.Error, ValueError, OverflowError, MemoryError) as error:
        if isinstance(error, ReadingError):
            raise
        raise ReadingError(f"{called} is not a complete SQLite database: {_reason(error)}. {_DAMAGED}") from error
    named = [name.strip() or free_name(at, columns) for at, name in enumerate(columns)]
    return from_rows(f"{called}::{table}" if "::" not in called else called, named, rows)


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
