"""Intervals around local fits."""

from __future__ import annotations

import numpy as np
from scipy import stats

from priorcase._typing import FloatArray
from priorcase.local.fits import Fits


def deviations(fits: Fits, *, of_target: bool) -> FloatArray:
    """Standard deviation of each prediction: ``sigma sqrt(s's)``, or of a new target there: ``sigma sqrt(1 + s's)``."""
    return np.asarray(fits.sigma() * np.sqrt(fits.variance() + of_target))


def interval(fits: Fits, level: float, *, of_target: bool) -> tuple[FloatArray, FloatArray]:
    """Lower and upper ends: the prediction less and plus Student's quantile times the standard deviation.

    The quantile has the degrees of freedom of the local fit; where none is left the interval is without end.
    """
    free = fits.freedom()
    with np.errstate(over="ignore"):
        quantiles = np.where(free > 0, stats.t.ppf((1 + level) / 2, np.where(free > 0, free, 1.0)), np.inf)
    deviation = deviations(fits, of_target=of_target)
    with np.errstate(invalid="ignore", over="ignore"):
        half = np.where(deviation == 0, 0.0, np.where(np.isfinite(quantiles), quantiles * deviation, np.inf))
    return fits.predictions - half, fits.predictions + half
