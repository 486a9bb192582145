"""Densities of each training row by all the others, without fitting anything again."""

from __future__ import annotations

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.bayes.gaussian import Gaussian
from priorcase.bayes.left_out_moments import leave_one_out
from priorcase.bayes.moments import Moments
from priorcase.bayes.numeric import log_densities
from priorcase.bayes.student import Student

_CELLS_AT_ONCE = 2**17


def loo_log_densities(
    strategy: Student | Gaussian, m: Moments, x: FloatArray, own: IntArray, weights: FloatArray | None = None
) -> FloatArray:
    """Log-density of each row's number in each class, by a fit without this row; 0 where the number is missing.

    Everything that the strategy learns is learned without the row: its class's mean and variance, and the overall
    ones that other classes may depend on.

    Parameters
    ----------
    strategy
        `Student` or `Gaussian`.
    m
        What all rows together say, as `ExactMoments.summary` gives it.
    x
        The number of each row, NaN where missing.
    own
        The class of each row; below 0 for a row that was not counted.
    weights
        The weight of each row; None where each counts once.

    Returns
    -------
    Shape (rows, classes).

    Examples
    --------
    >>> from priorcase.bayes.exact_moments import ExactMoments
    >>> x, own = np.array([1.0, 2.0, 4.0, 9.0]), np.array([0, 0, 1, 1])
    >>> loo_log_densities(Student(), ExactMoments.of(x, own, 2).summary(), x, own).round(3)
    array([[-2.597, -3.361],
           [-2.369, -2.95 ],
           [-2.249, -2.738],
           [-6.668, -4.682]])
    """
    x, own = np.asarray(x, dtype=np.float64), np.asarray(own)
    found = np.zeros((len(x), len(m.n)))
    if not m.says_something():
        return found
    step = max(1, _CELLS_AT_ONCE // max(1, len(m.n)))
    known = np.flatnonzero(~np.isnan(x))
    for begin in range(0, len(known), step):
        rows = known[begin : begin + step]
        without = leave_one_out(m, x[rows], own[rows], None if weights is None else weights[rows])
        found[rows] = log_densities(strategy.parameters(without), x[rows])
    return found
