"""Tables that cannot be reduced, and reductions that leave nothing."""

from typing import Self

from priorcase.exceptions.base import PriorcaseError, compose, quoted


class ReductionError(PriorcaseError, ValueError):
    """A table that there is nothing to choose from in, or of which nothing would be left."""

    @classmethod
    def one_class(cls, label: object) -> Self:
        """Rows that are all of one class; imbalanced-learn's words."""
        problem = f"The target 'y' needs to have more than 1 class. Got 1 class instead: {label!r}."
        return cls(compose(problem, hint="rows of one class all say the same; any one of them will do."))

    @classmethod
    def too_few_rows(cls, k: int, rows: int) -> Self:
        """More neighbours than other rows; scikit-learn's words."""
        problem = f"Expected n_neighbors < n_samples, but n_neighbors = {k}, n_samples = {rows}."
        hint = "each row is judged by its nearest others: ask for fewer neighbours, or pass more rows."
        return cls(compose(problem, hint=hint))

    @classmethod
    def several_targets(cls, n: int) -> Self:
        """Several columns of targets."""
        problem = f"got y with {n} columns; expected one target for each row."
        return cls(compose(problem, hint="reduce the table by one target at a time."))

    @classmethod
    def nothing_left(cls, rows: int, k: int, *, numbers: bool) -> Self:
        """Neighbours that disagree with every row; whole numbers may be meant as numbers rather than as classes."""
        others = f"their nearest others (n_neighbors = {k})"
        problem = f"would delete all {rows} rows: {others} disagree with every one of them."
        hint = "the columns hardly tell the target here; another n_neighbors or distance may keep some rows."
        if numbers:
            hint = "here y names classes; if it counts or measures, ENN and DROP3 take it by target='numbers'."
        return cls(compose(problem, hint=hint))

    @classmethod
    def not_a_reducer(cls, found: object) -> Self:
        """Something to compare that reduces nothing."""
        problem = f"got {quoted(found)} as a reducer; expected an estimator with fit_resample."
        return cls(compose(problem, hint="for example ENN(), DROP3() or IB2()."))

    @classmethod
    def no_reducers(cls) -> Self:
        """Nothing to compare."""
        problem = "got no reducers; expected a reducer, a list of them, or a mapping from name to reducer."
        return cls(compose(problem, hint="for example [ENN(), DROP3()]."))
