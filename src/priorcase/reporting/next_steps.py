"""How to go on: the command lines and the Python lines that do the same for new rows."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from priorcase.reporting.contenders import Contender
from priorcase.reporting.problem import Problem
from priorcase.reporting.understanding import Understanding

__all__ = ["NextSteps", "next_steps"]


@dataclass(frozen=True)
class NextSteps:
    """How to go on.

    Parameters
    ----------
    commands
        Lines for a shell.
    python
        Lines of Python.
    """

    commands: tuple[str, ...]
    python: tuple[str, ...]


def next_steps(
    problem: Problem, understanding: Understanding, chosen: Contender, table: str | None, reading: str = ""
) -> NextSteps:
    """The lines that fit the chosen learner and answer new rows.

    Parameters
    ----------
    problem, understanding
        The table, and what was understood of it.
    chosen
        The learner to trust.
    table
        The file that the table came from; None where it came from elsewhere.
    reading
        Options of the command line by which it was read.
    """
    unused = [column.name for column in understanding.columns if not column.used]
    ignore = "".join(f" --ignore {shlex.quote(name)}" for name in unused)
    file = shlex.quote(table or "past.csv")
    start = (
        f"--train {file} --target {shlex.quote(problem.target)} --query new.csv{' ' * bool(reading)}{reading}{ignore}"
    )
    commands = []
    if chosen.flags is not None:
        commands.append(f"priorcase predict {start} {chosen.flags}")
    commands.append(f"priorcase explain {start}")
    answer = "model.predict_proba(new)" if problem.classes else "model.predict(new)"
    fit = chosen.code or "model = ...  # your own learner, fitted to X, y"
    python = ["import priorcase as pc", f"model = {fit}" if chosen.code else fit, answer]
    return NextSteps(tuple(commands), tuple(python))
