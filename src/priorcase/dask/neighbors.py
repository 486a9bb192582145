"""k-NN over the partitions of a Dask DataFrame: one index for each partition, kept on its worker.

First, statistics of all partitions are combined, so that all partitions use the same fitted distance. A query is sent
to every partition; each partition returns its k nearest rows with their ids, distances, targets and weights. The rows
from all partitions are then sorted by distance, and by id if distances are equal. Voting works as in `KNNClassifier`
and `KNNRegressor`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, Literal

import dask
import numpy as np
from dask.delayed import Delayed, delayed
from sklearn.base import clone

from priorcase._grids import TextResult
from priorcase._typing import AnyArray, FloatArray, IdArray, IntArray
from priorcase.bayes.subsets import RelevanceWeights
from priorcase.dask.partitions import Agreement, Totals, join_totals, store, totals, with_counts
from priorcase.dask.statistics import ReducedStatistics, over
from priorcase.exceptions import NotAvailableError, NumericRangeError, ParameterError, TooFewRowsError
from priorcase.instances import Instances
from priorcase.instances.instances import unseen_values, with_unseen
from priorcase.learning.estimator import read_queries, record_features
from priorcase.learning.state import pinned
from priorcase.learning.targets import Labeling
from priorcase.neighbors import KNNClassifier, KNNRegressor
from priorcase.neighbors.polling import Rules
from priorcase.neighbors.tuning import with_rows
from priorcase.neighbors.votes import LeftOut, Poll
from priorcase.relevance.base import LearnedWeights
from priorcase.search import Algorithm, Index, Neighbors
from priorcase.search.index import SLACK, NeighborList
from priorcase.similarity import FittedDistance

KNN = KNNClassifier | KNNRegressor

_MERGED_AT_ONCE = 8  # number of lists merged by one task
_AT_ONCE = 256  # queries for which rows within a limit are listed before farther rows are dropped
_PROBED, _FEW_OF_PROBED = 64, 1  # sample for estimating whether few rows are within a limit
_GOLDEN = 0.6180339887


# -- data sent between workers


@dataclass(frozen=True, eq=False)
class Queries:
    """Encoded queries; if the queries are stored rows, also their ids, targets and weights."""

    cells: FloatArray
    unseen: Sequence[Any] = ()  # values that are not in the stored rows
    own: IdArray | None = None  # ids of queries that are stored rows; no row is its own neighbor
    targets: AnyArray | None = None
    weights: FloatArray | None = None

    def as_cells(self) -> FloatArray:
        return with_unseen(self.cells, self.unseen) if self.unseen else self.cells


@dataclass(frozen=True, eq=False)
class Found:
    """Nearest rows of each query in one or more partitions, nearest first."""

    indptr: IdArray  # the rows of query i are at the positions from indptr[i] to indptr[i + 1] - 1
    ids: IdArray
    distances: FloatArray
    targets: AnyArray
    weights: FloatArray | None = None
    overflow: AnyArray | None = None  # mask of the distances that overflow float64; None if there are none

    @property
    def nbytes(self) -> int:
        return sum(value.nbytes for value in vars(self).values() if value is not None)

    def refuse_overflow(self, queries: IntArray, at: Any = slice(None), *, first: int = 0) -> None:
        """Raise an error if a distance at ``at`` overflows; ``queries`` contains the query number of each distance."""
        if self.overflow is not None and (wrong := self.overflow[at]).any():
            entry = int(np.argmax(wrong))
            raise NumericRangeError(
                f"query {queries[entry] + first} has numbers so large that its distance from row {self.ids[at][entry]} "
                "is infinite in float64. Divide the columns by a large constant, or take their logarithm."
            )


# -- on the workers


class IndexedPartition:
    """Rows of one partition with their search index; other workers build the index again from the rows."""

    def __init__(
        self, stored: Instances, fitted: FittedDistance, weights: FloatArray | None, algorithm: Algorithm, threads: int
    ) -> None:
        stored = stored.fork()  # Dask may also pass the original to other tasks
        stored.keeps_unseen = fitted.distance.computed(stored.schema)
        self.stored, self.fitted, self.weights = stored, fitted, weights
        self.algorithm, self.threads = algorithm, threads
        self._index: Index | None = None
        self._lock = Lock()
        if len(stored):
            _ = self.index

    def __len__(self) -> int:
        return len(self.stored)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_lock", "_index")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._index, self._lock = None, Lock()

    def __sizeof__(self) -> int:
        """Return the size in bytes, from which Dask decides whether to move the partition or the queries."""
        return self.stored.nbytes + (0 if self._index is None else self._index.nbytes)

    @property
    def index(self) -> Index:
        with self._lock:
            if self._index is None:
                self._index = Index(self.stored, self.fitted, threads=self.threads)
            return self._index

    def nearest(
        self, queries: Queries, k: int, *, ties: bool, weighted: bool, limits: FloatArray | None = None
    ) -> Found:
        """Return, for each query, the rows that may be among the ``k`` nearest rows of all partitions.

        If ``weighted`` is True, enough rows are returned for a total weight of ``k``. Rows farther away than ``limits``
        (one distance for each query) may be omitted, because another partition has ``k`` rows within this distance.
        """
        n = len(queries.cells)
        if not len(self) or not n:
            none = np.empty(0)
            found = Found(np.zeros(n + 1, np.int64), np.empty(0, np.int64), none, self.stored.target(0)[:0])
            return replace(found, weights=none) if weighted else found
        if weighted:
            return self._found(queries, np.arange(n), self._until(queries, k, ties), weighted=True)
        few = np.zeros(n, bool) if limits is None else self._few_within(queries, limits)
        at, lists = np.flatnonzero(few), []
        for start in range(0, at.size, _AT_ONCE):
            some = at[start : start + _AT_ONCE]
            lists.append(merged([self._found(queries, some, self._ask(queries, some, limits=limits))], k, ties))
        if (rest := np.flatnonzero(~few)).size:
            lists.append(self._found(queries, rest, self._ask(queries, rest, k, ties)))
        return lists[0] if len(lists) == 1 else merged(lists, k, ties)

    def _ask(
        self, queries: Queries, at: IntArray, k: int = 0, ties: bool = False, limits: FloatArray | None = None
    ) -> Neighbors:
        """Return the ``k`` nearest rows of the queries at ``at``, or all rows within ``limits`` if limits are given."""
        cells, own = queries.as_cells()[at], None if queries.own is None else queries.own[at]
        options: Any = {"weights": self.weights, "exclude": own, "algorithm": self.algorithm, "threads": self.threads}
        if limits is not None:
            return self.index.within(self.fitted, cells, limits[at], **options)
        return self.index.kneighbors(self.fitted, cells, min(k, len(self)), ties=ties, **options)

    def _until(self, queries: Queries, wanted: int, ties: bool) -> Neighbors:
        """Return, for each query, enough nearest rows for a total weight of at least ``wanted``, or else all rows."""
        every, weights, k = np.arange(len(queries.cells)), self._row_weights(), wanted
        while True:
            found = self._ask(queries, every, k, ties)
            reached = np.bincount(
                np.repeat(every, found.counts), weights[self._positions(found.ids)], minlength=every.size
            )
            if k >= len(self) or (reached >= wanted * (1 - SLACK)).all():
                return found
            k *= 2

    def _few_within(self, queries: Queries, limits: FloatArray) -> AnyArray:
        """Return a mask of the queries with few rows of this partition within their limits, estimated from a sample."""
        probe = self.stored.ids[:: max(1, len(self) // _PROBED)]
        costs = self.index.costs(self.fitted, queries.as_cells(), weights=self.weights, ids=probe, threads=self.threads)
        share = (self.fitted.finish(costs) <= limits[:, None]).mean(axis=1)
        few: AnyArray = np.isfinite(limits) & (share <= _FEW_OF_PROBED / _PROBED)
        return few

    def _positions(self, ids: IdArray) -> IntArray:
        """Return the positions of the rows with the given ids."""
        own = self.stored.ids  # consecutive unless rows with zero weight were dropped
        return ids - own[0] if own[-1] - own[0] == own.size - 1 else np.searchsorted(own, ids)

    def _row_weights(self) -> FloatArray:
        weights = self.stored.weights
        return np.ones(len(self)) if weights is None else weights

    def _found(self, queries: Queries, at: IntArray, found: Neighbors, *, weighted: bool = False) -> Found:
        """Return the neighbors of the queries at the positions ``at``, with targets; other queries get empty lists."""
        rows, n = self._positions(found.ids), len(queries.cells)
        counts = np.zeros(n, np.int64)
        counts[at] = found.counts
        overflow = None
        if np.isinf(found.distances).any():
            overflow = self._overflow(queries.as_cells()[np.repeat(at, found.counts)], rows, found.distances)
        weights = self._row_weights()[rows] if weighted else None
        indptr = np.concatenate([[0], np.cumsum(counts)])
        return Found(indptr, found.ids, found.distances, self.stored.target(0)[rows], weights, overflow)

    def _overflow(self, queries: FloatArray, at: IntArray, distances: FloatArray) -> AnyArray:
        """Return a mask of the distances that are infinite because they overflow float64."""
        found = np.isinf(distances)
        for entry in np.flatnonzero(found).tolist():
            try:
                rows = self.stored.cells(at[entry : entry + 1])
                self.fitted.check_finite(distances[entry : entry + 1], queries[entry][None], rows, self.weights)
                found[entry] = False
            except NumericRangeError:
                pass
        return found

    def as_queries(self) -> Queries:
        """Return the stored rows as queries; no row is its own neighbor."""
        weights = self.stored.weights
        return Queries(self.stored.cells(), (), self.stored.ids, self.stored.target(0), weights)


def nearest(part: IndexedPartition, queries: Queries, k: int, ties: bool, weighted: bool, first: Any = None) -> Found:
    """Return the nearest rows of each query in one partition.

    ``first`` contains the nearest rows in the partition that was searched first; None if this is the first partition or
    if rows are weighted. Rows farther away than the k-th row of the first partition can be omitted.
    """
    limits = None
    if first is not None:
        reached = np.diff(first.indptr) >= k
        limits = np.full(len(queries.cells), np.inf)
        limits[reached] = first.distances[first.indptr[:-1][reached] + k - 1]
    return part.nearest(queries, k, ties=ties, weighted=weighted, limits=limits)


def merged(lists: Sequence[Found], k: int, ties: bool) -> Found:
    """Merge neighbors from several partitions; keep the ``k`` nearest (and ties, if asked), or all if weighted."""
    lists = [each for each in lists if len(each.ids)] or list(lists[:1])
    if not len(lists[0].ids):
        return lists[0]
    n = len(lists[0].indptr) - 1
    of = np.concatenate([np.repeat(np.arange(n), np.diff(each.indptr)) for each in lists])
    ids, distances, targets = (
        np.concatenate([getattr(each, name) for each in lists]) for name in ("ids", "distances", "targets")
    )
    order = np.lexsort((ids, distances, of))
    of, distances = of[order], distances[order]
    starts = np.searchsorted(of, np.arange(n + 1))
    kept = np.ones(len(of), bool)
    weighted = lists[0].weights is not None
    if not weighted:  # the number of rows with enough weight differs between queries
        kept = np.arange(len(of)) - starts[of] < k
        if ties:
            last = np.minimum(starts[:-1] + k, starts[1:]) - 1
            kept |= distances == distances[np.maximum(last, 0)][of]
    order, indptr = order[kept], np.concatenate([[0], np.cumsum(np.bincount(of[kept], minlength=n))])
    weights = np.concatenate([_weights(each) for each in lists])[order] if weighted else None
    overflow = None
    if any(each.overflow is not None for each in lists):
        parts = [np.zeros(len(each.ids), bool) if each.overflow is None else each.overflow for each in lists]
        overflow = np.concatenate(parts)[order]
    return Found(indptr, ids[order], distances[kept], targets[order], weights, overflow)


def _weights(found: Found) -> FloatArray:
    return np.ones(len(found.ids)) if found.weights is None else found.weights


# -- votes on merged lists


class _FoundClasses:
    """Classes of the neighbors, and the total weight of each class over all stored rows."""

    def __init__(self, labels: AnyArray, codes: IntArray, weights: FloatArray) -> None:
        self.labels, self.codes, self.weights = labels, codes, weights

    def at(self, rows: IntArray | slice) -> IntArray:
        return np.asarray(self.codes[rows], np.int64)


class _ClassVotes(KNNClassifier):
    """`KNNClassifier` that predicts from neighbors found by the workers; it stores no rows."""

    _found: list[Any]

    def _outputs(self) -> list[Any]:
        return self._found


class _NumberVotes(KNNRegressor):
    """`KNNRegressor` that predicts from neighbors found by the workers; it stores no rows."""

    _found: FloatArray

    def _targets(self) -> FloatArray:
        return self._found


Answer = Literal["predict", "predict_proba"]


@dataclass(frozen=True, eq=False)
class Votes:
    """Parameters, classes and class weights of a model, for predictions from the neighbors of queries."""

    model: Any
    empty: Instances = field(repr=False)
    labels: AnyArray | None
    of_code: IntArray | None
    class_weights: FloatArray | None
    total: float

    def answer(self, what: Answer, found: Found, k: int | FloatArray, queries: Queries, first: int = 0) -> AnyArray:
        """Return predictions or class probabilities for queries; ``k`` is one number, or one for each query."""
        n, own = len(queries.cells), queries.targets
        if not n:
            width = () if what == "predict" else (0 if self.labels is None else self.labels.size,)
            dtype = float if what != "predict" or self.labels is None else self.labels.dtype
            return np.empty((0, *width), dtype)
        neighbors = NeighborList(found.indptr, np.arange(len(found.ids)), found.distances, found.weights)
        model = pinned(self.model, dict(self.model.__dict__))  # other threads may vote at the same time
        parts = []
        groups: list[tuple[int, Any]] = [(k, slice(None))] if isinstance(k, int) else []
        if not isinstance(k, int):
            groups = [(int(each), np.flatnonzero(k == each)) for each in np.unique(k).tolist()]
        rows = []
        for each, some in groups:
            lists = neighbors if isinstance(some, slice) else _some(neighbors, some)
            poll = model._rules.poll(lists, each)
            if found.overflow is not None:
                self._refuse_overflow(found, lists, poll.voters, np.arange(n)[some] + first)
            left_out: LeftOut | None = None
            targets = found.targets
            if own is not None:
                targets = np.concatenate([targets, own[some]])
                gone = np.ones(n) if queries.weights is None else queries.weights
                left_out = np.arange(len(found.ids), len(targets)), gone[some]
            if isinstance(model, _NumberVotes):
                model._found = targets[:, None]
            elif isinstance(model, _ClassVotes):
                assert self.of_code is not None
                model._found = [_FoundClasses(self.labels, self.of_code[targets], self.class_weights)]  # type: ignore[arg-type]
            ask = type(model)._decide if what == "predict" else model_probabilities
            parts.append(ask(model, poll, left_out))
            rows.append(np.arange(n)[some])
        answers = np.concatenate(parts)[np.argsort(np.concatenate(rows))]
        return model._shaped(answers) if what == "predict" else answers

    def _refuse_overflow(self, found: Found, lists: NeighborList, voters: NeighborList, numbers: IntArray) -> None:
        far = np.zeros(len(voters), bool) if voters.bandwidths is None else np.isinf(voters.bandwidths)
        far[voters.queries()[np.isinf(voters.distances)]] = True
        of = lists.queries()
        at = np.flatnonzero(far[of])
        found.refuse_overflow(numbers[of[at]], lists.rows[at])


def model_probabilities(model: Any, poll: Poll, left_out: LeftOut | None) -> FloatArray:
    return model._probabilities(poll, left_out)  # type: ignore[no-any-return]


def _some(neighbors: NeighborList, queries: IntArray) -> NeighborList:
    """Return the neighbors of the queries at the given positions."""
    parts = [np.arange(neighbors.indptr[i], neighbors.indptr[i + 1]) for i in queries.tolist()]
    at = np.concatenate(parts)
    indptr = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
    counts = None if neighbors.counts is None else neighbors.counts[at]
    return NeighborList(indptr, neighbors.rows[at], neighbors.distances[at], counts)


def answered(votes: Votes, what: Answer, found: Found, k: Any, queries: Queries, first: int = 0) -> AnyArray:
    return votes.answer(what, found, k, queries, first)


def encoded(empty: Instances, X: Any) -> Queries:
    if not len(X):
        return Queries(np.empty((0, len(empty.schema))))
    cells = empty.encode(read_queries(X, empty))
    return Queries(np.asarray(cells), tuple(unseen_values(cells)))


# -- the model


class DistributedKNN(TextResult):
    """`KNNClassifier` or `KNNRegressor` fitted to a Dask DataFrame; returned by `priorcase.dask.fit`.

    The rows and their indexes stay on the workers. This object contains the parameters, the fitted distance and
    references to the partitions. If a worker dies, Dask reads its partitions and builds their indexes again.

    Attributes
    ----------
    classes_
        Classes in ascending order; only for a classifier.
    n_neighbors_, attribute_weights_, distance_, schema_, n_samples_fit_
        See `KNNClassifier`.
    """

    def __init__(
        self, model: KNN, empty: Instances, parts: Sequence[Delayed], fitted: FittedDistance, totals: Totals,
        weights: FloatArray | None, votes: Votes, k: int,
    ) -> None:  # fmt: skip
        self.model, self.parts = model, list(parts)
        self._empty, self._totals, self._votes = empty, totals, votes
        self.distance_, self.n_neighbors_ = fitted, k
        self._weights = weights

    def __repr__(self) -> str:
        return f"DistributedKNN({self.model!r}, {self.n_samples_fit_:,} rows in {len(self.parts)} partitions)"

    @property
    def n_samples_fit_(self) -> int:
        """Number of stored rows."""
        return self._totals.rows

    @property
    def schema_(self) -> Any:
        """Kind of each column."""
        return self._empty.schema

    @property
    def classes_(self) -> AnyArray:
        """Classes in ascending order."""
        if self._votes.labels is None:
            raise NotAvailableError("a regressor has no classes, and so no class probabilities")
        return self._votes.labels

    @property
    def attribute_weights_(self) -> FloatArray:
        """Weight of each attribute, in schema order."""
        return np.ones(len(self._empty.schema)) if self._weights is None else self._weights.copy()

    @property
    def _rules(self) -> Rules:
        return self._votes.model._rules  # type: ignore[no-any-return]

    # -- tasks

    def queries(self, X: Any) -> Delayed:
        """Return a task that encodes queries; ``X`` is the table of queries, or a task that computes this table."""
        return delayed(encoded, pure=False)(delayed(self._empty, traverse=False), X)

    def near(self, queries: Delayed, k: int, *, ties: bool, weighted: bool, turn: int = 0) -> Delayed:
        """Return a task that finds the nearest rows of each query in all partitions.

        One partition, which depends on ``turn``, is searched first. Unless rows are weighted, its nearest rows limit
        the search in the other partitions. The results are merged in groups of eight.
        """
        ask, merge = delayed(nearest, pure=False), delayed(merged, pure=False)
        start = int(turn * _GOLDEN * len(self.parts)) % len(self.parts)
        parts = self.parts[start:] + self.parts[:start]
        first = ask(parts[0], queries, k, ties, weighted)
        limited = None if weighted else first
        lists = [first, *(ask(part, queries, k, ties, weighted, limited) for part in parts[1:])]
        while len(lists) > 1:
            groups = [lists[i : i + _MERGED_AT_ONCE] for i in range(0, len(lists), _MERGED_AT_ONCE)]
            lists = [merge(group, k, ties) for group in groups]
        return lists[0]

    def answers(self, what: Answer, queries: Delayed, k: Any, most: int, *, first: int = 0, turn: int = 0) -> Delayed:
        """Return a task that predicts (or computes probabilities) from the ``k`` nearest rows of each query.

        ``k`` is a number or a task that computes one number for each query; ``most`` is the largest possible number.
        """
        rules, weighted = self._rules, self._totals.weighted
        wanted = most + 1 if rules.vote.needs_bandwidth else most
        found = self.near(queries, wanted, ties=rules.whole_ties, weighted=weighted, turn=turn)
        return delayed(answered, pure=False)(delayed(self._votes, traverse=False), what, found, k, queries, first)

    def left_out(self, what: Answer) -> list[Delayed]:
        """Return a task for each partition that computes leave-one-out predictions of its rows."""
        total, weighted = self._totals.weight, self._totals.weighted
        k = self.n_neighbors_
        fixed = self.model.n_neighbors not in ("sqrt",)
        largest = max(over(self.parts, _largest_weight))
        if fixed and k > (total - largest) * (1 + SLACK):
            raise TooFewRowsError(
                f"Expected n_neighbors < n_samples_fit, but n_neighbors = {k}, n_samples_fit = {total:g}. "
                "Use a smaller n_neighbors, or store more rows."
            )
        found = []
        for turn, part in enumerate(self.parts):
            queries = delayed(_as_queries, pure=False)(part)
            own: Any = k
            if not fixed:
                own = _root(total - 1.0) if not weighted else delayed(_roots, pure=False)(queries, total)
            found.append(self.answers(what, queries, own, max(k, 1), turn=turn))
        return found

    def check_k(self, k: int, *, own: bool = False, weights: bool = True) -> None:
        """Raise an error if more neighbors are requested than there are rows."""
        n = self._totals.weight * (1 + SLACK) if weights else self.n_samples_fit_ - own
        if k > n:
            stated = self._totals.weight if weights else self.n_samples_fit_
            raise TooFewRowsError(
                f"Expected n_neighbors {'<' if own else '<='} n_samples_fit, but n_neighbors = {k}, n_samples_fit = "
                f"{stated:g}. Use a smaller n_neighbors, or store more rows."
            )


def _largest_weight(part: IndexedPartition) -> float:
    if not len(part):
        return 0.0
    weights = part.stored.weights
    return 1.0 if weights is None else float(weights.max())


def _as_queries(part: IndexedPartition) -> Queries:
    return part.as_queries()


def _root(weight: float) -> int:
    return math.isqrt(max(1, int(weight * (1 + SLACK))))


def _roots(queries: Queries, total: float) -> AnyArray:
    weights = np.ones(len(queries.cells)) if queries.weights is None else queries.weights
    return np.array([_root(rest) for rest in (total - weights).tolist()], np.int64)


# -- fit


def fit_neighbors(model: KNN, agreement: Agreement, partitions: Sequence[Delayed]) -> DistributedKNN:
    head = _head(model, agreement)
    stored = dask.persist(*_stored(head, agreement, partitions))
    found = join_totals(over(stored, totals))
    if not found.rows:
        raise TooFewRowsError("no row has a positive weight")
    empty = with_counts(agreement, found)
    statistics = ReducedStatistics(empty, 0, stored, found)
    statistics.find_inliers(head._distance.inlying(empty.schema))
    fitted = head._distance.fit_statistics(statistics, empty)
    empty.keeps_unseen = head._distance.computed(empty.schema)
    votes = _votes(head, empty, found, stored)
    weights, k = _learned(head, empty, stored)
    threads = 1 if model.n_jobs is None else head._threads()
    make, shared = delayed(IndexedPartition, pure=False), delayed(fitted, traverse=False)
    parts = dask.persist(*(make(part, shared, weights, model.algorithm, threads) for part in stored))
    if k is None:
        chosen = head._k
        k = max(1, int(found.weight * (1 + SLACK))) if chosen == "sqrt" else int(chosen)
        k = math.isqrt(k) if chosen == "sqrt" else k
    return DistributedKNN(model, empty, parts, fitted, found, weights, votes, k)


def _stored(head: Any, agreement: Agreement, partitions: Sequence[Delayed]) -> list[Delayed]:
    task = delayed(store, pure=False)
    shared, checks = delayed(agreement, traverse=False), delayed(head, traverse=False)
    return [task(partition, shared, checks) for partition in partitions]


def _head(model: KNN, agreement: Agreement) -> Any:
    """Check the parameters of a model, and return a copy of the model without rows."""
    head = clone(model)
    head._check_parameters()
    if head._k == "all":
        raise ParameterError(
            "n_neighbors='all' is not available, because the distance of each query from every row would "
            "be transferred. Choose a number, or fit the model on one machine."
        )
    if head._distance.whole:
        raise ParameterError(
            f"{head._distance!r} compares whole rows, which is not available across partitions. Choose a distance with "
            "a difference for each column, such as 'robust', or fit the model on one machine."
        )
    head._backend = "pandas"
    record_features(head, agreement.empty.schema)
    if agreement.labeling is not None:
        head._labeling = agreement.labeling
    head._flat = True
    return head


def _learned(head: Any, empty: Instances, stored: Sequence[Delayed]) -> tuple[FloatArray | None, int | None]:
    """Return the attribute weights, and k if it is selected by leave-one-out (otherwise None)."""
    memory = head._new_memory(empty.schema, empty.targets)
    given = memory._weights
    learned = isinstance(given, (RelevanceWeights, LearnedWeights))
    if memory.local_weights:
        raise ParameterError(
            f"attribute_weights={head.attribute_weights!r} are learned for each query, which is not "
            "available with Dask. Choose weights for all queries, or fit the model on one machine."
        )
    if not learned and head._k != "loo":
        return given, None
    parts = list(stored)  # one worker receives all encoded rows
    weights, k = dask.compute(delayed(_learn, pure=False)(delayed(head, traverse=False), parts))[0]
    return (weights if learned else given), k


def _learn(head: Any, parts: Sequence[Instances]) -> tuple[FloatArray | None, int | None]:
    model = with_rows(pinned(head, dict(head.__dict__)), Instances.joined(parts))
    return model._memory.attribute_weights, model.n_neighbors_ if model._k == "loo" else None


def _votes(head: Any, empty: Instances, found: Totals, stored: Sequence[Delayed]) -> Votes:
    options = head.get_params(deep=False)
    voting = (_ClassVotes if isinstance(head, KNNClassifier) else _NumberVotes)(**options)
    voting.__dict__.update(head.__dict__)
    voting._memory = head._new_memory(empty.schema, empty.targets)
    if not isinstance(head, KNNClassifier):
        return Votes(voting, empty, None, None, None, found.weight)
    labeling: Labeling = head._labeling
    labels, codes = labeling.labels(empty)
    of_code = np.zeros(len(empty.target_values()) + 1, np.int64)
    present = np.flatnonzero(codes >= 0)
    of_code[codes[present]] = present
    if found.weighted:  # summed in row order
        weights: Any = np.zeros(labels.size)
        add = delayed(_add_weights, pure=False)
        for part in stored:
            weights = add(part, of_code, weights)
        (weights,) = dask.compute(weights)
    else:
        weights = np.append(empty.target_counts(), 0)[codes].astype(np.float64)
    voting._found = [_FoundClasses(labels, np.empty(0, np.int64), weights)]
    voting._check_rows()
    return Votes(voting, empty, labels, of_code, weights, found.weight)


def _add_weights(stored: Instances, of_code: IntArray, before: FloatArray) -> FloatArray:
    own = stored.weights
    classes = np.concatenate([np.arange(before.size), of_code[stored.target(0)]])
    own = np.ones(len(stored)) if own is None else own
    return np.bincount(classes, weights=np.concatenate([before, own]), minlength=before.size).astype(np.float64)
