"""Options of the scores, checked."""

from __future__ import annotations

from typing import get_args

from priorcase.datasets.columns import Backend
from priorcase.exceptions import ParameterError, advice, quoted


def check_choice(parameter: str, value: object, choices: tuple[str, ...], *, hint: str) -> None:
    """Refuse what is not one of a few words."""
    if not isinstance(value, str) or value not in choices:
        raise ParameterError(
            f"{parameter} must be one of {', '.join(map(repr, choices))}, got {quoted(value)}. "
            f"{advice(value, choices, otherwise=hint)}"
        )


def check_frame(backend: object) -> None:
    """Refuse what is no library of frames, nor None, which takes the one that is installed."""
    if backend is not None:
        check_choice("backend", backend, get_args(Backend), hint="None takes the library that is installed.")
