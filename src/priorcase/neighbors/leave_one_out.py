"""Leave-one-out with k-NN: the stored rows, each predicted from the others by one search."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from priorcase._parameters import check_value
from priorcase._typing import FloatArray, IntArray
from priorcase.exceptions import NotAvailableError, TooFewRowsError
from priorcase.learning.left_out import stored_table
from priorcase.learning.progress import bar
from priorcase.neighbors.base import NeighborsMemory, NNeighbors
from priorcase.neighbors.polling import ENTRIES, polls, refuse_overflow, searched
from priorcase.neighbors.votes import SLACK, Poll

if TYPE_CHECKING:
    from priorcase.neighbors.classifier import KNNClassifier
    from priorcase.neighbors.regressor import KNNRegressor

    KNN = TypeVar("KNN", KNNClassifier, KNNRegressor)

MOST_NEIGHBORS = 50
"""The largest k that ``n_neighbors="loo"`` tries."""

_MANY = 200


def loo_scores(estimator: KNNClassifier | KNNRegressor) -> FloatArray:
    """Leave-one-out score for k = 1, 2, ... of an estimator with ``n_neighbors="loo"``; computed when first needed."""
    memory = estimator._stored()
    if estimator._k != "loo":
        raise NotAvailableError(f"loo_scores_ needs n_neighbors='loo', got {estimator._k!r}")
    return memory.cached("loo", lambda: _curve(estimator, memory))


def best_n_neighbors(estimator: KNNClassifier | KNNRegressor, best: Callable[[FloatArray], Any]) -> int:
    """The number of neighbours that vote; ``best`` gives the position of the best leave-one-out score."""
    k = estimator._k
    if isinstance(k, int):
        return k
    if k == "loo":
        scores = loo_scores(estimator)
        return int(best(scores)) + 1 if scores.size else 1
    stored = max(1, int(estimator._stored().total_weight * (1 + SLACK)))
    return math.isqrt(stored) if k == "sqrt" else stored


def _curve(estimator: KNNClassifier | KNNRegressor, memory: NeighborsMemory) -> FloatArray:
    """Mean score of the stored rows for k = 1 to `MOST_NEIGHBORS`, when each is predicted from all others.

    The rows near each row are searched once, without the row itself, and every k takes the head of that list. The
    distance keeps the statistics of all rows. A row of weight 2 is two rows: leaving one out leaves the other.
    """
    largest = min(MOST_NEIGHBORS, int(memory.total_weight * (1 + SLACK)) - 1)
    sums = np.zeros(max(largest, 0))
    if not sums.size:
        return sums
    rules, rows, weights = estimator._rules, np.arange(len(memory)), memory.row_weights
    width = max(MOST_NEIGHBORS, estimator._width())
    size = max(1, ENTRIES // width // 64)
    for start, cells, neighbors in searched(
        memory, memory.instances.cells(), largest, rules, own=rows, threads=estimator._threads(), width=width, size=size
    ):
        own = rows[start : start + len(cells)]
        farthest = neighbors.nearest(largest, whole_ties=rules.whole_ties, bandwidth=rules.vote.needs_bandwidth)
        refuse_overflow(memory, cells, neighbors, farthest, first=start)
        times = np.ones(own.size) if weights is None else weights[own]
        for k in range(1, largest + 1):
            sums[k - 1] += float((estimator._score_left_out(rules.poll(neighbors, k), own) * times).sum())
    scores: FloatArray = sums / memory.total_weight
    scores.flags.writeable = False  # kept, and handed out
    return scores


def relearns(estimator: KNNClassifier | KNNRegressor) -> bool:
    """Whether something besides the votes is learned from the targets."""
    return estimator._k == "loo" or estimator._stored().learns_from_targets


def needs_refits(estimator: KNNClassifier | KNNRegressor, relearn: object) -> bool:
    """Whether leave-one-out takes a fit for each row; an error where there are fewer than two rows."""
    check_value("relearn", relearn, ["boolean"])
    if len(estimator._answering()) < 2:
        raise TooFewRowsError("leave-one-out needs two rows or more, and there is one. Add rows with partial_fit")
    return bool(relearn) and relearns(estimator)


def left_out_polls(estimator: KNNClassifier | KNNRegressor) -> Iterator[tuple[IntArray, Poll]]:
    """Positions of some stored rows and the poll on them, block by block; each row left out with all its weight."""
    memory = estimator._stored()
    k = estimator.n_neighbors_ if estimator._k == "loo" else estimator._k
    for count, rows in _counts(memory, k):
        cells = memory.instances.cells(rows)
        for poll in polls(
            memory, cells, count, estimator._rules, own=rows, threads=estimator._threads(), width=estimator._width()
        ):
            yield rows[poll.start : poll.stop], poll


def _counts(memory: NeighborsMemory, k: NNeighbors) -> Iterator[tuple[int | Literal["all"], IntArray]]:
    """Numbers of neighbours, and the positions of the rows that are predicted from so many."""
    if k == "all":
        yield k, np.arange(len(memory))
        return
    weights = memory.row_weights
    left = memory.total_weight - (np.ones(len(memory)) if weights is None else weights)
    if not isinstance(k, int):
        roots = np.array([max(1, math.isqrt(max(1, int(rest * (1 + SLACK))))) for rest in left.tolist()])
        for root in np.unique(roots).tolist():
            yield root, np.flatnonzero(roots == root)
        return
    if k > float(left.min()) * (1 + SLACK):
        raise TooFewRowsError(
            f"Expected n_neighbors < n_samples_fit, but n_neighbors = {k}, n_samples_fit = {memory.total_weight:g}. "
            "Ask for fewer neighbours, or store more rows"
        )
    yield k, np.arange(len(memory))


def refits(estimator: KNN) -> Iterator[tuple[int, KNN, FloatArray]]:
    """Position of each stored row, a copy of the estimator without it, and the row as a query of that copy."""
    memory = estimator._stored()
    with bar(len(memory), shown=len(memory) >= _MANY, text="leave one out") as advance:
        for row, number in enumerate(memory.ids.tolist()):
            other = copy.copy(estimator)
            other._memory = memory.without([number])
            yield row, other, other._memory.instances.encode(stored_table(memory.instances, np.array([row])))
            advance("leave one out")
