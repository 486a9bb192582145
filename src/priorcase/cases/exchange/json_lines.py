"""JSON lines: one case a line, and nothing of it lost.

The first line tells the format and the attributes with their kinds; each other line is a case::

    {"priorcase cases":1,"attributes":[["age",{"kind":"numeric"}],["tags",{"kind":"set"}]]}
    {"id":1,"key":"T-17","values":{"age":3,"tags":["a"]},"solution":"replace the fuser"}

What is missing is left out. Sets are lists, dates ISO texts, graphs texts of their own. The first line may be left out;
kinds are then as the values look. Lines of others, without ``values``, are mappings from attributes to values,
``solution``, ``outcome``, ``key`` and ``note`` among them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from priorcase.cases import kinds
from priorcase.cases.errors import unknown_attributes
from priorcase.cases.exchange.beside import beside, notes_as_plain
from priorcase.cases.exchange.heads import head_of, read_head
from priorcase.cases.exchange.plain_rows import plain_rows
from priorcase.cases.exchange.records import BESIDE, CaseRecord, ReadCases, Written
from priorcase.cases.kinds import CaseKind
from priorcase.exceptions import CaseBaseError, errors_at, named

__all__ = ["read_json_lines", "write_json_lines"]

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def write_json_lines(cases: Iterable[Written], attributes: Mapping[str, CaseKind], file: BinaryIO) -> int:
    """Write cases; how many."""
    names = list(attributes)
    file.write(_encode(head_of(attributes)).encode() + b"\n")
    n = 0
    for case in cases:
        file.write(_line(case, names).encode() + b"\n")
        n += 1
    return n


def _line(case: Written, names: list[str]) -> str:
    values = {name: value for name, value in zip(names, case.values, strict=True) if value is not None}
    parts = [] if case.id is None else [f'"id":{case.id}']
    parts += [] if case.key is None else [f'"key":{_encode(case.key)}']
    parts.append(f'"values":{_encode(values)}')
    # JSON texts already; made anew they might differ.
    parts += [] if case.solution is None else [f'"solution":{case.solution}']
    parts += [] if case.outcome is None else [f'"outcome":{case.outcome}']
    parts += [f'"notes":{_encode(notes_as_plain(case.notes))}'] if case.notes else []
    for name in ("by", "why", "added_at", "revised_at"):
        if (text := getattr(case, name)) is not None:
            parts.append(f'"{name}":{_encode(text)}')
    parts += ['"retired":true'] if case.retired else []
    return f"{{{','.join(parts)}}}"


def read_json_lines(
    path: Path, attributes: Mapping[str, CaseKind] | None, columns: Mapping[str, str], *, source: str
) -> ReadCases:
    """The cases of a file, exported or of others.

    Parameters
    ----------
    path
        The file.
    attributes
        What the values mean; None: as the file says, or as the values look.
    columns
        For files of others: which names hold the solution, the outcome, the key and the note.
    source
        How messages call the file.
    """
    lines = _lines(path, source)
    first = next(lines, None)
    if first is None:
        raise CaseBaseError(f"{source} is empty; expected cases. Is this the right file?")
    told = read_head(first[1], source)
    if told is None and not isinstance(first[1].get("values"), dict):
        return plain_rows(_again(first, lines), attributes, columns, source=source)
    if columns:
        raise CaseBaseError(
            f"{source} was exported from a case base and says itself what its columns are; got "
            f"{named('parameter', columns)}. Leave them out."
        )
    rows: Iterable[tuple[int, Any]] = lines if told is not None else _again(first, lines)
    if told is None and attributes is None:
        rows = list(rows)
        told = _inferred(rows)
    if attributes is None:
        attributes = told or {}
    elif strange := [name for name in told or () if name not in attributes]:
        raise unknown_attributes(strange, attributes, source)
    return ReadCases(attributes, _records(rows, attributes, source))


def _inferred(rows: Iterable[tuple[int, Any]]) -> dict[str, CaseKind]:
    """Kinds as the values of all cases look."""
    held = [row["values"] for _, row in rows if isinstance(row.get("values"), dict)]
    return {name: kinds.infer(values.get(name) for values in held) for name in dict.fromkeys(chain(*held))}


def _records(rows: Iterable[tuple[int, Any]], attributes: Mapping[str, CaseKind], source: str) -> Iterator[CaseRecord]:
    for number, row in rows:
        yield _record(row, number, attributes, source)


def _again(first: tuple[int, Any], rest: Iterator[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
    yield first
    yield from rest


def _lines(path: Path, source: str) -> Iterator[tuple[int, Any]]:
    """The objects of the lines, with their numbers; blank lines are passed over."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            text = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
            if not text.strip():
                continue
            try:
                found = json.loads(text, parse_constant=_refuse)
            except (ValueError, RecursionError):
                raise CaseBaseError(
                    f"{source} line {number} is not a case: it is no JSON, or only part of it. Correct that line, or "
                    "leave it out; nothing was imported."
                ) from None
            if not isinstance(found, dict):
                raise CaseBaseError(
                    f"{source} line {number} is not a case: it is no JSON object. Correct that line, or leave it out; "
                    "nothing was imported."
                )
            yield number, found


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _record(found: dict[str, Any], line: int, attributes: Mapping[str, CaseKind], source: str) -> CaseRecord:
    values = found.pop("values", None)
    if not isinstance(values, dict):
        raise CaseBaseError(
            f"{source} line {line} is not a case: it has no values. Correct that line, or leave it out; nothing was "
            "imported."
        )
    if strange := [name for name in found if name not in BESIDE]:
        raise CaseBaseError(
            f"{source} line {line} is not a case: it has {strange[0]!r}, which cases have not. Correct that line, or "
            "leave it out; nothing was imported."
        )
    with errors_at(f"{source} line {line}"):
        if unknown := [name for name in values if name not in attributes]:
            raise unknown_attributes(unknown, attributes)
        stored = tuple(
            None if (value := values.get(name)) is None else kinds.check(kind, value, attribute=name)
            for name, kind in attributes.items()
        )
    return CaseRecord(stored, **beside(found, source=source, line=line))
