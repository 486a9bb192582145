"""Checks that the parameters of differences, distances and kernels share."""

from __future__ import annotations

import math
from collections.abc import Sequence

from priorcase.exceptions import DistanceError


def choice(owner: str, parameter: str, value: object, options: Sequence[str]) -> None:
    """Refuse a value that is not one of the options."""
    if value not in options:
        listing = ", ".join(repr(option) for option in options)
        raise DistanceError.parameter(owner, parameter, value, expected=f"one of {listing}", hint="check the spelling.")


def positive(owner: str, parameter: str, value: object) -> None:
    """Refuse anything but a finite number above 0."""
    if not is_number(value) or not 0 < value < math.inf:  # type: ignore[operator]
        raise DistanceError.parameter(
            owner, parameter, value, expected="a finite number above 0", hint="1.0 changes nothing."
        )


def at_least_one(owner: str, parameter: str, value: object) -> None:
    """Refuse anything but a finite number of 1 or more."""
    if not is_number(value) or not 1 <= value < math.inf:  # type: ignore[operator]
        raise DistanceError.parameter(
            owner, parameter, value, expected="a finite number >= 1", hint="below 1 the triangle inequality fails."
        )


def whole_or_none(owner: str, parameter: str, value: object) -> None:
    """Refuse anything but None or a whole number of 1 or more."""
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 1):
        return
    raise DistanceError.parameter(
        owner, parameter, value, expected="None or a whole number >= 1", hint="None takes max(5, number of classes)."
    )


def is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
