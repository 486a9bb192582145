"""Conditions made of others, and those about missing values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

import numpy as np

from priorcase.cases.conditions.base import Condition, Subject, Truth
from priorcase.cases.conditions.content import Same, contains
from priorcase.exceptions import CaseBaseError, failure, prefix_errors, quoted
from priorcase.schema.kinds import is_missing

_SEVERAL = (list, tuple, set, frozenset, range)


@dataclass(frozen=True, repr=False)
class Presence(Condition):
    """The value is known, or it is missing."""

    present: bool

    def __repr__(self) -> str:
        return "known()" if self.present else "missing()"

    def truth(self, subject: Subject) -> Truth:
        return Truth(np.full(len(subject.values), self.present), not self.present)


@dataclass(frozen=True, repr=False)
class Not(Condition):
    """The opposite of a condition, among known values."""

    condition: Condition

    def __repr__(self) -> str:
        return f"not_({self.condition!r})"

    def truth(self, subject: Subject) -> Truth:
        found = self.condition.holds(subject)
        return Truth(~found.values, None if found.missing is None else not found.missing)


@dataclass(frozen=True, repr=False)
class Several(Condition):
    """Any, or all, of some conditions."""

    conditions: tuple[Condition, ...]
    every: bool = False

    def __repr__(self) -> str:
        return f"{'all_of' if self.every else 'one_of'}({', '.join(map(repr, self.conditions))})"

    def truth(self, subject: Subject) -> Truth:
        found = [condition.holds(subject) for condition in self.conditions]
        join = np.logical_and if self.every else np.logical_or
        told = [truth.missing for truth in found]
        # The rules of three-valued logic: what decides alone, then what is not known.
        missing = not self.every if (not self.every) in told else None if None in told else self.every
        return Truth(reduce(join, (truth.values for truth in found)), missing)


@dataclass(frozen=True, repr=False)
class Test(Condition):
    """A function of the value, as users see it."""

    function: Callable[[Any], Any]

    def __repr__(self) -> str:
        return repr(self.function)

    def truth(self, subject: Subject) -> Truth:
        return Truth(subject.where(partial(self._asked, subject)))

    def _asked(self, subject: Subject, value: Any) -> bool:
        try:
            return bool(self.function(value))
        except Exception as error:  # whatever a user's function raises; it is the cause of what is raised here
            raise CaseBaseError(
                f"the function for {subject.name!r} raised {failure(error)} for {quoted(value)}. It is asked of every "
                "known value, whatever its type; the traceback above this one shows where."
            ) from error


def condition_of(given: object, *, whole: bool = True) -> Condition:
    """What a user gave, as a condition: a value, None, several values, a function or a condition.

    Parameters
    ----------
    given
        What was given.
    whole
        Whether a collection is several values; where not, it is one value.
    """
    if isinstance(given, Condition):
        return given
    if is_missing(given):
        return missing()
    if whole and isinstance(given, _SEVERAL):
        return Listed(tuple(given))
    if whole and getattr(given, "ndim", 0) == 1 and hasattr(given, "tolist"):  # an array, or a column of a frame
        return Listed(tuple(given.tolist()))
    return Test(given) if callable(given) else Same(given)


@dataclass(frozen=True, repr=False)
class Listed(Condition):
    """Several values: any of them; all of them where the attribute is a set."""

    items: tuple[object, ...]

    def __repr__(self) -> str:
        return repr(list(self.items))

    def truth(self, subject: Subject) -> Truth:
        if subject.kind_name == "set":
            return contains(*self.items).holds(subject)
        if not self.items:
            raise CaseBaseError(
                "got nothing to choose from; expected at least one value or condition. Leave the condition out where "
                "any value will do; None means missing."
            )
        return one_of(*self.items).holds(subject)


@prefix_errors
def one_of(*values: object) -> Condition:
    """Any of some values or conditions.

    Examples
    --------
    >>> one_of("red", "blue", None)
    one_of('red', 'blue', missing())
    """
    return Several(_all(values))


@prefix_errors
def all_of(*conditions: object) -> Condition:
    """All of some conditions on one attribute.

    Examples
    --------
    >>> all_of(known(), not_("red"))
    all_of(known(), not_('red'))
    """
    return Several(_all(conditions), every=True)


def not_(condition: object) -> Condition:
    """The opposite of a value or condition; where the value is missing neither holds.

    Examples
    --------
    >>> not_("red")
    not_('red')
    """
    return Not(condition_of(condition))


def known() -> Condition:
    """The value is known."""
    return Presence(True)


def missing() -> Condition:
    """The value is missing."""
    return Presence(False)


def _all(given: tuple[object, ...]) -> tuple[Condition, ...]:
    if not given:
        raise CaseBaseError(
            "got nothing to choose from; expected at least one value or condition. Leave the condition out where any "
            "value will do; None means missing."
        )
    return tuple(condition_of(item, whole=False) for item in given)
