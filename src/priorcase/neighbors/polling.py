"""Polls among the nearest rows: the search around each query, block by block so that memory stays bounded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from priorcase._core import Plan
from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.exceptions import TooFewRowsError
from priorcase.learning.classes import Classes
from priorcase.neighbors.base import NeighborsMemory
from priorcase.neighbors.votes import SLACK, TIES, InverseSquare, NeighborList, Poll, Ties, UniformVote, Vote
from priorcase.search import ALGORITHMS

if TYPE_CHECKING:
    from priorcase.neighbors.classifier import KNNClassifier
    from priorcase.neighbors.regressor import KNNRegressor

ENTRIES = 1 << 19
"""How many numbers one array of a block of queries holds: one for each (query, voter) or each (query, class)."""

# Queries asked before the length of their lists is known.
_FIRST_BLOCK = 64
_CORE_VOTES: dict[type[Vote], int] = {UniformVote: 0, InverseSquare: 1}


@dataclass(frozen=True, slots=True)
class Rules:
    """How much each neighbour counts, and what happens with ties."""

    vote: Vote
    ties: Ties

    @property
    def whole_ties(self) -> bool:
        """Whether every row as near as the k-th votes."""
        return self.ties == "majority"

    @property
    def core_vote(self) -> int | None:
        """The number of the vote in the compiled core; None where the core does not have it."""
        return _CORE_VOTES.get(type(self.vote))

    def poll(self, neighbors: NeighborList, k: int, start: int = 0) -> Poll:
        """The poll among the ``k`` nearest of each list."""
        voters = neighbors.nearest(k, whole_ties=self.whole_ties, bandwidth=self.vote.needs_bandwidth)
        return Poll(start, start + len(neighbors), voters, self.vote.weigh(voters))


def polls_of(
    estimator: KNNClassifier | KNNRegressor, cells: FloatArray, n_neighbors: int | None = None, *, first: int = 0
) -> Iterator[Poll]:
    """Polls of the queries of an estimator; ``first`` is the number of the first query, for messages."""
    memory, rules = estimator._stored(), estimator._rules
    k: int | Literal["all"]
    if n_neighbors is None and estimator._k == "all":
        k = "all"
    else:
        fixed = n_neighbors is not None or isinstance(estimator._k, int)
        k = estimator._how_many(n_neighbors) if fixed else estimator.n_neighbors_
        if fixed and k > memory.total_weight * (1 + SLACK):
            raise TooFewRowsError(
                f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {k}, n_samples_fit = "
                f"{memory.total_weight:g}. Ask for fewer neighbours, store more rows, or let n_neighbors be 'sqrt'"
            )
        if len(cells) == 1:
            estimator._check_n_jobs()
            if (poll := poll_one(memory, cells, k, rules)) is not None:
                return iter((poll,))
    return polls(memory, cells, k, rules, threads=estimator._threads(), width=estimator._width(), first=first)


def polls(
    memory: NeighborsMemory,
    cells: FloatArray,
    k: int | Literal["all"],
    rules: Rules,
    *,
    own: IntArray | None = None,
    threads: int,
    width: int = 1,
    first: int = 0,
) -> Iterator[Poll]:
    """Polls of the queries among their ``k`` nearest rows, or among all rows (Shepard's method), block by block.

    ``width`` is how many numbers are computed for each query (one for each class), and ``first`` the number of the
    first query, for messages. ``own`` are the positions of the stored rows that the queries are, each left out with
    all its weight.
    """
    if k == "all":
        yield from _polls_of_all(memory, cells, rules, own, threads, width, first)
        return
    size = min(_FIRST_BLOCK * threads, max(1, ENTRIES // max(k, width)))
    for start, block, neighbors in searched(
        memory, cells, k, rules, own=own, whole=True, threads=threads, width=width, size=size
    ):
        poll = rules.poll(neighbors, k, start)
        refuse_overflow(memory, block, neighbors, poll.voters, first=first + start)
        yield poll


def searched(
    memory: NeighborsMemory,
    cells: FloatArray,
    k: int,
    rules: Rules,
    *,
    own: IntArray | None = None,
    whole: bool = False,
    threads: int,
    width: int = 1,
    size: int,
) -> Iterator[tuple[int, FloatArray, NeighborList]]:
    """The first query, the cells and the neighbours of each block of queries; the first block has ``size`` queries.

    ``own`` and ``whole`` are as in `rank`.
    """
    start, most = 0, max(1, ENTRIES // max(k, width))
    while start < len(cells):
        block = cells[start : start + size]
        part = None if own is None else own[start : start + size]
        neighbors = rank(memory, block, k, rules, threads=threads, own=part, whole=whole)
        yield start, block, neighbors
        start += len(block)
        # Rows at equal distances make lists long; the next block is as small as this one shows it must be.
        size = max(1, min(most, ENTRIES * len(block) // neighbors.rows.size))


def rank(
    memory: NeighborsMemory,
    cells: FloatArray,
    k: int,
    rules: Rules,
    *,
    threads: int,
    own: IntArray | None = None,
    whole: bool = False,
) -> NeighborList:
    """The rows near each query, nearest first, as many as the votes of ``k`` neighbours need.

    ``own`` are the positions of the stored rows that the queries are, each left out once: a row of weight 2 stays
    with weight 1, unless it is left out as a ``whole``.
    """
    wanted = k + 1 if rules.vote.needs_bandwidth else k
    row_weights = memory.row_weights
    if row_weights is None:
        exclude = None if own is None else memory.ids[own]
        found = memory.search(cells, min(wanted, len(memory)), exclude=exclude, ties=rules.whole_ties, threads=threads)
        return NeighborList(found.indptr, memory.positions(found.ids), found.distances)
    return _rank_weighted(memory, row_weights, cells, wanted, rules.whole_ties, threads, own, whole)


def _rank_weighted(
    memory: NeighborsMemory,
    row_weights: FloatArray,
    cells: FloatArray,
    wanted: int,
    whole_ties: bool,
    threads: int,
    own: IntArray | None,
    whole: bool,
) -> NeighborList:
    """Rows that count by their weight: the search is repeated with more rows where the wanted count is not reached."""
    pending, k = np.arange(len(cells)), wanted + 1
    parts: list[tuple[AnyArray, ...]] = []  # queries, rows, distances and weights of some entries
    while pending.size:
        k = min(k, len(memory))
        ids = None if own is None else memory.ids[own[pending]]
        asked, exclude = (None, ids) if whole else (ids, None)
        found = memory.search(cells[pending], k, own=asked, exclude=exclude, ties=whole_ties, threads=threads)
        queries = np.repeat(pending, np.diff(found.indptr))
        rows = memory.positions(found.ids)
        weights = row_weights[rows]
        if own is not None and not whole:
            weights = weights - np.where(rows == own[queries], np.minimum(weights, 1.0), 0.0)
        reached = np.bincount(queries, weights, minlength=len(cells)) >= wanted * (1 - SLACK)
        done = reached | (k == len(memory))
        kept = (weights > 0) & done[queries]
        parts.append(tuple(a[kept] for a in (queries, rows, found.distances, weights)))
        pending, k = pending[~done[pending]], 2 * k
    joined = [np.concatenate(arrays) for arrays in zip(*parts, strict=True)]
    order = np.argsort(joined[0], kind="stable")
    queries, rows, distances, weights = (array[order] for array in joined)
    indptr = np.concatenate(([0], np.cumsum(np.bincount(queries, minlength=len(cells)))))
    return NeighborList(indptr, rows, distances, weights)


def _polls_of_all(
    memory: NeighborsMemory,
    cells: FloatArray,
    rules: Rules,
    own: IntArray | None,
    threads: int,
    width: int,
    first: int,
) -> Iterator[Poll]:
    """Polls among all rows, each row with one vote on each query, in id order."""
    n, row_weights = len(memory), memory.row_weights
    size = max(1, ENTRIES // max(n, width))
    for start in range(0, len(cells), size):
        block = cells[start : start + size]
        part = None if own is None else own[start : start + size]
        distances = memory.distances(block, None if part is None else memory.ids[part], threads=threads)
        rows = np.tile(np.arange(n, dtype=np.int64), len(block))
        each = n
        if part is not None:
            others = np.arange(n) != part[:, None]
            rows, each = rows[others.ravel()], n - 1
            distances = distances[others].reshape(len(block), each)
        voters = NeighborList(
            indptr=np.arange(len(block) + 1) * each,
            rows=rows,
            distances=distances.ravel(),
            counts=None if row_weights is None else row_weights[rows],
            bandwidths=distances.max(axis=1) * (1 + SLACK) if rules.vote.needs_bandwidth else None,
        )
        if np.isinf(voters.distances).any():
            memory.check_finite(block, voters.queries(), rows, voters.distances, first=first + start)
        yield Poll(start, start + len(block), voters, rules.vote.weigh(voters))


def refuse_overflow(
    memory: NeighborsMemory, cells: FloatArray, neighbors: NeighborList, voters: NeighborList, *, first: int = 0
) -> None:
    """Refuse queries whose voters, or whose bandwidth, are so far away that their distances overflow."""
    infinite = np.isinf(voters.distances)
    beyond = None if voters.bandwidths is None else np.isinf(voters.bandwidths)
    if not infinite.any() and (beyond is None or not beyond.any()):
        return
    odd = np.zeros(len(voters), dtype=bool) if beyond is None else beyond
    odd[voters.queries()[infinite]] = True
    of = neighbors.queries()
    listed = odd[of]
    memory.check_finite(cells, of[listed], neighbors.rows[listed], neighbors.distances[listed], first=first)


# -- a single query, answered by the compiled core in one call


def poll_one(memory: NeighborsMemory, cells: FloatArray, k: int, rules: Rules) -> Poll | None:
    """The poll of a single query, as `polls` gives it; None where the core cannot.

    It cannot where it does not have the vote, where rows have weights, where NumPy is to search, and where a voter is
    infinitely far away: the general way then answers, or refuses.
    """
    query = _core_query(memory, cells, k, rules)
    if query is None:
        return None
    index = memory.index
    with index.lock:
        found = index.core.poll(*query) if index.holds(memory.instances) else None
    if found is None:
        return None
    ids, distances, votes = found
    return Poll(0, 1, NeighborList(np.array([0, ids.size]), memory.positions(ids), distances), votes)


def predict_one(memory: NeighborsMemory, cells: FloatArray, k: int, rules: Rules, classes: Classes) -> int:
    """Position of the class that wins a single query; -1 where the core cannot tell, also where a tie needs more."""
    query = _core_query(memory, cells, k, rules)
    if query is None:
        return -1
    numbers, n, ids = classes.numbering.of_code, classes.labels.size, memory.ids
    index = memory.index
    with index.lock:
        if not index.holds(memory.instances):
            return -1
        return index.core.winner(*query, ids, classes.stored, numbers, n, TIES[rules.ties])


def _core_query(
    memory: NeighborsMemory, cells: FloatArray, k: int, rules: Rules
) -> tuple[Plan, FloatArray, FloatArray, int, bool, int, float, bool, int] | None:
    vote = _CORE_VOTES.get(type(rules.vote))
    if vote is None or memory.row_weights is not None:
        return None
    index, fitted, weights = memory.index, memory.fitted, memory.weights_for(cells)
    distance = fitted.distance
    return (
        index.plan_of(fitted),
        fitted.prepare(cells),
        index.ones if weights is None else np.atleast_2d(weights),
        k,
        rules.ties == "majority",
        vote,
        distance.power,
        distance.root,
        ALGORITHMS[memory.algorithm],
    )
