"""Options of the scores, checked."""

from __future__ import annotations

from priorcase.exceptions import ParameterError


def check_choice(caller: str, parameter: str, value: object, choices: tuple[str, ...], *, hint: str) -> None:
    """Refuse what is not one of a few words."""
    if not isinstance(value, str) or value not in choices:
        expected = f"one of {', '.join(map(repr, choices))}"
        raise ParameterError.wrong(caller, parameter, value, expected=expected, hint=hint, names=choices)
