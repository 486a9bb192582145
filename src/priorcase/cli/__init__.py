"""The command line: ``priorcase predict``, ``explain`` and ``reproduce``.

Each command is one module here and loads what it needs when it runs, so that ``priorcase --help`` is quick.
"""

from __future__ import annotations

import click

from priorcase.cli.asking import explain, predict
from priorcase.cli.errors import OneLineErrors, debug_option
from priorcase.cli.reporting import report
from priorcase.cli.reproducing import reproduce

__all__ = ["main"]

_EPILOG = """\
\b
Examples:
  priorcase predict --train loans.csv --target repaid --query new.csv
  priorcase explain --train loans.csv --target repaid --query - < new.csv
  priorcase explain --train loans.csv --target repaid --query new.csv \\
      --learner naive-bayes
\b
Exit codes: 0 success, 2 wrong usage or bad input, 130 interrupted,
141 the reader of the output went away (| head)."""


@click.group("priorcase", cls=OneLineErrors, invoke_without_command=True, epilog=_EPILOG)
@click.version_option(package_name="priorcase", message="%(prog)s %(version)s")
@debug_option
@click.pass_context
def main(ctx: click.Context) -> None:
    """Answers from precedents or from counts, for tables with mixed columns and gaps."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


main.add_command(report)
main.add_command(predict)
main.add_command(explain)
main.add_command(reproduce)
