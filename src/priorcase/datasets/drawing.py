"""What every generator of rows checks: how many, how noisy, and by which random numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from priorcase._parameters import is_number, is_whole
from priorcase.exceptions import ParameterError

__all__ = ["RandomState", "check_attributes", "check_count", "check_share", "generator"]

RandomState: TypeAlias = int | np.random.Generator | np.random.RandomState | None
"""Where random numbers come from: a seed, a generator that is drawn from, or None for the operating system."""


def generator(random_state: RandomState) -> np.random.Generator:
    """The generator that a ``random_state`` stands for.

    Examples
    --------
    >>> [round(generator(7).random(), 3) for _ in range(2)]
    [0.625, 0.625]
    """
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31 - 1, size=4))
    if random_state is None or (is_whole(random_state) and random_state >= 0):
        return np.random.default_rng(random_state)
    raise ParameterError.wrong(
        "random_state",
        random_state,
        expected="None, a whole number of 0 or more, or NumPy's Generator or RandomState",
        hint="a number gives the same rows in every run.",
    )


def check_count(parameter: str, value: object, *, hint: str) -> int:
    """A whole number of 0 or more."""
    if is_whole(value) and value >= 0:
        return int(value)
    raise ParameterError.wrong(parameter, value, expected="a whole number of 0 or more", hint=hint)


def check_share(parameter: str, value: object, *, hint: str) -> float:
    """A number from 0 to 1."""
    if is_number(value) and 0 <= value <= 1:
        return float(value)
    raise ParameterError.wrong(parameter, value, expected="a number from 0 to 1", hint=hint)


def check_attributes(value: object, sizes: Sequence[int], *, hint: str) -> int:
    """One of the numbers of attributes that a domain has been described with."""
    if is_whole(value) and value in sizes:
        return int(value)
    expected = " or ".join(map(str, sizes))
    raise ParameterError.wrong("attributes", value, expected=expected, hint=hint)
