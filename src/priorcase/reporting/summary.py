"""The short summary of a report, for a terminal or a notebook."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from priorcase.reporting import sentences
from priorcase.reporting.words import count, number, number_pair, percent, seconds

if TYPE_CHECKING:
    from rich.console import RenderableType

    from priorcase.reporting.result import Report

__all__ = ["summary", "summary_text"]

_LISTED = 6


def summary_text(report: Report, width: int = 100) -> str:
    """The summary in plain characters."""
    from io import StringIO

    from rich.console import Console

    console = Console(file=StringIO(), width=width, color_system=None, highlight=False)
    for part in summary(report):
        console.print(part)
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in lines)


def summary(report: Report) -> Iterator[RenderableType]:
    """The summary, part by part."""
    from rich.padding import Padding
    from rich.text import Text

    yield Text(f"{report.problem.name}: {report.problem.target}", style="bold")
    yield Text(sentences.opening(report))
    for remark in report.understanding.remarks:
        yield Padding(Text(remark, style="dim"), (0, 0, 0, 2))
    yield Text()
    for sentence in sentences.trust(report):
        yield _marked(sentence)
    for sentence in sentences.lead_words(report):
        yield _marked(sentence)
    yield Text()
    yield _table(report)
    yield Text(f"{report.compared[-1].protocol}; ± is the standard error.", style="dim")
    yield Text()
    for words in (sentences.calibration_words, sentences.worth_words, sentences.rows_words):
        for sentence in words(report):
            yield _marked(sentence)
    for line in report.skipped:
        yield Text(f"Left out: {line}.", style="dim")
    yield Text(f"Made in {seconds(report.made.seconds)} of {seconds(report.made.budget)}.", style="dim")


def _table(report: Report) -> RenderableType:
    from rich import box
    from rich.table import Table

    shown = report.compared[-1]
    classes = report.problem.classes
    names = ("accuracy", "log_score") if classes else ("rmse", "r2")
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("learner")
    for heading in ("right", "log-score") if classes else ("off by (rms)", "R²"):
        table.add_column(heading, justify="right")
    table.add_column("time", justify="right")
    for one in shown.standings:
        if one.reason:
            continue
        cells = [_score(name, *one.scores[name]) for name in names]
        style = "bold" if one.name == report.verdict.chosen else None
        table.add_row(one.name, *cells, seconds(one.seconds), style=style)
    missing = [one for one in shown.standings if one.reason]
    if missing:
        who = missing[0].name if len(missing) == 1 else count(len(missing), "learner")
        table.add_row(f"{who} not measured", "", "", "", style="dim")
    return table


def _score(name: str, mean: float, error: float) -> str:
    if name == "accuracy":
        return f"{percent(mean)} ± {100 * error:.1f}"
    return " ± ".join(number_pair(mean, error)) if math.isfinite(error) else number(mean)


def _marked(sentence: str) -> RenderableType:
    """Text with what stands between double asterisks in bold."""
    from rich.text import Text

    text = Text()
    for position, part in enumerate(sentence.split("**")):
        text.append(part, style="bold" if position % 2 else "")
    return text
