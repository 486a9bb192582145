"""What counts as a number where one is asked for: Python's own and NumPy's, but no booleans and no text."""

from __future__ import annotations

from typing import TypeGuard

import numpy as np


def is_whole(value: object) -> TypeGuard[int]:
    """Whether a value is a whole number, of Python or NumPy; booleans are none, nor are spans of time.

    Examples
    --------
    >>> [is_whole(value) for value in (3, np.int8(3), 3.0, True, "3", np.timedelta64(3, "s"))]
    [True, True, False, False, False, False]
    """
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.timedelta64))


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a real number, of Python or NumPy; booleans are none.

    Examples
    --------
    >>> [is_number(value) for value in (3, np.float32(0.5), True, "3", 1j)]
    [True, True, False, False, False]
    """
    return is_whole(value) or isinstance(value, (float, np.floating))


def as_python(value: float) -> int | float:
    """A number as Python's own int or float, so that equal parameters print alike.

    Whole numbers that no float64 can hold become infinite.

    Examples
    --------
    >>> as_python(np.int64(3)), as_python(np.float32(0.5)), as_python(10**400)
    (3, 0.5, inf)
    """
    if not is_whole(value):
        return float(value)
    try:
        float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
    return int(value)
