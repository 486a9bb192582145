"""Who is near: exact search, exhaustive in NumPy or by the compiled core."""

from priorcase.search import exhaustive, scan
from priorcase.search.neighbors import Neighbors
from priorcase.search.scan import Index

__all__ = ["Index", "Neighbors", "exhaustive", "scan"]
