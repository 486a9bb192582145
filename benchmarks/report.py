"""Tables of measurements."""

from collections.abc import Sequence
from dataclasses import dataclass

HEADERS = ("workload", "compared with", "priorcase", "other", "ratio", "target", "met", "note")


@dataclass(frozen=True)
class Row:
    """One comparison: the ratio of ``other`` to ``ours`` (in ``unit``, less is better) must be at least ``bar``.

    ``other`` is None if the peer could not be run; the note gives the reason. ``bar`` is None if no target is set.
    """

    workload: str
    against: str
    ours: float
    other: float | None
    bar: float | None = None
    unit: str = "s"
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Time or memory of the other program divided by ours; None if it could not be run."""
        return None if self.other is None else self.other / self.ours


def judge(row: Row) -> bool | None:
    """Return whether the target was met; None if there is no target or no measurement."""
    return None if row.ratio is None or row.bar is None else row.ratio >= row.bar


def plain(rows: Sequence[Row], *, judged: bool) -> str:
    """Return the table with aligned columns for a terminal."""
    cells = [HEADERS, *(_cells(row, judged) for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(HEADERS))]
    lines = ["  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip() for line in cells]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def markdown(facts: Sequence[str], rows: Sequence[Row], *, judged: bool) -> str:
    """Return the facts and the table as a Markdown document."""
    lines = ["\n\n".join(facts), "", "| " + " | ".join(HEADERS) + " |", "|" + " --- |" * len(HEADERS)]
    lines += ["| " + " | ".join(_cells(row, judged)) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _cells(row: Row, judged: bool) -> tuple[str, ...]:
    met = {True: "yes", False: "NO", None: "-"}[judge(row) if judged else None]
    return (
        row.workload,
        row.against,
        _quantity(row.ours, row.unit),
        "skipped" if row.other is None else _quantity(row.other, row.unit),
        "-" if row.ratio is None else f"{_digits(row.ratio)}x",
        "-" if row.bar is None else f">= {_digits(row.bar)}x",
        met,
        row.note,
    )


def _quantity(value: float, unit: str) -> str:
    if unit == "s" and value < 1e-3:
        return f"{_digits(value * 1e6)} µs"
    if unit == "s" and value < 1:
        return f"{_digits(value * 1e3)} ms"
    if unit == "s" and value >= 36_000:
        return f"{_digits(value / 3_600)} h"
    return f"{_digits(value)} {unit}"


def _digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 1_000 else f"{value:.3g}"
