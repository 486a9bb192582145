"""Who is near: exact search, exhaustive in NumPy or by the compiled core."""

from priorcase.search.neighbors import Neighbors

__all__ = ["Neighbors"]
