"""The result of a search: for each query, rows in the order of their distance, then of their id."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from priorcase._parameters import is_whole
from priorcase._typing import FloatArray, IdArray
from priorcase.exceptions import ParameterError, prefix_errors, quoted


@dataclass(frozen=True, eq=False, repr=False)
class Neighbors:
    """The rows near some queries, nearest first, rows at equal distances by ascending id.

    The lists of all queries lie one behind the other; those of query q are at ``indptr[q]:indptr[q + 1]``.

    Parameters
    ----------
    indptr
        Where each query's list begins, and where the last one ends; one number more than there are queries.
    ids, distances
        The rows and their distances.
    costs
        The distances before the root; equal where distances are.

    Examples
    --------
    >>> costs = np.array([1.0, 4.0, 9.0])
    >>> found = Neighbors(np.array([0, 2, 3]), np.array([7, 4, 1]), costs, np.sqrt(costs))
    >>> found
    Neighbors(2 queries, 3 rows)
    >>> found[0]
    (array([7, 4]), array([1., 2.]))
    >>> found.rectangular(1)
    (array([[7],
           [1]]), array([[1.],
           [3.]]))
    """

    indptr: IdArray
    ids: IdArray
    costs: FloatArray
    distances: FloatArray

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def __repr__(self) -> str:
        return f"Neighbors({len(self)} queries, {len(self.ids)} rows)"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Neighbors):
            return NotImplemented
        return all(np.array_equal(value, getattr(other, name)) for name, value in vars(self).items())

    __hash__ = None  # type: ignore[assignment]  # holds arrays

    def __getitem__(self, query: int) -> tuple[IdArray, FloatArray]:
        """Ids and distances of one query's rows."""
        if not -len(self) <= query < len(self):
            raise IndexError(f"query {query} of {len(self)}")
        part = slice(self.indptr[query % len(self)], self.indptr[query % len(self) + 1])
        return self.ids[part], self.distances[part]

    def __iter__(self) -> Iterator[tuple[IdArray, FloatArray]]:
        return (self[query] for query in range(len(self)))

    @property
    def counts(self) -> IdArray:
        """How many rows each query has."""
        return np.diff(self.indptr)

    @prefix_errors
    def rectangular(self, k: int) -> tuple[IdArray, FloatArray]:
        """Ids and distances of the first k rows of every query, as two matrices with one row for each query."""
        if not is_whole(k) or k < 0:
            raise ParameterError(f"k must be a whole number >= 0, got {quoted(k)}")
        counts = self.counts
        if np.any(counts < k):
            short = int(np.argmax(counts < k))
            raise ParameterError(
                f"k must be at most {int(counts[short])}, the number of rows found for query {short}, got {k}"
            )
        places = self.indptr[:-1, None] + np.arange(k)
        return self.ids[places], self.distances[places]
