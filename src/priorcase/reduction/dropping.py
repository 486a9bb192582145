"""Decremental reduction, step by step: lists of neighbours, the order of the rows, and who may leave."""

from __future__ import annotations

import numpy as np

from priorcase._core import Drop
from priorcase._typing import IdArray
from priorcase.reduction.editing import blocks
from priorcase.reduction.reducer import VoteTies
from priorcase.reduction.rows import Rows

_ROWS_AT_ONCE = 1_024


class Dropping:
    """Rows that leave one after the other where those that rely on them lose nothing.

    Parameters
    ----------
    rows
        The table.
    at
        Positions of the rows to begin with, ascending: T and, at first, S.
    k
        How many neighbours vote.
    ties, alpha
        Who wins a tied vote of classes; how many standard deviations apart enemies are where targets are numbers.
    stay_on
        Rows that have left S still count among those that may lose something.
    """

    def __init__(
        self, rows: Rows, at: IdArray, k: int, *, ties: VoteTies, alpha: float = 1.0, stay_on: bool = True
    ) -> None:
        self._rows, self._at = rows, at
        self._labels = None if rows.targets.classes is None else rows.labels(at)
        self._core = Drop(
            *rows.arguments(at),
            self._labels,
            None if self._labels is not None else rows.targets.numbers[at],
            k=k,
            nearest_breaks_ties=ties == "nearest",
            alpha=alpha,
            stay_on=stay_on,
        )
        for start, stop in blocks(len(at), rows.owner):
            self._core.fill(start, stop, rows.threads)

    def left(self) -> IdArray:
        """Positions of the rows that are left, ascending."""
        return self._at[self._held()]

    def consider_all(self, *, noise_only: bool = False) -> None:
        """Let rows leave in the order of the table; with ``noise_only`` none that its own neighbours get right."""
        self._consider(self._held(), noise_only)

    def consider_by_enemy(self, *, furthest_first: bool) -> int:
        """Let rows leave by the distance of their nearest enemy; how many left."""
        held, costs = self._held(), np.empty(len(self._at))
        asked = held if self._labels is None else by_class(self._labels, held)
        for start, stop in blocks(len(asked), self._rows.owner, _ROWS_AT_ONCE):
            costs[asked[start:stop]] = self._core.enemy_costs(asked[start:stop], self._rows.threads)
        # Stable: rows at equal distances from their enemies keep the order of the table.
        self._consider(held[np.argsort(-costs[held] if furthest_first else costs[held], kind="stable")], False)
        return len(held) - len(self._held())

    def _held(self) -> IdArray:
        return np.flatnonzero(self._core.held())

    def _consider(self, order: IdArray, noise_only: bool) -> None:
        for start, stop in blocks(len(order), self._rows.owner, _ROWS_AT_ONCE):
            self._core.consider(order[start:stop], noise_only)


def by_class(labels: IdArray, at: IdArray) -> IdArray:
    """Rows ordered by their class: the nearest enemies of rows of one class are found quicker together.

    Examples
    --------
    >>> by_class(np.array([1, 0, 1, 0]), np.array([0, 1, 3]))
    array([1, 3, 0])
    """
    return at[np.argsort(labels[at], kind="stable")]
