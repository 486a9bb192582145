"""Rules for the parameters of concept learners, one sentence each."""

from __future__ import annotations

from typing import Literal, TypeAlias

from priorcase._parameters import is_number, is_whole
from priorcase.exceptions import ParameterError
from priorcase.learning.parameters import check_choice

Ties: TypeAlias = Literal["majority", "first", "random"]
"""Which of several equally near instances speak."""

History: TypeAlias = bool | Literal["replay"]
"""What is kept of the rows that came: nothing, a trace of what each did, or the rows as well."""


def check_ties(value: object) -> str:
    """Who speaks where several instances are nearest."""
    hint = "'majority' lets all nearest instances vote, 'first' takes the one stored first."
    return check_choice("ties", value, ("majority", "first", "random"), hint=hint)


def check_history(value: object) -> History:
    """False, True or "replay"."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value == "replay":
        return "replay"
    expected = "False, True or 'replay'"
    hint = "True keeps a trace of every step; 'replay' keeps all rows too, so that they can be forgotten."
    raise ParameterError.wrong("history", value, expected=expected, hint=hint, names=("replay",))


def check_window(value: object, *, hint: str = "None remembers without end.") -> int | None:
    """How many of the latest rows count; None for all."""
    if value is None:
        return None
    if is_whole(value) and int(value) >= 1:
        return int(value)
    expected = "None or a whole number >= 1"
    raise ParameterError.wrong("window", value, expected=expected, hint=hint)


def check_decay(value: object) -> float:
    """What is left of a record's earlier trials when it is tried again."""
    if is_number(value) and 0.0 < value <= 1.0:
        return float(value)
    hint = "0.9 lets about the last ten trials of each instance count; 1.0 forgets nothing."
    raise ParameterError.wrong("decay", value, expected="a number above 0, at most 1", hint=hint)


def check_weight_power(value: object) -> float:
    """The power of the attribute weights in the similarity: 1 or 2."""
    if is_number(value) and value in (1, 2):
        return float(value)
    hint = "2 weighs squared differences by squared weights, 1 by the weights themselves."
    raise ParameterError.wrong("weight_power", value, expected="1 or 2", hint=hint)
