"""Values of an attribute as points on a line: numbers, days, ranks; plain or logarithmic."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from priorcase._typing import FloatArray, Value
from priorcase.cases.column import CaseColumn
from priorcase.cases.kinds import Date, Stored, days, kind_name
from priorcase.exceptions import ParameterError, quoted
from priorcase.schema import Ordinal
from priorcase.schema.kinds import identity

# Differences of numbers beyond this are infinite; a quarter of them is not.
_LARGE = np.finfo(np.float64).max / 4


@dataclass(frozen=True, eq=False)
class NumberLine:
    """The stored values as points, and how a query's value becomes one.

    Points are numbers, days of dates or ranks of levels, multiplied by ``unit`` (1, or 1/4 where differences would be
    infinite); with ``log`` they are ``sign(x) log(1 + |x|)``, which any number has.
    """

    points: FloatArray
    unit: float
    log: bool
    by_day: bool
    ranks: Mapping[Value, int] | None

    @classmethod
    def of(cls, measure: object, column: CaseColumn, *, log: bool = False) -> NumberLine:
        """The line of a column."""
        kind = column.kind
        if log and kind is not None and kind_name(kind) != "numeric":
            raise ParameterError(
                f"{quoted(measure)} has log=True, and attribute {column.name!r} is {kind_name(kind)}; only numbers "
                "have a logarithm. Leave log out."
            )
        points = column.numbers()
        if log:
            points = _logarithm(points)
        unit = 0.25 if len(points) and np.abs(points).max() > _LARGE else 1.0
        ranks = _ranks(kind.order) if isinstance(kind, Ordinal) else None
        return cls(points * unit if unit != 1.0 else points, unit, log, isinstance(kind, Date), ranks)

    def point(self, query: Stored) -> float:
        """A query's value as a point."""
        if self.by_day:
            return days(str(query))
        if self.ranks is not None:
            return float(self.ranks[identity(query)])
        number = float(query)  # type: ignore[arg-type]
        return (float(_logarithm(np.array([number]))[0]) if self.log else number) * self.unit

    def gaps(self, query: Stored) -> FloatArray:
        """How far each stored value lies from the query's, as a new array: positive ones lie above."""
        point = self.point(query)
        if -_LARGE <= point <= _LARGE:
            return self.points - point
        with np.errstate(over="ignore"):
            return self.points - point

    def length(self, given: float | None) -> float:
        """A length on the line: the given one, or else how far the stored values lie apart (levels: all there are)."""
        if given is not None:
            return given * self.unit or min(given, math.ulp(0.0))
        if self.ranks is not None:
            return float(len(self.ranks) - 1)
        return float(self.points.max() - self.points.min()) if len(self.points) else 0.0


def _ranks(order: Iterable[Value]) -> dict[Value, int]:
    return {identity(level): rank for rank, level in enumerate(order)}


def _logarithm(numbers: FloatArray) -> FloatArray:
    return np.copysign(np.log1p(np.abs(numbers)), numbers)


def falling(gaps: FloatArray, length: float) -> FloatArray:
    """``max(0, 1 - gap / length)``, in place; with a length of 0, 1 where there is no gap."""
    if length == 0.0:
        return np.asarray(gaps == 0.0, dtype=np.float64)
    if length >= 1.0:
        gaps /= length
    else:
        with np.errstate(over="ignore"):
            gaps /= length
    np.subtract(1.0, gaps, out=gaps)
    return np.maximum(gaps, 0.0, out=gaps)


@dataclass(frozen=True, eq=False)
class Falling:
    """Similarities that fall evenly with the difference, whichever of the two is larger."""

    line: NumberLine
    length: float

    def similarities(self, query: Stored) -> FloatArray:
        gaps = self.line.gaps(query)
        return falling(np.abs(gaps, out=gaps), self.length)
