"""Numeric columns: densities in each class, or bins.

The density of a class is given by four numbers ``c, loc, q, e``: ``ln p(x) = c - e ln(1 + (x - loc)^2 q)`` for
Student's t, and ``ln p(x) = c - (x - loc)^2 q`` with e = 0 for the normal density.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, TypeAlias

import numpy as np
from sklearn.utils._param_validation import Interval

from priorcase._parameters import check_fields
from priorcase._typing import FloatArray, IntArray
from priorcase.bayes.discretise import MDL, Discretiser, EqualFrequency, EqualWidth, KMeansBins, TwoWay
from priorcase.bayes.kernel_density import KernelDensity
from priorcase.bayes.moments import LEAST_VARIANCE, TWO_ROWS, Moments, moments_without_each
from priorcase.bayes.predictive import log_rising
from priorcase.exceptions import ParameterError, advice, quoted

_CELLS_AT_ONCE = 2**17


@dataclass(frozen=True)
class Student:
    """Student's t: the normal distribution averaged over mean and precision under a Normal-Gamma prior.

    Precision ``r ~ Gamma(a0, rate b0)`` and ``mean ~ Normal(m0, 1 / (k0 r))`` with ``k0 = strength``,
    ``a0 = degrees / 2``, ``b0 = degrees / 2 * scale^2``. After n values with mean ``x'`` and squared deviations ``D``:
    ``k = k0 + n``, ``m = (k0 m0 + n x') / k``, ``a = a0 + n / 2``, ``b = b0 + D / 2 + k0 n (x' - m0)^2 / (2 k)``, and
    the next value follows Student's t with ``2 a`` degrees of freedom around ``m`` with squared scale
    ``b (k + 1) / (a k)`` (Bernardo & Smith 1994, appendix A; Murphy 2007, eqs. 85-89 and 110).

    A column without known values, or whose known values are all equal, says nothing: its log-density is 0 everywhere.

    Parameters
    ----------
    strength
        How many values the prior mean counts for, from 1e-9 to 1e9.
    degrees
        How many values the prior variance counts for, from 1e-9 to 1e9.
    mean, scale
        Prior mean and standard deviation, up to 1e100; None takes those of the column over all classes,
        ``sqrt(D / n)`` for the deviation.

    Examples
    --------
    >>> Student()
    Student(strength=1.0, degrees=1.0, mean=None, scale=None)
    """

    strength: float = 1.0
    degrees: float = 1.0
    mean: float | None = None
    scale: float | None = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "strength": [Interval(Real, 1e-9, 1e9, closed="both")],
        "degrees": [Interval(Real, 1e-9, 1e9, closed="both")],
        "mean": [None, Interval(Real, -1e100, 1e100, closed="both")],
        "scale": [None, Interval(Real, 1e-100, 1e100, closed="both")],
    }

    def __post_init__(self) -> None:
        check_fields(self)
        for name in self._parameter_constraints:
            value = getattr(self, name)
            object.__setattr__(self, name, None if value is None else float(value))

    def parameters(self, m: Moments) -> FloatArray:
        """``c, loc, q, e`` of each class, shape (..., classes, 4); all 0 where the column says nothing.

        Examples
        --------
        >>> n, mean, deviation = np.array([2.0, 1.0]), np.array([1.0, 4.0]), np.array([2.0, 0.0])
        >>> Student().parameters(Moments(n, mean, deviation, 3.0, 2.0, 8.0)).round(3)
        array([[-1.432,  1.333,  0.141,  2.   ],
               [-1.666,  3.   ,  0.143,  1.5  ]])
        """
        k, location, a, b = self._posterior(m)
        q = k / (2 * b * (k + 1))
        # Student's constant: G(a + 1/2) / G(a) / sqrt(pi / q).
        c = log_rising(a, np.full_like(a, 0.5)) + 0.5 * np.log(q / math.pi)
        found = np.stack([c, location, q, a + 0.5], axis=-1)
        return np.where(m.says_something()[..., None, None], found, 0.0)

    def log_marginal(self, m: Moments) -> FloatArray:
        """Log of the marginal likelihood of the values of each class, shape (..., classes); 0 where there are none.

        ``G(a) / G(a0) * b0^a0 / b^a * sqrt(k0 / k) * (2 pi)^(-n/2)`` (Murphy 2007, eq. 95).
        """
        k, _, a, b = self._posterior(m)
        a0, b0 = self.degrees / 2, self._rate(m)
        rising = log_rising(np.full_like(a, a0), m.n / 2)
        found = rising - a0 * np.log(b / b0) - 0.5 * m.n * np.log(2 * math.pi * b) + 0.5 * np.log(self.strength / k)
        return np.where(m.says_something()[..., None] & (m.n > 0), found, 0.0)

    def parameters_pooled(self, m: Moments) -> FloatArray:
        """As `parameters`, with all classes taken for one: shape (..., 4)."""
        return self.parameters(m.pooled())[..., 0, :]

    def log_marginal_pooled(self, m: Moments) -> FloatArray:
        """As `log_marginal`, with all classes taken for one: shape (...,)."""
        return np.asarray(self.log_marginal(m.pooled())[..., 0])

    def _posterior(self, m: Moments) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """``k, m, a, b`` of the posterior in each class."""
        m = m.settled()
        mean = np.asarray(m.mean_all if self.mean is None else self.mean, dtype=np.float64)[..., None]
        k = self.strength + m.n
        away = m.mean - mean
        location = mean + m.n / k * away
        a = self.degrees / 2 + m.n / 2
        b = self._rate(m) + 0.5 * (m.deviation + self.strength * (m.n / k) * (away * away))
        return k, location, a, b

    def _rate(self, m: Moments) -> FloatArray:
        """``b0``, shape (..., 1); 1 where the column says nothing."""
        if self.scale is not None:
            return np.full((1,), self.degrees / 2 * self.scale * self.scale)
        n = np.asarray(m.n_all, dtype=np.float64)
        variance = np.where(m.says_something(), m.deviation_all / np.where(n > 0, n, 1.0), 1.0)
        return (self.degrees / 2 * variance)[..., None]


@dataclass(frozen=True)
class Gaussian:
    """The normal density with the mean and the variance of each class.

    ``1 / sqrt(2 pi v) exp(-(x - m)^2 / (2 v))``, ``v = D / (n - 1) + smoothing * V`` with ``D`` the sum of squared
    deviations in the class and ``V`` the variance of the column over all classes, divisor ``n - 1`` too.

    A class whose known values weigh less than two rows has no variance of its own and takes ``V``; so does one whose
    values are all equal (a variance below 1e-280) if ``smoothing`` is 0. A class without known values takes the
    column's mean and ``V``. A column without known values, or whose known values are all equal, says nothing: its
    log-density is 0 everywhere. scikit-learn's ``GaussianNB`` divides by ``n`` instead, and smooths by the largest
    variance of all columns.

    Parameters
    ----------
    smoothing
        Share of the column's variance that every class gets in addition, from 0 to 1. The default keeps a class of
        equal values from being infinitely sure.

    Examples
    --------
    >>> Gaussian()
    Gaussian(smoothing=1e-09)
    """

    smoothing: float = 1e-9

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"smoothing": [Interval(Real, 0, 1, closed="both")]}

    def __post_init__(self) -> None:
        check_fields(self)
        object.__setattr__(self, "smoothing", float(self.smoothing))

    def parameters(self, m: Moments) -> FloatArray:
        """``c, loc, q, 0`` of each class, shape (..., classes, 4); all 0 where the column says nothing.

        Examples
        --------
        >>> n, mean, deviation = np.array([2.0, 1.0]), np.array([1.0, 4.0]), np.array([2.0, 0.0])
        >>> Gaussian().parameters(Moments(n, mean, deviation, 3.0, 2.0, 8.0)).round(3)
        array([[-1.266,  1.   ,  0.25 ,  0.   ],
               [-1.612,  4.   ,  0.125,  0.   ]])
        """
        says = m.says_something()[..., None]
        overall = np.where(says, m.variance_all()[..., None], 1.0)
        enough = m.n >= TWO_ROWS
        own = m.deviation / np.where(enough, m.n - 1, 1.0) + self.smoothing * overall
        variance = np.where(enough & (own >= LEAST_VARIANCE) & says, own, overall)
        location = np.where(m.n > 0, m.mean, np.asarray(m.mean_all)[..., None])
        found = np.stack([-0.5 * np.log(2 * math.pi * variance), location, 0.5 / variance], axis=-1)
        found = np.concatenate([found, np.zeros_like(found[..., :1])], axis=-1)
        return np.where(says[..., None], found, 0.0)


Numeric: TypeAlias = Student | Gaussian | KernelDensity | Discretiser

DENSITIES = (Student, Gaussian, KernelDensity)
PLUG_IN = (Gaussian, KernelDensity)
"""Densities whose parameters are estimated, not averaged over: they have no marginal likelihood."""

NUMERIC: Mapping[str, Callable[[], Numeric]] = {
    "student": Student,
    "gaussian": Gaussian,
    "kernel": KernelDensity,
    "equal_width": EqualWidth,
    "equal_frequency": EqualFrequency,
    "kmeans": KMeansBins,
    "mdl": MDL,
    "two_way": TwoWay,
}
"""The strategies that have a name."""


def resolve_numeric(spec: object, *, parameter: str = "numeric") -> Numeric:
    """The strategy itself, or the one that a name stands for.

    Examples
    --------
    >>> resolve_numeric("kmeans")
    KMeansBins(bins=5)
    """
    if isinstance(spec, str) and spec in NUMERIC:
        return NUMERIC[spec]()
    if isinstance(spec, DENSITIES):
        return spec
    if not isinstance(spec, type) and callable(getattr(spec, "cuts", None)) and hasattr(spec, "needs_classes"):
        return spec  # type: ignore[return-value]  # a discretiser by its methods
    otherwise = "Strategies with options are in priorcase.bayes, such as KMeansBins(bins=3) or CutPoints((18, 65))"
    raise ParameterError(
        f"{parameter} must be a strategy for numeric columns or one of {', '.join(map(repr, NUMERIC))}, got "
        f"{quoted(spec)}. {advice(spec, NUMERIC, otherwise=otherwise)}"
    )


def log_densities(parameters: FloatArray, x: FloatArray) -> FloatArray:
    """Log-density of each number in each class, by the parameters of `Student` or `Gaussian`; 0 where it is missing.

    ``parameters`` has the shape (classes, 4), or (numbers, classes, 4) where each number has its own.

    Examples
    --------
    >>> log_densities(np.array([[-1.0, 2.0, 0.5, 0.0], [-1.0, 2.0, 1.0, 2.0]]), np.array([2.0, 3.0, np.nan]))
    array([[-1.        , -1.        ],
           [-1.5       , -2.38629436],
           [ 0.        ,  0.        ]])
    """
    c, location, q, e = np.moveaxis(parameters, -1, 0)
    with np.errstate(over="ignore", invalid="ignore"):
        away = np.asarray(x, dtype=np.float64)[:, None] - location
        squares = np.where(q > 0, away * away * q, 0.0)  # a density that says nothing does so however far away x is
    far = np.isinf(squares) & (q > 0)
    logs = np.log1p(squares)
    if far.any():
        logs[far] = (2 * np.log(np.abs(away)) + np.log(np.broadcast_to(q, away.shape)))[far]
    found = c - np.where(e > 0, e * logs, squares)
    return np.where(np.isnan(away), 0.0, found)


def loo_log_densities(
    strategy: Student | Gaussian, m: Moments, x: FloatArray, own: IntArray, weights: FloatArray | None = None
) -> FloatArray:
    """Log-density of each row's number in each class, by a fit without this row; 0 where the number is missing.

    Everything is learned without the row: its class's mean and variance, and the overall ones that other classes may
    depend on. ``m`` are the moments of all rows, ``x``, ``own`` and ``weights`` their numbers, classes and weights.

    Examples
    --------
    >>> x, own = np.array([1.0, 2.0, 4.0, 9.0]), np.array([0, 0, 1, 1])
    >>> loo_log_densities(Student(), Moments.of(x, own, 2), x, own).round(3)
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
        found[rows] = log_densities(strategy.parameters(moments_without_each(m, x, own, weights, rows)), x[rows])
    return found
