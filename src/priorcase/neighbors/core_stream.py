"""A stream of rows that the core answers and stores: each from the rows before it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from priorcase import _core
from priorcase._typing import AnyArray, FloatArray, IdArray
from priorcase.exceptions import DistanceError
from priorcase.learning.progress import blocks
from priorcase.neighbors.memory import Memory
from priorcase.neighbors.one_query import core_vote
from priorcase.neighbors.parameters import NNeighbors
from priorcase.neighbors.polling import Rules
from priorcase.search.scan import NUMBERS, Index

Ask = Callable[[_core.Stream, Index, FloatArray, IdArray], tuple[AnyArray, int, int]]
"""Answers some rows: the stream, the index, the rows' cells and ids."""


class CoreStream:
    """Rows about to be stored, each to be answered first; made before any of them is.

    Parameters
    ----------
    memory
        The rows before, of which there may be none.
    k
        How many neighbours vote: a number or ``"sqrt"``.
    rules
        Votes and ties.
    """

    def __init__(self, memory: Memory, k: NNeighbors, rules: Rules) -> None:
        unknown: FloatArray = np.full(len(memory.instances.schema), np.nan)
        self._memory, self._rules = memory, rules
        self._k = k if isinstance(k, int) else 0
        self._low, self._high = memory.fitted.ranges() if len(memory) else (unknown, unknown)

    @staticmethod
    def follows(memory: Memory, k: NNeighbors, rules: Rules) -> bool:
        """Whether the core can answer by these rules while statistics follow the rows.

        It can where a distance needs ranges or no statistics at all, attribute weights stay, rows have no weights of
        their own, and votes are equal or ``1 / d^2``.
        """
        return (
            (isinstance(k, int) or k == "sqrt")
            and core_vote(rules.vote) is not None
            and memory.algorithm != "exhaustive"
            and not memory.learns_weights
            and memory.row_weights is None
            and memory.distance.ranged(memory.instances.schema) is not None
        )

    def run(self, ids: IdArray, ask: Ask) -> AnyArray:
        """Answers to the rows just stored in the memory, in their order, while the index takes them in one by one."""
        memory, answers = self._memory, []
        stream, index = self._stream(), memory.index_before(ids)
        first = len(memory) - ids.size
        for part in blocks(ids.size, text=f"{memory.owner}.prequential"):
            cells = memory.fitted.prepare(memory.instances.cells(slice(first + part.start, first + part.stop)))
            answered, far, voter = ask(stream, index, np.ascontiguousarray(cells), ids[part])
            if far >= 0:
                row = part.start + far
                raise DistanceError.too_large(f"{memory.owner}: query {row}", f"distance from row {voter}")
            answers.append(answered)
        return np.concatenate(answers)

    def _stream(self) -> _core.Stream:
        memory, fitted, rules = self._memory, self._memory.fitted, self._rules
        schema, distance = memory.instances.schema, memory.distance
        weights = memory.attribute_weights
        return _core.Stream(
            fitted.plan(),
            np.array(distance.ranged(schema), np.uint8),
            self._low,
            self._high,
            np.ones(len(schema)) if weights is None else weights,
            self._k,
            rules.whole_ties,
            core_vote(rules.vote) or 0,
            distance.power,
            distance.root,
            NUMBERS[memory.algorithm],
        )
