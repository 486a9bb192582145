"""Weights that are no weights."""

from typing import Self

from priorcase.exceptions.base import PriorcaseError, compose


class SampleWeightError(PriorcaseError, ValueError):
    """Sample weights that are not one finite, non-negative number for each row."""

    @classmethod
    def wrong(cls, problem: str, *, parameter: str = "sample_weight") -> Self:
        """Weights that break the rule."""
        expected = "one finite number >= 0 for each row"
        hint = "a row of weight 2 counts as two rows, one of weight 0 as none; some row must count."
        return cls(compose(f"got {parameter} {problem}; expected {expected}.", hint=hint))
