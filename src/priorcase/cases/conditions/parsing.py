"""Conditions as people type them on a command line."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress

from priorcase.cases import kinds
from priorcase.cases.checks import check_known
from priorcase.cases.conditions.conditions import (
    ALWAYS,
    FIELDS,
    Condition,
    above,
    at_least,
    at_most,
    below,
    contains,
    equal_to,
    known,
    missing,
    not_,
    one_of,
)
from priorcase.cases.kinds import CaseKind
from priorcase.exceptions import CaseBaseError, quoted
from priorcase.schema.kinds import plain

_OPERATOR = re.compile(r"<=|>=|!=|==|=|<|>|~")
_ORDERED: dict[str, Callable[[object], Condition]] = {"<=": at_most, ">=": at_least, "<": below, ">": above}
_BOOLEANS = {"true": True, "false": False}


def parse(text: str, attributes: Mapping[str, CaseKind], *, others: Iterable[str] = ()) -> tuple[str, Condition]:
    """The name and the condition that a text such as ``miles<=50000`` means.

    Operators are ``=``, ``!=``, ``<``, ``<=``, ``>``, ``>=`` and ``~`` (contains). ``fuel=gas|diesel`` means either,
    ``fuel=?`` missing, ``fuel!=?`` known. Values are read by the attribute's kind; if it allows numbers and texts, both
    are tried. ``others`` are names that conditions may use beside attributes, solution, outcome and id.

    >>> from priorcase.schema import Numeric, Nominal
    >>> attributes = {"miles": Numeric(), "fuel": Nominal()}
    >>> parse("miles <= 50000", attributes), parse("fuel=gas|diesel", attributes), parse("fuel!=?", attributes)
    (('miles', at_most(50000)), ('fuel', one_of('gas', 'diesel')), ('fuel', known()))
    """
    name, operator, given = _split(text, [*attributes, *ALWAYS, *others])
    kind = attributes.get(name, FIELDS.get(name))
    equality = operator in ("=", "==", "!=")
    parts = [part.strip() for part in given.split("|")] if equality else [given]
    if not all(parts):
        raise CaseBaseError(
            f"The condition {quoted(text)} has no value after {name!r}; expected NAME=VALUE. {name}=? finds cases in "
            "which it is missing."
        )
    if not equality and given == "?":
        raise CaseBaseError(
            f"The condition {quoted(text)} has '?' after {operator}; expected one value there. Only = and != take "
            "several values, A|B, or ? for missing."
        )
    if operator == "~":
        return name, contains(given)
    if not equality:
        return name, _ORDERED[operator](_bound(name, kind, given))
    if parts == ["?"]:
        return name, known() if operator == "!=" else missing()
    found = [reading for part in parts for reading in _readings(name, kind, part)]
    condition = found[0] if len(found) == 1 else one_of(*found)
    return name, not_(condition) if operator == "!=" else condition


def _split(text: str, names: list[str]) -> tuple[str, str, str]:
    """Name, operator and value; names may contain spaces and operators themselves."""
    stripped = text.strip()
    for name in sorted(names, key=len, reverse=True):
        rest = stripped.removeprefix(name).lstrip()
        if stripped.startswith(name) and (operator := _OPERATOR.match(rest)) is not None:
            return name, operator.group(), rest[operator.end() :].strip()
    operator = _OPERATOR.search(stripped)
    if operator is not None and operator.start():
        check_known([stripped[: operator.start()].strip()], names)
    raise CaseBaseError(
        f"The condition {quoted(text)} has no operator; expected NAME=VALUE. Operators are = != < <= > >= and ~ "
        "(contains); NAME=A|B means either, NAME=? missing."
    )


def _readings(name: str, kind: CaseKind | None, part: str) -> list[Condition]:
    """The values that a text may mean: itself, and the number or the boolean that it spells."""
    if part == "?":
        return [missing()]
    of_kind = None if kind is None else kinds.kind_name(kind)
    if of_kind == "numeric":
        return [equal_to(_bound(name, kind, part))]
    readings: list[object] = [part]
    if of_kind in (None, "nominal", "ordinal", "set"):
        readings += [reading for reading in (_number(part), _BOOLEANS.get(part.casefold())) if reading is not None]
    fitting, refused = [], []
    for reading in readings:
        try:
            if kind is not None:
                kinds.check(kind, [reading] if of_kind == "set" else reading, attribute=name)
            fitting.append(equal_to(reading))
        except CaseBaseError as error:
            refused.append(error)
    if not fitting:
        raise refused[0]
    return fitting


def _bound(name: str, kind: CaseKind | None, given: str) -> object:
    """The other side of a comparison."""
    number = _number(given)
    if kind is None:
        if number is None:
            raise CaseBaseError(
                f"compares {name!r} with {quoted(given)}; expected a number. Only numbers have an order there; "
                f"{name}=VALUE finds equal ones."
            )
        return number
    if kinds.kind_name(kind) == "numeric":
        return kinds.check(kind, given if number is None else number, attribute=name)
    if kinds.kind_name(kind) == "ordinal" and number is not None:
        with suppress(CaseBaseError):
            return kinds.check(kind, number, attribute=name)
    return given


def _number(text: str) -> float | None:
    try:
        number = float(text.replace("_", ""))
    except ValueError:
        return None
    return plain(number) if math.isfinite(number) else None  # type: ignore[return-value]
