"""Descriptions by relations: graphs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Graph:
    """A qualitative function graph: variables, and arcs that say which raises (+) or lowers (-) which.

    Examples
    --------
    >>> Graph()
    Graph()
    """

    def describe(self) -> str:
        """The kind in words, as messages say it."""
        return "function graph"
