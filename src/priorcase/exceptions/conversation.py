"""Conversations that cannot go on as asked."""

from __future__ import annotations

from typing import Self

from priorcase.exceptions.base import PriorcaseError, compose, quoted


class ConversationError(PriorcaseError, ValueError):
    """A conversation cannot take this; it is as it was."""

    @classmethod
    def nothing_solved(cls) -> Self:
        """A case base in which no solution is to be found."""
        problem = "found no case with a solution that worked; there is nothing to ask for."
        return cls(compose(problem, hint="give cases their solution by add(case, solution=...) or revise."))

    @classmethod
    def nothing_to_undo(cls) -> Self:
        """A step back before the first one."""
        problem = "found nothing to take back: nothing was told or skipped yet."
        return cls(compose(problem, hint="what the conversation began with stays; begin another one to change it."))

    @classmethod
    def no_such_question(cls, attribute: str, answer: object, asked: str | None) -> Self:
        """Yes or no to a question that was not asked."""
        open_now = "no question is open" if asked is None else f"the open question is {quoted(asked)}"
        problem = f"Conversation.tell got {quoted(answer)} for {attribute!r}, the answer to a question; {open_now}."
        return cls(compose(problem, hint=f"tell the value of {attribute!r} itself, or answer next_question()."))
