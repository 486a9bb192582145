"""Questions that a fitted model has no answer to."""

from collections.abc import Sequence
from typing import Self

from priorcase.exceptions.base import PriorcaseError, advice, compose, listed, quoted

# What to do where a class is none, by the parameter that holds it.
_CLASSES = {
    "y": "write classes as in classes_, and None where a class is not known.",
    "versus": "write the class as in classes_, or leave versus out: the most probable other class is taken then.",
}


class QuestionError(PriorcaseError, ValueError):
    """A question about columns or classes that has no answer, or more than one meaning."""

    @classmethod
    def density(cls, column: object) -> Self:
        """The values of a numeric column that has a density."""
        problem = f"was asked for the values of column {column!r}, which has a density and no list of them."
        return cls(compose(problem, hint=f"fit with bins: numeric={{{column!r}: 'kmeans'}}."))

    @classmethod
    def nothing_known(cls, column: object) -> Self:
        """A column that is missing in every stored row."""
        problem = f"was asked for column {column!r}, which is missing in every stored row."
        hint = f"leave the column out, or declare its values: schema={{{column!r}: Nominal(('yes', 'no'))}}."
        return cls(compose(problem, hint=hint))

    @classmethod
    def ambiguous(cls, position: int) -> Self:
        """The class asked for by a name that a column has."""
        problem = "was asked for 'class', which is the class and the name of a column."
        hint = f"ask for priorcase.bayes.TARGET, which is the class, or for {position}, the position of the column."
        return cls(compose(problem, hint=hint))

    @classmethod
    def known_class(cls) -> Self:
        """Known classes given to a question about the class."""
        problem = "was asked for the class and got y, which says what the class is."
        return cls(compose(problem, hint="leave y out, or ask for other columns."))

    @classmethod
    def no_such_class(cls, parameter: str, label: object, labels: Sequence[object]) -> Self:
        """A class that is none."""
        problem = f"got {parameter} with {quoted(label)}; the classes are {listed(labels)}."
        return cls(compose(problem, hint=advice(label, labels, otherwise=_CLASSES[parameter])))

    @classmethod
    def one_class(cls, label: object) -> Self:
        """A comparison of classes where there is one."""
        problem = f"holds the predicted class against another one, but {label!r} is the only class."
        return cls(
            compose(problem, hint="learn rows of other classes, or declare them: partial_fit(..., classes=...).")
        )
