"""Scores of k-NN candidates: every number of neighbours, vote, prior and temperature from one search of each row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from priorcase._core import LeftOut as CoreRows
from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.neighbors.classifier import KNNClassifier
from priorcase.neighbors.polling import ENTRIES, Rules, rank, refuse_overflow
from priorcase.neighbors.regressor import KNNRegressor
from priorcase.neighbors.votes import TIES, Poll, Vote, decide, left_out_once, means, prior_weights, probabilities
from priorcase.search import ALGORITHMS

# ``surprise`` is the mean logarithmic loss had another class been true.
CLASS_SCORES = ("log_loss", "surprise", "brier", "accuracy")
NUMBER_SCORES = ("squared_error", "absolute_error")

# Rows that one thread adds up, and how many such pieces each thread gets before Ctrl-C is heard again.
_PIECE, _PIECES_AT_ONCE = 256, 8

Model = KNNClassifier | KNNRegressor


class VoteChoice(NamedTuple):
    """A vote and its bandwidth as a user names them, and the rule they stand for."""

    vote: Any
    bandwidth: float | None
    rule: Vote


@dataclass(frozen=True)
class CandidateGrid:
    """All combinations of some choices with one distance and attribute weights, which share their searches."""

    n_neighbors: tuple[int, ...]  # ascending
    votes: tuple[VoteChoice, ...]
    priors: tuple[Any, ...] = (None,)
    temperatures: tuple[float, ...] = (1.0,)
    distance: Any = "heom"
    attribute_weights: Any = None

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """How many votes, numbers of neighbours, priors and temperatures there are."""
        return len(self.votes), len(self.n_neighbors), len(self.priors), len(self.temperatures)

    def __len__(self) -> int:
        return int(np.prod(self.shape))

    def only(self, candidate: int) -> CandidateGrid:
        """The grid of one candidate alone."""
        v, k, p, m = (int(i) for i in np.unravel_index(candidate, self.shape))
        ks, votes, priors, temperatures = (self.n_neighbors[k],), (self.votes[v],), (self.priors[p],), self.temperatures
        return replace(self, n_neighbors=ks, votes=votes, priors=priors, temperatures=(temperatures[m],))

    def parameters(self, candidate: int, *, classes: bool) -> dict[str, Any]:
        """The parameters of one candidate; those of classes only where there are classes."""
        one = self.only(candidate)
        found = {"distance": self.distance, "attribute_weights": self.attribute_weights}
        found |= {"n_neighbors": one.n_neighbors[0], "vote": one.votes[0].vote, "bandwidth": one.votes[0].bandwidth}
        return found | {"prior": one.priors[0], "temperature": one.temperatures[0]} if classes else found


@dataclass(frozen=True, eq=False)
class Queries:
    """Queries whose targets are known: stored rows that are left out in turn, or held-out rows."""

    cells: FloatArray
    own: IntArray | None  # the stored rows that the queries are, each to be left out once
    truth: Any  # classes by position in the labels, or numbers, shape (queries, targets)
    times: FloatArray  # how many rows each query counts as
    blocks: IntArray  # the block of each query, ascending: scores are added up block by block

    def __len__(self) -> int:
        return len(self.cells)

    def part(self, at: IntArray) -> Queries:
        """Some of the queries."""
        own = None if self.own is None else self.own[at]
        return Queries(self.cells[at], own, self.truth[at], self.times[at], self.blocks[at])


def left_out(model: Model, rows: IntArray, blocks: IntArray) -> Queries:
    """Stored rows, by position, as queries that are each left out."""
    memory = model._stored()
    times = np.ones(rows.size) if memory.row_weights is None else memory.row_weights[rows]
    return Queries(memory.instances.cells(rows), rows, targets_of(model)[rows], times, blocks)


def targets_of(model: Model) -> AnyArray:
    """Targets of the stored rows, shape (rows, targets): classes by position in the labels, or numbers."""
    if isinstance(model, KNNRegressor):
        return model._numbers()
    return np.stack([classes.at(slice(None)) for classes in model._outputs()], axis=1)


@dataclass(frozen=True, eq=False)
class Sums:
    """For each score the sums over the rows of each block, shape (blocks, candidates), and the rows' weights."""

    of: Mapping[str, FloatArray]
    weights: FloatArray

    @classmethod
    def zero(cls, model: Model, n_blocks: int, n_candidates: int, queries: Queries | None = None) -> Sums:
        """No scores yet, of the weights of some queries or of none."""
        names = CLASS_SCORES if isinstance(model, KNNClassifier) else NUMBER_SCORES
        sums = cls({name: np.zeros((n_blocks, n_candidates)) for name in names}, np.zeros(n_blocks))
        if queries is not None:
            np.add.at(sums.weights, queries.blocks, queries.times)
        return sums

    def __add__(self, other: Sums) -> Sums:
        return Sums({name: sums + other.of[name] for name, sums in self.of.items()}, self.weights + other.weights)

    def mean(self, name: str) -> FloatArray:
        """The mean score of each candidate over all rows."""
        total: FloatArray = self.of[name].sum(axis=0)
        return np.asarray(total / self.weights.sum())


def grid_sums(model: Model, queries: Queries, grid: CandidateGrid, n_blocks: int) -> Sums:
    """The sums of all scores for every candidate: in the core where it knows the vote, else by polls."""
    sums = Sums.zero(model, n_blocks, len(grid), queries)
    in_core = len(queries) > 0 and not model._stored().local_weights
    known = [v for v, choice in enumerate(grid.votes) if in_core and choice.rule.core is not None]
    others = [v for v in range(len(grid.votes)) if v not in known]
    for score, votes in ((_core_sums, known), (poll_sums, others)):
        if votes:
            part = replace(grid, votes=tuple(grid.votes[v] for v in votes))
            for name, found in score(model, queries, part, n_blocks).of.items():
                all_votes = sums.of[name].reshape(n_blocks, len(grid.votes), -1)
                all_votes[:, votes] = found.reshape(n_blocks, len(votes), -1)
    return sums


# -- by the compiled core


def _core_sums(model: Model, queries: Queries, grid: CandidateGrid, n_blocks: int) -> Sums:
    sums, infinite = Sums.zero(model, n_blocks, len(grid), queries), []
    for starts in _batches(queries, model._threads()):
        batch = np.arange(starts[0], starts[-1])
        *found, left = _core_scores(model, queries.part(batch), grid, starts - starts[0])
        for name, scores in zip(sums.of, found, strict=True):
            each = len(grid) // scores.shape[1]  # accuracy does not depend on the temperature
            full = np.repeat(scores, each, axis=1) if each > 1 else scores
            for block, piece in zip(queries.blocks[starts[:-1]].tolist(), full, strict=True):
                sums.of[name][block] += piece
        infinite.append(batch[left])
    rest = np.concatenate(infinite)  # rows with an infinite distance
    if not rest.size:
        return sums
    extra = poll_sums(model, queries.part(rest), grid, n_blocks)
    return Sums({name: array + extra.of[name] for name, array in sums.of.items()}, sums.weights)


def _batches(queries: Queries, threads: int) -> Iterator[IntArray]:
    """Bounds of pieces of the queries, some at a time; pieces lie within blocks, and do not depend on the threads."""
    firsts = np.flatnonzero(np.diff(queries.blocks, prepend=-1))
    lengths = np.diff(np.append(firsts, len(queries)))
    starts = np.concatenate([first + np.arange(0, n, _PIECE) for first, n in zip(firsts, lengths, strict=True)])
    bounds, size = np.append(starts, len(queries)), _PIECES_AT_ONCE * threads
    for first in range(0, starts.size, size):
        yield bounds[first : first + size + 1]


def _core_scores(model: Model, queries: Queries, grid: CandidateGrid, starts: IntArray) -> tuple[AnyArray, ...]:
    memory, own, ties = model._stored(), queries.own, model._rules.ties
    index, fitted, weights = memory.index, memory.fitted, memory.attribute_weights
    numbers, parameters, bandwidths = zip(*(choice.rule.core or () for choice in grid.votes), strict=True)
    rows = CoreRows(
        index.core,
        index.plan_of(fitted),
        np.ascontiguousarray(fitted.prepare(queries.cells)),
        np.full(len(queries), -1) if own is None else memory.ids[own],
        np.ascontiguousarray(queries.times, np.float64),
        index.ones[0] if weights is None else weights,
        memory.ids,
        memory.row_weights,
        fitted.distance.power,
        fitted.distance.root,
        ALGORITHMS[memory.algorithm],
        model._threads(),
        ties == "majority",
        np.array(grid.n_neighbors, np.int64),
        np.array(numbers, np.int64),
        np.array(parameters, np.float64),
        np.array(bandwidths, np.float64),
        np.ascontiguousarray(starts, np.int64),
    )
    if isinstance(model, KNNRegressor):
        return rows.numbers(np.ascontiguousarray(model._numbers()), np.ascontiguousarray(queries.truth))
    counts = [classes.weights for classes in model._outputs()]
    lines = [prior_weights(prior, counts) for prior in grid.priors]
    priors = [[np.zeros(n.size) if w is None else w for w, n in zip(line, counts, strict=True)] for line in lines]
    return rows.classes(
        np.ascontiguousarray(targets_of(model), np.int64),
        np.ascontiguousarray(queries.truth, np.int64),
        np.array([n.size for n in counts]),
        np.concatenate(counts),
        np.array([np.concatenate(line) for line in priors]),
        np.array(grid.temperatures, np.float64),
        np.zeros(len(queries)) if own is None else left_out_once(own, memory.row_weights)[1],
        TIES[ties],
    )


# -- by polls


def poll_sums(model: Model, queries: Queries, grid: CandidateGrid, n_blocks: int) -> Sums:
    """The sums of all scores as `grid_sums` gives them, by one poll for each candidate: for any vote."""
    sums, most = Sums.zero(model, n_blocks, len(grid), queries), max(grid.n_neighbors)
    memory, threads, size = model._stored(), model._threads(), max(1, ENTRIES // (8 * most))
    for start in range(0, len(queries), size):
        part = queries.part(np.arange(start, min(start + size, len(queries))))
        for v, choice in enumerate(grid.votes):
            rules = Rules(choice.rule, model._rules.ties)
            neighbors = rank(memory, part.cells, most, rules, threads=threads, own=part.own)
            refuse_overflow(memory, part.cells, neighbors, rules.poll(neighbors, most).voters)
            for i, k in enumerate(grid.n_neighbors):
                scores = _poll_scores(model, part, grid, rules.poll(neighbors, k))
                each = len(grid.priors) * len(grid.temperatures)
                for candidate, found in enumerate(scores, (v * len(grid.n_neighbors) + i) * each):
                    for name, score in found.items():
                        np.add.at(sums.of[name][:, candidate], part.blocks, score * part.times)
    return sums


def _poll_scores(model: Model, queries: Queries, grid: CandidateGrid, poll: Poll) -> Iterator[dict[str, FloatArray]]:
    """The scores of each query for every prior and temperature."""
    if isinstance(model, KNNRegressor):
        with np.errstate(over="ignore"):
            errors = means(poll, model._numbers()) - queries.truth
            yield {"squared_error": (errors * errors).mean(axis=1), "absolute_error": np.abs(errors).mean(axis=1)}
        return
    outputs, own = model._outputs(), queries.own
    gone = None if own is None else left_out_once(own, model._stored().row_weights)
    for prior in grid.priors:
        priors = prior_weights(prior, [classes.weights for classes in outputs])
        right = (decide(poll, model._rules.ties, outputs, priors, gone) == queries.truth).mean(axis=1)
        for temperature in grid.temperatures:
            scores = {name: np.zeros(len(queries)) for name in CLASS_SCORES} | {"accuracy": right}
            for t, (classes, weights) in enumerate(zip(outputs, priors, strict=True)):
                proba = probabilities(poll, classes, weights, temperature)
                for name, score in probability_scores(proba, queries.truth[:, t]).items():
                    scores[name] += score / len(outputs)
            yield scores


def probability_scores(proba: FloatArray, truth: IntArray) -> dict[str, FloatArray]:
    """Scores of each row's probabilities, given the position of the true class."""
    rows, n = np.arange(truth.size), proba.shape[1]
    came, others = proba[rows, truth], proba.copy()
    others[rows, truth] = 0.0
    rest = others.sum(axis=1)
    with np.errstate(divide="ignore"):
        surprise = -np.log(rest / (n - 1)) if n > 1 else np.zeros(truth.size)
        return {"log_loss": -np.log(came), "surprise": surprise, "brier": rest * rest + (others * others).sum(axis=1)}
