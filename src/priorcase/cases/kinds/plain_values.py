"""Solutions and outcomes: any value that JSON can write down."""

from __future__ import annotations

import json
from typing import Any

from priorcase._parameters import is_number
from priorcase.exceptions import CaseBaseError, quoted
from priorcase.schema.kinds import is_missing, plain

MOST_CHARACTERS = 10_000_000
"""So long may a solution be, written down."""

_DEEPEST = 100
_LARGEST = 2**63


def check_plain(value: Any, *, what: str) -> str | None:
    """A solution or an outcome as it is stored: canonical JSON text; None where there is none.

    Examples
    --------
    >>> check_plain({"b": (1, 2.0), "a": None}, what="solution")
    '{"a":null,"b":[1,2]}'
    """
    if type(value) is str and value.isascii():
        return _fitting(json.dumps(value), what)
    if is_missing(value):
        return None
    try:
        text = written(_plainly(value, 0))
        text.encode("utf-8")
    except (TypeError, ValueError, RecursionError):
        raise CaseBaseError(
            f"got {quoted(value)} as {what}; expected text, a number, a boolean, None, or lists and mappings of them. "
            "Convert it, for example with str(...) or dataclasses.asdict(...)."
        ) from None
    return _fitting(text, what)


def written(value: Any) -> str:
    """A plain value as canonical JSON text: keys in order, no spaces."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def plain_shown(text: str | None) -> Any:
    """A stored solution or outcome as users see it.

    Examples
    --------
    >>> plain_shown('{"a":[1,2]}'), plain_shown(None)
    ({'a': [1, 2]}, None)
    """
    return None if text is None else json.loads(text)


def _plainly(value: Any, depth: int) -> Any:
    if depth > _DEEPEST:
        raise ValueError
    if is_missing(value):
        return None
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise TypeError
        return {key: _plainly(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plainly(item, depth + 1) for item in value]
    found = plain(value)
    if isinstance(found, (str, bool, float)) or (is_number(found) and abs(found) < _LARGEST):
        return found
    raise TypeError


def _fitting(text: str, what: str) -> str:
    if len(text) > MOST_CHARACTERS:
        raise CaseBaseError(
            f"got {len(text):,} characters for {what!r}; expected at most {MOST_CHARACTERS:,}. Keep long documents "
            "elsewhere and store what tells cases apart."
        )
    return text
