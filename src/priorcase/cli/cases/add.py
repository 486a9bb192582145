"""``priorcase cases add``."""

from __future__ import annotations

from typing import Any

import click

from priorcase.cli.cases.arguments import column_options, file_argument, json_option, pairs_argument, provenance_options
from priorcase.cli.errors import debug_option
from priorcase.cli.help import GroupedOptions, option

__all__ = ["command"]

_EPILOG = """\
\b
Examples:
  priorcase cases add desk.cases area=vpn place=home "signs=slow,timeout" \\
      opened=2025-06-01 "message=VPN is slow since the update" \\
      --solution "renew the VPN certificate" --outcome yes --key V-9
  priorcase cases add cars.cases "paint colour=black" miles=? --solution 8500
  priorcase cases add cars.cases --from cars.csv --solution-column price
  priorcase cases export old.cases - | priorcase cases add new.cases --from -
\b
Values are read as their attribute means them: numbers, dates like 2024-05-01,
sets with commas (or the attribute again and again), NAME=? where it is not
known. Where FILE declares no attributes, its first cases do: numbers are
numeric, dates dates, several values sets, everything else nominal.
A solution of digits is a number, unless FILE has texts as solutions; lists
and mappings are written in JSON. The same --key twice is one case.
\b
--from takes CSV, TSV, ARFF, Parquet and JSON lines, and what 'priorcase
cases export' wrote; - is standard input. All of its cases are added or, if
one is wrong, none."""


@click.command("add", cls=GroupedOptions, short_help="Add a case, or all of a table.", epilog=_EPILOG)
@file_argument
@pairs_argument("Values of one case.")
@option("Values", "--solution", "TEXT", "What was done: a text, a number, or JSON.")
@option("Values", "--outcome", "VALUE", "What came of it: yes, no, a number, or a text.")
@option("Values", "--key", "KEY", "A name of the case's own, a ticket number for example.")
@option("Values", "--note", "TEXT", "A free note.")
@option("Tables", "--from", "TABLE", "Add the rows of a table; - is standard input.", type=click.Path(allow_dash=True))
@column_options
@provenance_options
@json_option
@debug_option
@click.pass_context
def command(ctx: click.Context, /, file: str, pairs: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Add one case to FILE, by NAME=VALUE, or all cases of a table, by --from; prints their ids."""
    table = options.pop("from")
    one = {name: options.pop(name) for name in ("solution", "outcome", "key", "note")}
    columns = {name: options.pop(f"{name}_column") for name in one}
    if table is None and any(columns.values()):
        raise click.UsageError("--...-column needs --from TABLE.", ctx)
    if table is None and not pairs:
        raise click.UsageError("there is nothing to add; give NAME=VALUE, or --from TABLE.", ctx)
    if table is not None and (pairs or any(value is not None for value in one.values())):
        raise click.UsageError("--from takes a table and no values of one case; --...-column name its columns.", ctx)
    # Loaded here, not above: --help must not wait for NumPy.
    from priorcase.cli.cases.opening import writing

    with writing(file, options["by"]) as base:
        before = len(base)
        ids = [_add_one(base, pairs, one, options["why"])] if table is None else _add_all(base, table, columns, options)
        added = len(base) - before
    _tell(ids, added, file, as_json=as_json, many=table is not None)


def _add_one(base: Any, pairs: tuple[str, ...], one: dict[str, str | None], why: str | None) -> int:
    from priorcase.cli.cases.values import outcome_value, solution_value, values

    solution, outcome = one.pop("solution"), one.pop("outcome")
    found: int = base.add(
        values(base, pairs),
        solution=None if solution is None else solution_value(base, solution),
        outcome=None if outcome is None else outcome_value(outcome),
        why=why,
        **one,
    )
    return found


def _add_all(base: Any, table: str, columns: dict[str, str | None], options: dict[str, Any]) -> list[int]:
    from priorcase.cli.cases.standing_in import as_file

    with as_file(table) as path:
        found: list[int] = base.import_(path, **columns, **options)
    return found


def _tell(ids: list[int], added: int, file: str, *, as_json: bool, many: bool) -> None:
    there = len(ids) - added
    if as_json:
        from priorcase.cli.cases.tables import json_text

        click.echo(json_text({"ids": ids, "added": added, "there": there}))
    elif many:
        known = f"; {there} had a key that was there already" if there else ""
        click.echo(f"{added} case{'s' * (added != 1)} added to {file}{known}")
    else:
        click.echo(str(ids[0]))
        if there:
            click.echo(f"priorcase: note: case {ids[0]} has that key already; nothing was added", err=True)
