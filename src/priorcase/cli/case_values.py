"""Parse the values, solutions and outcomes that a user types, and format cases as text and CSV."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from priorcase._parameters import is_number
from priorcase.cases import Case, CaseBase
from priorcase.cases.case import text_of
from priorcase.cases.conditions import typed
from priorcase.cli.shell import BadInputError, csv_text, note
from priorcase.datasets.typed import plain_number, typed_date, typed_number
from priorcase.exceptions import advice, listed
from priorcase.learning.results import Grid, grids_text, short, text_width
from priorcase.schema import Nominal, Numeric, Ordinal, Set, Taxonomy

_TRUTHS = {"yes": True, "true": True, "no": False, "false": False}
_DATE = len("2025-06-01")
_BESIDE = ("id", "key", "solution", "outcome", "by", "why", "added_at", "revised_at", "retired")
_FIRST = ("id", "key", "solution", "outcome")
_WIDEST, _LEAST = 32, 40


# -- what people type


def values(base: CaseBase, pairs: Sequence[str]) -> dict[str, Any]:
    """Parse NAME=VALUE pairs according to the kinds of the attributes; the value ``?`` becomes None."""
    attributes = base.attributes
    texts: dict[str, list[str]] = {}
    for pair in pairs:
        name, text = split_pair(pair, attributes)
        texts.setdefault(name, []).append(text)
    found: dict[str, Any] = {}
    for name, given in texts.items():
        kind = attributes.get(name)
        if len(given) == 1:
            found[name] = _undeclared(given[0]) if kind is None else read_value(base, name, kind, given[0])
        elif "?" in given or (kind is not None and not isinstance(kind, Set)):
            raise BadInputError(
                f"{name!r} was given {len(given)} values; only a set can have several values. Nothing was changed."
            )
        elif kind is None:
            found[name] = frozenset(given)
        else:
            found[name] = frozenset(member for text in given for member in read_value(base, name, kind, text))
    return found


def split_pair(pair: str, attributes: Iterable[str]) -> tuple[str, str]:
    """Split NAME=VALUE into the name and the value; declared names can contain spaces and equals signs."""
    attributes = list(attributes)
    for name in sorted(attributes, key=len, reverse=True):
        after = pair.lstrip().removeprefix(name).lstrip()
        if pair.lstrip().startswith(name) and after.startswith("="):
            break
    else:
        name, equals, after = (part.strip() for part in pair.partition("="))
        after = equals + after
        if attributes and name and equals:
            remedy = advice(name, attributes, otherwise=f"It has {listed(attributes, limit=20)}.")
            raise BadInputError(f"the case base has no attribute {name!r}. {remedy}")
    value = after[1:].strip()
    if not name or not value:
        remedy = "--from adds a table" if Path(pair).is_file() else "Write NAME=? for a missing value"
        raise BadInputError(f"{pair!r} is not of the form NAME=VALUE. {remedy}.")
    return name, value


def read_value(base: CaseBase, name: str, kind: Any, text: str) -> Any:
    """Convert text to a value of the given kind; raise an error if the text is not one of the declared values."""
    if text == "?":
        return None
    if isinstance(kind, Numeric):
        return typed(name, kind, text)  # text if invalid; the case base rejects it later
    if isinstance(kind, Set):
        return frozenset(_stored(base, name, part.strip()) for part in text.split(",") if part.strip())
    if isinstance(kind, Taxonomy):
        return _known_word(name, text, kind.nodes)
    if isinstance(kind, Ordinal):
        return _known_word(name, text, kind.order)
    if type(kind) is Nominal:
        return _stored(base, name, text) if kind.values is None else _known_word(name, text, kind.values)
    return text


def _known_word(name: str, text: str, words: Iterable[Any]) -> Any:
    """Return the declared value that equals the text, ignoring case if no value matches exactly."""
    words = list(words)
    for same in (str.__str__, str.casefold):
        for word in words:
            if same(str(word)) == same(text):
                return word
    remedy = advice(text, map(str, words), otherwise=f"It has {listed(words, limit=12)}.")
    raise BadInputError(f"{text!r} is not a value of {name!r}. {remedy} Nothing was changed.")


def _stored(base: CaseBase, name: str, text: str) -> Any:
    """Convert text to a number or a boolean if the stored cases contain this number or boolean, but not the text."""
    others = [found for found in (plain_number(text), {"true": True, "false": False}.get(text)) if found is not None]
    for reading in [text, *others] if others else []:
        if next(iter(base.find(where={name: reading})), None) is not None:
            return reading
    return text


def _undeclared(text: str) -> Any:
    """Parse a value of an undeclared attribute as a number, a date, or text."""
    if text == "?":
        return None
    if (number := plain_number(text)) is not None:
        return number
    moment = typed_date(text) if len(text) == _DATE else None
    return text if moment is None else moment


def solution_value(base: CaseBase, text: str | None) -> Any:
    """Parse a solution; text such as ``12`` stays a string if the first solution in the case base is a string."""
    if text is None or text == "?":
        return None
    first = next((case.solution for case in base if case.solution is not None), None)
    number = typed("solution", Numeric(), text) if is_number(first) else plain_number(text)
    if not isinstance(first, str) and is_number(number):
        return number
    if text.lstrip().startswith(("{", "[")):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    return text


def outcome_value(text: str | None) -> bool | float | None:
    """Parse an outcome: yes, no, or a number from 0 to 1; ``?`` gives None.

    >>> outcome_value("yes"), outcome_value("No"), outcome_value("0.5"), outcome_value("?")
    (True, False, 0.5, None)
    """
    if text is None or text == "?":
        return None
    if (found := _degree(typed("outcome", Numeric(), text))) is None:
        raise BadInputError(f"--outcome {text!r} is not yes, no, or a number from 0 to 1. Nothing was changed.")
    return found


def _degree(outcome: Any) -> bool | float | None:
    """Return an outcome as a boolean or a number from 0 to 1; None if it is neither."""
    if isinstance(outcome, str):
        outcome = _TRUTHS.get(outcome.strip().casefold(), plain_number(outcome))
    return outcome if isinstance(outcome, bool) or (is_number(outcome) and 0 <= outcome <= 1) else None


class Success:
    """Interprets outcomes in the same way as ``--outcome``; outcomes that ``--outcome`` rejects count as unknown."""

    def __init__(self) -> None:
        self._others: dict[str, None] = {}

    def __call__(self, outcome: Any) -> bool | float:
        found = _degree(outcome)
        if found is None:
            self._others[text_of(outcome)] = None
        return 1.0 if found is None else found

    def note_others(self) -> None:
        """Print a note that lists the outcomes counted as unknown, if there are any."""
        if self._others:
            told = listed(self._others, limit=5)
            note(f"these outcomes count as unknown, because they are not yes, no or a number from 0 to 1: {told}")


def weights(base: CaseBase, pairs: Sequence[str]) -> dict[str, float] | None:
    """Parse NAME=WEIGHT pairs; return a mapping from names to weights, or None if there are no pairs."""
    found: dict[str, float] = {}
    for pair in pairs:
        name, text = split_pair(pair, base.attributes)
        number = typed_number(text)
        if number is None or number < 0:
            raise BadInputError(
                f"{text!r} is not a weight for {name!r}; expected a number >= 0. A weight of 0 ignores the attribute."
            )
        found[name] = number
    return found or None


# -- cases and events


def check_columns(columns: Sequence[str], attributes: Iterable[str], path: Any) -> None:
    """Raise an error if a column is neither an attribute nor another field of a case."""
    names = [*attributes, *_BESIDE]
    for column in columns:
        if column not in names:
            remedy = advice(column, names, otherwise=f"It has {listed(names, limit=20)}.")
            raise BadInputError(f"{path} has no column {column!r}. {remedy}")


def case_table(cases: Sequence[Case], title: str, columns: Sequence[str] = (), note: str = "") -> str:
    """Format cases as a table with the requested columns, or with as many columns as fit the terminal."""
    attributes = list(cases[0]) if cases else []
    wanted = list(columns) or [name for name in ("id", "key", *attributes, "solution", "outcome") if _used(cases, name)]
    width = shutil.get_terminal_size().columns
    cells = {name: [_text(_of(case, name)) for case in cases] for name in wanted}
    rooms = dict.fromkeys(wanted, _WIDEST)
    if columns:  # each column may use the width that the others leave
        taken = {name: min(_WIDEST, text_width([name, *cells[name]])) + 2 for name in wanted}
        rooms = {name: max(_WIDEST, width - 3 - sum(taken.values()) + taken[name]) for name in wanted}
    cells = {name: [short(text, rooms[name]) for text in cells[name]] for name in wanted}
    shown = wanted if columns else _fitting(cells, width)
    hidden = [name for name in wanted if name not in shown]
    notes = [note, f"columns not shown: {', '.join(hidden)}" if hidden else ""]
    lines = [[cells[name][row] for name in shown] for row in range(len(cases))]
    held = {name: [value for case in cases if (value := _of(case, name)) is not None] for name in shown}
    numbers = {place for place, name in enumerate(shown) if all(map(is_number, held[name]))}
    return grids_text([Grid(title, shown, lines, "; ".join(filter(None, notes)), right=numbers)])


def _fitting(cells: Mapping[str, list[str]], width: int) -> list[str]:
    """Return the columns that fit the width; id, key, solution and outcome take precedence over the attributes."""
    room, found = max(width, _LEAST) - 1, set[str]()
    for name in sorted(cells, key=lambda name: name not in _FIRST):
        room -= text_width([name, *cells[name]]) + 2
        if room < 0 and found:
            break
        found.add(name)
    return [name for name in cells if name in found]


def _text(value: Any) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else text_of(value)


def case_text(case: Case) -> str:
    """Format a case with all of its values; a boolean outcome is written as yes or no."""
    return str(case if case.outcome is None else replace(case, outcome=_text(case.outcome)))


def _of(case: Case, name: str) -> Any:
    return case[name] if name in case else getattr(case, name)


def _used(cases: Sequence[Case], name: str) -> bool:
    return name not in ("key", "solution", "outcome") or any(_of(case, name) is not None for case in cases)


def cases_csv(cases: Iterable[Case], columns: Sequence[str]) -> str:
    rows = [{name: None if (value := _of(case, name)) is None else _text(value) for name in columns} for case in cases]
    return csv_text(rows, columns)


def event_table(events: Sequence[Any], limit: int) -> str:
    last = events[-limit:]
    lines = [[e.at, e.action, "-" if e.id is None else str(e.id), e.by or "-", e.why or "-"] for e in last]
    hidden = len(events) - len(last)
    note = f"earlier events not shown: {hidden}; --limit shows more" if hidden else ""
    title = f"{len(events)} event{'s' * (len(events) != 1)}"
    return grids_text([Grid(title, ("at", "action", "case", "by", "why"), lines, note, right={2})])
