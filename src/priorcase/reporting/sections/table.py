"""The table: its target, its columns, and what is strange about them."""

from __future__ import annotations

from priorcase.reporting.columns import ColumnSummary
from priorcase.reporting.marks import histogram
from priorcase.reporting.markup import Cell, paragraphs, table, text
from priorcase.reporting.result import Report
from priorcase.reporting.words import count, percent

__all__ = ["table_section"]

_MOST = 60
_NAMED = 4


def table_section(report: Report) -> str:
    """What was understood of the table."""
    found = report.understanding
    columns = found.columns[:_MOST]
    header = [Cell("column"), Cell("kind"), Cell("gaps", "n"), Cell("values"), Cell("rows by value", "wide"), Cell("")]
    lines = [("best", _line(found.target, found.rows, "target"))]
    lines += [("" if column.used else "off", _line(column, found.rows, text(column.remark))) for column in columns]
    more = ""
    if len(found.columns) > _MOST:
        more = f'<p class="note">{count(len(found.columns) - _MOST, "more column")} not listed.</p>'
    caption = "Of numbers the least, the middle and the greatest; of others the most frequent, with their rows."
    return table(header, lines, caption=caption) + more + paragraphs([*_repeated(report), *found.remarks])


def _line(column: ColumnSummary, rows: int, remark: str) -> list[Cell]:
    gaps = percent(column.missing / rows) if column.missing else "–"
    words = f"{column.name}: rows by value"
    return [
        Cell.named(column.name),
        Cell(column.kind, "quiet"),
        Cell(gaps, "n"),
        Cell(_values(column)),
        Cell(histogram(column.bars, words=words), "wide"),
        Cell(remark, "small"),
    ]


def _values(column: ColumnSummary) -> str:
    if column.low is not None and column.middle is not None and column.high is not None:
        low, middle, high = (text(_amount(each)) for each in (column.low, column.middle, column.high))
        return f"{low} … {middle} … {high}"
    shown = [f'{text(name)}&nbsp;<span class="quiet">{n:,}</span>' for name, n in column.values[:_NAMED]]
    rest = column.distinct - len(shown)
    return ", ".join(shown) + (f' <span class="quiet">and {rest:,} more</span>' if rest > 0 else "")


def _amount(value: float) -> str:
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e15 else f"{value:.4g}"


def _repeated(report: Report) -> list[str]:
    found = report.understanding
    if not found.repeated:
        return []
    verb = "repeats" if found.repeated == 1 else "repeat"
    return [f"{count(found.repeated, 'row')} {verb} an earlier one in {found.everywhere}."]
