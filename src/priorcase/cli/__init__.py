"""The command-line program ``priorcase``, which has a command for each main task.

The modules that a command needs are imported when the command runs, so that ``priorcase --help`` is quick.
"""

from __future__ import annotations

import click

from priorcase.cli.cases import cases
from priorcase.cli.evaluate import evaluate
from priorcase.cli.explore import explore
from priorcase.cli.predict import explain, predict
from priorcase.cli.report import report
from priorcase.cli.serve import serve
from priorcase.cli.shell import DEBUG, Commands

__all__ = ["main"]

_EXAMPLES = """\
priorcase report loans.csv --target repaid --out report.html
priorcase predict loans.csv --target repaid new.csv
priorcase explain loans.csv --target repaid income=1800 housing=own
priorcase explore loans.csv --target repaid
priorcase cases ask desk.cases"""
_EPILOG = """\
A table is a text (CSV), Excel, Parquet, Feather, JSON lines, SQLite, ARFF or C4.5 file, the name of a data set, or
- for standard input.

\b
Exit codes: 0 success; 1 all learners failed, a damaged case base, or a bug;
2 wrong usage or bad input; 130 Ctrl-C; 141 broken pipe."""


@click.group(
    "priorcase",
    cls=Commands,
    examples=_EXAMPLES,
    invoke_without_command=True,
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="priorcase", message="%(prog)s %(version)s")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.pass_context
def main(ctx: click.Context, debug: bool) -> None:
    """Predictions from similar past cases, for mixed tables with missing values."""
    ctx.meta[DEBUG] = debug
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


for _command in (report, predict, explain, evaluate, cases, serve, explore):
    main.add_command(_command)
