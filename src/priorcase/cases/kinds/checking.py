"""A user's value as it is stored, and a stored value as users see it."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from priorcase._parameters import is_number, is_whole
from priorcase._typing import Value
from priorcase.cases.designs.graph import FunctionGraph
from priorcase.cases.kinds import dates, sets
from priorcase.cases.kinds.dates import Date
from priorcase.cases.kinds.graphs import Graph
from priorcase.cases.kinds.sets import Set
from priorcase.cases.kinds.taxonomy import Taxonomy
from priorcase.cases.kinds.text import Text
from priorcase.exceptions import CaseBaseError, ParameterError, listed, quoted
from priorcase.schema import Nominal, Numeric, Ordinal
from priorcase.schema.kinds import identity, is_missing, plain

CaseKind: TypeAlias = Numeric | Ordinal | Nominal | Text | Set | Date | Taxonomy | Graph
"""What an attribute of a case may be."""

Stored: TypeAlias = str | int | float | bool | tuple[str | int | float | bool, ...] | None
"""A value as the file and the table keep it; None is missing."""

MOST_CHARACTERS = 100_000
"""So long may a name among values be; longer texts are texts."""

_WHOLE, _LARGEST = 2**53, 2**63
_NAMES: dict[type, str] = {
    Numeric: "numeric",
    Ordinal: "ordinal",
    Nominal: "nominal",
    Text: "text",
    Set: "set",
    Date: "date",
    Taxonomy: "taxonomy",
    Graph: "graph",
}


def kind_name(kind: CaseKind) -> str:
    """The kind in one word.

    Examples
    --------
    >>> kind_name(Numeric()), kind_name(Taxonomy({"printer": None}))
    ('numeric', 'taxonomy')
    """
    return _NAMES[type(kind)]


def check(kind: CaseKind, value: Any, *, attribute: str) -> Stored:
    """A value as it is stored; an error where it does not fit its attribute.

    Examples
    --------
    >>> check(Numeric(), 3.0, attribute="age"), check(Set(), {"b", "a"}, attribute="tags")
    (3, ('a', 'b'))
    """
    # The usual ones first: many cases are added at a time.
    if value is None:
        return None
    given = type(value)
    if given is str:
        if type(kind) is Nominal and kind.values is None and len(value) <= MOST_CHARACTERS and value.isascii():
            return str(value)
    elif given is float or given is int:
        if type(kind) is Numeric and -_WHOLE < value < _WHOLE:
            return int(value) if value % 1 == 0 else value
        if value != value:
            return None
    elif is_missing(value):
        return None
    return _CHECKS[type(kind)](kind, value, attribute)


def shown(kind: CaseKind, stored: Stored) -> Any:
    """A stored value as users see it.

    Examples
    --------
    >>> shown(Date(), "2024-05-01"), shown(Set(), ("a",)), shown(Numeric(), None)
    (datetime.date(2024, 5, 1), frozenset({'a'}), None)
    """
    if stored is None or isinstance(kind, (Numeric, Ordinal, Nominal, Text, Taxonomy)):
        return stored
    if isinstance(kind, Set):
        return frozenset(stored)  # type: ignore[arg-type]
    return dates.from_iso(str(stored)) if isinstance(kind, Date) else FunctionGraph.from_json(str(stored))


def _numeric(kind: Numeric, value: Any, attribute: str) -> Stored:
    if not is_number(value):
        raise CaseBaseError(
            f"got {quoted(value)} for {attribute!r}; expected a number. Write None where the value is not known."
        )
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise CaseBaseError(
            f"got {quoted(value)} for {attribute!r}; expected a finite number. Write None where the value is not known."
        )
    if is_whole(value) and abs(value) < _LARGEST:
        return int(value)  # as given: similarities round it, the file does not
    found = plain(number)
    return found if isinstance(found, int) else number


def _one_of(kind: Ordinal | Nominal, value: Any, attribute: str) -> Stored:
    found = plain(value)
    known = kind.order if isinstance(kind, Ordinal) else kind.values
    if known is not None:
        if not isinstance(found, (str, int, float, bool)) or identity(found) not in _distinct(known):
            names = "one of the levels" if isinstance(kind, Ordinal) else "one of the declared values"
            raise CaseBaseError(
                f"got {quoted(value)} for {attribute!r}; expected {names} {listed(known, limit=12)}. Write None where "
                "the value is not known."
            )
        return found
    return _name(found, value, attribute)


@lru_cache(maxsize=256)
def _distinct(known: tuple[Value, ...]) -> frozenset[Value]:
    """Declared values, to be looked up."""
    return frozenset(map(identity, known))


def _name(found: Any, value: Any, attribute: str) -> Stored:
    """A value that is a name: a short text, a number or a boolean."""
    if isinstance(found, str):
        return _readable(found, attribute, MOST_CHARACTERS)
    if isinstance(found, bool) or (isinstance(found, int) and abs(found) < _LARGEST):
        return found
    if isinstance(found, float) and math.isfinite(found):
        return found
    raise CaseBaseError(
        f"got {quoted(value)} for {attribute!r}; expected a text, a finite number or a boolean. Declare the attribute "
        "as 'text', 'set', 'date' or 'graph' where that is meant."
    )


def _text(kind: Text, value: Any, attribute: str) -> Stored:
    if not isinstance(value, str):
        raise CaseBaseError(
            f"got {quoted(value)} for {attribute!r}; expected a text. Write None where the value is not known."
        )
    return _readable(value, attribute, kind.longest)


def _readable(text: str, attribute: str, most: int) -> str:
    if len(text) > most:
        raise CaseBaseError(
            f"got {len(text):,} characters for {attribute!r}; expected at most {most:,}. Keep long documents elsewhere "
            "and store what tells cases apart."
        )
    text = str.__str__(text)  # NumPy's and other subclasses
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise CaseBaseError(
                f"got {quoted(text)} for {attribute!r}; expected readable text. Half of a character pair is left over; "
                "decode the text anew with errors='replace'."
            ) from None
    return text


def _set(kind: Set, value: Any, attribute: str) -> Stored:
    if isinstance(value, np.ndarray) and value.ndim == 1:
        value = value.tolist()
    if not isinstance(value, (set, frozenset, list, tuple)):
        raise CaseBaseError(
            f"got {quoted(value)} for {attribute!r}; expected a set or a list of values. For example "
            f"{{{quoted(value):.40}}}."
        )
    if len(value) > sets.MOST_MEMBERS:
        raise CaseBaseError(
            f"got {len(value):,} members for {attribute!r}; expected at most {sets.MOST_MEMBERS:,}. Keep long "
            "documents elsewhere and store what tells cases apart."
        )
    if all(type(member) is str and member.isascii() and len(member) <= MOST_CHARACTERS for member in value):
        return tuple(sorted(set(value)))  # texts alone have one order
    members: list[Any] = []
    for member in value:
        if is_missing(member):
            raise CaseBaseError(
                f"got {quoted(value)} for {attribute!r}; expected a set without gaps. Write None where the value is "
                "not known."
            )
        members.append(_name(plain(member), member, attribute))
    return sets.ordered(members)


def _date(kind: Date, value: Any, attribute: str) -> Stored:
    text = as_text = None
    try:
        text = as_text = dates.as_iso(value)
        if as_text is not None:
            dates.days(as_text)
    except (ValueError, OverflowError):
        text = None
    if text is None:
        raise CaseBaseError(
            f"got {quoted(value)} for {attribute!r}; expected a date, a datetime or ISO text such as '2024-05-01'. "
            "Write None where the value is not known."
        )
    return text


def _node(kind: Taxonomy, value: Any, attribute: str) -> Stored:
    if value not in kind:
        raise CaseBaseError(
            f"got {quoted(value)} for {attribute!r}; expected a node of its taxonomy ({listed(kind.nodes, limit=8)}). "
            "Write None where the value is not known."
        )
    return str.__str__(value)


def _graph(kind: Graph, value: Any, attribute: str) -> Stored:
    if isinstance(value, str):
        read = FunctionGraph.from_json if value.lstrip().startswith("{") else FunctionGraph.parse
        try:
            value = read(value)
        except ParameterError as error:
            raise CaseBaseError(f"got no graph for {attribute!r}: {error.args[0]}") from None
    if not isinstance(value, FunctionGraph):
        raise CaseBaseError(
            f"got {quoted(value)} for {attribute!r}; expected a FunctionGraph. For example FunctionGraph.parse('Q1 +> "
            "Q3; Q2 +> Q3')."
        )
    return value.to_json()


_CHECKS: dict[type, Callable[[Any, Any, str], Stored]] = {
    Numeric: _numeric,
    Ordinal: _one_of,
    Nominal: _one_of,
    Text: _text,
    Set: _set,
    Date: _date,
    Taxonomy: _node,
    Graph: _graph,
}
