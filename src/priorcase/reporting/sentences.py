"""What a report says in sentences, the same on the page and on the terminal; ``**bold**`` marks what to stress."""

from __future__ import annotations

import math
from collections.abc import Iterator

from priorcase.reporting.choosing import Difference
from priorcase.reporting.comparing import Standing
from priorcase.reporting.contenders import BASELINE
from priorcase.reporting.result import Report
from priorcase.reporting.words import count, listed, number, number_pair, percent

__all__ = ["calibration_words", "estimate_words", "lead_words", "opening", "rows_words", "trust", "worth_words"]

_TELLING = 2.0
_NOTICED = 0.001  # nats, or a share of the variance: nobody would miss less
_SHOWN = 5


def opening(report: Report) -> str:
    """What the table is, in a sentence."""
    table, target = report.understanding, report.understanding.target
    what = f"{count(target.distinct, 'class', 'classes')}" if report.problem.classes else "a number"
    gaps = f"{count(table.gaps, 'gap')} in {count(table.rows_with_gaps, 'row')}" if table.gaps else "no gaps"
    columns = count(len(table.columns), "column")
    return f"{count(table.rows, 'row')}, {columns}, {gaps}; the target {target.name} is {what}."


def trust(report: Report) -> Iterator[str]:
    """The learner to trust, and how well it will do."""
    verdict = report.verdict
    if verdict.chosen == BASELINE:
        others = [one for one in report.compared[-1].standings if one.name != BASELINE and not one.reason]
        if others:
            yield f"**Nothing here beats guessing**, as far as {count(len(others), 'learner')} can tell."
        else:
            yield "**No learner could be measured in the time allowed.** A larger budget will do."
        return
    if not verdict.beats_guessing:
        yield (
            f"**Nothing here beats guessing beyond chance.** The best, {verdict.chosen}, is ahead by no more than "
            "chance could bring."
        )
    start = f"Trust **{verdict.chosen}**" if verdict.beats_guessing else f"If any, take **{verdict.chosen}**"
    yield f"{start}: {_right(report) if report.problem.classes else _off(report)}."


def _right(report: Report) -> str:
    """How often the right class is named."""
    mean, error = report.verdict.estimate["accuracy"]
    frequent, size = report.understanding.target.values[0]
    text = f"it puts {percent(mean)} (± {100 * error:.1f}) of the rows it has not seen into the right class"
    return f"{text}; always saying {frequent} would be right in {percent(size / report.understanding.rows)}"


def _off(report: Report) -> str:
    """By how much the predicted numbers are off."""
    mean, error = number_pair(*report.verdict.estimate["rmse"])
    guess = _baseline(report)
    text = f"its predictions of rows it has not seen are off by {mean} (± {error}, root mean square)"
    if guess is not None:
        text += f", guessing the mean by {number(guess.scores['rmse'][0])}"
    return text


def estimate_words(report: Report) -> Iterator[str]:
    """The estimate of the score that chose, beside that of guessing, for classes."""
    guess = _baseline(report)
    mean, error = report.verdict.estimate.get("log_score", (math.nan, math.nan))
    if report.problem.classes and report.verdict.chosen != BASELINE and guess is not None and math.isfinite(error):
        told, off = number_pair(mean, error)
        yield f"Its log-score there is {told} (± {off}); guessing has {number(guess.scores['log_score'][0])}."


def lead_words(report: Report) -> Iterator[str]:
    """How certain it is that the chosen learner is the best one."""
    verdict = report.verdict
    named = "log-score" if report.problem.classes else "root mean squared error"
    if verdict.runner_up is not None:
        advice = "" if verdict.chosen == BASELINE else ", so either will do"
        yield _lead(verdict.runner_up, f"Next comes {verdict.runner_up.other}", named, advice)
    if verdict.baseline is not None and verdict.beats_guessing:
        yield f"Guessing is behind by {_span(verdict.baseline)} in {named}."
    same = f"in {verdict.same_choice} of {verdict.parts} parts"
    if verdict.same_choice < verdict.parts:
        yield f"Choosing anew without each part of the rows gives the same learner {same}."
    if verdict.sharper is not None:
        yield (
            f"{_capital(verdict.sharper.other)} names the right class more often (by {100 * verdict.sharper.mean:.1f} "
            "points), but its probabilities are worse: take it where only the class counts."
        )


def _lead(ahead: Difference, start: str, score: str, advice: str) -> str:
    if math.isinf(ahead.mean):
        return f"{start}, which ruled out something that happened."
    if ahead.mean == 0:
        return f"{start}, which is just as good."
    if ahead.beyond_chance:
        return f"{start}, behind by {_span(ahead)} in {score}: more than chance would bring."
    return f"{start}, behind by {_span(ahead)} in {score}: chance alone could bring that{advice}."


def _span(ahead: Difference) -> str:
    if math.isnan(ahead.low):
        return number(ahead.mean, 2)
    return f"{number(ahead.mean, 2)} (95 % interval {number(ahead.low, 2)} to {number(ahead.high, 2)})"


def calibration_words(report: Report) -> Iterator[str]:
    """Whether what is said comes true as often as it is said."""
    calibration = report.calibration
    if calibration is None:
        return
    if not report.problem.classes:
        if calibration.half is not None and calibration.nine_tenths is not None:
            yield (
                f"Half of the predictions are off by at most {number(calibration.half)}, nine of ten by at most "
                f"{number(calibration.nine_tenths)}."
            )
        return
    points = 100 * calibration.error
    verdict = "can be taken at their word" if points < 5 else "are roughly right" if points < 10 else "are off"
    bold = [one for one in calibration.bins if one.rows >= 20 and one.said - one.came > 0.1]
    differ = f"on average they differ by {points:.1f} points from how often things came true"
    text = f"Its probabilities **{verdict}**: {differ}"
    yield f"{text}{', and where they differ most they promise too much' if bold else ''}."


def worth_words(report: Report) -> Iterator[str]:
    """The columns that tell most."""
    if report.worth is None:
        return
    if not report.verdict.beats_guessing:
        yield "No column is known to tell anything, as nothing beats guessing beyond chance."
        return
    telling = [one.name for one in report.worth.columns if one.loss > max(_TELLING * one.error, _NOTICED)]
    if telling:
        verb, them = ("tells", "it") if len(telling) == 1 else ("tell", "any of them")
        how = "most" if telling[0] == report.worth.columns[0].name else "for certain"
        yield f"**{listed(telling[:_SHOWN])}** {verb} {how}: without {them} answers get worse."
    else:
        yield "No single column is clearly missed when it is hidden: the others make up for it."


def rows_words(report: Report) -> Iterator[str]:
    """Rows that a person should look at."""
    suspects, target = report.suspects, report.problem.target
    if suspects is not None and suspects.found:
        verb = "looks" if suspects.found == 1 else "look"
        text = f"**{count(suspects.found, 'row')}** {verb} as if {target} were wrong"
        if suspects.by_chance is not None:
            text += f"; chance alone would bring about {suspects.by_chance:.0f}"
        yield f"{text}."
    elif suspects is not None:
        yield f"No row looks as if {target} were wrong."
    if report.oddities is not None and report.oddities.rows:
        first = report.oddities.rows[0]
        reasons = [f"{one.column} {one.value}" for one in first.values]
        if reasons:
            yield f"The oddest row is {report.problem.place(first.row)} ({listed(reasons)})."


def _baseline(report: Report) -> Standing | None:
    return next((one for one in report.compared[-1].standings if one.name == BASELINE and not one.reason), None)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
