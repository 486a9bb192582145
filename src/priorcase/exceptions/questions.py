"""Questions that a fitted model has no answer to."""

from typing import Self

from priorcase.exceptions.base import PriorcaseError, compose


class QuestionError(PriorcaseError, ValueError):
    """A question about columns or classes that has no answer, or more than one meaning."""

    @classmethod
    def known_class(cls) -> Self:
        """Known classes given to a question about the class."""
        problem = "was asked for the class and got y, which says what the class is."
        return cls(compose(problem, hint="leave y out, or ask for other columns."))
