"""Networks of radial basis functions that cannot be."""

from typing import Self

from priorcase.exceptions.base import PriorcaseError, compose


class RBFError(PriorcaseError, ValueError):
    """More centres or targets than a network can have."""

    @classmethod
    def too_few_rows(cls, centers: int, rows: int) -> Self:
        """More centres asked for than there are different rows."""
        problem = f"got n_centers={centers}; expected at most {rows}: the different rows (n_samples = {rows})."
        return cls(compose(problem, hint="ask for fewer centres, or pass 'auto'."))

    @classmethod
    def too_many_centers(cls, centers: int, most: int) -> Self:
        """More centres than can be solved for."""
        problem = f"would have {centers} centres; expected at most {most}."
        hint = "centers='kmeans' or 'random' with n_centers in the hundreds is nearly as good, and far faster."
        return cls(compose(problem, hint=hint))

    @classmethod
    def many_targets(cls, targets: int) -> Self:
        """Several columns of classes."""
        problem = f"got {targets} target columns; expected one."
        return cls(compose(problem, hint="fit one network for each column, for example by MultiOutputClassifier."))
