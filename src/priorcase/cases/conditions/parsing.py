"""Conditions as people write them on a command line."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping

from priorcase.cases import kinds
from priorcase.cases.conditions.base import Condition
from priorcase.cases.conditions.content import Same, contains
from priorcase.cases.conditions.logic import known, missing, not_, one_of
from priorcase.cases.conditions.masking import ALWAYS
from priorcase.cases.conditions.order import above, at_least, at_most, below
from priorcase.cases.errors import unknown_attributes
from priorcase.cases.kinds import CaseKind
from priorcase.exceptions import CaseBaseError, quoted
from priorcase.schema import Numeric
from priorcase.schema.kinds import plain

_OPERATOR = re.compile(r"<=|>=|!=|==|=|<|>|~")
_ORDERED: dict[str, Callable[[object], Condition]] = {"<=": at_most, ">=": at_least, "<": below, ">": above}
_BOOLEANS = {"true": True, "false": False}


def parse(text: str, attributes: Mapping[str, CaseKind], *, others: Iterable[str] = ()) -> tuple[str, Condition]:
    """The name and the condition that a text such as ``miles<=50000`` means.

    Operators are ``=``, ``!=``, ``<``, ``<=``, ``>``, ``>=`` and ``~`` (contains). ``fuel=gas|diesel`` means either,
    ``fuel=?`` missing, ``fuel!=?`` known. Values are read as the attribute's kind says; where it allows numbers and
    texts, either will do.

    Parameters
    ----------
    text
        The condition.
    attributes
        The kinds by name.
    others
        What else conditions may name, beside solution, outcome and id.

    Examples
    --------
    >>> from priorcase.schema import Numeric, Nominal
    >>> attributes = {"miles": Numeric(), "fuel": Nominal()}
    >>> parse("miles <= 50000", attributes), parse("fuel=gas|diesel", attributes), parse("fuel!=?", attributes)
    (('miles', at_most(50000)), ('fuel', one_of('gas', 'diesel')), ('fuel', known()))
    """
    name, operator, value = _parted(text, [*attributes, *ALWAYS, *others])
    kind = Numeric() if name == "id" else attributes.get(name)
    if operator in ("=", "==", "!="):
        if value == "?":
            return name, known() if operator == "!=" else missing()
        found = [reading for part in value.split("|") for reading in _readings(text, name, kind, part)]
        condition: Condition = found[0] if len(found) == 1 else one_of(*found)
        return name, not_(condition) if operator == "!=" else condition
    if value == "?":
        raise CaseBaseError(
            f"The condition {quoted(text)} has {value!r} after {operator}; expected one value there. Only = and != "
            "take several values, A|B, or ? for missing."
        )
    if operator == "~":
        return name, contains(value)
    return name, _ORDERED[operator](_bound(name, kind, value))


def _parted(text: str, names: list[str]) -> tuple[str, str, str]:
    """Name, operator and value; names may hold spaces and operators themselves."""
    stripped = text.strip()
    for name in sorted(names, key=len, reverse=True):
        rest = stripped[len(name) :].lstrip() if stripped.startswith(name) else ""
        if (operator := _OPERATOR.match(rest)) is not None:
            break
    else:
        operator = _OPERATOR.search(stripped)
        if operator is None or not operator.start():
            raise CaseBaseError(
                f"The condition {quoted(text)} has no operator; expected NAME=VALUE. Operators are = != < <= > >= and "
                "~ (contains); NAME=A|B means either, NAME=? missing."
            )
        raise unknown_attributes([stripped[: operator.start()].strip()], names)
    value = rest[operator.end() :].strip()
    if not value:
        raise CaseBaseError(
            f"The condition {quoted(text)} has no value after {name!r}; expected NAME=VALUE. {name}=? finds cases in "
            "which it is missing."
        )
    return name, operator.group(), value


def _readings(text: str, name: str, kind: CaseKind | None, part: str) -> list[Condition]:
    """The values that a text may mean: itself, and the number or the boolean that it spells."""
    part = part.strip()
    if not part:
        raise CaseBaseError(
            f"The condition {quoted(text)} has no value after {name!r}; expected NAME=VALUE. {name}=? finds cases in "
            "which it is missing."
        )
    if part == "?":
        return [missing()]
    if kind is not None and kinds.kind_name(kind) == "numeric":
        return [Same(_bound(name, kind, part))]
    readings: list[object] = [part]
    if kind is None or kinds.kind_name(kind) in ("nominal", "ordinal", "set"):
        readings += [reading for reading in (_number(part), _BOOLEANS.get(part.casefold())) if reading is not None]
    fitting, refused = [], None
    for reading in readings:
        try:
            _check(name, kind, reading)
            fitting.append(Same(reading))
        except CaseBaseError as error:
            refused = refused or error
    if refused is not None and not fitting:
        raise refused
    return [*fitting]


def _check(name: str, kind: CaseKind | None, value: object) -> None:
    if kind is not None:
        several = kinds.kind_name(kind) == "set"
        kinds.check(kind, [value] if several else value, attribute=name)


def _bound(name: str, kind: CaseKind | None, value: str) -> object:
    """The other side of a comparison."""
    if kind is None:
        number = _number(value)
        if number is None:
            raise CaseBaseError(
                f"compares {name!r} with {quoted(value)}; expected a number. Only numbers have an order there; equal "
                "values are asked for without one."
            )
        return number
    if kinds.kind_name(kind) == "numeric":
        number = _number(value)
        return kinds.check(kind, value if number is None else number, attribute=name)
    if kinds.kind_name(kind) == "ordinal":
        found = [reading for reading in (value, _number(value)) if reading is not None]
        for reading in found[1:]:
            try:
                return kinds.check(kind, reading, attribute=name)
            except CaseBaseError:
                continue
    return value


def _number(text: str) -> float | None:
    try:
        number = float(text.replace("_", ""))
    except ValueError:
        return None
    return plain(number) if math.isfinite(number) else None  # type: ignore[return-value]
