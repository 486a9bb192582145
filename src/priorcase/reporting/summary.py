"""Sentences of a report, for the HTML page and the terminal, and the summary for the terminal.

``**bold**`` marks emphasized text.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from io import StringIO
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from priorcase._grids import Grid, grids_html
from priorcase._numbers import number, with_errors
from priorcase.exceptions import joined, visible
from priorcase.registry import BASELINE
from priorcase.reporting.comparison import Standing
from priorcase.reporting.formatting import chance, count, duration, percent, seconds, unambiguous
from priorcase.reporting.table import is_option

if TYPE_CHECKING:
    from priorcase.reporting.table_report import Report

_IMPORTANT = 2.0  # standard errors
_NOTICEABLE = 0.001  # nats, or a share of the variance
_FEW_IN_GROUP = 20  # rows
_UNRELIABLE = 2.6  # standard errors by which one of ten groups is off by chance in 5% of reports
# Numbers of test rows: with fewer than _FEW, important columns cannot be ruled out; with _MANY, in any table, they can.
_FEW, _MANY = 50, 1000
_SHOWN, _LARGER, _ROUNDING = 5, 3, 1e-9


# -- sentences


def opening(report: Report) -> str:
    """Describe the size of the table and its target."""
    table, target = report.table, report.table.target
    what = count(target.distinct, "class", "classes") if report.problem.classes else "numeric"
    missing = f"{count(table.missing, 'missing value')} in {count(table.rows_with_missing, 'row')}"
    columns = count(len(table.columns), "column")
    return (
        f"{count(table.rows, 'row')}, {columns}, {missing if table.missing else 'no missing values'}; "
        f"target {target.name}: {what}."
    )


def recommendation(report: Report) -> Iterator[str]:
    """Name the recommended learner and its expected performance."""
    verdict, last = report.verdict, report.compared[-1]
    title, better = last.title(verdict.chosen), _better_than_guessing(report)
    lead = f"Recommended: **{title}**, selected by {_score(report)}"
    if not verdict.beats_baseline and last.short_of_time:
        yield from _too_short(report)
        if verdict.chosen == BASELINE:
            return
        lead = f"Best so far, but not significantly better than the baseline: **{title}**"
    elif verdict.chosen == BASELINE:
        others = len(last.measured) - 1
        yield (
            f"**No learner beats the baseline** ({count(others, 'learner')} compared)."
            if others
            else "**No learner could be measured.** The comparison of learners shows the reasons."
        )
        return
    elif verdict.by == "log_score" and verdict.beats_baseline and not better:
        frequent, size = report.table.target.values[0]
        lead = (
            f"**{title} is not more accurate than always predicting {frequent}** "
            f"({percent(size / report.table.rows)}), but its probabilities are better than the class frequencies "
            "(by log-score): use these probabilities to compare cases, not to predict the class"
        )
    elif not verdict.beats_baseline or not better:
        lead = f"**No learner is significantly better than the baseline.** Best: **{title}**"
    elif verdict.by == "accuracy":
        yield (
            f"**No learner's probabilities are significantly better than the class frequencies, but {title} is more "
            f"accurate than always predicting {report.table.target.values[0][0]}.**"
        )
        lead = f"Recommended if only the predicted class matters: **{title}**"
    expected = _accuracy(report) if report.problem.classes else _rmse(report)
    yield f"{lead}. {expected}." if better else f"{lead}."
    if verdict.beats_baseline and last.sampled:
        yield f"{_fitted_to_samples(report)} {_larger_budget(report)}"


def _too_short(report: Report) -> Iterator[str]:
    """Warn that the time was too short to tell whether a learner beats the baseline, and suggest a budget."""
    last = report.compared[-1]
    if len(last.measured) == 1:
        yield f"**No learner could be measured in the time allowed.** {_larger_budget(report)}"
        return
    yield "**The time budget was too short to tell whether a learner beats the baseline.**"
    complete, missing = len(last.measured) - len(last.sampled) - 1, sum(one.reason != "" for one in last.short_of_time)
    if complete:
        do = "does" if complete == 1 else "do"
        yield f"{count(complete, 'learner')}, measured on all rows, {do} not beat the baseline significantly."
    if last.sampled:
        yield _fitted_to_samples(report)
    if missing:
        yield f"{count(missing, 'learner')} {'was' if missing == 1 else 'were'} not measured."
    yield _larger_budget(report)


def _fitted_to_samples(report: Report) -> str:
    """Name the learners that were fitted to samples, and say that they would probably score better with all rows."""
    verdict, last = report.verdict, report.compared[-1]
    names = unambiguous(one.title for one in last.sampled)
    parts = [
        f"{name} ({one.fitted_to:,} of {last.rows.size:,} rows)" for name, one in zip(names, last.sampled, strict=True)
    ]
    scores = f"If fitted to all rows, {'it' if len(parts) == 1 else 'they'} would probably score better"
    others = [one for one in last.sampled if one.name != verdict.chosen]
    better = ""
    if verdict.chosen != BASELINE and others:
        who = "it" if len(parts) == 1 else joined(unambiguous(one.title for one in others))
        better = f", and {who} may be better than {last.title(verdict.chosen)}"
    samples = "was fitted to a sample" if len(parts) == 1 else "were fitted to samples"
    return f"{joined(parts)} {samples} because the time budget was too short. {scores}{better}."


def sufficient_budget(report: Report) -> str:
    """Return a budget, such as ``5min``, that is sufficient for the learners that ran out of time."""
    return duration(report.compared[-1].sufficient_budget(report.made.budget))


def _larger_budget(report: Report) -> str:
    enough = sufficient_budget(report)
    return f"Pass a larger budget, such as {enough}."


def _better_than_guessing(report: Report) -> bool:
    """Return whether the expected score is better than that of a constant prediction."""
    estimate, baseline = report.verdict.estimate, report.compared[-1].baseline
    if report.problem.classes:
        return estimate["accuracy"][0] > report.table.target.values[0][1] / report.table.rows + _ROUNDING
    return baseline is None or estimate["rmse"][0] < baseline.scores["rmse"][0]


def _accuracy(report: Report) -> str:
    mean, error = report.verdict.estimate["accuracy"]
    frequent, size = report.table.target.values[0]
    return (
        f"Expected accuracy on new rows: {percent(mean)} ± {100 * error:.1f}; always predicting {frequent}: "
        f"{percent(size / report.table.rows)}"
    )


def _rmse(report: Report) -> str:
    text = f"Expected root mean squared error on new rows: {_with_error(report.verdict.estimate['rmse'])}"
    baseline = report.compared[-1].baseline
    return text if baseline is None else f"{text}; predicting the mean: {number(baseline.scores['rmse'][0], 4)}"


def estimation(report: Report) -> Iterator[str]:
    """Explain how the expected accuracy or error was measured, if the report states this number."""
    if report.verdict.chosen != BASELINE and _better_than_guessing(report):
        what = "accuracy" if report.problem.classes else "error"
        yield (
            f"The expected {what} is not biased by the selection of the learner: each fold was scored with the learner "
            "that was best on the other folds (nested estimate)."
        )


def nested_and_table(report: Report) -> Iterator[str]:
    """Compare the nested estimate of the score with the learner's score in the table."""
    verdict, compared = report.verdict, report.compared[-1]
    estimate = verdict.estimate[verdict.by]
    if verdict.chosen == BASELINE or not math.isfinite(estimate[1]):
        return
    start = f"The {_score(report)} of {compared.title(verdict.chosen)}"
    of_table = _with_error(compared.standing(verdict.chosen).scores[verdict.by])
    if verdict.same_choice == verdict.folds:
        yield f"{start} is {of_table}; the learner was selected in every fold, so the selection adds no bias."
    else:
        yield (
            f"{start} in the table is {of_table}, which is optimistic, since the learner was selected on the same "
            f"folds. The nested estimate for new rows is {_with_error(estimate)}."
        )


def differences(report: Report) -> Iterator[str]:
    """Compare the recommended learner with the runner-up and the baseline, and state how often it was selected."""
    verdict, compared = report.verdict, report.compared[-1]
    if verdict.runner_up is not None:
        ahead, start = verdict.runner_up, f"Runner-up: {compared.title(verdict.runner_up.other)}"
        if math.isinf(ahead.mean):
            yield f"{start}, which predicted probability 0 for a class that occurred."
        elif ahead.mean == 0:
            yield f"{start}, with the same {_score(report)}."
        else:
            significant = "significant" if ahead.significant else "not significant"
            yield f"{start}, worse by {ahead.interval} in {_score(report)}: the difference is {significant}."
    if verdict.baseline is not None and verdict.beats_baseline:
        yield f"The baseline is worse by {verdict.baseline.interval} in {_score(report)}."
    if verdict.same_choice < verdict.folds:
        yield f"{compared.title(verdict.chosen)} was selected in {verdict.same_choice} of {verdict.folds} folds."
    if verdict.more_accurate is not None:
        yield (
            f"{compared.title(verdict.more_accurate.other)} has a higher accuracy (by "
            f"{100 * verdict.more_accurate.mean:.1f} points) but worse probabilities: prefer this learner if only the "
            "predicted class matters."
        )


def _score(report: Report) -> str:
    return {"log_score": "log-score", "accuracy": "accuracy", "rmse": "root mean squared error"}[report.verdict.by]


def calibration(report: Report) -> Iterator[str]:
    """State how well predicted probabilities agree with observed frequencies, or how large the errors are."""
    found = report.calibration
    if found is None:
        return
    if found.half is not None and found.nine_tenths is not None:
        yield (
            f"Half of the predictions are within {number(found.half, 3)} of the true value, and nine of ten are within "
            f"{number(found.nine_tenths, 3)}."
        )
        return
    points = 100 * found.error
    verdict = "well calibrated" if points < 5 else "roughly calibrated" if points < 10 else "poorly calibrated"
    yield (
        f"The predicted probabilities are **{verdict}**: on average they differ by {points:.1f} points from observed "
        "frequencies."
    )
    worst = max(found.bins, key=lambda one: one.predicted - one.observed if one.rows >= _FEW_IN_GROUP else 0.0)
    chance_error = math.sqrt(worst.predicted * (1 - worst.predicted) / worst.rows)
    if worst.rows >= _FEW_IN_GROUP and worst.predicted - worst.observed > max(0.1, _UNRELIABLE * chance_error):
        yield (
            f"The least reliable probabilities are those from {percent(worst.low, 0)} to {percent(worst.high, 0)}: of "
            f"the {worst.rows:,} predictions in this range, only {percent(worst.observed)} were right."
        )


def importance(report: Report) -> Iterator[str]:
    """Name the most important columns."""
    if report.importance is None:
        return
    if not report.verdict.beats_baseline:
        yield "No column is known to be informative, since no learner is significantly better than the baseline."
        return
    columns = report.importance.columns
    significant = [one for one in columns if one.loss > max(_IMPORTANT * one.error, _NOTICEABLE)]
    names = [one.name for one in significant]
    shown = joined(unambiguous(names[:_SHOWN]))
    if names and names[0] == columns[0].name:
        yield f"Most important column{'s' * (len(names) > 1)}: **{shown}**."
    elif names:
        larger = [one.name for one in columns][: min(columns.index(significant[0]), _LARGER)]
        only = "the effect of **{}** is" if len(names) == 1 else "the effects of **{}** are"
        yield (
            f"Largest effect{'s' * (len(larger) > 1)}: {joined(unambiguous(larger))}; only {only.format(shown)} "
            "significant."
        )
    else:
        yield _none_important(report, report.importance.rows)


def _none_important(report: Report, rows: int) -> str:
    """Explain why no column is significantly important: too few test rows, or redundant columns."""
    if rows < min(len(report.problem), _MANY):
        return f"Too few test rows ({rows:,}) to tell which columns are important. {_larger_budget(report)}"
    if rows < _FEW:
        return f"Too few rows ({rows:,}) to tell which columns are important."
    return "No single column is significantly important, probably because several columns contain the same information."


def rows(report: Report) -> Iterator[str]:
    """Name the rows that a person should check: possible label errors and unusual rows."""
    suspects, target = report.suspects, report.problem.target
    if suspects is not None and suspects.found:
        text = f"**{count(suspects.found, 'row')}** may have a wrong {target}"
        if not suspects.significant:
            text = f"{count(suspects.found, 'row')} to check for a wrong {target}; {suspects.chance}"
        elif report.problem.classes:
            text += f"; {suspects.chance}"
        else:
            text += (
                f" (errors of {suspects.limit:g} robust standard deviations or more). With normally distributed "
                f"errors, about {chance(suspects.by_chance)} such rows are expected, and more if errors grow with "
                f"{target}"
            )
        yield f"{text}."
    elif suspects is not None:
        yield f"No row seems to have a wrong {target}."
    if report.outliers is not None and report.outliers.rows:
        first = report.outliers.rows[0]
        reasons = joined(unambiguous(f"{one.column} {one.value}" for one in first.values))
        why = f" ({reasons})" if reasons else ""
        others = f"; {count(len(report.outliers.rows), 'row')} are unusual" if len(report.outliers.rows) > 1 else ""
        yield f"The most unusual row is {report.problem.place(first.row)}{why}{others}."


def findings(report: Report) -> Iterator[str]:
    for part in (calibration, importance, rows):
        yield from part(report)


# -- the terminal


def summary_text(report: Report, width: int = 100) -> str:
    file = StringIO()
    console = Console(file=file, width=width, color_system=None, highlight=False)
    print_summary(report, console)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines())


def print_summary(report: Report, console: Console) -> None:
    """Print the summary; command-line options that users may copy are never wrapped."""
    for part in summary(report):
        console.print(part, soft_wrap=isinstance(part, Text) and part.no_wrap is True)


def summary_html(report: Report) -> str:
    """Return the summary as HTML for notebooks, with the same sentences and table."""
    grids, texts = list[Grid](), list[str]()
    for part in summary(report):
        if isinstance(part, Table):
            header = [str(column.header) for column in part.columns]
            lines = list(zip(*(map(str, column.cells) for column in part.columns), strict=True))
            grids += [
                Grid("\n".join(texts).strip(), [], []),
                Grid("", header, lines, right=range(1, len(header))),
            ]
            texts = []
        else:
            texts.append(str(part.renderable if isinstance(part, Padding) else part))
    return grids_html(grids, "\n".join(texts).strip())


def summary(report: Report) -> Iterator[RenderableType]:
    yield Text(visible(f"{report.problem.name}: {report.problem.target}"), style="bold")
    yield Text(visible(opening(report)))
    for remark in report.table.remarks:
        text = Text(visible(remark), style="dim", no_wrap=is_option(remark))
        yield text if text.no_wrap else Padding(text, (0, 0, 0, 2))
    yield Text()
    for sentence in (*recommendation(report), *differences(report)):
        yield _emphasized(sentence)
    yield Text()
    yield _table(report)
    note = f"{report.compared[-1].protocol}; ± is the standard error."
    if report.problem.classes:
        note += " Sorted by log-score, which rewards good probabilities, not only the right class."
    for sentence in estimation(report):
        note += f" {sentence}"
    if report.verdict.same_choice < report.verdict.folds:
        note += " The score of the selected learner is optimistic, because it was used for the selection."
    if any(one.fitted_to is not None for one in report.compared[-1].measured):
        note += " Learners marked with a sample size were fitted to a sample because the time budget was too short; "
        note += "with all rows, they would probably score better."
    yield Text(note, style="dim")
    yield Text()
    for sentence in findings(report):
        yield _emphasized(sentence)
    for line in report.skipped:
        yield Text(visible(f"Skipped: {line}."), style="dim")
    yield Text(f"Created in {seconds(report.made.seconds)} (budget {seconds(report.made.budget)}).", style="dim")


def _table(report: Report) -> RenderableType:
    shown, classes = report.compared[-1], report.problem.classes
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("learner")
    for heading in (*(("accuracy", "log-score") if classes else ("RMSE", "R²")), "time"):
        table.add_column(heading, justify="right")
    for one, cells in zip(shown.measured, score_texts(report, shown.measured), strict=True):
        title = one.label if one.fitted_to is None else f"{one.label} (sample of {count(one.fitted_to, 'row')})"
        style = "bold" if one.name == report.verdict.chosen else None
        table.add_row(Text(visible(title)), *cells, seconds(one.seconds), style=style)
    if shown.unmeasured:
        who = shown.unmeasured[0].title if len(shown.unmeasured) == 1 else count(len(shown.unmeasured), "learner")
        table.add_row(Text(visible(f"{who} not measured")), "", "", "", style="dim")
    return table


def score_names(report: Report) -> tuple[str, str]:
    return ("accuracy", "log_score") if report.problem.classes else ("rmse", "r2")


def score_texts(report: Report, measured: Sequence[Standing]) -> list[tuple[str, ...]]:
    """Format mean scores of learners with standard errors, with the same number of decimals in each column."""
    columns = []
    for name in score_names(report):
        scores = [one.scores[name] for one in measured]
        if name == "accuracy":
            columns.append([f"{percent(mean)} ± {100 * error:.1f}" for mean, error in scores])
        else:
            columns.append(with_errors([mean for mean, _ in scores], [error for _, error in scores]))
    return list(zip(*columns, strict=True))


def _with_error(score: tuple[float, float]) -> str:
    return with_errors(score[:1], score[1:])[0]


def _emphasized(sentence: str) -> RenderableType:
    """Return text with the parts between double asterisks in bold."""
    text = Text()
    for position, part in enumerate(visible(sentence).split("**")):
        text.append(part, style="bold" if position % 2 else "")
    return text
