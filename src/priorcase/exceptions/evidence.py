"""Questions that a model has no answer to."""

from collections.abc import Sequence
from typing import Self

from priorcase.exceptions.base import PriorcaseError, compose, named


class NoEvidenceError(PriorcaseError, AttributeError):
    """A marginal likelihood that is not defined."""

    @classmethod
    def plug_in(cls, columns: Sequence[object]) -> Self:
        """Some columns have densities with estimated parameters, over which nothing is averaged."""
        one = len(columns) == 1
        densities = f"the {'density' if one else 'densities'} of {named('column', columns)} {'is' if one else 'are'}"
        problem = f"is not defined: {densities} plugged in, not averaged; expected 'student' or bins."
        hint = f"fit with numeric='student', or cut the column{'s' * (not one)} into bins, for example by 'mdl'."
        return cls(compose(problem, hint=hint))
