"""What a neighbour estimator remembers: the rows, the distance fitted to them, and the index to search them."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from priorcase.exceptions import DistanceError, PriorcaseError, TooFewRowsError
from priorcase.instances import Instances
from priorcase.schema import Table
from priorcase.search.neighbors import Neighbors
from priorcase.search.scan import Algorithm, Index
from priorcase.similarity import Distance, FittedDistance
from priorcase.typing import FloatArray, IdArray, IntArray

T = TypeVar("T")

_ROWS_AT_ONCE = 65_536


class Memory:
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
        One weight for each attribute, or None.
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
        attribute_weights: FloatArray | None,
        algorithm: Algorithm,
    ) -> None:
        self.instances = instances
        self.distance = distance
        self.owner = owner
        self.attribute_weights = attribute_weights
        self._target = target
        self._algorithm = algorithm
        self._fitted: FittedDistance | None = None
        self._fitted_version = -1
        self._index: Index | None = None
        self._cache: dict[str, tuple[int, Any]] = {}
        self._preparing = RLock()

    def __len__(self) -> int:
        return self.ids.size

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_preparing"} | {"_index": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._preparing = RLock()

    @property
    def ids(self) -> IdArray:
        """Ids of the stored rows, ascending."""
        return self.cached("ids", lambda: self.instances.ids)

    @property
    def row_weights(self) -> FloatArray | None:
        """How many rows each stored row stands for; None when each stands for one."""
        return self.cached("weights", lambda: self.instances.weights)

    @property
    def total_weight(self) -> float:
        """How many rows the stored rows stand for."""
        weights = self.row_weights
        return float(len(self)) if weights is None else self.cached("total", lambda: float(weights.sum()))

    @property
    def fitted(self) -> FittedDistance:
        """The distance with the statistics of the rows stored now."""
        if not len(self):
            raise TooFewRowsError.nothing_stored(self.owner)
        fitted = self._fitted
        if fitted is not None and self._fitted_version == self.instances.version:
            return fitted
        with self._preparing:
            if self._fitted is None:
                self._fitted = self.distance.fit(self.instances, self._target)
            elif self._fitted_version != self.instances.version:
                self._fitted = self._fitted.refreshed(self.instances)
            self._fitted_version = self.instances.version
            return self._fitted

    @property
    def index(self) -> Index:
        """The rows, ready to be searched."""
        if self._index is None:
            with self._preparing:
                if self._index is None:
                    self._index = Index(self.instances, self.fitted)
        return self._index

    def append(
        self,
        table: Table,
        targets: Table | None,
        weights: FloatArray | None,
        *,
        check: Callable[[], object],
        caller: str,
    ) -> IdArray:
        """Ids of the new rows; ``check`` may refuse them. All or nothing.

        Rows of weight 0 get ids too and are forgotten at once.
        """
        before = self._fitted, self._fitted_version
        ids = self.instances.append(table, targets, weights, caller=caller)
        kept = ids
        try:
            if weights is not None and not weights.all():
                self.instances.remove(ids[weights == 0])
                kept = ids[weights > 0]
            if len(self.instances):
                _ = self.fitted
            check()
            if self._index is not None and kept.size:
                self._index.append(kept)
        except BaseException:
            self._index = None  # it may hold some of the rows; the next search builds it again
            self._cache.clear()
            self.instances.remove(kept)
            _ = self.instances.ids  # drops the removed rows, so that their ids can be given again
            self.instances.next_id = int(ids[0])
            self._fitted, self._fitted_version = before
            raise
        return ids

    def forget(self, ids: ArrayLike, *, caller: str) -> None:
        """Remove rows, and all that was computed from them; unknown ids are an error and change nothing."""
        index, self._index = self._index, None  # an index that lost only some of the rows must not be kept
        try:
            self.instances.remove(ids, caller=caller)
        except PriorcaseError:
            self._index = index
            raise
        self._cache.clear()
        self._fitted = None
        if index is not None and len(self.instances):
            index.remove(np.asarray(ids, dtype=np.int64))
            self._index = index

    def cached(self, key: str, compute: Callable[[], T]) -> T:
        """What ``compute`` gives for the rows stored now, computed once."""
        version, value = self._cache.get(key, (-1, None))
        if version == self.instances.version:
            return cast(T, value)
        with self._preparing:
            version, value = self._cache.get(key, (-1, None))
            if version != self.instances.version:
                value = compute()
                self._cache[key] = self.instances.version, value
        return cast(T, value)

    def positions(self, ids: IdArray) -> IntArray:
        """Positions of ids among the stored rows."""
        stored = self.ids
        # Without a gap before the last row, ids are positions.
        return ids if stored[-1] == stored.size - 1 else np.searchsorted(stored, ids)

    def search(
        self, cells: FloatArray, k: int, *, exclude: IdArray | None = None, ties: bool = False, threads: int = 1
    ) -> Neighbors:
        """The ``k`` nearest rows of each query, and with ``ties`` every row as near as the last of them."""
        fitted, index = self.fitted, self.index
        return index.kneighbors(
            fitted,
            cells,
            k,
            weights=self.attribute_weights,
            exclude=exclude,
            ties=ties,
            algorithm=self._algorithm,
            threads=threads,
        )

    def distances(self, cells: FloatArray, *, threads: int = 1) -> FloatArray:
        """Distances of all rows from each of a few queries, shape (queries, rows)."""
        fitted = self.fitted
        return fitted.finish(self.index.costs(fitted, cells, weights=self.attribute_weights, threads=threads))

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
                if self.attribute_weights is not None:
                    shared &= self.attribute_weights > 0
                part = part[shared.any(axis=1)]
            if part.size:
                query, row = first + int(queries[part[0]]), int(self.ids[rows[part[0]]])
                raise DistanceError.too_large(f"{self.owner}: query {query}", f"distance from row {row}")
