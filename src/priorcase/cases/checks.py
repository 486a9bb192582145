"""Check the arguments that users pass to a case base: attributes, cases, keys, notes and ids."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw

from priorcase._parameters import is_whole
from priorcase.cases import kinds
from priorcase.cases.case import Case
from priorcase.cases.kinds import CaseKind, Stored
from priorcase.cases.storage import NewCase
from priorcase.cases.table import CaseColumn, CaseTable
from priorcase.datasets import NamedColumns
from priorcase.exceptions import (
    CaseBaseError,
    SimilarValueWarning,
    UnknownIdError,
    advice,
    listed,
    named,
    quoted,
    similar_value,
    warn_caller,
)
from priorcase.schema import Nominal
from priorcase.schema.kinds import is_missing

RESERVED = frozenset(
    {"id", "key", "solution", "outcome", "note", "notes", "by", "why", "added_at", "revised_at", "retired"}
)
"""Names of the fields that every case has; attributes cannot have these names."""

LONGEST_KEY = 1_000
LONGEST_TEXT = 1_000_000
LARGEST_ID = 2**62


def check_attributes(attributes: Any) -> dict[str, CaseKind]:
    if not isinstance(attributes, Mapping):
        raise CaseBaseError(
            f"got attributes={quoted(attributes)}; expected a mapping from names to kinds. For example {{'age': "
            "'numeric', 'message': Text()}."
        )
    check_names(attributes)
    return {name: kinds.as_kind(kind, attribute=name) for name, kind in attributes.items()}


def check_names(names: Iterable[Any]) -> None:
    """Check that attribute names are non-empty strings, and not names of case fields such as ``solution``."""
    for name in names:
        if not isinstance(name, str) or not name or not _encodable(name):
            raise CaseBaseError(
                f"got an attribute named {quoted(name)}; expected a non-empty string. Name each attribute, for "
                "example {'device': 'printer'}."
            )
    if taken := [name for name in names if name in RESERVED]:
        raise CaseBaseError(
            f"got {named('attribute', taken)}, reserved for the fields of every case. Choose other names for "
            "attributes; pass solution=, outcome=, key= and note= as separate arguments."
        )


def check_known(names: Iterable[object], attributes: Collection[str], *, source: str | None = None) -> None:
    """Raise an error if one of ``names`` is not an attribute; ``source`` is the file that contains the names."""
    if unknown := [name for name in names if name not in attributes]:
        known = (
            f"Known names: {listed(list(attributes), limit=12) or 'none yet'}. Use a known name, or declare an "
            "attribute."
        )
        remedy = advice(unknown[0], attributes, otherwise=known)
        has = "got" if source is None else f"{source} has"
        raise CaseBaseError(f"{has} {named('attribute', unknown)}, unknown to the case base. {remedy}")


def inferred_attributes(cases: Sequence[Any]) -> dict[str, CaseKind]:
    """Infer the attributes of a case base and their kinds from its first cases."""
    for case in cases:
        _check_mapping(case)
    names = list(dict.fromkeys(name for case in cases for name in case))
    if not names:
        raise CaseBaseError(
            "got a case without attributes, and the case base has no attributes yet. Add a case with attributes, or "
            "declare attributes with CaseBase.open(path, {...})."
        )
    check_names(names)
    return {name: kinds.infer(case.get(name) for case in cases) for name in names}


def check_case(case: Any, attributes: Mapping[str, CaseKind]) -> dict[str, Stored]:
    """Return the values of a case in the form in which they are stored; missing values are omitted."""
    _check_mapping(case)
    if not attributes.keys() >= case.keys():
        check_known(case, attributes)
    checked: dict[str, Stored] = {}
    for name, value in case.items():
        if value is not None:
            stored = kinds.check(attributes[name], value, attribute=name)
            if stored is not None:
                checked[name] = stored
    return checked


def check_query(query: Any, table: CaseTable) -> dict[str, Stored]:
    """Return the known values of a query in stored form; warn about new nominal values that resemble stored ones."""
    checked = check_case(query, table.attributes)
    for name, value in checked.items():
        if type(table.attributes[name]) is Nominal:
            warn_similar(table.column(name), value)
    return checked


def warn_similar(column: CaseColumn, value: Stored) -> None:
    """Warn if a new nominal value differs from a stored value only in capitalization or whitespace."""
    if type(column.kind) is not Nominal or not isinstance(value, str) or column.place(value) >= 0:
        return
    if (meant := similar_value(value, column.values)) is not None:
        warn_caller(SimilarValueWarning(f"no case has {value!r} as {column.name!r}. Did you mean {meant!r}?"))


def new_case(
    case: Any, attributes: Mapping[str, CaseKind], solution: Any, outcome: Any, key: Any, note: Any
) -> NewCase:
    values = check_case(case, attributes)
    return NewCase(
        list(map(values.get, attributes)),
        None if solution is None else kinds.check_plain(solution, what="solution"),
        None if outcome is None else kinds.check_plain(outcome, what="outcome"),
        None if key is None else check_key(key),
        None if note is None else check_text(note, what="note"),
    )


def _check_mapping(case: Any) -> None:
    if not isinstance(case, Mapping):
        raise CaseBaseError(
            f"got {quoted(case)} as a case; expected a mapping from attributes to values. For example {{'device': "
            "'printer', 'age': 3}."
        )


def rows_of(cases: Any) -> list[Mapping[str, Any]]:
    """Convert a frame, a table of `priorcase.datasets` or a list of mappings to a list with one mapping per row."""
    if isinstance(cases, NamedColumns):
        columns = [cases[name].tolist() for name in cases.data]
        return [dict(zip(cases.data, row, strict=True)) for row in zip(*columns, strict=True)]
    try:
        frame = nw.from_native(cases, eager_only=True, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        raise CaseBaseError("got a frame with duplicate column names. Rename or drop these columns.") from error
    if isinstance(frame, nw.DataFrame):
        return list(frame.iter_rows(named=True))
    rows = None if isinstance(cases, (Mapping, str)) else _listed(cases)
    if rows is None:
        raise CaseBaseError(
            f"got {quoted(cases)}; expected a frame, or a list of mappings from attributes to values, such as "
            "[{'device': 'printer', 'age': 3}]."
        )
    for row in rows:
        _check_mapping(row)
    return rows


def field_of(rows: Sequence[Mapping[str, Any]], given: Any, *, field: str) -> tuple[list[Any], str | None]:
    """Return one value of a field for each case, and the name of the column with these values (None if no column)."""
    if given is None:
        return [None] * len(rows), None
    if isinstance(given, str):
        if rows and not any(given in row for row in rows):
            raise CaseBaseError(
                f"got {field}={given!r}, which is not a column; the columns are {listed(rows[0], limit=12)}. Nothing "
                f"was changed. To give each case a {field} of its own, pass a list."
            )
        return [row.get(given) for row in rows], given
    if (values := _listed(given)) is None:
        raise CaseBaseError(
            f"got {field}={quoted(given)}; expected the name of a column, or one value for each case. Nothing was "
            "changed."
        )
    if len(values) != len(rows):
        raise CaseBaseError(
            f"got {len(values)} value{'s' * (len(values) != 1)} of {field} for {len(rows)} "
            f"case{'s' * (len(rows) != 1)}; expected one value for each case. Use None for a missing value; nothing "
            "was changed."
        )
    return values, None


def _listed(given: Any) -> list[Any] | None:
    try:
        return list(given)
    except TypeError:
        return None


def check_key(key: Any) -> str | None:
    """Check the key of a case and return it as a string."""
    if is_missing(key):
        return None
    if not isinstance(key, str) and not (is_whole(key) and abs(key) < 10**LONGEST_KEY):
        raise CaseBaseError(
            f"got {quoted(key)} for 'key'; expected a string or an integer. Omit the key if the case has none."
        )
    return _check_length(str(int(key) if is_whole(key) else key), "key", LONGEST_KEY)


def check_text(text: Any, *, what: str) -> str | None:
    """Check and return a note, a name or a reason; None stays None."""
    if text is None:
        return None
    if not isinstance(text, str):
        raise CaseBaseError(
            f"got {quoted(text)} for {what!r}; expected a string. Omit the argument if there is no text."
        )
    return _check_length(text, what, LONGEST_TEXT)


def _check_length(text: str, what: str, most: int) -> str:
    if not text or not _encodable(text):
        raise CaseBaseError(
            f"got {quoted(text)} for {what!r}; expected a non-empty string of valid Unicode. Omit the argument if "
            "there is no text."
        )
    if len(text) > most:
        raise CaseBaseError(
            f"got {len(text):,} characters for {what!r}; expected at most {most:,}. Keep long documents elsewhere and "
            "store only the part that distinguishes cases."
        )
    return text


def _encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def check_id(given: Any) -> int:
    """Return the id of a case that is passed as an id or as a `Case`; the case need not be in the table."""
    found = given.id if isinstance(given, Case) else given
    if not is_whole(found) or abs(found) > LARGEST_ID:
        raise UnknownIdError(
            f"got {quoted(given)} as an id; expected an integer, as returned by add. get(key=...) finds a case by "
            "its key."
        )
    return int(found)


def check_ids(given: Any, table: CaseTable) -> list[int]:
    """Return the distinct ids of one or several cases in the given order; all cases must be in the table."""
    many = None if isinstance(given, (str, bytes, Mapping)) else _listed(given)
    many = [given] if many is None else many
    ids = list(dict.fromkeys(map(check_id, many)))
    table.check_ids(ids)
    return ids
