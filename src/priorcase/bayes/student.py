"""Numbers by the evidence: a normal distribution averaged over its unknown mean and variance."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from priorcase._parameters import as_python, is_number
from priorcase._typing import FloatArray
from priorcase.bayes.gamma import log_rising
from priorcase.bayes.moments import Moments
from priorcase.exceptions import ParameterError
from priorcase.similarity.checks import settle

_LEAST_WEIGHT, _MOST_WEIGHT = 1e-9, 1e9
_LEAST_SCALE, _MOST_SCALE = 1e-100, 1e100


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
        How many values the prior mean counts for.
    degrees
        How many values the prior variance counts for.
    mean, scale
        Prior mean and standard deviation; None takes those of the column over all classes, ``sqrt(D / n)`` for the
        deviation.

    Examples
    --------
    >>> Student()
    Student(strength=1.0, degrees=1.0, mean=None, scale=None)
    """

    strength: float = 1.0
    degrees: float = 1.0
    mean: float | None = None
    scale: float | None = None

    def __post_init__(self) -> None:
        for name in ("strength", "degrees"):
            hint = "1.0 lets the prior count as one value."
            settle(self, **{name: _within(name, getattr(self, name), _LEAST_WEIGHT, _MOST_WEIGHT, hint)})
        if self.mean is not None:
            settle(self, mean=_within("mean", self.mean, -_MOST_SCALE, _MOST_SCALE, "None takes the column's mean."))
        if self.scale is not None:
            hint = "None takes the column's standard deviation."
            settle(self, scale=_within("scale", self.scale, _LEAST_SCALE, _MOST_SCALE, hint))

    def parameters(self, m: Moments) -> FloatArray:
        """The predictive density of each class: ``c, loc, q, e`` in ``ln p(x) = c - e ln(1 + (x - loc)^2 q)``.

        Parameters
        ----------
        m
            What is known of the column.

        Returns
        -------
        Shape (..., classes, 4); all 0 where the column says nothing.

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


def _within(parameter: str, value: object, least: float, most: float, hint: str) -> float:
    if is_number(value) and least <= (number := as_python(value)) <= most:
        return float(number)
    expected = f"a number from {least:g} to {most:g}"
    raise ParameterError.wrong(parameter, value, expected=expected, hint=hint)
