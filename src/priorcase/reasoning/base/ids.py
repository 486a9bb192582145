"""Ids as users give them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from priorcase._numbers import is_whole
from priorcase.exceptions import UnknownCaseError
from priorcase.reasoning.case import Case
from priorcase.reasoning.table import CaseTable

_LARGEST = 2**62


def as_ids(given: Any, table: CaseTable, *, caller: str) -> list[int]:
    """One id or case, or several, each once and in their order; an error where one is not there."""
    many = list(given) if isinstance(given, Iterable) and not isinstance(given, (str, bytes, Mapping)) else [given]
    many = [value.id if isinstance(value, Case) else value for value in many]
    for value in many:
        if not is_whole(value):
            raise UnknownCaseError.not_an_id(caller, value)
    ids = list(dict.fromkeys(int(value) for value in many))
    if absent := [id for id in ids if abs(id) > _LARGEST or id not in table]:
        raise UnknownCaseError.absent(caller, absent)
    return ids
