"""Some of the queries of a result, as users of lists ask for them."""

from __future__ import annotations

from operator import index

from priorcase.exceptions import ParameterError, QueryIndexError


def asked_queries(query: object, n: int, *, owner: str) -> list[int]:
    """The numbers, among ``n``, of the queries that an index or a slice means.

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
        raise ParameterError.wrong(owner, "query", query, expected="a whole number or a slice", hint=hint) from None
    if not -n <= number < n:
        raise QueryIndexError.outside(owner, number, n)
    return [number % n]
