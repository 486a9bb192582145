"""A poll on a single query, made by the core in one call: what the general way gives, for one question at a time."""

from __future__ import annotations

import numpy as np

from priorcase.neighbors.memory import Memory
from priorcase.neighbors.vote import InverseSquare, UniformVote, Vote
from priorcase.neighbors.voters import Voters
from priorcase.search.scan import NUMBERS
from priorcase.typing import FloatArray

_VOTES: dict[type[Vote], int] = {UniformVote: 0, InverseSquare: 1}


def core_vote(vote: Vote) -> int | None:
    """The number by which the core knows a vote; None where it does not."""
    return _VOTES.get(type(vote))


def voters_of_one(
    memory: Memory, cells: FloatArray, k: int, vote: Vote, *, whole_ties: bool
) -> tuple[Voters, FloatArray] | None:
    """The voters on a single query and their votes.

    None where the core does not know the vote, rows have weights, NumPy is to search, or a voter is infinitely far
    away: then the general way answers or says what is wrong.
    """
    number = core_vote(vote)
    if number is None or memory.row_weights is not None or memory.algorithm == "exhaustive":
        return None
    index, fitted, weights = memory.index, memory.fitted, memory.attribute_weights
    found = index.core.poll(
        index.plan_of(fitted),
        fitted.prepare(cells),
        index.ones if weights is None else weights[None, :],
        k,
        whole_ties,
        number,
        fitted.distance.power,
        fitted.distance.root,
        NUMBERS[memory.algorithm],
    )
    if found is None:
        return None
    ids, distances, votes = found
    return Voters(np.array([0, ids.size]), memory.positions(ids), distances), votes
