"""Robust fits: rows that the fit around them misses by far count less (Cleveland 1979)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from priorcase._typing import FloatArray

# Cleveland's own program stops where the median residual is nothing beside the mean one.
_NOTHING = 1e-7


def robustness_weights(
    residuals_by: Callable[[FloatArray], FloatArray], targets: FloatArray, times: FloatArray | None, rounds: int
) -> FloatArray:
    """How much each row counts after some rounds, shape (rows, targets).

    ``delta_i = (1 - (e_i / 6 s)^2)^2`` where ``|e_i| < 6 s``, else 0, with ``s`` the median of ``|e|`` (Cleveland 1979,
    section 2); each round fits with the weights of the one before. Where ``s`` is 0 a target stays as it is.

    Parameters
    ----------
    residuals_by
        The residuals of all rows, given how much each counts.
    targets
        What the residuals are of, shape (rows, targets).
    times
        How many rows each stands for; None for one.
    rounds
        How many times.
    """
    found = np.ones(targets.shape)
    largest = np.abs(targets).max(axis=0)
    for _ in range(rounds):
        sizes = np.abs(residuals_by(found))
        for t, size in enumerate(sizes.T):
            s = weighted_median(size, times)
            rounding = 8 * np.finfo(np.float64).eps * largest[t]
            if s > max(_NOTHING * float(np.average(size, weights=times)), rounding):
                found[:, t] = bisquare(size / (6 * s))
    return found


def bisquare(u: FloatArray) -> FloatArray:
    """``(1 - u^2)^2`` inside 1, else 0.

    Examples
    --------
    >>> bisquare(np.array([0.0, 0.5, 1.0, 7.0]))
    array([1.    , 0.5625, 0.    , 0.    ])
    """
    inside = np.minimum(u, 1.0)
    rest = 1.0 - inside * inside
    return np.asarray(rest * rest)


def weighted_median(values: FloatArray, times: FloatArray | None) -> float:
    """The median of values, each repeated as often as it counts; half-way between the middle two.

    Examples
    --------
    >>> weighted_median(np.array([1.0, 5.0, 2.0]), np.array([3.0, 2.0, 1.0]))
    1.5
    """
    if times is None:
        return float(np.median(values))
    order = np.argsort(values, kind="stable")
    reach = np.cumsum(times[order])
    half = reach[-1] / 2
    low = int(np.searchsorted(reach, half * (1 - 1e-9)))
    high = int(np.searchsorted(reach, half * (1 + 1e-9), side="right"))
    return float((values[order[low]] + values[order[min(high, values.size - 1)]]) / 2)
