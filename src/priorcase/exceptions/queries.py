"""Queries that a result does not hold."""

from typing import Self

from priorcase.exceptions.base import PriorcaseError, compose


class QueryIndexError(PriorcaseError, IndexError):
    """The number of a query that was not asked."""

    @classmethod
    def outside(cls, owner: str, query: int, n: int) -> Self:
        """A number beyond those of the queries."""
        held = f"the queries 0 to {n - 1}" if n > 1 else "query 0 alone" if n else "no queries"
        return cls(compose(f"{owner} was asked for query {query}; it holds {held}.", hint="len() says how many."))
