"""Voting rules: votes of the neighbors as a function of distance, and predictions from the votes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias, cast

import numpy as np

from priorcase._core import elect, weighted_means
from priorcase._parameters import is_list, is_number
from priorcase._typing import FloatArray, IntArray
from priorcase.exceptions import ParameterError, nearest, quoted
from priorcase.instances import as_floats
from priorcase.learning.targets import Classes
from priorcase.search.index import SLACK, NeighborList
from priorcase.similarity import kernels
from priorcase.similarity.kernels import KERNELS, FunctionKernel, Kernel, function_weights, kernel_weights

Ties = Literal["majority", "first", "nearest", "reduce"]
TIES: dict[Ties, int] = {"majority": 0, "first": 1, "nearest": 2, "reduce": 3}
"""Rules for ties, and their numbers in the compiled core."""

# Votes outside this range are rescaled so that their sums neither overflow nor lose precision.
_LARGE = 1e100
# Sums of prior weights up to this limit do not overflow.
_LARGEST_PRIOR = 1e300


def summed(groups: IntArray, values: FloatArray, n: int) -> FloatArray:
    """Return the sum of the values in each of ``n`` groups; ``groups`` contains the group number of each value."""
    return np.asarray(np.bincount(groups, weights=values, minlength=n), dtype=np.float64)


# -- weights of neighbors
#
# A voting rule computes the vote of each neighbor. ``needs_bandwidth`` is True if the rule uses ``voters.bandwidths``.
# ``core`` describes the rule to the compiled core: its number, its parameter, and its bandwidth (0 if each query has
# its own bandwidth).

CoreVote: TypeAlias = tuple[int, float, float]
_KERNELS = ("Triangular", "Epanechnikov", "Biweight", "Tricube", "Uniform", "Gaussian", "Exponential", "InversePower")
_CORE_KERNELS: dict[type, int] = {getattr(kernels, name): number for number, name in enumerate(_KERNELS, 2)}


@dataclass(frozen=True)
class UniformVote:
    """Equal votes for all neighbors."""

    needs_bandwidth: ClassVar[bool] = False
    core: ClassVar[CoreVote] = (0, 1.0, 0.0)

    def weigh(self, voters: NeighborList) -> FloatArray:
        return np.ones(voters.rows.size)


@dataclass(frozen=True)
class InverseSquare:
    """Votes of ``1 / d^2`` (Mitchell 1997, eq. 8.3, 8.4); if any distance d is 0, only neighbors at distance 0 vote."""

    needs_bandwidth: ClassVar[bool] = False
    core: ClassVar[CoreVote] = (1, 1.0, 0.0)

    def weigh(self, voters: NeighborList) -> FloatArray:
        # Relative to the nearest row, because only ratios matter and 1 / d^2 overflows for small distances.
        nearest = np.minimum.reduceat(voters.distances, voters.indptr[:-1])[voters.queries()]
        with np.errstate(invalid="ignore"):
            ratio = nearest / voters.distances
        ratio[voters.distances == nearest] = 1.0  # also 0/0 and inf/inf
        return np.asarray(ratio * ratio)


@dataclass(frozen=True)
class KernelVote:
    """Votes of ``K(d / h)`` at distance d, where K is the ``kernel`` and h the ``bandwidth``.

    If ``bandwidth`` is None, h is the distance of the (k+1)-th nearest row. If h is 0, or if the votes of all neighbors
    would be 0, all neighbors of the query have equal votes. If K is infinite for some neighbors, such as ``1 / u^p`` at
    distance 0, only these neighbors vote. A neighbor at an infinite distance votes only if all other votes on the query
    are 0.
    """

    kernel: Kernel
    bandwidth: float | None = None

    @property
    def needs_bandwidth(self) -> bool:
        return self.bandwidth is None

    @property
    def core(self) -> CoreVote | None:
        kernel, number = self.kernel, _CORE_KERNELS.get(type(self.kernel))
        parameter = getattr(kernel, "width", getattr(kernel, "p", 1.0))
        return None if number is None else (number, float(parameter), self.bandwidth or 0.0)

    def weigh(self, voters: NeighborList) -> FloatArray:
        distances, votes, scaled = voters.distances, np.ones(voters.distances.size), cast(Any, slice(None))
        bandwidths = voters.bandwidths if self.bandwidth is None else np.full(len(voters), self.bandwidth)
        bandwidths = np.zeros(len(voters)) if bandwidths is None else bandwidths
        infinite = np.isinf(bandwidths)
        if infinite.any():  # slightly more than the largest finite distance of a voter
            finite = np.where(np.isinf(distances), 0.0, distances)
            bandwidths = np.where(infinite, np.maximum.reduceat(finite, voters.indptr[:-1]) * (1 + SLACK), bandwidths)
        if not (bandwidths > 0).all():
            scaled = (bandwidths > 0)[voters.queries()]
        with np.errstate(divide="ignore", over="ignore", under="ignore"):
            u = distances[scaled] / np.repeat(bandwidths, voters.lengths)[scaled]
        votes[scaled] = kernel_weights(self.kernel, u)
        votes[np.isinf(distances)] = 0.0
        return _settled(votes, voters)


@dataclass(frozen=True)
class FunctionVote:
    """Votes returned by a function, which is called with the distances between one query and its neighbors.

    The distances are in ascending order or, if all stored rows vote, in the order of the row ids.
    """

    function: Callable[[Any], Any]
    needs_bandwidth: ClassVar[bool] = False
    core: ClassVar[None] = None

    def weigh(self, voters: NeighborList) -> FloatArray:
        votes = np.empty(voters.distances.size)
        for start, stop in voters.spans():
            votes[start:stop] = function_weights(self.function, voters.distances[start:stop].copy(), "vote")
        return _settled(votes, voters)


Vote: TypeAlias = UniformVote | InverseSquare | KernelVote | FunctionVote
_VOTES: dict[str, Callable[[], Any]] = {"uniform": UniformVote, "inverse_square": InverseSquare}
_VOTES |= {name: kernel for name, kernel in KERNELS.items() if name != "uniform"}


def resolve_vote(vote: object, bandwidth: float | None = None) -> Vote:
    """Return the voting rule for a name, a kernel or a function; with a bandwidth, a function is used as a kernel."""
    given = _VOTES[vote]() if isinstance(vote, str) and vote in _VOTES else vote
    if isinstance(given, Vote):
        rule: Vote = given
    elif callable(given) and not isinstance(given, type):
        rule = KernelVote(cast(Kernel, given)) if hasattr(given, "compact") else FunctionVote(given)
    else:
        meant = nearest(vote, _VOTES)
        remedy = "" if meant is None else f". Did you mean {meant!r}?"
        if vote == "distance":
            remedy = ". The equivalent of scikit-learn's weights='distance' is priorcase.similarity.InversePower(1)."
        raise ParameterError(
            f"vote must be one of {', '.join(map(repr, _VOTES))}, a kernel or a function of distances, got "
            f"{quoted(vote)}{remedy}"
        )
    if bandwidth is None:
        return rule
    if isinstance(rule, FunctionVote):
        return KernelVote(FunctionKernel(rule.function, "vote"), bandwidth)
    if not isinstance(rule, KernelVote):
        raise ParameterError(f"bandwidth must be None with vote={vote!r}, which is not a kernel, got {bandwidth!r}")
    return KernelVote(rule.kernel, bandwidth)


def _settled(votes: FloatArray, voters: NeighborList) -> FloatArray:
    """Rescale the votes on each query, where necessary, so that their sum is positive and finite."""
    largest = np.maximum.reduceat(votes, voters.indptr[:-1])
    odd = (largest > _LARGE) | (largest < 1 / _LARGE)
    for query in np.flatnonzero(odd).tolist():
        part = slice(voters.indptr[query], voters.indptr[query + 1])
        if np.isinf(largest[query]):
            votes[part] = np.isinf(votes[part])
        elif largest[query] == 0:
            votes[part] = 1.0
        else:
            votes[part] /= largest[query]  # ratios do not change
    return votes


# -- results of votes


@dataclass(frozen=True, slots=True)
class Poll:
    """Neighbors that vote on the queries ``start:stop`` of a batch, and their votes."""

    start: int
    stop: int
    voters: NeighborList
    unit_votes: FloatArray  # votes before multiplication by the row weights

    def votes(self) -> FloatArray:
        """Return the vote of each neighbor, multiplied by the weight of its row."""
        counts = self.voters.counts
        return self.unit_votes if counts is None else np.asarray(self.unit_votes * counts)


def means(poll: Poll, targets: FloatArray) -> FloatArray:
    """Return the mean target of each query's neighbors, weighted by their votes; shape (queries, targets)."""
    voters, votes = poll.voters, poll.votes()
    result = np.empty((len(voters), targets.shape[1]))
    for t in range(targets.shape[1]):
        result[:, t] = weighted_means(voters.indptr, targets[voters.rows, t], votes)
    return result


def class_votes(poll: Poll, classes: Classes, prior: FloatArray | None = None) -> FloatArray:
    """Return the sum of the votes for each class, plus the prior weight if given, shape (queries, classes)."""
    voters, n_classes = poll.voters, classes.labels.size
    cells = voters.queries() * n_classes + classes.codes[voters.rows]
    votes = summed(cells, poll.votes(), len(voters) * n_classes).reshape(-1, n_classes)
    if prior is None:
        return votes
    # Before the prior is added, the votes on each query are rescaled to the total row weight of its neighbors.
    return np.asarray(votes * (_n_voters(voters) / votes.sum(axis=1))[:, None] + prior)


def _n_voters(voters: NeighborList) -> FloatArray:
    """Return the total row weight of each query's neighbors."""
    counts = voters.lengths if voters.counts is None else summed(voters.queries(), voters.counts, len(voters))
    return np.asarray(counts, dtype=np.float64)


def probabilities(
    poll: Poll, classes: Classes, prior: FloatArray | None = None, temperature: float = 1.0
) -> FloatArray:
    """Return class probabilities proportional to ``(n_c + a_c)^(1 / T)``.

    n_c is the sum of the votes for class c, a_c is the prior weight of class c, and T is the temperature.
    """
    votes = class_votes(poll, classes, prior)
    if temperature != 1.0:  # relative to the largest, whose power neither overflows nor underflows
        with np.errstate(under="ignore"):
            votes = (votes / votes.max(axis=1, keepdims=True)) ** (1.0 / temperature)
    elif prior is not None:  # not divided by the sum of the votes, whose rounding depends on the classes
        return np.asarray(votes / (_n_voters(poll.voters) + prior.sum(axis=-1))[:, None])
    return np.asarray(votes / votes.sum(axis=1, keepdims=True))


def prior_weights(prior: object, class_weights: Sequence[FloatArray]) -> list[FloatArray | None]:
    """Return the prior class weights of each target, or None; ``class_weights`` contains total row weights."""
    if prior is None or (is_number(prior) and prior == 0):
        return [None] * len(class_weights)
    if isinstance(prior, str) and prior == "uniform":
        return [np.full(weights.size, 1.0 / weights.size) for weights in class_weights]
    if isinstance(prior, str) and prior == "frequency":
        return [weights / weights.sum() for weights in class_weights]
    if is_number(prior) and 0 < prior <= _LARGEST_PRIOR:
        return [np.full(weights.size, float(prior)) for weights in class_weights]
    single = len(class_weights) == 1
    expected = "None, 'uniform', 'frequency'" + (", " if single else " or ") + "a number from 0 to 1e300"
    expected += ", or one such number for each class" if single else " with several targets"
    if is_list(prior) and single:
        numbers = as_floats(prior)
        usable = numbers is not None and numbers.shape == class_weights[0].shape
        if numbers is not None and usable and bool(((numbers >= 0) & (numbers <= _LARGEST_PRIOR)).all()):
            return [numbers if numbers.any() else None]
        expected = f"{class_weights[0].size} numbers from 0 to 1e300, one for each class"
    raise ParameterError(f"prior must be {expected}, got {quoted(prior)}")


LeftOut = tuple[IntArray, FloatArray]
"""Positions of the rows that are left out, and the weight to subtract from the frequency of each row's class."""


def left_out_once(rows: IntArray, row_weights: FloatArray | None) -> LeftOut:
    """Return the given rows, and the weight that leave-one-out removes from each: the row weight, but at most 1."""
    return rows, np.ones(rows.size) if row_weights is None else np.minimum(row_weights[rows], 1.0)


def decide(
    poll: Poll,
    ties: Ties,
    targets: Sequence[Classes],
    priors: Sequence[FloatArray | None],
    left_out: LeftOut | None = None,
) -> IntArray:
    """Return the position of the winning class for each query and target, shape (queries, targets)."""
    columns = []
    for classes, prior in zip(targets, priors, strict=True):
        tied: Sequence[int] = ()
        if prior is not None or left_out is not None:  # not supported by the compiled function
            chosen, tied = _counted(poll, ties, classes, prior, left_out)
        else:
            lists = poll.voters.indptr, classes.at(poll.voters.rows), poll.votes(), poll.voters.distances
            chosen, n_tied = elect(*lists, classes.labels.size, None, TIES[ties])
            if n_tied and ties == "majority":  # counting the rows of each class takes time, so it is done only for ties
                chosen, n_tied = elect(*lists, classes.labels.size, classes.weights, TIES[ties])
            if n_tied:
                tied = np.flatnonzero(chosen < 0).tolist()
        for query in tied:
            chosen[query] = _reduced(poll, query, classes, prior if prior is None or prior.ndim == 1 else prior[query])
        columns.append(chosen)
    return columns[0][:, None] if len(columns) == 1 else np.stack(columns, axis=1)


def _counted(
    poll: Poll, ties: Ties, classes: Classes, prior: FloatArray | None, left_out: LeftOut | None
) -> tuple[IntArray, list[int]]:
    """Return the winning class of each query, and the queries with a tie that `_reduced` must break."""
    votes = class_votes(poll, classes, prior)
    leads = votes == votes.max(axis=1, keepdims=True)
    if ties == "majority":  # the class with most training rows, then the first
        weights = np.where(leads, classes.weights, -1.0)
        if left_out is not None:
            at = np.arange(len(weights)), classes.codes[left_out[0]]
            weights[at] -= np.where(leads[at], left_out[1], 0.0)
        return weights.argmax(axis=1), []
    chosen = leads.argmax(axis=1)
    tied = [] if ties == "first" else np.flatnonzero(leads.sum(axis=1) > 1).tolist()
    if ties == "reduce":
        return chosen, tied
    for query in tied:  # the class of the nearest voter of a tied class, if any
        part = slice(poll.voters.indptr[query], poll.voters.indptr[query + 1])
        codes = classes.codes[poll.voters.rows[part]]
        candidates = np.flatnonzero(leads[query][codes])
        if candidates.size:
            chosen[query] = codes[candidates[poll.voters.distances[part][candidates].argmin()]]
    return chosen, []


def _reduced(poll: Poll, query: int, classes: Classes, prior: FloatArray | None) -> int:
    """Drop the farthest neighbors of a tied query until one class leads; if none ever leads, the nearest decides."""
    voters, n_classes = poll.voters, classes.labels.size
    part = slice(int(voters.indptr[query]), int(voters.indptr[query + 1]))
    order = np.argsort(voters.distances[part], kind="stable") + part.start
    votes, codes = poll.unit_votes[order], classes.at(voters.rows[order])
    counts = np.ones(votes.size) if voters.counts is None else voters.counts[order]
    reach = np.cumsum(counts)
    each = np.zeros((votes.size + 1, n_classes))
    each[np.arange(1, votes.size + 1), codes] = votes * counts
    full = np.cumsum(each, axis=0)
    for fewer in range(round(float(reach[-1])) - 1, 0, -1):
        last = min(int(np.searchsorted(reach, fewer * (1 - SLACK))), votes.size - 1)
        left = full[last].copy()
        left[codes[last]] += votes[last] * min(counts[last], fewer - (reach[last] - counts[last]))
        if prior is not None and left.sum() > 0:
            left = left * (fewer / left.sum()) + prior
        leaders = np.flatnonzero(left == left.max())
        if leaders.size == 1:
            return int(leaders[0])
    return int(codes[0])
