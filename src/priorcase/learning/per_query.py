"""Results with a part for each query, cut as users of lists cut them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from operator import index
from typing import Self

from priorcase.exceptions import ParameterError, QueryIndexError


class PerQuery(ABC):
    """Base of frozen results with a part for each query; a part keeps its query's number among all that were asked.

    Subclasses have a field ``numbers``, empty when left out, and take some queries by `_taken`.
    """

    numbers: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.numbers:
            object.__setattr__(self, "numbers", tuple(range(len(self))))

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def _taken(self, at: list[int]) -> Self:
        """The same for some queries alone."""

    def __iter__(self) -> Iterator[Self]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, query: int | slice) -> Self:
        """The same for one query, or for a slice of them."""
        return self._taken(asked_queries(query, len(self), owner=type(self).__name__))


def asked_queries(query: object, n: int, *, owner: str, nouns: tuple[str, str] = ("query", "queries")) -> list[int]:
    """The numbers, among ``n``, of the queries that an index or a slice means; ``nouns`` where they are no queries.

    Examples
    --------
    >>> asked_queries(-1, 3, owner="Precedents"), asked_queries(slice(2), 3, owner="Precedents")
    ([2], [0, 1])
    """
    if isinstance(query, slice):
        return list(range(n)[query])
    try:
        number = index(query)  # type: ignore[arg-type]
    except TypeError:
        hint = "a result is cut like a list: result[0], result[:5]."
        raise ParameterError.wrong(nouns[0], query, expected="a whole number or a slice", hint=hint) from None
    if not -n <= number < n:
        raise QueryIndexError.outside(owner, number, n, nouns=nouns)
    return [number % n]
