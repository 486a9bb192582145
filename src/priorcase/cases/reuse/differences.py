"""In what a query differs from the case that its solution comes from."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from priorcase._parameters import is_number
from priorcase.cases.kinds import Date, check, days
from priorcase.cases.reuse.sources import SourceCase
from priorcase.cases.reuse.texts import value_text

_MEMBERS = 6


@dataclass(frozen=True)
class Difference:
    """An attribute in which the query is not like the case.

    Parameters
    ----------
    attribute
        Its name.
    case, query
        The two values; None where the case does not know it.
    similarity
        How similar the two are; None where they were not compared.

    Examples
    --------
    >>> print(Difference("pages", 30, 120))
    pages: 30 in the case, 120 here (+90)
    """

    attribute: str
    case: Any
    query: Any
    similarity: float | None = None

    @property
    def how(self) -> str:
        """What it takes from the case's value to the query's: a number, days, members, or nothing to say."""
        if self.case is None:
            return ""
        if is_number(self.case) and is_number(self.query):
            return f"{self.query - self.case:+.6g}"
        if isinstance(self.case, datetime.date) and isinstance(self.query, datetime.date):
            return f"{_days(self.query) - _days(self.case):+.6g} days"
        if isinstance(self.case, (set, frozenset)) and isinstance(self.query, (set, frozenset)):
            new, gone = sorted(map(str, self.query - self.case)), sorted(map(str, self.case - self.query))
            members = [f"+{name}" for name in new] + [f"-{name}" for name in gone]
            rest = len(members) - _MEMBERS
            return value_text(" ".join(members[:_MEMBERS])) + f" and {rest} more" * (rest > 0)
        return ""

    def __str__(self) -> str:
        known = f"{value_text(self.case)} in the case" if self.case is not None else "not known in the case"
        how = f" ({self.how})" if self.how else ""
        return f"{self.attribute}: {known}, {value_text(self.query)} here{how}"


def differences(query: Mapping[str, Any], case: SourceCase) -> tuple[Difference, ...]:
    """The attributes that the query knows and in which the case is not the same, those that cost most similarity first.

    An attribute of weight ``w`` and local similarity ``s`` costs ``w (1 - s)``. Attributes of weight 0 are left out, as
    they are of every comparison.
    """
    found = [
        Difference(name, case.get(name), value, case.shares.get(name, (None, 0.0))[0])
        for name, value in query.items()
        if value is not None and case.shares.get(name, (None, 1.0))[1] and not same(value, case.get(name))
    ]
    cost = {name: weight * (1.0 - (similarity or 0.0)) for name, (similarity, weight) in case.shares.items()}
    return tuple(sorted(found, key=lambda difference: -cost.get(difference.attribute, 0.0)))


def _days(value: datetime.date) -> float:
    return days(str(check(Date(), value, attribute="date")))


def same(a: Any, b: Any) -> bool:
    """Whether two values are one: equal, and not merely true beside 1.

    Examples
    --------
    >>> same(1, 1.0), same(True, 1), same({"a"}, frozenset({"a"}))
    (True, False, True)
    """
    return isinstance(a, bool) == isinstance(b, bool) and bool(a == b)
