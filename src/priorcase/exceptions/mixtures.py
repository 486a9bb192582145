"""Rows that no mixture can be learned from, and questions that a mixture has no answer to."""

from typing import Self

from priorcase.exceptions.base import PriorcaseError, compose


class MixtureError(PriorcaseError, ValueError):
    """Rows without a mixture, or a question that a mixture cannot answer."""

    @classmethod
    def one_row(cls) -> Self:
        """A single row to learn from; scikit-learn's words."""
        problem = "Found array with 1 sample, while a minimum of 2 is required to tell components apart."
        return cls(compose(problem, hint="pass more rows; a row of weight 2 counts as two."))

    @classmethod
    def nothing_known(cls, column: object) -> Self:
        """A column that was missing in every training row."""
        problem = f"was asked for column {column!r}, which was missing in every training row."
        hint = f"leave the column out, or declare its values: schema={{{column!r}: Nominal(('yes', 'no'))}}."
        return cls(compose(problem, hint=hint))

    @classmethod
    def no_distribution(cls, column: object) -> Self:
        """Probabilities of the values of a numeric column."""
        problem = f"was asked for the values of column {column!r}, which is numeric and has no list of them."
        return cls(compose(problem, hint="predict_column without return_proba gives its expected number."))

    @classmethod
    def many_targets(cls, found: int) -> Self:
        """Several target columns."""
        problem = f"got {found} target columns; expected one class for each row."
        return cls(compose(problem, hint="put the other targets among the columns of X and ask by predict_column."))

    @classmethod
    def no_class(cls, what: str) -> Self:
        """A question about the class, or with it, of a mixture that was fitted without."""
        problem = f"got {what}, but was fitted without y and knows no classes."
        return cls(compose(problem, hint="fit with y, or ask for columns only."))
