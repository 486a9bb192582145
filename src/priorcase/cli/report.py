"""``priorcase report``: summarize a table, and recommend a learner with reasons."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click

from priorcase.cli.shell import (
    Command,
    Output,
    jobs_option,
    option,
    output_options,
    random_state_option,
    safe_console,
    say,
    usage,
)
from priorcase.cli.tables import is_data_set, parse_reading, read_past, say_how, table_argument, table_options

if TYPE_CHECKING:
    from priorcase.datasets.past import Reading
    from priorcase.reporting import Report

_BUILT_IN, _DEFAULT = "repairs", "stacked"  # the default table and the default learner
_EXAMPLES = """\
priorcase report
priorcase report loans.csv --target repaid --out report.html
priorcase report loans.csv --target repaid --json > report.json
priorcase report cars.csv --target price --column id=ignore --budget 5min"""


def _budget(_: click.Context, __: click.Parameter, value: str) -> float:
    from priorcase.exceptions import ParameterError
    from priorcase.reporting.comparison import parse_budget

    try:
        seconds = parse_budget(value)
    except ParameterError:
        raise click.BadParameter(f"{value!r} is not a duration; write 60s or 5min, for example.") from None
    if value.strip()[-1].isdigit():
        raise click.BadParameter(f"{value!r} has no unit; write {value.strip()}s or {value.strip()}min.")
    return seconds


@click.command(cls=Command, examples=_EXAMPLES, short_help="Recommend a learner for a table.")
@table_argument(required=False)
@table_options
@option("--budget", "TIME", "Time budget: 60s, 5min.", default="60s", show_default=True, callback=_budget)
@random_state_option
@jobs_option
@output_options("html", "json", text="Write the whole report")
def report(table: str | None, output: Output, **given: Any) -> None:
    """Compare learners on TABLE, recommend one, and point out suspicious rows.

    Without TABLE, a built-in table is used. The command prints a summary; --out report.html writes the whole report to
    a single file, and --out - prints the whole report.
    """
    from priorcase.reporting.comparison import Budget
    from priorcase.reporting.summary import print_summary
    from priorcase.reporting.table_report import report_on

    clock = Budget(given["budget"])
    problem, flags, load, form, about = _problem(table, given)
    found = report_on(
        problem,
        clock,
        random_state=given["random_state"],
        n_jobs=given["jobs"],
        table=None if table == "-" else table or _BUILT_IN,
        reading=shlex.join(flags),
        load=load,
        form=form,
    )
    say_how(about)
    if output.as_json or output.out is not None:
        output.deliver({"html": found.html, "json": found.json}, form="html")
    if not output.as_json and output.out != "-":
        print_summary(found, safe_console())
        if output.out is None:
            say("--out report.html writes the whole report.")
        _say_next(found)


def _say_next(found: Report) -> None:
    """Print the next steps: a larger budget if time was short, and a command that uses the recommended learner."""
    from priorcase.reporting.summary import sufficient_budget

    last, verdict, commands = found.compared[-1], found.verdict, found.next_steps.commands
    if last.short_of_time:
        say(f"--budget {sufficient_budget(found)} should be enough for all learners.")
    if commands and verdict.beats_baseline and verdict.chosen != _DEFAULT:
        say(f"To predict the cases in new.csv with {last.title(verdict.chosen)} instead of the default ({_DEFAULT}):")
        say(commands[0])


def _problem(table: str | None, given: dict[str, Any]) -> tuple[Any, list[str], tuple[str, ...], str, Any]:
    """Return the data, options and Python code to read the table, the frame library, and notes on how it was read."""
    import numpy as np

    from priorcase.datasets import load_repairs
    from priorcase.reporting.table import read_problem, table_name

    if table is None:
        for name in ("target", "column", "read"):
            if given[name]:
                raise usage(f"--{name} needs a TABLE.")
        X, y = load_repairs()
        return read_problem(X, y, name=_BUILT_IN, target="job"), [], ("X, y = pc.load_repairs()",), "pandas", {}
    reading = parse_reading(given["column"], given["read"], table)
    past = read_past(table, given["target"], reading, missing=True)
    name = "standard input" if table == "-" else table
    if not is_data_set(table):
        name = table_name(name)
    how: dict[str, Any] = {"declared": past.declared, "kinds": past.schema}
    if past.lines:
        places, word = np.array(past.lines, dtype=np.int64), "line" if past.about["lines"] else "row"
        how |= {"places": places, "place_word": word}
    problem = read_problem(past.X, past.y, name=name, target=past.target, task=past.task, **how)
    flags = [word for option in ("column", "read") for value in given[option] for word in (f"--{option}", value)]
    if is_data_set(table):  # with another target or other kinds, no single call reads it
        own = bool(given["target"] or given["column"])
        return problem, flags, () if own else (f"X, y = pc.datasets.load({table!r})",), "pandas", {}
    return problem, flags, _load(table, past.target, reading), "pandas", past.about


def _load(table: str, target: str, reading: Reading) -> tuple[str, ...]:
    """Return the lines of Python code that read a table as X and y."""
    options = {**reading.options} | ({"schema": dict(reading.columns)} if reading.columns else {})
    given = [repr("past.csv" if table == "-" else table), *(f"{key}={each!r}" for key, each in options.items())]
    return (
        f"table = pc.datasets.read_table({', '.join(given)})",
        f"X, y = table.drop(columns=[{target!r}]), table[{target!r}]",
    )
