"""Data types of the records in the file of a case base."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from priorcase.cases.case import Note

Plain = str | int | float | bool | None | tuple["Plain", ...]  # a stored value; a JSON list is read back as a tuple
JSON = str | int | float | bool | None | Sequence["JSON"] | dict[str, "JSON"]


@dataclass(frozen=True)
class Declaration:
    """The settings of a case base, and its attributes as pairs of a name and a description of the kind."""

    attributes: list[tuple[str, JSON]] = field(default_factory=list)
    settings: dict[str, JSON] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.attributes]


@dataclass(frozen=True, slots=True)
class NewCase:
    """A case to be stored: values in the order of the attributes; solution and outcome are JSON strings."""

    values: Sequence[Plain]
    solution: str | None = None
    outcome: str | None = None
    key: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class CaseRecord:
    """A case with its provenance; if the case comes from another file, its id and times are those of that file."""

    values: tuple[Plain, ...]
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


@dataclass(frozen=True, slots=True)
class StoredCase(CaseRecord):
    """A case in the file of this case base."""

    id: int = 0


class Step(NamedTuple):
    """The number and time of a step of the history; files that contain the same step have a common history."""

    sequence: int
    at: str


@dataclass(frozen=True, slots=True)
class Loaded:
    """A snapshot of all cases, column by column, in the order of their ids."""

    declaration: Declaration
    ids: list[int]
    keys: list[str | None]
    columns: list[tuple[Plain, ...]]
    solutions: list[str | None]
    outcomes: list[str | None]
    retired: list[bool]
    step: Step


class Event(NamedTuple):
    """One step of the history; ``id`` is None if the step is not about a single case."""

    sequence: int
    at: str
    action: str
    id: int | None
    by: str | None
    why: str | None

    @property
    def step(self) -> Step:
        return Step(self.sequence, self.at)


class Use(NamedTuple):
    """One use of a case: whether the case helped (None if unknown), and further details as JSON text."""

    sequence: int
    at: str
    id: int
    helped: bool | None
    detail: str | None
    by: str | None


@dataclass(frozen=True, slots=True)
class StoredLearner:
    """A stored learner: its `Recipe` as JSON text, its fitted state, and the step in which it was stored."""

    name: str
    sequence: int
    recipe: str
    state: bytes | None  # None if a case in the training data was forgotten; the learner must be refitted
    fitted_on: tuple[int, ...] | None  # case ids
