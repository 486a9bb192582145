"""How two values of one attribute differ, without regard to classes.

Each difference ``d(x, q)`` is a frozen value that holds only parameters; `fit` fills in the statistics of a column.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal, NoReturn, Protocol, get_args

import numpy as np

from priorcase.exceptions import DistanceError
from priorcase.schema import Ordinal
from priorcase.similarity.checks import choice, flag, floats_or_none, positive, settle
from priorcase.similarity.statistics import Column
from priorcase.similarity.terms import Differ, Gaps, Linear, Profile, Term

Scaling = Literal["range", "std", "robust", "none"]

_QUARTILES = (0.25, 0.75)

# The smallest normal number: two different numbers lie further apart than this unless both are smaller still.
_ANY_DIFFERENCE = float(np.finfo(np.float64).tiny)


class Difference(Protocol):
    """An attribute-level difference, before it has seen any data."""

    accepts: ClassVar[tuple[str, ...]]
    """Kinds of column it can compare: ``"numeric"``, ``"ordinal"``, ``"nominal"``."""

    needs_classes: ClassVar[bool]
    """Whether it counts classes, and so needs a nominal target."""

    def fit(self, column: Column, gaps: Gaps, power: float) -> Term:
        """The difference with the column's statistics filled in."""
        ...


@dataclass(frozen=True)
class Absolute:
    """Distance on the number line, ``d = |x - q| / (factor scale)``; 0 where the scale is 0.

    A scale is 0 when all stored numbers are equal, or none is known: such a column says nothing about nearness.

    Parameters
    ----------
    scaling
        The scale: ``"range"`` (largest minus smallest stored number), ``"std"`` (population standard deviation),
        ``"robust"`` (distance between two quantiles) or ``"none"`` (1).
    factor
        A further divisor; HVDM takes ``|x - q| / (4 std)`` (Wilson & Martinez 1997, section 3).
    quantiles
        The two quantiles of ``"robust"``, and of no other: the smallest stored numbers with at least that share at or
        below them. The default is the interquartile range.
    cap
        Limit d to 1; with ``"range"`` this matters only for queries outside the stored range.
    widen
        Stretch the range to hold the query's own value, as Weka's IB1 does; only with ``"range"``.

    Examples
    --------
    >>> Absolute("std", factor=4)
    Absolute(scaling='std', factor=4, quantiles=(0.25, 0.75), cap=False, widen=False)
    """

    scaling: Scaling = "range"
    factor: float = 1.0
    quantiles: tuple[float, float] = _QUARTILES
    cap: bool = False
    widen: bool = False

    accepts: ClassVar[tuple[str, ...]] = ("numeric", "ordinal")
    needs_classes: ClassVar[bool] = False

    def __post_init__(self) -> None:
        settle(
            self,
            scaling=choice("Absolute", "scaling", self.scaling, get_args(Scaling)),
            factor=positive("Absolute", "factor", self.factor),
            quantiles=_check_quantiles(self.quantiles),
            cap=flag("Absolute", "cap", self.cap),
            widen=flag("Absolute", "widen", self.widen),
        )
        if self.scaling != "robust" and self.quantiles != _QUARTILES:
            self._refuse("quantiles", "none unless scaling='robust'", "leave them out, or scale by 'robust'.")
        if self.widen and (self.scaling != "range" or self.factor != 1):
            expected = "False unless scaling='range' and factor=1"
            self._refuse("widen", expected, "only a range can be stretched to hold the query.")
        if self.widen and self.cap:
            self._refuse("cap", "False with widen=True", "a range that holds the query has no difference above 1.")

    def fit(self, column: Column, gaps: Gaps, power: float) -> Term:
        ranked = isinstance(column.kind, Ordinal)
        if gaps.aha and not ranked and (self.scaling != "range" or self.factor != 1):
            raise DistanceError.parameter(
                "Distance",
                "missing",
                "aha",
                expected=f"another rule for {column.label}, whose difference is {self!r}",
                hint="Aha's rule asks how far the present value is from the ends of its range: use Absolute('range').",
            )
        low, high = column.range() if self.scaling == "range" else (0.0, 0.0)
        own = Gaps(gaps.one, gaps.both, gaps.aha and not ranked, gaps.symbol)
        return Linear(power, own, self._scale(column), low, high, self.widen, self.cap, ranked)

    def _scale(self, column: Column) -> float:
        scale = float(self.factor) * self._spread(column)
        if not math.isfinite(scale):
            raise DistanceError.too_large(column.label, "scale")
        return scale

    def _spread(self, column: Column) -> float:
        if self.scaling == "none":
            return 1.0
        if self.scaling == "std":
            return column.deviation()
        if self.scaling == "range":
            low, high = column.range()
        else:
            low, high = (column.quantile(q) for q in self.quantiles)
        return high - low

    def _refuse(self, parameter: str, expected: str, hint: str) -> NoReturn:
        raise DistanceError.parameter("Absolute", parameter, getattr(self, parameter), expected=expected, hint=hint)


@dataclass(frozen=True)
class Overlap:
    """``d = 0`` for equal values and 1 for different ones; a value never seen differs from all.

    Numbers are compared for equality too. (Numbers that differ by less than 2.3e-308 count as partly equal.)

    Examples
    --------
    >>> Overlap()
    Overlap()
    """

    accepts: ClassVar[tuple[str, ...]] = ("numeric", "ordinal", "nominal")
    needs_classes: ClassVar[bool] = False

    def fit(self, column: Column, gaps: Gaps, power: float) -> Term:
        if kind_name(column) != "numeric":
            return Differ(power, gaps)
        return Linear(power, Gaps(gaps.one, gaps.both), _ANY_DIFFERENCE, cap=True)


@dataclass(frozen=True)
class Levels:
    """Distance between ordered levels laid out on a line, ``d = |p(x) - p(q)| / (p(highest) - p(lowest))``.

    All declared levels count, whether rows hold them or not, so d does not depend on the data. A level that was not
    declared has d = 1.

    Parameters
    ----------
    positions
        One increasing number for each level, lowest first; None puts them at equal steps.

    Examples
    --------
    >>> Levels((0, 1, 10))
    Levels(positions=(0.0, 1.0, 10.0))
    """

    positions: tuple[float, ...] | None = None

    accepts: ClassVar[tuple[str, ...]] = ("ordinal",)
    needs_classes: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.positions is None:
            return
        positions = floats_or_none(self.positions)
        if positions is None or not _is_layout(positions):
            raise DistanceError.parameter(
                "Levels",
                "positions",
                self.positions,
                expected="increasing finite numbers, one for each level, whose span float64 can hold and divide by",
                hint="leave positions out for equal steps.",
            )
        settle(self, positions=positions)

    def fit(self, column: Column, gaps: Gaps, power: float) -> Term:
        own = Gaps(gaps.one, gaps.both)
        n = len(column.values())
        if self.positions is None or self.positions == tuple(range(n)):
            return Linear(power, own, float(n - 1), coded=True)
        if len(self.positions) != n:
            raise DistanceError.parameter(
                "Levels",
                "positions",
                self.positions,
                expected=f"{n} numbers, one for each level of {column.label}",
                hint="the levels are those of the column's Ordinal.",
            )
        positions = np.array(self.positions)[:, None]
        span = self.positions[-1] - self.positions[0]
        factors = np.full(n, 1.0 / span if span else 0.0)
        return Profile(power, own, positions, factors, exponent=1.0, root=False, f_unseen=1.0)


def kind_name(column: Column) -> str:
    """``"numeric"``, ``"ordinal"`` or ``"nominal"``."""
    return type(column.kind).__name__.lower()


def _check_quantiles(given: object) -> tuple[float, float]:
    quantiles = floats_or_none(given)
    if quantiles is None or len(quantiles) != 2 or not 0 <= quantiles[0] < quantiles[1] <= 1:
        raise DistanceError.parameter(
            "Absolute",
            "quantiles",
            given,
            expected="two increasing numbers between 0 and 1",
            hint="(0.25, 0.75) is the interquartile range.",
        )
    return quantiles[0], quantiles[1]


def _is_layout(positions: tuple[float, ...]) -> bool:
    """Whether positions rise, and differences can be divided by their span."""
    span = positions[-1] - positions[0]
    rising = all(low < high for low, high in pairwise(positions))
    return rising and math.isfinite(span) and (len(positions) == 1 or math.isfinite(1.0 / span))
