"""Conditions on what a value is or holds."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._parameters import is_number
from priorcase._typing import BoolArray
from priorcase.cases.conditions.base import PLAIN, Condition, Subject, Truth
from priorcase.cases.conditions.order import ends
from priorcase.cases.kinds import Stored, Taxonomy
from priorcase.exceptions import CaseBaseError, prefix_errors, quoted
from priorcase.schema.kinds import identity, plain


@dataclass(frozen=True, repr=False)
class Same(Condition):
    """A plain value: equal to it; for a taxonomy that node or one under it, for a set one that contains it."""

    value: Any

    def __repr__(self) -> str:
        return repr(self.value)

    def truth(self, subject: Subject) -> Truth:
        if isinstance(subject.kind, Taxonomy):
            return Truth(_under(subject, self.value))
        if subject.kind_name == "set":
            several = isinstance(self.value, (set, frozenset, list, tuple))
            return contains(*(self.value if several else (self.value,))).holds(subject)
        if subject.kind_name == "date":  # a day means all of it
            start, end = ends(subject, self.value)
            return Truth((subject.numbers >= start) & (subject.numbers <= end))
        return Truth(_equal(subject, self.value))


@dataclass(frozen=True, repr=False)
class Exactly(Condition):
    """The value itself, as it is stored."""

    value: Any

    def __repr__(self) -> str:
        return f"exactly({self.value!r})"

    def truth(self, subject: Subject) -> Truth:
        return Truth(_equal(subject, self.value))


@dataclass(frozen=True, repr=False)
class Contains(Condition):
    """Texts with a text in them, or sets and lists with some members."""

    items: tuple[Any, ...]

    fits = ("text", "nominal", "set", PLAIN)

    def __repr__(self) -> str:
        return f"contains({', '.join(map(repr, self.items))})"

    def truth(self, subject: Subject) -> Truth:
        if subject.kind_name == "set":
            wanted: Any = subject.stored(list(self.items))
            # Stored ones: a set of Python has no place for both 1 and True.
            return Truth(_where(subject, lambda members: {*map(identity, wanted)} <= {*map(identity, members)}))
        if subject.kind_name != PLAIN and not all(isinstance(item, str) for item in self.items):
            raise CaseBaseError(
                f"got {quoted(self)} for {subject.name!r}; expected a text to look for. Write None where the value is "
                "not known."
            )
        return Truth(subject.where(lambda value: all(_holds(value, item) for item in self.items)))


@dataclass(frozen=True, repr=False)
class Matches(Condition):
    """Texts in which a regular expression is found."""

    pattern: re.Pattern[str]

    fits = ("text", "nominal", "taxonomy", PLAIN)

    def __repr__(self) -> str:
        return f"matches({self.pattern.pattern!r})"

    def truth(self, subject: Subject) -> Truth:
        return Truth(subject.where(lambda value: isinstance(value, str) and self.pattern.search(value)))


@dataclass(frozen=True, repr=False)
class Under(Condition):
    """A node of a taxonomy, or anything under it."""

    node: str

    fits = ("taxonomy",)

    def __repr__(self) -> str:
        return f"under({self.node!r})"

    def truth(self, subject: Subject) -> Truth:
        return Truth(_under(subject, self.node))


def exactly(value: object) -> Condition:
    """The value itself: this node and none under it, these members of a set and no others.

    Examples
    --------
    >>> exactly({"noise"})
    exactly({'noise'})
    """
    return Exactly(value)


@prefix_errors
def contains(*items: object) -> Condition:
    """Texts that contain a text, capital letters or not; sets and lists that contain all these members.

    Examples
    --------
    >>> contains("paper", "jam")
    contains('paper', 'jam')
    """
    if not items:
        raise CaseBaseError(
            "got nothing to choose from; expected at least one value or condition. Leave the condition out where any "
            "value will do; None means missing."
        )
    return Contains(items)


def matches(pattern: str | re.Pattern[str]) -> Condition:
    """Texts in which a regular expression is found; capital letters count, unlike in `contains`.

    ``matches("(?i)vpn")`` takes "VPN" for "vpn" as well.

    Examples
    --------
    >>> matches("^E[0-9]+$"), matches("(?i)vpn")
    (matches('^E[0-9]+$'), matches('(?i)vpn'))
    """
    try:
        return Matches(re.compile(pattern))
    except (re.error, TypeError) as error:
        raise CaseBaseError(
            f"matches got {quoted(pattern)}, which is no regular expression: {error!s}. contains(text) looks for a "
            "text as it is."
        ) from None


def under(node: str) -> Condition:
    """A node of a taxonomy or anything under it, as a plain value means as well.

    Examples
    --------
    >>> under("printer")
    under('printer')
    """
    return Under(node)


def _under(subject: Subject, node: object) -> BoolArray:
    kind = subject.kind
    assert isinstance(kind, Taxonomy)
    found = set(kind.under(str(subject.stored(node))))
    return _where(subject, found.__contains__)


def _equal(subject: Subject, value: object) -> BoolArray:
    if subject.kind is None and is_number(value):  # 5 and 5.0 are written differently
        return subject.where(lambda found: is_number(found) and found == value)
    key = _key(subject.stored(value))
    return _where(subject, lambda value: _key(value) == key)


def _where(subject: Subject, holds: Callable[[Any], bool]) -> BoolArray:
    """Where something holds of the stored values."""
    return np.fromiter(map(holds, subject.values), dtype=np.bool_, count=len(subject.values))


def _key(value: Stored) -> Any:
    """Equal for the same value: a boolean is no number, also not as a member."""
    return tuple(map(identity, value)) if isinstance(value, tuple) else identity(value)


def _holds(value: Any, item: Any) -> bool:
    if isinstance(value, str):
        return isinstance(item, str) and _folded(item) in _folded(value)
    if isinstance(value, Iterable):  # a list, or the keys of a mapping
        wanted = plain(item)
        return any(type(member) is type(wanted) and member == wanted for member in value)
    return False


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text.casefold())
