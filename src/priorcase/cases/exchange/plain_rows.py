"""Rows of others: mappings from names to values, of which some are the solution, the outcome, the key and a note."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from priorcase.cases import kinds
from priorcase.cases.errors import unknown_attributes
from priorcase.cases.exchange.beside import beside
from priorcase.cases.exchange.records import CaseRecord, ReadCases
from priorcase.cases.kinds import CaseKind
from priorcase.datasets.columns import check_column
from priorcase.exceptions import errors_at

__all__ = ["IGNORED", "PARTS", "plain_rows"]

PARTS = ("solution", "outcome", "key", "note", "by", "why")
"""What a row can hold beside attributes."""

IGNORED = ("id", "added_at", "revised_at")
"""What every case base gives to cases itself; columns of these names are passed over."""


def plain_rows(
    rows: Iterable[tuple[int, Mapping[str, Any]]],
    attributes: Mapping[str, CaseKind] | None,
    columns: Mapping[str, str],
    *,
    source: str,
) -> ReadCases:
    """The cases that rows stand for.

    Without ``attributes`` every name is one, and its kind is that of its values; all rows must then be at hand.

    Parameters
    ----------
    rows
        Numbered rows.
    attributes
        What the values mean.
    columns
        Which names hold the solution, the outcome, the key and the note, where they are not called so.
    source
        How messages call the file.
    """
    parts = {part: columns.get(part, part) for part in PARTS}
    if attributes is None:
        rows = list(rows)
        attributes = _inferred(rows, parts, columns, source)
    return ReadCases(attributes, _records(rows, attributes, parts, source))


def _inferred(
    rows: Sequence[tuple[int, Mapping[str, Any]]], parts: Mapping[str, str], columns: Mapping[str, str], source: str
) -> dict[str, CaseKind]:
    names = dict.fromkeys(name for _, row in rows for name in row)
    for wanted in columns.values():
        check_column(source, wanted, list(names))
    taken = {*parts.values(), *IGNORED}
    return {name: kinds.infer(row.get(name) for _, row in rows) for name in names if name not in taken}


def _records(
    rows: Iterable[tuple[int, Mapping[str, Any]]],
    attributes: Mapping[str, CaseKind],
    parts: Mapping[str, str],
    source: str,
) -> Iterator[CaseRecord]:
    known = {*attributes, *parts.values(), *IGNORED}
    for line, row in rows:
        with errors_at(f"{source} line {line}"):
            if unknown := [name for name in row if name not in known]:
                raise unknown_attributes(unknown, attributes)
            values = tuple(kinds.check(kind, row.get(name), attribute=name) for name, kind in attributes.items())
        told = {part: row.get(name) for part, name in parts.items() if name not in attributes}
        note = told.pop("note", None)
        told["notes"] = None if note is None else [{"text": note}]
        yield CaseRecord(values, **beside(told, source=source, line=line))
