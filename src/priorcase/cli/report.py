"""``priorcase report``: what a table says, which learner to trust on it, and why."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click

from priorcase.cli.shell import Command, jobs_option, option, output_options, random_state_option, usage
from priorcase.cli.tables import is_data_set, parse_reading, read_past, table_argument, table_options
from priorcase.cli.terminal import deliver, safe_console, say

__all__ = ["report"]

_EXAMPLES = """\
priorcase report
priorcase report loans.csv --target repaid --out report.html
priorcase report loans.csv --target repaid --json > report.json
priorcase report cars.csv --target price --column id=ignore --budget 5min"""


def _budget(_: click.Context, __: click.Parameter, value: str) -> float:
    from priorcase.exceptions import ParameterError
    from priorcase.reporting.comparison import parse_budget

    try:
        return parse_budget(value)
    except ParameterError:
        raise click.BadParameter(f"{value!r} is no time; write 60s or 5min, for example.") from None


@click.command(cls=Command, examples=_EXAMPLES, short_help="Recommend a learner for a table.")
@table_argument(required=False)
@table_options
@option("--budget", "TIME", "How long it may take: 60s, 5min.", default="60s", show_default=True, callback=_budget)
@random_state_option
@jobs_option
@output_options("html", "json", text="Write the whole report")
def report(table: str | None, as_json: bool, out: str | None, **given: Any) -> None:
    """Compare learners on TABLE and recommend one, with what stands out in the table.

    Without TABLE it reports on a built-in one. A summary is printed; --out report.html writes the whole report as one
    file, and --out - prints it.
    """
    from priorcase.reporting.comparison import Budget
    from priorcase.reporting.summary import summary
    from priorcase.reporting.table_report import report_on

    clock = Budget(given["budget"])
    problem, flags = _problem(table, given)
    file = None if table == "-" else table
    found = report_on(
        problem, clock, seed=given["random_state"], n_jobs=given["jobs"], table=file, reading=shlex.join(flags)
    )
    if as_json or out is not None:
        deliver({"html": found.html, "htm": found.html, "json": found.json}, as_json=as_json, out=out, form="html")
    if not as_json and out != "-":
        console = safe_console()
        for part in summary(found):
            console.print(part)
        if out is None:
            say("--out report.html writes the whole report.")


def _problem(table: str | None, given: dict[str, Any]) -> tuple[Any, list[str]]:
    """The table to report on, and the options by which it was read, for the commands that the report suggests."""
    import numpy as np

    from priorcase.datasets import load_repairs
    from priorcase.reporting.table import read_problem

    if table is None:
        for name in ("target", "column", "read"):
            if given[name]:
                raise usage(f"--{name} needs a TABLE.")
        X, y = load_repairs()
        return read_problem(X, y, name="repairs", target="job"), []
    past = read_past(table, given["target"], parse_reading(given["column"], given["read"]), gaps=True)
    name = "standard input" if table == "-" else table if is_data_set(table) else _stem(table)
    places = np.array(past.lines, dtype=np.int64)
    problem = read_problem(
        past.X, past.y, name=name, target=past.target, task=past.task, places=places, place_word="line"
    )
    flags = [word for option in ("column", "read") for value in given[option] for word in (f"--{option}", value)]
    return problem, flags


def _stem(path: str) -> str:
    name = Path(path).name.removesuffix(".gz")
    return name.rpartition(".")[0] or name
