"""What a neighbour estimator remembers: the rows, the distance fitted to them, and the index to search them."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from priorcase._typing import FloatArray, IdArray, IntArray
from priorcase.bayes.subset_evidence import RelevanceWeights
from priorcase.exceptions import DistanceError, TooFewRowsError
from priorcase.instances import Instances
from priorcase.learning.memory import Memory as Rows
from priorcase.learning.state import Outdated
from priorcase.neighbors.tables import tabled_columns
from priorcase.neighbors.weights import Weights
from priorcase.relevance.evidence import Evidence
from priorcase.relevance.weighing import Learned
from priorcase.schema import Table
from priorcase.search.neighbors import Neighbors
from priorcase.search.scan import Algorithm, Index
from priorcase.similarity import Distance, FittedDistance

_ROWS_AT_ONCE = 65_536


class Memory(Rows):
    """Stored rows with a distance and an index that follow every change.

    The distance's statistics are refreshed when rows come and counted again when rows go; the index is told of the
    change and never rebuilt, except after unpickling, when the first search builds it. Whoever changes the memory must
    be alone with it; several threads may look at it together: what one of them computes for all is computed once.

    Parameters
    ----------
    instances
        The rows, at first none.
    distance
        How two rows differ.
    owner
        Whose memory it is, for messages.
    target
        Position of the nominal target that class-dependent distances use, or None.
    attribute_weights
        One weight for each attribute, weights that follow the rows, or None.
    algorithm
        How to search.
    """

    def __init__(
        self,
        instances: Instances,
        distance: Distance,
        *,
        owner: str,
        target: int | None,
        attribute_weights: Weights,
        algorithm: Algorithm,
    ) -> None:
        super().__init__(instances, owner=owner)
        self.distance = distance
        self.tabled = tabled_columns(instances.schema, distance)
        self._weights = attribute_weights
        self._target = target
        self.algorithm = algorithm
        self._fitted: FittedDistance | None = None
        self._fitted_version = -1
        self._index: Index | None = None
        self._before = instances

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"_index": None}

    def fork(self) -> Self:
        """A memory with the same rows, to be changed; it goes on with the index."""
        other = super().fork()
        if isinstance(self._weights, RelevanceWeights):
            other._weights = self._weights.fork()
            other._weights.instances = other.instances
        return other

    @property
    def attribute_weights(self) -> FloatArray | None:
        """One weight for each attribute, learned from the rows stored now or given; None where all weigh the same.

        Where each query has weights of its own, these are what they start from: see `weights_for`.
        """
        given = self._weights
        if isinstance(given, RelevanceWeights):
            return given.weights
        if isinstance(given, Learned):
            return self.cached("attribute weights", lambda: given.of(self.evidence(given.threads)))
        return given

    @property
    def local_weights(self) -> bool:
        """Whether each query has attribute weights of its own."""
        return isinstance(self._weights, Learned) and self._weights.local is not None

    def weights_for(self, cells: FloatArray, own: IdArray | None = None, *, threads: int = 1) -> FloatArray | None:
        """The attribute weights for some queries: one row for all, shape (A,), or one for each; None where all are 1.

        Parameters
        ----------
        cells
            The queries.
        own
            The id of the row that each query is a copy of and is to be answered without; None for queries of others.
        threads
            Threads to learn weights of single queries with.
        """
        weights = self.attribute_weights
        local = self._weights.local if isinstance(self._weights, Learned) else None
        if local is None or weights is None or not len(cells):
            return weights
        return local.around(self.evidence(threads), weights, cells, own, threads=threads)

    def evidence(self, threads: int = 1) -> Evidence:
        """What attribute weights can be learned from."""
        index = lambda: self.index  # noqa: E731  # built only where rows are searched
        return Evidence(self.instances, self.fitted, index, self.algorithm, threads, self.owner, self.cached)

    @property
    def learns_weights(self) -> bool:
        """Whether attribute weights are learned from the rows."""
        return isinstance(self._weights, (RelevanceWeights, Learned))

    @property
    def learns_from_targets(self) -> bool:
        """Whether targets have a say in how near rows are: by learned weights, or by differences of values."""
        return self.learns_weights or any(d.needs_classes for d in self.distance.differences(self.instances.schema))

    def check(self) -> None:
        """Refuse rows from which attribute weights cannot be learned."""
        if isinstance(self._weights, RelevanceWeights):
            self._weights.check()

    @property
    def fitted(self) -> FittedDistance:
        """The distance with the statistics of the rows stored now."""
        if not len(self):
            raise TooFewRowsError.nothing_stored()
        fitted = self._fitted
        if fitted is None or self._fitted_version != self.instances.version:
            if fitted is None:
                fitted = self.distance.fit(self.instances, self._target)
            else:
                fitted = fitted.refreshed(self.instances)
            self._fitted, self._fitted_version = fitted, self.instances.version
        return fitted

    @property
    def index(self) -> Index:
        """The rows, ready to be searched."""
        index = self._index
        if index is not None and not index.holds(self.instances):
            if self.committed:
                raise Outdated
            index = None
        if index is None:
            self._index = index = Index(self.instances, self.fitted)
        return index

    def settle(self) -> None:
        """Drop an index that belongs to other rows."""
        if self._index is not None and not self._index.holds(self.instances):
            self._index = None

    def index_before(self, ids: IdArray) -> Index:
        """The index as it was before the last rows were stored, whose ids are given, to be put in."""
        index = self._index
        if index is None or not index.follow(self._before, self.instances):
            self._index = index = Index(self.instances, self.fitted, self.ids[: -ids.size])
        return index

    def append(self, table: Table, targets: Table | None, weights: FloatArray | None, **options: Any) -> IdArray:
        """Append rows and return their ids."""
        self._before = self.instances.fork()
        return super().append(table, targets, weights, **options)

    def forget(self, ids: ArrayLike) -> None:
        """Remove rows, and all that was computed from them."""
        rows = self.instances.look_up(ids) if isinstance(self._weights, RelevanceWeights) else None
        before = self.instances.fork()
        super().forget(ids)
        self._fitted = None
        if isinstance(self._weights, RelevanceWeights) and rows is not None:
            self._weights.follow_removal(rows)
        index = self._index
        if index is not None and len(self.instances) and index.follow(before, self.instances):
            index.remove(np.asarray(ids, dtype=np.int64))
        else:
            self._index = None

    def _appended(self, ids: IdArray, table: Table | None) -> None:
        row = self.instances.encode(table) if table is not None and len(table) == 1 else None
        if row is not None and self._fitted is not None:
            self._fitted = self._fitted.refreshed(self.instances, row)
            self._fitted_version = self.instances.version
        elif len(self.instances):
            _ = self.fitted
        if isinstance(self._weights, RelevanceWeights):
            self._weights.follow(ids)
        index = self._index
        if index is not None and not index.follow(self._before, self.instances):
            self._index = None
        elif index is not None and row is not None:
            index.take(ids, row)
        elif index is not None and ids.size:
            index.append(ids)

    def search(
        self,
        cells: FloatArray,
        k: int,
        *,
        exclude: IdArray | None = None,
        own: IdArray | None = None,
        ties: bool = False,
        threads: int = 1,
    ) -> Neighbors:
        """The ``k`` nearest rows of each query, and with ``ties`` every row as near as the last of them.

        A row that is excluded is not found. ``own`` is for callers that leave out one repetition of the query's own row
        by themselves: it is found, and yet has no say in the weights of its query.
        """
        fitted, index = self.fitted, self.index
        weights = self.weights_for(cells, own if exclude is None else exclude, threads=threads)
        with index.lock:
            index = self.index
            return index.kneighbors(
                fitted, cells, k, weights=weights, exclude=exclude, ties=ties, algorithm=self.algorithm, threads=threads
            )

    def distances(self, cells: FloatArray, *, threads: int = 1) -> FloatArray:
        """Distances of all rows from each of a few queries, shape (queries, rows)."""
        fitted, weights = self.fitted, self.weights_for(cells, threads=threads)
        return fitted.finish(self.index.costs(fitted, cells, weights=weights, threads=threads))

    def check_finite(
        self, cells: FloatArray, queries: IntArray, rows: IntArray, distances: FloatArray, *, first: int = 0
    ) -> None:
        """Refuse distances that are infinite only because the numbers are too large, and so cannot be told apart.

        Where the distance leaves missing values out, two rows without a known value in common are infinitely far apart
        by rule.

        Parameters
        ----------
        cells
            The queries.
        queries, rows, distances
            The query and the stored row of each entry, by position, and how far apart they are.
        first
            The number of the first query, for messages.
        """
        endless = np.flatnonzero(np.isinf(distances))
        for start in range(0, endless.size, _ROWS_AT_ONCE):
            part = endless[start : start + _ROWS_AT_ONCE]
            if self.distance.missing == "skip" and np.isinf(self.distance.nothing_shared):
                shared = ~np.isnan(cells[queries[part]]) & ~np.isnan(self.instances.cells(rows[part]))
                if self.attribute_weights is not None:  # those of a query are positive where these are
                    shared &= self.attribute_weights > 0
                part = part[shared.any(axis=1)]
            if part.size:
                query, row = first + int(queries[part[0]]), int(self.ids[rows[part[0]]])
                raise DistanceError.too_large(f"{self.owner}: query {query}", f"distance from row {row}")
