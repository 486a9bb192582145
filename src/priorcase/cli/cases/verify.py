"""``priorcase cases verify``."""

from __future__ import annotations

from typing import Any

import click

from priorcase.cli.cases.arguments import file_argument, json_option
from priorcase.cli.errors import debug_option
from priorcase.cli.help import GroupedOptions

__all__ = ["command"]

_DAMAGED = " is damaged: "
_EPILOG = """\
\b
Examples:
  priorcase cases verify desk.cases
  priorcase cases verify desk.cases && priorcase cases backup desk.cases b.cases
\b
Exit codes: 0 clean, 1 damaged, 2 no case base at all."""


@click.command("verify", cls=GroupedOptions, short_help="Check every byte of a case base.", epilog=_EPILOG)
@file_argument
@json_option
@debug_option
@click.pass_context
def command(ctx: click.Context, /, file: str, as_json: bool) -> None:
    """Check the pages, checksums, counts and keys of FILE; nothing is changed."""
    # Loaded here, not above: --help must not wait for NumPy.
    found = _verified(file)
    if as_json:
        from priorcase.cli.cases.tables import json_text

        click.echo(json_text({"clean": found.clean, "cases": found.cases, "findings": list(found.findings)}))
    else:
        click.echo(str(found))
    ctx.exit(0 if found.clean else 1)


def _verified(file: str) -> Any:
    from priorcase.cases.case_base import Verification
    from priorcase.cases.storage import Store
    from priorcase.cli.cases.opening import reading
    from priorcase.exceptions import CaseBaseFileError

    try:
        with reading(file) as base:
            return base.verify()
    except CaseBaseFileError as error:
        problem = str(error)
        if _DAMAGED not in problem:
            raise
    try:
        with Store.open(file, readonly=True) as store:
            findings = store.verify()
    except CaseBaseFileError:
        findings = []
    return Verification(0, tuple(findings) or (problem,))
