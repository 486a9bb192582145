"""What users give as cases, checked against the attributes of a case base."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw

from priorcase._parameters import is_whole
from priorcase.datasets import NamedColumns
from priorcase.exceptions import CaseBaseError, CaseValueError, ParameterError, UnknownAttributeError
from priorcase.reasoning import kinds
from priorcase.reasoning.kinds import CaseKind, Stored
from priorcase.schema.values import is_missing

RESERVED = frozenset(
    {"id", "key", "solution", "outcome", "note", "notes", "by", "why", "added_at", "revised_at", "retired"}
)
"""Names that no attribute may have, since every case has something of that name."""

MOST_KEY = 1_000
MOST_NOTE = 1_000_000

Attributes = Mapping[str, CaseKind]


class Checked(NamedTuple):
    """A case to be added: its known values as they are stored, and what is given beside them."""

    values: dict[str, Stored]
    solution: str | None
    outcome: str | None
    key: str | None
    note: str | None
    attributes: Attributes


def check_attributes(attributes: Any) -> dict[str, CaseKind]:
    """Declared attributes: names and kinds; an error where one is none."""
    if not isinstance(attributes, Mapping):
        raise CaseBaseError.not_attributes(attributes)
    check_names(attributes)
    return {name: kinds.as_kind(kind, attribute=name) for name, kind in attributes.items()}


def check_names(names: Iterable[Any]) -> None:
    """Attributes are named by texts that mean nothing else here."""
    for name in names:
        if not isinstance(name, str) or not name or not _writable(name):
            raise CaseBaseError.bad_name(name)
    if taken := [name for name in names if name in RESERVED]:
        raise CaseBaseError.reserved(taken)


def check_case(case: Any, attributes: Attributes) -> dict[str, Stored]:
    """The known values of a case as they are stored; an error for unknown attributes and wrong kinds."""
    if not isinstance(case, Mapping):
        raise CaseBaseError.not_a_case(case)
    if unknown := [name for name in case if name not in attributes]:
        raise UnknownAttributeError.absent(unknown, attributes)
    checked: dict[str, Stored] = {}
    for name, value in case.items():
        if value is not None:
            stored = kinds.check(attributes[name], value, attribute=name)
            if stored is not None:
                checked[name] = stored
    return checked


def new_case(case: Any, attributes: Attributes, solution: Any, outcome: Any, key: Any, note: Any) -> Checked:
    """A case to be added, with all that is given beside its attributes."""
    return Checked(
        check_case(case, attributes),
        None if solution is None else kinds.check_plain(solution, what="solution"),
        None if outcome is None else kinds.check_plain(outcome, what="outcome"),
        None if key is None else check_key(key),
        None if note is None else check_words(note, what="note"),
        attributes,
    )


def rows_of(cases: Any) -> list[Mapping[str, Any]]:
    """Cases one by one: from a list of mappings, a frame of pandas, Polars or PyArrow, or a table of `datasets`."""
    if isinstance(cases, (Mapping, str)):
        raise CaseBaseError.not_cases(cases)
    if isinstance(cases, NamedColumns):
        columns = [cases[name].tolist() for name in cases.data]
        return [dict(zip(cases.data, row, strict=True)) for row in zip(*columns, strict=True)]
    frame = nw.from_native(cases, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return list(frame.iter_rows(named=True))
    try:
        rows = list(cases)
    except TypeError:
        raise CaseBaseError.not_cases(cases) from None
    for row in rows:
        if not isinstance(row, Mapping):
            raise CaseBaseError.not_a_case(row)
    return rows


def split_off(rows: Sequence[Mapping[str, Any]], given: Any, *, parameter: str) -> tuple[list[Any], str | None]:
    """One value for each case: from a column of the cases, or from a list; and the column's name."""
    if given is None:
        return [None] * len(rows), None
    if isinstance(given, str):
        if rows and not any(given in row for row in rows):
            raise UnknownAttributeError.absent([given], rows[0])
        return [row.get(given) for row in rows], given
    try:
        values = list(given)
    except TypeError:
        raise CaseBaseError.not_beside(parameter, given) from None
    if len(values) != len(rows):
        raise CaseBaseError.lengths(parameter, len(values), len(rows))
    return values, None


def check_key(key: Any) -> str | None:
    """A case's own name: a short text, or a whole number written as one."""
    if is_missing(key):
        return None
    if not isinstance(key, str) and not (is_whole(key) and abs(key) < 10**MOST_KEY):
        raise CaseValueError.wrong("key", key, expected="a text or a whole number")
    return _short(str(int(key) if is_whole(key) else key), "key", MOST_KEY)


def check_path(path: Any) -> Path:
    """Where a file is or will be; an error where it cannot be a path."""
    try:
        found = os.fspath(path)
        os.fsencode(found)
    except (TypeError, UnicodeEncodeError):
        found = None
    if not isinstance(found, str) or not found or "\0" in found:
        expected = "the path of a file, as text or pathlib.Path"
        raise ParameterError.wrong("path", path, expected=expected, hint="for example 'cases.priorcase'.")
    return Path(found)


def check_words(text: Any, *, what: str) -> str | None:
    """What somebody wrote: a note, a name, a reason."""
    if text is None:
        return None
    if not isinstance(text, str):
        raise CaseValueError.wrong(what, text, expected="a text")
    return _short(text, what, MOST_NOTE)


def _short(text: str, what: str, most: int) -> str:
    if not text or not _writable(text):
        raise CaseValueError.wrong(what, text, expected="a readable text that is not empty")
    if len(text) > most:
        raise CaseValueError.too_long(what, len(text), most, "characters")
    return text


def _writable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
