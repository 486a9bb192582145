"""Checks that the parameters of measures share.

Each gives back the parameter as Python's own value, so that measures made from NumPy's numbers compare, hash and print
like those made from Python's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from priorcase._parameters import as_python, choices_text, is_number
from priorcase.exceptions import ParameterError, advice, quoted

Option = TypeVar("Option", bound=str)


def positive(parameter: str, value: object, *, hint: str) -> float:
    """A finite number above 0."""
    if is_number(value) and 0 < (number := as_python(value)) < math.inf:
        return number
    raise ParameterError(f"{parameter} must be a finite number above 0, got {quoted(value)}. {hint}")


def positive_or_none(parameter: str, value: object, *, hint: str) -> float | None:
    """A finite number above 0, or None."""
    if value is None:
        return None
    if is_number(value) and 0 < (number := as_python(value)) < math.inf:
        return number
    raise ParameterError(f"{parameter} must be None or a finite number above 0, got {quoted(value)}. {hint}")


def not_negative(parameter: str, value: object, *, hint: str) -> float:
    """A finite number of 0 or more."""
    if is_number(value) and 0 <= (number := as_python(value)) < math.inf:
        return number
    raise ParameterError(f"{parameter} must be a finite number >= 0, got {quoted(value)}. {hint}")


def is_similarity(value: object) -> bool:
    """Whether a value is a number from 0 to 1."""
    return is_number(value) and bool(0 <= value <= 1)


def similarity(parameter: str, value: object, *, hint: str) -> float:
    """A number from 0 to 1."""
    if is_number(value) and is_similarity(value):
        return as_python(value)
    raise ParameterError(f"{parameter} must be a number from 0 to 1, got {quoted(value)}. {hint}")


def flag(parameter: str, value: object, *, hint: str) -> bool:
    """True or False, of Python or NumPy; nothing that merely counts as true."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise ParameterError(f"{parameter} must be True or False, got {quoted(value)}. {hint}")


def choice(parameter: str, value: object, options: Sequence[Option], *, hint: str) -> Option:
    """One of the options."""
    if isinstance(value, str) and value in options:
        return next(option for option in options if option == value)
    raise ParameterError(
        f"{parameter} must be {choices_text(options)}, got {quoted(value)}. {advice(value, options, otherwise=hint)}"
    )
