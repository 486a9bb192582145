"""Cases that cannot be weighed up: whether to keep them, what they solve."""

from __future__ import annotations

from typing import Self

from priorcase.exceptions.base import PriorcaseError, compose, quoted


class RetainError(PriorcaseError, ValueError):
    """Nothing can be said about keeping this case, or about what the cases solve; nothing was changed."""

    @classmethod
    def unsolved(cls) -> Self:
        """A case without a solution."""
        problem = "got a case without a solution; nothing can be said about whether it is worth keeping."
        return cls(compose(problem, hint="pass solution=...; add keeps unsolved cases."))

    @classmethod
    def unread_outcome(cls, outcome: object) -> Self:
        """An outcome of a new case that does not say whether its solution worked."""
        problem = (
            f"got outcome {quoted(outcome)}; "
            "expected True, False, a number from 0 to 1 or None to tell whether the solution worked."
        )
        hint = "success= is a function that tells it, from True or 1 to False or 0; policy='always' keeps any outcome."
        return cls(compose(problem, hint=hint))

    @classmethod
    def numbers(cls) -> Self:
        """Numbers as solutions, and no word about when two of them are the same."""
        problem = "got no tolerance, but all solutions are numbers: when is one of them right?"
        hint = "pass tolerance=..., how far a right number may be off; write labels that look like numbers as text."
        return cls(compose(problem, hint=hint))

    @classmethod
    def no_numbers(cls, tolerance: object, solution: object) -> Self:
        """A tolerance for solutions that are no numbers."""
        problem = f"got tolerance={quoted(tolerance)}, but {quoted(solution)} is a solution and no number."
        return cls(compose(problem, hint="leave tolerance out: solutions that are no numbers agree or differ."))

    @classmethod
    def nothing_solved(cls) -> Self:
        """A case base without solutions."""
        problem = "found no case with a solution."
        return cls(compose(problem, hint="give cases their solution by add(case, solution=...) or revise."))
