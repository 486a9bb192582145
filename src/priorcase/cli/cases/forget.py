"""``priorcase cases forget``."""

from __future__ import annotations

import sys
from typing import Any

import click

from priorcase.cli.cases.arguments import file_argument, provenance_options, where_option
from priorcase.cli.errors import debug_option
from priorcase.cli.help import GroupedArgument, GroupedOptions, option
from priorcase.exceptions import UnknownIdError, named

__all__ = ["command"]

_SHOWN = 20
_EPILOG = """\
\b
Examples:
  priorcase cases forget desk.cases 17 18
  priorcase cases forget desk.cases --where "opened<2025-02-01"
  priorcase cases forget desk.cases V-9 --yes --by desk-2 --why "asked to"
\b
Everything that was known of the cases goes: values, solution, outcome, key,
notes, who added them and why. The history keeps that a case of that id was
forgotten, when, and what --by and --why say here. Copies made by 'priorcase
cases backup' or 'export' are files of their own and keep what they have."""


@click.command("forget", cls=GroupedOptions, short_help="Forget cases, to the last byte.", epilog=_EPILOG)
@file_argument
@click.argument("ids", cls=GroupedArgument, group="Case base", text="Ids or keys.", nargs=-1, metavar="[ID]...")
@where_option
@option("Case base", "--yes", None, "Do not ask before; needed where there is no terminal.", is_flag=True)
@provenance_options
@debug_option
def command(file: str, ids: tuple[str, ...], where: tuple[str, ...], yes: bool, **options: Any) -> None:
    """Forget cases of FILE by their ids or keys, or all of which a condition is true."""
    ctx = click.get_current_context()
    if bool(ids) == bool(where):
        raise click.UsageError("give ids or --where, one of them; nothing was forgotten.", ctx)
    asking = sys.stdin.isatty() and sys.stdout.isatty()
    if not yes and not asking:
        raise click.UsageError("nobody can be asked here: --yes forgets without asking; nothing was forgotten.", ctx)
    # Loaded here, not above: --help must not wait for NumPy.
    from priorcase.cli.cases.opening import case_id, writing
    from priorcase.cli.cases.values import conditions

    with writing(file) as base:
        if where:
            found = list(base.find(where=conditions(base, where)))
        else:
            wanted = list(dict.fromkeys(case_id(base, given) for given in ids))
            if absent := [id for id in wanted if id not in base]:
                which = "which names no case" if len(absent) == 1 else "which name no cases"
                raise UnknownIdError(
                    f"got {named('id', absent)}, {which}. 'priorcase cases list FILE' shows all cases."
                )
            found = [base.get(id) for id in wanted]
        if not found:
            click.echo("no case is like that; nothing was forgotten")
            return
        if not yes and not _agreed(found):
            click.echo("nothing was forgotten")
            return
        count = base.forget([case.id for case in found if case.id is not None], **options)
    what = "1 case" if count == 1 else f"{count} cases"
    click.echo(f"{what} forgotten; no byte of {'it' if count == 1 else 'them'} is left in {file}")


def _agreed(found: list[Any]) -> bool:
    """Show the cases and ask; anything but a yes is a no, the end of the input too."""
    from priorcase.cli.cases.tables import case_table

    note = f"cases not shown: {len(found) - _SHOWN}" if len(found) > _SHOWN else ""
    title = f"{len(found)} case{'s' * (len(found) != 1)} to forget"
    click.echo(case_table(found[:_SHOWN], title, note=note))
    click.echo("Forget for good? [y/N] ", nl=False)
    return sys.stdin.readline().strip().casefold() in ("y", "yes")
