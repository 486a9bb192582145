"""The options that commands share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, TypeVar

import click

from priorcase.cli.errors import DEBUG

__all__ = ["Request", "Task", "debug_option", "learner_options", "table_options"]

Task: TypeAlias = Literal["auto", "classify", "regress"]
Function = TypeVar("Function", bound=Callable[..., Any])

RULES = ("sqrt", "loo", "all")
_FILE = click.Path(exists=True, dir_okay=False, allow_dash=True)


@dataclass(frozen=True)
class Request:
    """What a command was asked: the tables, how to read them, and how to answer."""

    train: str
    query: str
    target: str
    ignore: tuple[str, ...]
    numeric: tuple[str, ...]
    nominal: tuple[str, ...]
    ordinal: tuple[tuple[str, tuple[str, ...]], ...]
    missing: tuple[str, ...]
    delimiter: str
    encoding: str
    task: Task
    neighbors: int | Literal["sqrt", "loo", "all"]
    distance: str
    vote: str
    ties: str | None
    prior: float | Literal["frequency"] | None


def debug_option(function: Function) -> Function:
    """Add ``--debug``."""
    text = "Show the traceback of an error."
    return click.option("--debug", is_flag=True, expose_value=False, is_eager=True, callback=_debug, help=text)(
        function
    )


def table_options(function: Function) -> Function:
    """Add the options that name the tables and say how to read them."""
    return _chain(
        function,
        _option("--train", "FILE", "CSV table of past cases; - is standard input.", type=_FILE, required=True),
        _option("--target", "COLUMN", "The column to answer; the query table may lack it.", required=True),
        _option("--query", "FILE", "CSV table of new cases; - is standard input.", type=_FILE, required=True),
        _option("--ignore", "COLUMN", "Leave a column out, an id for example. Repeatable.", multiple=True),
        _option("--numeric", "COLUMN", "Read a column as numbers. Repeatable.", multiple=True),
        _option("--nominal", "COLUMN", "Read a column as names, even if they are digits. Repeatable.", multiple=True),
        _option(
            "--ordinal", "COLUMN=a<b<c", "Read a column as ordered levels. Repeatable.", multiple=True, callback=_levels
        ),
        _option(
            "--missing",
            "TEXT",
            "Fields read as missing, besides empty ones. Repeatable.  [default: ?, NA, NaN, null]",
            multiple=True,
        ),
        _option("--delimiter", "CHAR", "What stands between fields; tab is allowed.", default=",", callback=_delimiter),
        _option("--encoding", "NAME", "How characters are stored.", default="utf-8"),
    )


def learner_options(function: Function) -> Function:
    """Add the options that say how to answer."""
    tasks = click.Choice(["auto", "classify", "regress"])
    return _chain(
        function,
        _option("--task", None, "What kind of answer the target asks for.", type=tasks, default="auto"),
        _option(
            "--neighbors",
            "K",
            "How many precedents speak: a number, sqrt, loo or all.",
            default="5",
            callback=_neighbors,
        ),
        _option("--distance", "NAME", "What near means: heom, hvdm, mvdm, gower, ...", default="heom"),
        _option("--vote", "NAME", "How precedents count: uniform, inverse_square or a kernel.", default="uniform"),
        _option("--ties", "RULE", "What happens when distances or votes are equal.  [default: majority]"),
        _option("--prior", "NUMBER", "Votes every class has to begin with, or frequency.", callback=_prior),
    )


def _option(name: str, metavar: str | None, text: str, **settings: Any) -> Callable[[Function], Function]:
    return click.option(name, metavar=metavar, help=text, show_default="default" in settings, **settings)


def _chain(function: Function, *decorators: Callable[[Function], Function]) -> Function:
    for decorator in reversed(decorators):
        function = decorator(function)
    return function


def _debug(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        ctx.meta[DEBUG] = True


def _neighbors(_: click.Context, __: click.Parameter, value: str) -> int | str:
    if value in RULES:
        return value
    if not (value.isascii() and value.isdecimal()) or int(value) < 1:
        raise click.BadParameter(f"{value!r} is neither a positive number nor one of {', '.join(RULES)}.")
    return int(value)


def _prior(_: click.Context, __: click.Parameter, value: str | None) -> float | str | None:
    if value is None or value == "frequency":
        return value
    try:
        return float(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is neither a number nor the word frequency.") from None


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


def _delimiter(_: click.Context, __: click.Parameter, value: str) -> str:
    character = "\t" if value in ("tab", "\\t") else value
    if len(character) != 1 or character in '\r\n" ':
        raise click.BadParameter(f"{value!r} is not one character; write ';' or tab, for example.")
    return character
