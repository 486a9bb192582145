"""The tables of a command: past cases with their target, and new cases from a file, standard input or typed words."""

from __future__ import annotations

import csv
import io
import math
import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from priorcase.cli.shell import Function, note, option, options, usage
from priorcase.exceptions import PriorcaseError, ReadingError, advice, nearest
from priorcase.registry import Task, guess_task

KINDS = ("numeric", "nominal", "ignore")
READING = ("format", "delimiter", "encoding", "missing")


class Reading(NamedTuple):
    """How tables are read: what columns are, by name (levels as a tuple), and the options of `read_table`."""

    columns: Mapping[str, str | tuple[str, ...]]
    options: Mapping[str, Any]

    def of_kind(self, kind: str, names: Collection[str] | None = None) -> list[str]:
        """The columns, or those of some names, that were declared to be of a kind."""
        return [name for name, given in self.columns.items() if given == kind and (names is None or name in names)]

    @property
    def orders(self) -> dict[str, tuple[str, ...]]:
        """The levels of ordinal columns."""
        return {name: kind for name, kind in self.columns.items() if isinstance(kind, tuple)}


class Past(NamedTuple):
    """Past cases with their targets; ``lines`` says where each row stands in its file."""

    source: str
    task: Task
    target: str
    kinds: dict[str, Any]
    X: Any
    y: Any
    lines: tuple[int, ...]


class Queries(NamedTuple):
    """New cases, with their targets (``actual``) where the table has them; or one typed case."""

    X: Any
    lines: tuple[int, ...]
    actual: tuple[str | float | None, ...] | None
    typed: bool = False


# -- arguments and options


class TablePath(click.Path):
    """A file that is there, ``-`` for standard input, or the name of a data set."""

    def __init__(self) -> None:
        super().__init__(exists=True, dir_okay=False, allow_dash=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str) or _is_path(value):
            return super().convert(value, param, ctx)
        names = _data_sets(value)
        if value in names:
            return value
        stem = value.removesuffix(".gz").rpartition(".")[0]
        if stem in names:
            return self.fail(f"there is no file {value!r}, but a data set {stem!r}. Did you mean {stem!r}?", param, ctx)
        is_folder, meant = Path(value).is_dir(), nearest(value, names)
        if is_folder or ("." in value and meant is None):
            return super().convert(value, param, ctx)
        remedy = "Check the path." if meant is None else f"Did you mean {meant!r}?"
        return self.fail(f"there is no file {value!r}, and no data set of that name. {remedy}", param, ctx)


TABLE = TablePath()


def is_data_set(table: str) -> bool:
    """Whether a table is a data set by its name, and no file."""
    return not _is_path(table) and table in _data_sets(table)


def _data_sets(table: str) -> list[str]:
    """The names of data sets; none for what looks like a file, where the user's folder of them cannot be read."""
    from priorcase.datasets import available  # loaded here: --help must not wait for NumPy

    try:
        return list(available())
    except PriorcaseError:
        if "." in table:
            return []
        raise


def _is_path(table: str) -> bool:
    """Whether this cannot be a name: a file that is there, or what only a path looks like; a folder is no table."""
    path = Path(table)
    return table == "-" or path.name != table or (path.exists() and not path.is_dir())


def table_argument(*, required: bool = True) -> Callable[[Function], Function]:
    return click.argument("table", type=TABLE, required=required, metavar="TABLE" if required else "[TABLE]")


table_options = options(
    option("--target", "COLUMN", "Column to predict; the last one if left out."),
    option("--column", "NAME=KIND", "numeric, nominal, ignore, or levels: 'size=S<M<L'.", multiple=True),
    option("--read", "NAME=VALUE", "format, delimiter, encoding or missing of files.", multiple=True),
)


def parse_kinds(
    flag: str, texts: Sequence[str], kinds: Sequence[str], *, files: bool = False
) -> dict[str, str | tuple[str, ...]]:
    """What columns or attributes are, by name: a kind, levels (a tuple) or, if ``files``, the name of a JSON file."""
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


def parse_reading(columns: Sequence[str], reading: Sequence[str]) -> Reading:
    """The values of ``--column`` and ``--read``."""
    found: dict[str, Any] = {}
    for text in reading:
        name, given, value = text.partition("=")
        if not given or name not in READING:
            example = "Write delimiter=';', encoding=latin-1 or missing=-9, for example."
            remedy = advice(name, READING, otherwise=example)
            raise usage(f"--read {text!r} is not one of {', '.join(READING)} with a value. {remedy}")
        if name == "missing":
            found.setdefault(name, []).append(value)
        else:
            found[name] = "\t" if name == "delimiter" and value in ("tab", "\\t") else value
    return Reading(parse_kinds("--column", columns, KINDS), found)


# -- reading


def read_table(path: str, reading: Reading) -> Any:
    """The fields of a file, of standard input for ``-``, or of a data set."""
    from priorcase.datasets import available
    from priorcase.datasets import read_table as read
    from priorcase.datasets.catalog import load_fields

    if is_data_set(path):
        if reading.options:
            name = next(iter(reading.options))
            raise usage(f"--read {name} has no effect on the data set {path!r}, whose description says how it is read.")
        if available().places[path] == "OpenML":
            note(f"asking OpenML for the data set {path!r}, to be kept in the cache")
        return load_fields(path)
    if path == "-":
        return read(sys.stdin.buffer, name="standard input", **reading.options)
    return read(path, **reading.options)


def read_past(
    path: str, target: str | None, reading: Reading, *, elsewhere: Collection[str] = (), gaps: bool = False
) -> Past:
    """The past cases of a table; ``elsewhere`` are columns of another table, ``gaps`` allows missing targets."""
    from priorcase.schema import Nominal, Numeric

    table = read_table(path, reading)
    if target is None and not table.target:
        note(f"the target is {table.names[-1]!r}, the last column")
    target = target if target is not None else table.target or table.names[-1]
    if reading.columns.get(target) == "ignore":
        raise usage(f"--column {target}=ignore leaves out the target.")
    table.require([target, *(name for name in reading.columns if name not in elsewhere)])
    if len(table) == 0:
        raise ReadingError(f"{table.source} has a header but no rows. Is this the right file?")
    declared = {kind: reading.of_kind(kind, table.names) for kind in ("numeric", "nominal")}
    orders = {name: order for name, order in reading.orders.items() if name in table}
    kinds = table.kinds(**declared, ordinal=orders)
    fields = {field for field in table.column(target) if field is not None}
    numbers = set(map(float, fields)) if isinstance(kinds[target], Numeric) else ()
    task: Task = "regress" if target in declared["numeric"] else guess_task(numbers)
    if not gaps:
        table.require_targets(target)
    kinds = {name: kind for name, kind in kinds.items() if name != target and reading.columns.get(name) != "ignore"}
    table.require_attributes(kinds, target)
    table.check_levels(kinds)
    for name, field, line in table.doubtful(kinds):
        if name not in declared["nominal"]:
            remedy = f"--read missing={field!r} or --column {name}=nominal says what it is"
            note(f"column {name!r} is read as nominal: line {line} holds {field!r} among numbers; {remedy}")
    y = table.values(target, Numeric() if task == "regress" else Nominal())
    return Past(table.source, task, target, kinds, table.typed(kinds), y, tuple(table.lines))


def read_queries(words: Sequence[str], path: str, target: str | None, reading: Reading) -> tuple[Past, Queries]:
    """Both tables, or the table and a typed case: the query is a file, ``-``, a data set, or NAME=VALUE words."""
    typed = len(words) > 1 or ("=" in words[0] and not os.path.exists(words[0]))
    if typed:
        past = read_past(path, target, reading)
        return past, Queries(_typed_case(words, past), (1,), None, typed=True)
    query = TABLE.convert(words[0], None, click.get_current_context(silent=True))
    if path == query == "-":
        raise usage("TABLE and QUERY cannot both be standard input.")
    by_name = [is_data_set(path), is_data_set(query)]  # how files are read has no effect on data sets
    files = [reading if all(by_name) or not one else Reading(reading.columns, {}) for one in by_name]
    table = read_table(query, files[1])
    past = read_past(path, target, files[0], elsewhere=table.names)
    table.require(past.kinds)
    for name in table.names:
        if name not in past.kinds and name != past.target and reading.columns.get(name) != "ignore":
            raise ReadingError(
                f"{table.source} has a column {name!r} that {past.source} does not have. Leave it out by --column "
                f"{name}=ignore, or rename it."
            )
    new = table.typed(past.kinds)
    if past.target not in table:
        return past, Queries(new, tuple(table.lines), None)
    actual = tuple(table.column(past.target))
    if past.task == "regress":
        from priorcase.schema import Numeric

        numbers = table.values(past.target, Numeric()).tolist()
        actual = tuple(None if math.isnan(number) else number for number in numbers)
    stored = set(zip(past.X.tuples(), past.y.tolist(), strict=True))
    if repeated := sum(case in stored for case in zip(new.tuples(), actual, strict=True)):
        note(f"{repeated} of {len(new)} new cases are past cases too; their predictions say nothing about new cases")
    return past, Queries(new, tuple(table.lines), actual)


def _typed_case(words: Sequence[str], past: Past) -> Any:
    """One case from NAME=VALUE words; columns that are left out are missing."""
    from priorcase.datasets import read_table as read

    values: dict[str, str] = {}
    for word in words:
        name = next((one for one in sorted(past.kinds, key=len, reverse=True) if word.startswith(f"{one}=")), None)
        if name is None:
            given = word.partition("=")[0]
            if "=" not in word:
                raise usage(f"{word!r} is neither a file nor of the form NAME=VALUE.")
            remedy = advice(given, past.kinds, otherwise=f"It has {', '.join(past.kinds)}.")
            raise ReadingError(f"{past.source} has no column {given!r} to predict from. {remedy}")
        if name in values:
            raise usage(f"{name!r} is given twice.")
        values[name] = word[len(name) + 1 :]
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(past.kinds)
    writer.writerow([values.get(name, "?") or "?" for name in past.kinds])
    table = read(io.BytesIO(text.getvalue().encode("utf-8", "surrogateescape")), name="the typed case", format="csv")
    try:
        return table.typed(past.kinds)
    except ReadingError as error:
        raise ReadingError(str(error).replace(" line 2, column", ": column", 1)) from None
