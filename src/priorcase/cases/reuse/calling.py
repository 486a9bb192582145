"""Functions of users, called so that nothing they do to their arguments matters and their errors name them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from priorcase.cases.kinds import check_plain, plain_shown
from priorcase.exceptions import CaseBaseError, ParameterError, PriorcaseError, failure, quoted

OR_NONE = "None or "


def check_function(parameter: str, value: object, *, of: str, hint: str, beside: str = "") -> None:
    """Refuse what is no function; ``beside`` is what else is expected, ``"None or "`` where that will do."""
    if not callable(value) and not (value is None and beside == OR_NONE):
        raise ParameterError(f"{parameter} must be {beside}a function of {of}, got {quoted(value)}. {hint}")


def check_words(parameter: str, value: object) -> None:
    """Refuse what is no text."""
    if not isinstance(value, str):
        raise ParameterError(f"{parameter} must be a text, got {quoted(value)}. Leave it out for none.")


def called(function: Callable[..., Any], *arguments: Any, owner: str) -> Any:
    """What a user's function says; an error of its own becomes one that names whose function it is.

    Parameters
    ----------
    function
        The function.
    arguments
        Copies, which are the function's to change.
    owner
        Whose function it is: ``"rule 'resize'"``.
    """
    try:
        found = function(*arguments)
    except Exception as error:  # whatever a user's function raises; it is the cause of what is raised here
        raise CaseBaseError(
            f"the function of {owner} raised {failure(error).rstrip('.')}. The traceback above this one shows where."
        ) from error
    return bool(found) if isinstance(found, np.bool_) else found


def changed(solution: Any, *, owner: str) -> Any:
    """A solution that a user's function returned, as a copy; an error where it is none or cannot be written down."""
    try:
        text = check_plain(solution, what="solution")
    except PriorcaseError as error:
        raise CaseBaseError(
            f"{owner} made {quoted(solution)} of the solution; expected a solution that JSON can write down. Return "
            "texts, numbers, booleans, or lists and mappings of them, and not None."
        ) from error
    if text is None:
        raise CaseBaseError(
            f"{owner} made {quoted(solution)} of the solution; expected a solution that JSON can write down. Return "
            "texts, numbers, booleans, or lists and mappings of them, and not None."
        )
    return plain_shown(text)
