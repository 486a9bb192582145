"""What the next value of a discrete attribute will be, from how often each was seen.

The public functions
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

from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, ClassVar, Literal, Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, xlogy
from sklearn.utils._param_validation import Interval

from priorcase._parameters import as_python, check_fields, is_number
from priorcase._typing import BoolArray, FloatArray
from priorcase.exceptions import ParameterError, advice, prefix_errors, quoted
from priorcase.instances.instances import as_floats

Amount = TypeVar("Amount", float, FloatArray)
Predictive: TypeAlias = Literal["map", "evidence", "sc"]

_LEAST, _MOST = 1e-300, 1e300
LEAST_WEIGHT, MOST_WEIGHT = 1e-100, 1e100

# From here on Stirling's series gives the logarithm of the gamma function to the last bits.
_LARGE = 10.0
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)


def evidence_share(count: Amount, total: Amount, weight: Amount, weights: Amount) -> Amount:
    """The probability of a value, averaged over all parameters: ``(n_i + a_i) / (N + sum_j a_j)``.

    Kontkanen et al. 1998, eq. 9, from the count and Dirichlet weight of the value and of all values together. Nothing
    is checked.

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
    return np.log1p(counts := _as_amounts(n)) + _stretch(counts)


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
    n = _as_counts(counts)
    a = _as_weights(prior, n.shape)
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
    n = _as_counts(counts)
    a = _as_weights(prior, n.shape)
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
    n = _as_counts(counts)
    a = _as_weights(prior, n.shape)
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
    return _shares(_as_counts(counts))


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
    n = _as_counts(counts)
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
    n = _as_counts(counts)
    rows = prior_weight("m", m)
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
    return evidence(_as_counts(counts))


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
    if (total > _MOST).any():
        raise ParameterError("prior must have a sum of at most 1e300")
    return total


def _probabilities(p: ArrayLike, shape: tuple[int, ...]) -> FloatArray:
    """The prior probabilities of an m-estimate, spread over the counts."""
    shares = as_floats(p)
    if shares is not None and np.isfinite(shares).all() and (shares >= 0).all():
        try:
            spread = np.broadcast_to(shares, shape)
        except ValueError:
            raise ParameterError(
                f"p has the shape {shares.shape}, which does not spread over counts of {shape}"
            ) from None
        if np.allclose(spread.sum(axis=-1), 1.0, rtol=0.0, atol=1e-9):
            return spread
    raise ParameterError(
        f"p must be probabilities >= 0 that sum to 1, one for each value, got {quoted(p)}. Leave p out to give every "
        "value the same"
    )


def log_rising(a: FloatArray, n: FloatArray) -> FloatArray:
    """The log of the rising factorial ``a (a + 1) ... (a + n - 1) = G(a + n) / G(a)``, ``a > 0``, ``n >= 0``.

    Two logs of gamma functions would lose all digits for large a, where each of them is far larger than their
    difference; there Stirling's formula is subtracted from itself term by term. 0 for ``n = 0``. Nothing is checked.

    Examples
    --------
    >>> log_rising(np.array([2.0, 1e9]), np.array([3.0, 1.0])) - np.log([2.0 * 3.0 * 4.0, 1e9])
    array([0., 0.])
    """
    large = np.maximum(a, _LARGE)
    stirling = (large - 0.5) * np.log1p(n / large) + n * (np.log(large + n) - 1.0) + (_tail(large + n) - _tail(large))
    return np.where(a < _LARGE, gammaln(a + n) - gammaln(a), stirling)


def _tail(x: FloatArray) -> FloatArray:
    """What Stirling's formula for ``ln G(x)`` lacks, for x of at least 10."""
    inverse = 1.0 / x
    square = inverse * inverse
    total = np.zeros_like(x)
    for coefficient in reversed(_STIRLING):
        total = total * square + coefficient
    return total * inverse


# -- what may be passed as counts and as prior weights


def _as_amounts(values: object) -> FloatArray:
    """Counts as float64: finite and at least 0."""
    counts = as_floats(values)
    if counts is None:
        problem = "something else than numbers within float64"
    elif not np.isfinite(counts).all():
        problem = "a NaN or infinite entry"
    elif (counts < 0).any():
        problem = "a negative entry"
    else:
        return counts
    raise ParameterError(f"counts must be finite numbers >= 0 along the last axis, got {problem}. For example [3, 1]")


def _as_counts(values: object) -> FloatArray:
    """Counts with an axis of values and a sum along it of at most 1e300."""
    counts = _as_amounts(values)
    if counts.ndim == 0 or counts.shape[-1] == 0:
        raise ParameterError(f"counts must have at least one value along the last axis, got the shape {counts.shape}")
    with np.errstate(over="ignore"):
        if (counts.sum(axis=-1) > _MOST).any():
            raise ParameterError("counts must have a sum of at most 1e300")
    return counts


def _as_weights(values: object, shape: tuple[int, ...]) -> FloatArray:
    """Prior weights as float64 from 1e-300 to 1e300, spread over the shape of the counts they are for."""
    weights = None if isinstance(values, (bool, np.bool_)) else as_floats(values)
    if weights is None or not ((weights >= _LEAST) & (weights <= _MOST)).all():
        raise ParameterError(f"prior must be finite numbers above 0 (1e-300 to 1e300), got {quoted(values)}")
    try:
        return np.broadcast_to(weights, shape)
    except ValueError:
        raise ParameterError(
            f"prior has the shape {weights.shape}, which does not spread over counts of {shape}. A single number is "
            "the weight of each"
        ) from None


def prior_weight(parameter: str, value: object) -> float:
    """A prior weight from 1e-100 to 1e100, as Python's float.

    Within these the formulas neither overflow nor vanish: weights may be divided among values and added up.

    Examples
    --------
    >>> prior_weight("prior", 2)
    2.0
    """
    if is_number(value) and LEAST_WEIGHT <= (number := as_python(value)) <= MOST_WEIGHT:
        return float(number)
    raise ParameterError(f"{parameter} must be a finite number above 0 (1e-100 to 1e100), got {quoted(value)}")


def check_prior_weights(parameter: str, weights: FloatArray) -> None:
    """Refuse several weights of which some is not a number from 1e-100 to 1e100."""
    if not ((weights >= LEAST_WEIGHT) & (weights <= MOST_WEIGHT)).all():
        raise ParameterError(
            f"{parameter} must be finite numbers above 0 (1e-100 to 1e100). 1.0 for each value is the uniform prior"
        )


# -- zeros


@runtime_checkable
class ZeroPolicy(Protocol):
    """What a zero among the parameters becomes, and what a class becomes that cannot be."""

    def parameters(self, probabilities: FloatArray) -> FloatArray:
        """The parameters to predict with, for those that were estimated."""
        ...

    def impossible(self, log_probabilities: FloatArray, zero: BoolArray) -> FloatArray:
        """Log-probabilities of the classes (rows, K), where ``zero`` marks those that cannot be; some class can."""
        ...


@dataclass(frozen=True)
class KeepZeros:
    """A zero stays a zero: an impossible class has log-probability ``-inf``.

    Examples
    --------
    >>> KeepZeros().parameters(np.array([0.0, 1.0]))
    array([0., 1.])
    """

    def parameters(self, probabilities: FloatArray) -> FloatArray:
        return probabilities

    def impossible(self, log_probabilities: FloatArray, zero: BoolArray) -> FloatArray:
        return log_probabilities


@dataclass(frozen=True)
class Cap:
    """An impossible class has log-probability ``-nats``, so that its log-score is ``-nats`` and not infinite.

    Only exact zeros are replaced: a class that is less likely than that, but possible, stays where it is. The possible
    classes share the rest, ``1 - z exp(-nats)`` for z impossible ones. With 100 nats it is what the published
    log-scores of Kontkanen et al. 1998, Table 1, go back to.

    Parameters
    ----------
    nats
        From 20 to 1e6; below 20 it would take a visible part of the probability.

    Examples
    --------
    >>> Cap()
    Cap(nats=100.0)
    """

    nats: float = 100.0

    # At 20 nats a thousand impossible classes take two millionths of the probability.
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"nats": [Interval(Real, 20, 1e6, closed="both")]}

    def __post_init__(self) -> None:
        check_fields(self)
        object.__setattr__(self, "nats", float(self.nats))

    def parameters(self, probabilities: FloatArray) -> FloatArray:
        return probabilities

    def impossible(self, log_probabilities: FloatArray, zero: BoolArray) -> FloatArray:
        taken = np.count_nonzero(zero, axis=1) * np.exp(-self.nats)
        return np.where(zero, -self.nats, log_probabilities + np.log1p(-taken)[:, np.newaxis])


@dataclass(frozen=True)
class ParamFloor:
    """Every parameter below ``floor`` is raised to it, and the others stay: their sum may exceed 1.

    So no class is impossible. With 1e-4 it comes closest to the published log-scores of Kontkanen et al. 1997, Table 1,
    which do not say how zeros were treated.

    Parameters
    ----------
    floor
        Above 0 and below 1.

    Examples
    --------
    >>> ParamFloor().parameters(np.array([0.0, 1.0]))
    array([1.e-04, 1.e+00])
    """

    floor: float = 1e-4

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"floor": [Interval(Real, 1e-300, 1, closed="left")]}

    def __post_init__(self) -> None:
        check_fields(self)
        object.__setattr__(self, "floor", float(self.floor))

    def parameters(self, probabilities: FloatArray) -> FloatArray:
        return np.maximum(probabilities, self.floor)

    def impossible(self, log_probabilities: FloatArray, zero: BoolArray) -> FloatArray:
        return log_probabilities


ZERO_POLICIES: dict[str, Callable[[], ZeroPolicy]] = {"-inf": KeepZeros, "cap100": Cap, "param_floor": ParamFloor}
"""The policies that have a name."""


def resolve_zero_policy(spec: object) -> ZeroPolicy:
    """The policy itself, or the one that a name stands for.

    Examples
    --------
    >>> resolve_zero_policy("cap100")
    Cap(nats=100.0)
    """
    if isinstance(spec, str) and spec in ZERO_POLICIES:
        return ZERO_POLICIES[spec]()
    if isinstance(spec, ZeroPolicy) and not isinstance(spec, type):
        return spec
    otherwise = "Policies with options are Cap(nats=50) and ParamFloor(floor=1e-3)"
    raise ParameterError(
        f"zero_policy must be a zero policy or one of {', '.join(map(repr, ZERO_POLICIES))}, got {quoted(spec)}. "
        f"{advice(spec, ZERO_POLICIES, otherwise=otherwise)}"
    )


def normalise(joint_log: FloatArray, policy: ZeroPolicy | None = None) -> FloatArray:
    """Log-probabilities of the classes, from the logs of their joint probabilities with a row's values.

    ``joint_k - ln sum_j exp(joint_j)``. Where every class is impossible, nothing is known and each gets ``1 / K``
    (the rule behind Kontkanen et al. 1998, Table 1).

    ``joint_log`` has one row for each query and one column for each class. The policy says what becomes of a class that
    cannot be while another can; None leaves it at ``-inf``.

    Examples
    --------
    >>> np.exp(normalise(np.log([[0.1, 0.3]])))
    array([[0.25, 0.75]])
    >>> np.exp(normalise(np.full((1, 4), -np.inf), Cap()))
    array([[0.25, 0.25, 0.25, 0.25]])
    """
    n, n_classes = joint_log.shape
    top = joint_log.max(axis=1, initial=-np.inf)
    hopeless = np.isneginf(top)
    shifted = joint_log - np.where(hopeless, 0.0, top)[:, np.newaxis]
    masses = np.exp(shifted)
    total = np.zeros(n)
    # Class after class: the same bits for one row as for many.
    for k in range(n_classes):
        total += masses[:, k]
    total[hopeless] = 1.0
    shifted -= np.log(total)[:, np.newaxis]
    zero = np.isneginf(shifted)
    if zero.any() and policy is not None:
        shifted = policy.impossible(shifted, zero)
    shifted[hopeless] = -np.log(n_classes)
    return shifted


# -- tables


@dataclass(frozen=True, eq=False)
class Cells:
    """Counts with the Dirichlet weights beside them; arrays that go together by broadcasting.

    ``count`` rows are in the cell, ``total`` in all cells of the same attribute and class; ``weight`` and ``weights``
    are the Dirichlet weights of the cell and of all ``size`` cells; ``mass`` is the sum of
    ``max(count + weight - 1, 0)`` over all cells, of which the most probable parameters are shares.
    """

    count: FloatArray
    total: FloatArray
    weight: FloatArray
    weights: FloatArray
    size: FloatArray
    mass: FloatArray

    @property
    def peak(self) -> FloatArray:
        """Its part of ``mass``."""
        return np.maximum(self.count + (self.weight - 1.0), 0.0)  # so that with weight 1 counts stay as they are

    def without(self, rows: float | FloatArray) -> Cells:
        """The same with so many rows less in the cell."""
        less = replace(self, count=np.maximum(self.count - rows, 0.0), total=np.maximum(self.total - rows, 0.0))
        return replace(less, mass=np.maximum(self.mass - self.peak + less.peak, 0.0))


def log_shares(cells: Cells, predictive: Predictive, policy: ZeroPolicy) -> FloatArray:
    """The logarithm of each cell's share; for ``"sc"`` the growth of the log-likelihood, of which classes have shares.

    - ``"evidence"``: ``(f + s) / (h + sum s)``, Kontkanen et al. 1998, eq. 9;
    - ``"map"``: ``(f + s - 1) / (h + sum s - n)``, eq. 7, the policy applied to it; ``1 / n`` where nothing is known;
    - ``"sc"``: ``g(f) - g(h)``, the form of Kontkanen et al. 1997, eq. 8, that takes one look-up for each attribute.
    """
    if predictive == "evidence":
        return np.log(evidence_share(cells.count, cells.total, cells.weight, cells.weights))
    if predictive == "sc":
        return growth(cells.count) - growth(cells.total)
    empty = cells.mass <= 0.0
    shares = np.where(empty, 1.0 / np.maximum(cells.size, 1.0), cells.peak / np.where(empty, 1.0, cells.mass))
    with np.errstate(divide="ignore"):
        return np.log(policy.parameters(shares))
