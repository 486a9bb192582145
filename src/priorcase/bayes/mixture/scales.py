"""Standard units of a numeric column: from its own mean, in its own standard deviations."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from priorcase.typing import FloatArray

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

    Examples
    --------
    >>> scale = Scale.of(np.array([10.0, 20.0, np.nan]), np.array([1.0, 1.0, 1.0]))
    >>> scale.standard(np.array([10.0, 15.0, 20.0]))
    array([-1.,  0.,  1.])
    >>> scale.original(np.array([0.0, 1.0]))
    array([15., 20.])
    """

    unit: float
    centre: float
    spread: float

    @classmethod
    def of(cls, column: FloatArray, weights: FloatArray) -> Scale | None:
        """The scale of a column; None where it has not two different numbers, and so says nothing."""
        known = ~np.isnan(column)
        values, weight = column[known], weights[known]
        if not values.size or values.min() == values.max():
            return None
        unit = float(np.abs(values).max())
        values = values / unit
        total = weight.sum()
        centre = float((weight * values).sum() / total)
        spread = math.sqrt(float((weight * np.square(values - centre)).sum() / total))
        return cls(unit, centre, spread) if spread else None

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
