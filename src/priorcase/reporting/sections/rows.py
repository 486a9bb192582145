"""Rows to look at: those whose target may be wrong, and the oddest ones."""

from __future__ import annotations

from priorcase.reporting.markup import Cell, table, text
from priorcase.reporting.result import Report
from priorcase.reporting.suspects import Suspect
from priorcase.reporting.words import count, number, percent, value

__all__ = ["odd_section", "suspects_section"]

_TELLING = 4


def suspects_section(report: Report) -> str:
    """Rows whose target may be wrong."""
    found = report.suspects
    if found is None:
        return ""
    if not found.rows:
        return f"<p>None of {count(found.of, 'row')} disagrees enough with what is predicted for it.</p>"
    return _found(report) + (_classes(report) if report.problem.classes else _numbers(report))


def _found(report: Report) -> str:
    found, target = report.suspects, report.problem.target
    assert found is not None
    start = f"In {found.found:,} of {count(found.of, 'row')} the {target} noted there"
    if report.problem.classes:
        chance = f"chance alone would bring about {found.by_chance:.0f}, if the probabilities are right"
        words = f"{start} was given at most {percent(found.limit, 0)}, another at least half; {chance}."
    else:
        words = f"{start} is off by {found.limit:g} usual errors or more."
    last = "These are the first to look at; being unusual is no proof of being wrong."
    return f"<p>{text(words)} {last}</p>"


def _classes(report: Report) -> str:
    found = report.suspects
    assert found is not None
    records = any(one.used is not None for one in found.rows)
    header = [Cell(report.problem.place_word), Cell("noted"), Cell("expected"), Cell("chance of what is noted", "n")]
    header.append(Cell("learners against it", "n"))
    if records:
        header.append(Cell("as a precedent"))
    header.append(Cell("what it is like", "wide"))
    lines = []
    for one in found.rows:
        cells = [Cell(f"{int(report.problem.places[one.row]):,}"), Cell(text(one.noted)), Cell(text(one.expected))]
        cells.append(Cell(percent(one.probability), "n"))
        cells.append(Cell(f"{one.against} of {found.asked}", "n"))
        if records:
            cells.append(Cell(_record(one)))
        lines.append(("", [*cells, Cell(_like(report, one.row), "small wide")]))
    note = (
        "“As a precedent” is the row’s record when it was the nearest to others (PEBLS), where that is among the worst."
        if records
        else ""
    )
    return table(header, lines) + (f'<p class="note">{text(note)}</p>' if note else "")


def _record(one: Suspect) -> str:
    return "" if one.used is None else f"right {one.correct} of {one.used} times"


def _numbers(report: Report) -> str:
    found = report.suspects
    assert found is not None
    header = [Cell(report.problem.place_word), Cell("noted", "n"), Cell("expected", "n"), Cell("usual errors off", "n")]
    header.append(Cell("what it is like", "wide"))
    lines = [
        (
            "",
            [
                Cell(f"{int(report.problem.places[one.row]):,}"),
                *(Cell(text(each), "n") for each in (one.noted, one.expected, number(one.probability))),
                Cell(_like(report, one.row), "small wide"),
            ],
        )
        for one in found.rows
    ]
    return table(header, lines)


def _like(report: Report, row: int) -> str:
    """What a row holds in the columns that tell most."""
    names = [one.name for one in report.worth.columns[:_TELLING]] if report.worth is not None else []
    return text(", ".join(f"{name} {value(report.problem.X[name][row])}" for name in names))


def odd_section(report: Report) -> str:
    """The oddest rows, and the values that make them so."""
    found = report.oddities
    if found is None:
        return ""
    sample = "half of the rows" if 2 * found.learned + 1 >= found.looked_at else f"{count(found.learned, 'row')}"
    intro = (
        f"<p>Of {count(found.looked_at, 'row')} these go least with how columns go together elsewhere, whatever their "
        f"{text(report.problem.target)}: typing errors, or cases of their own. Each row was asked of a model that was "
        f"learned from {sample} without it. A value is listed where the rest of its row suggests another.</p>"
    )
    header = [Cell(report.problem.place_word), Cell("value"), Cell("expected from the rest")]
    header.append(Cell("how much rarer than usual", "n"))
    lines = []
    for one in found.rows:
        for i, each in enumerate(one.values):
            name = f"{int(report.problem.places[one.row]):,}" if i == 0 else ""
            cells = [Cell(name), Cell(f"{text(each.column)} <strong>{text(each.value)}</strong>")]
            lines.append(("", [*cells, Cell(text(each.expected)), Cell(_rarer(each.beyond), "n")]))
    return intro + table(header, lines)


def _rarer(nats: float) -> str:
    """A factor in words."""
    if nats > 13.8:
        return "over a million times"
    times = 2.718281828 ** max(nats, 0.0)
    return f"{times:.1f} times" if times < 10 else f"{number(times, 2)} times"
