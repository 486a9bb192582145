"""What every generator of rows checks: how many, how noisy, and by which random numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from priorcase._parameters import is_number, is_whole
from priorcase.exceptions import ParameterError, quoted

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
    raise ParameterError(
        "random_state must be None, a whole number of 0 or more, or NumPy's Generator or RandomState, got "
        f"{quoted(random_state)}. A number gives the same rows in every run."
    )


def check_count(parameter: str, value: object, *, hint: str) -> int:
    """A whole number of 0 or more."""
    if is_whole(value) and value >= 0:
        return int(value)
    raise ParameterError(f"{parameter} must be a whole number of 0 or more, got {quoted(value)}. {hint}")


def check_share(parameter: str, value: object, *, hint: str) -> float:
    """A number from 0 to 1."""
    if is_number(value) and 0 <= value <= 1:
        return float(value)
    raise ParameterError(f"{parameter} must be a number from 0 to 1, got {quoted(value)}. {hint}")


def check_attributes(value: object, sizes: Sequence[int], *, hint: str) -> int:
    """One of the numbers of attributes that a domain has been described with."""
    if is_whole(value) and value in sizes:
        return int(value)
    raise ParameterError(f"attributes must be {' or '.join(map(str, sizes))}, got {quoted(value)}. {hint}")
