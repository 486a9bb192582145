"""Answers as terminal tables, for people."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from priorcase.cli.answers import Answer
from priorcase.cli.fitted import Fitted
from priorcase.cli.log_odds import LogOddsView
from priorcase.cli.records import record_text
from priorcase.cli.request import Request
from priorcase.cli.tables import Problem
from priorcase.neighbors.precedents import Precedents, TerminalView

__all__ = ["QuietConsole", "print_answers", "print_explanations", "print_notes"]

_PROBABILITIES = 4
_SMALL = 0.005
_RELEVANT = 10
_RECORDS = 6
_SLOPES = 10


class QuietConsole(Console):
    """A console that leaves a closed pipe to the command."""

    def on_broken_pipe(self) -> None:
        """Raise what was caught."""
        raise BrokenPipeError


def print_notes(notes: Iterable[str]) -> None:
    """Say on standard error what a reader should know."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    for note in notes:
        console.print(Text(f"priorcase: note: {note}"))


def print_answers(
    console: Console, request: Request, problem: Problem, fitted: Fitted, answers: Iterable[Answer]
) -> None:
    """One line for each new case."""
    shown = list(answers)
    _print_opening(console, request, problem, fitted)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("line", justify="right")
    table.add_column(Text(request.target), style="bold", justify="left" if problem.task == "classify" else "right")
    if problem.task == "classify":
        table.add_column("probability")
    if level := fitted.settings.get("level"):
        table.add_column(f"{_percent(level)} interval", justify="right")
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
    console: Console, request: Request, problem: Problem, fitted: Fitted, answers: Iterable[Answer]
) -> None:
    """For each new case the answer and what speaks for it."""
    for number, answer in enumerate(answers):
        if not number:
            _print_opening(console, request, problem, fitted)
            _print_attributes(console, fitted)
        console.print()
        heading = _heading(answer)
        if isinstance(answer.explanation, Precedents):
            console.print(TerminalView(answer.explanation, request.target, [heading]))
            if answer.records:
                console.print(_records(answer))
            if answer.interval is not None:
                console.print(_local(answer, fitted.settings["level"]))
        elif answer.explanation is not None:
            likely = f"  ({_shares(answer.probabilities or {})})"
            heading = Text.assemble(heading, f"{request.target}: ", (_value(answer.prediction), "bold green"), likely)
            console.print(LogOddsView(answer.explanation, heading))


def _print_opening(console: Console, request: Request, problem: Problem, fitted: Fitted) -> None:
    """Who answers, and how: one line where it fits, otherwise two; and how that was chosen."""
    verb = "classified" if problem.task == "classify" else "estimated"
    line = f"{request.target} {verb} {fitted.how}, {fitted.details}"
    if len(line) > console.width:
        line = f"{request.target} {verb} {fitted.how}:\n{fitted.details}"
    console.print(Text(line, style="dim"))
    if tuning := fitted.settings.get("tuning"):
        score = f"{tuning['scoring'].replace('_', ' ')} {tuning['nested_score']:.4g}"
        line = f"best of {tuning['candidates']}; {score} on past cases that took no part in the choice"
        console.print(Text(line, style="dim"))


def _print_attributes(console: Console, fitted: Fitted) -> None:
    """How much each attribute matters, where a learner knows."""
    settings = fitted.settings
    if relevance := settings.get("relevance"):
        console.print(_by_attribute("probability that an attribute matters", relevance, _share))
    elif settings.get("weights", "none") != "none":
        console.print(_by_attribute("weights of the attributes", settings["attribute_weights"], "{:.3g}".format))


def _by_attribute(what: str, numbers: dict[str, float], text: Callable[[float], str]) -> Text:
    """Numbers of the attributes, the largest few."""
    order = sorted(numbers, key=lambda name: -numbers[name])
    shown = [f"{name} {text(numbers[name])}" for name in order[:_RELEVANT]]
    more = f", {len(order) - _RELEVANT} more" if len(order) > _RELEVANT else ""
    return Text(f"{what}: {', '.join(shown)}{more}", style="dim")


def _local(answer: Answer, level: float) -> Text:
    """Where a number lies, and how it changes from here."""
    lines = [f"{_percent(level)} interval: {_interval(answer)}"]
    slopes = {name: slope for name, slope in (answer.slopes or {}).items() if slope and not math.isnan(slope)}
    if slopes:
        shown = [f"{name} {slope:+.3g}" for name, slope in slopes.items()][:_SLOPES]
        more = f", {len(slopes) - _SLOPES} more" if len(slopes) > _SLOPES else ""
        lines.append(f"slopes: {', '.join(shown)}{more}")
    return Text("\n".join(lines), style="dim")


def _interval(answer: Answer) -> str:
    lower, upper = answer.interval or (-math.inf, math.inf)
    return f"{_value(lower)} to {_value(upper)}" if math.isfinite(upper - lower) else "unknown"


def _percent(level: float) -> str:
    return f"{100 * level:.10g}%"


def _records(answer: Answer) -> Text:
    """How the past cases shown did before."""
    shown = [f"#{id_} {record_text(record)}" for id_, record in answer.records.items()][:_RECORDS]
    more = f"; {len(answer.records) - _RECORDS} more" if len(answer.records) > _RECORDS else ""
    return Text(f"records: {'; '.join(shown)}{more}", style="dim")


def _heading(answer: Answer) -> Text:
    actual = "" if answer.actual is None else f"actual: {_value(answer.actual)}  "
    return Text(f"line {answer.line}  {actual}", style="dim")


def _cells(answer: Answer, problem: Problem) -> list[Text]:
    cells = [Text(str(answer.line)), Text(_value(answer.prediction))]
    if answer.probabilities is not None:
        cells.append(Text(_shares(answer.probabilities)))
    if answer.interval is not None:
        cells.append(Text(_interval(answer)))
    if problem.actual is not None:
        wrong = problem.task == "classify" and answer.actual not in (None, answer.prediction)
        cells.append(Text(_value(answer.actual), style="red" if wrong else ""))
    return cells


def _shares(probabilities: dict[str, float]) -> str:
    """The likeliest few; others that would be 0.00 are only counted, and nothing uncertain is 1.00."""
    possible = [(label, share) for label, share in probabilities.items() if share > 0]
    large = max(1, sum(share >= _SMALL for _, share in possible))
    shown = [f"{label} {_share(share)}" for label, share in possible[: min(large, _PROBABILITIES)]]
    rest = len(possible) - len(shown)
    return ", ".join([*shown, f"{rest} more"] if rest else shown)


def _share(share: float) -> str:
    return ">0.99" if 1 - _SMALL <= share < 1 else f"{share:.2f}"


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
    return f"mean absolute error {error:.4g} over {len(known)} cases{_covered(known)}{caveat}"


def _covered(known: Sequence[Answer]) -> str:
    """How many targets lie where they should, of those whose interval is known."""
    ends = [(answer.interval, float(answer.actual or 0)) for answer in known if answer.interval is not None]
    finite = [(lower, actual, upper) for (lower, upper), actual in ends if math.isfinite(upper - lower)]
    inside = sum(lower <= actual <= upper for lower, actual, upper in finite)
    return f", {inside} of {len(finite)} within their intervals" if finite else ""


def _value(value: str | float | None) -> str:
    if value is None:
        return "?"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
