"""Numbers by a plug-in: the normal distribution with the mean and the variance that were seen."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from priorcase._parameters import as_python, is_number
from priorcase._typing import FloatArray
from priorcase.bayes.moments import LEAST_VARIANCE, Moments
from priorcase.exceptions import ParameterError
from priorcase.similarity.checks import settle


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
        Share of the column's variance that every class gets in addition, from 0 to 1.

    Examples
    --------
    >>> Gaussian()
    Gaussian(smoothing=1e-09)
    """

    smoothing: float = 1e-9

    def __post_init__(self) -> None:
        if not is_number(self.smoothing) or not 0 <= as_python(self.smoothing) <= 1:
            hint = "1e-9 keeps a class of equal values from being infinitely sure; 0 adds nothing."
            expected = "a number from 0 to 1"
            raise ParameterError.wrong("smoothing", self.smoothing, expected=expected, hint=hint)
        settle(self, smoothing=float(self.smoothing))

    def parameters(self, m: Moments) -> FloatArray:
        """The density of each class: ``c, loc, q, e`` in ``ln p(x) = c - (x - loc)^2 q``, with e = 0.

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
        >>> Gaussian().parameters(Moments(n, mean, deviation, 3.0, 2.0, 8.0)).round(3)
        array([[-1.266,  1.   ,  0.25 ,  0.   ],
               [-1.612,  4.   ,  0.125,  0.   ]])
        """
        says = m.says_something()[..., None]
        overall = np.where(says, m.variance_all()[..., None], 1.0)
        enough = m.n >= 2
        own = m.deviation / np.where(enough, m.n - 1, 1.0) + self.smoothing * overall
        variance = np.where(enough & (own >= LEAST_VARIANCE) & says, own, overall)
        location = np.where(m.n > 0, m.mean, np.asarray(m.mean_all)[..., None])
        found = np.stack([-0.5 * np.log(2 * math.pi * variance), location, 0.5 / variance], axis=-1)
        found = np.concatenate([found, np.zeros_like(found[..., :1])], axis=-1)
        return np.where(says[..., None], found, 0.0)
