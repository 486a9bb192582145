"""Kernel densities: a small normal density around each value that was seen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from priorcase._parameters import check_fields
from priorcase._typing import FloatArray, IntArray
from priorcase.bayes.discretise import Distinct, distinct
from priorcase.bayes.moments import LEAST_VARIANCE, TWO_ROWS, Moments, moments_without_each

Bandwidth: TypeAlias = float | Literal["silverman", "john_langley"]
Sample: TypeAlias = tuple[FloatArray, FloatArray | None]
"""The known values of a class, and their weights; None where each counts once."""

# An interquartile range below this share of the standard deviation is one between equal values.
_LEAST_RANGE = 1e-9
# Weights that add up to a share of the whole, rounding aside.
_ROUNDING = 1e-12
_CELLS_AT_ONCE = 2**20


@dataclass(frozen=True)
class KernelDensity:
    """The mean of normal densities around the values of a class: ``sum_j w_j N(x; v_j, h^2) / sum_j w_j``.

    The bandwidth ``h`` of a class with n values is ``0.9 A n^(-1/5)`` with ``A = min(sd, IQR / 1.34)`` ("silverman";
    Silverman 1986, eq. 3.31), ``1 / sqrt(n)`` in the units of the column, whatever its spread ("john_langley"; John &
    Langley 1995, section 3), or the number that is given. ``sd`` has divisor ``n - 1``; quartiles are the smallest
    values with at least this share at or below them; an IQR of 0 does not count. A class whose values are all equal, or
    weigh less than two rows, takes the ``A`` of the column over all classes; a class without known values takes the
    density of all values. A column without known values, or whose known values are all equal, says nothing: its
    log-density is 0 everywhere.

    Parameters
    ----------
    bandwidth
        "silverman", "john_langley" or the standard deviation of each normal density, from 1e-100 to 1e100.

    Examples
    --------
    >>> sample = [(np.array([1.0, 2.0, 3.0]), None), (np.array([7.0, 9.0]), None)]
    >>> np.exp(KernelDensity(1.0).log_density(np.array([2.0, 8.0]), sample)).round(3)
    array([[0.294, 0.   ],
           [0.   , 0.242]])
    """

    bandwidth: Bandwidth = "silverman"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "bandwidth": [StrOptions({"silverman", "john_langley"}), Interval(Real, 1e-100, 1e100, closed="both")]
    }

    def __post_init__(self) -> None:
        check_fields(self)
        if not isinstance(self.bandwidth, str):
            object.__setattr__(self, "bandwidth", float(self.bandwidth))

    def fit(self, samples: Sequence[Sample]) -> FittedKernels:
        """The densities of some classes, given the values of each class and their weights in any order."""
        return FittedKernels(self.bandwidth, samples)

    def log_density(self, x: FloatArray, samples: Sequence[Sample]) -> FloatArray:
        """Log-density of each number in each class, shape (numbers, classes); 0 where the number is missing."""
        return self.fit(samples).log_density(x)

    def loo_log_density(
        self, x: FloatArray, own: IntArray, samples: Sequence[Sample], weights: FloatArray | None = None
    ) -> FloatArray:
        """Log-density of each row's number in each class without this row, bandwidths included.

        ``x``, ``own`` and ``weights`` are number, class and weight of each row; it is among the values of its class.
        """
        return self.fit(samples).loo_log_density(x, own, weights)


class FittedKernels:
    """Kernel densities of some classes."""

    def __init__(self, bandwidth: Bandwidth, samples: Sequence[Sample]) -> None:
        self.bandwidth = bandwidth
        self.classes = [_KernelSum(distinct(*sample)) for sample in samples]
        parts = [kernels.values for kernels in self.classes]
        points = np.concatenate([np.empty(0), *(part.points for part in parts)])
        weights = np.concatenate([np.empty(0), *(part.weights for part in parts)])
        codes = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        self.everything = _KernelSum(distinct(points, weights))
        self.moments = Moments.of(points, codes, len(parts), weights)

    def log_density(self, x: FloatArray) -> FloatArray:
        """Log-density of each number in each class; 0 where the number is missing."""
        x = np.asarray(x, dtype=np.float64)
        known = np.flatnonzero(~np.isnan(x))
        found = np.zeros((len(x), len(self.classes)))
        if self.moments.says_something():
            nothing, nobody = np.zeros(len(known)), np.full(len(known), -1)
            found[known] = self._log_densities(x[known], nobody, nothing, _repeated(self.moments, len(known)))
        return found

    def loo_log_density(self, x: FloatArray, own: IntArray, weights: FloatArray | None = None) -> FloatArray:
        """Log-density of each stored row in each class without this row; 0 where its number is missing."""
        x, own = np.asarray(x, dtype=np.float64), np.asarray(own)
        w = np.ones(len(x)) if weights is None else np.asarray(weights, dtype=np.float64)
        known = np.flatnonzero(~np.isnan(x))
        found = np.zeros((len(x), len(self.classes)))
        if self.moments.says_something():
            without = moments_without_each(self.moments, x, own, w, known)
            found[known] = self._log_densities(x[known], own[known], np.where(own < 0, 0.0, w)[known], without)
        return found

    def _log_densities(self, x: FloatArray, own: IntArray, w: FloatArray, m: Moments) -> FloatArray:
        """Class by class: the value that each query leaves out, the bandwidth without it, and the sum."""
        says = m.says_something()
        out_of_all = self.everything.find(x, w)
        n_all = np.asarray(m.n_all)
        spread_all = _spread(m.variance_all(), self.everything.quartile_range(out_of_all))
        found = np.zeros((len(x), len(self.classes)))
        for k, kernels in enumerate(self.classes):
            some, none = np.flatnonzero(says & (m.n[:, k] > 0)), np.flatnonzero(says & (m.n[:, k] <= 0))
            if len(some):
                out = kernels.find(x[some], np.where(own == k, w, 0.0)[some])
                n, deviation = m.n[some, k], m.deviation[some, k]
                enough = n >= TWO_ROWS
                variance = np.where(enough, deviation / np.where(enough, n - 1, 1.0), 0.0)
                spread = _spread(variance, kernels.quartile_range(out))
                h = self._bandwidth(np.where(spread > 0, spread, spread_all[some]), n)
                found[some, k] = kernels.log_density(x[some], h, n, out)
            if len(none):
                h = self._bandwidth(spread_all[none], n_all[none])
                found[none, k] = self.everything.log_density(x[none], h, n_all[none], out_of_all[none])
        return found

    def _bandwidth(self, spread: FloatArray, n: FloatArray) -> FloatArray:
        if self.bandwidth == "silverman":
            return 0.9 * spread * n**-0.2
        return 1 / np.sqrt(n) if self.bandwidth == "john_langley" else np.full(len(n), float(self.bandwidth))


def _spread(variance: FloatArray, quartile_range: FloatArray) -> FloatArray:
    """``min(sd, IQR / 1.34)``; ``sd`` where the IQR is 0, and 0 where the variance is."""
    deviation = np.where(variance >= LEAST_VARIANCE, np.sqrt(variance), 0.0)
    narrow = quartile_range / 1.34
    return np.where(narrow > _LEAST_RANGE * deviation, np.minimum(deviation, narrow), deviation)


def _repeated(m: Moments, n: int) -> Moments:
    """The same moments for each of n queries."""
    n_of, mean, deviation = (np.broadcast_to(part, (n, len(m.n))) for part in (m.n, m.mean, m.deviation))
    n_all, mean_all, deviation_all = (np.full(n, part) for part in (m.n_all, m.mean_all, m.deviation_all))
    return Moments(n_of, mean, deviation, n_all, mean_all, deviation_all)


@dataclass(frozen=True)
class _LeftOut:
    """For each query the stored value that is its own and the weight to leave out of it; weight 0 for none."""

    at: IntArray
    weights: FloatArray

    def __getitem__(self, rows: IntArray) -> _LeftOut:
        return _LeftOut(self.at[rows], self.weights[rows])


@dataclass(frozen=True)
class _KernelSum:
    """The sum of normal densities around the values of one class, or of all, with one value left out or none."""

    values: Distinct

    @cached_property
    def reached(self) -> FloatArray:
        """The weight at or below each value."""
        return np.cumsum(self.values.weights)

    def find(self, x: FloatArray, weights: FloatArray) -> _LeftOut:
        """What to leave out for queries that are stored values themselves."""
        at = np.searchsorted(self.values.points, x)
        return _LeftOut(np.minimum(at, len(self.values) - 1), weights)

    def quartile_range(self, out: _LeftOut) -> FloatArray:
        """Third minus first quartile, each the smallest value with at least this share at or below it."""
        return self._quantile(0.75, out) - self._quantile(0.25, out)

    def log_density(self, x: FloatArray, bandwidth: FloatArray, weight: FloatArray, out: _LeftOut) -> FloatArray:
        """``ln( sum_j w_j N(x; v_j, h^2) / sum_j w_j )`` for each query with its bandwidth and total weight."""
        found = np.empty(len(x))
        step = max(1, _CELLS_AT_ONCE // max(1, len(self.values)))
        for begin in range(0, len(x), step):
            rows = np.arange(begin, min(begin + step, len(x)))
            found[rows] = self._log_sums(x[rows], bandwidth[rows], out[rows])
        return found - np.log(weight * bandwidth) - 0.5 * math.log(2 * math.pi)

    def _log_sums(self, x: FloatArray, bandwidth: FloatArray, out: _LeftOut) -> FloatArray:
        rows = np.arange(len(x))
        left = self.values.weights[out.at] - out.weights
        with np.errstate(over="ignore", divide="ignore"):
            terms = (x[:, None] - self.values.points) / bandwidth[:, None]
            terms *= terms
            terms *= -0.5
            terms[rows[left <= 0], out.at[left <= 0]] = -np.inf
            highest = terms.max(axis=1)
            # Nothing within float64: all is -inf, and no difference of infinities is taken.
            terms -= np.where(np.isfinite(highest), highest, 0.0)[:, None]
            np.exp(terms, out=terms)
            own = terms[rows, out.at] * np.maximum(left, 0.0)
            terms *= self.values.weights
            terms[rows, out.at] = own
            return np.asarray(highest + np.log(terms.sum(axis=1)))

    def _quantile(self, q: float, out: _LeftOut) -> FloatArray:
        wanted = q * (self.reached[-1] - out.weights) * (1 - _ROUNDING)
        before = np.searchsorted(self.reached, wanted, side="left")
        after = np.maximum(np.searchsorted(self.reached, wanted + out.weights, side="left"), out.at)
        at = np.where(before < out.at, before, after)
        return np.asarray(self.values.points[np.minimum(at, len(self.values) - 1)])
