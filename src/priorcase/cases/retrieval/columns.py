"""Values of one attribute as a column of a frame."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from priorcase._parameters import is_number


def column(values: Iterable[Any]) -> list[Any]:
    """The values, whole numbers among others as floats too: libraries of frames have one type for a column.

    Examples
    --------
    >>> column([1, 2.5, None]), column([1, None]), column([1, "a"])
    ([1.0, 2.5, None], [1, None], [1, 'a'])
    """
    found = list(values)
    known = [value for value in found if value is not None]
    if all(map(is_number, known)) and any(isinstance(value, float) for value in known):
        return [None if value is None else float(value) for value in found]
    return found
