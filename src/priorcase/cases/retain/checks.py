"""Rules for the parameters that several questions about a case base have."""

from __future__ import annotations

from priorcase._parameters import is_number, is_whole
from priorcase.exceptions import ParameterError, quoted


def check_count(parameter: str, value: object, *, hint: str) -> int:
    """A whole number of at least 1."""
    if is_whole(value) and value >= 1:
        return int(value)
    raise ParameterError(f"{parameter} must be a whole number >= 1, got {quoted(value)}. {hint}")


def check_share(parameter: str, value: object, *, hint: str) -> float:
    """A number above 0, up to 1."""
    if is_number(value) and 0 < value <= 1:
        return float(value)
    raise ParameterError(f"{parameter} must be a number above 0, at most 1, got {quoted(value)}. {hint}")
