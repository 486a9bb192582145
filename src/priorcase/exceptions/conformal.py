"""Learners and rows that no interval and no set with a guarantee comes of."""

from typing import Self

from priorcase.exceptions.base import PriorcaseError, compose


class ConformalError(PriorcaseError, ValueError):
    """A learner or a table that conformal prediction cannot go with."""

    @classmethod
    def too_few_rows(cls, folds: int, rows: int) -> Self:
        """Fewer rows than folds."""
        problem = f"got {rows} rows for {folds} folds (n_samples = {rows}); expected at least one for each."
        return cls(compose(problem, hint="ask for fewer folds, but at least 2, or pass more rows."))

    @classmethod
    def no_probabilities(cls, estimator: object) -> Self:
        """A classifier that gives no probabilities to tell classes apart by."""
        problem = f"got an estimator without predict_proba, {type(estimator).__name__}."
        hint = "take a classifier with probabilities, or wrap this one in scikit-learn's CalibratedClassifierCV."
        return cls(compose(problem, hint=hint))

    @classmethod
    def no_spread(cls, estimator: object) -> Self:
        """A regressor that does not say how sure it is."""
        name = type(estimator).__name__
        problem = f"got nonconformity='scaled' and {name}, whose predict has no return_std to scale by."
        hint = "nonconformity='absolute' goes with every regressor; LocallyWeightedRegressor has return_std."
        return cls(compose(problem, hint=hint))

    @classmethod
    def without_fold(cls, estimator: object, left_out: int, rows: int, reason: str) -> Self:
        """A learner that learns from all rows, and not from those of the other folds."""
        name = type(estimator).__name__
        problem = f"{name} failed to learn from {rows - left_out} of {rows} rows, without those of one fold: {reason}"
        hint = "a rare class may be in that fold alone: take more folds, leave the class out, or another learner."
        return cls(compose(problem, hint=hint))

    @classmethod
    def undefined(cls, estimator: object, row: int) -> Self:
        """A fold's model that has no answer."""
        name = type(estimator).__name__
        problem = f"got NaN from {name} for row {row}; expected a number from the model of every fold."
        return cls(compose(problem, hint="take a learner that answers every query, or fewer folds."))
