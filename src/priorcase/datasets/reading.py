"""Tables from files: CSV, TSV, ARFF, Parquet and C4.5.

A file is read in two steps, so that new cases are understood exactly as the stored ones were: the readers here return
fields as text, :meth:`TextTable.kinds` decides what each column means, and :meth:`TextTable.typed` applies that
decision to this file or to another one.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import os
import re
import zlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path, PurePath
from typing import IO, Any, Literal, NamedTuple, TypeAlias, get_args

from priorcase._files import check_path, read_file
from priorcase._parameters import is_whole
from priorcase.datasets.columns import MISSING, Field, TextTable, check_names, text_of
from priorcase.exceptions import MissingExtraError, ParameterError, ReadingError, listed, prefix_errors, quoted
from priorcase.schema import Kind, Nominal, Numeric, Ordinal

Readable: TypeAlias = str | os.PathLike[str] | IO[bytes]
"""A path, or an open binary file."""

Format: TypeAlias = Literal["csv", "tsv", "arff", "parquet", "c4.5"]
FORMATS: tuple[Format, ...] = get_args(Format)

MAX_BYTES = 2**30
"""How large a gzipped file may be when unpacked, unless the caller allows more."""

_SUFFIXES: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".arff": "arff",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".names": "c4.5",
    ".data": "c4.5",
    ".test": "c4.5",
}
_DELIMITERS = {"csv": ",", "tsv": "\t"}
_WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # Excel's formats; other archives begin so too
_DATE_HINT = (
    "expected numbers, text or categories. Convert dates first: to a number such as days since a reference date, or to "
    "a category such as the month or the weekday."
)


@prefix_errors
def read_table(
    source: Readable,
    *,
    format: Format | None = None,
    target: str | None = None,
    missing: str | Collection[str] | None = None,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    name: str | None = None,
    max_bytes: int = MAX_BYTES,
) -> TextTable:
    """The table that a file holds, as text with what is known about its columns.

    ========  ======================================================================================================
    csv, tsv  a header row, then rows; columns that hold only numbers are numeric, others nominal
    arff      Weka's format, dense or sparse; kinds by its header, nominal columns with the values declared there
    parquet   through PyArrow or Polars; kinds by type, ordered dictionaries ordinal
    c4.5      ``x.names`` describes the rows of ``x.data`` or ``x.test``; the target is ``"class"``
    ========  ======================================================================================================

    Gzipped files are unpacked. ``read_table(...).split("price")`` makes X and y of it.

    Parameters
    ----------
    source
        A path or an open binary file. For C4.5 the path of the ``.data``, ``.test`` or ``.names`` file.
    format
        The format; None to infer it from the content and the name.
    target
        The column to predict; None for the one that the file names, if it does.
    missing
        A field, or several, to read as missing. None: ``?``, ``NA``, ``NaN``, ``nan``, ``null`` and ``NULL`` in CSV
        and TSV. What the format itself calls missing always is.
    delimiter
        The character between fields of CSV; None for a comma, or a tab in TSV.
    encoding
        The character encoding.
    name
        The name of the file in messages; its path if None.
    max_bytes
        The size up to which a gzipped file is unpacked, 1 GiB by default.

    Raises
    ------
    ReadingError
        The file is not a table in this format; the message says where and what to do.
    OSError
        The file cannot be opened; `MissingFileError` where it does not exist.

    Examples
    --------
    >>> import io
    >>> read_table(io.BytesIO(b"age\\tsize\\n7\\tS\\n\\tL\\n"), name="shoes.tsv")
    shoes.tsv: 2 rows
       age   numeric  1 missing
       size  nominal
    """
    extra = None if missing is None else _fields_of(missing)
    called, content = contents(source, name, max_bytes)
    found = format_of(source, content, format)
    if delimiter is not None and found not in _DELIMITERS:
        raise ReadingError(
            f"got delimiter={quoted(delimiter)} for a table in the format {found}; it is for csv and tsv. Leave it out."
        )
    if found == "parquet":
        table = text_of(_parquet_frame(content, called), called, missing=extra or ())
    elif found == "arff":
        table = read_arff(decoded(content, called, encoding), called, missing=extra or ())
    elif found == "c4.5":
        (about, names), (called, content) = _c45_files(source, content, called, max_bytes)
        header, rows = decoded(names, about, encoding), decoded(content, called, encoding)
        table = read_c45(header, about, rows, called, missing=extra or ())
    else:
        text, mark = decoded(content, called, encoding), _DELIMITERS[found] if delimiter is None else delimiter
        table = read_delimited(text, called, missing=MISSING if extra is None else extra, delimiter=mark)
    if target is None:
        return table
    table.require([target])
    return replace(table, target=target)


def read_text(
    source: Readable,
    *,
    missing: str | Collection[str] = MISSING,
    delimiter: str = ",",
    encoding: str = "utf-8",
    name: str | None = None,
    max_bytes: int = MAX_BYTES,
) -> TextTable:
    """The fields of a CSV file with a header row, as text; see `read_table` for the parameters.

    Spaces around a field are ignored, blank lines are skipped, and an empty field is always missing.

    Examples
    --------
    >>> import io
    >>> table = read_text(io.BytesIO(b"age,size\\n7,S\\n?,L\\n"))
    >>> table.names, table.column("age")
    (('age', 'size'), ('7', None))
    """
    name, content = contents(source, name, max_bytes)
    return read_delimited(decoded(content, name, encoding), name, missing=_fields_of(missing), delimiter=delimiter)


def _fields_of(missing: object) -> Collection[str]:
    """The fields to read as missing; a string is one of them, not its characters."""
    fields = (missing,) if isinstance(missing, str) else missing
    if not isinstance(fields, Collection) or not all(isinstance(field, str) for field in fields):
        raise ParameterError(f"missing must be a string or a list of strings, got {quoted(missing)}.")
    return fields


# -- bytes, text and formats


def contents(source: Readable, name: str | None = None, max_bytes: int = MAX_BYTES) -> tuple[str, bytes]:
    """The name of a file in messages, and its bytes; a gzipped one is unpacked whatever its name."""
    if not is_whole(max_bytes) or max_bytes < 0:
        raise ParameterError(f"max_bytes must be a whole number of 0 or more, got {quoted(max_bytes)}.")
    if isinstance(source, str | os.PathLike):
        name, content = name or os.fspath(source), read_file(check_path(source))
    elif not hasattr(source, "read"):
        raise ReadingError(
            f"A table is read from a path or an open binary file; got {type(source).__name__}. Pass a frame, an array "
            "or a list of rows to fit as it is."
        )
    else:
        name, content = name or str(getattr(source, "name", "the table")), source.read()
    if not hasattr(content, "decode"):  # text, from a stream whose type said bytes
        raise ReadingError(
            f"{name} was opened as text; expected a path or a binary file. Pass the "
            "path, open(path, 'rb') or io.BytesIO(text.encode())."
        )
    if content.startswith(_WORKBOOKS):
        raise ReadingError(
            f"{name} is an Excel or OpenDocument workbook or an archive. Save its sheet as CSV, or pass the frame from "
            "pandas.read_excel."
        )
    return name, _unpacked(name, content, max_bytes) if content.startswith(b"\x1f\x8b") else content


def _unpacked(name: str, content: bytes, max_bytes: int) -> bytes:
    found = bytearray()
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            while piece := file.read(2**20):
                found += piece
                if len(found) > max_bytes:
                    too_large = f"{name} has more than {max_bytes:,} bytes when unpacked"
                    raise ReadingError(f"{too_large}. Pass a larger max_bytes if you trust it.")
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ReadingError(f"{name} looks gzipped but is cut short or damaged. Copy or download it again.") from error
    return bytes(found)


def decoded(content: bytes, name: str, encoding: str = "utf-8") -> str:
    """The bytes as text, without a byte-order mark."""
    if not isinstance(encoding, str):
        raise ParameterError(f"encoding must be the name of an encoding such as 'utf-8', got {quoted(encoding)}.")
    try:
        text = content.decode("utf-8-sig" if encoding.lower() in {"utf-8", "utf8"} else encoding)
        line = text.count("\n", 0, text.index("\0")) + 1 if "\0" in text else None
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
    except (LookupError, ValueError) as error:  # no encoding, or none of text
        raise ReadingError(
            f"The encoding {encoding!r} is unknown. Common ones are utf-8, utf-16, latin-1 and cp1252."
        ) from error
    if line is not None:
        remedy = "Save it as UTF-8, or name its encoding, such as latin-1 or utf-16."
        if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and "16" not in encoding:
            remedy = "It begins with the byte-order mark of UTF-16: pass encoding='utf-16'."
        raise ReadingError(f"{name} line {line} is not text in the encoding {encoding}. {remedy}")
    return text


def format_of(source: Readable, content: bytes, format: object = None) -> Format:
    """The format asked for, else that of the content (Parquet, ARFF), else that of the suffix, else TSV or CSV."""
    if format is not None:
        found = next((known for known in FORMATS if known == format), None)
        if found is None:
            raise ReadingError(
                f"got format={quoted(format)}; expected one of {listed(FORMATS, limit=len(FORMATS))}; None infers it."
            )
        return found
    if content.startswith(b"PAR1"):
        return "parquet"
    lines = (line.removeprefix(b"\xef\xbb\xbf").strip() for line in content[: 2**20].splitlines())
    first = next((line for line in lines if line and not line.startswith(b"%")), b"")
    if first[:10].lower().startswith((b"@relation", b"@attribute", b"@data")):
        return "arff"
    if isinstance(source, str | os.PathLike):
        suffix = PurePath(os.fspath(source).lower().removesuffix(".gz")).suffix
        if suffix in _SUFFIXES:
            return _SUFFIXES[suffix]
    return "tsv" if b"\t" in first and b"," not in first else "csv"


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines and their numbers; a form feed or a Unicode separator ends no line."""
    return enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), start=1)


def _check_width(source: str, line: int, fields: int, expected: int) -> None:
    if fields != expected:
        raise ReadingError(
            f"{source} line {line} has {fields} field{'s' * (fields != 1)}; its header has {expected}. Put fields that "
            "hold the delimiter between quotation marks, or name the right delimiter."
        )


def _columns(
    rows: Sequence[Sequence[Field]], width: int, missing: Collection[Field] = ()
) -> tuple[tuple[Field, ...], ...]:
    """Rows as columns, some fields as missing."""
    columns = zip(*rows, strict=True) if rows else iter([()] * width)
    return tuple(tuple(None if f in missing else f for f in column) if missing else column for column in columns)


class _MalformedError(Exception):
    """What is wrong with a line, and where the reader does not know it, the line."""


# -- CSV and TSV


def read_delimited(text: str, source: str, *, missing: Collection[str] = MISSING, delimiter: str = ",") -> TextTable:
    """The fields of a text with a header line."""
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n\0':
        raise ParameterError(f"delimiter must be a single character such as ',' or ';', got {quoted(delimiter)}.")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True)
    header: list[str] = []
    rows: list[list[Field]] = []
    lines: list[int] = []
    line, field_of = 1, _Fields({"", *missing}).__getitem__
    try:
        for record in reader:
            if not header:
                header = [field.strip() for field in record]
            elif record:
                _check_width(source, line, len(record), len(header))
                rows.append([*map(field_of, record)])
                lines.append(line)
            line = reader.line_num + 1
    except csv.Error as error:
        remedy = "Look for a quotation mark that is not closed, or write one inside a field twice."
        raise ReadingError(f"{source} line {line} is not valid CSV: {error}. {remedy}") from error
    if not header:
        raise ReadingError(
            f"{source} is empty; expected a header row and one row for each case. Is this the right file?"
        )
    check_names(header, source)
    return TextTable(source, tuple(header), _columns(rows, len(header)), tuple(lines))


class _Fields(dict[str, Field]):
    """Stripped fields, None for missing; equal ones are one object, which keeps large tables small."""

    def __init__(self, missing: Collection[str]) -> None:
        super().__init__()
        self.missing = missing
        self.once: dict[str, str] = {}

    def __missing__(self, field: str) -> Field:
        bare = field.strip()
        known = self[field] = None if bare in self.missing else self.once.setdefault(bare, bare)
        return known


# -- Parquet


def _parquet_frame(content: bytes, source: str) -> Any:
    """The frame of PyArrow or Polars, whichever is installed."""
    failures: tuple[type[Exception], ...]
    if find_spec("pyarrow") is not None:
        import pyarrow
        import pyarrow.parquet

        read, failures = pyarrow.parquet.read_table, (pyarrow.ArrowException, OSError, UnicodeDecodeError)
    elif find_spec("polars") is not None:
        import polars

        read, failures = polars.read_parquet, (polars.exceptions.PolarsError, OSError, UnicodeDecodeError)
    else:
        raise MissingExtraError(
            f"{source} is Parquet, which PyArrow or Polars reads. pip install pyarrow, or save it as CSV."
        )
    try:
        frame = read(io.BytesIO(content))
        getattr(frame, "column_names", None)  # PyArrow decodes names only now
        return frame
    except failures as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
        raise ReadingError(f"{source} is not valid Parquet: {reason}. Copy it again, or name its format.") from error


# -- ARFF, read as Weka reads it: nominal columns have the values of the header and no others, ``?`` is missing unless
# quoted, a percent sign outside quotation marks begins a comment, and what a sparse row leaves out is 0 or the first
# value. Unlike in Weka, a word may hold quotation marks and spaces. Text columns are nominal; dates are refused.

_ATTRIBUTE = re.compile(r"""@attribute\s+('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s{]+)\s*(.*)""", re.I | re.S)
_SPECIAL = re.compile(r"""['"%\t{\\]""")
_BLANKS = r"[ \t\f\v]*"
_QUOTED = r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\""""
_FIELD = re.compile(rf"{_BLANKS}(?:{_QUOTED}|([^,\t%'\"\s][^,\t%]*))?({_BLANKS})", re.S)
_FIELD_IN_BRACES = re.compile(rf"{_BLANKS}(?:{_QUOTED}|([^,\t%'\"\s{{}}][^,\t%{{}}]*))?({_BLANKS})", re.S)
_POSITION = re.compile(rf"{_BLANKS}(\d+)[ \t]+")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|[0-7]{1,3}|.)", re.S)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "b": "\b", "v": "\v", "a": "\a"}
_QUOTE_HINT = r"Write a quotation mark inside quotation marks as \' or \"."
_EMPTY_FIELD = "a field is empty. Write ? for a missing value, '' for empty text."
_ATTRIBUTE_HINT = "For example @attribute size {small, large}, or @attribute age numeric."
_PARTS_HINT = "An ARFF file has a line '@attribute NAME TYPE' for each column, then '@data', then the rows."


def read_arff(text: str, source: str, *, missing: Collection[str] = ()) -> TextTable:
    """The fields of an ARFF file as text, with the kinds that its header declares."""
    lines, line = _lines(text), 1
    declared: list[tuple[str, Kind]] = []
    rows: list[list[Field]] = []
    begins: list[int] = []
    try:
        for line, record in lines:  # noqa: B007 (the error names it)
            if not (word := record.strip()) or word.startswith("%"):
                continue
            keyword = word.split()[0].lower()
            if keyword == "@data":
                break
            if keyword == "@attribute":
                declared.append(_arff_attribute(word, source))
            elif keyword != "@relation":
                raise _MalformedError(f"{word[:40]!r} stands before @data. {_PARTS_HINT}")
        else:
            raise ReadingError(f"{source} is not valid ARFF: there is no line '@data'. {_PARTS_HINT}")
        if not declared:
            raise ReadingError(f"{source} is not valid ARFF: there is no line '@attribute'. {_PARTS_HINT}")
        check_names([name for name, _ in declared], source)
        kinds = dict(declared)
        for line, record in lines:
            if fields := _arff_row(record, kinds):
                _check_width(source, line, len(fields), len(kinds))
                rows.append(fields)
                begins.append(line)
    except _MalformedError as error:
        raise ReadingError(f"{source} line {line} is not valid ARFF: {error}") from None
    table = TextTable(source, tuple(kinds), _columns(rows, len(kinds), {*missing}), tuple(begins), kinds)
    table.check_levels(kinds)
    return table


def _arff_attribute(word: str, source: str) -> tuple[str, Kind]:
    """The name and the kind that a line of the header declares."""
    if (found := _ATTRIBUTE.match(word)) is None:
        raise _MalformedError(f"an attribute has no name and type. {_ATTRIBUTE_HINT}")
    name, rest = str(arff_fields(found[1])[0][1]), found[2].strip()
    if rest.startswith("{"):
        values = [value for _, value in arff_fields(rest, braces=True)]
        if not values or None in values or len(set(values)) < len(values):
            raise _MalformedError(f"the values of {name!r} are not distinct ones. {_ATTRIBUTE_HINT}")
        return name, Nominal(tuple(map(str, values)))
    kind = rest.partition("%")[0].strip().lower()
    if kind in ("numeric", "real", "integer"):
        return name, Numeric()
    if kind == "string":
        return name, Nominal()
    if kind.split()[:1] == ["date"]:
        raise ReadingError(f"{source} has column {name!r} as date; {_DATE_HINT}")
    raise _MalformedError(f"{name!r} has the type {rest[:40]!r}, which is not supported. {_ATTRIBUTE_HINT}")


def _arff_row(record: str, kinds: dict[str, Kind]) -> list[Field]:
    """The fields of one line; none where it is empty."""
    if _SPECIAL.search(record) is None:  # nearly every row
        fields: list[Field] = [None if (bare := field.strip()) == "?" else bare for field in record.split(",")]
        if fields == [""]:
            return []
        if "" in fields:
            raise _MalformedError(_EMPTY_FIELD)
        return fields
    record = record.strip()
    if not record or record.startswith("%"):
        return []
    if record.startswith("{"):
        return _sparse_row(arff_fields(record, braces=True, positions=True), kinds)
    fields = [value for _, value in arff_fields(record)]
    if len(fields) == len(kinds) + 1 and (fields[-1] or "").startswith("{"):
        raise _MalformedError(
            "rows with weights are not read. Give weights a column, and pass it to fit as sample_weight."
        )
    return fields


def _sparse_row(found: list[tuple[int, Field]], kinds: dict[str, Kind]) -> list[Field]:
    """A row that lists only what is not 0, or not the first value."""
    fields = dict(found)
    if len(fields) < len(found) or max(fields, default=0) >= len(kinds):
        raise _MalformedError(f"a sparse row has a position twice, or one beyond {len(kinds) - 1}. They count from 0.")
    for position, (name, kind) in enumerate(kinds.items()):
        if position not in fields:
            if kind == Nominal():
                raise _MalformedError(f"a sparse row leaves out {name!r}, which is text. Write its value, or ?.")
            fields[position] = str(kind.values[0]) if isinstance(kind, Nominal) and kind.values else "0"
    return [fields[position] for position in range(len(kinds))]


def arff_fields(text: str, *, braces: bool = False, positions: bool = False) -> list[tuple[int, Field]]:
    """The positions and values of the fields of a line, or of the braces it begins with, up to a comment."""
    fields: list[tuple[int, Field]] = []
    at, more, empty = int(braces), True, False
    if braces and text[1:].lstrip().startswith("}"):
        at, more = text.index("}") + 1, False
    while more:
        position = len(fields)
        if positions:
            if (numbered := _POSITION.match(text, at)) is None:
                here = text[at : at + 40].lstrip()
                raise _MalformedError(f"{here!r} is not a position from 0 with its value: {{POSITION VALUE, ...}}.")
            position, at = int(numbered[1]), numbered.end()
        found = (_FIELD_IN_BRACES if braces else _FIELD).match(text, at)
        assert found is not None  # every part of it may be empty
        single, double, word, blanks = found.groups()
        inside = single if single is not None else double
        value = (word or "").strip() if inside is None else _ESCAPE.sub(_unescaped, inside)
        empty |= not value and inside is None
        fields.append((position, None if value == "?" and inside is None else value))
        at = found.end()
        if braces and text.startswith("}", at):
            at, more = at + 1, False
        elif at == len(text) or text[at] == "%":
            if braces:
                raise _MalformedError("a brace is not closed. It must end on the line where it begins.")
            more = False
        elif text[at] == ",":
            at += 1
        elif "\t" not in blanks:
            if text[at] in "'\"" and not value and inside is None:
                raise _MalformedError(f"a quotation mark is not closed. {_QUOTE_HINT}")
            raise _MalformedError(f"{text[at : at + 40]!r} stands where a comma is expected. {_QUOTE_HINT}")
    if braces and (rest := text[at:].partition("%")[0].strip()):
        raise _MalformedError(f"{rest[:40]!r} follows the closing brace. A comment begins with %.")
    if empty:
        raise _MalformedError(_EMPTY_FIELD)
    return fields


def _unescaped(found: re.Match[str]) -> str:
    code = found[1]
    if len(code) == 5:
        return chr(int(code[1:], 16))
    return chr(int(code, 8)) if code[0] in "01234567" else _ESCAPES.get(code, code)


# -- C4.5: a name ends with a comma, a colon, a line or a period that a space or a line follows; ``|`` begins a comment
# and a backslash takes the next character as it is (Quinlan 1993, C4.5, section 1.2 of the user's guide). Of what C5.0
# adds, ``label`` is read as ``ignore``, ``[ordered]`` as an order, and a first line that names a column makes it the
# target.

_CLASS = "class"  # the column of the classes, which have no name in C4.5
_ORDERED = "[ordered]"
_C45_TOKEN = re.compile(r"\|[^\n]*|\s+|((?:[^\\,:\n|.]+|\.(?![\s|])|\\[^\n]|\\(?=\n))*)([,:.]|(?=[\n|]))")
_C45_SPECIAL = re.compile(r"[|\\:]|\. |  ")
_C45_ESCAPE = re.compile(r"\\([^\n])")
_NAMES_HINT = "First come the classes, then for each column 'NAME: continuous.', 'NAME: ignore.' or its values."


class C45Name(NamedTuple):
    """A name, what ends it (a comma, a colon, a period or a line), and the line it is on."""

    text: str
    ends: str
    line: int


def read_c45(names: str, names_source: str, rows: str, source: str, *, missing: Collection[str] = ()) -> TextTable:
    """The fields of a C4.5 data file as text, with the kinds that the ``.names`` file declares.

    Columns to ignore are left out. The classes are the column ``"class"``.
    """
    kinds, target = read_c45_names(names, names_source)
    fields: list[list[str]] = []
    lines: list[int] = []
    for line, record in _lines(rows):
        if found := _c45_fields(record):
            _check_width(source, line, len(found), len(kinds))
            if "" in found:
                raise ReadingError(f"{source} line {line} is not valid for C4.5: a field is empty. {_NAMES_HINT}")
            fields.append(found)
            lines.append(line)
    columns = dict(zip(kinds, _columns(fields, len(kinds), {"?", *missing}), strict=True))
    known = {name: kind for name, kind in kinds.items() if kind is not None}
    table = TextTable(source, tuple(known), tuple(columns[name] for name in known), tuple(lines), known, target)
    table.check_levels(known)
    return table


def read_c45_names(text: str, source: str) -> tuple[dict[str, Kind | None], str]:
    """The kind of each column that a ``.names`` file describes, None for those to ignore, and the target."""
    try:
        classes, *attributes = _c45_entries(c45_names(text))
        for name, *_ in attributes:
            if name.ends != ":":
                raise _MalformedError(f"{name.text!r} is followed by no colon", name.line)
        check_names([name.text for name, *_ in attributes], source)
        kinds = {name.text: _c45_kind(name, values, source) for name, *values in attributes}
        first = classes[0]
        if first.ends == ":":
            raise _MalformedError("the first line does not list the classes", first.line)
        if len(classes) == 1 and first.text in kinds:
            if kinds[first.text] is None:
                raise _MalformedError(f"the target {first.text!r} is to be ignored", first.line)
            return kinds, first.text
        if _CLASS in kinds:
            raise _MalformedError(f"a column is called {_CLASS!r}, as the classes are here", first.line)
        return {**kinds, _CLASS: _c45_values(classes)}, _CLASS
    except _MalformedError as error:
        problem, line = error.args
        raise ReadingError(f"{source} line {line} is not valid for C4.5: {problem}. {_NAMES_HINT}") from None


def _c45_entries(names: Sequence[C45Name]) -> list[list[C45Name]]:
    """Names in groups: what a colon or commas hold together."""
    entries: list[list[C45Name]] = []
    going_on = False
    for name in names:
        if name.ends == ":" and going_on:
            raise _MalformedError(f"{name.text!r} stands before a colon among values", name.line)
        if going_on:
            entries[-1].append(name)
        else:
            entries.append([name])
        going_on = name.ends in (",", ":")
    if not entries:
        raise _MalformedError("there are no classes", 1)
    return entries


def _c45_kind(name: C45Name, values: Sequence[C45Name], source: str) -> Kind | None:
    if not values:
        raise _MalformedError(f"{name.text!r} has no values", name.line)
    word = values[0].text
    if len(values) > 1 or word.startswith(_ORDERED):
        return _c45_values(values)
    if word == "continuous":
        return Numeric()
    if word in ("ignore", "label"):
        return None
    if word in ("date", "time", "timestamp"):
        raise ReadingError(f"{source} has column {name.text!r} as {word}; {_DATE_HINT}")
    if word.split()[:1] == ["discrete"]:
        return Nominal()
    raise _MalformedError(f"{name.text!r} has {word!r} as its only value", name.line)


def _c45_values(values: Sequence[C45Name]) -> Kind:
    words = [value.text for value in values]
    ordered = words[0].startswith(_ORDERED)
    words[0] = words[0].removeprefix(_ORDERED).strip()
    if "" in words or len(set(words)) < len(words):
        raise _MalformedError(f"the values {', '.join(words)} are not different ones", values[0].line)
    return Ordinal(tuple(words)) if ordered else Nominal(tuple(words))


def _c45_fields(record: str) -> list[str]:
    """The fields of a row."""
    if _C45_SPECIAL.search(record):
        return [name.text for name in c45_names(record)]
    record = record.strip().removesuffix(".")
    return [field.strip() for field in record.split(",")] if record else []


def c45_names(text: str) -> list[C45Name]:
    """The names of a text, in order; spaces within a name count as one."""
    names, line = [], 1
    for found in _C45_TOKEN.finditer(text.replace("\r\n", "\n").replace("\r", "\n") + "\n"):
        word, ends = found.groups()
        if ends is None:  # a comment, or spaces
            line += found[0].count("\n")
        else:
            word = _C45_ESCAPE.sub(r"\1", word) if "\\" in word else word
            names.append(C45Name(" ".join(word.split()), ends or "\n", line))
    return names


def _c45_files(
    source: Readable, content: bytes, called: str, max_bytes: int
) -> tuple[tuple[str, bytes], tuple[str, bytes]]:
    """The name and the bytes of the ``.names`` file and of the file of rows, one of which was named."""
    if not isinstance(source, str | os.PathLike):
        raise ReadingError(f"{called} cannot be read as C4.5, which needs a .names file beside it. Pass a path.")
    path = Path(source)
    stem = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    about, rows = (_beside(stem, suffix) for suffix in (".names", ".data"))
    if stem.suffix.lower() == ".names":
        if rows is None:
            data = stem.with_suffix(".data").name
            problem = f"{called} describes the columns of {data}, which is not beside it"
            raise ReadingError(f"{problem}. Put it there, or name the file that holds the rows.")
        about, (called, content) = path, contents(rows, max_bytes=max_bytes)
    if about is None:
        names = stem.with_suffix(".names").name
        problem = f"{called} needs {names} beside it, which describes its columns"
        raise ReadingError(f"{problem}. Put it there, or pass format='csv' if the first row names the columns.")
    return contents(about, max_bytes=max_bytes), (called, content)


def _beside(stem: Path, suffix: str) -> Path | None:
    """The file of the same name with another suffix, packed or not."""
    other = stem.with_suffix(suffix)
    return next((path for path in (other, other.with_name(f"{other.name}.gz")) if path.is_file()), None)
