"""Too few rows to answer from."""

from typing import Self

from priorcase.exceptions.base import PriorcaseError, compose


class TooFewRowsError(PriorcaseError, ValueError):
    """Fewer stored rows than the question needs."""

    @classmethod
    def nothing_stored(cls) -> Self:
        """Every row was forgotten."""
        problem = "has no rows to answer from: every one was forgotten."
        return cls(compose(problem, hint="add rows with partial_fit, or fit again."))

    @classmethod
    def nothing_else(cls) -> Self:
        """Leaving out the only row."""
        problem = "leaves each row out in turn, and there is only one; expected two rows or more."
        return cls(compose(problem, hint="add rows with partial_fit."))

    @classmethod
    def neighbors(cls, k: int, stored: float, *, own: bool = False) -> Self:
        """More neighbours asked for than there are; scikit-learn's words."""
        sign, count = ("<", "rows beside itself") if own else ("<=", "rows")
        problem = f"Expected n_neighbors {sign} n_samples_fit, but n_neighbors = {k}, n_samples_fit = {stored:g}."
        return cls(
            compose(problem, hint=f"ask for fewer neighbours, or store more {count}; n_neighbors='sqrt' adapts itself.")
        )
