"""Classification, the second of the three parts: from the nearest instances to classes, shares and precedents."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from priorcase._typing import AnyArray, Backend, BoolArray, FloatArray, IdArray, IntArray
from priorcase.concepts.description import Description, Descriptions
from priorcase.concepts.targets import SeenClasses
from priorcase.instances import Instances
from priorcase.learning.results import attribute_names, decoded
from priorcase.neighbors.precedents import Precedent, Precedents
from priorcase.relevance.base import splitmix
from priorcase.schema import Table

_OUTSIDE, _INSIDE = 0, 1


@dataclass(frozen=True, eq=False)
class Queries:
    """Queries as descriptions compare them, and what is needed to answer them."""

    cells: FloatArray
    descriptions: Descriptions
    instances: Instances
    seen: SeenClasses
    threads: int

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def joint(self) -> Description | None:
        """The description for all classes; None where each class has its own."""
        first = self.descriptions[None]
        return None if first.rules.per_class else first

    def of_class(self, code: int) -> Description:
        """The description in which a class is to be found; the first for one that was declared and never seen."""
        return self.descriptions.get(code, self.descriptions[None])

    def some(self, rows: IntArray) -> Queries:
        """Some of the queries."""
        return replace(self, cells=self.cells[rows])


@dataclass(frozen=True, eq=False)
class Nearest:
    """The nearest instances of each query, all equally near, in the order they were stored; every query has some."""

    indptr: IdArray  # those of query i are entries ``indptr[i]`` to ``indptr[i + 1]``
    ids: IdArray
    labels: IdArray
    costs: FloatArray  # distances before the root

    @property
    def sizes(self) -> IdArray:
        """How many there are for each query."""
        return np.diff(self.indptr)

    @property
    def cost(self) -> FloatArray:
        """The cost of each query's nearest instances."""
        return self.costs[self.indptr[:-1]]

    def queries(self) -> IntArray:
        """The query of each entry."""
        return np.repeat(np.arange(self.indptr.size - 1), self.sizes)


def nearest(description: Description, queries: Queries, label: int | None = None) -> Nearest:
    """The nearest instances that may classify, only those of one label where one is given; some must be stored."""
    core, cells, threads = description.core, queries.cells, queries.threads
    tied = Nearest(*(core.nearest(cells, threads) if label is None else core.nearest_with(cells, label, threads)))
    infinite = np.isinf(tied.costs)
    if infinite.any():
        of, ids, rows = tied.queries()[infinite], tied.ids[infinite], queries.instances
        stored, weights = rows.cells(rows.positions(ids)), description.search_weights()
        description.comparison.fitted.check_finite(tied.costs[infinite], cells[of], stored, weights, (of, ids))
    return tied


# Ties between equally near instances --------------------------------------------------------------------------------


def winning_labels(tied: Nearest, description: Description) -> IdArray:
    """The label that each query gets from its nearest instances."""
    ties, first = description.rules.ties, tied.indptr[:-1]
    if ties == "first" or tied.labels.size == first.size:
        return tied.labels[first]
    if ties == "random":
        # A number is drawn, in the order of the queries, where there is a choice.
        several = np.flatnonzero(tied.sizes > 1)
        drawn = first.copy()
        drawn[several] += below(splitmix(description.rules.seed, several.size), tied.sizes[several])
        return tied.labels[drawn]
    pairs = tied.queries() * (int(tied.labels.max()) + 1) + tied.labels
    _, inverse, counts = np.unique(pairs, return_inverse=True, return_counts=True)
    votes, entry = counts[inverse], np.arange(tied.labels.size)
    # Of labels with equally many votes the one that was stored first.
    leading = np.where(votes == np.repeat(np.maximum.reduceat(votes, first), tied.sizes), entry, entry.size)
    return np.asarray(tied.labels[np.minimum.reduceat(leading, first)])


def below(numbers: NDArray[np.uint64], limits: IdArray) -> IdArray:
    """Each number of 64 bits as one below its limit, ``number * limit / 2^64`` rounded down."""
    half, low = np.uint64(32), np.uint64(2**32 - 1)
    n = limits.astype(np.uint64)
    # In two halves of 32 bits, since the product has more than 64.
    carried = ((numbers & low) * n) >> half
    return (((numbers >> half) * n + carried) >> half).astype(np.int64)


# Classes ------------------------------------------------------------------------------------------------------------


def classify(queries: Queries) -> IdArray:
    """The predicted class of each query, as a position in ``classes_``."""
    joint, seen = queries.joint, queries.seen
    if joint is None:
        return np.asarray(_winners(queries).argmax(axis=1))
    if not len(joint.core):
        return np.full(len(queries), seen.positions[joint.most_frequent(seen.codes)])
    return seen.positions[winning_labels(nearest(joint, queries), joint)]


def class_shares(queries: Queries) -> FloatArray:
    """The share of each class in ``classes_`` among the nearest instances of each query."""
    joint, codes = queries.joint, queries.seen.codes
    if joint is None:
        winners = _winners(queries)
        return np.asarray(winners / winners.sum(axis=1, keepdims=True))
    shares = np.zeros((len(queries), codes.size))
    if not len(joint):
        return shares + joint.counts_of(codes) / joint.core.counts()[1]
    tied, at, ties = nearest(joint, queries), queries.seen.positions, joint.rules.ties
    every, won = np.arange(len(queries)), at[winning_labels(tied, joint)]
    if ties == "first":
        shares[every, won] = 1.0
        return shares
    np.add.at(shares, (tied.queries(), at[tied.labels]), 1.0)
    shares /= tied.sizes[:, None]
    if ties == "majority":
        # Of equal shares the predicted one is larger by a rounding error, so that the largest is the predicted one.
        evenly = (shares == shares[every, won, None]).sum(axis=1) > 1
        shares[every[evenly], won[evenly]] = np.nextafter(shares[every[evenly], won[evenly]], 1.0)
    return shares


def claims(queries: Queries) -> tuple[BoolArray, FloatArray, FloatArray]:
    """What the description of each class says of each query, three arrays of shape (queries, classes).

    Whether it belongs to the class, the share of members among its nearest instances, and their cost by the sum of
    weights, so that descriptions with other weights compare.
    """
    shape = len(queries), queries.seen.codes.size
    claimed, share, distance = np.zeros(shape, bool), np.zeros(shape), np.full(shape, np.inf)
    for k, code in enumerate(queries.seen.codes.tolist()):
        description = queries.of_class(code)
        if not len(description):
            claimed[:, k] = share[:, k] = description.most_frequent(np.array([_OUTSIDE, _INSIDE]))
            continue
        tied = nearest(description, queries)
        claimed[:, k] = winning_labels(tied, description) == _INSIDE
        members = np.add.reduceat(tied.labels, tied.indptr[:-1]) / tied.sizes
        share[:, k] = claimed[:, k] if description.rules.ties == "first" else members
        distance[:, k] = _by_weights(tied.cost, description)
    return claimed, share, distance


def _winners(queries: Queries) -> BoolArray:
    """The classes that win each query, equally near ones together, shape (queries, classes).

    Of the classes that claim it the nearest; where none does, the class with the nearest member; where no class has
    one, the most frequent.
    """
    claimed, _, distance = claims(queries)
    won = _least(distance, claimed)
    unclaimed = np.flatnonzero(~claimed.any(axis=1))
    if unclaimed.size:
        won[unclaimed] = _by_members(queries.some(unclaimed))
    return won


def _by_members(queries: Queries) -> BoolArray:
    ones = [queries.of_class(code) for code in queries.seen.codes.tolist()]
    distance, present = np.full((len(queries), len(ones)), np.inf), np.zeros(len(ones), bool)
    for k, description in enumerate(ones):
        if (description.core.records()[1] == _INSIDE).any():
            tied = nearest(description, queries, label=_INSIDE)
            present[k], distance[:, k] = True, _by_weights(tied.cost, description)
    if not present.any():
        rows = np.array([description.counts_of(np.array([_INSIDE]))[0] for description in ones])
        return np.broadcast_to(rows == rows.max(), distance.shape)
    return _least(distance, np.broadcast_to(present, distance.shape))


def _by_weights(costs: FloatArray, description: Description) -> FloatArray:
    """Costs by the sum of the weights they were computed with, added in the order of the columns."""
    return np.asarray(costs / np.cumsum(description.search_weights())[-1])


def _least(distance: FloatArray, among: BoolArray) -> BoolArray:
    """Where the least distance is, among some; infinite ones can be the least."""
    least = np.where(among, distance, np.inf).min(axis=1, keepdims=True, initial=np.inf)
    return np.asarray(among & (distance == least))


# Precedents ---------------------------------------------------------------------------------------------------------


def precedents(queries: Queries, table: Table, backend: Backend | None) -> Precedents:
    """The stored instances behind each answer, and the nearest one of another class."""
    predicted, shares, codes = classify(queries), class_shares(queries), queries.seen.codes
    found: list[list[Precedent]] = [[] for _ in range(len(queries))]
    unlike: list[Precedent | None] = [None] * len(queries)
    # Which description answered which queries, by its instances of which label; and the labels of the answers.
    answered: list[tuple[Description, IntArray, int | None, IdArray]] = []
    if queries.joint is not None:
        answered.append((queries.joint, np.arange(len(queries)), None, codes[predicted]))
    else:
        claimed = claims(queries)[0][np.arange(len(queries)), predicted]
        for k, label in product(np.unique(predicted).tolist(), (None, _INSIDE)):
            rows = np.flatnonzero((predicted == k) & (claimed == (label is None)))
            answered.append((queries.of_class(int(codes[k])), rows, label, np.full(rows.size, _INSIDE)))
    for description, rows, label, own in answered:
        some = queries.some(rows)
        voters, others = _voters(description, some, label), _nearest_unlike(description, some, own)
        for at, query in enumerate(rows.tolist()):
            found[query] = _cases(description, some, at, voters[at])
            unlike[query] = next(iter(_cases(description, some, at, others[at])), None)
    return assembled(table, found, unlike, predicted, shares, queries.seen.classes, backend)


def assembled(
    table: Table,
    found: list[list[Precedent]],
    unlike: list[Precedent | None],
    predicted: IdArray,
    probabilities: FloatArray,
    classes: AnyArray,
    backend: Backend | None,
) -> Precedents:
    """Precedents of the queries of a table, all cases of a query with equal votes."""
    cases, sizes = [case for of_query in found for case in of_query], np.array([len(of_query) for of_query in found])
    return Precedents(
        names=attribute_names(table.schema),
        queries=decoded(table),
        predictions=classes[predicted],
        indptr=np.concatenate(([0], np.cumsum(sizes))),
        ids=np.array([case.id for case in cases], np.int64),
        rows=[case.row for case in cases],
        targets=np.array([case.target for case in cases], classes.dtype),
        distances=np.array([case.distance for case in cases]),
        votes=np.repeat(1.0 / np.maximum(sizes, 1), sizes),
        contributions=np.array([case.contributions for case in cases]).reshape(len(cases), len(table.schema)),
        unlike=tuple(unlike),
        probabilities=probabilities,
        classes=classes,
        backend=backend,
    )


def _voters(description: Description, queries: Queries, label: int | None) -> list[IdArray]:
    """Ids of the instances behind the answer of each query."""
    labels = description.core.records()[1]
    if not len(queries) or not (labels.size if label is None else (labels == label).any()):
        return [np.empty(0, np.int64)] * len(queries)
    tied = nearest(description, queries, label)
    most = 1 if description.rules.ties == "first" else None
    return [ids[:most] for ids in np.split(tied.ids, tied.indptr[1:-1])]


def _nearest_unlike(description: Description, queries: Queries, own: IdArray) -> list[IdArray]:
    """For each query the id of the nearest instance of another label than its own; empty where there is none."""
    best, least = np.full(len(queries), -1), np.full(len(queries), np.inf)
    for label in np.unique(description.core.records()[1]).tolist():
        rows = np.flatnonzero(own != label)
        if rows.size:
            tied = nearest(description, queries.some(rows), label)
            nearer = (best[rows] < 0) | (tied.cost < least[rows])
            best[rows[nearer]], least[rows[nearer]] = tied.ids[tied.indptr[:-1]][nearer], tied.cost[nearer]
    return [np.array([id_] if id_ >= 0 else [], np.int64) for id_ in best.tolist()]


def _cases(description: Description, queries: Queries, query: int, ids: IdArray) -> list[Precedent]:
    """Stored rows beside a query, with the contribution of each attribute to their distances."""
    if not ids.size:
        return []
    instances, comparison, seen = queries.instances, description.comparison, queries.seen
    positions, weights, own = instances.positions(ids), description.search_weights(), queries.cells[query]
    fitted = comparison.with_ranges(*description.core.ranges())
    cells = comparison.prepared(instances.cells(positions), instances, stored=True)
    contributions = fitted.distance_contributions(own, cells, weights)
    distances = fitted.finish(fitted.costs(own, cells, weights)).tolist()
    classes: AnyArray = seen.classes[seen.positions[seen.coded(instances, positions)]]
    parts = zip(ids.tolist(), instances.decode(positions), classes, distances, contributions, strict=True)
    return [Precedent(*fields) for fields in parts]
