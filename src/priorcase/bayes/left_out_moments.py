"""Moments without one row, for each of many rows.

Taking a value x of weight w out of n values with mean m and squared deviations D leaves ``n' = n - w``,
``m' = m - w (x - m) / n'`` and ``D' = D - n w (x - m)^2 / n'``. The last difference cancels where x is an outlier: it
is taken with 32 digits, and from the exact sums where these are not enough.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from priorcase._typing import BoolArray, FloatArray, IntArray
from priorcase.bayes.double_double import DoubleDouble
from priorcase.bayes.exact_sums import NOTHING, Sums
from priorcase.bayes.moments import Moments

# A difference below this share of what it was taken from has lost half of its 32 digits.
_DOUBTFUL = 2.0**-48


def leave_one_out(m: Moments, x: FloatArray, own: IntArray, weights: FloatArray | None = None) -> Moments:
    """The moments without each of some rows: a Moments with one entry for each row.

    Parameters
    ----------
    m
        What all rows together say, as `ExactMoments.summary` gives it.
    x
        The number of each row; none may be missing.
    own
        The class of each row; below 0 for a row that was not counted.
    weights
        The weight of each row; None where each counts once.
    """
    w = np.ones(len(x)) if weights is None else np.asarray(weights, dtype=np.float64)
    w, codes = np.where(own >= 0, w, 0.0), np.maximum(own, 0)
    sums = m.sums
    whole = None if sums is None else sum(sums, NOTHING)
    classes = _Group.of(m.n, m.mean, m.deviation, sums).without(x, w, codes)
    pooled = m.pooled()
    everything = _Group.of(pooled.n, pooled.mean, pooled.deviation, None if whole is None else (whole,))
    overall = everything.without(x, w, np.zeros_like(codes))
    n, mean, deviation = (np.repeat(part[None, :], len(x), axis=0) for part in (m.n, m.mean, m.deviation))
    rows = np.arange(len(x))
    n[rows, codes], mean[rows, codes], deviation[rows, codes] = classes
    return Moments(n, mean, deviation, *overall)


@dataclass(frozen=True)
class _Group:
    """Moments of some groups of rows with 32 digits, and the exact sums behind them."""

    n: DoubleDouble
    mean: DoubleDouble
    deviation: DoubleDouble
    sums: tuple[Sums, ...] | None

    @classmethod
    def of(cls, n: FloatArray, mean: FloatArray, deviation: FloatArray, sums: tuple[Sums, ...] | None) -> _Group:
        known = [(0.0, 0.0, 0.0)] * len(n) if sums is None else [group.remainders() for group in sums]
        low = np.array(known).reshape(-1, 3).T
        return cls(DoubleDouble(n, low[0]), DoubleDouble(mean, low[1]), DoubleDouble(deviation, low[2]), sums)

    def without(self, x: FloatArray, w: FloatArray, codes: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Weight, mean and squared deviations of the group of each row, without this row."""
        n, mean, deviation, weight = self.n[codes], self.mean[codes], self.deviation[codes], DoubleDouble.of(w)
        left = n - weight
        gone = left.high <= 0
        away = DoubleDouble.of(x) - mean
        share = weight / DoubleDouble(np.where(gone, 1.0, left.high), np.where(gone, 0.0, left.low))
        new_mean, new_deviation = mean - share * away, deviation - share * n * (away * away)
        found = left.high, new_mean.high, np.maximum(new_deviation.high, 0.0)
        flat = deviation.high == 0
        found[2][flat] = 0.0
        doubtful = (new_deviation.high < _DOUBTFUL * deviation.high) | (left.high < _DOUBTFUL * n.high)
        self._repair(found, doubtful & ~gone & ~flat & (w > 0), x, w, codes)
        for part in found:
            part[gone] = 0.0
        return found

    def _repair(
        self,
        found: tuple[FloatArray, FloatArray, FloatArray],
        doubtful: BoolArray,
        x: FloatArray,
        w: FloatArray,
        codes: IntArray,
    ) -> None:
        """Take the doubtful ones from the exact sums; few rows can dominate their group, so they may be slow."""
        if self.sums is None:
            return
        for row in np.flatnonzero(doubtful):
            rest = self.sums[codes[row]] - Sums.of_row(float(x[row]), float(w[row]))
            for part, number in zip(found, rest.moments(), strict=True):
                part[row] = number
