"""How far a numeric proposal may be off."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from scipy import stats

from priorcase._parameters import is_number
from priorcase.exceptions import ParameterError, quoted


@dataclass(frozen=True)
class Spread:
    """The uncertainty of a number that several cases' numbers were made into.

    Parameters
    ----------
    deviation
        Standard deviation of the cases' numbers around the fit, ``sigma``.
    standard_error
        Standard deviation of the proposed number itself.
    interval
        The lower and upper end of an interval for a new case's number.
    level
        How often such an interval holds it, if the cases scatter like a normal distribution.
    effective
        The effective number of cases, ``(sum w)^2 / sum w^2``.
    """

    deviation: float
    standard_error: float
    interval: tuple[float, float]
    level: float
    effective: float

    @classmethod
    def around(
        cls, value: float, deviation: float, variance: float, freedom: float, *, level: float, n: float
    ) -> Spread:
        """The spread of a prediction with variance ``s's`` in units of ``sigma^2``: ``f +- t sigma sqrt(1 + s's)``.

        Parameters
        ----------
        value
            The prediction ``f``.
        deviation
            ``sigma``.
        variance
            ``s's``.
        freedom
            Degrees of freedom of Student's t.
        level
            Of the interval.
        n
            The effective number of cases.
        """
        half = float(stats.t.ppf((1 + level) / 2, freedom)) * deviation * math.sqrt(1 + variance) if deviation else 0.0
        return cls(deviation, deviation * math.sqrt(variance), (value - half, value + half), level, n)

    def times(self, unit: float) -> Spread:
        """The same in other units."""
        low, high = self.interval
        return replace(
            self,
            deviation=self.deviation * unit,
            standard_error=self.standard_error * unit,
            interval=(low * unit, high * unit),
        )

    def __str__(self) -> str:
        low, high = self.interval
        inside = f"{100 * self.level:g} % interval {low:.6g} to {high:.6g}"
        return f"{inside}, deviation {self.deviation:.4g}, {self.effective:.3g} effective cases"


def check_level(value: object) -> None:
    """Refuse what is no level of an interval."""
    if not is_number(value) or not 0 < value < 1:
        raise ParameterError(f"level must be a number between 0 and 1, got {quoted(value)}. 0.95 is usual.")
