"""The past cases behind each local fit, with their weight and their part in the prediction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.learning.decoding import attribute_names, decoded
from priorcase.learning.frames import Backend, free_label
from priorcase.local.neighborhoods import Neighborhoods
from priorcase.neighbors.explaining import shares
from priorcase.neighbors.memory import Memory
from priorcase.neighbors.precedents import Precedents
from priorcase.schema import Table


@dataclass(frozen=True, repr=False, eq=False)
class LocalPrecedents(Precedents):
    """The stored rows that a local model is fitted to, nearest first: see `Precedents`.

    ``votes`` are the parts that the rows' targets have in the prediction, ``f(q) = sum votes_i y_i``: the hat row. They
    sum to 1, and of degree 1 and 2 some are negative: a row on one side of the query that pulls a slope.

    Parameters
    ----------
    weights
        The kernel's weight of each row, from 0 to 1, without its repetitions; with robust fits times the row's
        robustness.
    """

    weights: FloatArray = field(default_factory=lambda: np.empty(0))

    def _taken(self, at: list[int]) -> LocalPrecedents:
        entries = [np.arange(self.indptr[i], self.indptr[i + 1]) for i in at]
        taken = np.concatenate([np.empty(0, dtype=np.int64), *entries])
        found = super()._taken(at)
        assert isinstance(found, LocalPrecedents)  # it replaces fields of self
        return replace(found, weights=self.weights[taken])

    def _columns(self) -> dict[str, Any]:
        columns = super()._columns()
        label = free_label("kernel weight", columns)
        before = list(columns).index("vote") + 1
        items = list(columns.items())
        return dict([*items[:before], (label, self.weights), *items[before:]])


@dataclass(frozen=True, slots=True)
class Listed:
    """What is listed for some queries: rows nearest first, with distances, parts in the prediction and weights."""

    lengths: IntArray
    rows: IntArray
    distances: FloatArray
    votes: FloatArray
    weights: FloatArray


def listed(around: Neighborhoods, hat: FloatArray, most: int | None) -> Listed:
    """The rows of positive weight, nearest first, at most ``most`` for each query."""
    orders = []
    for start, stop in zip(around.indptr[:-1].tolist(), around.indptr[1:].tolist(), strict=True):
        order = start + np.argsort(around.distances[start:stop], kind="stable")
        orders.append(order[around.weights[order] > 0][:most])
    taken = np.concatenate(orders)
    lengths = np.array([order.size for order in orders])
    return Listed(lengths, around.rows[taken], around.distances[taken], hat[taken], around.weights[taken])


def assembled(
    memory: Memory,
    table: Table,
    parts: list[Listed],
    predictions: AnyArray,
    targets_at: Callable[[IntArray], AnyArray],
    backend: Backend | None,
) -> LocalPrecedents:
    """One result from the parts of a batch."""
    rows = np.concatenate([part.rows for part in parts])
    indptr = np.concatenate(([0], np.cumsum(np.concatenate([part.lengths for part in parts]))))
    cells = memory.instances.encode(table)
    return LocalPrecedents(
        names=attribute_names(memory.instances.schema),
        queries=decoded(table),
        predictions=predictions,
        indptr=indptr,
        ids=memory.ids[rows],
        rows=memory.instances.decode(rows),
        targets=targets_at(rows),
        distances=np.concatenate([part.distances for part in parts]),
        votes=np.concatenate([part.votes for part in parts]),
        shares=np.concatenate([shares(memory, cells[q], rows[indptr[q] : indptr[q + 1]]) for q in range(len(cells))]),
        backend=backend,
        weights=np.concatenate([part.weights for part in parts]),
    )
