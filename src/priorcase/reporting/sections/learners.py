"""Which learner to trust: how all of them did on rows that they had not seen."""

from __future__ import annotations

import math

from priorcase.reporting import sentences
from priorcase.reporting.comparing import Compared, Standing
from priorcase.reporting.contenders import BASELINE
from priorcase.reporting.marks import Scale, interval, scale_of
from priorcase.reporting.markup import Cell, paragraphs, table, text
from priorcase.reporting.result import Report
from priorcase.reporting.words import count, number, number_pair, percent, seconds

__all__ = ["learners_section"]

_LOG_SCORE = (
    "The log-score is the mean logarithm of the probability that was given to what came true: 0 for a learner that is "
    "always sure and right, minus infinity for one that ruled out something that happened. It is what chooses, because "
    "it asks for honest probabilities and not only for the likeliest class."
)
_RMSE = (
    "“Off by” is the root of the mean squared error, in the units of the target; it is what chooses. R² is the share "
    "of the target’s variance that is explained: 0 for guessing the mean, 1 for being always right."
)
_HONEST = (
    "The estimate at the top is honest about the choice, too: in each part of the rows the learner was chosen by the "
    "other parts and scored on this one. ± is a standard error, made wider because the parts share rows they were "
    "learned from (Nadeau & Bengio 2003)."
)


def learners_section(report: Report) -> str:
    """Verdict, comparison on all rows, and on a sample first where there was one."""
    parts = [paragraphs([*sentences.trust(report), *sentences.estimate_words(report), *sentences.lead_words(report)])]
    last = report.compared[-1]
    parts.append(_comparison(report, last, report.verdict.chosen))
    explained = _LOG_SCORE if report.problem.classes else _RMSE
    parts.append(f'<p class="note">{text(explained)} {text(_HONEST)}</p>')
    parts.append(_not_measured(last))
    if len(report.compared) > 1:
        first = report.compared[0]
        parts.append("<h3>On a sample first</h3>")
        parts.append(
            f"<p>With {count(first.of, 'row')} there is not always time to try every learner on all of them. So they "
            f"were tried on {count(first.rows.size, 'row')} drawn at random, and then, the most promising first, on "
            "all rows: the table above.</p>"
        )
        parts.append(_comparison(report, first, ""))
        parts.append(_not_measured(first))
    elif last.on_sample:
        parts.append(
            f"<p>There was time for a sample of {count(last.rows.size, 'row')} of {last.of:,} only: more rows, or a "
            "larger budget, would do better.</p>"
        )
    return "".join(parts)


def _comparison(report: Report, compared: Compared, chosen: str) -> str:
    by = report.verdict.by
    names = ("accuracy", "log_score") if report.problem.classes else ("rmse", "r2")
    headings = ("right", "log-score") if report.problem.classes else ("off by", "R²")
    measured = [one for one in compared.standings if not one.reason]
    scale = scale_of([one.scores[by][0] for one in measured], [one.scores[by][1] for one in measured])
    guess = next((one.scores[by][0] for one in measured if one.name == BASELINE), None)
    drawn = "better →" if by == "log_score" else "← better"
    header = [Cell("learner"), *(Cell(heading, "n") for heading in headings), Cell(drawn, "wide"), Cell("time", "n")]
    lines = []
    for one in measured:
        cells = [Cell(_score(name, *one.scores[name]), "n") for name in names]
        mark = _mark(one, by, scale, guess, stressed=one.name == chosen)
        named = f'{text(one.name)}<div class="small wide">{text(one.words)}</div>' if chosen else text(one.name)
        kind = "best" if one.name == chosen else ""
        lines.append((kind, [Cell(named), *cells, Cell(mark, "wide"), Cell(seconds(one.seconds), "n quiet")]))
    caption = f"{compared.protocol}. The dashed line is guessing; a dot’s line is one standard error to each side."
    return table(header, lines, caption=caption)


def _mark(one: Standing, by: str, scale: Scale, guess: float | None, *, stressed: bool) -> str:
    mean, error = one.scores[by]
    words = f"{one.name}: {number(mean)}"
    return interval(mean, error, scale, reference=guess, words=words, stressed=stressed)


def _score(name: str, mean: float, error: float) -> str:
    if name == "accuracy":
        return f'{percent(mean)} <span class="quiet">± {100 * error:.1f}</span>'
    if not math.isfinite(mean):
        return '<span class="quiet">minus infinity</span>' if mean < 0 else "–"
    value, off = number_pair(mean, error)
    off = off if off.startswith("<") else f"± {off}"
    return f'{text(value)} <span class="quiet">{text(off)}</span>' if math.isfinite(error) else text(value)


def _not_measured(compared: Compared) -> str:
    missing = [one for one in compared.standings if one.reason]
    if not missing:
        return ""
    items = "".join(f"<li>{text(one.name)} <span class='quiet'>{text(one.reason)}</span></li>" for one in missing)
    return f"<p>Without a score:</p><ul>{items}</ul>"
