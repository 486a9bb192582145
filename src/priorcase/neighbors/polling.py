"""Leave-one-out predictions, and votes of the nearest rows on queries, computed in blocks of limited size."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from priorcase._cancelling import check_cancelled
from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.exceptions import NotAvailableError, NumericRangeError, TooFewRowsError
from priorcase.learning.resampling import needs_refits, refits
from priorcase.neighbors.base import NeighborsMemory, NNeighbors
from priorcase.neighbors.votes import LeftOut, Poll, Ties, Vote
from priorcase.search.index import SLACK, NeighborList

if TYPE_CHECKING:
    from priorcase.neighbors.knn import KNNClassifier, KNNRegressor

    KNN = TypeVar("KNN", KNNClassifier, KNNRegressor)

ENTRIES = 1 << 19  # numbers in one array of a block of queries: one for each (query, voter) or each (query, class)
MOST_NEIGHBORS = 50  # largest candidate k of n_neighbors="loo"
_FIRST_BLOCK = 64  # queries before the length of their lists is known


@dataclass(frozen=True, slots=True)
class Rules:
    """Voting rule, and rule for ties."""

    vote: Vote
    ties: Ties

    @property
    def whole_ties(self) -> bool:
        """Whether all rows tied with the k-th neighbor vote."""
        return self.ties == "majority"

    def poll(self, neighbors: NeighborList, k: int | Literal["all"], start: int = 0) -> Poll:
        """Return the votes of the ``k`` nearest rows in each neighbor list, or of all listed rows if ``k`` is "all"."""
        voters = neighbors
        if k != "all":
            voters = neighbors.nearest(k, whole_ties=self.whole_ties, bandwidth=self.vote.needs_bandwidth)
        return Poll(start, start + len(neighbors), voters, self.vote.weigh(voters))


def polls_of(
    estimator: KNNClassifier | KNNRegressor, cells: FloatArray, n_neighbors: int | None = None, *, first: int = 0
) -> Iterator[Poll]:
    """Return an iterator over the votes on blocks of queries; error messages number the queries from ``first``."""
    memory = estimator._stored()
    k: int | Literal["all"]
    if n_neighbors is None and estimator._k == "all":
        k = "all"
    else:
        fixed = n_neighbors is not None or isinstance(estimator._k, int)
        k = estimator._how_many(n_neighbors) if fixed else estimator.n_neighbors_
        if fixed and k > memory.total_weight * (1 + SLACK):
            raise TooFewRowsError(
                f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {k}, n_samples_fit = "
                f"{memory.total_weight:g}. Use a smaller n_neighbors, store more rows, or use n_neighbors='sqrt'."
            )
        if len(cells) == 1:
            estimator._threads()
            if (poll := memory.poll(cells, k, estimator._rules)) is not None:
                return iter((poll,))
    return (poll for _, poll in polls(estimator, cells, k, first=first))


def polls(
    estimator: Any,
    cells: FloatArray,
    k: int | Literal["all"],
    *,
    own: IntArray | None = None,
    whole: bool = True,
    first: int = 0,
    width: int = 1,
    size: int | None = None,
) -> Iterator[tuple[NeighborList, Poll]]:
    """Yield the neighbors and the votes for each block of queries; either the ``k`` nearest rows vote, or all rows.

    ``own`` and ``whole`` are described in `rank`. Error messages number the queries from ``first``. ``width`` is the
    number of values that the caller computes for each query, which limits the length of the blocks. ``size`` is the
    length of the first block.
    """
    memory, rules, threads = estimator._stored(), estimator._rules, estimator._threads()
    width = max(width, estimator._width())
    n = max(len(memory) if k == "all" else k, width)
    size = min(_FIRST_BLOCK * threads, max(1, ENTRIES // n)) if size is None else size
    start, most = 0, max(1, ENTRIES // max(1 if k == "all" else k, width))
    while start < len(cells):
        check_cancelled()
        block = cells[start : start + size]
        part = None if own is None else own[start : start + size]
        neighbors = rank(memory, block, k, rules, threads=threads, own=part, whole=whole)
        poll = rules.poll(neighbors, k, start)
        refuse_overflow(memory, block, neighbors, poll.voters, first=first + start)
        yield neighbors, poll
        start += len(block)
        # Rows at equal distances make lists long; the size of the next block is derived from this one.
        size = max(1, min(most, ENTRIES * len(block) // neighbors.rows.size))


def rank(
    memory: NeighborsMemory,
    cells: FloatArray,
    k: int | Literal["all"],
    rules: Rules,
    *,
    threads: int,
    own: IntArray | None = None,
    whole: bool = False,
) -> NeighborList:
    """Return the rows needed for a vote of ``k`` neighbors, sorted by distance, or all rows by id if ``k`` is "all".

    ``own`` contains the positions of the queries if they are stored rows. The weight of each query's row is then
    reduced by 1, so a row with weight 2 still votes with weight 1. With ``whole``, and always if all rows vote, the row
    is left out completely.
    """
    row_weights, ids = memory.row_weights, None if own is None else memory.ids[own]
    if k == "all":
        n, distances = len(memory), memory.distances(cells, ids, threads=threads)
        rows = np.tile(np.arange(n, dtype=np.int64), len(cells))
        if own is not None:
            others = np.arange(n) != own[:, None]
            rows, distances, n = rows[others.ravel()], distances[others].reshape(len(cells), n - 1), n - 1
        bandwidths = distances.max(axis=1) * (1 + SLACK) if rules.vote.needs_bandwidth else None
        counts = None if row_weights is None else row_weights[rows]
        return NeighborList(np.arange(len(cells) + 1) * n, rows, distances.ravel(), counts, bandwidths)
    wanted = k + 1 if rules.vote.needs_bandwidth else k
    if row_weights is None:
        return memory.search(cells, min(wanted, len(memory)), exclude=ids, ties=rules.whole_ties, threads=threads)
    # The weights of the neighbors must sum to ``wanted``; until they do, the search is repeated with more rows.
    pending, most = np.arange(len(cells)), wanted + 1
    parts: list[tuple[AnyArray, ...]] = []  # queries, rows, distances and weights of some entries
    while pending.size:
        most = min(most, len(memory))
        left_out = None if ids is None else ids[pending]
        asked, exclude = (None, left_out) if whole else (left_out, None)
        found = memory.search(cells[pending], most, own=asked, exclude=exclude, ties=rules.whole_ties, threads=threads)
        queries, rows, weights = pending[found.queries()], found.rows, row_weights[found.rows]
        if own is not None and not whole:
            weights = weights - np.where(rows == own[queries], np.minimum(weights, 1.0), 0.0)
        reached = np.bincount(queries, weights, minlength=len(cells)) >= wanted * (1 - SLACK)
        done = reached | (most == len(memory))
        kept = (weights > 0) & done[queries]
        parts.append(tuple(a[kept] for a in (queries, rows, found.distances, weights)))
        pending, most = pending[~done[pending]], 2 * most
    joined = [np.concatenate(arrays) for arrays in zip(*parts, strict=True)]
    order = np.argsort(joined[0], kind="stable")
    queries, rows, distances, weights = (array[order] for array in joined)
    indptr = np.concatenate(([0], np.cumsum(np.bincount(queries, minlength=len(cells)))))
    return NeighborList(indptr, rows, distances, weights)


def refuse_overflow(
    memory: NeighborsMemory, cells: FloatArray, neighbors: NeighborList, voters: NeighborList, *, first: int = 0
) -> None:
    """Raise an error if the bandwidth of a query or the distance of a voter is infinite."""
    infinite = np.isinf(voters.distances)
    far = np.zeros(len(voters), dtype=bool) if voters.bandwidths is None else np.isinf(voters.bandwidths)
    if infinite.any() or far.any():
        far[voters.queries()[infinite]] = True
        of = neighbors.queries()
        at = far[of]
        memory.check_finite(cells, of[at], neighbors.rows[at], neighbors.distances[at], first=first)


# -- leave-one-out: each stored row predicted from the others by one search


def loo_scores(estimator: KNNClassifier | KNNRegressor) -> FloatArray:
    """Return the cached leave-one-out scores for k = 1, 2, ... of an estimator with ``n_neighbors="loo"``."""
    memory = estimator._stored()
    if estimator._k != "loo":
        raise NotAvailableError(f"loo_scores_ is available only with n_neighbors='loo', got {estimator._k!r}")
    return memory.cached("loo", lambda: _loo_curve(estimator, memory))


def best_n_neighbors(estimator: KNNClassifier | KNNRegressor, best: Callable[[FloatArray], Any]) -> int:
    """Return the number of neighbors that vote; ``best`` finds the position of the best leave-one-out score."""
    k = estimator._k
    if isinstance(k, int):
        return k
    if k == "loo":
        scores = loo_scores(estimator)
        return int(best(scores)) + 1 if scores.size else 1
    stored = max(1, int(estimator._stored().total_weight * (1 + SLACK)))
    return math.isqrt(stored) if k == "sqrt" else stored


def _loo_curve(estimator: KNNClassifier | KNNRegressor, memory: NeighborsMemory) -> FloatArray:
    """Return the mean leave-one-out score of the stored rows for k = 1 to `MOST_NEIGHBORS`, from a single search."""
    largest = min(MOST_NEIGHBORS, int(memory.total_weight * (1 + SLACK)) - 1)
    sums = np.zeros(max(largest, 0))
    if not sums.size:
        return sums
    rules, rows, weights = estimator._rules, np.arange(len(memory)), memory.row_weights
    cells, width = memory.instances.cells(), max(MOST_NEIGHBORS, estimator._width())
    size = max(1, ENTRIES // width // 64)
    for neighbors, poll in polls(estimator, cells, largest, own=rows, whole=False, width=width, size=size):
        own = rows[poll.start : poll.stop]
        times = np.ones(own.size) if weights is None else weights[own]
        with np.errstate(over="ignore", invalid="ignore"):
            for k in range(1, largest + 1):
                score = estimator._score_left_out(poll if k == largest else rules.poll(neighbors, k), own)
                sums[k - 1] += float((score * times).sum())
    scores = check_scores(sums / memory.total_weight)
    scores.flags.writeable = False  # cached and returned
    return scores


def check_scores(scores: FloatArray) -> FloatArray:
    """Return the scores unchanged; raise an error if a score has overflowed."""
    if not np.isfinite(scores).all():
        raise NumericRangeError(
            "prediction errors overflow because the values of y are too large. Divide y by a power of ten."
        )
    return scores


def left_out_answers(
    estimator: KNN, relearn: bool, answer: Callable[[KNN, Poll, LeftOut | None], AnyArray]
) -> AnyArray:
    """Return the results of ``answer`` for the votes of all other rows on each stored row."""
    if needs_refits(estimator, relearn):
        found = []
        for _, other, query in refits(estimator):
            cells = other._memory.instances.encode(query)
            found += [answer(other, poll, None) for poll in polls_of(other, cells)]
        return np.concatenate(found)
    memory = estimator._stored()
    n, weights, total = len(memory), memory.row_weights, memory.total_weight
    weights = np.ones(n) if weights is None else weights
    k: NNeighbors = estimator.n_neighbors_ if estimator._k == "loo" else estimator._k
    if isinstance(k, int) and k > float((total - weights).min()) * (1 + SLACK):
        raise TooFewRowsError(
            f"Expected n_neighbors < n_samples_fit, but n_neighbors = {k}, n_samples_fit = {total:g}. "
            "Use a smaller n_neighbors, or store more rows."
        )
    groups: list[tuple[Any, IntArray]] = [(k, np.arange(n))]  # rows predicted from k neighbors
    if k == "sqrt":
        roots = np.array([math.isqrt(max(1, int(rest * (1 + SLACK)))) for rest in (total - weights).tolist()])
        groups = [(root, np.flatnonzero(roots == root)) for root in np.unique(roots).tolist()]
    rows, parts = [], []
    for count, some in groups:
        for _, poll in polls(estimator, memory.instances.cells(some), count, own=some):
            own = some[poll.start : poll.stop]
            rows.append(own)
            parts.append(answer(estimator, poll, (own, weights[own])))
    return np.concatenate(parts)[np.argsort(np.concatenate(rows))]
