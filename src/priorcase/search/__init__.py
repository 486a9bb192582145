"""Exact search for the nearest rows with the compiled core."""

from priorcase.search.index import ALGORITHMS, Algorithm, Index, Neighbors

__all__ = ["ALGORITHMS", "Algorithm", "Index", "Neighbors"]
