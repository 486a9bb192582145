"""Rows dealt out to folds, the rows of each class evenly."""

from __future__ import annotations

import numpy as np

from priorcase._typing import AnyArray, IntArray


def deal(groups: AnyArray, n_folds: int, seed: int) -> IntArray:
    """The fold of each row: rows of one group, in random order, go to one fold after the other.

    Examples
    --------
    >>> np.bincount(deal(np.array([0, 0, 0, 1, 1, 1]), 3, seed=0)).tolist()
    [2, 2, 2]
    """
    rng = np.random.default_rng(seed)
    shuffled = rng.permutation(len(groups))
    order = shuffled[np.argsort(groups[shuffled], kind="stable")]
    folds = np.empty(len(groups), dtype=np.int64)
    folds[order] = np.arange(len(groups)) % n_folds
    return folds
