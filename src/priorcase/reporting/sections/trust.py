"""How far to trust it: whether probabilities come true as often as they say, or how far numbers are off."""

from __future__ import annotations

from priorcase.reporting import sentences
from priorcase.reporting.charts import calibration_chart, scatter_chart
from priorcase.reporting.markup import Cell, paragraphs, table, text
from priorcase.reporting.result import Report
from priorcase.reporting.words import count, number, percent

__all__ = ["trust_section"]

_CLASSES = (
    "Each row was predicted without having been learned. Among predictions made with 80 %, say, honest probabilities "
    "are right four times out of five: their dot lies on the dashed line. Dots below it promise too much."
)
_NUMBERS = (
    "Each row was predicted without having been learned. On the dashed line prediction and truth are equal; the table "
    "shows groups of rows with similar predictions, whose means should agree."
)


def trust_section(report: Report) -> str:
    """Predictions beside what came true, drawn and in numbers."""
    found, classes = report.calibration, report.problem.classes
    if found is None:
        return ""
    words = " ".join(each.replace("**", "") for each in sentences.calibration_words(report))
    if classes:
        chart = calibration_chart(found, f"Predicted probability against how often it came true. {words}")
        caption = "Dots are larger where there are more rows."
        header = [Cell("said"), Cell("rows", "n"), Cell("on average", "n"), Cell("came true", "n")]
        lines = [
            ("", [Cell(_between(one.low, one.high)), _n(f"{one.rows:,}"), _n(percent(one.said)), _n(percent(one.came))])
            for one in found.bins
        ]
    else:
        chart = scatter_chart(found, report.problem.target, f"Predictions against the truth. {words}")
        caption = f"{count(len(found.points), 'row')}, spread evenly over the predictions."
        header = [Cell("predicted"), Cell("rows", "n"), Cell("mean prediction", "n"), Cell("mean truth", "n")]
        lines = [
            (
                "",
                [
                    Cell(text(f"{number(one.low)} to {number(one.high)}"), "w"),
                    *(_n(f"{one.rows:,}"), _n(number(one.said)), _n(number(one.came))),
                ],
            )
            for one in found.bins
        ]
    figure = f"<figure>{chart}<figcaption>{text(caption)}</figcaption></figure>"
    note = f'<p class="note">{text(_CLASSES if classes else _NUMBERS)}</p>'
    side = f'<div class="side">{figure}<div>{table(header, lines)}</div></div>'
    return paragraphs(sentences.calibration_words(report)) + side + note


def _between(low: float, high: float) -> str:
    return f"{100 * low:.0f} to {100 * high:.0f} %"


def _n(words: str) -> Cell:
    return Cell(text(words), "n")
