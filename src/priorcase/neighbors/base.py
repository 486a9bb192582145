"""Base class of the nearest-neighbor estimators, and the class that holds their rows, distance and search index."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils._param_validation import Interval, StrOptions

from priorcase._core import Plan
from priorcase._parameters import check_parameters, check_value
from priorcase._typing import FloatArray, IdArray, IntArray, Name
from priorcase.bayes.subsets import RelevanceWeights
from priorcase.exceptions import ParameterError, PriorcaseError, TargetError, TooFewRowsError, listed, nearest, quoted
from priorcase.instances import Instances, as_floats
from priorcase.learning.estimator import RowsEstimator, SchemaLike
from priorcase.learning.state import Memory, reads
from priorcase.learning.targets import Classes
from priorcase.neighbors.votes import TIES, Poll
from priorcase.relevance import METHODS, AttributeWeights, Bayes, LeaveOneOutWeights, resolve_method
from priorcase.relevance.base import LearnedWeights, TrainingData, WeightingMethod
from priorcase.saving import checked
from priorcase.schema import Coded, Kind, Nominal, Schema, Table
from priorcase.schema.kinds import identity
from priorcase.search import ALGORITHMS, Algorithm, Index
from priorcase.search.index import NeighborList
from priorcase.similarity import Distance, FittedDistance, ValueTable, resolve
from priorcase.similarity.presets import DistanceLike
from priorcase.similarity.whole_rows import METRICS

if TYPE_CHECKING:
    from priorcase.neighbors.polling import Rules

Method: TypeAlias = Literal["gain_ratio", "relief", "mutual_information", "bayes", "loo"]
GivenWeights: TypeAlias = ArrayLike | Mapping[Name, float] | Method | WeightingMethod | None
"""Type of the ``attribute_weights`` parameter of estimators."""

Weights: TypeAlias = FloatArray | RelevanceWeights | LearnedWeights | None
"""Attribute weights of a memory: numbers, a method to learn them from its rows, or None for equal weights."""

NNeighbors: TypeAlias = int | Literal["sqrt", "all", "loo"]

WORTH_SAVING = 10_000
"""Minimum number of rows for saving the index; with fewer rows, building it is faster than reading it."""

_WEIGHTS = "attribute weights"

COUNT = Interval(Integral, 1, None, closed="left")
SEARCH: dict[str, list[Any]] = {"algorithm": [StrOptions(set(get_args(Algorithm)))]}
"""Constraint on the parameter ``algorithm``, which all neighbor estimators have."""


class NeighborsMemory(Memory):
    """Stored rows with a fitted distance and a search index, which are updated when rows are added or removed.

    Copies made by `fork` share one index in memory, which stores the rows of all of them.
    """

    def __init__(
        self, instances: Instances, distance: Distance, *, attribute_weights: Weights, algorithm: Algorithm
    ) -> None:
        super().__init__(instances)
        if distance.whole and attribute_weights is not None:
            raise ParameterError(
                f"attribute_weights apply to the differences of single columns, but {distance!r} compares whole rows. "
                "Omit attribute_weights, or choose another distance."
            )
        instances.keeps_unseen = distance.computed(instances.schema)
        self.distance = distance
        self.algorithm = algorithm
        self.threads = 1  # for building the index, and for checking a saved one
        self._weights = attribute_weights
        self._fitted: FittedDistance | None = None
        self._fitted_version = -1
        self._index: Index | None = None  # of exactly the rows in `instances`

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"_index": None}

    def fork(self) -> Self:
        """Return a modifiable copy with the same rows."""
        other = super().fork()
        if isinstance(self._weights, RelevanceWeights):
            other._weights = self._weights.fork()
            other._weights.instances = other.instances
        return other

    def saved(self) -> dict[str, Any]:
        """Return the index, the distance statistics and the learned weights for saving."""
        if len(self) < WORTH_SAVING or self.distance.whole:
            return {}
        found = {"index": self.index.saved(self.fitted, threads=self.threads), "statistics": self.fitted.facts}
        version, weights = self._cache.get(_WEIGHTS, (-1, None))
        return found | ({"attribute_weights": weights} if version == self.instances.version else {})

    def restore(self, instances: Instances, state: Mapping[str, Any]) -> None:
        """Restore saved rows, and the index, distance statistics and learned weights if they were saved."""
        instances.keeps_unseen = self.distance.computed(instances.schema)
        if isinstance(self._weights, RelevanceWeights):
            self._weights.instances = instances
        if "statistics" in state:
            target = None if instances.targets is None else 0
            self._fitted = self.distance.restored(instances, target, state["statistics"])
            self._fitted_version = instances.version
        super().restore(instances, state)
        if "index" in state:
            self._index = Index.restored(instances, self.fitted, state["index"], threads=self.threads)
        if "attribute_weights" in state and isinstance(self._weights, LearnedWeights):
            weights = checked(state["attribute_weights"], np.float64, (len(instances.schema),), least=0.0)
            self.cached(_WEIGHTS, lambda: weights)

    # -- attribute weights

    @property
    def attribute_weights(self) -> FloatArray | None:
        """Weight of each attribute, learned from the stored rows or passed by the user; None means equal weights."""
        given = self._weights
        if isinstance(given, RelevanceWeights):
            return given.weights
        if isinstance(given, LearnedWeights):
            return self.cached(_WEIGHTS, lambda: given.learn(self.training_data(given.threads)))
        return given

    @property
    def local_weights(self) -> bool:
        """Whether each query has its own attribute weights."""
        return isinstance(self._weights, LearnedWeights) and self._weights.weighting.local

    @property
    def learns_from_targets(self) -> bool:
        """Whether distances depend on the targets, through learned weights or class-based value differences."""
        learned = isinstance(self._weights, (RelevanceWeights, LearnedWeights))
        return learned or needs_classes(self.distance, self.instances.schema)

    def weights_for(self, cells: FloatArray, own: IdArray | None = None, *, threads: int = 1) -> FloatArray | None:
        """Return the attribute weights, with one row for each query if they are local; for ``own``, see `search`."""
        weights = self.attribute_weights
        given = self._weights
        if weights is None or not len(cells) or not (isinstance(given, LearnedWeights) and given.weighting.local):
            return weights
        return given.weighting.around(self.training_data(threads), weights, cells, own)

    def training_data(self, threads: int = 1) -> TrainingData:
        """Return the rows and the distance for learning attribute weights."""
        index = lambda: self.index  # noqa: E731  # built only if rows are searched
        return TrainingData(self.instances, self.fitted, index, self.algorithm, threads, self.cached)

    def check(self) -> None:
        """Raise an error if the attribute weights cannot be learned from the stored rows."""
        if isinstance(self._weights, RelevanceWeights):
            self._weights.check()

    # -- distance and index

    @property
    def fitted(self) -> FittedDistance:
        """Distance fitted to the stored rows."""
        fitted = self._fitted
        if fitted is None or self._fitted_version != self.instances.version:
            if not len(self):
                raise TooFewRowsError(
                    "no rows are stored: all were forgotten. Add rows with partial_fit, or fit again."
                )
            if fitted is not None:
                fitted = fitted.refreshed(self.instances)
            else:  # distances that depend on classes use the first target
                fitted = self.distance.fit(self.instances, None if self.instances.targets is None else 0)
            self._fitted, self._fitted_version = fitted, self.instances.version
        return fitted

    @property
    def index(self) -> Index:
        """Search index of the stored rows."""
        index = self._index
        if index is None or index.torn:
            self._index = index = Index(self.instances, self.fitted, threads=self.threads)
        return index

    def forget(self, ids: ArrayLike) -> None:
        """Remove rows, and discard the results that were computed from the removed rows."""
        rows = self.instances.look_up(ids) if isinstance(self._weights, RelevanceWeights) else None
        super().forget(ids)
        self._fitted = None
        if isinstance(self._weights, RelevanceWeights) and rows is not None:
            self._weights.follow_removal(rows)
        if (index := self._followed()) is not None:
            index.remove(np.asarray(ids, dtype=np.int64))
        self._index = index

    def _followed(self) -> Index | None:
        """Return a copy of the index for changing it as the rows have changed; None to build a new index later."""
        if self._index is None or self._index.torn or not len(self.instances):
            return None
        return self._index.fork(self.instances)

    def _added(self, ids: IdArray, table: Table | None) -> None:
        row = self.instances.encode(table) if table is not None and len(table) == 1 else None
        if row is not None and self._fitted is not None:
            self._fitted = self._fitted.refreshed(self.instances, row)
            self._fitted_version = self.instances.version
        elif len(self.instances):
            _ = self.fitted
        if isinstance(self._weights, RelevanceWeights):
            self._weights.follow(ids)
        if (index := self._followed()) is not None:
            if row is not None:
                index.take(ids, row)
            else:
                index.append(ids)
        self._index = index

    # -- searches

    def search(
        self,
        cells: FloatArray,
        k: int,
        *,
        exclude: IdArray | None = None,
        own: IdArray | None = None,
        ties: bool = False,
        threads: int = 1,
    ) -> NeighborList:
        """Return the ``k`` nearest rows of each query; with ``ties``, also return all rows tied with the k-th row.

        The row with id ``exclude[i]`` is not a neighbor of query i. Local attribute weights of query i are learned
        without this row or, if ``exclude`` is None, without the row with id ``own[i]``.
        """
        weights = self.weights_for(cells, own if exclude is None else exclude, threads=threads)
        options: Any = {"ties": ties, "algorithm": self.algorithm, "threads": threads}
        found = self.index.kneighbors(self.fitted, cells, k, weights=weights, exclude=exclude, **options)
        return NeighborList(found.indptr, self.positions(found.ids), found.distances)

    def distances(self, cells: FloatArray, own: IdArray | None = None, *, threads: int = 1) -> FloatArray:
        """Return the distances from each query to all stored rows, shape (queries, rows); for ``own``, see `search`."""
        fitted, weights = self.fitted, self.weights_for(cells, own, threads=threads)
        return fitted.finish(self.index.costs(fitted, cells, weights=weights, threads=threads))

    def contributions(self, query: FloatArray, rows: IntArray) -> FloatArray:
        """Return the contribution of each attribute to each distance from the query, shape (rows, attributes)."""
        fitted, weights = self.fitted, self.weights_for(query[None])
        weights = weights if weights is None or weights.ndim == 1 else weights[0]
        stored = fitted.prepare(self.instances.cells(rows))
        return fitted.distance_contributions(fitted.prepare(query[None])[0], stored, weights)

    def check_finite(
        self, cells: FloatArray, queries: IntArray, rows: IntArray, distances: FloatArray, *, first: int = 0
    ) -> None:
        """Raise an error if a distance is infinite; in the message, the first query has the number ``first``."""
        infinite = np.isinf(distances)
        if infinite.any():
            of, stored = queries[infinite], rows[infinite]
            weights = self.attribute_weights  # if these are positive, so are the weights of each query
            names = first + of, self.ids[stored]
            self.fitted.check_finite(distances[infinite], cells[of], self.instances.cells(stored), weights, names)

    # -- a single query, predicted by the compiled core in one call

    def poll(self, cells: FloatArray, k: int, rules: Rules) -> Poll | None:
        """Return the voters and votes of a single query, or None if the compiled core cannot compute these votes."""
        index = self.index
        if (query := self._core_query(index, cells, k, rules)) is None:
            return None
        if (found := index.core.poll(*query)) is None:
            return None
        ids, distances, votes = found
        return Poll(0, 1, NeighborList(np.array([0, ids.size]), self.positions(ids), distances), votes)

    def winner(self, cells: FloatArray, k: int, rules: Rules, classes: Classes) -> int:
        """Return the position of the winning class of a single query, or -1 if the compiled core cannot decide."""
        index = self.index
        if (query := self._core_query(index, cells, k, rules)) is None:
            return -1
        numbers, n, ids = classes.of_code, classes.labels.size, self.ids
        return index.core.winner(*query, ids, classes.stored, numbers, n, TIES[rules.ties])

    def _core_query(
        self, index: Index, cells: FloatArray, k: int, rules: Rules
    ) -> tuple[Plan, FloatArray, FloatArray, int, bool, int, float, bool, int] | None:
        vote = rules.vote.core
        if vote is None or vote[0] > 1 or self.row_weights is not None:  # only uniform and inverse-square votes
            return None
        fitted, weights = self.fitted, self.weights_for(cells)
        if fitted.queries_at_once is not None and not fitted.answers(cells):  # left to the batch search
            return None
        plan, asked, distance = index.plan_of(fitted), fitted.prepare(cells), fitted.distance
        ones = index.ones if weights is None else np.atleast_2d(weights)
        rest = rules.ties == "majority", vote[0], distance.power, distance.root, ALGORITHMS[self.algorithm]
        return plan, asked, ones, k, *rest


class NeighborsEstimator(RowsEstimator[NeighborsMemory]):
    """Base class of the estimators that predict from the stored rows nearest to a query."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    n_neighbors: Any
    distance: DistanceLike
    attribute_weights: Any
    algorithm: Algorithm
    n_neighbors_: Any
    _distance: Distance
    _k: Any

    @property
    @reads
    def distance_(self) -> FittedDistance:
        """The distance, fitted to the stored rows."""
        return self._stored().fitted

    @property
    @reads
    def attribute_weights_(self) -> AttributeWeights:
        """Weight of each column, by name; learned weights are updated when rows are added or removed."""
        memory = self._answering()
        weights, schema = memory.attribute_weights, memory.instances.schema
        method = "bayes" if isinstance(memory._weights, RelevanceWeights) else "given"
        if isinstance(memory._weights, LearnedWeights):
            method = memory._weights.weighting.method
        labels = tuple(map(schema.label, range(len(schema))))
        return AttributeWeights(
            labels, np.ones(len(schema)) if weights is None else weights.copy(), method, self._backend
        )

    @reads
    def attribute_weights_at(self, X: Any) -> FloatArray:
        """Return the column weights used for each query, shape (queries, columns)."""
        cells = self._cells(X)
        weights = self._stored().weights_for(cells, threads=self._threads())
        return np.ones(cells.shape) * (1.0 if weights is None else weights)

    @reads
    def kneighbors(
        self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> tuple[FloatArray, IdArray] | IdArray:
        """Find the nearest stored rows of each query; return distances and ids, shape (queries, n_neighbors).
        Without X, the stored rows are the queries, and a row is not its own neighbor. Rows at equal distances are
        sorted by id.
        """
        memory, k = self._answering(), self._how_many(n_neighbors)
        cells, own = (self._cells(X), None) if X is not None else (memory.instances.cells(), memory.ids)
        ids, distances = self._nearest(cells, k, own)
        return (distances, ids) if return_distance else ids

    @reads
    def kneighbors_graph(
        self, X: Any = None, n_neighbors: int | None = None, mode: Literal["connectivity", "distance"] = "connectivity"
    ) -> sparse.csr_matrix:
        """Return the nearest rows as a sparse matrix, shape (queries, stored rows), with entries sorted by distance."""
        check_value("mode", mode, [StrOptions({"connectivity", "distance"})])
        distances, ids = self.kneighbors(X, n_neighbors)
        return self._graph(distances if mode == "distance" else np.ones(ids.shape), ids)

    def _nearest(self, cells: FloatArray, k: int, own: IdArray | None) -> tuple[IdArray, FloatArray]:
        """Return ids and distances of the ``k`` nearest rows of each query i, excluding the row with id ``own[i]``."""
        memory = self._stored()
        if k > len(memory) - (own is not None):
            sign = "<=" if own is None else "<"
            raise TooFewRowsError(
                f"Expected n_neighbors {sign} n_samples_fit, but n_neighbors = {k}, n_samples_fit = {len(memory)}. "
                "Use a smaller n_neighbors, or store more rows."
            )
        found = memory.search(cells, k, exclude=own, threads=self._threads())
        memory.check_finite(cells, found.queries(), found.rows, found.distances)
        return memory.ids[found.rows].reshape(-1, k), found.distances.reshape(-1, k)

    def _graph(self, entries: FloatArray, ids: IdArray) -> sparse.csr_matrix:
        n, k = ids.shape
        columns = self._stored().positions(ids.ravel())
        return sparse.csr_matrix((entries.ravel(), columns, np.arange(n + 1) * k), shape=(n, self.n_samples_fit_))

    def _how_many(self, n_neighbors: int | None) -> int:
        """Return the number of neighbors to list, which is ``n_neighbors_`` if ``n_neighbors`` is None."""
        if n_neighbors is not None:
            check_value("n_neighbors", n_neighbors, [COUNT])
            return int(n_neighbors)
        if isinstance(self._k, int):
            return self._k
        # Each row is listed once, so with sample weights k may exceed the number of rows.
        return min(int(self.n_neighbors_), len(self._stored()))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if isinstance(self.distance, str):
            tags.input_tags.pairwise = tags.input_tags.positive_only = self.distance == "precomputed"
            if self.distance in METRICS or self.distance == "precomputed":  # numeric, without missing values
                tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = False
        return tags

    def _needs_one_target(self) -> bool:
        """Return whether the distance or the attribute weights are learned from a single target."""
        if needs_one_target(self.attribute_weights):
            return True
        try:
            return needs_classes(resolve(self.distance))
        except PriorcaseError:
            return False  # not a distance; fit raises an error

    def _check_parameters(self) -> None:
        check_parameters(self)
        super()._check_parameters()
        self._distance = resolve(self.distance)

    def _training_table(self, X: Any) -> Table:
        return with_tabled_values(super()._training_table(X), self._distance, self.schema)

    def _check_table(self, table: Table, first: bool) -> None:
        check_tabled(table, self._distance)

    def _check_rows(self) -> None:
        self._memory.check()

    def _finish_fit(self) -> None:
        _ = self._memory.index, self._memory.attribute_weights  # computed now, so that the first query is fast

    def _new_memory(self, schema: Schema, targets: Schema | None) -> NeighborsMemory:
        if targets is not None and len(targets) > 1 and needs_classes(self._distance, schema):
            raise TargetError(
                f"distance={self.distance!r} is learned from the classes of one target, got several target columns. "
                "Fit one estimator for each target, or use a distance that needs no classes, such as 'heom'."
            )
        instances, weights = Instances(schema, targets), None
        if self.attribute_weights is not None:
            weights = resolve_weights(self.attribute_weights, instances, threads=self._threads())
        memory = NeighborsMemory(instances, self._distance, attribute_weights=weights, algorithm=self.algorithm)
        memory.threads = self._threads()
        return memory


def needs_classes(distance: Distance, schema: Schema | None = None) -> bool:
    """Return whether a distance uses class frequencies for a column of ``schema`` (None: for any kind of column)."""
    parts = (distance.numeric, distance.ordinal, distance.nominal, *distance.attributes.values())
    return any(d.needs_classes for d in (parts if schema is None else distance.differences(schema)))


# -- attribute weights as passed


def resolve_weights(value: object, instances: Instances, *, threads: int) -> Weights:
    """Convert the user's ``attribute_weights`` to the type that `NeighborsMemory` takes; ``instances`` may be empty."""
    method, targets = resolve_method(value), instances.targets
    if method is None:
        return _numbers(value, instances.schema)
    has_classes = targets is not None and isinstance(targets.kinds[0], Nominal)
    usable = targets is not None and (len(targets) == 1 or not needs_one_target(value))
    if usable and isinstance(method, LeaveOneOutWeights):
        method.check_target(has_classes)
    if not usable or not (method.takes_numbers or has_classes):
        kinds = "classes or numbers" if method.takes_numbers else "classes"
        raise ParameterError(
            f"attribute_weights={quoted(value)} learns the weights from y, which must be a single "
            f"column of {kinds}. Pass such a y, or pass numbers, a mapping or None as attribute_weights."
        )
    if isinstance(method, Bayes):
        return RelevanceWeights(instances, threads=threads)
    return LearnedWeights(method, threads)


def needs_one_target(value: object) -> bool:
    """Return whether the method for learning attribute weights requires a single target."""
    weighting = resolve_method(value)
    return weighting is not None and (isinstance(weighting, Bayes) or weighting.local)


def _numbers(value: object, schema: Schema) -> FloatArray:
    """Convert the user's weights to one weight for each attribute; raise an error if they are invalid."""
    numbers = value
    if isinstance(value, Mapping):  # 1 for the attributes that are not listed
        given = dict(zip(schema.positions(value, parameter="attribute_weights"), value.values(), strict=True))
        numbers = [given.get(a, 1.0) for a in range(len(schema))]
    weights = None if isinstance(value, str) else as_floats(numbers)
    if weights is None:
        meant = nearest(value, METHODS)
        raise ParameterError(
            "attribute_weights must be None, one number >= 0 for each attribute, a mapping from attribute to number, "
            f"or one of the learning methods {', '.join(map(repr, METHODS))}, got {quoted(value)}"
            + ("" if meant is None else f". Did you mean {meant!r}?")
        )
    usable = weights.shape == (len(schema),) and bool(np.isfinite(weights).all()) and bool((weights >= 0).all())
    if not usable or not weights.any():
        raise ParameterError(
            f"attribute_weights must be {len(schema)} finite numbers >= 0, at least one of them positive, "
            f"got {quoted(value)}"
        )
    return weights


# -- columns compared by a `ValueTable`, whose values are known from the start


def _tabled(schema: Schema, distance: Distance) -> list[tuple[int, ValueTable]]:
    """Return the column position and the `ValueTable` of each nominal column that has a `ValueTable`."""
    if not distance.attributes and not isinstance(distance.nominal, ValueTable):
        return []
    pairs = enumerate(distance.differences(schema))
    return [(a, d) for a, d in pairs if isinstance(d, ValueTable) and isinstance(schema.kinds[a], Nominal)]


def declared_values(schema: Schema, distance: Distance, declared: SchemaLike) -> Schema:
    """Declare the values of each `ValueTable`, so that queries can contain listed values that no stored row has."""
    if isinstance(declared, Schema) or not (tabled := _tabled(schema, distance)):
        return schema
    by_hand, kinds = {schema.position(key) for key in declared or ()}, list[Kind](schema.kinds)
    for a, values in tabled:
        if a not in by_hand and getattr(kinds[a], "values", None) is None:
            kinds[a] = Nominal(tuple(values.values))
    return Schema(schema.names, tuple(kinds))


def with_tabled_values(table: Table, distance: Distance, declared: SchemaLike) -> Table:
    """Return the training table with the schema that `declared_values` returns."""
    schema = declared_values(table.schema, distance, declared)
    return table if schema is table.schema else Table(schema, len(table), table.columns)


def check_tabled(table: Table, distance: Distance) -> None:
    """Raise an error if a column contains values that are not in the column's `ValueTable`."""
    for a, values in _tabled(table.schema, distance):
        column, known = table.columns[a], {identity(value) for value in values.values}
        if isinstance(column, Coded):
            used = [column.values[code] for code in sorted(set(column.codes.tolist())) if code >= 0]
            if lacking := [value for value in used if identity(value) not in known]:
                raise ParameterError(
                    f"the ValueTable of column {table.schema.label(a)!r} has no entries for {listed(lacking)}. "
                    "Add entries for these values to the ValueTable."
                )
