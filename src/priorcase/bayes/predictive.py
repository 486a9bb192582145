"""Predictive distributions of the next value of a discrete attribute, from counts.

The public functions convert counts ``n`` of ``K`` values (last axis, sum ``N``) to a distribution over these values. A
prior is a Dirichlet weight ``a`` for every value, or an array of weights that broadcasts to counts. References are to
Kontkanen et al. 1997, "Comparing predictive inference methods for discrete domains", and Kontkanen et al. 1998, "Bayes
optimal instance-based learning".

>>> seen = np.array([0, 1])  # a single 1 was seen (1997, section 4.1)
>>> maximum_likelihood(seen), evidence(seen), stochastic_complexity(seen)
(array([0., 1.]), array([0.33333333, 0.66666667]), array([0.2, 0.8]))
"""

from __future__ import annotations

from numbers import Real
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, xlogy
from sklearn.utils._param_validation import Interval

from priorcase._parameters import check_value
from priorcase._typing import FloatArray
from priorcase.exceptions import ParameterError, prefix_errors, quoted
from priorcase.instances import as_floats

Amount = TypeVar("Amount", float, FloatArray)

_LEAST, _MOST = 1e-300, 1e300

# From this argument on, Stirling's series gives the log-gamma function to full precision.
_LARGE = 10.0
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)


@prefix_errors
def evidence(counts: ArrayLike, prior: ArrayLike = 1.0) -> FloatArray:
    """Return the posterior predictive distribution of the next value: ``(n_i + a_i) / (N + sum_j a_j)``.

    Kontkanen et al. 1998, eq. 9. No probability is zero; if all counts are 0, the result is the prior mean.

    >>> evidence([3, 1]), evidence([3, 1], prior=[2, 4])
    (array([0.66666667, 0.33333333]), array([0.5, 0.5]))
    """
    n, a, total = _counts_and_weights(counts, prior)
    return evidence_share(n, n.sum(axis=-1, keepdims=True), a, total[..., np.newaxis])


@prefix_errors
def maximum_a_posteriori(counts: ArrayLike, prior: ArrayLike = 1.0) -> FloatArray:
    """Return the distribution of the next value under MAP parameters: ``(n_i + a_i - 1) / (N + sum_j a_j - K)``.

    Kontkanen et al. 1998, eq. 7. Weight 1 gives maximum likelihood; weight 2 gives Laplace smoothing. Negative
    numerators, which occur with weights below 1, are set to 0; if all numerators are 0, every value gets ``1 / K``.

    >>> maximum_a_posteriori([3, 1]), maximum_a_posteriori([3, 1], prior=2)
    (array([0.75, 0.25]), array([0.66666667, 0.33333333]))
    >>> maximum_a_posteriori([3, 0], prior=0.5), maximum_a_posteriori([0, 0])
    (array([1., 0.]), array([0.5, 0.5]))
    """
    n, a, _ = _counts_and_weights(counts, prior)
    # a - 1 first: exact for weights near 1, and with weight 1 the counts do not change.
    return _shares(np.maximum(n + (a - 1.0), 0.0))


@prefix_errors
def maximum_likelihood(counts: ArrayLike) -> FloatArray:
    """Return the relative frequencies ``n_i / N``, or ``1 / K`` for each value if all counts are 0.

    >>> maximum_likelihood([[3, 1], [0, 0]])
    array([[0.75, 0.25],
           [0.5 , 0.5 ]])
    """
    return _shares(_as_counts(counts))


@prefix_errors
def stochastic_complexity(counts: ArrayLike) -> FloatArray:
    """Return the distribution of the next value by stochastic complexity: ``exp(g(n_i)) / sum_j exp(g(n_j))``.

    ``exp(g(n)) = (n + 1)^(n + 1) / n^n``, with g the `growth`, is proportional to the maximum likelihood of the data
    after the value is added (Kontkanen et al. 1997, eq. 8).

    >>> stochastic_complexity([1, 0])
    array([0.8, 0.2])
    """
    n = _as_counts(counts)
    return _shares((n + 1.0) * np.exp(_stretch(n)))


@prefix_errors
def m_estimate(counts: ArrayLike, m: float, p: ArrayLike | None = None) -> FloatArray:
    """Return the m-estimate of the distribution of the next value: ``(n_i + m p_i) / (N + m)``.

    The result equals `evidence` with Dirichlet weights ``m p_i``. ``m`` is the equivalent sample size, and ``p``
    contains the prior probabilities, which sum to 1; None gives ``1 / K`` to each value.

    >>> m_estimate([2, 1, 0], m=3)
    array([0.5       , 0.33333333, 0.16666667])
    """
    n = _as_counts(counts)
    check_value("m", m, [Interval(Real, 1e-100, 1e100, closed="both")])
    shares = np.full(n.shape, 1.0 / n.shape[-1]) if p is None else as_floats(p)
    if shares is None or not (np.isfinite(shares) & (shares >= 0)).all():
        raise ParameterError(f"p must be probabilities >= 0 that sum to 1, one for each value, got {quoted(p)}")
    shares = _spread(shares, n.shape, "p")
    if not np.allclose(shares.sum(axis=-1), 1.0, rtol=0.0, atol=1e-9):
        raise ParameterError(f"p must sum to 1, got {quoted(p)}. Omit p for equal probabilities.")
    return evidence_share(n, n.sum(axis=-1, keepdims=True), m * shares, np.full((), float(m)))


@prefix_errors
def laplace(counts: ArrayLike) -> FloatArray:
    """Return the Laplace-smoothed distribution of the next value: ``(n_i + 1) / (N + K)``.

    The result equals `evidence` under the uniform prior, and `m_estimate` with ``m = K``, the number of values.

    >>> laplace([2, 1, 0])
    array([0.5       , 0.33333333, 0.16666667])
    """
    return evidence(_as_counts(counts))


@prefix_errors
def log_marginal(counts: ArrayLike, prior: ArrayLike = 1.0) -> FloatArray:
    """Return the log marginal likelihood of a sequence of values under a Dirichlet prior.

    With weights ``a`` and ``A = sum_i a_i``, the result is ``ln [ G(A) / G(N + A) prod_i G(n_i + a_i) / G(a_i) ]``,
    where G is the gamma function (a factor of Kontkanen et al. 1998, eq. 8). The result equals the sum of the
    log-probabilities that `evidence` gives to the values one after another, in any order.

    >>> round(1 / float(np.exp(log_marginal([1, 1]))), 9)  # a 1 and then a 0: 1/2 times 1/3
    6.0
    """
    n, a, total = _counts_and_weights(counts, prior)
    each = log_rising(a, n)
    most = np.argmax(n, axis=-1, keepdims=True)
    others = np.arange(n.shape[-1]) != most
    frequent, weight = np.take_along_axis(n, most, axis=-1)[..., 0], np.take_along_axis(a, most, axis=-1)[..., 0]
    added, weights = (np.where(others, numbers, 0.0).sum(axis=-1) for numbers in (n, a))
    # Two large logarithms nearly cancel: G(A) and G(N + A) with large weights, G(N + A) and the term of the most
    # frequent value with large counts. Each form computes one of these differences directly, without subtraction.
    from_prior = each.sum(axis=-1) - log_rising(total, n.sum(axis=-1))
    from_most = np.where(others, each, 0.0).sum(axis=-1) + log_rising(weight, weights)
    from_most = from_most - log_rising(weight + frequent, weights + added)
    found: FloatArray = np.where(weights < frequent, from_most, from_prior)
    return found


@prefix_errors
def growth(n: ArrayLike) -> FloatArray:
    """Return ``g(n) = (n + 1) ln(n + 1) - n ln n``, with ``g(0) = 0``.

    Adding a row to class k with ``h_k`` rows multiplies the maximum likelihood of the data by ``exp(g(h_k) + sum_i
    (g(f_ki) - g(h_k)))``, up to a factor that is the same for all classes. Here ``f_ki`` is the number of rows of the
    class that share the row's value of attribute i (Kontkanen et al. 1997, eq. 8). The result is accurate to 1e-15 for
    all n.

    >>> np.exp(growth([0, 1, 2]))
    array([1.  , 4.  , 6.75])
    """
    return np.log1p(counts := _as_amounts(n)) + _stretch(counts)


# -- formulas, without checks


def evidence_share(count: Amount, total: Amount, weight: Amount, weights: Amount) -> Amount:
    """Return ``(n_i + a_i) / (N + sum_j a_j)``, given the count and weight of a value, and the sums over all values."""
    return (count + weight) / (total + weights)


def log_rising(a: FloatArray, n: FloatArray) -> FloatArray:
    """Return the log of the rising factorial ``gamma(a + n) / gamma(a)``, for ``a > 0`` and ``n >= 0``."""
    # For large a, subtracting two log-gamma values would lose precision, so Stirling's formulas are subtracted term by
    # term.
    large = np.maximum(a, _LARGE)
    stirling = (large - 0.5) * np.log1p(n / large) + n * (np.log(large + n) - 1.0) + (_tail(large + n) - _tail(large))
    return np.where(a < _LARGE, gammaln(a + n) - gammaln(a), stirling)


def _tail(x: FloatArray) -> FloatArray:
    """Return the correction of Stirling's formula for ``ln G(x)``, for x of at least 10."""
    inverse = 1.0 / x
    square = inverse * inverse
    total = np.zeros_like(x)
    for coefficient in reversed(_STIRLING):
        total = total * square + coefficient
    return total * inverse


def _stretch(n: FloatArray) -> FloatArray:
    """Return ``n ln(1 + 1/n)``, which rises from 0 at n = 0 towards 1, without cancellation or overflow."""
    small = np.minimum(n, 1.0)
    return np.where(n < 1.0, small * np.log1p(small) - xlogy(small, small), n * np.log1p(1.0 / np.maximum(n, 1.0)))


def _shares(amounts: FloatArray) -> FloatArray:
    """Divide amounts by their sum along the last axis; return equal shares if the sum is 0."""
    total = amounts.sum(axis=-1, keepdims=True)
    return np.where(total > 0.0, amounts / np.where(total > 0.0, total, 1.0), 1.0 / amounts.shape[-1])


# -- checks of counts and prior weights


def _as_amounts(values: object) -> FloatArray:
    """Convert counts to float64; raise an error unless all counts are finite and at least 0."""
    counts = as_floats(values)
    if counts is None or not (np.isfinite(counts) & (counts >= 0)).all():
        raise ParameterError(f"counts must be finite numbers >= 0, got {quoted(values)}")
    return counts


def _as_counts(values: object) -> FloatArray:
    """Convert counts; raise an error if the last axis is empty or the counts along it sum to more than 1e300."""
    counts = _as_amounts(values)
    if counts.ndim == 0 or counts.shape[-1] == 0:
        raise ParameterError(f"counts must have at least one value along the last axis, got shape {counts.shape}")
    _checked_sum("counts", counts)
    return counts


def _counts_and_weights(counts: object, prior: object) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the counts, the prior weights broadcast to the shape of the counts, and the sums of the weights."""
    n = _as_counts(counts)
    weights = None if isinstance(prior, (bool, np.bool_)) else as_floats(prior)
    if weights is None or not ((weights >= _LEAST) & (weights <= _MOST)).all():
        raise ParameterError(f"prior must be finite numbers above 0 (1e-300 to 1e300), got {quoted(prior)}")
    a = _spread(weights, n.shape, "prior")
    return n, a, _checked_sum("prior", a)


def _spread(numbers: FloatArray, shape: tuple[int, ...], parameter: str) -> FloatArray:
    try:
        return np.broadcast_to(numbers, shape)
    except ValueError:
        raise ParameterError(
            f"{parameter} has the shape {numbers.shape}, which does not broadcast to counts of shape {shape}"
        ) from None


def _checked_sum(parameter: str, numbers: FloatArray) -> FloatArray:
    with np.errstate(over="ignore"):
        total = np.asarray(numbers.sum(axis=-1))
    if (total > _MOST).any():
        raise ParameterError(f"{parameter} must sum to at most 1e300")
    return total
