"""Rows that cannot be forgotten."""

from priorcase.exceptions.base import PriorcaseError


class ForgettingError(PriorcaseError, ValueError):
    """Rows that cannot be forgotten exactly, because what is stored depends on rows that are gone."""
