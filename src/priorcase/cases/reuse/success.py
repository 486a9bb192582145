"""How well a case's solution worked, by its outcome."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from priorcase._parameters import is_number
from priorcase.cases.reuse.calling import called
from priorcase.cases.reuse.sources import SourceCase
from priorcase.exceptions import CaseBaseError, ParameterError, quoted

Success: TypeAlias = Literal["outcome"] | Callable[[Any], bool | float] | None
"""How outcomes are read: as they are, by a function, or not at all."""

HALF = 0.5
"""A solution worked where its degree of success is above this: at 1/2 as much speaks against it as for it."""


def has_worked(degree: float) -> bool:
    """Whether a solution worked: to a degree above 1/2. This is the one rule of outcomes, wherever yes or no is asked.

    Examples
    --------
    >>> has_worked(1.0), has_worked(0.5), has_worked(0.0)
    (True, False, False)
    """
    return degree > HALF


def check_success(value: object) -> None:
    """Refuse what is no way to read outcomes."""
    if value is not None and not (isinstance(value, str) and value == "outcome") and not callable(value):
        raise ParameterError(
            "success must be 'outcome', None or a function from an outcome to True, False or a number from 0 to 1, got "
            f"{quoted(value)}. None lets every case count, whatever came of it."
        )


def degree(case: SourceCase, success: Success) -> float:
    """How well a case worked, from 0 (failed) to 1: its outcome if that is a boolean or a number from 0 to 1.

    An outcome that is not known counts as 1, and so does every one with ``success=None``. Any other outcome needs a
    function that reads it: no words are guessed.
    """
    if success is None or case.outcome is None:
        return 1.0
    if callable(success):
        found = called(success, case.outcome, owner="success")
        if not _is_degree(found):
            raise CaseBaseError(
                f"success returned {quoted(found)} for case {case.id}; expected True, False or a number from 0 to 1. "
                "For example success=lambda outcome: outcome == 'solved'."
            )
        return float(found)
    if not _is_degree(case.outcome):
        raise CaseBaseError(
            f"got outcome {quoted(case.outcome)} of case {case.id}; expected True, False, a number from 0 to 1 or None "
            "to tell whether its solution worked. Pass success=, a function from an outcome to one of these; "
            "success=None lets every case count."
        )
    return float(case.outcome)


def _is_degree(value: object) -> bool:
    return isinstance(value, bool) or (is_number(value) and 0 <= value <= 1)
