"""Scores of k-NN candidates: every number of neighbours, vote, prior and temperature from one search of each row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from priorcase._core import LeftOut as CoreRows
from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.learning.classes import Classes
from priorcase.neighbors.base import NeighborsMemory
from priorcase.neighbors.polling import ENTRIES, Rules, rank, refuse_overflow
from priorcase.neighbors.votes import (
    TIES,
    InverseSquare,
    KernelVote,
    Poll,
    Ties,
    UniformVote,
    Vote,
    decide,
    left_out_once,
    means,
    prior_weights,
    probabilities,
)
from priorcase.search import ALGORITHMS
from priorcase.similarity import kernels

CLASS_SCORES = ("log_loss", "surprise", "brier", "accuracy")
NUMBER_SCORES = ("squared_error", "absolute_error")

_KERNELS: dict[type, int] = {
    kernels.Triangular: 2,
    kernels.Epanechnikov: 3,
    kernels.Biweight: 4,
    kernels.Tricube: 5,
    kernels.Uniform: 6,
    kernels.Gaussian: 7,
    kernels.Exponential: 8,
    kernels.InversePower: 9,
}
# Rows that one thread adds up, and how many such pieces each thread gets before Ctrl-C is heard again.
_PIECE, _PIECES_AT_ONCE = 256, 8


@dataclass(frozen=True)
class VoteChoice:
    """A vote and its bandwidth as a user names them, and the rule they stand for."""

    vote: Any
    bandwidth: float | None
    rule: Vote

    @property
    def core(self) -> tuple[int, float, float] | None:
        """The core's number of the vote, its parameter and its bandwidth (0: the neighbours'); None if unknown to it.

        Examples
        --------
        >>> VoteChoice("tricube", None, KernelVote(kernels.Tricube())).core
        (5, 1.0, 0.0)
        """
        if isinstance(self.rule, (UniformVote, InverseSquare)):
            return int(isinstance(self.rule, InverseSquare)), 1.0, 0.0
        if not isinstance(self.rule, KernelVote) or type(self.rule.kernel) not in _KERNELS:
            return None
        kernel = self.rule.kernel
        parameter = getattr(kernel, "width", getattr(kernel, "p", 1.0))
        return _KERNELS[type(kernel)], float(parameter), self.rule.bandwidth or 0.0


@dataclass(frozen=True)
class CandidateGrid:
    """Candidates that share a distance and attribute weights: each choice combined with each.

    ``n_neighbors`` are ascending; where targets are numbers there is one prior and one temperature.
    """

    n_neighbors: tuple[int, ...]
    votes: tuple[VoteChoice, ...]
    priors: tuple[Any, ...] = (None,)
    temperatures: tuple[float, ...] = (1.0,)

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """How many votes, numbers of neighbours, priors and temperatures there are."""
        return len(self.votes), len(self.n_neighbors), len(self.priors), len(self.temperatures)

    def __len__(self) -> int:
        return int(np.prod(self.shape))

    def only(self, candidate: int) -> CandidateGrid:
        """The grid of one candidate alone."""
        v, k, p, m = (int(i) for i in np.unravel_index(candidate, self.shape))
        return CandidateGrid((self.n_neighbors[k],), (self.votes[v],), (self.priors[p],), (self.temperatures[m],))

    def up_to(self, most: int) -> CandidateGrid:
        """The candidates of at most so many neighbours."""
        return replace(self, n_neighbors=tuple(k for k in self.n_neighbors if k <= most))

    def of_votes(self, votes: list[int]) -> CandidateGrid:
        """The candidates with some of the votes, by position."""
        return replace(self, votes=tuple(self.votes[v] for v in votes))

    def parameters(self, candidate: int, *, classes: bool) -> dict[str, Any]:
        """The parameters of one candidate; those of classes only where there are classes."""
        one = self.only(candidate)
        choice = one.votes[0]
        chosen = {"n_neighbors": one.n_neighbors[0], "vote": choice.vote, "bandwidth": choice.bandwidth}
        return chosen | {"prior": one.priors[0], "temperature": one.temperatures[0]} if classes else chosen


@dataclass(frozen=True, eq=False)
class Queries:
    """Queries to a memory whose targets are known: stored rows that are left out in turn, or held-out rows."""

    memory: NeighborsMemory
    cells: FloatArray
    own: IntArray | None  # the stored rows that the queries are, each to be left out once
    truth: Any  # classes by position in the labels, or numbers, shape (queries, targets)
    times: FloatArray  # how many rows each query counts as
    blocks: IntArray  # the block of each query, ascending: scores are added up block by block

    def __len__(self) -> int:
        return len(self.cells)

    def part(self, queries: IntArray) -> Queries:
        """Some of the queries."""
        own = None if self.own is None else self.own[queries]
        return Queries(
            self.memory, self.cells[queries], own, self.truth[queries], self.times[queries], self.blocks[queries]
        )


def left_out(memory: NeighborsMemory, truth: Any, rows: IntArray, blocks: IntArray) -> Queries:
    """Stored rows, by position, as queries that are each left out."""
    weights = memory.row_weights
    times = np.ones(rows.size) if weights is None else weights[rows]
    return Queries(memory, memory.instances.cells(rows), rows, truth[rows], times, blocks)


@dataclass(frozen=True, eq=False)
class ClassTargets:
    """The classes of the stored rows, and the priors to try."""

    outputs: Sequence[Classes]
    priors: Sequence[Any]

    @property
    def stored(self) -> IntArray:
        """Position of each stored row's class among the labels, shape (rows, targets)."""
        return np.stack([classes.at(slice(None)) for classes in self.outputs], axis=1)

    def prior_weights(self) -> list[list[FloatArray | None]]:
        """For each prior the weights of the classes of each target."""
        counts = [classes.weights for classes in self.outputs]
        return [prior_weights(prior, counts) for prior in self.priors]


@dataclass(frozen=True, eq=False)
class NumberTargets:
    """The numbers of the stored rows, shape (rows, targets)."""

    stored: FloatArray


Targets = ClassTargets | NumberTargets


@dataclass(frozen=True, eq=False)
class Sums:
    """For each score the sums over the rows of each block, shape (blocks, candidates), and the rows' weights.

    ``surprise`` is the mean logarithmic loss had another class been true.
    """

    of: Mapping[str, FloatArray]
    weights: FloatArray

    @classmethod
    def zero(cls, names: tuple[str, ...], n_blocks: int, n_candidates: int) -> Sums:
        """No rows yet."""
        return cls({name: np.zeros((n_blocks, n_candidates)) for name in names}, np.zeros(n_blocks))

    @classmethod
    def start(cls, queries: Queries, grid: CandidateGrid, targets: Targets, n_blocks: int) -> Sums:
        """The weights of the queries, and no scores yet."""
        names = CLASS_SCORES if isinstance(targets, ClassTargets) else NUMBER_SCORES
        sums = cls.zero(names, n_blocks, len(grid))
        np.add.at(sums.weights, queries.blocks, queries.times)
        return sums

    def __add__(self, other: Sums) -> Sums:
        return Sums({name: sums + other.of[name] for name, sums in self.of.items()}, self.weights + other.weights)

    def mean(self, name: str) -> FloatArray:
        """The mean score of each candidate over all rows."""
        total: FloatArray = self.of[name].sum(axis=0)
        return np.asarray(total / self.weights.sum())


def grid_sums(
    queries: Queries, grid: CandidateGrid, targets: Targets, ties: Ties, n_blocks: int, *, threads: int
) -> Sums:
    """The sums of all scores over the blocks of the queries, for every candidate.

    Votes that the core knows are scored there, all from one search of each row; other votes, rows with a neighbour
    that is infinitely far away, and rows with attribute weights of their own by polls, which gives the same.
    """
    memory = queries.memory
    if memory.local_weights or not len(queries):
        return poll_sums(queries, grid, targets, ties, n_blocks, threads=threads)
    known = [v for v, choice in enumerate(grid.votes) if choice.core is not None]
    unknown = [v for v, choice in enumerate(grid.votes) if choice.core is None]
    if not unknown:
        return _core_sums(queries, grid, targets, ties, n_blocks, threads)
    polled = poll_sums(queries, grid.of_votes(unknown), targets, ties, n_blocks, threads=threads)
    if not known:
        return polled
    core = _core_sums(queries, grid.of_votes(known), targets, ties, n_blocks, threads)
    order = np.argsort([*known, *unknown])
    merged = {}
    for name, sums in core.of.items():
        both = [sums.reshape(n_blocks, len(known), -1), polled.of[name].reshape(n_blocks, len(unknown), -1)]
        merged[name] = np.concatenate(both, axis=1)[:, order].reshape(n_blocks, -1)
    return Sums(merged, core.weights)


# -- by the compiled core


def _core_sums(
    queries: Queries, grid: CandidateGrid, targets: Targets, ties: Ties, n_blocks: int, threads: int
) -> Sums:
    sums, odd = Sums.start(queries, grid, targets, n_blocks), []
    for starts in _batches(queries, threads):
        batch = np.arange(starts[0], starts[-1])
        *found, left = _core_scores(queries.part(batch), grid, targets, ties, starts - starts[0], threads)
        for name, scores in zip(sums.of, found, strict=True):
            each = len(grid) // scores.shape[1]  # accuracy does not depend on the temperature
            full = np.repeat(scores, each, axis=1) if each > 1 else scores
            for block, piece in zip(queries.blocks[starts[:-1]].tolist(), full, strict=True):
                sums.of[name][block] += piece
        odd.append(batch[left])
    rest = np.concatenate(odd)
    if not rest.size:
        return sums
    extra = poll_sums(queries.part(rest), grid, targets, ties, n_blocks, threads=threads)
    return Sums({name: array + extra.of[name] for name, array in sums.of.items()}, sums.weights)


def _batches(queries: Queries, threads: int) -> Iterator[IntArray]:
    """Where pieces of the queries begin, some pieces at a time, and where the last of them ends.

    A piece lies within a block. Pieces do not depend on the number of threads, so that sums over them do not either.
    """
    firsts = np.flatnonzero(np.diff(queries.blocks, prepend=-1))
    lengths = np.diff(np.append(firsts, len(queries)))
    starts = np.concatenate([first + np.arange(0, n, _PIECE) for first, n in zip(firsts, lengths, strict=True)])
    bounds, size = np.append(starts, len(queries)), _PIECES_AT_ONCE * threads
    for first in range(0, starts.size, size):
        yield bounds[first : first + size + 1]


def _core_scores(
    queries: Queries, grid: CandidateGrid, targets: Targets, ties: Ties, starts: IntArray, threads: int
) -> tuple[AnyArray, ...]:
    memory = queries.memory
    index, fitted, weights = memory.index, memory.fitted, memory.attribute_weights
    numbers, parameters, bandwidths = zip(*(choice.core for choice in grid.votes if choice.core), strict=True)
    rows = CoreRows(
        index.core,
        index.plan_of(fitted),
        np.ascontiguousarray(fitted.prepare(queries.cells)),
        np.full(len(queries), -1) if queries.own is None else memory.ids[queries.own],
        np.ascontiguousarray(queries.times, np.float64),
        index.ones[0] if weights is None else weights,
        memory.ids,
        memory.row_weights,
        fitted.distance.power,
        fitted.distance.root,
        ALGORITHMS[memory.algorithm],
        threads,
        ties == "majority",
        np.array(grid.n_neighbors, np.int64),
        np.array(numbers, np.int64),
        np.array(parameters, np.float64),
        np.array(bandwidths, np.float64),
        np.ascontiguousarray(starts, np.int64),
    )
    if isinstance(targets, NumberTargets):
        return rows.numbers(np.ascontiguousarray(targets.stored), np.ascontiguousarray(queries.truth))
    counts = [classes.weights for classes in targets.outputs]
    priors = [
        np.concatenate([np.zeros(n.size) if prior is None else prior for prior, n in zip(line, counts, strict=True)])
        for line in targets.prior_weights()
    ]
    own = queries.own
    return rows.classes(
        np.ascontiguousarray(targets.stored, np.int64),
        np.ascontiguousarray(queries.truth, np.int64),
        np.array([n.size for n in counts]),
        np.concatenate(counts),
        np.array(priors),
        np.array(grid.temperatures, np.float64),
        np.zeros(len(queries)) if own is None else left_out_once(own, memory.row_weights)[1],
        TIES[ties],
    )


# -- by polls


def poll_sums(
    queries: Queries, grid: CandidateGrid, targets: Targets, ties: Ties, n_blocks: int, *, threads: int
) -> Sums:
    """The sums of all scores as `grid_sums` gives them, by one poll for each candidate: for any vote."""
    sums, most = Sums.start(queries, grid, targets, n_blocks), max(grid.n_neighbors)
    _, n_ks, n_priors, n_temperatures = grid.shape
    size = max(1, ENTRIES // (8 * most))
    for start in range(0, len(queries), size):
        part = queries.part(np.arange(start, min(start + size, len(queries))))
        for v, choice in enumerate(grid.votes):
            rules = Rules(choice.rule, ties)
            neighbors = rank(part.memory, part.cells, most, rules, threads=threads, own=part.own)
            farthest = neighbors.nearest(most, whole_ties=rules.whole_ties, bandwidth=choice.rule.needs_bandwidth)
            refuse_overflow(part.memory, part.cells, neighbors, farthest)
            for i, k in enumerate(grid.n_neighbors):
                poll = rules.poll(neighbors, k)
                first = (v * n_ks + i) * n_priors * n_temperatures
                if isinstance(targets, NumberTargets):
                    _add(sums, part, first, _number_scores(poll, part, targets))
                else:
                    _add_class_scores(sums, part, first, poll, grid, targets, ties)
    return sums


def _number_scores(poll: Poll, queries: Queries, targets: NumberTargets) -> dict[str, FloatArray]:
    with np.errstate(over="ignore"):
        errors = means(poll, targets.stored) - queries.truth
        return {"squared_error": (errors * errors).mean(axis=1), "absolute_error": np.abs(errors).mean(axis=1)}


def _add_class_scores(
    sums: Sums, queries: Queries, first: int, poll: Poll, grid: CandidateGrid, targets: ClassTargets, ties: Ties
) -> None:
    own = queries.own
    gone = None if own is None else left_out_once(own, queries.memory.row_weights)
    for p, priors in enumerate(targets.prior_weights()):
        right = (decide(poll, ties, targets.outputs, priors, gone) == queries.truth).mean(axis=1)
        for m, temperature in enumerate(grid.temperatures):
            scores = {"accuracy": right}
            for name in ("log_loss", "surprise", "brier"):
                scores[name] = np.zeros(len(queries))
            for t, (classes, prior) in enumerate(zip(targets.outputs, priors, strict=True)):
                proba = probabilities(poll, classes, prior, temperature)
                for name, score in probability_scores(proba, queries.truth[:, t]).items():
                    scores[name] += score / len(targets.outputs)
            _add(sums, queries, first + p * len(grid.temperatures) + m, scores)


def probability_scores(proba: FloatArray, truth: IntArray) -> dict[str, FloatArray]:
    """Scores of each row's probabilities, given the position of the true class.

    Examples
    --------
    >>> scores = probability_scores(np.array([[0.8, 0.1, 0.1]]), np.array([0]))
    >>> {name: score.round(3).tolist() for name, score in scores.items()}
    {'log_loss': [0.223], 'surprise': [2.303], 'brier': [0.06]}
    """
    rows, n = np.arange(truth.size), proba.shape[1]
    came = proba[rows, truth]
    others = proba.copy()
    others[rows, truth] = 0.0
    rest = others.sum(axis=1)
    with np.errstate(divide="ignore"):
        surprise = -np.log(rest / (n - 1)) if n > 1 else np.zeros(truth.size)
        return {"log_loss": -np.log(came), "surprise": surprise, "brier": rest * rest + (others * others).sum(axis=1)}


def _add(sums: Sums, queries: Queries, candidate: int, scores: dict[str, FloatArray]) -> None:
    for name, score in scores.items():
        np.add.at(sums.of[name][:, candidate], queries.blocks, score * queries.times)
