"""Conditions on what has an order: numbers, levels, dates."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._parameters import as_python, is_number
from priorcase._typing import BoolArray
from priorcase.cases import kinds
from priorcase.cases.conditions.base import PLAIN, Condition, Subject, Truth
from priorcase.cases.kinds import Date
from priorcase.exceptions import CaseBaseError, prefix_errors, quoted
from priorcase.schema import Ordinal
from priorcase.schema.kinds import identity, plain

_DAY = len("2024-05-01")
_EXACT = 2**53


@dataclass(frozen=True, repr=False)
class Range(Condition):
    """Between two ends, either of which may be open or absent (None)."""

    low: object = None
    high: object = None
    with_low: bool = True
    with_high: bool = True

    fits = ("numeric", "ordinal", "date", PLAIN)

    def __repr__(self) -> str:
        if self.low is not None and self.high is not None:
            return f"between({self.low!r}, {self.high!r})"
        if self.high is None:
            return f"{'at_least' if self.with_low else 'above'}({self.low!r})"
        return f"{'at_most' if self.with_high else 'below'}({self.high!r})"

    def truth(self, subject: Subject) -> Truth:
        first, last = -math.inf, math.inf
        holds = ~np.isnan(subject.numbers)
        if self.low is not None:
            start, end = ends(subject, self.low)
            first = start
            holds &= _beside(subject, operator.ge, start) if self.with_low else _beside(subject, operator.gt, end)
        if self.high is not None:
            start, end = ends(subject, self.high)
            last = end
            holds &= _beside(subject, operator.le, end) if self.with_high else _beside(subject, operator.lt, start)
        if first > last:
            raise CaseBaseError(
                f"got {subject.name}=between({quoted(self.low)}, {quoted(self.high)}), in which nothing lies. Write "
                "the lower end first; both ends belong to it."
            )
        return Truth(holds)


def _beside(subject: Subject, compare: Callable[[Any, Any], Any], end: float) -> BoolArray:
    """Which values are on one side of an end. Whole numbers beyond 2 ** 53 are no doubles, and compared themselves."""
    numbers, point = subject.numbers, float(as_python(end))
    found: BoolArray = compare(numbers, point)
    if abs(point) >= _EXACT:
        exact = subject.values if subject.kind is not None else subject.shown
        for place in np.flatnonzero(numbers == point).tolist():
            found[place] = compare(exact[place], end)
    return found


def ends(subject: Subject, value: object) -> tuple[float, float]:
    """Where a value begins and ends on the line of numbers: a day has a length, all else is a point."""
    if subject.kind is None:
        if not is_number(value) or value != value:
            raise CaseBaseError(
                f"compares {subject.name!r} with {quoted(value)}; expected a number. Only numbers have an order there; "
                "equal values are asked for without one."
            )
        return plain(value), plain(value)  # type: ignore[return-value]
    stored = subject.stored(value)
    if stored is None:
        raise CaseBaseError(
            f"got {quoted(value)} for {subject.name!r}; expected a value to compare with. Write None where the value "
            "is not known."
        )
    if isinstance(subject.kind, Ordinal):
        rank = float([identity(level) for level in subject.kind.order].index(identity(stored)))
        return rank, rank
    if isinstance(subject.kind, Date):
        start = kinds.days(str(stored))
        return start, float(np.nextafter(start + 1.0, start)) if len(str(stored)) == _DAY else start
    return stored, stored  # type: ignore[return-value]


@prefix_errors
def between(low: object, high: object) -> Condition:
    """From ``low`` to ``high``, both ends included: of numbers, dates, or levels in their order.

    A day means all of it: ``between("2024-05-01", "2024-05-31")`` holds the evening of the last day.

    Examples
    --------
    >>> between(1, 5)
    between(1, 5)
    """
    return Range(_end(low), _end(high))


@prefix_errors
def at_least(low: object) -> Condition:
    """Not below ``low``.

    Examples
    --------
    >>> at_least(3)
    at_least(3)
    """
    return Range(low=_end(low))


@prefix_errors
def at_most(high: object) -> Condition:
    """Not above ``high``; of a day, before its end.

    Examples
    --------
    >>> at_most("2024-05-01")
    at_most('2024-05-01')
    """
    return Range(high=_end(high))


@prefix_errors
def above(low: object) -> Condition:
    """Above ``low``, itself excluded; of a day, after its end.

    Examples
    --------
    >>> above("middle")
    above('middle')
    """
    return Range(low=_end(low), with_low=False)


@prefix_errors
def below(high: object) -> Condition:
    """Below ``high``, itself excluded.

    Examples
    --------
    >>> below(3)
    below(3)
    """
    return Range(high=_end(high), with_high=False)


def _end(value: object) -> object:
    if value is None:
        raise CaseBaseError(
            "got nothing to choose from; expected at least one value or condition. Leave the condition out where any "
            "value will do; None means missing."
        )
    return value
