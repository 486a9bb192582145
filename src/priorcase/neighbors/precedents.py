"""The past cases that speak for each answer: a result that prints itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np

from priorcase.neighbors import rendering
from priorcase.typing import AnyArray, FloatArray, IdArray, IntArray, Name

if TYPE_CHECKING:
    from priorcase.neighbors.terminal import TerminalView

Row: TypeAlias = tuple[Any, ...]
Backend: TypeAlias = Literal["pandas", "polars", "pyarrow", "modin", "cudf"]


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
class Precedents:
    """The stored rows that vote on some queries, nearest first.

    All arrays are flat, one entry for each (query, voter); those of query ``i`` are entries ``indptr[i]`` to
    ``indptr[i + 1]``, and ``precedents[i]`` is the same object for that query alone. It prints as a table, in
    terminals and notebooks.

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

    def __len__(self) -> int:
        return len(self.queries)

    def __iter__(self) -> Iterator[Precedents]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, query: int) -> Precedents:
        """The precedents of one query."""
        i = range(len(self))[query]
        part = slice(int(self.indptr[i]), int(self.indptr[i + 1]))
        return Precedents(
            names=self.names,
            queries=self.queries[i : i + 1],
            predictions=self.predictions[i : i + 1],
            indptr=np.array([0, part.stop - part.start]),
            ids=self.ids[part],
            rows=self.rows[part],
            targets=self.targets[part],
            distances=self.distances[part],
            votes=self.votes[part],
            shares=self.shares[part],
            unlike=self.unlike[i : i + 1],
            probabilities=None if self.probabilities is None else self.probabilities[i : i + 1],
            classes=self.classes,
            backend=self.backend,
        )

    def query_of_entry(self) -> IntArray:
        """The query that each entry belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.indptr))

    def frame(self) -> Any:
        """One line for each (query, voter), in a frame of the library that the estimator was fitted with.

        Columns: ``query``, ``rank``, ``id``, ``distance``, ``vote``, ``target`` (``target_0``, ``target_1``, ... when
        there are several), the attributes' values by name, and ``share of NAME`` for what each adds to the distance.
        After a fit on arrays: a dictionary of arrays.
        """
        columns: dict[str, Any] = {
            "query": self.query_of_entry(),
            "rank": np.arange(self.ids.size) - np.repeat(self.indptr[:-1], np.diff(self.indptr)) + 1,
            "id": self.ids,
            "distance": self.distances,
            "vote": self.votes,
        }
        targets = self.targets[:, None] if self.targets.ndim == 1 else self.targets
        for t in range(targets.shape[1]):
            columns["target" if self.targets.ndim == 1 else f"target_{t}"] = targets[:, t]
        reserved = set(columns)
        for a, name in enumerate(self.names):
            label = f"{name} (value)" if str(name) in reserved else str(name)
            columns[label] = [row[a] for row in self.rows]
        for a, name in enumerate(self.names):
            columns[f"share of {name}"] = self.shares[:, a]
        if self.backend is None:
            return {
                label: column if isinstance(column, np.ndarray) else _objects(column)
                for label, column in columns.items()
            }
        plain = {
            label: column.tolist() if isinstance(column, np.ndarray) else column for label, column in columns.items()
        }
        return nw.from_dict(plain, backend=self.backend).to_native()

    def __str__(self) -> str:
        return rendering.as_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return rendering.as_html(self)

    def __rich__(self) -> TerminalView:
        from priorcase.neighbors.terminal import TerminalView

        return TerminalView(self)


def _objects(values: list[Any]) -> AnyArray:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
