"""Checks that the parameters of differences, distances and kernels share.

Each gives back the parameter as Python's own value, so that strategies made from NumPy's numbers compare, hash and
print like those made from Python's.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TypeVar

import numpy as np

from priorcase._parameters import as_python, is_number, is_whole
from priorcase.exceptions import DistanceError

Option = TypeVar("Option", bound=str)

# Beyond this many intervals their edges alone fill the memory.
_MOST_BINS = 1_000_000


def settle(strategy: object, **parameters: object) -> None:
    """Set parameters of a frozen strategy while it is being made."""
    for name, value in parameters.items():
        object.__setattr__(strategy, name, value)


def choice(owner: str, parameter: str, value: object, options: Sequence[Option]) -> Option:
    """One of the options."""
    if isinstance(value, str) and value in options:
        return next(option for option in options if option == value)
    listing = ", ".join(repr(option) for option in options)
    expected, hint = f"one of {listing}", "check the spelling."
    raise DistanceError.parameter(owner, parameter, value, expected=expected, hint=hint, names=options)


def flag(owner: str, parameter: str, value: object) -> bool:
    """True or False, of Python or NumPy; nothing that merely counts as true."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    hint = "write it without quotes." if isinstance(value, str) else "there is nothing in between."
    raise DistanceError.parameter(owner, parameter, value, expected="True or False", hint=hint)


def positive(owner: str, parameter: str, value: object) -> float:
    """A finite number above 0."""
    if is_number(value) and 0 < (number := as_python(value)) < math.inf:
        return number
    raise DistanceError.parameter(
        owner, parameter, value, expected="a finite number above 0", hint="1.0 changes nothing."
    )


def at_least_one(owner: str, parameter: str, value: object) -> float:
    """A finite number of 1 or more."""
    if is_number(value) and 1 <= (number := as_python(value)) < math.inf:
        return number
    raise DistanceError.parameter(
        owner, parameter, value, expected="a finite number >= 1", hint="below 1 the triangle inequality fails."
    )


def bins_or_none(owner: str, value: object) -> int | None:
    """A number of intervals, or None."""
    if value is None:
        return None
    if is_whole(value) and 1 <= value <= _MOST_BINS:
        return int(value)
    expected = f"None or a whole number >= 1 and <= {_MOST_BINS}"
    raise DistanceError.parameter(owner, "bins", value, expected=expected, hint="None takes max(5, number of classes).")


def floats_or_none(values: object) -> tuple[float, ...] | None:
    """Some numbers as Python's floats; None where they are no numbers."""
    try:
        found = tuple(values) if isinstance(values, Iterable) else ()
    except TypeError:  # an array without dimensions
        return None
    return tuple(float(as_python(value)) for value in found) if found and all(map(is_number, found)) else None
