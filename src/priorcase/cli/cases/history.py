"""``priorcase cases history``."""

from __future__ import annotations

import click

from priorcase.cli.cases.arguments import file_argument, json_option
from priorcase.cli.errors import debug_option
from priorcase.cli.help import GroupedArgument, GroupedOptions, option
from priorcase.cli.parsing import whole

__all__ = ["command"]

_EPILOG = """\
\b
Examples:
  priorcase cases history desk.cases
  priorcase cases history desk.cases V-9 --json
\b
Of forgotten cases it keeps when they came, changed and went, and nothing of
what they held or who dealt with them."""


@click.command("history", cls=GroupedOptions, short_help="Say what changed when, by whom and why.", epilog=_EPILOG)
@file_argument
@click.argument(
    "id", cls=GroupedArgument, group="Case base", text="One case: its id, or its key.", metavar="[ID]", required=False
)
@option("Output", "--limit", "N", "The last so many events.", default="20", callback=whole(1, 10**9))
@json_option
@debug_option
def command(file: str, id: str | None, limit: int, as_json: bool) -> None:
    """Say what changed in FILE, or of case ID, the last changes last."""
    # Loaded here, not above: --help must not wait for NumPy.
    from priorcase.cli.cases.opening import case_id, reading
    from priorcase.cli.cases.tables import event_table, json_text

    with reading(file) as base:
        events = list(base.history(None if id is None else case_id(base, id)))
    if as_json:
        told = [{"at": e.at, "action": e.action, "case": e.id, "by": e.by, "why": e.why} for e in events]
        click.echo(json_text({"events": told}))
    else:
        click.echo(event_table(events, limit))
