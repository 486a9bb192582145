"""The options that name the tables and say how to read them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from priorcase.cli.help import Function, option, together
from priorcase.cli.words import Choice, MisspeltError
from priorcase.exceptions.base import nearest

__all__ = ["TABLE", "reading_options", "table_options"]

FORMATS = ("csv", "tsv", "arff", "parquet", "c4.5")
"""The formats of tables; ``datasets.formats`` has them too, but loads more than ``--help`` should wait for."""


class TablePath(click.Path):
    """A file that is there, ``-`` for standard input, or the name of a data set."""

    def __init__(self) -> None:
        super().__init__(exists=True, dir_okay=False, allow_dash=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path or the name; an error where it is neither."""
        named = isinstance(value, str) and value.isascii() and value.replace("-", "").isalnum()
        if not named or Path(value).exists():
            return super().convert(value, param, ctx)
        # Loaded here, not above: --help must not wait for NumPy.
        from priorcase.datasets.listing import available

        names = list(available())
        if value in names:
            return value
        problem = f"there is no file {value!r}, and no data set of that name."
        if (meant := nearest(value, names)) is not None:
            raise MisspeltError(problem, meant, ctx=ctx, param=param)
        return self.fail(problem, param, ctx)


TABLE = TablePath()


def table_options(function: Function) -> Function:
    """Add the options that name the tables and say how to read them."""
    add = partial(option, "Tables")
    return together(
        function,
        add("--train", "FILE", "Table of past cases; - is standard input.", type=TABLE, required=True),
        add("--target", "COLUMN", "The column to answer; the query table may lack it.", required=True),
        add("--query", "FILE", "Table of new cases; - is standard input.", type=TABLE, required=True),
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
        add("--encoding", "NAME", "How characters are stored.", default="utf-8"),
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
