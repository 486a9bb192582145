"""``priorcase cases``: a case base in one file, filled, asked and forgotten from on the command line.

Each command is one module here; what they share is in the others, and whatever takes time to load is loaded when a
command runs.
"""

from __future__ import annotations

import click

from priorcase.cli.cases import add, ask, backup, export, feedback, forget, history, list, new, verify
from priorcase.cli.cases.wording import CaseCommands
from priorcase.cli.errors import debug_option

__all__ = ["cases"]

_EPILOG = """\
\b
Examples:
  priorcase cases new desk.cases --example help-desk
  priorcase cases ask desk.cases
  priorcase cases ask desk.cases area=printer "message=stripes on the page"
  priorcase cases add desk.cases area=vpn place=home \\
      --solution "renew the VPN certificate" --outcome yes --key V-9
  priorcase cases list desk.cases --where "people>=20"
  priorcase cases feedback desk.cases V-9 --outcome no --note "came back"
  priorcase cases forget desk.cases --where "opened<2025-02-01"
'priorcase cases COMMAND --help' has more of them.
\b
A case base is one file that loses nothing: a change is on the disk when the
command ends, or was not made. Several may read and one write it at a time.
What is forgotten is gone from every byte of the file."""


@click.group("cases", cls=CaseCommands, invoke_without_command=True, epilog=_EPILOG)
@debug_option
@click.pass_context
def cases(ctx: click.Context) -> None:
    """Keep solved cases in a file and ask them, question by question."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


for _module in (new, add, list, ask, feedback, forget, export, verify, history, backup):
    cases.add_command(_module.command)
