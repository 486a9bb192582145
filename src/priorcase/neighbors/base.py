"""What all neighbour estimators share: rows that come and go, and the search among them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Literal, Self, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from priorcase._validation import read_queries, read_training, record_features
from priorcase.exceptions import ParameterError, SampleWeightError, TargetError, TooFewRowsError
from priorcase.instances import Instances
from priorcase.instances.checks import check_weights
from priorcase.neighbors import parameters
from priorcase.neighbors.memory import Memory
from priorcase.neighbors.sharing import changes, reads
from priorcase.neighbors.tables import check_tabled, with_tabled_values
from priorcase.schema import Kind, Schema, Table
from priorcase.search.scan import Algorithm
from priorcase.similarity import Distance, FittedDistance, resolve
from priorcase.typing import AnyArray, FloatArray, IdArray, Name

SchemaLike = Schema | Mapping[Name, Kind] | None


class NeighborsEstimator(BaseEstimator, ABC):
    """Base of the estimators that answer from stored rows.

    Subclasses say what their targets are by `_read_targets`.
    """

    n_neighbors: Any
    distance: str | Distance
    attribute_weights: Any
    algorithm: Algorithm
    categorical_features: Any
    schema: Any
    n_jobs: int | None
    _memory: Memory

    # -- the stored rows

    @property
    @reads
    def ids_(self) -> IdArray:
        """Ids of the stored rows, ascending; row positions after a fresh fit."""
        return self._stored().ids

    @property
    @reads
    def n_samples_fit_(self) -> int:
        """Number of stored rows."""
        return len(self._stored())

    @property
    @reads
    def schema_(self) -> Schema:
        """What the columns mean."""
        return self._stored().instances.schema

    @property
    @reads
    def distance_(self) -> FittedDistance:
        """The distance with the statistics of the stored rows."""
        return self._stored().fitted

    @reads
    def digest(self) -> str:
        """A fingerprint of the stored rows, targets and weights in id order.

        It does not depend on how the rows came: after `forget` it is that of a fit that never saw the forgotten rows.
        """
        return self._stored().instances.digest()

    @changes
    def forget(self, ids: ArrayLike) -> Self:
        """Forget rows, exactly as if they had never been seen.

        Parameters
        ----------
        ids
            Ids from `ids_`, `kneighbors` or `precedents`. An unknown or repeated id is an error and nothing is
            forgotten.
        """
        memory, caller = self._stored(), self._caller("forget")
        self._check_forgetting(ids, caller)
        memory.forget(ids, caller=caller)
        return self

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
        memory, k = self._answering("kneighbors"), self._how_many(n_neighbors, "kneighbors")
        cells, own = (self._cells(X, "kneighbors"), None) if X is not None else (memory.instances.cells(), memory.ids)
        available = len(memory) - (own is not None)
        if k > available:
            raise TooFewRowsError.neighbors(self._caller("kneighbors"), k, len(memory), own=own is not None)
        ids, distances = self._nearest(cells, k, own, "kneighbors")
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
        parameters.check_choice("mode", mode, choices, caller=self._caller("kneighbors_graph"), hint=hint)
        distances, ids = self.kneighbors(X, n_neighbors)
        return self._graph(distances if mode == "distance" else np.ones(ids.shape), ids)

    def _nearest(self, cells: FloatArray, k: int, own: IdArray | None, method: str) -> tuple[IdArray, FloatArray]:
        """Ids and distances of the ``k`` nearest rows of each query, ``own`` left out."""
        memory = self._stored()
        found = memory.search(cells, k, exclude=own, threads=self._threads(method))
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
    def _read_targets(self, y: Any, caller: str, classes: Any, first: bool) -> tuple[Schema, AnyArray] | None:
        """Schema and 2-D values of the targets; None when there are none. Remembers what the targets came as."""

    def _check_rows(self, caller: str) -> None:
        """Refuse rows just stored that the parameters do not go with."""

    def _check_forgetting(self, ids: ArrayLike, caller: str) -> None:
        """Refuse to forget rows that the parameters cannot go without."""

    def _finish_fit(self) -> None:
        """Do at fit what would otherwise wait for the first query."""
        _ = self._memory.index

    @abstractmethod
    def _how_many(self, n_neighbors: int | None, method: str) -> int:
        """The number of neighbours asked for."""

    def _threads(self, method: str) -> int:
        """Threads to use; ``n_jobs`` may have been changed since it was fitted."""
        return parameters.thread_count(parameters.check_n_jobs(self.n_jobs, caller=self._caller(method)))

    def _caller(self, method: str) -> str:
        return f"{type(self).__name__}.{method}"

    def _stored(self) -> Memory:
        memory = self.__dict__.get("_memory")
        if memory is None:
            check_is_fitted(self)
        return cast(Memory, memory)

    def _table(self, X: Any, method: str) -> Table:
        memory = self._stored()
        return read_queries(self, X, memory.instances, method=method)

    def _answering(self, method: str) -> Memory:
        """The stored rows, of which there must be some."""
        memory = self._stored()
        if not len(memory):
            raise TooFewRowsError.nothing_stored(self._caller(method))
        return memory

    def _cells(self, X: Any, method: str) -> FloatArray:
        """Queries as cells."""
        return self._answering(method).instances.encode(self._table(X, method))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    @changes
    def _fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        self.__dict__.pop("_memory", None)
        self._learn(X, y, sample_weight, None, "fit")
        self._finish_fit()
        return self

    @changes
    def _partial_fit(self, X: Any, y: Any, sample_weight: Any = None, classes: Any = None) -> Self:
        self._learn(X, y, sample_weight, classes, "partial_fit")
        return self

    def _learn(self, X: Any, y: Any, sample_weight: Any, classes: Any, method: str) -> None:
        caller = self._caller(method)
        first = "_memory" not in self.__dict__
        if first:
            self._check_parameters(caller)
        table = self._training_table(X, method) if first else self._table(X, method)
        targets = self._read_targets(y, caller, classes, first)
        if targets is not None and len(targets[1]) != len(table):
            raise TargetError.length(caller, "y", len(targets[1]), len(table))
        check_tabled(table, resolve(self.distance) if first else self._memory.distance)
        weights = check_weights(sample_weight, len(table), caller, parameter="sample_weight")
        if weights is not None and not weights.any():
            raise SampleWeightError.wrong(caller, "that is zero for every row")
        if first:
            self._memory = self._new_memory(table.schema, None if targets is None else targets[0], caller)
            record_features(self, table.schema)
        read = None if targets is None else targets[0].read(targets[1], caller=caller)
        self._memory.append(table, read, weights, check=lambda: self._check_rows(caller), caller=caller)

    def _training_table(self, X: Any, method: str) -> Table:
        """The first rows, which settle what the columns mean unless ``schema`` does."""
        if not isinstance(self.schema, Schema):
            _, table = read_training(
                self, X, categorical_features=self.categorical_features, kinds=self.schema, method=method
            )
            return with_tabled_values(table, resolve(self.distance), self.schema or ())
        if not isinstance(self.categorical_features, str) or self.categorical_features != "from_dtype":
            hint = "leave categorical_features out, or pass a mapping as schema."
            expected = "'from_dtype' when schema= declares every column"
            raise ParameterError.wrong(
                self._caller(method), "categorical_features", self.categorical_features, expected=expected, hint=hint
            )
        return read_queries(self, X, Instances(self.schema), method=method)

    def _check_parameters(self, caller: str) -> None:
        """Refuse parameters that break their rules, before anything is read."""
        parameters.check_algorithm(self.algorithm, caller=caller)
        parameters.check_n_jobs(self.n_jobs, caller=caller)
        resolve(self.distance)
        if self.schema is not None and not isinstance(self.schema, (Schema, Mapping)):
            expected = "None, a Schema or a mapping from column to kind"
            hint = "for example {'size': Ordinal(('S', 'M', 'L'))}."
            raise ParameterError.wrong(caller, "schema", self.schema, expected=expected, hint=hint)

    def _new_memory(self, schema: Schema, targets: Schema | None, caller: str) -> Memory:
        distance = resolve(self.distance)
        classes_matter = any(difference.needs_classes for difference in distance.differences(schema))
        if targets is not None and len(targets) > 1 and classes_matter:
            raise TargetError.one_target_only(caller, repr(self.distance))
        return Memory(
            Instances(schema, targets),
            distance,
            owner=type(self).__name__,
            target=None if targets is None else 0,
            attribute_weights=parameters.check_attribute_weights(self.attribute_weights, schema, caller=caller),
            algorithm=self.algorithm,
        )


def needs_classes(distance: Distance) -> bool:
    """Whether a distance is made from class frequencies."""
    parts = (distance.numeric, distance.ordinal, distance.nominal, *distance.attributes.values())
    return any(difference.needs_classes for difference in parts)
