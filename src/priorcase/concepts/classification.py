"""Classification, the second part of Aha's framework: classes, probabilities and precedents from nearest instances."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from priorcase._core import elect
from priorcase._typing import AnyArray, Backend, BoolArray, FloatArray, IdArray, IntArray
from priorcase.concepts.description import Description, Rules
from priorcase.concepts.memory import ConceptMemory
from priorcase.learning.results import attribute_names, decoded
from priorcase.neighbors.precedents import Precedent, Precedents
from priorcase.neighbors.votes import TIES
from priorcase.relevance.base import splitmix
from priorcase.schema import Table
from priorcase.search.index import NeighborList

_OUTSIDE, _INSIDE = 0, 1


@dataclass(frozen=True, eq=False)
class Queries:
    """Encoded queries, and the learner's memory, from which the queries are classified."""

    cells: FloatArray
    memory: ConceptMemory
    threads: int

    def __len__(self) -> int:
        return len(self.cells)

    def some(self, rows: IntArray) -> Queries:
        return replace(self, cells=self.cells[rows])


def nearest(description: Description, queries: Queries, label: int | None = None) -> tuple[NeighborList, IdArray]:
    """Return, for each query, the nearest of the instances that classify (see `Description.kept`), and their labels.

    All instances listed for a query are at the same distance from the query. The instances are listed in the order in
    which they were stored, with their costs (squared distances). At least one instance must be stored. If ``label`` is
    not None, only instances with this label are searched.
    """
    core, cells, threads = description.core, queries.cells, queries.threads
    found = core.nearest(cells, threads) if label is None else core.nearest_with(cells, label, threads)
    indptr, ids, labels, costs = found
    tied, infinite = NeighborList(indptr, ids, costs), np.isinf(costs)
    if infinite.any():
        of, far, rows = tied.queries()[infinite], ids[infinite], queries.memory.instances
        stored, weights = rows.cells(rows.positions(far)), description.search_weights()
        description.comparison.fitted.check_finite(costs[infinite], cells[of], stored, weights, (of, far))
    return tied, labels


# Ties between equally near instances --------------------------------------------------------------------------------


def winning_labels(tied: NeighborList, labels: IdArray, rules: Rules) -> IdArray:
    """Return the label predicted for each query by its nearest instances."""
    first = tied.indptr[:-1]
    if rules.ties == "first" or labels.size == first.size:
        return labels[first]
    if rules.ties == "random":
        # A random number is drawn for each query with several nearest instances, in query order.
        several = np.flatnonzero(tied.lengths > 1)
        drawn = first.copy()
        drawn[several] += below(splitmix(rules.seed, several.size), tied.lengths[several])
        return labels[drawn]
    # Among labels with equal votes, the label of the nearest instance stored first wins.
    rule, n = TIES["nearest"], int(labels.max()) + 1
    return elect(tied.indptr, labels, np.ones(labels.size), tied.distances, n, None, rule)[0]


def below(numbers: NDArray[np.uint64], limits: IdArray) -> IdArray:
    """Map each 64-bit number to an integer below its limit: ``number * limit / 2^64``, rounded down."""
    pairs = zip(numbers.tolist(), limits.tolist(), strict=True)
    return np.array([number * limit >> 64 for number, limit in pairs], np.int64)


# Classes ------------------------------------------------------------------------------------------------------------


def classify(queries: Queries) -> IdArray:
    """Return the predicted class of each query, as a position in ``classes_``."""
    joint, seen = queries.memory.joint, queries.memory.seen
    if joint is None:
        return np.asarray(_winners(queries).argmax(axis=1))
    if not len(joint):
        return np.full(len(queries), joint.most_frequent(seen.codes))
    return seen.positions[winning_labels(*nearest(joint, queries), joint.rules)]


def class_probabilities(queries: Queries) -> FloatArray:
    """Return class probabilities: shares of votes after adding one vote that is divided equally among the classes."""
    joint, seen = queries.memory.joint, queries.memory.seen
    if joint is None:
        return _smoothed(_winners(queries).astype(float))
    votes = np.zeros((len(queries), seen.codes.size))
    if not len(joint):
        return _smoothed(votes + joint.counts_of(seen.codes))
    tied, labels = nearest(joint, queries)
    every, won = np.arange(len(queries)), seen.positions[winning_labels(tied, labels, joint.rules)]
    if joint.rules.ties == "first":
        votes[every, won] = 1.0
        return _smoothed(votes)
    np.add.at(votes, (tied.queries(), seen.positions[labels]), 1.0)
    found = _smoothed(votes)
    if joint.rules.ties == "majority":
        # If classes are tied, the predicted one gets the next larger float, so that it has the highest probability.
        evenly = (votes == votes[every, won, None]).sum(axis=1) > 1
        found[every[evenly], won[evenly]] = np.nextafter(found[every[evenly], won[evenly]], 1.0)
    return found


def _smoothed(votes: FloatArray) -> FloatArray:
    """Convert votes to positive probabilities: one additional vote is divided equally among the classes."""
    return np.asarray((votes + 1.0 / votes.shape[1]) / (votes.sum(axis=1, keepdims=True) + 1.0))


def claims(queries: Queries) -> tuple[BoolArray, FloatArray, FloatArray]:
    """Return three arrays of shape (queries, classes) with the result of each class's description.

    The arrays contain whether the description claims the query (assigns it to the class), the share of class members
    among the nearest instances, and the cost of the nearest instances divided by the sum of the attribute weights.
    """
    shape = len(queries), queries.memory.seen.codes.size
    claimed, share, distance = np.zeros(shape, bool), np.zeros(shape), np.full(shape, np.inf)
    for k, description in enumerate(queries.memory.of_classes()):
        if not len(description):
            claimed[:, k] = share[:, k] = description.most_frequent(np.array([_OUTSIDE, _INSIDE]))
            continue
        tied, labels = nearest(description, queries)
        claimed[:, k] = winning_labels(tied, labels, description.rules) == _INSIDE
        members = np.add.reduceat(labels, tied.indptr[:-1]) / tied.lengths
        share[:, k] = claimed[:, k] if description.rules.ties == "first" else members
        distance[:, k] = _by_weights(tied, description)
    return claimed, share, distance


def _winners(queries: Queries) -> BoolArray:
    """Return a mask of the classes that win each query, including ties, of shape (queries, classes)."""
    claimed, _, distance = claims(queries)
    won = _least(distance, claimed)  # the nearest of the classes that claim the query
    unclaimed = np.flatnonzero(~claimed.any(axis=1))
    if unclaimed.size:  # the class with the nearest member; the most frequent class if no class has a member
        won[unclaimed] = _by_members(queries.some(unclaimed))
    return won


def _by_members(queries: Queries) -> BoolArray:
    ones = queries.memory.of_classes()
    distance, present = np.full((len(queries), len(ones)), np.inf), np.zeros(len(ones), bool)
    for k, description in enumerate(ones):
        if (description.core.records()[1] == _INSIDE).any():
            present[k] = True
            distance[:, k] = _by_weights(nearest(description, queries, label=_INSIDE)[0], description)
    if not present.any():
        rows = np.array([description.counts_of(np.array([_INSIDE]))[0] for description in ones])
        return np.broadcast_to(rows == rows.max(), distance.shape)
    return _least(distance, np.broadcast_to(present, distance.shape))


def _by_weights(tied: NeighborList, description: Description) -> FloatArray:
    """Return the cost of each query's nearest instances, divided by the sum of the weights (added in column order)."""
    return np.asarray(tied.distances[tied.indptr[:-1]] / np.cumsum(description.search_weights())[-1])


def _least(distance: FloatArray, among: BoolArray) -> BoolArray:
    """Return a mask of the smallest distances in each row, among the entries that the mask ``among`` selects."""
    least = np.where(among, distance, np.inf).min(axis=1, keepdims=True, initial=np.inf)
    return np.asarray(among & (distance == least))


# Precedents ---------------------------------------------------------------------------------------------------------


def precedents(queries: Queries, table: Table, backend: Backend | None) -> Precedents:
    """Return the instances whose equal votes decided each prediction, and the nearest instance of another class."""
    memory, seen = queries.memory, queries.memory.seen
    predicted, every = classify(queries), np.arange(len(queries))
    found: list[list[Precedent]] = [[] for _ in every]
    unlike: list[Precedent | None] = [None] * every.size
    # The description that predicts each query, the label of its voting instances, and the predicted labels.
    answered: list[tuple[Description, IntArray, int | None, IdArray]] = []
    if memory.joint is not None:
        answered.append((memory.joint, every, None, seen.codes[predicted]))
    else:
        claimed, ones = claims(queries)[0][every, predicted], memory.of_classes()
        for k, label in product(np.unique(predicted).tolist(), (None, _INSIDE)):
            rows = np.flatnonzero((predicted == k) & (claimed == (label is None)))
            answered.append((ones[k], rows, label, np.full(rows.size, _INSIDE)))
    for description, rows, label, own in answered:
        some = queries.some(rows)
        voters, others = _voters(description, some, label), _nearest_unlike(description, some, own)
        for at, query in enumerate(rows.tolist()):
            found[query] = _cases(description, some, at, voters[at])
            unlike[query] = next(iter(_cases(description, some, at, others[at])), None)
    # With descriptions per class, the weights learned for the predicted class.
    importance = None
    if memory.joint is None:
        importance = np.array([one.core.weights()[0] for one in memory.of_classes()])[predicted]
    cases, sizes = [case for of_query in found for case in of_query], np.array([len(of_query) for of_query in found])
    return Precedents(
        names=attribute_names(table.schema),
        queries=decoded(table),
        predictions=seen.classes[predicted],
        indptr=np.concatenate(([0], np.cumsum(sizes))),
        ids=np.array([case.id for case in cases], np.int64),
        rows=[case.row for case in cases],
        targets=np.array([case.target for case in cases], seen.classes.dtype),
        distances=np.array([case.distance for case in cases]),
        votes=np.repeat(1.0 / np.maximum(sizes, 1), sizes),
        contributions=np.array([case.contributions for case in cases]).reshape(len(cases), len(table.schema)),
        unlike=tuple(unlike),
        probabilities=class_probabilities(queries),
        classes=seen.classes,
        backend=backend,
        importance=importance,
    )


def _voters(description: Description, queries: Queries, label: int | None) -> list[IdArray]:
    """Return the ids of the instances that decided the prediction of each query."""
    labels = description.core.records()[1]
    if not len(queries) or not (labels.size if label is None else (labels == label).any()):
        return [np.empty(0, np.int64)] * len(queries)
    tied, most = nearest(description, queries, label)[0], 1 if description.rules.ties == "first" else None
    return [ids[:most] for ids in np.split(tied.rows, tied.indptr[1:-1])]


def _nearest_unlike(description: Description, queries: Queries, own: IdArray) -> list[IdArray]:
    """Return, for each query, an array with the id of the nearest instance of another label; empty if there is none."""
    best, least = np.full(len(queries), -1), np.full(len(queries), np.inf)
    for label in np.unique(description.core.records()[1]).tolist():
        rows = np.flatnonzero(own != label)
        if rows.size:
            tied = nearest(description, queries.some(rows), label)[0]
            ids, costs = tied.rows[tied.indptr[:-1]], tied.distances[tied.indptr[:-1]]
            nearer = (best[rows] < 0) | (costs < least[rows])
            best[rows[nearer]], least[rows[nearer]] = ids[nearer], costs[nearer]
    return [np.array([id_] if id_ >= 0 else [], np.int64) for id_ in best.tolist()]


def _cases(description: Description, queries: Queries, query: int, ids: IdArray) -> list[Precedent]:
    """Return stored rows as precedents of a query, with the contribution of each attribute to the distance."""
    if not ids.size:
        return []
    instances, seen, comparison = queries.memory.instances, queries.memory.seen, description.comparison
    positions, weights, own = instances.positions(ids), description.search_weights(), queries.cells[query]
    fitted = comparison.with_ranges(*description.core.ranges())
    cells = comparison.prepared(instances.cells(positions), instances, stored=True)
    contributions = fitted.distance_contributions(own, cells, weights)
    distances = fitted.finish(fitted.costs(own, cells, weights)).tolist()
    classes: AnyArray = seen.classes[seen.positions[seen.coded(instances, positions)]]
    parts = zip(ids.tolist(), instances.decode(positions), classes, distances, contributions, strict=True)
    return [Precedent(*fields) for fields in parts]
