"""Answers as terminal tables, for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from priorcase.cli.answers import Answer, Estimator
from priorcase.cli.options import Request
from priorcase.cli.tables import Problem
from priorcase.neighbors.terminal import TerminalView

__all__ = ["QuietConsole", "print_answers", "print_explanations", "print_notes"]

_PROBABILITIES = 4


class QuietConsole(Console):
    """A console that leaves a closed pipe to the command."""

    def on_broken_pipe(self) -> None:
        """Raise what was caught."""
        raise BrokenPipeError


def print_notes(problem: Problem) -> None:
    """Say on standard error what a reader of the tables should know."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    for note in problem.notes:
        console.print(Text(f"priorcase: note: {note}"))


def print_answers(
    console: Console, request: Request, problem: Problem, estimator: Estimator, answers: Iterable[Answer]
) -> None:
    """One line for each new case."""
    shown = list(answers)
    console.print(_opening(request, problem, estimator))
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("line", justify="right")
    table.add_column(Text(request.target), style="bold", justify="left" if problem.task == "classify" else "right")
    if problem.task == "classify":
        table.add_column("probability")
    if problem.actual is not None:
        table.add_column("actual", justify="left" if problem.task == "classify" else "right")
    for answer in shown:
        table.add_row(*_cells(answer, problem))
    console.print()
    console.print(table)
    if summary := _summary(shown, problem):
        console.print()
        console.print(Text(summary))


def print_explanations(
    console: Console, request: Request, problem: Problem, estimator: Estimator, answers: Iterable[Answer]
) -> None:
    """For each new case the answer and the past cases that speak for it."""
    for number, answer in enumerate(answers):
        if not number:
            console.print(_opening(request, problem, estimator))
        if answer.precedents is not None:
            console.print()
            console.print(TerminalView(answer.precedents, request.target, [_heading(answer)]))


def _opening(request: Request, problem: Problem, estimator: Estimator) -> Text:
    verb = "classified" if problem.task == "classify" else "estimated"
    k, n = estimator.n_neighbors_, len(problem.train)
    # Under majority every past case as near as the k-th votes as well.
    cases = f"{k} of {n} past cases{' (ties included)' if estimator.ties == 'majority' and k < n else ''}"
    how = f"distance {request.distance}, vote {request.vote}"
    return Text(f"{request.target} {verb} from the nearest {cases}, {how}", style="dim")


def _heading(answer: Answer) -> Text:
    actual = "" if answer.actual is None else f"actual: {_value(answer.actual)}  "
    return Text(f"line {answer.line}  {actual}", style="dim")


def _cells(answer: Answer, problem: Problem) -> list[Text]:
    cells = [Text(str(answer.line)), Text(_value(answer.prediction))]
    if answer.probabilities is not None:
        cells.append(Text(_shares(answer.probabilities)))
    if problem.actual is not None:
        wrong = problem.task == "classify" and answer.actual not in (None, answer.prediction)
        cells.append(Text(_value(answer.actual), style="red" if wrong else ""))
    return cells


def _shares(probabilities: dict[str, float]) -> str:
    known = [f"{label} {share:.2f}" for label, share in probabilities.items() if share > 0]
    rest = f", {len(known) - _PROBABILITIES} more" if len(known) > _PROBABILITIES else ""
    return ", ".join(known[:_PROBABILITIES]) + rest


def _summary(found: Sequence[Answer], problem: Problem) -> str:
    """How the answers compare with the targets that the query file has."""
    known = [answer for answer in found if answer.actual is not None]
    if not known:
        return ""
    caveat = f"; {problem.repeated} of the new cases are past cases too" if problem.repeated else ""
    if problem.task == "classify":
        right = sum(answer.actual == answer.prediction for answer in known)
        return f"{right} of {len(known)} right ({right / len(known):.1%}){caveat}"
    error = sum(abs(float(answer.prediction) - float(answer.actual or 0)) for answer in known) / len(known)
    return f"mean absolute error {error:.4g} over {len(known)} cases{caveat}"


def _value(value: str | float | None) -> str:
    if value is None:
        return "?"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
