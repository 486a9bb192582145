"""Scores of all candidates of a grid from one search by the core."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from priorcase._core import LeftOut as CoreRows
from priorcase._typing import AnyArray, IntArray
from priorcase.neighbors.deciding import LeftOut
from priorcase.neighbors.one_query import TIES
from priorcase.neighbors.tally import Ties
from priorcase.neighbors.tuning.asked import Asked
from priorcase.neighbors.tuning.grid import Grid
from priorcase.neighbors.tuning.scores import CLASS_SCORES, NUMBER_SCORES, Sums
from priorcase.neighbors.tuning.slow import slow_sums
from priorcase.neighbors.tuning.targets import ClassTargets, NumberTargets, Targets
from priorcase.search.scan import NUMBERS

# Rows that one thread adds up, and how many such pieces each thread gets before Ctrl-C is heard again.
_PIECE = 256
_PIECES_AT_ONCE = 8


def grid_sums(asked: Asked, grid: Grid, targets: Targets, ties: Ties, n_blocks: int, *, threads: int) -> Sums:
    """The sums of all scores over the blocks of the queries, for every candidate.

    Votes that the core knows are scored there, all from one search of each row; others, rows with a neighbour that is
    infinitely far away, and rows with attribute weights of their own by polls, which gives the same.
    """
    memory = asked.memory
    if memory.local_weights or memory.algorithm == "exhaustive" or not len(asked):
        return slow_sums(asked, grid, targets, ties, n_blocks, threads=threads)
    known = [v for v, choice in enumerate(grid.votes) if choice.core is not None]
    unknown = [v for v, choice in enumerate(grid.votes) if choice.core is None]
    if not unknown:
        return _core_sums(asked, grid, targets, ties, n_blocks, threads)
    slow = slow_sums(asked, _of_votes(grid, unknown), targets, ties, n_blocks, threads=threads)
    if not known:
        return slow
    return _merged(_core_sums(asked, _of_votes(grid, known), targets, ties, n_blocks, threads), slow, known, unknown)


def _of_votes(grid: Grid, votes: list[int]) -> Grid:
    return replace(grid, votes=tuple(grid.votes[v] for v in votes))


def _merged(one: Sums, other: Sums, of_one: list[int], of_other: list[int]) -> Sums:
    order = np.argsort([*of_one, *of_other])
    merged = {}
    for name, sums in one.of.items():
        both = [part.reshape(len(sums), n, -1) for part, n in ((sums, len(of_one)), (other.of[name], len(of_other)))]
        merged[name] = np.concatenate(both, axis=1)[:, order].reshape(len(sums), -1)
    return Sums(merged, one.weights)


def _core_sums(asked: Asked, grid: Grid, targets: Targets, ties: Ties, n_blocks: int, threads: int) -> Sums:
    sums = Sums.zero(CLASS_SCORES if isinstance(targets, ClassTargets) else NUMBER_SCORES, n_blocks, len(grid))
    np.add.at(sums.weights, asked.blocks, asked.times)
    odd = []
    for starts in _batches(asked, threads):
        queries = np.arange(starts[0], starts[-1])
        *found, left = _scored(asked.part(queries), grid, targets, ties, starts - starts[0], threads)
        for name, scores in zip(sums.of, found, strict=True):
            each = len(grid) // scores.shape[1]  # right answers do not depend on the temperature
            full = np.repeat(scores, each, axis=1) if each > 1 else scores
            for block, piece in zip(asked.blocks[starts[:-1]].tolist(), full, strict=True):
                sums.of[name][block] += piece
        odd.append(queries[left])
    rest = np.concatenate(odd)
    if not rest.size:
        return sums
    extra = slow_sums(asked.part(rest), grid, targets, ties, n_blocks, threads=threads)
    return Sums({name: array + extra.of[name] for name, array in sums.of.items()}, sums.weights)


def _batches(asked: Asked, threads: int) -> Iterator[IntArray]:
    """Where pieces of the queries begin, some pieces at a time, and where the last of them ends.

    A piece lies within a block. Pieces do not depend on the number of threads, so that sums over them do not either.
    """
    firsts = np.flatnonzero(np.diff(asked.blocks, prepend=-1))
    lengths = np.diff(np.append(firsts, len(asked)))
    starts = np.concatenate([first + np.arange(0, n, _PIECE) for first, n in zip(firsts, lengths, strict=True)])
    bounds, size = np.append(starts, len(asked)), _PIECES_AT_ONCE * threads
    for first in range(0, starts.size, size):
        yield bounds[first : first + size + 1]


def _scored(
    asked: Asked, grid: Grid, targets: Targets, ties: Ties, starts: IntArray, threads: int
) -> tuple[AnyArray, ...]:
    rows = _question(asked, grid, ties, starts, threads)
    if isinstance(targets, NumberTargets):
        stored = np.ascontiguousarray(targets.stored)
        return rows.numbers(stored, np.ascontiguousarray(asked.truth))
    counts = [classes.weights for classes in targets.outputs]
    priors = [
        np.concatenate([np.zeros(n.size) if prior is None else prior for prior, n in zip(line, counts, strict=True)])
        for line in targets.prior_weights()
    ]
    none = np.zeros(len(asked))
    left_out = none if asked.own is None else LeftOut.once(asked.own, asked.memory.row_weights).weights
    return rows.classes(
        np.ascontiguousarray(targets.stored, np.int64),
        np.ascontiguousarray(asked.truth, np.int64),
        np.array([n.size for n in counts]),
        np.concatenate(counts),
        np.array(priors),
        np.array(grid.temperatures, np.float64),
        left_out,
        TIES[ties],
    )


def _question(asked: Asked, grid: Grid, ties: Ties, starts: IntArray, threads: int) -> CoreRows:
    memory = asked.memory
    index, fitted, weights = memory.index, memory.fitted, memory.attribute_weights
    known = [choice.core for choice in grid.votes if choice.core is not None]
    numbers, parameters, bandwidths = zip(*known, strict=True)
    return CoreRows(
        index.core,
        index.plan_of(fitted),
        np.ascontiguousarray(fitted.prepare(asked.cells)),
        np.full(len(asked), -1) if asked.own is None else memory.ids[asked.own],
        np.ascontiguousarray(asked.times, np.float64),
        index.ones[0] if weights is None else weights,
        memory.ids,
        memory.row_weights,
        fitted.distance.power,
        fitted.distance.root,
        NUMBERS[memory.algorithm],
        threads,
        ties == "majority",
        np.array(grid.n_neighbors, np.int64),
        np.array(numbers, np.int64),
        np.array(parameters, np.float64),
        np.array(bandwidths, np.float64),
        np.ascontiguousarray(starts, np.int64),
    )
