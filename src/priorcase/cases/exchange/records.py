"""Conversion of cases between case bases and files, and the lossless JSON Lines format.

The first line of a JSON Lines file contains the format version and the attributes with their kinds; every other line
contains a case::

    {"priorcase cases":1,"attributes":[["age",{"kind":"numeric"}],["tags",{"kind":"set"}]]}
    {"id":1,"key":"T-17","values":{"age":3,"tags":["a"]},"solution":"replace the fuser"}

Missing values are omitted. Sets are written as lists, and dates and graphs as strings. If a file has no such first
line, the kinds of the attributes are inferred from the values. In files of other programs, which have no ``values``
entry, each line is a mapping from names to values. The names ``solution``, ``outcome``, ``key``, ``note``, ``by`` and
``why`` are fields of the case, and all other names are attributes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeAlias

from priorcase._files import json_object
from priorcase.cases import kinds
from priorcase.cases.case import Note
from priorcase.cases.checks import check_key, check_known, check_text
from priorcase.cases.kinds import CaseKind, Stored
from priorcase.cases.storage import CaseRecord
from priorcase.datasets.budget import Budget
from priorcase.datasets.files import check_json
from priorcase.exceptions import CaseBaseError, errors_at, named

MARK = "priorcase cases"
"""Name of the entry with the format version, in the first line of a file."""

FORMAT = 1

BESIDE = ("id", "key", "solution", "outcome", "notes", "by", "why", "added_at", "revised_at", "retired")
"""Fields of a case other than its attributes; attributes cannot have these names."""

_ANY_VALUE = ("solution", "outcome")
TEXTS = ("key", "by", "why", "added_at", "revised_at")
IGNORED = ("id", "added_at", "revised_at")
"""Columns of other programs' tables that are ignored, since a case base assigns its own ids and times."""

Kinds: TypeAlias = Mapping[str, CaseKind]
Row: TypeAlias = tuple[int, Mapping[str, Any]]
"""A line number, and the values of the line by name."""

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
_NOT_READ = "If the file was edited, export the cases again; nothing was imported."
_BAD_LINE = "Correct or remove that line; nothing was imported."


class ReadCases(NamedTuple):
    """Cases of a file: their attributes, and an iterator that reads one case at a time."""

    attributes: Kinds
    cases: Iterator[CaseRecord]
    about: Mapping[str, Any] = {}
    """How a table of another program was interpreted."""


def check_no_columns(columns: Mapping[str, str], source: str) -> None:
    if columns:
        raise CaseBaseError(
            f"{source} was exported from a case base, so the meaning of its columns is known; omit "
            f"{named('parameter', columns)}."
        )


# -- fields of a case besides its attributes


def records_of(
    rows: Iterable[tuple[int, Mapping[str, Any], Mapping[str, Any]]], attributes: Kinds, source: str
) -> Iterator[CaseRecord]:
    """Yield a case record for each row; a row consists of a line number, attribute values and other fields."""
    for line, values, told in rows:
        with errors_at(f"{source} line {line}"):
            if not attributes.keys() >= values.keys():
                check_known(values, attributes)
            stored = tuple([kinds.check(kind, values.get(name), attribute=name) for name, kind in attributes.items()])
        yield record_of(stored, told, f"{source} line {line}")


def record_of(values: tuple[Stored, ...], told: Mapping[str, Any], where: str) -> CaseRecord:
    """Create a case record from checked attribute values and the other fields in ``told``, which are checked here."""
    found: dict[str, Any] = {}
    with errors_at(where):
        for name, value in told.items():
            if value is not None:
                found[name] = _checked(name, value)
    for name, value in found.items():
        if value is None and name not in _ANY_VALUE:
            raise CaseBaseError(f"{where} is not a case: its {name!r} is invalid: {told[name]!r:.60}. {_BAD_LINE}")
    return CaseRecord(values, **found)


def _checked(name: str, value: Any) -> Any:
    """Return the value of a field; None if the value is missing or not allowed."""
    if name in _ANY_VALUE:
        return kinds.check_plain(value, what=name)
    if name == "notes":
        return _notes(value)
    if name in ("id", "retired"):
        return value if type(value) is (int if name == "id" else bool) else None
    if name == "key" and type(value) is int:
        value = str(value)
    if not isinstance(value, str) or not value:
        return None
    return check_key(value) if name == "key" else check_text(value, what=name)


def _notes(value: Any) -> tuple[Note, ...] | None:
    found = []
    for note in value if isinstance(value, list) else [None]:
        if not isinstance(note, dict) or not note.get("text") or not note.keys() <= {"text", "at", "by"}:
            return None
        if not all(isinstance(part, str | None) for part in note.values()):
            return None
        text, by = check_text(note["text"], what="note"), check_text(note.get("by") or None, what="by")
        found.append(Note(text or "", note.get("at"), by))
    return tuple(found)


def notes_as_plain(case: CaseRecord) -> list[dict[str, str]]:
    parts = ([("text", note.text), ("at", note.at), ("by", note.by)] for note in case.notes)
    return [{name: text for name, text in note if text is not None} for note in parts]


# -- first lines


def head_of(attributes: Kinds) -> dict[str, Any]:
    """Return the first line of an exported file as a dict: the format version, and the attributes with their kinds."""
    return {MARK: FORMAT, "attributes": [[name, kinds.describe(kind)] for name, kind in attributes.items()]}


def read_head(found: Mapping[str, Any], source: str) -> dict[str, CaseKind] | None:
    """Return the attributes that a header line declares; None if the line is not a header."""
    if MARK not in found:
        return None
    if found[MARK] != FORMAT:
        raise CaseBaseError(
            f"{source} contains cases in format {found[MARK]!r}; this version reads format {FORMAT}. Update priorcase, "
            "or export the cases as CSV."
        )
    try:
        attributes = {name: kinds.from_description(kind) for name, kind in found["attributes"]}
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise CaseBaseError(
            f"{source} cannot be read: it declares an attribute of an unknown kind. {_NOT_READ}"
        ) from error
    if len(attributes) != len(found["attributes"]) or not all(isinstance(name, str) for name in attributes):
        raise CaseBaseError(f"{source} cannot be read: it declares an attribute twice, or without a name. {_NOT_READ}")
    return attributes


# -- JSON lines


def write_json_lines(cases: Iterable[CaseRecord], attributes: Kinds, file: BinaryIO) -> int:
    names = list(attributes)
    file.write(_encode(head_of(attributes)).encode() + b"\n")
    n = 0
    for n, case in enumerate(cases, start=1):  # noqa: B007 (returned)
        file.write(_line(case, names).encode() + b"\n")
    return n


def _line(case: CaseRecord, names: list[str]) -> str:
    values = {name: value for name, value in zip(names, case.values, strict=True) if value is not None}
    parts = [] if case.id is None else [f'"id":{case.id}']
    parts += [] if case.key is None else [f'"key":{_encode(case.key)}']
    parts.append(f'"values":{_encode(values)}')
    # JSON strings already; encoding them again might change them.
    parts += [] if case.solution is None else [f'"solution":{case.solution}']
    parts += [] if case.outcome is None else [f'"outcome":{case.outcome}']
    parts += [f'"notes":{_encode(notes_as_plain(case))}'] if case.notes else []
    for name in ("by", "why", "added_at", "revised_at"):
        if (text := getattr(case, name)) is not None:
            parts.append(f'"{name}":{_encode(text)}')
    parts += ['"retired":true'] if case.retired else []
    return f"{{{','.join(parts)}}}"


def read_json_lines(
    path: Path, attributes: Kinds | None, columns: Mapping[str, str], budget: Budget
) -> ReadCases | Iterator[Row]:
    """Return the cases of an exported file, or the rows of a file of another program."""
    source = str(path)
    lines = _lines(path, budget)
    first = next(lines, None)
    if first is None:
        raise CaseBaseError(f"{source} is empty; expected cases. Check that this is the right file.")
    declared = read_head(first[1], source)
    rows: Iterable[Row] = lines if declared is not None else chain([first], lines)
    if declared is None and not isinstance(first[1].get("values"), dict):
        return iter(rows)
    check_no_columns(columns, source)
    if declared is None and attributes is None:
        rows = list(rows)
        held = [row["values"] for _, row in rows if isinstance(row.get("values"), dict)]
        names = dict.fromkeys(chain(*held))
        budget.check_table(len(held), len(names))
        declared = {name: kinds.infer(values.get(name) for values in held) for name in names}
    if attributes is None:
        attributes = declared or {}
    else:
        check_known(declared or (), attributes, source=source)
    return ReadCases(attributes, records_of(_parts(rows, source), attributes, source))


def _lines(path: Path, budget: Budget) -> Iterator[Row]:
    """Yield the line numbers and the JSON objects of the lines; blank lines are skipped."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            text = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
            if not text.strip():
                continue
            check_json(text, budget)
            try:
                found = json.loads(text, parse_constant=_refuse, object_pairs_hook=json_object)
            except (ValueError, RecursionError):
                raise CaseBaseError(f"{path} line {number} is not a case: it is not valid JSON. {_BAD_LINE}") from None
            if not isinstance(found, dict):
                raise CaseBaseError(f"{path} line {number} is not a case: it is not a JSON object. {_BAD_LINE}")
            yield number, found


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _parts(rows: Iterable[Row], source: str) -> Iterator[tuple[int, Mapping[str, Any], Mapping[str, Any]]]:
    for line, row in rows:
        told = {name: value for name, value in row.items() if name != "values"}
        if not isinstance(row.get("values"), dict):
            raise CaseBaseError(f"{source} line {line} is not a case: it has no values. {_BAD_LINE}")
        if strange := [name for name in told if name not in BESIDE]:
            raise CaseBaseError(
                f"{source} line {line} is not a case: it has an unknown entry {strange[0]!r}. {_BAD_LINE}"
            )
        yield line, row["values"], told
