"""Conditions that do not fit what they are asked of, and questions that no case can answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from priorcase.exceptions.base import compose, failure, listed, quoted
from priorcase.exceptions.cases import CaseBaseError


class ConditionError(CaseBaseError):
    """A condition that cannot be checked."""

    @classmethod
    def unfit(cls, name: str, condition: object, *, found: str, fits: Sequence[str]) -> Self:
        """A condition on an attribute of another kind."""
        problem = f"got {name}={quoted(condition)}, but {name!r} is {found}."
        return cls(compose(problem, hint=f"this condition is for {_either(fits)} attributes."))

    @classmethod
    def empty(cls, name: str, low: object, high: object) -> Self:
        """A range whose ends are the wrong way round."""
        problem = f"got {name}=between({quoted(low)}, {quoted(high)}), in which nothing lies."
        return cls(compose(problem, hint="write the lower end first; both ends belong to it."))

    @classmethod
    def nothing_listed(cls) -> Self:
        """Alternatives without a single one."""
        problem = "got nothing to choose from; expected at least one value or condition."
        return cls(compose(problem, hint="leave the condition out where any value will do; None means missing."))

    @classmethod
    def not_a_number(cls, name: str, value: object) -> Self:
        """A bound that is no number, for a solution or the like."""
        problem = f"compares {name!r} with {quoted(value)}; expected a number."
        return cls(compose(problem, hint="only numbers have an order there; equal values are asked for without one."))

    @classmethod
    def raised(cls, name: str, value: object, error: Exception) -> Self:
        """A user's function that failed."""
        problem = f"the function for {name!r} raised {failure(error)} for {quoted(value)}."
        hint = "it is asked of every known value, whatever its type; the traceback above this one shows where."
        return cls(compose(problem, hint=hint))

    @classmethod
    def not_conditions(cls, given: object) -> Self:
        """Conditions that are no mapping from names."""
        problem = f"got where={quoted(given)}; expected a mapping from names to values or conditions."
        return cls(compose(problem, hint="for example {'fuel': 'diesel', 'miles': at_most(50_000)}."))

    @classmethod
    def pattern(cls, pattern: object, reason: str) -> Self:
        """A regular expression that is none."""
        problem = f"matches got {quoted(pattern)}, which is no regular expression: {reason}."
        return cls(compose(problem, hint="contains(text) looks for a text as it is."))

    @classmethod
    def no_operator(cls, text: str) -> Self:
        """A written condition without an operator."""
        problem = f"The condition {quoted(text)} has no operator; expected NAME=VALUE."
        hint = "operators are = != < <= > >= and ~ (contains); NAME=A|B means either, NAME=? missing."
        return cls(compose(problem, hint=hint))

    @classmethod
    def no_value(cls, text: str, name: str) -> Self:
        """A written condition without a value."""
        problem = f"The condition {quoted(text)} has no value after {name!r}; expected NAME=VALUE."
        return cls(compose(problem, hint=f"{name}=? finds cases in which it is missing."))

    @classmethod
    def operator(cls, text: str, operator: str, value: str) -> Self:
        """An operator that takes one value, with several or with the mark for missing."""
        problem = f"The condition {quoted(text)} has {value!r} after {operator}; expected one value there."
        return cls(compose(problem, hint="only = and != take several values, A|B, or ? for missing."))


class RetrievalError(CaseBaseError):
    """A question that cannot be answered from cases."""

    @classmethod
    def nothing_known(cls, attributes: Sequence[str]) -> Self:
        """A query without a single known value."""
        problem = "got a query in which nothing is known; expected a value of at least one attribute."
        return cls(compose(problem, hint=f"the attributes are {listed(attributes, limit=12)}."))

    @classmethod
    def nothing_counts(cls, known: Sequence[str]) -> Self:
        """A query that knows only attributes of weight 0."""
        problem = f"knows only {listed(known)} of the query, and the weights of these are 0."
        return cls(compose(problem, hint="give one of them a weight above 0, or tell more of the query."))

    @classmethod
    def weight(cls, name: object, value: object) -> Self:
        """A weight that is none."""
        problem = f"got the weight {quoted(value)} for {quoted(name)}; expected a finite number >= 0."
        return cls(compose(problem, hint="0 leaves an attribute out; attributes that are not named have weight 1."))

    @classmethod
    def all_zero(cls) -> Self:
        """Weights that leave nothing to compare by."""
        problem = "got weights that are all 0; expected one above 0."
        return cls(compose(problem, hint="attributes that are not named have weight 1."))

    @classmethod
    def bad_measure(cls, name: str, measure: object, *, problem: str) -> Self:
        """A measure whose similarities are none."""
        text = f"The measure {quoted(measure)} of {name!r} gave {problem}; expected one number from 0 to 1 a value."
        return cls(compose(text, hint="a similarity is 1 for the same and 0 for nothing in common."))

    @classmethod
    def mask_shape(cls, found: str, cases: int) -> Self:
        """A mask that is not one boolean for each case."""
        problem = f"got where as {found}; expected {cases} booleans, or conditions by name."
        return cls(compose(problem, hint="for example where={'fuel': 'diesel'}."))


class WeightLearningError(CaseBaseError):
    """Cases that no weights can be learned from."""

    @classmethod
    def too_few(cls, target: str, found: int, *, failed: int = 0) -> Self:
        """Hardly any solved cases."""
        worked = f" that worked, and {failed} that failed" if failed else ""
        problem = f"found {found} case{'s' * (found != 1)} with a known {target}{worked}; expected at least 3."
        return cls(compose(problem, hint="weights are learned by telling each case from the others; add cases first."))

    @classmethod
    def fixed_target(cls, target: str) -> Self:
        """A weight for what is told."""
        problem = f"got a fixed weight for {target!r}, which is to be told and so has no part in comparisons."
        return cls(compose(problem, hint="leave it out of fixed."))

    @classmethod
    def all_left_out(cls) -> Self:
        """Fixed weights that leave nothing to compare by."""
        problem = "got fixed weights of 0 for all attributes; nothing is left to compare cases by."
        return cls(compose(problem, hint="leave out of fixed those whose weights are to be learned."))

    @classmethod
    def no_others(cls, target: str) -> Self:
        """An attribute to be told, and no other one."""
        problem = f"has no attribute beside {target!r} to tell it by."
        return cls(compose(problem, hint="declare more attributes, or tell the solution."))

    @classmethod
    def same(cls, target: str) -> Self:
        """Solutions that are all one."""
        problem = f"found one and the same {target} in all cases; there is nothing to tell apart."
        return cls(compose(problem, hint="weights matter only where solutions differ."))

    @classmethod
    def mixed(cls, target: str, number: object, other: object) -> Self:
        """Solutions of which some are numbers."""
        problem = f"found numbers such as {quoted(number)} and others such as {quoted(other)} as {target}."
        hint = "numbers are predicted by means and other solutions by votes; revise the odd ones, or give weights."
        return cls(compose(problem, hint=hint))


def _either(kinds: Sequence[str]) -> str:
    return kinds[0] if len(kinds) == 1 else f"{', '.join(kinds[:-1])} and {kinds[-1]}"
