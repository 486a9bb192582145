"""Questions that a model has no answer to."""

from collections.abc import Sequence
from typing import Self

from priorcase.exceptions.base import PriorcaseError, compose, listed


class NoEvidenceError(PriorcaseError, AttributeError):
    """A marginal likelihood that is not defined."""

    @classmethod
    def plug_in(cls, caller: str, columns: Sequence[object]) -> Self:
        """Some columns have densities with estimated parameters, over which nothing is averaged."""
        problem = f"{caller} is not defined: the densities of columns {listed(columns)} are plugged in, not averaged."
        return cls(compose(problem, hint="use numeric='student', or cut the columns into bins."))
