"""Leave-one-out losses of attribute subsets, all by searches on one index."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.exceptions import ParameterError, SelectionError, TooFewRowsError
from priorcase.neighbors import KNNClassifier, KNNRegressor
from priorcase.neighbors.base import NeighborsMemory
from priorcase.neighbors.polling import ENTRIES, Rules
from priorcase.neighbors.votes import NeighborList
from priorcase.selection import losses
from priorcase.selection.losses import Loss, Scoring

Subset: TypeAlias = tuple[int, ...]
"""Positions of attributes, ascending."""

# Queries asked before the length of their lists is known.
_FIRST_BLOCK = 64


@dataclass(frozen=True, eq=False)
class LeftOut:
    """The stored rows, each predicted from all others by some of the attributes: the others weigh 0.

    The distance keeps the statistics of all rows, as it does where k is chosen by leave-one-out, so one index serves
    every subset and every row.

    Parameters
    ----------
    memory
        The rows.
    rules, k
        Who votes.
    loss
        What a wrong answer costs.
    unit
        What a loss of 1 is on the scale of the score.
    threads
        How many threads search.
    """

    memory: NeighborsMemory
    rules: Rules
    k: int
    loss: Loss
    unit: float
    threads: int

    def __len__(self) -> int:
        return len(self.memory)

    def losses(self, points: IntArray, subsets: Sequence[Subset]) -> FloatArray:
        """Loss of each subset on each of some rows, shape (subsets, points)."""
        weights = np.repeat(self._weights(subsets), points.size, axis=0)
        return self._asked(np.tile(points, len(subsets)), weights).reshape(len(subsets), points.size)

    def losses_of_each(self, points: IntArray, subsets: Sequence[Subset]) -> FloatArray:
        """Loss of the first subset on the first row, of the second on the second, and so on."""
        return self._asked(points, self._weights(subsets))

    def _weights(self, subsets: Sequence[Subset]) -> FloatArray:
        own = self.memory.attribute_weights
        weights = np.zeros((len(subsets), len(self.memory.instances.schema)))
        for s, subset in enumerate(subsets):
            weights[s, subset] = 1.0 if own is None else own[list(subset)]
        return weights

    def _asked(self, rows: IntArray, weights: FloatArray) -> FloatArray:
        """Loss of each query, block by block so that memory stays bounded and Ctrl-C is heard."""
        found = np.empty(rows.size)
        wanted = min(self.k + self.rules.vote.needs_bandwidth, len(self) - 1)
        most, start = max(1, ENTRIES // wanted), 0
        size = min(_FIRST_BLOCK * self.threads, most)
        while start < rows.size:
            part = slice(start, start + size)
            ranked = self._ranked(rows[part], weights[part], wanted)
            found[part] = self.loss(self.rules.poll(ranked, self.k, 0), rows[part])
            start += len(ranked)
            # Rows at equal distances make lists long: few attributes, many ties.
            size = max(1, min(most, ENTRIES * len(ranked) // ranked.rows.size))
        return found

    def _ranked(self, rows: IntArray, weights: FloatArray, wanted: int) -> NeighborList:
        memory = self.memory
        cells = memory.instances.cells(rows)
        near = memory.index.kneighbors(
            memory.fitted,
            cells,
            wanted,
            weights=weights,
            exclude=memory.ids[rows],
            ties=self.rules.whole_ties,
            algorithm=memory.algorithm,
            threads=self.threads,
        )
        positions = memory.positions(near.ids)
        at = np.flatnonzero(np.isinf(near.distances))
        if at.size:
            of = np.repeat(np.arange(rows.size), np.diff(near.indptr))[at]
            stored, names = memory.instances.cells(positions[at]), (of, near.ids[at])
            memory.fitted.check_finite(near.distances[at], cells[of], stored, weights[of], names)
        return NeighborList(near.indptr, positions, near.distances)


def left_out(model: KNNClassifier | KNNRegressor, scoring: Scoring, *, threads: int) -> LeftOut:
    """The rows that a fitted k-NN estimator has stored, to be left out one by one."""
    memory, rules = model._stored(), model._rules
    rows = len(memory)
    if rows < 2:
        raise SelectionError.one_row()
    if memory.local_weights:
        expected, hint = "one whose attribute weights are the same for all queries", "weigh locally what was chosen."
        raise ParameterError.wrong("estimator", model, expected=expected, hint=hint)
    k = int({"sqrt": math.isqrt(rows - 1), "all": rows - 1}.get(str(model._k), model._k))
    if k > rows - 1:
        raise TooFewRowsError.neighbors(k, rows, own=True)
    if isinstance(model, KNNRegressor):
        numbers, power = model._numbers(), 2 if scoring == "squared_error" else 1
        unit = losses.units(numbers, power)
        loss = losses.deviation(numbers, power, unit)
        return LeftOut(memory, rules, k, loss, float(unit[0] ** power) if unit.size == 1 else 1.0, threads)
    outputs, priors = model._outputs(), model._priors()
    if scoring == "accuracy":
        return LeftOut(memory, rules, k, losses.misclassified(rules.ties, outputs, priors), 1.0, threads)
    make = losses.brier if scoring == "brier" else losses.log_loss
    return LeftOut(memory, rules, k, make(outputs, priors, model._temperature), 1.0, threads)
