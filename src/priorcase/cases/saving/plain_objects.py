"""Objects of Python and NumPy that are written as text: large and odd numbers, dates, random states.

One pair of functions for each kind: what a node holds beside the kind, and the object from that again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from priorcase._locks import Lock
from priorcase.cases.saving.arrays import TEXTS, data_type, is_storable

__all__ = ["KINDS", "plain_node", "rebuilt"]

_MERSENNE_WORDS = 624
_TYPES: dict[str, type] = {"bool": bool, "int": int, "float": float, "str": str}
# Data types whose arrays are written value by value; NumPy before 2 has no texts of any length.
_DATA_TYPES: dict[str, np.dtype[Any]] = {"|O": np.dtype(object)}
if TEXTS is not None:
    _DATA_TYPES[TEXTS.str] = TEXTS


_LONGEST = 10_000
"""So many characters may a number have: fractions of numbers without end would take the square of their length."""

_MOST = 10_000_000
"""So many numbers may a range stand for: whoever makes a list of it needs memory for all."""


def _hex(number: int) -> str:
    return f"{number:x}"


def _whole(digits: str) -> int:
    return int(digits, 16)


def _random_state(state: np.random.RandomState) -> list[Any]:
    told: Any = state.get_state(legacy=False)
    words = np.asarray(told["state"]["key"], "<u4").tobytes().hex()
    return [words, int(told["state"]["pos"]), int(told["has_gauss"]), float(told["gauss"]).hex()]


def _random_state_of(words: str, position: int, has_gauss: int, gauss: str) -> np.random.RandomState:
    key = np.frombuffer(bytes.fromhex(words), "<u4")
    if len(key) != _MERSENNE_WORDS or not 0 <= position <= _MERSENNE_WORDS:
        raise ValueError("a random state that cannot be")
    state = np.random.RandomState(0)
    state.set_state(("MT19937", key, position, int(has_gauss), float.fromhex(gauss)))
    return state


_WRITTEN: dict[type, tuple[str, Callable[[Any], list[Any]]]] = {
    int: ("int", lambda number: [_hex(number)]),
    float: ("float", lambda number: [repr(number)]),
    complex: ("complex", lambda number: [number.real.hex(), number.imag.hex()]),
    range: ("range", lambda numbers: [_hex(numbers.start), _hex(numbers.stop), _hex(numbers.step)]),
    Fraction: ("fraction", lambda number: [_hex(number.numerator), _hex(number.denominator)]),
    Decimal: ("decimal", lambda number: [str(number)]),
    date: ("date", lambda day: [day.isoformat()]),
    datetime: ("datetime", lambda moment: [moment.isoformat(), moment.fold]),
    time: ("time", lambda moment: [moment.isoformat(), moment.fold]),
    timedelta: ("timedelta", lambda span: [span.days, span.seconds, span.microseconds]),
    Lock: ("lock", lambda lock: []),
    np.random.RandomState: ("random_state", _random_state),
}

_REBUILT: dict[str, Callable[..., object]] = {
    "int": _whole,
    "float": lambda text: {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[text],
    "complex": lambda real, imag: complex(float.fromhex(real), float.fromhex(imag)),
    "range": lambda start, stop, step: range(_whole(start), _whole(stop), _whole(step)),
    "fraction": lambda above, below: Fraction(_whole(above), _whole(below)),
    "decimal": Decimal,
    "date": date.fromisoformat,
    "datetime": lambda text, fold: datetime.fromisoformat(text).replace(fold=fold),
    "time": lambda text, fold: time.fromisoformat(text).replace(fold=fold),
    "timedelta": timedelta,
    "lock": Lock,
    "random_state": _random_state_of,
    "dtype": lambda text: _DATA_TYPES.get(text) or data_type(text),
    "type": _TYPES.__getitem__,  # a truth value is told from a number by it (see `schema.kinds.identity`)
}

KINDS = frozenset(_REBUILT)
"""The kinds of nodes that are rebuilt here."""


def plain_node(value: object) -> list[Any] | None:
    """The node of an object that is written as text; None where it is none of these."""
    if isinstance(value, np.dtype):
        return ["dtype", value.str] if is_storable(value) or value in _DATA_TYPES.values() else None
    if isinstance(value, type):
        return ["type", value.__name__] if value in _TYPES.values() else None
    kind = type(value)
    if kind not in _WRITTEN or (isinstance(value, datetime | time) and not _fixed(value)):
        return None
    name, tell = _WRITTEN[kind]
    told = tell(value)
    return [name, *told] if _is_moderate(value, told) else None


def rebuilt(kind: str, *told: object) -> object:
    """The object of such a node; the errors of Python's own readers where the node was made up."""
    if not _is_moderate(None, told):
        raise ValueError("a number without end")
    value = _REBUILT[kind](*told)
    if not _is_moderate(value, ()):
        raise ValueError("a range without end")
    return value


def _is_moderate(value: object, told: Sequence[object]) -> bool:
    """Whether neither the text of an object nor what it stands for is without end."""
    if isinstance(value, range) and value and (value[-1] - value[0]) // value.step >= _MOST:
        return False
    return all(len(text) <= _LONGEST for text in told if isinstance(text, str))


def _fixed(moment: datetime | time) -> bool:
    """Whether a moment has no zone, or one that is an offset and nothing else."""
    return moment.tzinfo is None or type(moment.tzinfo) is timezone
