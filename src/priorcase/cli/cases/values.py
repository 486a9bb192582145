"""Values, solutions, outcomes and conditions as people write them on a command line."""

from __future__ import annotations

import datetime
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from priorcase.cases import CaseBase
from priorcase.cases.checks import check_known
from priorcase.cases.conditions import all_of, parse
from priorcase.cases.kinds import CaseKind, Set, Taxonomy
from priorcase.cli.errors import BadInputError
from priorcase.exceptions import advice, listed
from priorcase.schema import Nominal, Numeric, Ordinal

__all__ = [
    "conditions",
    "known_word",
    "outcome_value",
    "parted",
    "plain_value",
    "read_value",
    "solution_value",
    "values",
    "weights",
]

_TRUTHS = {"yes": True, "true": True, "no": False, "false": False}
_TOLD = re.compile(r"\s*(outcome|retired)\s*(=|==|!=)(.*)", re.DOTALL)
_OTHERS = ("key", "by", "retired")


def values(base: CaseBase, pairs: Sequence[str]) -> dict[str, Any]:
    """What NAME=VALUE pairs say of a case, each read as its attribute means it; None for ``NAME=?``."""
    attributes = base.attributes
    texts: dict[str, list[str]] = {}
    for pair in pairs:
        name, text = parted(pair, attributes)
        texts.setdefault(name, []).append(text)
    return {name: _value(base, attributes, name, given) for name, given in texts.items()}


def parted(pair: str, attributes: Iterable[str]) -> tuple[str, str]:
    """The name and the value of a pair; names may hold spaces and equals signs. Any name where none is declared."""
    attributes = list(attributes)
    form = "Write NAME=VALUE, or NAME=? where it is not known."
    if "=" not in pair:
        raise BadInputError(f"{pair!r} is not of the form NAME=VALUE. {form}")
    for name in sorted(attributes, key=len, reverse=True):
        after = pair.lstrip().removeprefix(name).lstrip()
        if pair.lstrip().startswith(name) and after.startswith("="):
            break
    else:
        name, _, _ = (part.strip() for part in pair.partition("="))
        after = pair[pair.index("=") :]
        if attributes:
            check_known([name], attributes)
    value = after[1:].strip()
    if not name or not value:
        raise BadInputError(f"{pair!r} has no {'value' if name else 'name'}. {form}")
    return name, value


def _value(base: CaseBase, attributes: Mapping[str, CaseKind], name: str, texts: list[str]) -> Any:
    kind = attributes.get(name)
    if len(texts) == 1:
        return _undeclared(texts[0]) if kind is None else read_value(base, name, kind, texts[0])
    if "?" in texts or (kind is not None and not isinstance(kind, Set)):
        raise BadInputError(
            f"{name!r} was given {len(texts)} values; nothing was changed. Only sets have several values."
        )
    if kind is None:
        return frozenset(texts)
    return frozenset(member for text in texts for member in read_value(base, name, kind, text))


def read_value(base: CaseBase, name: str, kind: CaseKind, text: str) -> Any:
    """A value as its attribute means it; what does not fit is left as it is, for the library to refuse."""
    if text == "?":
        return None
    if isinstance(kind, Numeric):
        number = _number(text)
        return text if number is None else number
    if isinstance(kind, Set):
        return frozenset(_held(base, name, part.strip()) for part in text.split(",") if part.strip())
    if isinstance(kind, Taxonomy):
        return known_word(name, text, kind.nodes)
    if isinstance(kind, Ordinal) or (isinstance(kind, Nominal) and kind.values is not None):
        return known_word(name, text, kind.order if isinstance(kind, Ordinal) else kind.values or ())
    return _held(base, name, text) if isinstance(kind, Nominal) else text


def known_word(name: str, text: str, words: Iterable[Any]) -> Any:
    """One of some values by its text, capitals or not; an error that says which one was meant."""
    words = list(words)
    for same in (str.__str__, str.casefold):
        for word in words:
            if same(str(word)) == same(text):
                return word
    remedy = advice(text, map(str, words), otherwise=f"It has {listed(words, limit=12)}.")
    raise BadInputError(f"{text!r} is no value of {name!r}; nothing was changed. {remedy}")


def _held(base: CaseBase, name: str, text: str) -> Any:
    """A name among values: as text, unless only the number or the truth value that it spells is in the case base."""
    others = [found for found in (_number(text), {"true": True, "false": False}.get(text)) if found is not None]
    for reading in [text, *others] if others else []:
        if next(iter(base.find(where={name: reading})), None) is not None:
            return reading
    return text


def _undeclared(text: str) -> Any:
    """A value of an attribute that it declares: a number, a date, or a name."""
    if text == "?":
        return None
    if (number := _number(text)) is not None:
        return number
    try:
        return datetime.date.fromisoformat(text) if len(text) == 10 else text
    except ValueError:
        return text


def plain_value(text: str, *, numbers: bool = True) -> Any:
    """A solution: a number, JSON for lists and mappings, else text; None for ``?``.

    Examples
    --------
    >>> plain_value("clean it"), plain_value("12"), plain_value("12", numbers=False), plain_value('{"a": 1}')
    ('clean it', 12, '12', {'a': 1})
    """
    if text == "?":
        return None
    if numbers and (number := _number(text)) is not None:
        return number
    if text.lstrip().startswith(("{", "[")):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    return text


def solution_value(base: CaseBase, text: str) -> Any:
    """A solution as the cases have them: digits are a number unless the first solution of the base is a text."""
    first = next((case.solution for case in base if case.solution is not None), None)
    return plain_value(text, numbers=not isinstance(first, str))


def outcome_value(text: str) -> Any:
    """What came of a solution: yes, no, a number, or a text; None for ``?``.

    Examples
    --------
    >>> outcome_value("yes"), outcome_value("No"), outcome_value("0.5"), outcome_value("came back")
    (True, False, 0.5, 'came back')
    """
    return _TRUTHS.get(text.strip().casefold(), plain_value(text))


def conditions(base: CaseBase, texts: Sequence[str]) -> dict[str, Any]:
    """What cases must have, by name; several conditions on one name must all hold."""
    found: dict[str, list[Any]] = {}
    for text in texts:
        name, condition = parse(_with_truths(text), base.attributes, others=_OTHERS)
        found.setdefault(name, []).append(condition)
    return {name: given[0] if len(given) == 1 else all_of(*given) for name, given in found.items()}


def _with_truths(text: str) -> str:
    """A condition on an outcome, where yes and no mean what they mean in --outcome.

    Examples
    --------
    >>> _with_truths("outcome = no|late"), _with_truths("retired!=yes"), _with_truths("light=no")
    ('outcome=no|false|late', 'retired!=yes|true', 'light=no')
    """
    found = _TOLD.fullmatch(text)
    if found is None:
        return text
    truths = {"yes": "yes|true", "no": "no|false"}
    return found[1] + found[2] + "|".join(truths.get(part.strip().casefold(), part) for part in found[3].split("|"))


def weights(base: CaseBase, pairs: Sequence[str]) -> dict[str, float] | None:
    """Weights by attribute; None where none is given."""
    found = {}
    for pair in pairs:
        name, text = parted(pair, base.attributes)
        number = _number(text)
        if number is None or number < 0:
            raise BadInputError(
                f"{text!r} is no weight of {name!r}; expected a number that is not negative. 0 leaves an attribute "
                "out, 2 counts it twice."
            )
        found[name] = number
    return found or None


def _number(text: str) -> float | int | None:
    try:
        number = float(text)
    except ValueError:
        return None
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() and abs(number) < 2**53 else number
