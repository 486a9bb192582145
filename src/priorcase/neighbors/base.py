"""What all neighbour estimators share: rows that come and go, and the search among them."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy import sparse

from priorcase._typing import FloatArray, IdArray
from priorcase.exceptions import TargetError, TooFewRowsError
from priorcase.instances import Instances
from priorcase.learning.decoding import attribute_names
from priorcase.learning.estimator import RowsEstimator
from priorcase.learning.parameters import check_choice
from priorcase.learning.state import reads
from priorcase.neighbors import parameters
from priorcase.neighbors.memory import Memory
from priorcase.neighbors.tables import check_tabled, tabled_columns, with_tabled_values
from priorcase.neighbors.weights import attribute_weights
from priorcase.relevance.names import weighing_of
from priorcase.relevance.table import AttributeWeights
from priorcase.schema import Schema, Table
from priorcase.search.scan import Algorithm
from priorcase.similarity import Distance, FittedDistance, resolve


class NeighborsEstimator(RowsEstimator):
    """Base of the estimators that answer from the stored rows nearest to a query."""

    n_neighbors: Any
    distance: str | Distance
    attribute_weights: Any
    algorithm: Algorithm
    _memory: Memory

    @property
    @reads
    def distance_(self) -> FittedDistance:
        """The distance with the statistics of the stored rows."""
        return self._stored().fitted

    @property
    @reads
    def attribute_weights_(self) -> FloatArray:
        """The weight of each attribute, in schema order; learned weights are those of the rows stored now."""
        memory = self._answering()
        weights = memory.attribute_weights
        return np.ones(len(memory.instances.schema)) if weights is None else weights.copy()

    @property
    @reads
    def weights_table_(self) -> AttributeWeights:
        """The same as a table that prints and draws itself, the heaviest attribute first."""
        memory = self._answering()
        weighing = weighing_of(self.attribute_weights)
        method = "given" if weighing is None else weighing.method
        names = attribute_names(memory.instances.schema)
        return AttributeWeights(names, self.attribute_weights_, method, self._backend)

    @reads
    def attribute_weights_at(self, X: Any) -> FloatArray:
        """The weights by which the neighbours of each query are found, shape (queries, attributes).

        They are ``attribute_weights_`` for all queries, unless these have weights of their own:
        ``attribute_weights=LeaveOneOut(local=True)``.

        Parameters
        ----------
        X
            Queries.
        """
        memory, cells = self._answering(), self._cells(X)
        weights = memory.weights_for(cells, threads=self._threads())
        ones = np.ones(cells.shape)
        return ones if weights is None else ones * weights

    # -- neighbours

    @reads
    def kneighbors(
        self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> tuple[FloatArray, IdArray] | IdArray:
        """Distances and ids of the nearest rows of each query, shape (queries, n_neighbors).

        Ids are row positions after a fresh fit, as in scikit-learn, and stable afterwards. Rows at equal distances
        come by id. Rows are counted one by one here, whatever their weight, and exactly ``n_neighbors`` are listed
        whatever ``ties`` says.

        Parameters
        ----------
        X
            Queries; None for the stored rows themselves, none of which is then its own neighbour.
        n_neighbors
            How many; None for ``n_neighbors_``.
        return_distance
            Whether to return distances too.
        """
        memory, k = self._answering(), self._how_many(n_neighbors)
        cells, own = (self._cells(X), None) if X is not None else (memory.instances.cells(), memory.ids)
        available = len(memory) - (own is not None)
        if k > available:
            raise TooFewRowsError.neighbors(k, len(memory), own=own is not None)
        ids, distances = self._nearest(cells, k, own)
        return (distances, ids) if return_distance else ids

    @reads
    def kneighbors_graph(
        self, X: Any = None, n_neighbors: int | None = None, mode: Literal["connectivity", "distance"] = "connectivity"
    ) -> sparse.csr_matrix:
        """Sparse graph of the nearest rows, shape (queries, stored rows); each row of it sorted by distance.

        Parameters
        ----------
        X, n_neighbors
            As in `kneighbors`.
        mode
            Entries are 1 (``"connectivity"``) or distances.
        """
        hint = "'distance' for estimators with metric='precomputed'."
        choices = ("connectivity", "distance")
        check_choice("mode", mode, choices, hint=hint)
        distances, ids = self.kneighbors(X, n_neighbors)
        return self._graph(distances if mode == "distance" else np.ones(ids.shape), ids)

    def _nearest(self, cells: FloatArray, k: int, own: IdArray | None) -> tuple[IdArray, FloatArray]:
        """Ids and distances of the ``k`` nearest rows of each query, ``own`` left out."""
        memory = self._stored()
        found = memory.search(cells, k, exclude=own, threads=self._threads())
        if np.isinf(found.distances).any():
            of = np.repeat(np.arange(len(cells)), k)
            memory.check_finite(cells, of, memory.positions(found.ids), found.distances)
        return found.ids.reshape(-1, k), found.distances.reshape(-1, k)

    def _graph(self, entries: FloatArray, ids: IdArray) -> sparse.csr_matrix:
        n, k = ids.shape
        columns = self._stored().positions(ids.ravel())
        return sparse.csr_matrix((entries.ravel(), columns, np.arange(n + 1) * k), shape=(n, self.n_samples_fit_))

    # -- for subclasses

    @abstractmethod
    def _how_many(self, n_neighbors: int | None) -> int:
        """The number of neighbours asked for."""

    if TYPE_CHECKING:  # the memory is what `_new_memory` makes

        def _stored(self) -> Memory: ...

        def _answering(self) -> Memory: ...

    def _finish_fit(self) -> None:
        _ = self._memory.index, self._memory.attribute_weights

    def _first_table(self, table: Table) -> Table:
        return with_tabled_values(table, resolve(self.distance), self.schema or ())

    def _check_table(self, table: Table, first: bool) -> None:
        check_tabled(table, tabled_columns(table.schema, resolve(self.distance)) if first else self._memory.tabled)

    def _check_parameters(self) -> None:
        parameters.check_algorithm(self.algorithm)
        super()._check_parameters()
        resolve(self.distance)

    def _check_rows(self) -> None:
        self._memory.check()

    def _new_memory(self, schema: Schema, targets: Schema | None) -> Memory:
        distance = resolve(self.distance)
        classes_matter = any(difference.needs_classes for difference in distance.differences(schema))
        if targets is not None and len(targets) > 1 and classes_matter:
            raise TargetError.one_target_only(repr(self.distance))
        instances = Instances(schema, targets)
        owner, threads = type(self).__name__, self._threads()
        weights = attribute_weights(self.attribute_weights, instances, owner=owner, threads=threads)
        return Memory(
            instances,
            distance,
            owner=owner,
            target=None if targets is None else 0,
            attribute_weights=weights,
            algorithm=self.algorithm,
        )


def needs_classes(distance: Distance) -> bool:
    """Whether a distance is made from class frequencies."""
    parts = (distance.numeric, distance.ordinal, distance.nominal, *distance.attributes.values())
    return any(difference.needs_classes for difference in parts)
