"""Several values at once: sets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from priorcase.schema.kinds import identity

MOST_MEMBERS = 10_000
"""So many members may a set have."""

Member = str | int | float | bool
"""What a set may hold."""


@dataclass(frozen=True, slots=True)
class Set:
    """Any number of values, in no order: labels, symptoms, parts.

    Examples
    --------
    >>> Set()
    Set()
    """

    def describe(self) -> str:
        """The kind in words, as messages say it."""
        return "set"


def ordered(members: Iterable[Member]) -> tuple[Member, ...]:
    """Distinct members in one order for all sets: booleans, numbers, texts.

    Examples
    --------
    >>> ordered(["b", 2, "a", True, 2])
    (True, 2, 'a', 'b')
    """
    distinct = {identity(member): member for member in members}
    return tuple(sorted(distinct.values(), key=_order))


def _order(member: Member) -> tuple[int, float, str]:
    if isinstance(member, bool):
        return 0, member, ""
    if isinstance(member, str):
        return 2, 0, member
    return 1, member, ""
