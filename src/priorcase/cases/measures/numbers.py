"""Measures of numbers, dates and levels: values as points on a line, compared by their difference."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import accumulate
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from priorcase import _core
from priorcase._typing import FloatArray, IntArray
from priorcase.cases.kinds import Stored, kind_name
from priorcase.cases.measures.base import POSITIVE, Measure
from priorcase.cases.table import CaseColumn, number_of
from priorcase.exceptions import ParameterError, quoted
from priorcase.schema import Circular, Ordinal

# Differences between larger numbers can overflow; differences between quarters of them cannot.
_LARGE = np.finfo(np.float64).max / 4
_SIDES = {"both": 0, "larger": 1, "smaller": 2}
_DAYS = 366
# Days before each month of a leap year, so that a date has the same number in every year.
_BEGINS = [0, *accumulate((31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30))]


@dataclass(frozen=True, eq=False, slots=True)
class NumberLine:
    """The stored values as points on a line, and the conversion of a query's value to a point."""

    points: FloatArray
    """Numbers, days of dates or ranks of levels, multiplied by ``unit``."""
    unit: float
    """1, or 1/4 if differences would overflow."""
    log: bool
    """Whether each number x is replaced with ``sign(x) log(1 + |x|)``, which is defined for all numbers."""
    number: Callable[[Any], float]
    length: float
    """The length given by the user; by default, the range of the stored values, or of all levels of an ordinal."""

    @classmethod
    def of(cls, measure: Measure, column: CaseColumn, length: float | None, *, log: bool = False) -> NumberLine:
        kind = column.kind
        if log and kind is not None and kind_name(kind) != "numeric":
            raise ParameterError(
                f"{quoted(measure)} has log=True, but attribute {column.name!r} is {kind_name(kind)}; only numbers "
                "have a logarithm. Omit log."
            )
        points = _logarithm(column.numbers()) if log else column.numbers()
        unit = 0.25 if len(points) and np.abs(points).max() > _LARGE else 1.0
        points = points * unit if unit != 1.0 else points
        if length is not None:
            length = length * unit or min(length, math.ulp(0.0))
        elif isinstance(kind, Ordinal):
            length = float(len(kind.order) - 1)
        else:
            length = float(np.ptp(points)) if len(points) else 0.0
        return cls(points, unit, log, number_of(kind) or float, length)

    def point(self, query: Stored) -> float:
        """Return the position of a query's value on the line."""
        point = self.number(query)
        return self.unit * (float(_logarithm(np.array([point]))[0]) if self.log else point)

    def differences(self, point: float) -> FloatArray:
        """Return each stored value minus the query's value, as a new array."""
        if -_LARGE <= point <= _LARGE:
            return self.points - point
        with np.errstate(over="ignore"):
            return self.points - point

    def falling(self, point: float, side: Literal["both", "larger", "smaller"] = "both") -> FloatArray:
        """Return ``max(0, 1 - |difference| / length)``; values not on the given side of the query's value get 1.

        If the length is 0, the similarity of a different value on this side is 0.
        """
        return _core.falling(self.points, point, self.length, _SIDES[side])


def _logarithm(numbers: FloatArray) -> FloatArray:
    return np.copysign(np.log1p(np.abs(numbers)), numbers)


def _decayed(differences: FloatArray, scale: float, *, squared: bool) -> FloatArray:
    """Return ``exp(-|difference / scale|)`` or ``exp(-(difference / scale)^2)``; ``differences`` is overwritten."""
    with np.errstate(over="ignore", under="ignore"):
        differences /= scale
        if squared:
            differences *= differences
        else:
            np.abs(differences, out=differences)
        # exp(-700) is about 1e-304; smaller exponentials make no difference but are slow.
        np.minimum(differences, 700.0, out=differences)
        return np.exp(np.negative(differences, out=differences), out=differences)


class _LineMeasure(Measure):
    """Base class of measures that compare points on a line; subclasses can override `_compared`."""

    accepts: tuple[str, ...] = ("numeric", "date", "ordinal")
    _length: ClassVar[str] = "range"
    """Name of the parameter that sets the length of the `NumberLine`, such as ``range`` or ``scale``."""

    def _prepare(self, column: CaseColumn, *_: Any) -> NumberLine:
        return NumberLine.of(self, column, getattr(self, self._length, None), log=getattr(self, "log", False))

    def _compare(self, query: Any, column: CaseColumn, line: NumberLine, /) -> FloatArray:
        return self._compared(line, line.point(query))

    def _compared(self, line: NumberLine, point: float) -> FloatArray:
        return line.falling(point)


@dataclass(frozen=True)
class Linear(_LineMeasure):
    """Similarity that decreases linearly with the difference, ``max(0, 1 - |a - b| / range)``.

    Differences of dates are in days. Without ``range``, the range of the stored values is used, so similarities change
    when a case outside this range is added. If all stored values are equal, the similarity is 1 for that value and 0
    for others. ``log=True`` compares ``sign(x) log(1 + |x|)`` in place of ``x``, and ``range`` refers to the log scale.
    The log scale suits skewed numbers such as prices, where a difference of 1,000 means more at 2,000 than at 200,000.
    Symmetric.

    >>> from priorcase.cases.measures import similarities
    >>> similarities(20, [18, 25, 40], "numeric", Linear(range=10))
    {18: 0.8, 25: 0.5, 40: 0.0}
    """

    range: float | None = None
    log: bool = False

    accepts = ("numeric", "date")
    _parameter_constraints: ClassVar[dict[str, Any]] = {"range": [POSITIVE, None], "log": ["boolean"]}


@dataclass(frozen=True)
class Ranks(_LineMeasure):
    """Similarity of ordinal values by their ranks among all declared levels, ``1 - |rank a - rank b| / (levels - 1)``.

    Symmetric.

    >>> from priorcase.cases.measures import similarities
    >>> from priorcase.schema import Circular, Ordinal
    >>> similarities("S", ["S", "M", "XL"], Ordinal(("S", "M", "L", "XL")))
    {'S': 1.0, 'M': 0.666..., 'XL': 0.0}
    """

    accepts = ("ordinal",)


@dataclass(frozen=True)
class OneSided(_LineMeasure):
    """Similarity 1 for values at least as good as the query's value, otherwise ``max(0, 1 - shortfall / range)``.

    With ``better="less"``, smaller values are better (a price, a weight); with ``"more"``, larger values are better
    (power, memory size). Not symmetric. For ``range`` and ``log`` see `Linear`; the default range of an ordinal
    attribute covers all levels.

    >>> from priorcase.cases.measures import similarities
    >>> similarities(9000, [7000, 10000, 20000], "numeric", OneSided("less", range=5000))
    {7000: 1.0, 10000: 0.8, 20000: 0.0}
    """

    better: Literal["less", "more"]
    range: float | None = None
    log: bool = False

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "better": [StrOptions({"less", "more"})],
        "range": [POSITIVE, None],
        "log": ["boolean"],
    }

    def _compared(self, line: NumberLine, point: float) -> FloatArray:
        return line.falling(point, "larger" if self.better == "less" else "smaller")


@dataclass(frozen=True)
class Threshold(_LineMeasure):
    """Similarity 1 if ``|a - b| <= tolerance``, otherwise 0; dates are compared in days, levels in ranks. Symmetric.

    For ``log`` see `Linear`; with ``log=True``, ``tolerance`` refers to the log scale.

    >>> from priorcase.cases.measures import similarities
    >>> similarities(3, [2.5, 3.6], "numeric", Threshold(0.5))
    {2.5: 1.0, 3.6: 0.0}
    """

    tolerance: float
    log: bool = False

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "tolerance": [Interval(Real, 0, None, closed="left")],
        "log": ["boolean"],
    }
    _length = "tolerance"

    def _compared(self, line: NumberLine, point: float) -> FloatArray:
        differences = line.differences(point)
        return (np.abs(differences, out=differences) <= line.length).astype(np.float64)


@dataclass(frozen=True)
class ExponentialSimilarity(_LineMeasure):
    """Similarity that decreases exponentially with the difference, ``exp(-|a - b| / scale)``. Symmetric.

    At a difference of ``scale``, the similarity is ``1/e``, about 0.37. Differences of dates are in days, and
    differences of ordinal values in levels. For ``log`` see `Linear`; with ``log=True``, ``scale`` refers to the log
    scale.

    >>> from priorcase.cases.measures import similarities
    >>> similarities(0, [0, 100, 200], "numeric", ExponentialSimilarity(scale=100))
    {0: 1.0, 100: 0.367..., 200: 0.135...}
    """

    scale: float
    log: bool = False

    _parameter_constraints: ClassVar[dict[str, Any]] = {"scale": [POSITIVE], "log": ["boolean"]}
    _length = "scale"

    def _compared(self, line: NumberLine, point: float) -> FloatArray:
        return _decayed(line.differences(point), line.length, squared=False)


@dataclass(frozen=True)
class GaussianSimilarity(_LineMeasure):
    """Gaussian similarity, ``exp(-((a - b) / scale)^2)``. Symmetric.

    As in the library's Gaussian kernel (Atkeson, Moore & Schaal 1997), the exponent has no factor 1/2. For ``scale``
    and ``log`` see `ExponentialSimilarity`.

    >>> from priorcase.cases.measures import similarities
    >>> similarities(0, [0, 100, 200], "numeric", GaussianSimilarity(scale=100))
    {0: 1.0, 100: 0.367..., 200: 0.018...}
    """

    scale: float
    log: bool = False

    _parameter_constraints: ClassVar[dict[str, Any]] = {"scale": [POSITIVE], "log": ["boolean"]}
    _length = "scale"

    def _compared(self, line: NumberLine, point: float) -> FloatArray:
        return _decayed(line.differences(point), line.length, squared=True)


@dataclass(frozen=True)
class Recency(_LineMeasure):
    """Similarity of dates that halves every ``half_life`` days, ``2 ** (-days / half_life)``. Symmetric.

    If the query contains today's date, older cases are less similar.

    >>> from priorcase.cases.measures import similarities
    >>> list(similarities("2024-05-01", ["2024-05-01", "2024-04-01"], "date", Recency(half_life=30)).values())
    [1.0, 0.5]
    """

    half_life: float

    accepts = ("date",)
    _parameter_constraints: ClassVar[dict[str, Any]] = {"half_life": [POSITIVE]}
    _length = "half_life"

    def _compared(self, line: NumberLine, point: float) -> FloatArray:
        differences = line.differences(point)
        with np.errstate(over="ignore", under="ignore"):
            np.divide(np.abs(differences, out=differences), -line.length, out=differences)
            return np.exp2(differences, out=differences)


@dataclass(frozen=True)
class CircularSimilarity(Measure):
    """Similarity of circular numbers, ``1 - 2 r / period``, where r is the circular distance of two numbers. Symmetric.

    >>> from priorcase.cases.measures import similarities
    >>> from priorcase.schema import Circular
    >>> similarities(350, [350, 10, 170], Circular(360), CircularSimilarity())
    {350: 1.0, 10: 0.888..., 170: 0.0}
    """

    accepts = ("circular",)

    def _prepare(self, column: CaseColumn, *_: Any) -> tuple[FloatArray, float]:
        assert isinstance(column.kind, Circular)  # the only kind that it accepts
        return column.numbers() % column.kind.period, column.kind.period

    def _compare(self, query: Any, column: CaseColumn, stored: tuple[FloatArray, float], /) -> FloatArray:
        points, period = stored
        apart = np.abs(points - float(query) % period)
        return 1.0 - 2.0 * np.minimum(apart, period - apart) / period


@dataclass(frozen=True)
class Season(Measure):
    """Similarity of dates by time of year, ``1 - d / 183``, where d is their circular distance in days. Symmetric.

    Years are ignored: 31 December and 1 January are one day apart, and 1 May is the same day in every year. Days are
    counted as in a leap year. Times of day are ignored.

    >>> from priorcase.cases.measures import similarities
    >>> list(similarities("2025-01-01", ["2023-12-31", "2024-07-02"], "date", Season()).values())
    [0.994..., 0.0]
    """

    accepts = ("date",)

    def _prepare(self, column: CaseColumn, *_: Any) -> IntArray:
        return _days_of_year(column.values)

    def _compare(self, query: Any, column: CaseColumn, stored: IntArray, /) -> FloatArray:
        apart = np.abs(stored - _days_of_year([query])[0])
        return np.asarray(1.0 - np.minimum(apart, _DAYS - apart) / (_DAYS // 2), dtype=np.float64)


def _days_of_year(dates: Iterable[Stored]) -> IntArray:
    texts = map(str, dates)
    return np.array([_BEGINS[int(text[5:7]) - 1] + int(text[8:10]) for text in texts], dtype=np.int64)
