"""Probabilities and labels that cannot be scored."""

from collections.abc import Iterable
from typing import Self

from priorcase.exceptions.base import PriorcaseError, compose, listed, misspelt


class ScoreError(PriorcaseError, ValueError):
    """True labels and predicted probabilities that do not make a score."""

    @classmethod
    def no_rows(cls) -> Self:
        """Nothing to score."""
        return cls(compose("got no rows; expected at least one.", hint="score the rows of some test set."))

    @classmethod
    def not_a_column(cls, shape: tuple[int, ...]) -> Self:
        """True labels that are not one column."""
        problem = f"got y_true of shape {shape}; expected one label for each row."
        hint = "the labels that came true come first, then the probabilities; score several targets one at a time."
        return cls(compose(problem, hint=hint))

    @classmethod
    def gap(cls) -> Self:
        """A true label that is not known."""
        problem = "got a missing label in y_true; expected a known one for every row."
        return cls(compose(problem, hint="leave out the rows whose label is not known."))

    @classmethod
    def not_numbers(cls, found: str) -> Self:
        """Probabilities that are no numbers."""
        problem = f"got proba as {found}; expected real numbers."
        return cls(compose(problem, hint="pass what predict_proba returns, not what predict returns."))

    @classmethod
    def shape(cls, shape: tuple[int, ...]) -> Self:
        """Probabilities that are no table."""
        problem = f"got proba of shape {shape}; expected one row for each label and one column for each class."
        hint = "pass what predict_proba returns; for two classes, the second class's probabilities alone will do too."
        return cls(compose(problem, hint=hint))

    @classmethod
    def logs_of_one_class(cls) -> Self:
        """One column of logarithms, from which the other class's cannot be had exactly."""
        problem = "got logs=True and proba with one dimension; expected one column for each class."
        return cls(compose(problem, hint="pass what predict_log_proba returns."))

    @classmethod
    def rows(cls, labels: int, rows: int) -> Self:
        """Another number of labels than of predictions."""
        problem = f"got {labels} labels in y_true and {rows} rows in proba; expected as many of both."
        return cls(compose(problem, hint="pass the labels of the rows that were predicted."))

    @classmethod
    def columns(cls, labels: Iterable[object], columns: int) -> Self:
        """Another number of classes than of columns."""
        labels = list(labels)
        problem = f"got {columns} columns in proba for {len(labels)} labels ({listed(labels)})."
        return cls(compose(problem, hint="pass labels=model.classes_, which has one label for each column."))

    @classmethod
    def labels_of_truth(cls, labels: Iterable[object], columns: int) -> Self:
        """Without ``labels``, other classes in ``y_true`` than columns."""
        problem = f"got {columns} columns in proba, and y_true has {listed(labels)}; labels= was left out."
        return cls(compose(problem, hint="pass labels=model.classes_, which has one label for each column."))

    @classmethod
    def no_order(cls) -> Self:
        """Without ``labels``, classes that cannot be sorted."""
        problem = "got labels in y_true that have no common order; labels= was left out."
        return cls(compose(problem, hint="pass labels=model.classes_, which says which column is whose."))

    @classmethod
    def twice(cls, labels: Iterable[object]) -> Self:
        """A label that names two columns."""
        problem = f"got labels= with {listed(labels)} more than once; expected each once."
        return cls(compose(problem, hint="pass labels=model.classes_, which has one label for each column."))

    @classmethod
    def unknown(cls, found: Iterable[object], labels: Iterable[object]) -> Self:
        """True labels that no column stands for."""
        found, labels = list(found), list(labels)
        problem = f"got y_true with {listed(found)}; labels= has {listed(labels)}."
        hint = "a class that was not learned has no probability: declare it with partial_fit(..., classes=...)."
        return cls(compose(problem, hint=misspelt(found, labels) or hint))

    @classmethod
    def missing(cls, row: int) -> Self:
        """A probability that is NaN."""
        problem = f"got NaN in row {row} of proba; expected a probability for every class."
        return cls(compose(problem, hint="leave out the rows that have no prediction."))

    @classmethod
    def outside(cls, row: int, value: float, expected: str) -> Self:
        """A number that is no probability, or no logarithm of one."""
        problem = f"got {value!r} in row {row} of proba; expected {expected}."
        hint = "pass what predict_proba returns, or with logs=True what predict_log_proba returns."
        return cls(compose(problem, hint=hint))

    @classmethod
    def total(cls, row: int, total: float) -> Self:
        """Probabilities that do not sum to one."""
        problem = f"got probabilities in row {row} of proba that sum to {total:.6g}; expected 1."
        hint = "pass every class's column, and divide each row by its sum if it holds votes."
        return cls(compose(problem, hint=hint))
