"""Exact search for the nearest rows, by the compiled core."""

from priorcase.search.index import ALGORITHMS, SLACK, Algorithm, Index, NeighborList, Neighbors

__all__ = ["ALGORITHMS", "SLACK", "Algorithm", "Index", "NeighborList", "Neighbors"]
