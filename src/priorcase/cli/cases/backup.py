"""``priorcase cases backup``."""

from __future__ import annotations

import click

from priorcase.cli.cases.arguments import file_argument
from priorcase.cli.errors import debug_option
from priorcase.cli.help import GroupedArgument, GroupedOptions

__all__ = ["command"]

_EPILOG = """\
\b
Example:
  priorcase cases backup desk.cases desk-monday.cases
\b
The copy is of one moment; others may go on writing. What is forgotten in FILE
afterwards is still in the copy."""


@click.command("backup", cls=GroupedOptions, short_help="Copy a case base while it is in use.", epilog=_EPILOG)
@file_argument
@click.argument(
    "out", cls=GroupedArgument, group="Case base", text="The copy, a new file.", metavar="OUT", type=click.Path()
)
@debug_option
def command(file: str, out: str) -> None:
    """Copy FILE to OUT, which must not exist."""
    # Loaded here, not above: --help must not wait for NumPy.
    from priorcase.cli.cases.opening import reading

    with reading(file) as base:
        base.backup(out)
        count = len(base)
    click.echo(f"{count} case{'s' * (count != 1)} copied to {out}")
