"""The report as one page: nothing else is needed to read it, no network, no script."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

from priorcase.reporting import sentences
from priorcase.reporting.markup import paragraphs, text
from priorcase.reporting.result import Report
from priorcase.reporting.sections.columns import columns_section
from priorcase.reporting.sections.learners import learners_section
from priorcase.reporting.sections.predictions import predictions_section
from priorcase.reporting.sections.rows import odd_section, suspects_section
from priorcase.reporting.sections.table import table_section
from priorcase.reporting.sections.trust import trust_section
from priorcase.reporting.words import seconds

__all__ = ["page"]


def page(report: Report) -> str:
    """The whole page."""
    style = files("priorcase.reporting").joinpath("style.css").read_text(encoding="utf-8")
    title = f"{report.problem.name}: {report.problem.target}"
    parts = [(key, heading, content) for key, heading, content in _sections(report) if content]
    links = " ".join(f'<a href="#{key}">{text(heading)}</a>' for key, heading, _ in parts)
    body = "".join(
        f'<section id="{key}" aria-labelledby="{key}-h"><h2 id="{key}-h">{text(heading)}</h2>{content}</section>'
        for key, heading, content in parts
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{text(title)}</title><style>\n{style}</style></head><body><main>"
        f'<header><h1>{text(title)}</h1><p class="lead">{text(sentences.opening(report))}</p></header>'
        f'{_short(report)}<nav aria-label="Contents">{links}</nav>{body}{_footer(report)}</main></body></html>\n'
    )


def _short(report: Report) -> str:
    """The findings in a few sentences."""
    words = [
        *sentences.trust(report),
        *sentences.calibration_words(report),
        *sentences.worth_words(report),
        *sentences.rows_words(report),
    ]
    return f'<section class="short" aria-label="In short"><h2>In short</h2>{paragraphs(words)}</section>'


def _sections(report: Report) -> Iterator[tuple[str, str, str]]:
    yield "table", "The table", table_section(report)
    yield "learners", "Which learner to trust", learners_section(report)
    yield "trust", "How far to trust it", trust_section(report)
    yield "columns", "Which columns matter", columns_section(report)
    yield "predictions", "Predictions, explained", predictions_section(report)
    yield "suspects", f"Where {report.problem.target} may be wrong", suspects_section(report)
    yield "odd", "The oddest rows", odd_section(report)
    yield "next", "How to go on", _next(report)


def _next(report: Report) -> str:
    steps = report.next_steps
    commands, python = ("\n".join(lines) for lines in (steps.commands, steps.python))
    return (
        "<p>Answers for new rows, from the command line:</p>"
        f"<pre>{text(commands)}</pre><p>or in Python, with the rows <code>X</code> and targets <code>y</code>:</p>"
        f"<pre>{text(python)}</pre>"
    )


def _footer(report: Report) -> str:
    made = report.made
    skipped = "".join(f"<p>Left out: {text(line)}.</p>" for line in report.skipped)
    return (
        f"<footer>{skipped}<p>Made by priorcase {text(made.version)} on {made.date} in {seconds(made.seconds)} "
        f"(budget {seconds(made.budget)}), seed {made.seed}. Nothing here was measured on rows that had been "
        "learned.</p></footer>"
    )
