"""Differences between angles, times of day, times of the year and dates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils._param_validation import Interval

from priorcase._typing import FloatArray
from priorcase.schema.dates import DAY, WEEK, YEAR, seconds_of
from priorcase.schema.kinds import Date, DatePart
from priorcase.similarity.computed import Computed
from priorcase.similarity.differences import Difference, MissingRule, Term
from priorcase.similarity.statistics import Column

_PERIODS: dict[DatePart, float] = {"season": YEAR, "weekday": WEEK, "hour": DAY}


@dataclass(frozen=True, eq=False)
class Periodic(Term):
    """Weighted sum of a linear difference and circular differences.

    The cost is ``f = line_share * (|x - q| / scale) ** power + sum_i shares[i] * (2 r_i / periods[i]) ** power``, where
    r_i is the shorter distance between x and q around a circle with the length ``periods[i]``.
    """

    periods: FloatArray
    shares: FloatArray
    scale: float = 0.0  # 0 means that there is no linear difference
    line_share: float = 0.0

    form: ClassVar[str] = "periodic"


@dataclass(frozen=True)
class CircularDifference(Difference):
    """Shorter distance between two numbers around a circle, divided by half the period; 1 for opposite numbers.

    >>> CircularDifference(360)
    CircularDifference(period=360)
    """

    period: float

    accepts: ClassVar[tuple[str, ...]] = ("numeric",)
    _parameter_constraints: ClassVar[dict[str, Any]] = {"period": [Interval(Real, 0, None, closed="neither")]}

    def fit(self, column: Column, missing: MissingRule, power: float) -> Term:
        return Periodic(*missing[:2], np.array([float(self.period)]), np.ones(1))


@dataclass(frozen=True)
class DateDifference(Difference):
    """Difference of two dates by elapsed time (as a fraction of the stored range), season, weekday and hour.

    All compared parts have equal weights that sum to 1, so that a date has as much influence as any other column.

    Parameters
    ----------
    parts
        Parts of the dates to compare; see `priorcase.Date`.

    Examples
    --------
    >>> DateDifference(("elapsed", "hour"))
    DateDifference(parts=('elapsed', 'hour'))
    """

    parts: Literal["auto"] | tuple[DatePart, ...] = "auto"

    accepts: ClassVar[tuple[str, ...]] = ("date",)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", Date(self.parts).parts)

    def fit(self, column: Column, missing: MissingRule, power: float) -> Term:
        low, high = column.range()
        parts = parts_of(column) if self.parts == "auto" else self.parts
        share, around = 1.0 / len(parts), [_PERIODS[part] for part in parts if part != "elapsed"]
        elapsed = "elapsed" in parts
        return Periodic(
            *missing[:2],
            np.array(around),
            np.full(len(around), share),
            high - low if elapsed else 0.0,
            share if elapsed else 0.0,
        )


@dataclass(frozen=True)
class DatesSoFar(Computed):
    """`DateDifference` for data streams, where elapsed time is divided by the range of the stored dates and the query.

    >>> from datetime import datetime
    >>> noon = [datetime(2024, 5, day, 12) for day in (1, 3)]
    >>> difference = DatesSoFar(("elapsed", "hour"))
    >>> difference.between([datetime(2024, 5, 1)], difference.prepare(noon)).round(2)
    array([[0.72, 1.  ]])
    """

    parts: tuple[DatePart, ...]

    accepts: ClassVar[tuple[str, ...]] = ("date",)

    def prepare(self, values: Sequence[Any]) -> FloatArray:
        return np.array([seconds_of(value) for value in values], np.float64)

    def between(self, queries: Sequence[Any], stored: FloatArray) -> FloatArray:
        asked = self.prepare(queries)[:, None]
        apart, total = np.abs(asked - stored), np.zeros((len(asked), len(stored)))
        for part in self.parts:
            if part == "elapsed":
                scale = np.maximum(asked, stored.max(initial=-np.inf)) - np.minimum(asked, stored.min(initial=np.inf))
                total += np.square(apart / np.where(scale > 0, scale, 1.0))
            else:
                rest = apart % _PERIODS[part]
                total += np.square(2.0 * np.minimum(rest, _PERIODS[part] - rest) / _PERIODS[part])
        return np.asarray(np.sqrt(total / len(self.parts)))


def parts_of(column: Column) -> tuple[DatePart, ...]:
    """Return the parts of dates that ``parts="auto"`` compares in a column; see `priorcase.Date`."""
    low, high = column.range()
    parts: list[DatePart] = ["elapsed"]
    if high - low >= 1.5 * YEAR:
        parts.append("season")
    if high - low >= 2 * WEEK and len(column.remainders(DAY, WEEK)) > 1:
        parts.append("weekday")
    if high - low >= 2 * DAY and column.remainders(1.0, DAY) != {0.0}:
        parts.append("hour")
    return tuple(parts)
