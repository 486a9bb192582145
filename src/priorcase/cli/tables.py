"""Read tables for commands: past cases with their target, and new cases from files, standard input or arguments."""

from __future__ import annotations

import csv
import io
import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from priorcase.cli.shell import Function, note, option, options, usage
from priorcase.exceptions import PriorcaseError, ReadingError, advice, joined, nearest

if TYPE_CHECKING:
    from priorcase.datasets.past import Past, Reading

KINDS = ("numeric", "nominal", "text", "date", "ignore")
READING = (
    "format",
    "delimiter",
    "encoding",
    "header",
    "decimal",
    "thousands",
    "dates",
    "missing",
    "sheet",
    "max_bytes",
)


class Queries(NamedTuple):
    """New cases: the rows of a table, with their targets (``actual``) if known, or a case typed as NAME=VALUE pairs."""

    X: Any
    lines: tuple[int, ...]
    actual: tuple[str | float | None, ...] | None
    about: Mapping[str, Any]
    typed: bool = False
    fields: Callable[[], Any] | None = None  # reads all columns of the file again as text


# -- arguments and options


class TablePath(click.Path):
    """Type of an argument that is an existing file, ``-`` for standard input, or the name of a data set."""

    def __init__(self) -> None:
        super().__init__(exists=True, dir_okay=False, allow_dash=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, str):
            from priorcase.datasets.files import check_no_url, table_of

            check_no_url(value)
            if table_of(value)[1] is not None:  # a table of a database
                super().convert(table_of(value)[0], param, ctx)
                return value
        if not isinstance(value, str) or value == "-" or Path(value).is_file():
            return super().convert(value, param, ctx)
        names = [] if _is_path(value) else _data_sets(value)
        if value in names:
            return value
        if not Path(value).exists() and (near := _near_file(value)) is not None:
            return self.fail(f"there is no file {value!r}. Did you mean {near!r}?", param, ctx)
        if _is_path(value):
            return super().convert(value, param, ctx)
        stem = value.removesuffix(".gz").rpartition(".")[0]
        if stem in names:
            told = f"there is no file {value!r}, but there is a data set {stem!r}. Did you mean {stem!r}?"
            return self.fail(told, param, ctx)
        is_folder, meant = Path(value).is_dir(), nearest(value, names)
        if is_folder or ("." in value and meant is None):
            return super().convert(value, param, ctx)
        remedy = "Check the path." if meant is None else f"Did you mean {meant!r}?"
        return self.fail(f"there is no file and no data set named {value!r}. {remedy}", param, ctx)


TABLE = TablePath()


def is_data_set(table: str) -> bool:
    """Return whether a table is the name of a data set, not a file."""
    return not _is_path(table) and table in _data_sets(table)


def _data_sets(table: str) -> list[str]:
    """Return the names of all data sets, or [] if the data folder cannot be read and ``table`` looks like a file."""
    from priorcase.datasets import available  # loaded here: --help must not wait for NumPy

    try:
        return list(available())
    except PriorcaseError:
        if "." in table:
            return []
        raise


def _is_path(table: str) -> bool:
    """Return whether a word is an existing file or looks like a path, rather than like the name of a data set."""
    path = Path(table)
    return table == "-" or path.name != table or (path.exists() and not path.is_dir())


def _near_file(path: str) -> str | None:
    """Return the file whose name is most similar to a misspelled path; None if no name is similar."""
    folder, name = os.path.split(path)
    try:
        files = [entry.name for entry in os.scandir(folder or ".") if entry.is_file()]
    except OSError:  # no such folder, or one that cannot be read
        return None
    stems = {Path(file).stem: file for file in files}  # the ending may be missing
    meant = nearest(name, files) or (stems.get(nearest(name, stems) or "") if "." not in name else None)
    return None if meant is None else os.path.join(folder, meant)


def table_argument(*, required: bool = True) -> Callable[[Function], Function]:
    return click.argument("table", type=TABLE, required=required, metavar="TABLE" if required else "[TABLE]")


table_options = options(
    option("--target", "COLUMN", "Column to predict; by default the last column."),
    (
        column_option := option(
            "--column", "NAME=KIND", "Kind: numeric, nominal, text, date, ignore or S<M<L.", multiple=True
        )
    ),
    (read_option := option("--read", "NAME=VALUE", "Reading options: delimiter, decimal, missing, ...", multiple=True)),
)


def parse_kinds(
    flag: str, texts: Sequence[str], kinds: Sequence[str], *, files: bool = False
) -> dict[str, str | tuple[str, ...]]:
    """Parse NAME=KIND; a kind is a name, a tuple of levels or, if ``files`` is True, the name of a JSON file."""
    found: dict[str, str | tuple[str, ...]] = {}
    for text in texts:
        name, _, kind = (part.strip() for part in text.rpartition("="))
        if not name or not kind:
            raise usage(f"{flag} {text!r} is not of the form NAME=KIND, such as age={kinds[0]} or 'size=S<M<L'.")
        if name in found:
            raise usage(f"{flag} {name} is declared more than once.")
        levels = tuple(level.strip() for level in kind.split("<"))
        if "" in levels or len(set(levels)) < len(levels):
            raise usage(f"{flag} {text!r} needs two or more different levels, such as 'size=S<M<L'.")
        if len(levels) == 1 and kind not in kinds and not (files and kind.endswith(".json")):
            more = "TREE.json, " * files + "or levels such as S<M<L"
            remedy = advice(kind, kinds, otherwise=f"Kinds are {', '.join(kinds)}, {more}.")
            raise usage(f"{flag} {text!r} has no valid kind. {remedy}")
        found[name] = kind if len(levels) == 1 else levels
    return found


def parse_reading(columns: Sequence[str], reading: Sequence[str], table: str = "-") -> Reading:
    """Parse ``--column`` and ``--read``; ``a,b=KIND`` means both columns, unless there is a column named ``a,b``."""
    from priorcase.datasets.past import Reading

    kinds, options, names = parse_kinds("--column", columns, KINDS), parse_options(reading), list[str]()
    if table != "-" and any("," in name for name in kinds):
        names = list(read_table(table, Reading({}, {} if is_data_set(table) else options)).columns)
    found: dict[str, str | tuple[str, ...]] = {}
    for name, kind in kinds.items():
        for one in [name] if name in names else map(str.strip, name.split(",")):
            if one in found:
                raise usage(f"--column {one} is declared more than once.")
            found[one] = kind
    return Reading(found, options)


def parse_options(reading: Sequence[str]) -> dict[str, Any]:
    """Return the values of ``--read`` as arguments of `read_table`."""
    found: dict[str, Any] = {}
    for text in reading:
        name, given, value = text.partition("=")
        if not given or name not in READING:
            example = "Write delimiter=';', decimal=',' or missing=-9, for example."
            remedy = advice(name, READING, otherwise=example)
            raise usage(f"--read {text!r} is not of the form NAME=VALUE; the names are {', '.join(READING)}. {remedy}")
        if name == "missing":
            found.setdefault(name, []).append(value)
        elif name == "header":
            if value not in ("yes", "no"):
                raise usage(f"--read {text!r} is not valid; expected header=yes or header=no.")
            found[name] = value == "yes"
        elif name == "max_bytes":
            if not value.isdecimal():
                raise usage(f"--read {text!r} is not valid; expected a number of bytes, such as max_bytes=4000000000.")
            found[name] = int(value)
        else:
            found[name] = "\t" if name == "delimiter" and value in ("tab", "\\t") else value
    return found


# -- reading


def read_table(path: str, reading: Reading, *, stdin: Any = None, **more: Any) -> Any:
    """Read a file, a data set or standard input (``-``) as a frame; ``stdin`` replaces standard input."""
    from priorcase.datasets import available
    from priorcase.datasets.catalog import load_frame
    from priorcase.datasets.reading import read_frame

    if is_data_set(path):
        if reading.options:
            name = next(iter(reading.options))
            raise usage(f"--read {name} has no effect on {path!r}: the format of a named data set is known.")
        if available().places[path] == "OpenML":
            note(f"downloading the data set {path!r} from OpenML to the cache")
        return load_frame(path, reading.columns)
    how = {"schema": reading.columns, "lenient": True, **reading.options, **more}
    return (
        read_frame(stdin or sys.stdin.buffer, name="standard input", **how) if path == "-" else read_frame(path, **how)
    )


def say_how(*tables: Mapping[str, Any]) -> None:
    """Print how each file was read if the file is not plain CSV or standard error is a terminal."""
    for about in tables:
        if "understood" in about and (sys.stderr.isatty() or not about["plain"]):
            note(f"read {about['understood']}")


def note_uninformative(past: Past) -> None:
    """Print a note on columns that were dropped, and a note on columns that could be dropped."""

    def note_some(form: str, left_out: bool) -> None:
        names = [name for name, why in past.uninformative.items() if why.left_out == left_out]
        if names:
            told = joined([f"{name!r} ({past.uninformative[name]})" for name in names])
            kind = past.about["columns"][names[0]]["kind"]
            words = ("columns", "them") if len(names) > 1 else ("column", "it")
            example = ", for example" * (len(names) > 1)
            note(form.format(words[0], told, words[1], example, names[0], kind if kind in KINDS else "nominal"))

    note_some("{0} {1} dropped; to keep {2}{3}: --column {4}={5}", left_out=True)
    note_some("{0} {1} kept; to drop {2}{3}: --column {4}=ignore", left_out=False)


def note_strange(kinds: Mapping[str, Any], known: Mapping[str, Any], queries: Queries) -> None:
    """Print a note on nominal values that no past case has, and on numbers outside the range of the past cases."""
    from priorcase.explaining.new_cases import strange_note

    lines = None if queries.typed else queries.lines
    if told := strange_note(kinds, known, queries.X, lines):
        note(told)


def check_target_used(target: str | None, reading: Reading) -> None:
    """Raise an error if the target column is declared to be ignored."""
    if target is not None and reading.columns.get(target) == "ignore":
        raise usage(f"--column {target}=ignore would drop the target.")


def read_past(
    path: str, target: str | None, reading: Reading, *, elsewhere: Collection[str] = (), missing: bool = False
) -> Past:
    """Read the past cases of a table; print a note if no target was given and the last column is used."""
    from priorcase.datasets.past import past_of, target_of

    table = read_table(path, reading)
    if target is None and not table.attrs.get("target"):
        note(f"the target is {table.columns[-1]!r}, the last column")
    target = target_of(table) if target is None else target
    check_target_used(target, reading)
    past = past_of(table, target, reading, elsewhere=elsewhere, missing=missing)
    return past._replace(lines=()) if is_data_set(path) else past  # the user has no file with lines of a data set


def read_queries(words: Sequence[str], path: str, target: str | None, reading: Reading) -> tuple[Past, Queries]:
    """Read the past cases and the new cases; the query is a file, ``-``, a data set, or NAME=VALUE pairs."""
    import numpy as np

    from priorcase.datasets.past import Reading, class_labels, without_uninformative
    from priorcase.datasets.reading import check_column, line_numbers
    from priorcase.explaining.new_cases import repeated_note

    if _are_typed(words):
        past = without_uninformative(read_past(path, target, reading))
        return past, Queries(_typed_case(words, past, like=past.about), (1,), None, {}, typed=True)
    query = TABLE.convert(words[0], None, click.get_current_context(silent=True))
    if path == query == "-":
        raise usage("TABLE and QUERY cannot both be standard input.")
    by_name = [is_data_set(path), is_data_set(query)]  # how files are read has no effect on data sets
    files = [reading if all(by_name) or not one else Reading(reading.columns, {}) for one in by_name]
    past = without_uninformative(read_past(path, target, files[0], elsewhere=reading.columns))
    ignored = {name: "ignore" for name, kind in reading.columns.items() if kind == "ignore"}
    ignored |= dict.fromkeys(past.left_out, "ignore")
    table, fields = _read_new(query, Reading(ignored, files[1].options), like=past.about)
    about = table.attrs
    for name in reading.columns:
        if name not in (*table.columns, *about.get("ignored", ())):
            check_column(past.source, name, [*past.about["columns"], *past.about.get("ignored", ())])
    new, lines = _past_columns(table, past), tuple(line_numbers(about, np.arange(len(table))).tolist())
    if past.target not in table:
        return past, Queries(new, lines, None, about, fields=fields)
    column = table[past.target]
    actual = tuple(class_labels(column).tolist())
    if past.task == "regress":
        actual = tuple(None if number != number else float(number) for number in column.tolist())
    if told := repeated_note(past, new, actual):
        note(told)
    return past, Queries(new, lines, actual, about, fields=fields)


def _read_new(query: str, reading: Reading, **how: Any) -> tuple[Any, Callable[[], Any] | None]:
    """Read a table of new cases; also return a function that reads its fields as text (None for a data set)."""
    from priorcase.datasets.past import Reading

    content = sys.stdin.buffer.read() if query == "-" else b""
    table = read_table(query, reading, stdin=io.BytesIO(content), **how)
    if is_data_set(query):
        return table, None
    texts = dict.fromkeys([*table.attrs["columns"], *table.attrs.get("ignored", ())], "nominal")
    as_text = Reading(texts, {**reading.options, "missing": ()})
    return table, lambda: read_table(query, as_text, stdin=io.BytesIO(content), like=table.attrs)


def _past_columns(table: Any, past: Past) -> Any:
    """Select the columns of the past cases from a table of new cases, and print notes on absent and unused columns."""
    from priorcase.explaining.new_cases import columns_for

    columns, notes = columns_for(table, list(past.kinds), target=past.target, of=past.source)
    for told in notes:
        note(told)
    return columns


def read_queries_of_model(words: Sequence[str], past: Past, model: Any, reading: Reading) -> Queries:
    """Read new cases for a saved model, using the kinds of the model's columns; other columns are dropped."""
    import numpy as np

    from priorcase.datasets.past import Reading, as_stored
    from priorcase.datasets.reading import line_numbers

    if typed := _are_typed(words):
        table, about, lines, fields = _typed_case(words, past, schema=past.kinds), {}, (1,), None
    else:
        query = TABLE.convert(words[0], None, click.get_current_context(silent=True))
        table, fields = _read_new(query, Reading({} if is_data_set(query) else past.kinds, reading.options))
        about = table.attrs
        table, lines = _past_columns(table, past), tuple(line_numbers(about, np.arange(len(table))).tolist())
    X = as_stored(table[list(past.kinds)], model)
    X.columns = range(len(past.kinds)) if model.schema_.names is None else list(model.schema_.names)
    return Queries(X, lines, None, about, typed, fields)


def _are_typed(words: Sequence[str]) -> bool:
    """Return whether the words of a query are NAME=VALUE pairs rather than a file."""
    return len(words) > 1 or ("=" in words[0] and not os.path.exists(words[0]))


def _typed_case(words: Sequence[str], past: Past, **how: Any) -> Any:
    """Return the case that NAME=VALUE pairs describe; values of omitted columns are missing."""
    from priorcase.datasets import read_table as read
    from priorcase.datasets.values import REMEDY

    values: dict[str, str] = {}
    for word in words:
        names = sorted([*past.kinds, *past.left_out], key=len, reverse=True)
        name = next((one for one in names if word.startswith(f"{one}=")), None)
        if name is None:
            given = word.partition("=")[0]
            if "=" not in word:
                raise usage(f"{word!r} is neither a file nor of the form NAME=VALUE.")
            if given == past.target:
                raise ReadingError(f"{given!r} is the target, which is predicted. Remove it from the new case.")
            remedy = advice(given, past.kinds, otherwise=f"It has {', '.join(past.kinds)}.")
            raise ReadingError(f"{past.source} has no column {given!r} to predict from. {remedy}")
        if name in values:
            raise usage(f"{name!r} is specified twice.")
        values[name] = word[len(name) + 1 :]
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(past.kinds)
    columns = past.about.get("columns", {})
    writer.writerow(
        [_typed_field(name, values.get(name, "?"), kind, columns.get(name, {})) for name, kind in past.kinds.items()]
    )
    content = io.BytesIO(text.getvalue().encode("utf-8", "surrogateescape"))
    try:
        table = read(content, name="the typed case", format="csv", delimiter=",", header=True, **how)
    except ReadingError as error:
        told = str(error.args[0]).replace(" line 2, column", ": column", 1)
        raise ReadingError(told.replace(REMEDY, "Write ? for an unknown value.")) from None
    return table


def _typed_field(name: str, text: str, kind: Any, column: Mapping[str, Any]) -> str:
    """Return a typed value as the field of a table whose column is described by ``column``."""
    from priorcase.datasets.typed import typed_date, typed_number
    from priorcase.schema import Date, Numeric

    if text == "?":
        return ""
    try:
        if isinstance(kind, Date):
            moment = typed_date(text) if column.get("format", "ymd") == "ymd" else None
            return text if moment is None else moment.isoformat()
        if isinstance(kind, Numeric):
            decimal = column.get("decimal", ".")
            number = typed_number(text, decimal)
            return text if number is None else str(number).replace(".", decimal)
    except ReadingError as error:
        raise ReadingError(f"{error.args[0]} The column is {name!r}.") from None
    return text
