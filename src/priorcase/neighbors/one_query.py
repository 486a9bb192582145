"""A single query, answered by the core in one call: what the general way gives, for one question at a time.

Where the core cannot, since it does not know the vote, rows have weights, or NumPy is to search, and where a voter is
infinitely far away, nothing comes back: then the general way answers, or says what is wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from priorcase._core import Plan
from priorcase._typing import FloatArray
from priorcase.learning.classes import Classes
from priorcase.neighbors.memory import Memory
from priorcase.neighbors.vote import InverseSquare, UniformVote, Vote
from priorcase.neighbors.voters import Voters
from priorcase.search.scan import NUMBERS

if TYPE_CHECKING:
    from priorcase.neighbors.polling import Rules

_VOTES: dict[type[Vote], int] = {UniformVote: 0, InverseSquare: 1}

TIES = {"majority": 0, "first": 1, "nearest": 2, "reduce": 3}
"""The core's numbers for what becomes of equal votes."""

_Question = tuple[Plan, FloatArray, FloatArray, int, bool, int, float, bool, int]


def core_vote(vote: Vote) -> int | None:
    """The number by which the core knows a vote; None where it does not."""
    return _VOTES.get(type(vote))


def voters_of_one(memory: Memory, cells: FloatArray, k: int, rules: Rules) -> tuple[Voters, FloatArray] | None:
    """The voters on a single query and their votes; None where the core cannot tell."""
    question = _question(memory, cells, k, rules)
    found = None if question is None else memory.index.core.poll(*question)
    if found is None:
        return None
    ids, distances, votes = found
    return Voters(np.array([0, ids.size]), memory.positions(ids), distances), votes


def winner_of_one(memory: Memory, cells: FloatArray, k: int, rules: Rules, classes: Classes) -> int:
    """The class, by its position, that the voters on a single query elect; -1 where the core cannot tell.

    Nor can it where votes are tied and the rule asks for more than the voters.
    """
    question = _question(memory, cells, k, rules)
    if question is None:
        return -1
    numbers, n = classes.numbering.of_code, classes.labels.size
    return memory.index.core.winner(*question, memory.ids, classes.stored, numbers, n, TIES[rules.ties])


def _question(memory: Memory, cells: FloatArray, k: int, rules: Rules) -> _Question | None:
    vote = core_vote(rules.vote)
    if vote is None or memory.row_weights is not None or memory.algorithm == "exhaustive":
        return None
    index, fitted, weights = memory.index, memory.fitted, memory.weights_for(cells)
    distance = fitted.distance
    return (
        index.plan_of(fitted),
        fitted.prepare(cells),
        index.ones if weights is None else np.atleast_2d(weights),
        k,
        rules.whole_ties,
        vote,
        distance.power,
        distance.root,
        NUMBERS[memory.algorithm],
    )
