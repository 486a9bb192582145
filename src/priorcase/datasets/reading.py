"""Read tables from files; `read_table` infers the format of a file and returns an ordinary frame."""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Collection, Mapping
from typing import Any, Literal, TypeAlias, cast, get_args

import numpy as np

from priorcase._parameters import check_choice
from priorcase._typing import IntArray
from priorcase.datasets.arff import read_arff
from priorcase.datasets.arrow import read_arrow
from priorcase.datasets.budget import MAX_BYTES, memory_errors
from priorcase.datasets.c45 import c45_files, read_c45
from priorcase.datasets.delimited import LARGE, WORDS, RawTable, check_delimiter, decoded, encoding_of, read_delimited
from priorcase.datasets.files import (
    Format,
    Readable,
    check_content,
    contents,
    format_of,
    read_excel,
    read_json_lines,
    read_sqlite,
    table_of,
)
from priorcase.datasets.values import ORDERS, Conventions, Meaning, understand
from priorcase.exceptions import ParameterError, ReadingError, advice, joined, listed, nearest, prefix_errors, quoted
from priorcase.schema import Nominal, Ordinal

Library: TypeAlias = Literal["pandas", "polars", "pyarrow"]

KINDS = ("numeric", "nominal", "text", "date", "ignore")
"""Kinds that can be declared for a column by name; an ordinal column is declared by a list of levels."""

_MANY = 20  # names listed in a message if none is similar to the requested one
_TEXT_FORMATS = ("csv", "tsv")
_FORMAT_WORDS = {"excel": "Excel", "jsonl": "JSON lines", "c4.5": "C4.5", "parquet": "Parquet", "feather": "Feather"}
_FORMAT_WORDS |= {"tsv": "CSV", "sqlite": "SQLite"}
_ORDER_WORDS = {"dmy": "day, month, year", "mdy": "month, day, year"}


@prefix_errors
def read_table(
    source: Readable,
    *,
    library: Library = "pandas",
    schema: Mapping[str, Any] | None = None,
    like: Any = None,
    format: Format | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    dates: str | None = None,
    missing: str | Collection[str] | None = None,
    sheet: str | int | None = None,
    name: str | None = None,
    max_bytes: int = MAX_BYTES,
) -> Any:
    """Read a table from a file in any common format into a frame that every estimator accepts.

    ========  ======================================================================================================
    csv, tsv  commas, semicolons, tabs, bars or blanks between fields; UTF-8, UTF-16 or Latin-1; optional header
    excel     a sheet of an ``.xlsx`` workbook, through openpyxl
    parquet   and ``feather``, through PyArrow; columns have the types of the file
    jsonl     a JSON object on each line, or a JSON array of objects
    sqlite    a table of a database, as ``"file.db::table"``
    arff      Weka's format, dense or sparse; nominal columns are categories with the values declared in the header
    c4.5      ``x.names`` describes the columns of ``x.data`` or ``x.test``; the target is usually named ``"class"``
    ========  ======================================================================================================

    Files compressed by gzip, bzip2, xz or zstd are decompressed. In text files, the notation of numbers and dates is
    inferred from all fields: decimal commas, thousands separators, currency and percent signs, ISO and local dates. A
    column is numeric if most of its nonmissing fields are numbers, and a date column if most are dates; the other
    fields of the column are then read as missing and reported. Codes such as ``00123`` and columns with a few frequent
    values, such as 2, 3, 4 and ``5more``, are nominal.

    Parameters
    ----------
    source
        A path or an open binary file. For SQLite, pass ``"file.db::table"``; for C4.5, a ``.data`` or ``.names`` file.
    library
        The library of the frame: ``"pandas"``, ``"polars"`` or ``"pyarrow"``.
    schema
        Mapping from column names to kinds, for columns whose kind should not be inferred. A kind is ``"numeric"``,
        ``"nominal"``, ``"date"``, ``"ignore"`` to drop a column, or the levels of an ordinal column, lowest first.
    like
        A pandas frame returned by `read_table`, or its ``attrs``. Use ``like`` to read new cases: fields are then
        interpreted in the same way as in that frame, and invalid numbers and dates raise an error.
    format
        The format; None to infer it from the content and the name.
    delimiter, encoding, header
        The character between fields, the character encoding, and whether the first row contains names; None to infer
        them. Without a header, columns are named ``column_1``, ``column_2``, ...
    decimal, thousands
        The decimal mark (``"."`` or ``","``) and the thousands separator (``""`` if numbers have none); None to infer
        them.
    dates
        ``"dmy"`` or ``"mdy"``, the order of day and month in dates that do not begin with the year; or a ``strptime``
        format for all dates; or None to infer the format.
    missing
        One or several strings that mean a missing value; they replace the strings in `MISSING`. A file format's own
        markers, such as ``?`` in ARFF, are always recognized.
    sheet
        The sheet of a workbook, by its name or its number from 1.
    name
        The file name used in messages; None for the path.
    max_bytes
        Maximum size of a file after decompression and decoding, 1 GiB by default. A table can have at most one cell
        for each 8 of these bytes, but a file that is not compressed can always have as many cells as bytes.

    Returns
    -------
    frame
        Numeric columns are numbers, dates are timestamps, columns with declared values are categorical, and all other
        columns are text or booleans. ``frame.attrs`` of a pandas frame describes how the file was read. The item
        ``"understood"`` is a summary in one line, and ``like`` uses the item ``"columns"``.

    Raises
    ------
    ReadingError
        The file is not a valid table in its format. The message says where the problem is and how to fix it.
    OSError
        The file cannot be opened (`MissingFileError` if it does not exist).

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO("Größe;Preis;am\\n7;1.234,50 €;1.12.2025\\n?;99,90 €;2.12.2025\\n".encode("cp1252"))
    >>> table = read_table(file, name="shoes.csv")
    >>> table
       Größe   Preis         am
    0    7.0  1234.5 2025-12-01
    1    NaN    99.9 2025-12-02
    >>> print(table.attrs["understood"])
    shoes.csv: 2 rows of CSV; semicolons, cp1252, decimal commas, thousands, currency signs, dates as day, month, year,
    missing '?'
    """
    return read_frame(
        source,
        library=library,
        schema=schema or {},
        like=like,
        format=format,
        delimiter=delimiter,
        encoding=encoding,
        header=header,
        decimal=decimal,
        thousands=thousands,
        dates=dates,
        missing=missing,
        sheet=sheet,
        name=name,
        max_bytes=max_bytes,
    )


def read_frame(
    source: Readable,
    *,
    schema: Any = (),
    lenient: bool = False,
    like: Any = None,
    library: Library = "pandas",
    decimal: str | None = None,
    thousands: str | None = None,
    dates: str | None = None,
    missing: str | Collection[str] | None = None,
    **how: Any,
) -> Any:
    """Read a table like `read_table`; if ``lenient`` is True, the schema can contain columns that do not exist."""
    check_choice("library", library, get_args(Library), hint="To get a frame of another library, convert the result.")
    _check_marks(decimal, thousands, dates, how.get("header"))
    earlier = _attributes_of(like)
    conventions = Conventions(None if missing is None else _fields_of(missing), decimal, thousands, dates)
    if earlier is not None and missing is None and earlier.get("missing") is not None:
        conventions = conventions._replace(missing=tuple(earlier["missing"]))
    texts = None if earlier is not None or conventions != Conventions() else list(schema or ())
    with memory_errors(how.get("name") or str(source)):
        found, raw = _raw_table(source, earlier, texts, **how)
        declared = declared_by(raw, schema or {}, earlier, lenient=lenient)
        return frame_of(raw, found, declared, conventions, like=earlier is not None, library=library)


def frame_of(
    raw: RawTable,
    format: Format,
    declared: Mapping[str, Meaning],
    conventions: Conventions,
    *,
    like: bool = False,
    library: Library = "pandas",
) -> Any:
    """Convert a raw table to a frame; ``like`` is True if the meanings were declared by a reference table."""
    kept = {label: column for label, column in raw.columns.items() if _kind_of(declared, label) != "ignore"}
    typed = {label: column for label, column in kept.items() if not _is_text(column)}
    texts = {label: column for label, column in kept.items() if label not in typed}
    if raw.about.get("typed"):  # the file declares these columns as strings
        declared = {**{label: Meaning("nominal") for label in texts}, **declared}
        conventions = conventions._replace(missing=conventions.missing or ())
    elif raw.declared:  # the format defines missing values, and an empty field is a string
        conventions = conventions._replace(missing=conventions.missing or ())
    elif conventions.missing is not None:
        conventions = conventions._replace(missing=tuple(dict.fromkeys(("", *conventions.missing))))
    where = _places(raw)
    read = understand(texts, declared, conventions, where, comma=raw.about.get("delimiter", ",") != ",", open=like)
    meanings, columns = {}, {}
    for label, column in kept.items():
        meanings[label], columns[label] = (
            read[label] if label in read else _typed(column, declared.get(label), conventions.missing, where, label)
        )
    return _frame(columns, raw.rows, _about(format, raw, conventions, meanings), library)


def _raw_table(
    source: Readable,
    earlier: Mapping[str, Any] | None,
    texts: Collection[str] | None,
    *,
    format: Format | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    sheet: str | int | None = None,
    name: str | None = None,
    max_bytes: int = MAX_BYTES,
) -> tuple[Format, RawTable]:
    """Return the format of a table, and its columns before their kinds are inferred."""
    if delimiter is not None:
        check_delimiter(delimiter)
    within = None
    place: Readable = source
    if isinstance(source, str | os.PathLike):
        path, within = table_of(os.fspath(source))
        place = source if within is None else path
    budget, content = contents(place, name, max_bytes)
    called = budget.source
    if format is None:
        check_content(content, called)
    found = format_of(place, content, "sqlite" if within is not None and format is None else format)
    wrong = {
        "delimiter": found in _TEXT_FORMATS,
        "header": found in (*_TEXT_FORMATS, "excel"),
        "sheet": found == "excel",
    }
    wrong["encoding"] = found in (*_TEXT_FORMATS, "arff", "c4.5", "jsonl")
    options = {"delimiter": delimiter, "header": header, "sheet": sheet, "encoding": encoding}
    for option, able in wrong.items():
        if options[option] is not None and not able:
            has = "only csv and tsv files have a delimiter" if option == "delimiter" else f"this format has no {option}"
            raise ReadingError(
                f"got {option}={quoted(options[option])} for a table in the format {found}; {has}. Omit this option."
            )
    if found == "excel":
        return found, read_excel(content, sheet, header, budget)
    if found == "parquet" or found == "feather":
        return found, read_arrow(content, found, budget)
    if found == "sqlite":
        return found, read_sqlite(place, content, within, budget)
    if found == "c4.5":
        (about, names), (budget, content) = c45_files(place, content, budget)
        declarations = decoded(names, about.source, encoding)[0]
        rows = decoded(content, budget.source, encoding)[0]
        return found, read_c45(declarations, about.source, rows, budget)
    if found not in _TEXT_FORMATS:
        text, used = decoded(content, called, encoding)
        raw = read_arff(text, budget) if found == "arff" else read_json_lines(text, budget)
        return found, raw._replace(about={"encoding": used, **raw.about})
    large = len(content) >= LARGE and encoding is None and encoding_of(content) == "utf-8"  # PyArrow decodes it
    given, used = (content, "utf-8") if large else decoded(content, called, encoding)
    usual = "\t" if found == "tsv" else ","
    raw = read_delimited(given, budget, delimiter=delimiter, usual=usual, header=header, like=earlier, texts=texts)
    marked = {"byte_order_mark": True} if content.startswith(codecs.BOM_UTF8) else {}
    return found, raw._replace(about={"encoding": used, **marked, **raw.about})


# -- declarations of the caller


def _fields_of(missing: object) -> tuple[str, ...]:
    """Return a tuple of the strings to read as missing, given one string or several."""
    fields = (missing,) if isinstance(missing, str) else missing
    if not isinstance(fields, Collection) or not all(isinstance(field, str) for field in fields):
        raise ParameterError(f"missing must be a string or a list of strings, got {quoted(missing)}.")
    return tuple(cast("Collection[str]", fields))


def _check_marks(decimal: object, thousands: object, dates: object, header: object) -> None:
    if decimal not in (None, ".", ","):
        raise ParameterError(f"decimal must be None, '.' or ',', got {quoted(decimal)}.")
    if thousands is not None and not (isinstance(thousands, str) and len(thousands) <= 1 and not thousands.isalnum()):
        raise ParameterError(f"thousands must be None, '' or a mark such as '.' or ',', got {quoted(thousands)}.")
    if thousands is not None and thousands == (decimal or "none"):
        raise ParameterError(f"thousands must be different from decimal, got {quoted(thousands)} for both.")
    if dates is not None and not (isinstance(dates, str) and (dates in ORDERS or "%" in dates)):
        raise ParameterError(f"dates must be 'dmy', 'mdy' or a format such as '%d.%m.%Y', got {quoted(dates)}.")
    if not (header is None or isinstance(header, bool)):
        raise ParameterError(f"header must be None, True or False, got {quoted(header)}.")


def _attributes_of(like: Any) -> Mapping[str, Any] | None:
    if like is None:
        return None
    found = getattr(like, "attrs", like)
    if not isinstance(found, Mapping) or "columns" not in found:
        raise ParameterError(
            f"like must be a pandas frame from read_table, or its attrs, got {type(like).__name__}. Some pandas "
            "operations drop attrs, so store frame.attrs separately."
        )
    return cast("Mapping[str, Any]", found)


def meaning_of(told: Any, label: str) -> Meaning:
    """Convert a declaration of a column (a kind, the name of a kind or a list of levels) to a `Meaning`."""
    if isinstance(told, Ordinal) or (isinstance(told, list | tuple) and told):
        levels = tuple(map(str, told.order if isinstance(told, Ordinal) else told))
        if len(set(levels)) < len(levels):
            raise ParameterError(
                f"schema has the levels {quoted(levels)} for column {label!r}; expected distinct levels."
            )
        return Meaning("ordinal", values=levels)
    if isinstance(told, Nominal):
        return Meaning("nominal", values=None if told.values is None else tuple(map(str, told.values)))
    word = told if isinstance(told, str) else type(told).__name__.lower()
    word = {"text": "nominal", "set": "nominal", "taxonomy": "nominal", "circular": "numeric"}.get(word, word)
    if word not in KINDS:
        remedy = advice(told, KINDS, otherwise=f"A kind is one of {', '.join(KINDS)}, or a list of levels.")
        raise ParameterError(f"schema declares column {label!r} as {quoted(told)}, which is not a kind. {remedy}")
    return Meaning(cast("Any", word))


def declared_by(
    raw: RawTable, schema: Any, earlier: Mapping[str, Any] | None = None, *, lenient: bool = False
) -> dict[str, Meaning]:
    """Return the meanings of columns declared by ``schema``, ``earlier`` or the file, in this order of precedence."""
    if not isinstance(schema, Mapping):
        raise ParameterError(f"schema must be a mapping from columns to kinds, got {quoted(schema)}.")
    if lenient:
        schema = {label: told for label, told in schema.items() if label in raw.columns}
    for label in schema:
        check_column(raw.source, label, list(raw.columns))
    found: dict[str, Meaning] = dict(raw.declared)
    if earlier is not None:
        found |= {name: Meaning.of(one) for name, one in earlier["columns"].items() if name in raw.columns}
    for label, told in schema.items():
        meaning = meaning_of(told, label)
        known = found.get(label)
        if meaning.kind == "nominal" and meaning.values is None and known is not None and known.kind == "nominal":
            continue
        if meaning.kind == "numeric" and known is not None and known.kind == "numeric":
            continue
        found[label] = meaning
    return found


def _kind_of(declared: Mapping[str, Meaning], label: str) -> str | None:
    return declared[label].kind if label in declared else None


# -- columns that have a type


def _is_text(column: Any) -> bool:
    from pyarrow import types

    return bool(types.is_string(column.type))


def _typed(
    column: Any, told: Meaning | None, missing: tuple[str, ...] | None, where: Callable[[int], str], label: str
) -> tuple[Meaning, Any]:
    """Return the meaning and the values of a column that has a type, such as a column of a Parquet file."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import types

    kind: Any = "numeric" if types.is_integer(column.type) or types.is_floating(column.type) else "nominal"
    values = None
    if types.is_timestamp(column.type):
        kind = "date"
    elif types.is_dictionary(column.type):
        kind = "ordinal" if column.type.ordered else "nominal"
        values = tuple(column.chunk(0).dictionary.to_pylist()) if column.num_chunks else ()
    if missing:
        marked = pc.is_in(_as_text(column), value_set=pa.array(missing, pa.string()))
        column = pc.if_else(marked, pa.scalar(None, column.type), column)
    meaning = Meaning(kind, values=values or None, format="ymd" if kind == "date" else None)
    if told is None or (told.kind == kind and (told.values is None or told.values == meaning.values)):
        return meaning, column
    return understand({label: _as_text(column)}, {label: told}, Conventions(()), where)[label]


def _as_text(column: Any) -> Any:
    """Convert a typed column to strings; numbers have no decimal point if all of them are integers."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import types

    if types.is_floating(column.type):
        whole = pc.all(pc.equal(pc.floor(column), column)).as_py()
        if whole in (True, None) and (pc.max(pc.abs(column)).as_py() or 0) < 2**53:
            column = column.cast(pa.int64())
    return column.cast(pa.string())


# -- what was understood


def _places(raw: RawTable) -> Callable[[int], str]:
    return lambda row: f"{raw.source} {place_of({'lines': raw.lines}, row)}"


def place_of(about: Mapping[str, Any], row: int) -> str:
    """Return 'line 7' for a row on line 7 of its file, or 'row 6' if the line numbers are unknown."""
    lines = about.get("lines") or ()
    return f"line {int(line_numbers(about, np.array([row]))[0])}" if lines else f"row {row + 1}"


def line_numbers(about: Mapping[str, Any], rows: IntArray) -> IntArray:
    """Return the line numbers of rows in their file, or row numbers from 1 if the line numbers are unknown."""
    lines = about.get("lines") or [(0, 1)]
    starts = np.array([row for row, _ in lines])
    at = np.searchsorted(starts, rows, side="right") - 1
    return np.asarray(rows + np.array([line - row for row, line in lines])[np.maximum(at, 0)])


def _about(format: Format, raw: RawTable, conventions: Conventions, meanings: Mapping[str, Meaning]) -> dict[str, Any]:
    """Return a description of how a table was read, as plain values that copies, JSON and Parquet files preserve."""
    told = _in_words(format, raw, meanings)
    about: dict[str, Any] = {
        "understood": told,
        "plain": told.endswith((f"of {_word(format)}", "of CSV; commas")),
        "source": raw.source,
        "format": format,
        **{key: value for key, value in raw.about.items() if key != "typed"},
        "columns": {name: meaning.plain() for name, meaning in meanings.items()},
        "lines": [list(run) for run in raw.lines],
    }
    if conventions.missing is not None:
        about["missing"] = list(conventions.missing)
    if raw.target in meanings:
        about["target"] = raw.target
    if left_out := [name for name in raw.columns if name not in meanings]:
        about["ignored"] = left_out
    return about


def _word(format: Format) -> str:
    return _FORMAT_WORDS.get(format, format.upper())


def _in_words(format: Format, raw: RawTable, meanings: Mapping[str, Meaning]) -> str:
    """Describe in one line how a file was read."""
    told: list[str] = []
    if "delimiter" in raw.about:
        told.append(WORDS.get(raw.about["delimiter"], f"delimiter {raw.about['delimiter']!r}"))
    if "sheet" in raw.about:
        told.append(f"sheet {raw.about['sheet']!r}")
    if raw.about.get("encoding", "utf-8") != "utf-8":
        told.append(raw.about["encoding"])
    if raw.about.get("header") is False:
        told.append("no header")
    found = list(meanings.values())
    if not raw.declared and any(one.decimal == "," for one in found):
        told.append("decimal commas")
    signs = {sign for one in found for sign in one.signs}
    if "thousands" in signs:
        told.append("thousands")
    if other := [f"{sign} signs" for sign in ("currency", "percent") if sign in signs]:
        told.append(" and ".join(other))
    orders = {one.format: None for one in found if one.kind == "date" and not raw.declared}
    for order in orders:
        words = _ORDER_WORDS.get(str(order), "")
        told.append(f"dates as {words}" if words else "dates")
    if marks := list(dict.fromkeys(mark for one in found for mark in one.marks)):
        told.append(f"missing {listed(marks, limit=4)}")
    text = f"{raw.source}: {raw.rows:,} row{'s' * (raw.rows != 1)} of {_word(format)}"
    text = "; ".join([text, ", ".join(told)] if told else [text])
    for name, one in meanings.items():
        if one.others:
            count, kind = sum(one.others.values()), "number" if one.kind == "numeric" else "date"
            fields = (
                f"1 field of {name!r} is not a {kind}" if count == 1 else f"{count} fields of {name!r} are not {kind}s"
            )
            text += f"; {fields} and read as missing: {listed(list(one.others), limit=3)}"
        if one.mixed:
            text += f"; {name!r} is nominal: {listed(one.mixed, limit=3)} among numbers"
    if names := raw.about.get("unnamed"):
        text += f"; without a name: {joined(names)}"
    return text


def _frame(columns: Mapping[str, Any], rows: int, about: dict[str, Any], library: Library) -> Any:
    """Create a frame of the given library; a pandas frame stores the detected reading options in ``attrs``."""
    import json

    import pyarrow as pa

    table = pa.table(dict(columns))
    if library == "pyarrow":
        return table.replace_schema_metadata({"priorcase": json.dumps(about)})
    if library == "polars":
        import polars as pl

        return pl.from_arrow(table)
    import pandas as pd

    frame = table.to_pandas(types_mapper={pa.bool_(): pd.BooleanDtype()}.get, date_as_object=False)
    if not columns:
        frame = pd.DataFrame(index=range(rows))
    frame.columns = pd.Index(list(columns), dtype=object if not columns else None)
    frame.attrs.update(about)
    return frame


def check_column(source: str, name: Any, names: list[str]) -> None:
    """Raise an error if a table does not have a column with this name."""
    if name in names:
        return
    shown = listed(names) if nearest(name, names) else listed(names, limit=_MANY)
    mark = next((mark for mark in ";\t|," if len(names) == 1 and mark in names[0]), None)
    remedy = advice(name, names, otherwise="")
    if mark is not None:
        remedy = f"If fields are separated by {mark!r}, pass it as the delimiter (delimiter=, --read delimiter=)."
    elif len(names) == 1 and not remedy:
        remedy = (
            "The file was read as a single column. If it has several columns, pass the delimiter (delimiter=, "
            "--read delimiter=)."
        )
    raise ReadingError(f"{source} has no column {name!r}; it has {shown}. {remedy}".rstrip())
