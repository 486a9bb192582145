"""Classification records of IB3: Wilson intervals, and the verdicts based on these intervals."""

from __future__ import annotations

from numbers import Real

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri
from sklearn.utils._param_validation import Interval

from priorcase._parameters import check_value
from priorcase._typing import AnyArray, FloatArray
from priorcase.exceptions import ParameterError, prefix_errors, quoted
from priorcase.instances import as_floats

CONFIDENCE = [Interval(Real, 0.5, 1, closed="left")]
"""Constraints of a confidence level."""

# With fewer trials than this, terms of the formula overflow; the interval is then [0, 1].
_LEAST = 1e-100


@prefix_errors
def wilson_interval(
    successes: ArrayLike, trials: ArrayLike, *, confidence: float = 0.9
) -> tuple[FloatArray, FloatArray]:
    """Return the lower and upper Wilson bounds of a success probability (Wilson 1927).

    Let ``p = s / n`` be the share of s successes in n trials, and let z be the normal quantile of ``confidence``. The
    bounds are ``(p + z^2/(2n) -+ z sqrt(p(1-p)/n + z^2/(4n^2))) / (1 + z^2/n)``. Without trials, they are 0 and 1.

    Parameters
    ----------
    successes, trials
        Numbers or arrays with ``0 <= successes <= trials``, not necessarily integers.
    confidence
        One-sided confidence of each bound, from 0.5 to below 1; 0.95 gives the two-sided 90% interval.

    Examples
    --------
    >>> import priorcase as pc
    >>> low, high = pc.concepts.wilson_interval([3, 0], [4, 0])
    >>> low.round(3), high.round(3)
    (array([0.433, 0.   ]), array([0.922, 1.   ]))
    """
    z = normal_quantile(confidence, parameter="confidence")
    s, n = _counts(successes, "successes"), _counts(trials, "trials")
    try:
        inside = bool((s <= n).all())
    except ValueError:
        raise ParameterError(f"successes and trials have incompatible shapes, {s.shape} and {n.shape}") from None
    if not inside:
        raise ParameterError(f"successes must not exceed trials, got {quoted(successes)} of {quoted(trials)}")
    return wilson_bounds(s, n, z)


def wilson_bounds(s: FloatArray, n: FloatArray, z: float) -> tuple[FloatArray, FloatArray]:
    """Return the lower and upper Wilson bounds for ``s`` successes in ``n`` trials and the normal quantile ``z``."""
    # The order of operations is the same as in C++, so that the results are identical.
    s, n = np.broadcast_arrays(s, n)
    tried = n > _LEAST
    n = np.where(tried, n, 1.0)
    p = s / n
    z2 = z * z
    center = p + z2 / (2.0 * n)
    half = z * np.sqrt(p * (1.0 - p) / n + z2 / (4.0 * n * n))
    denominator = 1.0 + z2 / n
    return np.where(tried, (center - half) / denominator, 0.0), np.where(tried, (center + half) / denominator, 1.0)


def normal_quantile(confidence: float, *, parameter: str) -> float:
    check_value(parameter, confidence, CONFIDENCE)
    return float(ndtri(float(confidence)))


def verdicts(accuracy: tuple[FloatArray, FloatArray], frequency: tuple[FloatArray, FloatArray]) -> AnyArray:
    """Return IB3's verdict on each record: acceptable, poor or mediocre; both arguments are (lower, upper) bounds."""
    names = np.array(["mediocre", "acceptable", "poor"], dtype=object)
    verdict: AnyArray = names[np.where(accuracy[0] > frequency[1], 1, np.where(accuracy[1] < frequency[0], 2, 0))]
    return verdict


def _counts(values: ArrayLike, parameter: str) -> FloatArray:
    numbers = as_floats(values)
    if numbers is None or not (np.isfinite(numbers) & (numbers >= 0)).all():
        raise ParameterError(f"{parameter} must be numbers >= 0, got {quoted(values)}")
    return numbers
