"""Classification, the second of the three parts: from the nearest instances to classes and shares."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from priorcase._typing import BoolArray, FloatArray, IdArray, IntArray
from priorcase.concepts.description import Description
from priorcase.concepts.descriptions import Descriptions
from priorcase.concepts.roll import ClassRoll
from priorcase.exceptions import DistanceError
from priorcase.instances import Instances

_OUTSIDE_OR_INSIDE = np.array([0, 1])
_INSIDE = _OUTSIDE_OR_INSIDE[1:]
_GAMMA, _FIRST, _SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB

Unsigned: TypeAlias = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Nearest:
    """For each query the instances that are nearest, all equally near, in the order they were stored.

    Those of query i are entries ``indptr[i]`` to ``indptr[i + 1]``; every query has some.
    """

    indptr: IdArray
    names: IdArray
    labels: IdArray
    costs: FloatArray

    @property
    def sizes(self) -> IdArray:
        """How many there are for each query."""
        return np.diff(self.indptr)

    @property
    def cost(self) -> FloatArray:
        """How far they are, before the root."""
        return self.costs[self.indptr[:-1]]

    def entries(self) -> IntArray:
        """The query that each entry belongs to."""
        return np.repeat(np.arange(self.sizes.size), self.sizes)


@dataclass(frozen=True, eq=False)
class Question:
    """Queries as descriptions compare them, and what is needed to answer.

    Parameters
    ----------
    cells
        The queries.
    instances
        The stored rows.
    roll
        The classes.
    threads
        Threads to use.
    """

    cells: FloatArray
    instances: Instances
    roll: ClassRoll
    threads: int

    def __len__(self) -> int:
        return len(self.cells)

    def some(self, rows: IntArray) -> Question:
        """The same for some of the queries."""
        return replace(self, cells=self.cells[rows])

    def places(self) -> IdArray:
        """For each code its place among the classes."""
        at = np.zeros(len(self.roll.labels), np.int64)
        at[self.roll.codes] = np.arange(self.roll.codes.size)
        return at


def nearest(description: Description, question: Question, label: int | None = None) -> Nearest:
    """The nearest instances that may speak, of one label where one is given; some must be stored."""
    core, cells, threads = description.core, question.cells, question.threads
    found = core.nearest(cells, threads) if label is None else core.nearest_with(cells, label, threads)
    tied = Nearest(*found)
    if np.isinf(tied.cost).any():
        _check_finite(tied, description, question)
    return tied


def _check_finite(tied: Nearest, description: Description, question: Question) -> None:
    """Refuse distances that are infinite only because numbers are too large; without a shared value they are so."""
    entries = np.flatnonzero(np.isinf(tied.costs))
    queries = tied.entries()[entries]
    if description.comparison.endless:
        rows = question.instances.cells(question.instances.positions(tied.names[entries]))
        shared = ~np.isnan(question.cells[queries]) & ~np.isnan(rows) & (description.search_weights() > 0)
        queries = queries[shared.any(axis=1)]
    if queries.size:
        raise DistanceError.too_large(f"query {int(queries[0])}", "distance")


def chosen(tied: Nearest, ties: str, seed: int) -> IdArray:
    """The label that speaks for each query."""
    first = tied.indptr[:-1]
    if ties == "first" or tied.labels.size == first.size:
        return tied.labels[first]
    if ties == "random":
        drawn: IdArray = tied.labels[first + _draws(tied.sizes, seed)]
        return drawn
    entry = np.arange(tied.labels.size)
    votes = _votes(tied)
    most = np.maximum.reduceat(votes, first)
    # Of labels with equally many votes the one that was stored first.
    leading = np.where(votes == np.repeat(most, tied.sizes), entry, entry.size)
    spoke: IdArray = tied.labels[np.minimum.reduceat(leading, first)]
    return spoke


def _votes(tied: Nearest) -> IntArray:
    """How many of its query's entries have the label of each entry."""
    width = int(tied.labels.max()) + 1
    _, inverse, counts = np.unique(tied.entries() * width + tied.labels, return_inverse=True, return_counts=True)
    votes: IntArray = counts[inverse]
    return votes


def _draws(sizes: IdArray, seed: int) -> IdArray:
    """A position below each size; a random number is drawn, in the order of the queries, where there is a choice."""
    open_ = np.flatnonzero(sizes > 1)
    found = np.zeros(sizes.size, np.int64)
    found[open_] = below(splitmix(seed, open_.size), sizes[open_])
    return found


def splitmix(seed: int, n: int) -> Unsigned:
    """The first ``n`` numbers of SplitMix64, as the compiled core draws them (Steele, Lea & Flood 2014)."""
    steps = np.arange(1, n + 1, dtype=np.uint64)
    z = np.uint64(seed % 2**64) + steps * np.uint64(_GAMMA)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(_FIRST)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(_SECOND)
    mixed: Unsigned = z ^ (z >> np.uint64(31))
    return mixed


def below(numbers: Unsigned, limits: IdArray) -> IdArray:
    """Each number of 64 bits as one below its limit, ``number * limit / 2^64`` rounded down.

    Examples
    --------
    >>> below(np.array([0, 2**63, 2**64 - 1], np.uint64), np.array([6, 6, 6]))
    array([0, 3, 5])
    """
    half, low = np.uint64(32), np.uint64(2**32 - 1)
    n = limits.astype(np.uint64)
    # In two halves of 32 bits, since the product has more than 64.
    carried = ((numbers & low) * n) >> half
    return (((numbers >> half) * n + carried) >> half).astype(np.int64)


# One description for all classes ------------------------------------------------------------------------------------


def joint_codes(description: Description, question: Question) -> IdArray:
    """The predicted class of each query, as its code; without a stored row the most frequent class."""
    if not len(description):
        return np.full(len(question), description.frequent(question.roll.codes))
    return chosen(nearest(description, question), description.rules.ties, description.rules.seed)


def joint_shares(description: Description, question: Question) -> FloatArray:
    """The share of each class, in the order of the roll, among the nearest instances of each query."""
    codes = question.roll.codes
    shares = np.zeros((len(question), codes.size))
    if not len(description):
        _, seen = description.core.counts()
        return shares + description.counts_of(codes) / seen
    tied, rules, at = nearest(description, question), description.rules, question.places()
    queries, spoke = np.arange(len(question)), at[chosen(tied, rules.ties, rules.seed)]
    if rules.ties == "first":
        shares[queries, spoke] = 1.0
        return shares
    np.add.at(shares, (tied.entries(), at[tied.labels]), 1.0)
    shares /= tied.sizes[:, None]
    if rules.ties == "majority":
        # Of equal shares the predicted one is larger by a rounding error, so that the largest is the predicted one.
        evenly = (shares == shares[queries, spoke, None]).sum(axis=1) > 1
        shares[queries[evenly], spoke[evenly]] = np.nextafter(shares[queries[evenly], spoke[evenly]], 1.0)
    return shares


# A description for each class ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Claims:
    """What the description of each class says of each query, shape (queries, classes in the order of the roll).

    ``claimed``: whether the query belongs to the class. ``share``: the share of members among the nearest instances.
    ``distance``: how far these are, as cost by sum of weights, so that descriptions with other weights compare.
    """

    claimed: BoolArray
    share: FloatArray
    distance: FloatArray


def claims(descriptions: Descriptions, question: Question) -> Claims:
    """What the descriptions of the classes say."""
    shape = len(question), question.roll.codes.size
    found = Claims(np.zeros(shape, bool), np.zeros(shape), np.full(shape, np.inf))
    for k, code in enumerate(question.roll.codes.tolist()):
        description = descriptions.of_class(code)
        if not len(description):
            found.claimed[:, k] = found.share[:, k] = description.frequent(_OUTSIDE_OR_INSIDE)
            continue
        tied, rules = nearest(description, question), description.rules
        found.claimed[:, k] = chosen(tied, rules.ties, rules.seed) == 1
        members = np.add.reduceat(tied.labels, tied.indptr[:-1]) / tied.sizes
        found.share[:, k] = found.claimed[:, k] if rules.ties == "first" else members
        found.distance[:, k] = _scaled(tied.cost, description)
    return found


def winners(descriptions: Descriptions, found: Claims, question: Question) -> BoolArray:
    """The classes that win each query, equally near ones together, shape (queries, classes).

    Of the classes that claim it the nearest; where none does, the class with the nearest member; where no class has
    one, the most frequent.
    """
    won = _least(found.distance, found.claimed)
    unclaimed = np.flatnonzero(~found.claimed.any(axis=1))
    if unclaimed.size:
        won[unclaimed] = _by_members(descriptions, question.some(unclaimed))
    return won


def winning(descriptions: Descriptions, question: Question) -> tuple[IdArray, FloatArray]:
    """The class that wins each query among exclusive ones, as its place, and the share of each class."""
    won = winners(descriptions, claims(descriptions, question), question)
    shares: FloatArray = won / won.sum(axis=1, keepdims=True)
    return won.argmax(axis=1), shares


def _by_members(descriptions: Descriptions, question: Question) -> BoolArray:
    codes = question.roll.codes
    distance, present = np.full((len(question), codes.size), np.inf), np.zeros(codes.size, bool)
    for k, code in enumerate(codes.tolist()):
        description = descriptions.of_class(code)
        if (description.core.records()[1] == 1).any():
            tied = nearest(description, question, label=1)
            present[k], distance[:, k] = True, _scaled(tied.cost, description)
    if not present.any():
        rows = np.array([descriptions.of_class(code).counts_of(_INSIDE)[0] for code in codes.tolist()])
        return np.broadcast_to(rows == rows.max(), distance.shape)
    return _least(distance, np.broadcast_to(present, distance.shape))


def _scaled(costs: FloatArray, description: Description) -> FloatArray:
    """Costs by the sum of the weights they were made with, added in the order of the columns."""
    total = 0.0
    for weight in description.search_weights().tolist():
        total += weight
    scaled: FloatArray = costs / total
    return scaled


def _least(distance: FloatArray, among: BoolArray) -> BoolArray:
    """Where the least distance is, among some; infinite ones can be the least."""
    least = np.where(among, distance, np.inf).min(axis=1, keepdims=True, initial=np.inf)
    found: BoolArray = among & (distance == least)
    return found
