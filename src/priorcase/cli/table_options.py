"""The options that name the tables and say how to read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from priorcase.cli.help import Function, option, together
from priorcase.cli.words import Choice, MisspeltError
from priorcase.exceptions import PriorcaseError, nearest

__all__ = ["TABLE", "check_reading", "is_data_set", "reading_options", "table_options"]

FORMATS = ("csv", "tsv", "arff", "parquet", "c4.5")
"""The formats of tables; ``datasets.reading`` has them too, but loads more than ``--help`` should wait for."""
ENCODING = "utf-8"


class TablePath(click.Path):
    """A file that is there, ``-`` for standard input, or the name of a data set."""

    def __init__(self) -> None:
        super().__init__(exists=True, dir_okay=False, allow_dash=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path or the name; an error where it is neither."""
        if not isinstance(value, str) or _is_path(value):
            return super().convert(value, param, ctx)
        names = _names(value)
        if value in names:
            return value
        stem = value.removesuffix(".gz").rpartition(".")[0]
        if stem in names:
            raise MisspeltError(f"there is no file {value!r}, but a data set {stem!r}.", stem, ctx=ctx, param=param)
        problem = f"there is no file {value!r}, and no data set of that name."
        if not Path(value).is_dir() and (meant := nearest(value, names)) is not None:
            raise MisspeltError(problem, meant, ctx=ctx, param=param)
        if Path(value).is_dir() or "." in value:
            return super().convert(value, param, ctx)
        return self.fail(problem, param, ctx)


def is_data_set(table: str) -> bool:
    """Whether a table that was asked for is a data set by its name, and no file."""
    return not _is_path(table) and table in _names(table)


def _names(table: str) -> list[str]:
    """The names of data sets; none for what looks like a file, where the user's folder of them cannot be read."""
    # Loaded here, not above: --help must not wait for NumPy.
    from priorcase.datasets.catalog import available

    try:
        return list(available())
    except PriorcaseError:
        if "." in table:
            return []
        raise


def _is_path(table: str) -> bool:
    """Whether this can be no name: a file that is there, or what only a path looks like; a folder is no table."""
    path = Path(table)
    return table == "-" or path.name != table or (path.exists() and not path.is_dir())


def check_reading(tables: Sequence[str], options: Mapping[str, Any]) -> None:
    """Refuse options that say how a file is read where every table is a data set, which its description says."""
    if not all(map(is_data_set, tables)):
        return
    for name in ("missing", "delimiter", "encoding", "format"):
        if options[name] and options[name] != ENCODING:
            problem = f"--{name} has no effect with the data set {tables[0]!r}, whose description says how it is read."
            raise click.UsageError(problem, click.get_current_context(silent=True))


TABLE = TablePath()


def table_options(function: Function) -> Function:
    """Add the options that name the tables and say how to read them."""
    add = partial(option, "Tables")
    return together(
        function,
        add(
            "--train",
            "FILE",
            "Table of past cases; - is standard input; or a data set's name.",
            type=TABLE,
            required=True,
        ),
        add("--target", "COLUMN", "The column to answer; the query table may lack it.", required=True),
        add("--query", "FILE", "Table of new cases; the same.", type=TABLE, required=True),
        reading_options,
    )


def reading_options(function: Function) -> Function:
    """Add the options that say how a table is read."""
    add = partial(option, "Tables")
    levels = "Read a column as ordered levels. Repeatable."
    gaps = "Fields read as missing, besides empty ones. Repeatable.  [default: ?, NA, NaN, null]"
    apart = "What stands between fields of CSV; tab is allowed.  [default: ',']"
    told = f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}; told from name and content unless given."
    return together(
        function,
        add("--ignore", "COLUMN", "Leave a column out, an id for example. Repeatable.", multiple=True),
        add("--numeric", "COLUMN", "Read a column as numbers. Repeatable.", multiple=True),
        add("--nominal", "COLUMN", "Read a column as names, even if they are digits. Repeatable.", multiple=True),
        add("--ordinal", "COLUMN=a<b<c", levels, multiple=True, callback=_levels),
        add("--missing", "TEXT", gaps, multiple=True),
        add("--delimiter", "CHAR", apart, callback=_delimiter),
        add("--encoding", "NAME", "How characters are stored.", default=ENCODING),
        add("--format", "NAME", told, type=Choice(FORMATS)),
    )


def _levels(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    parsed = []
    for value in values:
        column, found, order = value.partition("=")
        levels = tuple(level.strip() for level in order.split("<"))
        if not found or not column.strip() or "" in levels or len(set(levels)) < max(2, len(levels)):
            form = "'size=small<medium<large', with two or more different levels"
            raise click.BadParameter(f"{value!r} is not of the form {form}.")
        parsed.append((column.strip(), levels))
    return tuple(parsed)


def _delimiter(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    if value is None:
        return None
    character = "\t" if value in ("tab", "\\t") else value
    if len(character) != 1 or character in '\r\n" ':
        raise click.BadParameter(f"{value!r} is not one character; write ';' or tab, for example.")
    return character
