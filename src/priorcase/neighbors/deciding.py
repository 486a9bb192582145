"""Which class a poll is for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from priorcase._core import elect
from priorcase._typing import FloatArray, IdArray, IntArray
from priorcase.learning.classes import Classes
from priorcase.neighbors import tally
from priorcase.neighbors.core_stream import CoreStream
from priorcase.neighbors.memory import Memory
from priorcase.neighbors.one_query import TIES
from priorcase.neighbors.polling import Poll
from priorcase.neighbors.tally import Ties
from priorcase.neighbors.voters import Voters


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Stored rows that are asked about, and the weight with which each then does not count among its class."""

    rows: IntArray
    weights: FloatArray

    @classmethod
    def once(cls, rows: IntArray, row_weights: FloatArray | None) -> LeftOut:
        """Each row left out once: a row of weight 2 still counts once."""
        return cls(rows, np.ones(rows.size) if row_weights is None else np.minimum(row_weights[rows], 1.0))

    @classmethod
    def whole(cls, rows: IntArray, row_weights: FloatArray | None) -> LeftOut:
        """Each row left out with all its weight."""
        return cls(rows, np.ones(rows.size) if row_weights is None else row_weights[rows])


def probabilities(
    poll: Poll, votes: FloatArray, classes: Classes, prior: FloatArray | None, temperature: float = 1.0
) -> FloatArray:
    """Share of the vote of each class on each query, prior included, as sharp as the temperature says."""
    mass = tally.masses(poll.voters, votes, classes.codes, classes.labels.size)
    if prior is not None:
        mass = tally.with_prior(mass, poll.voters.totals(), prior)
    return tally.probabilities(mass, temperature)


def decide(
    poll: Poll,
    ties: Ties,
    outputs: Sequence[Classes],
    priors: Sequence[FloatArray | None],
    left_out: LeftOut | None = None,
) -> IntArray:
    """Winning classes, shape (queries, targets); a prior is one for all queries, or has a line for each."""
    votes, columns = poll.votes(), []
    for classes, prior in zip(outputs, priors, strict=True):
        if prior is None and left_out is None:
            chosen, open_ = _elected(poll.voters, votes, ties, classes)
        else:
            chosen, open_ = _tallied(poll, votes, ties, classes, prior, left_out)
        for query in open_:
            chosen[query] = _reduced(poll, query, classes, prior if prior is None or prior.ndim == 1 else prior[query])
        columns.append(chosen)
    return columns[0][:, None] if len(columns) == 1 else np.stack(columns, axis=1)


def _elected(voters: Voters, votes: FloatArray, ties: Ties, classes: Classes) -> tuple[IntArray, list[int]]:
    """Winning classes, and the queries whose tie is open, by the core."""
    number, of_voters, n = TIES[ties], classes.at(voters.rows), classes.labels.size
    chosen, n_open = elect(voters.indptr, of_voters, votes, voters.distances, n, None, number)
    if n_open and ties == "majority":  # the rows of each class are counted only where they decide
        chosen, n_open = elect(voters.indptr, of_voters, votes, voters.distances, n, classes.weights, number)
    return chosen, np.flatnonzero(chosen < 0).tolist() if n_open else []


def _tallied(
    poll: Poll, votes: FloatArray, ties: Ties, classes: Classes, prior: FloatArray | None, left_out: LeftOut | None
) -> tuple[IntArray, list[int]]:
    """Winning classes, and the queries whose tie is open: `elect` in NumPy, with a prior and rows left out."""
    queries, tied = leaders = tally.leading(poll.voters, votes, classes.codes, classes.labels.size, prior)
    weights = classes.weights[tied]
    if left_out is not None:
        own = classes.codes[left_out.rows]
        weights = weights - np.where(tied == own[queries], left_out.weights[queries], 0.0)
    chosen, open_ = tally.winners(leaders, ties, weights, poll.voters, classes.codes)
    return chosen, open_.tolist()


def _reduced(poll: Poll, query: int, classes: Classes, prior: FloatArray | None) -> int:
    """Winner of a tied query once its farthest voters are dropped."""
    voters = poll.voters
    part = slice(int(voters.indptr[query]), int(voters.indptr[query + 1]))
    order = np.argsort(voters.distances[part], kind="stable") + part.start
    counts = None if voters.counts is None else voters.counts[order]
    return tally.reduced(poll.unit_votes[order], counts, classes.at(voters.rows[order]), classes.labels.size, prior)


def classes_of_stream(
    stream: CoreStream, memory: Memory, outputs: Sequence[Classes], ties: Ties, ids: IdArray
) -> IntArray:
    """Winning classes of the rows just stored, each among the rows before it, shape (rows, targets); -1 where too few.

    A tied vote goes by the number of rows that each class had then.
    """
    codes = np.stack([classes.at(slice(None)) for classes in outputs], axis=1)
    starts = np.cumsum([0, *(classes.labels.size for classes in outputs)])
    fresh = np.concatenate([np.bincount(codes[-ids.size :, t], minlength=n) for t, n in enumerate(np.diff(starts))])
    weights = np.concatenate([classes.weights for classes in outputs]) - fresh
    stored, number = memory.ids, TIES[ties]
    return stream.run(
        ids,
        lambda rows, index, cells, part: rows.classify(index.core, cells, part, stored, codes, starts, weights, number),
    )
