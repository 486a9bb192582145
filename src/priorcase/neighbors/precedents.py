"""The past cases that speak for each answer: a result that prints itself."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from priorcase._typing import AnyArray, FloatArray, IdArray, IntArray, Name
from priorcase.learning.decoding import Row
from priorcase.learning.frames import Backend, by_attribute, framed
from priorcase.learning.per_query import PerQuery
from priorcase.neighbors import rendering

if TYPE_CHECKING:
    from priorcase.neighbors.terminal import TerminalView


@dataclass(frozen=True)
class Case:
    """One past case beside a query.

    Parameters
    ----------
    id
        Its id.
    row
        Its values, None where missing.
    target
        Its class or number; a tuple when there are several targets.
    distance
        How far it is from the query.
    shares
        What each attribute adds to the distance; they sum to it.
    """

    id: int
    row: Row
    target: Any
    distance: float
    shares: FloatArray = field(repr=False)


@dataclass(frozen=True, repr=False, eq=False)
class Precedents(PerQuery):
    """The stored rows that vote on some queries, nearest first.

    All arrays are flat, one entry for each (query, voter); those of query ``i`` are entries ``indptr[i]`` to
    ``indptr[i + 1]``, and ``precedents[i]`` or ``precedents[i:j]`` is the same for some queries alone, which keep their
    numbers. It prints as a table, in terminals and notebooks.

    Parameters
    ----------
    names
        Names of the attributes, ``x0``, ``x1``, ... for a table without names.
    queries
        Values of the queries, None where missing.
    predictions
        What the estimator predicts for each query.
    indptr
        Where the entries of each query begin and end.
    ids, rows, targets, distances
        The voting rows.
    votes
        The part of the whole vote that each has; a query's votes sum to 1 when all its voters are listed.
    shares
        What each attribute adds to each distance, shape (entries, attributes); the rows sum to ``distances``.
    unlike
        For each query the nearest unlike case: the nearest row of another class than the predicted one. None where
        all rows are of that class; empty for regression.
    probabilities
        Probability of each class for each query, shape (queries, classes); None for regression and for several targets.
    classes
        The classes of ``probabilities``.
    backend
        The library whose frame the estimator was fitted on, or None.
    numbers
        The number of each query among all that were asked; 0, 1, ... when left out.
    """

    names: tuple[Name, ...]
    queries: list[Row]
    predictions: AnyArray
    indptr: IntArray
    ids: IdArray
    rows: list[Row]
    targets: AnyArray
    distances: FloatArray
    votes: FloatArray
    shares: FloatArray
    unlike: tuple[Case | None, ...] = ()
    probabilities: FloatArray | None = None
    classes: AnyArray | None = None
    backend: Backend | None = None
    numbers: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.queries)

    def _taken(self, at: list[int]) -> Precedents:
        places = np.array(at, dtype=np.int64)
        entries = [np.arange(self.indptr[i], self.indptr[i + 1]) for i in at]
        taken = np.concatenate(entries) if entries else places
        return replace(
            self,
            queries=[self.queries[i] for i in at],
            predictions=self.predictions[places],
            indptr=np.concatenate(([0], np.cumsum(np.diff(self.indptr)[places]))),
            ids=self.ids[taken],
            rows=[self.rows[entry] for entry in taken.tolist()],
            targets=self.targets[taken],
            distances=self.distances[taken],
            votes=self.votes[taken],
            shares=self.shares[taken],
            unlike=tuple(self.unlike[i] for i in at) if self.unlike else (),
            probabilities=None if self.probabilities is None else self.probabilities[places],
            numbers=tuple(self.numbers[i] for i in at),
        )

    def query_of_entry(self) -> IntArray:
        """The number of the query that each entry belongs to."""
        return np.repeat(np.array(self.numbers, dtype=np.int64), np.diff(self.indptr))

    def frame(self) -> Any:
        """One line for each (query, voter), in a frame of the library that the estimator was fitted with.

        Columns: ``query``, ``rank``, ``id``, ``distance``, ``vote``, ``target`` (``target_0``, ``target_1``, ... when
        there are several), the attributes' values by name, and ``share of NAME`` for what each adds to the distance.
        An attribute called like one of the first columns becomes ``NAME (value)``; where two columns would still have
        one name, the later becomes ``NAME (2)``. After a fit on arrays: in one of the
        library that is installed.
        """
        return framed(self._columns(), self.backend)

    def _columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {
            "query": self.query_of_entry(),
            "rank": np.arange(self.ids.size) - np.repeat(self.indptr[:-1], np.diff(self.indptr)) + 1,
            "id": self.ids,
            "distance": self.distances,
            "vote": self.votes,
        }
        if self.targets.ndim == 1:
            columns["target"] = self.targets
        else:
            columns.update((f"target_{t}", column) for t, column in enumerate(self.targets.T))
        return by_attribute(columns, self.names, self.rows, {"share": self.shares})

    def __str__(self) -> str:
        return rendering.as_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return rendering.as_html(self)

    def __rich__(self) -> TerminalView:
        from priorcase.neighbors.terminal import TerminalView

        return TerminalView(self)
