"""Who is near: exact search."""

from priorcase.search.neighbors import Neighbors

__all__ = ["Neighbors"]
