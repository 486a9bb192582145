"""What changed when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from priorcase._typing import Backend
from priorcase.cases.storage import Event
from priorcase.learning.results import Grid, GridResult, framed

_HEADER = ("at", "action", "case", "by", "why")
_SHOWN = 20


class History(GridResult, Sequence[Event]):
    """Events in the order in which they happened; prints as a table."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._events = tuple(events)

    def __len__(self) -> int:
        return len(self._events)

    def __getitem__(self, at: Any) -> Any:
        return self._events[at]

    def __iter__(self) -> Iterator[Event]:
        return iter(self._events)

    def frame(self, backend: Backend | None = None) -> Any:
        """One row for each event.

        Parameters
        ----------
        backend
            ``"pandas"``, ``"polars"`` or ``"pyarrow"``; None: the first of them that is installed.
        """
        columns = {name: [getattr(event, "id" if name == "case" else name) for event in self] for name in _HEADER}
        return framed(columns, backend)

    def _grid(self) -> Grid:
        last = self._events[-_SHOWN:]
        lines = [[e.at, e.action, "-" if e.id is None else str(e.id), e.by or "-", e.why or "-"] for e in last]
        hidden = len(self) - len(last)
        note = f"and {hidden} earlier" if hidden else ""
        return Grid(f"{len(self)} event{'s' * (len(self) != 1)}", _HEADER, lines, note, right={2})
