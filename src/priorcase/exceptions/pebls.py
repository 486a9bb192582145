"""Questions that need more exemplars than there are."""

from typing import Self

from priorcase.exceptions.base import compose
from priorcase.exceptions.rows import TooFewRowsError


class TooFewExemplarsError(TooFewRowsError):
    """Fewer exemplars than the question needs."""

    @classmethod
    def nearest(cls, k: int, stored: int, *, own: bool = False) -> Self:
        """More neighbours asked for than there are; scikit-learn's words."""
        sign, others = ("<", " beside itself") if own else ("<=", "")
        problem = f"Expected n_neighbors {sign} n_samples_fit, but n_neighbors = {k}, n_samples_fit = {stored}."
        return cls(compose(problem, hint=f"ask for fewer neighbours, or store more rows{others}."))
