"""Checks that the parameters of measures share.

Each gives back the parameter as Python's own value, so that measures made from NumPy's numbers compare, hash and print
like those made from Python's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from priorcase._parameters import as_python, is_number
from priorcase.exceptions import ParameterError
from priorcase.learning.parameters import choices_text

Option = TypeVar("Option", bound=str)


def positive(owner: str, parameter: str, value: object, *, hint: str) -> float:
    """A finite number above 0."""
    if is_number(value) and 0 < (number := as_python(value)) < math.inf:
        return number
    raise ParameterError.wrong(parameter, value, expected="a finite number above 0", hint=hint)


def positive_or_none(owner: str, parameter: str, value: object, *, hint: str) -> float | None:
    """A finite number above 0, or None."""
    if value is None:
        return None
    if is_number(value) and 0 < (number := as_python(value)) < math.inf:
        return number
    raise ParameterError.wrong(parameter, value, expected="None or a finite number above 0", hint=hint)


def not_negative(owner: str, parameter: str, value: object, *, hint: str) -> float:
    """A finite number of 0 or more."""
    if is_number(value) and 0 <= (number := as_python(value)) < math.inf:
        return number
    raise ParameterError.wrong(parameter, value, expected="a finite number >= 0", hint=hint)


def is_similarity(value: object) -> bool:
    """Whether a value is a number from 0 to 1."""
    return is_number(value) and bool(0 <= value <= 1)


def similarity(owner: str, parameter: str, value: object, *, hint: str) -> float:
    """A number from 0 to 1."""
    if is_number(value) and is_similarity(value):
        return as_python(value)
    raise ParameterError.wrong(parameter, value, expected="a number from 0 to 1", hint=hint)


def flag(owner: str, parameter: str, value: object, *, hint: str) -> bool:
    """True or False, of Python or NumPy; nothing that merely counts as true."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise ParameterError.wrong(parameter, value, expected="True or False", hint=hint)


def choice(owner: str, parameter: str, value: object, options: Sequence[Option], *, hint: str) -> Option:
    """One of the options."""
    if isinstance(value, str) and value in options:
        return next(option for option in options if option == value)
    expected = choices_text(options)
    raise ParameterError.wrong(parameter, value, expected=expected, hint=hint, names=options)
