"""Errors that several parts of the case bases raise."""

from __future__ import annotations

from priorcase.exceptions import ReadingError


def damaged_learner(source: str, reason: str) -> ReadingError:
    """A saved learner that is not whole, or was made up."""
    return ReadingError(
        f"{source} is damaged: {reason}. Nothing was loaded; take a copy of it, or fit the learner again."
    )
