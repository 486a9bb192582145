"""Queries that a result does not hold."""

from typing import Self

from priorcase.exceptions.base import PriorcaseError, compose


class QueryIndexError(PriorcaseError, IndexError):
    """The number of a query that was not asked."""

    @classmethod
    def outside(cls, owner: str, query: int, n: int, *, nouns: tuple[str, str] = ("query", "queries")) -> Self:
        """A number beyond those of the queries, or of whatever else is counted."""
        one, many = nouns
        held = f"the {many} 0 to {n - 1}" if n > 1 else f"{one} 0 alone" if n else f"no {many}"
        return cls(compose(f"{owner} was asked for {one} {query}; it holds {held}.", hint="len() says how many."))
