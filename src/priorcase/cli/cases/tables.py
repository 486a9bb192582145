"""Cases and events as tables that fit a terminal, as CSV and as JSON."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from priorcase.cases import Case
from priorcase.cases.case import text_of
from priorcase.cli.errors import BadInputError
from priorcase.exceptions import advice, listed
from priorcase.learning.results import Grid, grids_text, short, text_width

__all__ = ["BESIDE", "case_document", "case_table", "check_columns", "csv_lines", "event_table", "json_text", "plain"]

BESIDE = ("id", "key", "solution", "outcome", "by", "why", "added_at", "revised_at", "retired")
"""What columns may be beside attributes."""

_FIRST = ("id", "key", "solution", "outcome")
_WIDEST = 32
_LEAST = 40


def check_columns(columns: Sequence[str], attributes: Iterable[str], path: str) -> None:
    """Refuse columns that cases have not."""
    names = [*attributes, *BESIDE]
    for column in columns:
        if column not in names:
            remedy = advice(column, names, otherwise=f"It has {listed(names, limit=20)}.")
            raise BadInputError(f"{path} has no column {column!r}. {remedy}")


def case_table(cases: Sequence[Case], title: str, columns: Sequence[str] = (), note: str = "") -> str:
    """A table of cases: the columns asked for, or as many as fit."""
    attributes = list(cases[0]) if cases else []
    wanted = list(columns) or [name for name in ("id", "key", *attributes, "solution", "outcome") if _held(cases, name)]
    width = shutil.get_terminal_size().columns
    cells = {name: [_text(_of(case, name)) for case in cases] for name in wanted}
    cells = {name: [short(text, _room(cells, name, width, columns)) for text in cells[name]] for name in wanted}
    shown = wanted if columns else _fitting(cells, width)
    hidden = [name for name in wanted if name not in shown]
    notes = [note, f"columns not shown: {', '.join(hidden)}" if hidden else ""]
    lines = [[cells[name][row] for name in shown] for row in range(len(cases))]
    numbers = {place for place, name in enumerate(shown) if _numeric(cases, name)}
    return grids_text([Grid(title, shown, lines, "; ".join(filter(None, notes)), right=numbers)])


def _text(value: Any) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else text_of(value)


def _room(cells: Mapping[str, list[str]], name: str, width: int, columns: Sequence[str]) -> int:
    """How wide a column may be: where columns were asked for, what the others leave."""
    if not columns:
        return _WIDEST
    others = sum(min(_WIDEST, text_width([other, *cells[other]])) + 2 for other in cells if other != name)
    return max(_WIDEST, width - 3 - others)


def _fitting(cells: Mapping[str, list[str]], width: int) -> list[str]:
    """The columns that fit: what every case has first, then attributes in their order."""
    room = max(width, _LEAST) - 1
    order = [name for name in _FIRST if name in cells] + [name for name in cells if name not in _FIRST]
    found = set[str]()
    for name in order:
        room -= text_width([name, *cells[name]]) + 2
        if room < 0 and found:
            break
        found.add(name)
    return [name for name in cells if name in found]


def _of(case: Case, name: str) -> Any:
    return case[name] if name in case else getattr(case, name)


def _held(cases: Sequence[Case], name: str) -> bool:
    return name not in ("key", "solution", "outcome") or any(_of(case, name) is not None for case in cases)


def _numeric(cases: Sequence[Case], name: str) -> bool:
    known = [value for case in cases if (value := _of(case, name)) is not None]
    return bool(known) and all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in known)


def csv_lines(cases: Iterable[Case], columns: Sequence[str]) -> Iterator[str]:
    """The header and a line for each case; nothing stands where nothing is known."""
    yield _line(columns)
    for case in cases:
        yield _line(["" if (value := _of(case, name)) is None else _text(value) for name in columns])


def _line(cells: Sequence[str]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(cells)
    return text.getvalue()


def case_document(case: Case) -> dict[str, Any]:
    """A case for machines; what nobody said is null."""
    return {
        "id": case.id,
        "key": case.key,
        "values": {name: plain(value) for name, value in case.items()},
        "solution": case.solution,
        "outcome": case.outcome,
        "notes": [{"text": note.text, "at": note.at, "by": note.by} for note in case.notes],
        "added_at": case.added_at,
        "by": case.by,
        "why": case.why,
        "revised_at": case.revised_at,
        "retired": case.retired,
    }


def plain(value: Any) -> Any:
    """A value as JSON can write it: sets as lists, dates and graphs as texts."""
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=lambda member: (str(type(member)), member))
    if isinstance(value, date):
        return value.isoformat()
    return value.to_json() if hasattr(value, "to_json") else value


def json_text(document: Any) -> str:
    """One JSON document."""
    from priorcase.cli.documents import clean

    return json.dumps(clean(document), indent=2, ensure_ascii=False, allow_nan=False)


def event_table(events: Sequence[Any], limit: int) -> str:
    """What happened, the last few events."""
    last = events[-limit:] if limit else []
    lines = [[e.at, e.action, "-" if e.id is None else str(e.id), e.by or "-", e.why or "-"] for e in last]
    hidden = len(events) - len(last)
    note = f"and {hidden} earlier; --limit shows more" if hidden else ""
    title = f"{len(events)} event{'s' * (len(events) != 1)}"
    return grids_text([Grid(title, ("at", "action", "case", "by", "why"), lines, note, right={2})])
