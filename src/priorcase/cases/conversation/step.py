"""What was said in a conversation, one thing at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

StepKind: TypeAlias = Literal["given", "told", "cut", "mention", "skipped"]


@dataclass(frozen=True)
class Step:
    """One thing that was said.

    Parameters
    ----------
    attribute
        About what.
    kind
        ``"given"`` at the beginning, ``"told"``; ``"cut"`` and ``"mention"``: yes or no; ``"skipped"``.
    value
        The stored value; of a cut or mention what was asked about.
    yes
        The answer to a cut or mention.
    asked
        The question that it answers, in words; empty where it was told unasked.
    """

    attribute: str
    kind: StepKind
    value: Any = None
    yes: bool = True
    asked: str = ""

    @property
    def whole(self) -> bool:
        """Whether the value itself is known by it."""
        return self.kind in ("given", "told")


def in_force(steps: tuple[Step, ...]) -> list[Step]:
    """The steps that count: of each attribute from its last value on, since a value replaces what was said before.

    Examples
    --------
    >>> said = (Step("miles", "cut", 50, True), Step("fuel", "told", "gas"), Step("miles", "told", 30))
    >>> [step.kind for step in in_force(said)]
    ['told', 'told']
    """
    last = {step.attribute: place for place, step in enumerate(steps) if step.whole}
    return [step for place, step in enumerate(steps) if place >= last.get(step.attribute, 0)]
