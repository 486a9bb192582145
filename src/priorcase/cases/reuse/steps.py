"""What changed a proposed solution, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from priorcase.cases.reuse.texts import value_text


@dataclass(frozen=True)
class Step:
    """One change on the way from a case's solution to the one that is proposed.

    Parameters
    ----------
    by
        A rule or a critic.
    name
        Which.
    why
        The reason: a rule's own, or the problem that a critic found.
    before, after
        The solution. They are equal where a rule fired that had nothing to change.

    Examples
    --------
    >>> print(Step("rule", "wider", "more flow than before", {"pipe": 10}, {"pipe": 12}))
    rule 'wider': {"pipe":10} -> {"pipe":12}; more flow than before
    """

    by: Literal["rule", "critic"]
    name: str
    why: str
    before: Any
    after: Any

    def __str__(self) -> str:
        change = f"{value_text(self.before)} -> {value_text(self.after)}"
        if self.before == self.after:
            change = "nothing to change"
        return f"{self.by} {self.name!r}: {change}{'; ' if self.why else ''}{self.why}"
