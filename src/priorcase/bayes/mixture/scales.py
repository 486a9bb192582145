"""Standard units of a numeric column: from its own mean, in its own standard deviations."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from priorcase._typing import FloatArray

# Squares of numbers in standard units, and sums of them, must stay within float64.
_FARTHEST = 1e100


@dataclass(frozen=True, slots=True)
class Scale:
    """Standard units: ``z = (x / unit - centre) / spread``.

    Dividing by the largest number first keeps every step within float64, whatever the column holds.

    Parameters
    ----------
    unit
        The largest absolute value of the training rows.
    centre, spread
        Mean and standard deviation of the training rows in that unit.
    grain
        How finely the numbers are recorded, in that unit: half of the rows have no different number nearer than this.

    Examples
    --------
    >>> scale = Scale.of(np.array([10.0, 20.0, np.nan]), np.array([1.0, 1.0, 1.0]))
    >>> scale.standard(np.array([10.0, 15.0, 20.0]))
    array([-1.,  0.,  1.])
    >>> scale.original(np.array([0.0, 1.0]))
    array([15., 20.])
    >>> scale.grain * scale.unit
    10.0
    """

    unit: float
    centre: float
    spread: float
    grain: float

    @classmethod
    def of(cls, column: FloatArray, weights: FloatArray) -> Scale | None:
        """The scale of a column; None where it has not two different numbers, and so says nothing."""
        known = ~np.isnan(column)
        # Different numbers once each: a repeated one then counts exactly like one of that weight.
        values, place = np.unique(column[known], return_inverse=True)
        if values.size < 2:
            return None
        rows: FloatArray = np.bincount(place, weights=weights[known]).astype(np.float64)
        unit = float(np.abs(values).max())
        values = values / unit
        total = rows.sum()
        centre = float((rows * values).sum() / total)
        spread = math.sqrt(float((rows * np.square(values - centre)).sum() / total))
        grain = _grain(values, rows)
        return cls(unit, centre, spread, grain) if spread and grain else None

    @property
    def largest_precision(self) -> float:
        """The inverse variance, in standard units, at which the density of a Gaussian reaches 1 for each grain."""
        return 2.0 * math.pi * (self.spread / self.grain) ** 2

    @property
    def log_width(self) -> float:
        """The log of one standard unit."""
        return math.log(self.unit) + math.log(self.spread)

    def standard(self, values: FloatArray) -> FloatArray:
        """Numbers in standard units; those farther out than 1e100 count as that far."""
        with np.errstate(over="ignore"):
            return np.clip((values / self.unit - self.centre) / self.spread, -_FARTHEST, _FARTHEST)

    def original(self, standard: FloatArray) -> FloatArray:
        """Numbers in the units of the column."""
        values: FloatArray = (standard * self.spread + self.centre) * self.unit
        return values


def _grain(values: FloatArray, rows: FloatArray) -> float:
    """The median over the rows of the distance to the nearest different number; ``values`` ascend."""
    gaps = np.concatenate(([np.inf], np.diff(values), [np.inf]))
    nearest = np.minimum(gaps[:-1], gaps[1:])
    order = np.argsort(nearest, kind="stable")
    below = np.cumsum(rows[order])
    return float(nearest[order[np.searchsorted(below, 0.5 * below[-1])]])
