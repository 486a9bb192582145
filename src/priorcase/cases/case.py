"""One case: a problem, its solution and its outcome."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from priorcase._numbers import number
from priorcase.learning.results import Grid, GridResult


@dataclass(frozen=True, slots=True)
class Note:
    """A note on a case, with its time and author."""

    text: str
    at: str | None = None
    by: str | None = None


@dataclass(frozen=True, repr=False, eq=False)
class Case(GridResult, Mapping[str, Any]):
    """A case of a case base: a mapping from attributes to values, with None for missing values.

    ``solution`` is what was done, and ``outcome`` is how well the solution worked; an unknown solution or outcome is
    None. ``id`` is the number of the case in the case base, and ``key`` is an optional identifier of your own, such as
    a ticket number. ``added_at`` (UTC), ``by`` and ``why`` say when, by whom and why the case was added; ``revised_at``
    says when the case was last changed. ``notes`` are the notes added to the case. A ``retired`` case stays in the case
    base but is not retrieved.

    Examples
    --------
    >>> case = Case({"device": "printer", "age": 3}, solution="replace the fuser", id=7)
    >>> case["device"], case.solution, dict(case)
    ('printer', 'replace the fuser', {'device': 'printer', 'age': 3})
    >>> case
    case 7
      device    printer
      age       3
      solution  replace the fuser
    """

    attributes: Mapping[str, Any] = field(default_factory=dict)
    solution: Any = None
    outcome: Any = None
    id: int | None = None
    key: str | None = None
    notes: tuple[Note, ...] = ()
    added_at: str | None = None
    by: str | None = None
    why: str | None = None
    revised_at: str | None = None
    retired: bool = False

    def __getitem__(self, name: str) -> Any:
        return self.attributes[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.attributes)

    def __len__(self) -> int:
        return len(self.attributes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Case):
            return Mapping.__eq__(self, other) if isinstance(other, Mapping) else NotImplemented
        return self._content() == other._content()

    __hash__ = None  # type: ignore[assignment]

    def _content(self) -> tuple[object, ...]:
        return self.id, dict(self.attributes), self.solution, self.outcome, self.key, self.notes, self.retired

    def _grid(self) -> Grid:
        fields = {
            "solution": self.solution,
            "outcome": self.outcome,
            "key": self.key,
            "added": self.added_at,
            "by": self.by,
            "why": self.why,
            "revised": self.revised_at,
            "retired": "yes" if self.retired else None,
        }
        lines = [[name, text_of(value)] for name, value in self.attributes.items()]
        lines += [[name, text_of(value)] for name, value in fields.items() if value is not None]
        lines += [["note", note.text] for note in self.notes]
        title = "case" if self.id is None else f"case {self.id}"
        first, rest = (lines[0], lines[1:]) if lines else (["", ""], [])
        return Grid(title, first, rest)


def text_of(value: Any) -> str:
    """Format a value for a cell of a printed table."""
    if value is None:
        return "-"
    if isinstance(value, (frozenset, set)):
        return ", ".join(sorted(map(str, value))) or "(empty)"
    if isinstance(value, float):
        return number(value, 10)
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False)
    return " ".join(str(value).split("\n"))
