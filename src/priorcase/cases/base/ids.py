"""Ids as users give them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from priorcase._parameters import is_whole
from priorcase.cases.case import Case
from priorcase.cases.errors import unknown_ids
from priorcase.cases.table import CaseTable
from priorcase.exceptions import UnknownIdError, quoted

_LARGEST = 2**62


def as_ids(given: Any, table: CaseTable) -> list[int]:
    """One id or case, or several, each once and in their order; an error where one is not there."""
    many = list(given) if isinstance(given, Iterable) and not isinstance(given, (str, bytes, Mapping)) else [given]
    ids = list(dict.fromkeys(whole_id(value) for value in many))
    if absent := [id for id in ids if id not in table]:
        raise unknown_ids(absent)
    return ids


def as_id(given: Any, table: CaseTable) -> int:
    """One id or case; an error where it is not there."""
    return as_ids(whole_id(given), table)[0]


def whole_id(given: Any) -> int:
    """One id or case, whether it is there or not; an error where none can have it."""
    found = given.id if isinstance(given, Case) else given
    if not is_whole(found):
        raise UnknownIdError(
            f"got {quoted(given)} as an id; expected a whole number. Ids are what add returned; find(key=...) finds a "
            "case by its key."
        )
    if abs(found) > _LARGEST:
        raise unknown_ids([found])
    return int(found)
