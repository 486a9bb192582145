"""What matters: how much worse answers get when a column is hidden."""

from __future__ import annotations

from priorcase.reporting import sentences
from priorcase.reporting.marks import bar, scale_of
from priorcase.reporting.markup import Cell, paragraphs, table, text
from priorcase.reporting.result import Report
from priorcase.reporting.words import count, number, percent

__all__ = ["columns_section"]

_MOST = 30


def columns_section(report: Report) -> str:
    """The columns, the most valuable first."""
    worth, classes = report.worth, report.problem.classes
    if worth is None:
        return ""
    shown = worth.columns[:_MOST]
    scale = scale_of([one.loss for one in shown], [one.error for one in shown], width=170.0, zero=True)
    header = [Cell("column"), Cell("lost without it", "n"), Cell("")]
    header += [Cell("right", "n wide"), Cell("matters at all", "n wide")] if classes else [Cell("Relief weight", "n")]
    lines = []
    for one in shown:
        mark = bar(one.loss, one.error, scale, words=f"{one.name}: {number(one.loss, 2)} lost without it")
        cells = [Cell.named(one.name), Cell(_lost(one.loss, classes), "n"), Cell(mark)]
        if classes:
            matters = "–" if one.matters is None else percent(one.matters)
            cells += [Cell(_points(one.right), "n wide"), Cell(matters, "n wide")]
        else:
            cells.append(Cell("" if one.weight is None else f"{one.weight:.2f}", "n"))
        lines.append(("", cells))
    parts = [paragraphs(sentences.worth_words(report)), table(header, lines, caption=_caption(report))]
    if len(worth.columns) > _MOST:
        parts.append(f'<p class="note">{count(len(worth.columns) - _MOST, "column")} worth less not listed.</p>')
    parts.append(f'<p class="note">{text(_note(classes))}</p>')
    return "".join(parts)


def _caption(report: Report) -> str:
    rows = report.worth.rows if report.worth is not None else 0
    return (
        f"Each column in turn was hidden from {report.verdict.chosen}, on {count(rows, 'row')} that it had not "
        "learned: its values were dealt to other rows at random. The line is one standard error to each side."
    )


def _note(classes: bool) -> str:
    if classes:
        return (
            "“Lost without it” is the fall in log-score, “right” the change in the share of rows put into the right "
            "class, in points. A column that others can stand in for loses little. “Matters at all” looks at the "
            "column by itself: the probability that the classes differ in it (SubsetAveragedBayes); a dash where no "
            "way was found to tell."
        )
    return (
        "“Lost without it” is the rise in mean squared error as a share of the target’s variance. A column that "
        "others can stand in for loses little. Relief’s weight, relative to the largest, looks at how a column "
        "differs between similar rows with different targets."
    )


def _points(change: float | None) -> str:
    """A change of a share, in points."""
    return "" if change is None else "0" if abs(change) < 0.0005 else text(f"{100 * change:+.1f}")


def _lost(loss: float, classes: bool) -> str:
    if classes:
        return text(f"{loss:.3f}".replace("-0.000", "0.000"))
    return text(percent(loss) if loss >= 0 else f"-{percent(-loss)}")
