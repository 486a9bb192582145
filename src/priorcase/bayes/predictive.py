"""What the next value of a discrete attribute will be, from how often each was seen.

One formula, one function. The first three take numbers one by one and serve the tables of the classifiers; the others
turn counts ``n`` along the last axis, ``N`` in total over ``K`` values, into a distribution over these values. Counts
may be fractions of rows, where rows have weights. Of a string of zeros and ones a single 1 was seen; that the next is
a 1 as well has probability 1, 2/3 or 4/5 (Kontkanen et al. 1997, section 4.1):

>>> seen = np.array([0, 1])
>>> maximum_likelihood(seen), evidence(seen), stochastic_complexity(seen)
(array([0., 1.]), array([0.33333333, 0.66666667]), array([0.2, 0.8]))

References
----------
Kontkanen, Myllymäki, Silander, Tirri & Grünwald 1997, "Comparing predictive inference methods for discrete domains".
Kontkanen, Myllymäki, Silander & Tirri 1998, "Bayes optimal instance-based learning".
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy

from priorcase._typing import FloatArray
from priorcase.bayes.checks import MOST, as_counts, as_weights, check_amounts, positive
from priorcase.bayes.gamma import log_rising
from priorcase.exceptions import CountsError, ParameterError, PriorError, prefix_errors
from priorcase.instances.instances import as_floats

Amount = TypeVar("Amount", float, FloatArray)


def evidence_share(count: Amount, total: Amount, weight: Amount, weights: Amount) -> Amount:
    """The probability of a value, averaged over all parameters: ``(n_i + a_i) / (N + sum_j a_j)``.

    Kontkanen et al. 1998, eq. 9. Nothing is checked.

    Parameters
    ----------
    count, total
        How often the value was seen, and all values together.
    weight, weights
        Dirichlet weight of the value, and of all values together.

    Examples
    --------
    >>> evidence_share(1.0, 1.0, 1.0, 2.0)
    0.6666666666666666
    """
    return (count + weight) / (total + weights)


@prefix_errors
def growth(n: ArrayLike) -> FloatArray:
    """What one more row adds to ``n ln n``: ``g(n) = (n + 1) ln(n + 1) - n ln n``, with ``g(0) = 0``.

    Added to a class k of ``h_k`` rows, a row with values x multiplies the largest likelihood of the data by
    ``exp(g(h_k) + sum_i (g(f_ki) - g(h_k)))`` and a factor that is the same for every class, where ``f_ki`` rows of the
    class have the row's value of attribute i: the stochastic complexity of Kontkanen et al. 1997, eq. 8, in one term
    for each attribute. Right to 1e-15 for all n, since the two large terms are never subtracted.

    Parameters
    ----------
    n
        Counts, finite and at least 0.

    Examples
    --------
    >>> np.exp(growth([0, 1, 2]))
    array([1.  , 4.  , 6.75])
    """
    counts = as_floats(n)
    if counts is None:
        raise CountsError.wrong("made of something else than numbers within float64")
    check_amounts(counts)
    return np.log1p(counts) + _stretch(counts)


@prefix_errors
def log_marginal(counts: ArrayLike, prior: ArrayLike = 1.0) -> FloatArray:
    """The log-probability of a sequence of values, averaged over all parameters.

    With Dirichlet weights ``a`` and ``A = sum_i a_i`` it is
    ``ln [ G(A) / G(N + A) prod_i G(n_i + a_i) / G(a_i) ]``, G the gamma function: a factor of Kontkanen et al. 1998,
    eq. 8. It is the sum of the logs that ``evidence`` gives each next value, in whatever order the values come.

    Parameters
    ----------
    counts
        How often each value was seen, along the last axis.
    prior
        The weight of every value, or an array of weights that spreads over the counts.

    Examples
    --------
    A 1 and then a 0 under the uniform prior: 1/2 times 1/3.

    >>> round(1 / float(np.exp(log_marginal([1, 1]))), 9)
    6.0
    """
    n = as_counts(counts)
    a = as_weights(prior, n.shape)
    total, each = _total(a), log_rising(a, n)
    most = np.argmax(n, axis=-1, keepdims=True)
    others = np.arange(n.shape[-1]) != most
    frequent, weight = np.take_along_axis(n, most, axis=-1)[..., 0], np.take_along_axis(a, most, axis=-1)[..., 0]
    added, weights = (np.where(others, numbers, 0.0).sum(axis=-1) for numbers in (n, a))
    # The total is nearly alike to the prior's where weights are large, and to the most frequent value's where counts
    # are: what they differ by is taken at once, since subtracting two large logs would lose it.
    from_prior = each.sum(axis=-1) - log_rising(total, n.sum(axis=-1))
    from_most = np.where(others, each, 0.0).sum(axis=-1) + log_rising(weight, weights)
    from_most = from_most - log_rising(weight + frequent, weights + added)
    found: FloatArray = np.where(weights < frequent, from_most, from_prior)
    return found


@prefix_errors
def evidence(counts: ArrayLike, prior: ArrayLike = 1.0) -> FloatArray:
    """Distribution of the next value, averaged over all parameters: ``(n_i + a_i) / (N + sum_j a_j)``.

    Kontkanen et al. 1998, eq. 9. No value is impossible; without any counts it is the mean of the prior.

    Parameters
    ----------
    counts
        How often each value was seen, along the last axis.
    prior
        The Dirichlet weight a of every value, or an array of weights that spreads over the counts.

    Examples
    --------
    >>> evidence([3, 1])
    array([0.66666667, 0.33333333])
    >>> evidence([3, 1], prior=[2, 4])
    array([0.5, 0.5])
    """
    n = as_counts(counts)
    a = as_weights(prior, n.shape)
    weights = _total(a)[..., np.newaxis]
    return evidence_share(n, n.sum(axis=-1, keepdims=True), a, weights)


@prefix_errors
def maximum_a_posteriori(counts: ArrayLike, prior: ArrayLike = 1.0) -> FloatArray:
    """Distribution of the next value under the most probable parameters: ``(n_i + a_i - 1) / (N + sum_j a_j - K)``.

    Kontkanen et al. 1998, eq. 7. Weight 1 gives the maximum likelihood, weight 2 the Laplace estimate. Where a weight
    below 1 makes ``n_i + a_i - 1`` negative, the posterior has no largest value inside; it is taken for 0 and the
    others are divided by their own sum. Where nothing is left to divide, every value gets ``1 / K``.

    Parameters
    ----------
    counts
        How often each value was seen, along the last axis.
    prior
        The Dirichlet weight a of every value, or an array of weights that spreads over the counts.

    Examples
    --------
    >>> maximum_a_posteriori([3, 1]), maximum_a_posteriori([3, 1], prior=2)
    (array([0.75, 0.25]), array([0.66666667, 0.33333333]))
    >>> maximum_a_posteriori([3, 0], prior=0.5), maximum_a_posteriori([0, 0])
    (array([1., 0.]), array([0.5, 0.5]))
    """
    n = as_counts(counts)
    a = as_weights(prior, n.shape)
    _total(a)
    # a - 1 first: it loses nothing for weights near 1, and with weight 1 the counts stay as they are.
    return _shares(np.maximum(n + (a - 1.0), 0.0))


@prefix_errors
def maximum_likelihood(counts: ArrayLike) -> FloatArray:
    """Relative frequencies, ``n_i / N``; where there are no counts, ``1 / K`` each.

    Parameters
    ----------
    counts
        How often each value was seen, along the last axis.

    Examples
    --------
    >>> maximum_likelihood([[3, 1], [0, 0]])
    array([[0.75, 0.25],
           [0.5 , 0.5 ]])
    """
    return _shares(as_counts(counts))


@prefix_errors
def stochastic_complexity(counts: ArrayLike) -> FloatArray:
    """Distribution of the next value by how likely it can make all data: ``exp(g(n_i)) / sum_j exp(g(n_j))``.

    ``exp(g(n)) = (n + 1)^(n + 1) / n^n``, with g the ``growth``, is the factor by which one more of a value changes the
    largest likelihood of the data, but for one that all values share (Kontkanen et al. 1997, eq. 8, for a single
    attribute). It is close to ``e (n + 1/2)``, and 1 at 0: no value is impossible, and there is no prior to choose.

    Parameters
    ----------
    counts
        How often each value was seen, along the last axis.

    Examples
    --------
    >>> stochastic_complexity([1, 0])
    array([0.8, 0.2])
    """
    n = as_counts(counts)
    return _shares((n + 1.0) * np.exp(_stretch(n)))


@prefix_errors
def m_estimate(counts: ArrayLike, m: float, p: ArrayLike | None = None) -> FloatArray:
    """Distribution of the next value with m more rows shared out by p: ``(n_i + m p_i) / (N + m)``.

    The ``evidence`` with Dirichlet weights ``m p_i``.

    Parameters
    ----------
    counts
        How often each value was seen, along the last axis.
    m
        How many rows the prior is worth, above 0.
    p
        The prior probability of each value, summing to 1; None for ``1 / K`` each.

    Examples
    --------
    Nobody married among three cheaters, who were single (2) or divorced (1), still leaves 1/6:

    >>> m_estimate([2, 1, 0], m=3)
    array([0.5       , 0.33333333, 0.16666667])
    """
    n = as_counts(counts)
    rows = positive("m", m, hint="with the number of values it is the Laplace estimate.")
    shares = np.full(n.shape, 1.0 / n.shape[-1]) if p is None else _probabilities(p, n.shape)
    return evidence_share(n, n.sum(axis=-1, keepdims=True), rows * shares, np.full((), rows))


@prefix_errors
def laplace(counts: ArrayLike) -> FloatArray:
    """Distribution of the next value with each seen once more: ``(n_i + 1) / (N + K)``.

    The ``evidence`` under the uniform prior, and the ``m_estimate`` with ``m = K``. (K is the number of values of the
    attribute; where lectures divide by the number of classes, that is a slip.)

    Parameters
    ----------
    counts
        How often each value was seen, along the last axis.

    Examples
    --------
    >>> laplace([2, 1, 0])
    array([0.5       , 0.33333333, 0.16666667])
    """
    return evidence(as_counts(counts))


def _stretch(n: FloatArray) -> FloatArray:
    """``n ln(1 + 1/n)``, from 0 at 0 to 1: neither form subtracts where it is used, and ``1/n`` stays finite."""
    small = np.minimum(n, 1.0)
    return np.where(n < 1.0, small * np.log1p(small) - xlogy(small, small), n * np.log1p(1.0 / np.maximum(n, 1.0)))


def _shares(amounts: FloatArray) -> FloatArray:
    """Each amount by their sum along the last axis; equal shares where the sum is 0."""
    total = amounts.sum(axis=-1, keepdims=True)
    return np.where(total > 0.0, amounts / np.where(total > 0.0, total, 1.0), 1.0 / amounts.shape[-1])


def _total(weights: FloatArray) -> FloatArray:
    """The sum of Dirichlet weights along the last axis, which must be within bounds."""
    with np.errstate(over="ignore"):
        total = np.asarray(weights.sum(axis=-1))
    if (total > MOST).any():
        raise PriorError.wrong_entry("prior", "with a sum above 1e300")
    return total


def _probabilities(p: ArrayLike, shape: tuple[int, ...]) -> FloatArray:
    """The prior probabilities of an m-estimate, spread over the counts."""
    expected = "probabilities >= 0 that sum to 1, one for each value"
    hint = "leave p out to give every value the same."
    shares = as_floats(p)
    if shares is None or not (np.isfinite(shares).all() and (shares >= 0).all()):
        raise ParameterError.wrong("p", p, expected=expected, hint=hint)
    try:
        spread = np.broadcast_to(shares, shape)
    except ValueError:
        wanted = f"one that spreads over counts of {shape}"
        raise PriorError.shape("p", shares.shape, wanted, hint=hint) from None
    if not np.allclose(spread.sum(axis=-1), 1.0, rtol=0.0, atol=1e-9):
        raise ParameterError.wrong("p", p, expected=expected, hint=hint)
    return spread
