"""Numbers by their neighbours: a small normal bump on each value that was seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from priorcase._parameters import as_python, is_number
from priorcase._typing import FloatArray, IntArray
from priorcase.bayes.distinct import distinct
from priorcase.bayes.exact_moments import ExactMoments
from priorcase.bayes.kernel_sums import Bumps
from priorcase.bayes.left_out_moments import leave_one_out
from priorcase.bayes.moments import LEAST_VARIANCE, Moments
from priorcase.exceptions import ParameterError
from priorcase.similarity.checks import settle

Bandwidth: TypeAlias = float | Literal["silverman", "john_langley"]
Sample: TypeAlias = tuple[FloatArray, FloatArray | None]
"""The known values of a class, and their weights; None where each counts once."""

_RULES = ("silverman", "john_langley")

# An interquartile range below this share of the standard deviation is one between equal values.
_LEAST_RANGE = 1e-9


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
        "silverman", "john_langley" or the standard deviation of each bump.

    Examples
    --------
    >>> sample = [(np.array([1.0, 2.0, 3.0]), None), (np.array([7.0, 9.0]), None)]
    >>> np.exp(KernelDensity(1.0).log_density(np.array([2.0, 8.0]), sample)).round(3)
    array([[0.294, 0.   ],
           [0.   , 0.242]])
    """

    bandwidth: Bandwidth = "silverman"

    def __post_init__(self) -> None:
        if isinstance(self.bandwidth, str) and self.bandwidth in _RULES:
            return
        if not is_number(self.bandwidth) or not 1e-100 <= as_python(self.bandwidth) <= 1e100:
            expected = "'silverman', 'john_langley' or a number from 1e-100 to 1e100"
            hint = "'silverman' follows the spread of the values, 'john_langley' only their number."
            raise ParameterError.wrong("bandwidth", self.bandwidth, expected=expected, hint=hint, names=_RULES)
        settle(self, bandwidth=float(self.bandwidth))

    def fit(self, samples: Sequence[Sample]) -> FittedKernels:
        """The densities of some classes, ready to be asked often."""
        return FittedKernels(self.bandwidth, samples)

    def log_density(self, x: FloatArray, samples: Sequence[Sample]) -> FloatArray:
        """Log-density of each number in each class, shape (numbers, classes); 0 where the number is missing.

        Parameters
        ----------
        x
            Numbers, NaN where missing.
        samples
            The values of each class and their weights, in any order.
        """
        return self.fit(samples).log_density(x)

    def loo_log_density(
        self, x: FloatArray, own: IntArray, samples: Sequence[Sample], weights: FloatArray | None = None
    ) -> FloatArray:
        """Log-density of each row's number in each class without this row, bandwidths included.

        Parameters
        ----------
        x, own, weights
            Number, class and weight of each row; it is among the values of its class.
        samples
            The values of each class and their weights, in any order.
        """
        return self.fit(samples).loo_log_density(x, own, weights)


class FittedKernels:
    """Kernel densities of some classes."""

    def __init__(self, bandwidth: Bandwidth, samples: Sequence[Sample]) -> None:
        self.bandwidth = bandwidth
        self.classes = [Bumps(distinct(*sample)) for sample in samples]
        parts = [bumps.values for bumps in self.classes]
        points = np.concatenate([np.empty(0), *(part.points for part in parts)])
        weights = np.concatenate([np.empty(0), *(part.weights for part in parts)])
        codes = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        self.everything = Bumps(distinct(points, weights))
        self.moments = ExactMoments.of(points, codes, len(parts), weights).summary()

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
            without = leave_one_out(self.moments, x[known], own[known], w[known])
            found[known] = self._log_densities(x[known], own[known], np.where(own < 0, 0.0, w)[known], without)
        return found

    def _log_densities(self, x: FloatArray, own: IntArray, w: FloatArray, m: Moments) -> FloatArray:
        """Column by column: which values a query leaves out, how wide the bumps are then, and their sum."""
        says = m.says_something()
        out_of_all = self.everything.find(x, w)
        n_all = np.asarray(m.n_all)
        spread_all = _spread(m.variance_all(), self.everything.quartile_range(out_of_all))
        found = np.zeros((len(x), len(self.classes)))
        for k, bumps in enumerate(self.classes):
            some, none = np.flatnonzero(says & (m.n[:, k] > 0)), np.flatnonzero(says & (m.n[:, k] <= 0))
            if len(some):
                out = bumps.find(x[some], np.where(own == k, w, 0.0)[some])
                n, deviation = m.n[some, k], m.deviation[some, k]
                variance = np.where(n >= 2, deviation / np.where(n >= 2, n - 1, 1.0), 0.0)
                spread = _spread(variance, bumps.quartile_range(out))
                h = self._bandwidth(np.where(spread > 0, spread, spread_all[some]), n)
                found[some, k] = bumps.log_density(x[some], h, n, out)
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
