"""Sums of normal bumps around stored values, with one value left out or none."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.bayes.distinct import Distinct

_CELLS_AT_ONCE = 2**20
# Weights that add up to a share of the whole, rounding aside.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class LeftOut:
    """For each query the stored value that is its own and the weight to leave out of it; weight 0 for none."""

    at: IntArray
    weights: FloatArray

    @classmethod
    def none(cls, n: int) -> LeftOut:
        return cls(np.zeros(n, dtype=np.intp), np.zeros(n))

    def __getitem__(self, rows: IntArray) -> LeftOut:
        return LeftOut(self.at[rows], self.weights[rows])


@dataclass(frozen=True)
class Bumps:
    """The values of one class, or of all: distinct, ascending, with their weights."""

    values: Distinct

    @cached_property
    def reached(self) -> FloatArray:
        """The weight at or below each value."""
        return np.cumsum(self.values.weights)

    def find(self, x: FloatArray, weights: FloatArray) -> LeftOut:
        """What to leave out for queries that are stored values themselves."""
        at = np.searchsorted(self.values.points, x)
        return LeftOut(np.minimum(at, len(self.values) - 1), weights)

    def quartile_range(self, out: LeftOut) -> FloatArray:
        """Third minus first quartile, each the smallest value with at least this share at or below it."""
        return self._quantile(0.75, out) - self._quantile(0.25, out)

    def log_density(self, x: FloatArray, bandwidth: FloatArray, weight: FloatArray, out: LeftOut) -> FloatArray:
        """``ln( sum_j w_j N(x; v_j, h^2) / sum_j w_j )`` for each query, the values in ascending order.

        Parameters
        ----------
        x
            The queries.
        bandwidth, weight
            For each query the standard deviation of a bump, and the weight of all values that are not left out.
        out
            What is left out for each query.
        """
        found = np.empty(len(x))
        step = max(1, _CELLS_AT_ONCE // max(1, len(self.values)))
        for begin in range(0, len(x), step):
            rows = np.arange(begin, min(begin + step, len(x)))
            found[rows] = self._log_sums(x[rows], bandwidth[rows], out[rows])
        return found - np.log(weight * bandwidth) - 0.5 * math.log(2 * math.pi)

    def _log_sums(self, x: FloatArray, bandwidth: FloatArray, out: LeftOut) -> FloatArray:
        rows = np.arange(len(x))
        left = self.values.weights[out.at] - out.weights
        with np.errstate(over="ignore", divide="ignore"):
            bumps = (x[:, None] - self.values.points) / bandwidth[:, None]
            bumps *= bumps
            bumps *= -0.5
            bumps[rows[left <= 0], out.at[left <= 0]] = -np.inf
            highest = bumps.max(axis=1)
            # Nothing within float64: all is -inf, and no difference of infinities is taken.
            bumps -= np.where(np.isfinite(highest), highest, 0.0)[:, None]
            np.exp(bumps, out=bumps)
            own = bumps[rows, out.at] * np.maximum(left, 0.0)
            bumps *= self.values.weights
            bumps[rows, out.at] = own
            return np.asarray(highest + np.log(bumps.sum(axis=1)))

    def _quantile(self, q: float, out: LeftOut) -> FloatArray:
        wanted = q * (self.reached[-1] - out.weights) * (1 - _ROUNDING)
        before = np.searchsorted(self.reached, wanted, side="left")
        after = np.maximum(np.searchsorted(self.reached, wanted + out.weights, side="left"), out.at)
        at = np.where(before < out.at, before, after)
        return np.asarray(self.values.points[np.minimum(at, len(self.values) - 1)])
