"""Threads in each other's way."""

from typing import Self

from priorcase.exceptions.base import PriorcaseError, compose


class SharingError(PriorcaseError, RuntimeError):
    """A change that would have to wait for the very thread that asks for it."""

    @classmethod
    def change_while_reading(cls) -> Self:
        """A change from inside a question, such as from a vote function."""
        problem = "An estimator was asked to learn or forget rows from inside its own answer to a query."
        return cls(compose(problem, hint="change it when predict has returned, for example not in a vote function."))
