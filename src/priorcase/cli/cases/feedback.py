"""``priorcase cases feedback``."""

from __future__ import annotations

from typing import Any

import click

from priorcase.cli.cases.arguments import file_argument, pairs_argument, provenance_options
from priorcase.cli.errors import debug_option
from priorcase.cli.help import GroupedArgument, GroupedOptions, option

__all__ = ["command"]

_EPILOG = """\
\b
Examples:
  priorcase cases feedback desk.cases 17 --outcome no --note "came back"
  priorcase cases feedback desk.cases V-9 --solution "replace the router" \\
      --by desk-2 --why "the first fix did not last"
  priorcase cases feedback desk.cases V-9 urgency=high system=?
\b
Solutions that failed (--outcome no, or a number below 0.5) speak against
themselves from then on. ? takes a value, a solution or an outcome away."""


@click.command("feedback", cls=GroupedOptions, short_help="Say what came of a case, or correct it.", epilog=_EPILOG)
@file_argument
@click.argument("id", cls=GroupedArgument, group="Case base", text="The case: its id, or its key.", metavar="ID")
@pairs_argument("New values.")
@option("Values", "--outcome", "VALUE", "What came of the solution: yes, no, a number, or a text.")
@option("Values", "--solution", "TEXT", "Another solution.")
@option("Values", "--note", "TEXT", "A note to be added to the others.")
@provenance_options
@debug_option
def command(file: str, id: str, pairs: tuple[str, ...], **options: Any) -> None:
    """Record what came of case ID, or change it."""
    given = {name: options.pop(name) for name in ("solution", "outcome")}
    if not pairs and options["note"] is None and all(value is None for value in given.values()):
        problem = "there is nothing to record; give --outcome, --solution, --note or NAME=VALUE."
        raise click.UsageError(problem, click.get_current_context())
    # Loaded here, not above: --help must not wait for NumPy.
    from priorcase.cli.cases.opening import case_id, writing
    from priorcase.cli.cases.values import outcome_value, solution_value, values

    with writing(file) as base:
        number = case_id(base, id)
        changes: dict[str, Any] = {}
        if given["solution"] is not None:
            changes["solution"] = solution_value(base, given["solution"])
        if given["outcome"] is not None:
            changes["outcome"] = outcome_value(given["outcome"])
        base.revise(number, values(base, pairs), **changes, **options)
        click.echo(str(base.get(number)))
