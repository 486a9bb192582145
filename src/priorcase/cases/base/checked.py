"""What users give as cases, checked against the attributes of a case base."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw

from priorcase._parameters import is_whole
from priorcase.cases import kinds
from priorcase.cases.errors import unknown_attributes
from priorcase.cases.kinds import CaseKind, Stored
from priorcase.datasets import NamedColumns
from priorcase.exceptions import CaseBaseError, ParameterError, named, quoted
from priorcase.schema.kinds import is_missing

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
        raise CaseBaseError(
            f"got attributes={quoted(attributes)}; expected a mapping from names to kinds. For example {{'age': "
            "'numeric', 'message': Text()}."
        )
    check_names(attributes)
    return {name: kinds.as_kind(kind, attribute=name) for name, kind in attributes.items()}


def check_names(names: Iterable[Any]) -> None:
    """Attributes are named by texts that mean nothing else here."""
    for name in names:
        if not isinstance(name, str) or not name or not _writable(name):
            raise CaseBaseError(
                f"got an attribute named {quoted(name)}; expected a text that is not empty. Name each attribute, for "
                "example {'device': 'printer'}."
            )
    if taken := [name for name in names if name in RESERVED]:
        raise CaseBaseError(
            f"got {named('attribute', taken)}, a name that every case has for something else. Choose another name; "
            "solution=, outcome=, key= and note= are given beside the attributes."
        )


def check_case(case: Any, attributes: Attributes) -> dict[str, Stored]:
    """The known values of a case as they are stored; an error for unknown attributes and wrong kinds."""
    if not isinstance(case, Mapping):
        raise CaseBaseError(
            f"got {quoted(case)} as a case; expected a mapping from attributes to values. For example {{'device': "
            "'printer', 'age': 3}."
        )
    if unknown := [name for name in case if name not in attributes]:
        raise unknown_attributes(unknown, attributes)
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
        raise CaseBaseError(
            f"got {quoted(cases)}; expected a frame, or a list of mappings from attributes to values. Nothing was "
            "changed. add takes a single case."
        )
    if isinstance(cases, NamedColumns):
        columns = [cases[name].tolist() for name in cases.data]
        return [dict(zip(cases.data, row, strict=True)) for row in zip(*columns, strict=True)]
    frame = nw.from_native(cases, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return list(frame.iter_rows(named=True))
    try:
        rows = list(cases)
    except TypeError:
        raise CaseBaseError(
            f"got {quoted(cases)}; expected a frame, or a list of mappings from attributes to values. Nothing was "
            "changed. add takes a single case."
        ) from None
    for row in rows:
        if not isinstance(row, Mapping):
            raise CaseBaseError(
                f"got {quoted(row)} as a case; expected a mapping from attributes to values. For example {{'device': "
                "'printer', 'age': 3}."
            )
    return rows


def split_off(rows: Sequence[Mapping[str, Any]], given: Any, *, parameter: str) -> tuple[list[Any], str | None]:
    """One value for each case: from a column of the cases, or from a list; and the column's name."""
    if given is None:
        return [None] * len(rows), None
    if isinstance(given, str):
        if rows and not any(given in row for row in rows):
            raise unknown_attributes([given], rows[0])
        return [row.get(given) for row in rows], given
    try:
        values = list(given)
    except TypeError:
        raise CaseBaseError(
            f"got {parameter}={quoted(given)}; expected the name of a column, or one value for each case. Nothing was "
            "changed."
        ) from None
    if len(values) != len(rows):
        raise CaseBaseError(
            f"got {len(values)} values of {parameter} for {len(rows)} cases; expected one for each case. Write None "
            "where a case has none; nothing was changed."
        )
    return values, None


def check_key(key: Any) -> str | None:
    """A case's own name: a short text, or a whole number written as one."""
    if is_missing(key):
        return None
    if not isinstance(key, str) and not (is_whole(key) and abs(key) < 10**MOST_KEY):
        raise CaseBaseError(
            f"got {quoted(key)} for 'key'; expected a text or a whole number. Write None where the value is not known."
        )
    return _short(str(int(key) if is_whole(key) else key), "key", MOST_KEY)


def check_path(path: Any) -> Path:
    """Where a file is or will be; an error where it cannot be a path."""
    try:
        found = os.fspath(path)
        os.fsencode(found)
    except (TypeError, UnicodeEncodeError):
        found = None
    if not isinstance(found, str) or not found or "\0" in found:
        raise ParameterError(
            f"path must be the path of a file, as text or pathlib.Path, got {quoted(path)}. For example "
            "'cases.priorcase'."
        )
    return Path(found)


def check_words(text: Any, *, what: str) -> str | None:
    """What somebody wrote: a note, a name, a reason."""
    if text is None:
        return None
    if not isinstance(text, str):
        raise CaseBaseError(
            f"got {quoted(text)} for {what!r}; expected a text. Write None where the value is not known."
        )
    return _short(text, what, MOST_NOTE)


def _short(text: str, what: str, most: int) -> str:
    if not text or not _writable(text):
        raise CaseBaseError(
            f"got {quoted(text)} for {what!r}; expected a readable text that is not empty. Write None where the value "
            "is not known."
        )
    if len(text) > most:
        raise CaseBaseError(
            f"got {len(text):,} characters for {what!r}; expected at most {most:,}. Keep long documents elsewhere and "
            "store what tells cases apart."
        )
    return text


def _writable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
