"""Kept for imports elsewhere until they have moved."""

from priorcase._parameters import floats_or_none, settle

__all__ = ["floats_or_none", "settle"]
