"""``priorcase report``: what a table says, which learner to trust on it, and why."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Any

import click

from priorcase.cli.errors import debug_option
from priorcase.cli.help import GroupedOptions, option, together
from priorcase.cli.parsing import jobs, whole
from priorcase.cli.table_options import ENCODING, TABLE, check_reading, is_data_set, reading_options
from priorcase.cli.words import Choice

__all__ = ["report"]

_ENDS = (".html", ".htm", ".json", "")
_EPILOG = """\
\b
Examples:
  priorcase report
  priorcase report loans.csv --target repaid --out report.html
  priorcase report loans.csv --target repaid --json > report.json
  priorcase report cars.arff --budget 5min --ignore id
\b
What it does:
  Without TABLE the built-in one is taken, without --target the last column.
  Learners are compared on rows that they have not seen, as many and as often
  as the budget allows; what does not fit is left out, and the report says
  so. A summary is printed; --out writes the whole report as one HTML file
  that needs no network (or as JSON, if its name ends in .json), --json
  prints it as one JSON document instead of the summary.
\b
--json prints one document:
  name, target, task, place_word (what rows are called: "row" or "line")
  summary      the findings in sentences
  table        rows, missing values, columns, target, repeated and
               conflicting rows
  comparisons  learners with scores (mean, error) and seconds; the last is
               the one that counts, one before it is on a sample of the rows
  verdict      chosen, by (the score), estimate (nested: score -> mean,
               error), runner_up, baseline
  calibration, importance (of columns), explained (predictions), suspects
  (where the target may be wrong), oddities (unusual rows), left_out,
  next_steps, made
  Rows have row (position from 0) and place (what the report calls them).
  Numbers that are not finite are null."""


class _TableArgument(click.Argument):
    """The table, listed among the options that say how it is read."""

    group = "Tables"

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        """The line of the help."""
        return "TABLE", "The table; - is standard input; or a data set's name.  [default: a built-in one]"

    def get_error_hint(self, ctx: click.Context | None) -> str:
        """What errors call it."""
        return "'TABLE'"


def _budget(_: click.Context, __: click.Parameter, value: str) -> float:
    from priorcase.exceptions import ParameterError
    from priorcase.reporting.comparison import parse_budget

    try:
        return parse_budget(value)
    except ParameterError:
        raise click.BadParameter(f"{value!r} is no time; write 60s or 5min, for example.") from None


def _out(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    """Refuse a folder that is not there, or not to be written to, before the work is done, not after."""
    if value is None or value == "-":
        return value
    folder = Path(value).absolute().parent
    if not folder.is_dir():
        raise click.BadParameter(f"there is no folder {str(Path(value).parent)!r}.")
    if Path(value).suffix.lower() not in _ENDS:
        raise click.BadParameter(f"{value!r} does not end in .html or .json.")
    if not os.access(value if Path(value).exists() else folder, os.W_OK):
        raise click.BadParameter(f"{value!r} cannot be written.")
    return value


def _report_options(function: Any) -> Any:
    where = "Write the report there; - is standard output."
    return together(
        function,
        option("Tables", "--target", "COLUMN", "The column to answer.  [default: what the file names, else the last]"),
        reading_options,
        option(
            "Report",
            "--task",
            "NAME",
            "classify or regress; told from the target unless given.",
            type=Choice(["auto", "classify", "regress"]),
            default="auto",
        ),
        option("Report", "--budget", "TIME", "How long it may take: 60s, 5min.", default="60s", callback=_budget),
        option("Report", "--seed", "N", "Seed of everything random.", default="0", callback=whole(0, 2**32 - 1)),
        option("Report", "--jobs", "N", "Splits to work on at a time; -1 for as many as cores.", callback=jobs),
        option("Output", "--out", "FILE", where, type=click.Path(dir_okay=False, allow_dash=True), callback=_out),
    )


@click.command(cls=GroupedOptions, short_help="Report on a table: what is in it, and whom to trust.", epilog=_EPILOG)
@click.argument("table", cls=_TableArgument, required=False, type=TABLE)
@_report_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document; its fields are listed below.")
@debug_option
def report(table: str | None, out: str | None, as_json: bool, **options: Any) -> None:
    """Say what is in TABLE, which learner to trust on it and how far, and which rows stand out."""
    # Loaded here, not above: --help must not wait for NumPy and scikit-learn.
    from priorcase.cli import screens
    from priorcase.reporting.comparison import Budget
    from priorcase.reporting.table_report import report_on

    clock = Budget(options.pop("budget"))
    seed, n_jobs = options.pop("seed"), options.pop("jobs")
    problem, notes = _problem(table, **options)
    screens.print_notes(notes)
    file = None if table == "-" else table
    found = report_on(problem, clock, seed=seed, n_jobs=n_jobs, table=file, reading=_flags(**options))
    if as_json:
        click.echo(found.json())
    elif out == "-":
        click.echo(found.html(), nl=False)
    if out not in (None, "-"):
        found.save(out)
    if not as_json and out != "-":
        _show(found, out)


def _problem(table: str | None, *, target: str | None, task: Any, **reading: Any) -> tuple[Any, tuple[str, ...]]:
    """The table to report on, and what a reader should know about the reading."""
    import numpy as np

    from priorcase.cli.tables import cases
    from priorcase.datasets import load_repairs
    from priorcase.reporting.table import read_problem

    if table is None:
        given = [f"--{name}" for name, value in reading.items() if value and name != "encoding"]
        if target is not None or given:
            flag = given[0] if given else "--target"
            raise click.UsageError(f"{flag} goes with a TABLE.", click.get_current_context())
        X, y = load_repairs()
        return read_problem(X, y, name="repairs", target="job", task=task), ()
    check_reading([table], reading)
    found = cases(table, target, task=task, gaps=True, **reading)
    name = "standard input" if table == "-" else Path(table).name.removesuffix(".gz").rpartition(".")[0]
    name = table if is_data_set(table) else name
    places = np.array(found.lines, dtype=np.int64)
    problem = read_problem(
        *(found.X, found.y), name=name or table, target=found.target, task=found.task, places=places, place_word="line"
    )
    return problem, found.notes


def _flags(*, ordinal: Any, delimiter: str | None, encoding: str, **others: Any) -> str:
    """The options that say how the table was read, as the user would write them again."""
    found = [(name, value) for name in ("ignore", "numeric", "nominal", "missing") for value in others[name]]
    found += [("ordinal", f"{column}={'<'.join(levels)}") for column, levels in ordinal]
    found += [("delimiter", "tab" if delimiter == "\t" else delimiter)] if delimiter else []
    found += [("encoding", encoding)] if encoding != ENCODING else []
    found += [("format", others["format"])] if others["format"] else []
    return shlex.join(part for name, value in found for part in (f"--{name}", value))


def _show(found: Any, out: str | None) -> None:
    """Print the summary, and where the whole report is or how to get it."""
    from rich.text import Text

    from priorcase.cli.screens import QuietConsole
    from priorcase.reporting.summary import summary

    console = QuietConsole(highlight=False)
    for part in summary(found):
        console.print(part)
    if out is None:
        console.print(Text("--out report.html writes the whole report.", style="cyan"))
    else:
        console.print(Text(f"Written: {out}", style="cyan"))
