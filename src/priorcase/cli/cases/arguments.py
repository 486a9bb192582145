"""Arguments and options that several commands on case bases share."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import click
from click.shell_completion import CompletionItem

from priorcase.cli.help import Function, GroupedArgument, option, together

__all__ = ["column_options", "file_argument", "json_option", "pairs_argument", "provenance_options", "where_option"]

_BASE = "Case base"
_CONDITION = (
    "Only cases of which this is true: NAME, then =, !=, <, <=, >, >= or ~ (contains), then a value; "
    "a|b is either, ? missing. Repeatable."
)


def file_argument(function: Function) -> Function:
    """Add FILE."""
    text = "The case base: one file."
    return click.argument(
        "file", cls=GroupedArgument, group=_BASE, text=text, metavar="FILE", type=click.Path(path_type=str)
    )(function)


def pairs_argument(text: str, *, group: str = "Values") -> Callable[[Function], Function]:
    """Add NAME=VALUE, as often as one likes."""
    return click.argument(
        "pairs",
        cls=GroupedArgument,
        group=group,
        text=text,
        nargs=-1,
        metavar="[NAME=VALUE]...",
        shell_complete=_attributes,
    )


def where_option(function: Function) -> Function:
    """Add ``--where``."""
    add = option(_BASE, "--where", "CONDITION", _CONDITION, multiple=True)
    return add(function)


def provenance_options(function: Function) -> Function:
    """Add who makes a change and why."""
    add = partial(option, "History")
    return together(
        function,
        add("--by", "WHO", "Who does this, for the history."),
        add("--why", "TEXT", "Why it is done, for the history."),
    )


def column_options(function: Function) -> Function:
    """Add which columns of a table are no attributes."""
    add = partial(option, "Tables")
    return together(
        function,
        add("--solution-column", "COLUMN", "The column with solutions.  [default: solution, if there is one]"),
        add("--outcome-column", "COLUMN", "The column with outcomes.  [default: outcome]"),
        add("--key-column", "COLUMN", "The column with keys.  [default: key]"),
        add("--note-column", "COLUMN", "The column with notes.  [default: note]"),
    )


def json_option(function: Function) -> Function:
    """Add ``--json``."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(function)


def _attributes(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The names of attributes that the Tab key completes."""
    file = ctx.params.get("file")
    if not file:
        return []
    from priorcase.cli.cases.opening import reading

    try:
        with reading(file) as base:
            names = list(base.attributes)
    except Exception:  # whatever it is, completion has nothing to say then
        return []
    return [CompletionItem(f"{name}=") for name in names if name.startswith(incomplete)]
