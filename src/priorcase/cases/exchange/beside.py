"""What a file says of a case beside its attributes, checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from priorcase.cases import kinds
from priorcase.cases.case import Note
from priorcase.exceptions import CaseBaseError, errors_at

__all__ = ["beside", "notes_as_plain"]


def beside(told: Mapping[str, Any], *, source: str, line: int) -> dict[str, Any]:
    """The entries of a `CaseRecord` beside its values, from plain values."""
    found: dict[str, Any] = {}
    for name, value in told.items():
        if value is None:
            continue
        check = _CHECKS.get(name)
        if check is None:
            with errors_at(f"{source} line {line}"):
                found[name] = kinds.check_plain(value, what=name)
        elif (checked := check(value)) is None:
            raise CaseBaseError(
                f"{source} line {line} is not a case: its {name} is {value!r:.60}. Correct that line, or leave it out; "
                "nothing was imported."
            )
        else:
            found[name] = checked
    return found


def notes_as_plain(notes: Any) -> list[dict[str, str]]:
    """Notes as JSON writes them."""
    return [
        {name: text for name, text in (("text", note.text), ("at", note.at), ("by", note.by)) if text is not None}
        for note in notes
    ]


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _key(value: Any) -> str | None:
    return str(value) if type(value) is int else _text(value)


def _number(value: Any) -> int | None:
    return value if type(value) is int else None


def _truth(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _notes(value: Any) -> tuple[Note, ...] | None:
    if not isinstance(value, list):
        return None
    found = []
    for note in value:
        if not isinstance(note, dict) or not note.keys() <= {"text", "at", "by"} or _text(note.get("text")) is None:
            return None
        if not all(isinstance(part, str | None) for part in note.values()):
            return None
        found.append(Note(note["text"], note.get("at"), note.get("by")))
    return tuple(found)


_CHECKS: dict[str, Callable[[Any], Any]] = {
    "id": _number,
    "key": _key,
    "notes": _notes,
    "by": _text,
    "why": _text,
    "added_at": _text,
    "revised_at": _text,
    "retired": _truth,
}
