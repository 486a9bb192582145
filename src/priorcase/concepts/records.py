"""Classification records: how often an instance was right, and whether that is better than its class is frequent."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from priorcase._parameters import is_number
from priorcase._typing import AnyArray, FloatArray
from priorcase.exceptions import ParameterError
from priorcase.instances.instances import as_floats

Verdict: TypeAlias = Literal["acceptable", "mediocre", "poor"]

# The interval of so few trials is the whole line, and its terms are beyond float64.
_LEAST = 1e-100
_HINT = "0.9 accepts instances and 0.875 drops them as in the paper."


def wilson_interval(
    successes: ArrayLike, trials: ArrayLike, *, confidence: float = 0.9
) -> tuple[FloatArray, FloatArray]:
    """Lower and upper bound of a probability that gave ``successes`` in ``trials`` (Wilson 1927).

    With ``p = s / n`` and z the normal quantile of ``confidence``:
    ``(p + z^2/(2n) -+ z sqrt(p(1-p)/n + z^2/(4n^2))) / (1 + z^2/n)``; 0 and 1 where nothing was tried.

    Parameters
    ----------
    successes, trials
        Numbers or arrays of numbers, ``0 <= successes <= trials``; they need not be whole.
    confidence
        With which each bound holds by itself, at least 1/2 and below 1: 0.95 for the usual two-sided interval of 90 %.

    References
    ----------
    E. B. Wilson, *Journal of the American Statistical Association* 22, 1927. D. W. Aha, D. Kibler & M. K. Albert,
    *Machine Learning* 6, 1991, section 4: IB3 compares such intervals.

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
        expected = f"shapes that go together, not {s.shape} and {n.shape}"
        raise ParameterError.wrong("trials", trials, expected=expected, hint="one for each success.") from None
    if not inside:
        hint = "count the trials that succeeded, and all trials."
        raise ParameterError.wrong("successes", successes, expected="from 0 to trials", hint=hint)
    return wilson_bounds(s, n, z)


def wilson_bounds(s: FloatArray, n: FloatArray, z: float) -> tuple[FloatArray, FloatArray]:
    """The same by the quantile itself; sums in the compiled core's order, so that both agree to the last bit."""
    s, n = np.broadcast_arrays(s, n)
    tried = n > _LEAST
    n = np.where(tried, n, 1.0)
    p = s / n
    z2 = z * z
    centre = p + z2 / (2.0 * n)
    half = z * np.sqrt(p * (1.0 - p) / n + z2 / (4.0 * n * n))
    denominator = 1.0 + z2 / n
    return np.where(tried, (centre - half) / denominator, 0.0), np.where(tried, (centre + half) / denominator, 1.0)


def normal_quantile(confidence: object, *, parameter: str) -> float:
    """The z below which a standard normal number stays with this probability."""
    if not is_number(confidence) or not 0.5 <= confidence < 1.0:
        expected = "a number from 0.5 to below 1"
        raise ParameterError.wrong(parameter, confidence, expected=expected, hint=_HINT)
    return float(ndtri(float(confidence)))


def verdicts(accuracy: tuple[FloatArray, FloatArray], frequency: tuple[FloatArray, FloatArray]) -> AnyArray:
    """The verdict on each record, by its accuracy and the frequency of its class, each a lower and an upper bound.

    Acceptable: surely more accurate than its class is frequent. Poor: surely less. Mediocre: neither is sure yet.

    Examples
    --------
    >>> low, high = np.array([0.6, 0.2, 0.0]), np.array([0.9, 0.7, 0.3])
    >>> verdicts((low, high), (np.full(3, 0.4), np.full(3, 0.5))).tolist()
    ['acceptable', 'mediocre', 'poor']
    """
    names = np.array(["mediocre", "acceptable", "poor"], dtype=object)
    verdict: AnyArray = names[np.where(accuracy[0] > frequency[1], 1, np.where(accuracy[1] < frequency[0], 2, 0))]
    return verdict


def _counts(values: ArrayLike, parameter: str) -> FloatArray:
    numbers = as_floats(values)
    if numbers is None or not (np.isfinite(numbers) & (numbers >= 0)).all():
        raise ParameterError.wrong(parameter, values, expected="numbers >= 0", hint="counts of trials.")
    return numbers
