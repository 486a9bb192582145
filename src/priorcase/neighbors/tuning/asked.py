"""Rows whose targets are known and are to be predicted: stored rows left out in turn, or rows held back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.neighbors.memory import Memory
from priorcase.neighbors.voters import SLACK


@dataclass(frozen=True, eq=False)
class Asked:
    """Queries to a memory and what is true of them.

    Parameters
    ----------
    memory
        The stored rows.
    cells
        The queries.
    own
        Positions of the stored rows that the queries are, each to be left out once; None where they are not stored.
    truth
        Classes by position in the labels, or numbers, shape (queries, targets).
    times
        How many rows each query stands for.
    blocks
        The block of each query, ascending: scores are added up block by block.
    """

    memory: Memory
    cells: FloatArray
    own: IntArray | None
    truth: Any
    times: FloatArray
    blocks: IntArray

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def most_neighbors(self) -> int:
        """The largest number of neighbours that every query has."""
        return int(self.memory.total_weight * (1 + SLACK)) - (self.own is not None)

    def part(self, queries: IntArray) -> Asked:
        """Some of the queries."""
        own = None if self.own is None else self.own[queries]
        return Asked(
            self.memory, self.cells[queries], own, self.truth[queries], self.times[queries], self.blocks[queries]
        )


def left_out(memory: Memory, truth: Any, rows: IntArray, blocks: IntArray) -> Asked:
    """Stored rows, by position, that are each asked about without being there."""
    weights = memory.row_weights
    times = np.ones(rows.size) if weights is None else weights[rows]
    return Asked(memory, memory.instances.cells(rows), rows, truth[rows], times, blocks)
