"""What the neighbours of many rows say about them."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from priorcase._typing import BoolArray, FloatArray, IdArray
from priorcase.reduction.reducer import VoteTies

KindSel: TypeAlias = Literal["mode", "all"]


def winners(labels: IdArray, ties: VoteTies) -> IdArray:
    """The most frequent label in each line of voters, nearest first.

    Examples
    --------
    >>> voters = np.array([[2, 0, 2], [2, 1, 0]])
    >>> winners(voters, "first"), winners(voters, "nearest")
    (array([2, 0]), array([2, 2]))
    """
    votes = np.stack([(labels == labels[:, i : i + 1]).sum(axis=1) for i in range(labels.shape[1])], axis=1)
    tied = votes == votes.max(axis=1, keepdims=True)
    found: IdArray
    if ties == "nearest":
        found = labels[np.arange(len(labels)), tied.argmax(axis=1)]
    else:
        found = np.where(tied, labels, labels.max()).min(axis=1)
    return found


def outvoted(own: IdArray, labels: IdArray, ties: VoteTies, kind_sel: KindSel) -> BoolArray:
    """Whether the voters of each row speak against its own label; where there are none, nobody does."""
    if not labels.shape[1]:
        return np.zeros(len(own), dtype=bool)
    against: BoolArray = labels != own[:, None] if kind_sel == "all" else (winners(labels, ties) != own)[:, None]
    return np.asarray(against.any(axis=1))


def far_off(own: FloatArray, numbers: FloatArray, alpha: float) -> BoolArray:
    """Whether each number is further than ``alpha`` standard deviations of its neighbours' from their mean.

    Numbers are added nearest first, one after the other.

    Examples
    --------
    >>> far_off(np.array([3.0, 9.0]), np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]), 5.0)
    array([False,  True])
    """
    n = numbers.shape[1]
    if not n:
        return np.zeros(len(own), dtype=bool)
    mean = _sum(numbers) / n
    deviation = np.sqrt(_sum(np.square(numbers - mean[:, None])) / n)
    found: BoolArray = np.abs(own - mean) > alpha * deviation
    return found


def _sum(columns: FloatArray) -> FloatArray:
    total = np.zeros(len(columns))
    for column in columns.T:
        total += column
    return total
