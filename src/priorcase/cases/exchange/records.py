"""One case as it travels between files and case bases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from priorcase.cases.case import Note
from priorcase.cases.kinds import CaseKind, Stored

__all__ = ["BESIDE", "FORMAT", "CaseRecord", "ReadCases", "Written"]

FORMAT = 1
"""The number of the format that is written."""

BESIDE = ("id", "key", "solution", "outcome", "notes", "by", "why", "added_at", "revised_at", "retired")
"""What a case has beside its attributes; a case base lets no attribute be called so."""


class _Noted(Protocol):
    @property
    def text(self) -> str: ...
    @property
    def at(self) -> str | None: ...
    @property
    def by(self) -> str | None: ...


class Written(Protocol):
    """A case to be written: values in the order of the attributes, solution and outcome as JSON texts."""

    @property
    def values(self) -> Sequence[Any]: ...
    @property
    def solution(self) -> str | None: ...
    @property
    def outcome(self) -> str | None: ...
    @property
    def id(self) -> int | None: ...
    @property
    def key(self) -> str | None: ...
    @property
    def notes(self) -> Sequence[_Noted]: ...
    @property
    def by(self) -> str | None: ...
    @property
    def why(self) -> str | None: ...
    @property
    def added_at(self) -> str | None: ...
    @property
    def revised_at(self) -> str | None: ...
    @property
    def retired(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class CaseRecord:
    """A case that was read: values in the order of the attributes, as they are stored.

    Parameters
    ----------
    values
        One for each attribute, None where it is missing.
    solution, outcome
        JSON texts, None where there is none.
    id, key, notes, by, why, added_at, revised_at, retired
        What the file says of it; the id and the times are those of the case base that it came from.
    """

    values: tuple[Stored, ...]
    solution: str | None = None
    outcome: str | None = None
    id: int | None = None
    key: str | None = None
    notes: tuple[Note, ...] = ()
    by: str | None = None
    why: str | None = None
    added_at: str | None = None
    revised_at: str | None = None
    retired: bool = False


class ReadCases(NamedTuple):
    """Cases of a file: their attributes, and one case after the other, read as they are asked for."""

    attributes: Mapping[str, CaseKind]
    cases: Iterator[CaseRecord]
