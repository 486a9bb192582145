"""``priorcase cases list``."""

from __future__ import annotations

from itertools import islice
from typing import Any

import click

from priorcase.cli.cases.arguments import file_argument, json_option, where_option
from priorcase.cli.errors import debug_option
from priorcase.cli.help import GroupedOptions, option
from priorcase.cli.parsing import whole

__all__ = ["command"]

_SHOWN = 20
_LIMIT = f"So many at most.  [default: {_SHOWN} in a table, else all]"
_EPILOG = """\
\b
Examples:
  priorcase cases list desk.cases
  priorcase cases list desk.cases --where area=printer --where "people>=5"
  priorcase cases list desk.cases --where "message~toner" --columns id,message
  priorcase cases list desk.cases --where "outcome=no" --csv > failed.csv
  priorcase cases list desk.cases --id P-01
\b
Conditions: "NAME=a|b" is either, "NAME=?" missing, "NAME!=?" known; a node of
a taxonomy means it and all under it, a value of a set that it is among them,
~ that a text contains a word. solution, outcome, id, key, by and retired may
be asked for like attributes."""


def _names(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> list[str]:
    return [name.strip() for text in given for name in text.split(",") if name.strip()]


@click.command("list", cls=GroupedOptions, short_help="List cases, or show one in full.", epilog=_EPILOG)
@file_argument
@where_option
@option("Case base", "--id", "ID", "One case in full, by its id or key, with notes and history.")
@option("Output", "--limit", "N", _LIMIT, callback=whole(0, 10**9))
@option("Output", "--columns", "A,B", "Which columns. Repeatable.", multiple=True, callback=_names)
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@json_option
@debug_option
def command(
    file: str, where: tuple[str, ...], id: str | None, limit: int | None, as_csv: bool, as_json: bool, **more: Any
) -> None:
    """List the cases of FILE, by ascending ids."""
    columns: list[str] = more["columns"]
    ctx = click.get_current_context()
    if as_json and as_csv:
        raise click.UsageError("--json does not go with --csv.", ctx)
    if as_json and columns:
        raise click.UsageError("--columns does not go with --json, which has all of them.", ctx)
    if id is not None and (where or as_csv or columns or limit is not None):
        raise click.UsageError("--id shows one case in full; only --json goes with it.", ctx)
    # Loaded here, not above: --help must not wait for NumPy.
    from priorcase.cli.cases.opening import reading

    with reading(file) as base:
        if id is not None:
            _show_one(base, id, as_json=as_json)
        else:
            _show_all(base, where, limit, columns, as_csv=as_csv, as_json=as_json)


def _show_one(base: Any, given: str, *, as_json: bool) -> None:
    from priorcase.cli.cases.opening import case_id
    from priorcase.cli.cases.tables import case_document, event_table, json_text

    case = base.get(case_id(base, given))
    events = list(base.history(case.id))
    if as_json:
        told = [{"at": event.at, "action": event.action, "by": event.by, "why": event.why} for event in events]
        click.echo(json_text(case_document(case) | {"history": told}))
    else:
        click.echo(f"{case}\n\n{event_table(events, len(events))}")


def _show_all(
    base: Any, where: tuple[str, ...], limit: int | None, columns: list[str], *, as_csv: bool, as_json: bool
) -> None:
    from priorcase.cli.cases import tables
    from priorcase.cli.cases.values import conditions

    tables.check_columns(columns, base.attributes, base.path)
    found = base.find(where=conditions(base, where))
    if as_csv:
        names = columns or ["id", "key", *base.attributes, "solution", "outcome"]
        for line in tables.csv_lines(islice(found, limit), names):
            click.echo(line)
    elif as_json:
        click.echo(tables.json_text({"cases": [tables.case_document(case) for case in islice(found, limit)]}))
    else:
        limit, among = _SHOWN if limit is None else limit, len(base)
        shown = list(islice(found, limit))
        count = len(shown) + sum(1 for _ in found) if where else among
        _show_table(shown, count, among, columns)


def _show_table(shown: list[Any], count: int, among: int, columns: list[str]) -> None:
    from priorcase.cli.cases.tables import case_table

    title = f"{count} of {among} cases" if count < among else f"{among} case{'s' * (among != 1)}"
    note = f"cases not shown: {count - len(shown)}; --limit shows more" if count > len(shown) else ""
    click.echo(case_table(shown, title, columns, note) if shown else title)
