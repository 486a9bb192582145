"""Sums of scores over blocks of rows, for every candidate of a grid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from priorcase._typing import FloatArray

CLASS_SCORES = ("log_loss", "surprise", "brier", "accuracy")
NUMBER_SCORES = ("squared_error", "absolute_error")


@dataclass(frozen=True, eq=False)
class Sums:
    """For each score the sums over the rows of each block, shape (blocks, candidates), and the rows' weights.

    ``surprise`` is what the logarithmic loss would have been on average had another class come true.
    """

    of: Mapping[str, FloatArray]
    weights: FloatArray

    @classmethod
    def zero(cls, names: tuple[str, ...], n_blocks: int, n_candidates: int) -> Sums:
        """No rows yet."""
        return cls({name: np.zeros((n_blocks, n_candidates)) for name in names}, np.zeros(n_blocks))

    def __add__(self, other: Sums) -> Sums:
        return Sums({name: sums + other.of[name] for name, sums in self.of.items()}, self.weights + other.weights)

    def mean(self, name: str) -> FloatArray:
        """The mean score of each candidate over all rows."""
        total: FloatArray = self.of[name].sum(axis=0)
        return np.asarray(total / self.weights.sum())
