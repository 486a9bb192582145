"""A question to ask next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

QuestionKind: TypeAlias = Literal["value", "cut", "word", "member", "text"]
"""What is asked for: the value, whether it is at most a number, whether it has a word or a member, any words."""


@dataclass(frozen=True)
class Choice:
    """One answer to a question.

    Parameters
    ----------
    answer
        What to tell: a value, or True for yes and False for no.
    cases
        How many of the remaining candidates have it.
    """

    answer: Any
    cases: int


@dataclass(frozen=True, repr=False)
class Question:
    """The question that tells most about the solution, on average; prints as the question.

    Parameters
    ----------
    attribute
        What it is about.
    kind
        ``"value"``: the value. ``"cut"``: whether it is at most ``about``. ``"word"``, ``"member"``: whether it has the
        word or member ``about``. ``"text"``: any words.
    gain
        How many bits the answer tells about the solution, on average; None for ``"text"``, which nobody can know.
    choices
        The answers, with how many candidates each; empty for ``"text"``. A value that is not among them may be told
        as well.
    about
        The number, date, word or member that is asked about.
    unknown
        How many candidates do not know the attribute.

    Examples
    --------
    >>> Question("miles", "cut", 0.7, (Choice(True, 3), Choice(False, 4)), 50000)
    miles <= 50000? (yes: 3 cases, no: 4 cases)
    """

    attribute: str
    kind: QuestionKind
    gain: float | None
    choices: tuple[Choice, ...] = ()
    about: Any = None
    unknown: int = 0

    @property
    def yes_or_no(self) -> bool:
        """Whether True and False are answers to it."""
        return self.kind in ("cut", "word", "member")

    @property
    def text(self) -> str:
        """The question itself."""
        if self.kind == "cut":
            return f"{self.attribute} <= {self.about}?"
        if self.kind in ("word", "member"):
            return f"does {self.attribute} {'mention' if self.kind == 'word' else 'include'} {self.about!r}?"
        return f"{self.attribute}?" if self.kind == "value" else f"{self.attribute}, in your own words?"

    def answered(self, answer: Any) -> str:
        """An answer in words: yes and no where that is asked."""
        return ("yes" if answer else "no") if self.yes_or_no and isinstance(answer, bool) else str(answer)

    def __str__(self) -> str:
        listed = [f"{self.answered(c.answer)}: {c.cases} case{'s' * (c.cases != 1)}" for c in self.choices[:8]]
        if len(self.choices) > 8:
            listed.append(f"{len(self.choices) - 8} more")
        return f"{self.text} ({', '.join(listed)})" if listed else self.text

    def __repr__(self) -> str:
        return str(self)


def yes_or_no(answer: object) -> bool | None:
    """An answer that is yes or no; None for any other.

    Examples
    --------
    >>> yes_or_no("Yes"), yes_or_no(False), yes_or_no("perhaps"), yes_or_no(1)
    (True, False, None, None)
    """
    if isinstance(answer, str):
        return {"yes": True, "no": False}.get(answer.strip().casefold())
    return bool(answer) if isinstance(answer, (bool, np.bool_)) else None
