"""From polls to precedents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.learning.decoding import attribute_names, decoded
from priorcase.learning.frames import Backend
from priorcase.neighbors.memory import Memory
from priorcase.neighbors.polling import Poll
from priorcase.neighbors.precedents import Case, Precedents
from priorcase.neighbors.unlike import nearest_unlike
from priorcase.neighbors.voters import summed
from priorcase.schema import Table

LISTED_OF_ALL = 10
"""How many precedents are listed when all rows vote."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What is predicted for the queries of a poll.

    Parameters
    ----------
    predictions
        Classes or numbers.
    probabilities
        Of the classes of a single target; None otherwise.
    codes
        Positions of the predicted classes, shape (queries, targets); None for numbers.
    """

    predictions: AnyArray
    probabilities: FloatArray | None = None
    codes: IntArray | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """The answer to some queries and the voters to list for them."""

    answer: Answer
    lengths: IntArray
    rows: IntArray
    distances: FloatArray
    votes: FloatArray


def listed(poll: Poll, answer: Answer, most: int | None) -> Part:
    """The voters of a poll nearest first, at most ``most`` for each query, with their parts of the whole vote."""
    voters, votes = poll.voters, poll.votes()
    votes = votes / summed(voters.queries(), votes, len(voters))[voters.queries()]
    orders = [
        start + np.argsort(voters.distances[start:stop], kind="stable")[:most]
        for start, stop in zip(voters.indptr[:-1].tolist(), voters.indptr[1:].tolist(), strict=True)
    ]
    taken = np.concatenate(orders)
    lengths = np.array([order.size for order in orders])
    return Part(answer, lengths, voters.rows[taken], voters.distances[taken], votes[taken])


def assemble(
    memory: Memory,
    table: Table,
    parts: Sequence[Part],
    targets_at: Callable[[IntArray], AnyArray],
    classes: AnyArray | None,
    unlike: tuple[Case | None, ...],
    backend: Backend | None,
) -> Precedents:
    """One result from the parts of a batch."""
    rows = np.concatenate([part.rows for part in parts])
    indptr = np.concatenate(([0], np.cumsum(np.concatenate([part.lengths for part in parts]))))
    cells = memory.instances.encode(table)
    probabilities = [part.answer.probabilities for part in parts if part.answer.probabilities is not None]
    return Precedents(
        names=attribute_names(memory.instances.schema),
        queries=decoded(table),
        predictions=np.concatenate([part.answer.predictions for part in parts]),
        indptr=indptr,
        ids=memory.ids[rows],
        rows=memory.instances.decode(rows),
        targets=targets_at(rows),
        distances=np.concatenate([part.distances for part in parts]),
        votes=np.concatenate([part.votes for part in parts]),
        shares=np.concatenate([shares(memory, cells[q], rows[indptr[q] : indptr[q + 1]]) for q in range(len(cells))]),
        unlike=unlike,
        probabilities=np.concatenate(probabilities) if probabilities else None,
        classes=classes if probabilities else None,
        backend=backend,
    )


def unlike_cases(
    memory: Memory,
    cells: FloatArray,
    codes: IntArray,
    predicted: IntArray,
    targets_at: Callable[[IntArray], AnyArray],
    *,
    threads: int,
) -> tuple[Case | None, ...]:
    """For each query the nearest row of other classes than the predicted ones; None where there is none."""
    positions, distances = nearest_unlike(memory, cells, codes, predicted, threads=threads)
    return tuple(
        None if positions[q] < 0 else _case(memory, cells[q], positions[q : q + 1], float(distances[q]), targets_at)
        for q in range(len(cells))
    )


def _case(
    memory: Memory, query: FloatArray, position: IntArray, distance: float, targets_at: Callable[[IntArray], AnyArray]
) -> Case:
    target = targets_at(position).tolist()[0]
    return Case(
        id=int(memory.ids[position[0]]),
        row=memory.instances.decode(position)[0],
        target=tuple(target) if isinstance(target, list) else target,
        distance=distance,
        shares=shares(memory, query, position)[0],
    )


def shares(memory: Memory, query: FloatArray, rows: IntArray) -> FloatArray:
    """What each attribute adds to the distances of some rows from one query, shape (rows, attributes)."""
    fitted, weights = memory.fitted, memory.weights_for(query[None, :])
    weights = weights if weights is None or weights.ndim == 1 else weights[0]
    stored = fitted.prepare(memory.instances.cells(rows))
    asked = fitted.prepare(query[None, :])[0]
    return fitted.shares(fitted.contributions(asked, stored, weights), fitted.costs(asked, stored, weights))
