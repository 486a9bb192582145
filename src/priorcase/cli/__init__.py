"""The command line: ``priorcase report``, ``predict``, ``explain``, ``evaluate`` and ``cases``.

Each command is one module here and loads what it needs when it runs, so that ``priorcase --help`` is quick.
"""

from __future__ import annotations

import click

from priorcase.cli.asking import explain, predict
from priorcase.cli.cases import cases as case_commands
from priorcase.cli.errors import OneLineErrors, debug_option
from priorcase.cli.evaluating import evaluate
from priorcase.cli.reporting import report

__all__ = ["main"]

_EPILOG = """\
\b
Examples:
  priorcase report loans.csv --target repaid --out report.html
  priorcase predict --train loans.csv --target repaid --query new.csv
  priorcase explain --train loans.csv --target repaid --query - < new.csv
  priorcase evaluate loans.csv --target repaid --splits loo
  priorcase cases ask desk.cases
'priorcase COMMAND --help' has more of them.
\b
Tables: CSV, TSV, ARFF, Parquet and C4.5, gzipped or not; - is standard
input. The name of a data set (glass) stands for one of the folder in
PRIORCASE_DATA, of the cache, or of OpenML. Answers go to standard output,
notes, errors and progress (on a terminal only) to standard error.
\b
Exit codes:
  0    success
  1    nothing could be measured, a damaged case base, or a mistake in
       priorcase itself
  2    wrong usage or bad input; standard error says in a line what and why
  130  interrupted by Ctrl-C
  141  the reader of the output went away (| head)
\b
Completion of commands and options by the Tab key:
  eval "$(_PRIORCASE_COMPLETE=bash_source priorcase)"    (or zsh_source)
  _PRIORCASE_COMPLETE=fish_source priorcase | source"""


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
main.add_command(evaluate)
main.add_command(case_commands)
