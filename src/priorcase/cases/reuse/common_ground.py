"""Cases that have nothing in common with the query: no method proposes a solution of theirs alone."""

from __future__ import annotations

from collections.abc import Sequence

from priorcase.cases.reuse.proposal import Proposal
from priorcase.cases.reuse.sources import SourceCase, Sources

_NOBODY = "no retrieved case has anything in common with the query"


def alike(sources: Sources) -> list[SourceCase]:
    """The cases whose similarity to the query is more than 0."""
    return [case for case in sources.cases if case.similarity > 0]


def strangers(sources: Sources, method: str) -> Proposal | None:
    """A proposal of nothing where no case has anything in common with the query, however cases are weighed."""
    if alike(sources):
        return None
    return Proposal(None, method, _NOBODY[0].upper() + _NOBODY[1:], notes=(_NOBODY,))


def all_failed(sources: Sources, able: Sequence[SourceCase], method: str, notes: Sequence[str]) -> Proposal:
    """A proposal of nothing where all cases failed that have anything in common with the query."""
    which = "retrieved cases" if len(able) == len(sources.cases) else "cases with anything in common with the query"
    return Proposal(None, method, f"All {which} failed", notes=tuple(notes))
