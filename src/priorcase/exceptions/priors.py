"""Counts and prior weights that stand for no distribution."""

from collections.abc import Iterable
from typing import Literal, Self

from priorcase.exceptions.base import PriorcaseError, compose, listed, misspelt
from priorcase.exceptions.parameters import ParameterError

_SHAPE = "a single number is the weight of each."


class CountsError(PriorcaseError, ValueError):
    """Counts that are not finite numbers of at least 0, or of no value at all."""

    @classmethod
    def wrong(cls, problem: str) -> Self:
        """Counts that break the rule."""
        expected = "finite numbers >= 0 along the last axis, one for each value"
        hint = "for example [3, 1]: three rows hold the first value, one the second."
        return cls(compose(f"got counts {problem}; expected {expected}.", hint=hint))


class PriorError(ParameterError):
    """Prior weights that do not fit the values or classes they are for."""

    @classmethod
    def wrong_weight(cls, parameter: str, value: object, *, hint: str) -> Self:
        """A single weight that breaks the rule."""
        return cls.wrong(parameter, value, expected="a finite number above 0 (1e-100 to 1e100)", hint=hint)

    @classmethod
    def wrong_entry(cls, parameter: str, problem: str) -> Self:
        """Several weights, one of which breaks the rule."""
        problem = f"got {parameter} {problem}; expected finite numbers above 0."
        return cls(compose(problem, hint="1.0 for each value is the uniform prior, 0.5 is Jeffreys'."))

    @classmethod
    def shape(cls, parameter: str, found: tuple[int, ...], wanted: str, *, hint: str = _SHAPE) -> Self:
        """An array of weights of another shape than what it is for."""
        problem = f"got {parameter} of shape {found}; expected {wanted}."
        return cls(compose(problem, hint=hint))

    @classmethod
    def lacking(
        cls, parameter: str, what: Literal["value", "class"], values: Iterable[object], given: Iterable[object] = ()
    ) -> Self:
        """A mapping, which has the keys ``given``, without a weight for some values or classes."""
        values = list(values)
        plural = {"value": "values", "class": "classes"}[what]
        lacks = f"the {what if len(values) == 1 else plural} {listed(values)}"
        problem = f"got {parameter} without a weight for {lacks}; expected one for each."
        hint = "add them to the mapping, or give one number for all."
        return cls(compose(problem, hint=misspelt(given, values) or hint))

    @classmethod
    def undeclared(cls, parameter: str, values: Iterable[object]) -> Self:
        """An array of weights for values that have no declared order."""
        problem = (
            f"got {parameter} as an array, but the values {listed(values)} have no declared order; "
            "expected a mapping from value to weight."
        )
        hint = "for example {'red': 2.0, 'green': 1.0}, or declare the column as Nominal(('red', 'green'))."
        return cls(compose(problem, hint=hint))

    @classmethod
    def not_under_map(cls, prior: object, what: str, hint: str) -> Self:
        """A prior named after an estimate that predictive='map' does not give."""
        problem = (
            f"got prior={prior!r} with predictive='map'; {what} is the mean of the posterior, "
            "expected predictive='evidence'."
        )
        return cls(compose(problem, hint=hint))

    @classmethod
    def no_evidence(cls, weight: float) -> Self:
        """A function to be made largest that is not defined somewhere."""
        problem = f"got a function that is NaN at weight {weight:g}; expected a number for every weight."
        return cls(compose(problem, hint="the log marginal likelihood is finite for all weights above 0."))
