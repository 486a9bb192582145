"""One attribute of a fitted distance: its difference with all statistics filled in.

A term computes ``f = d ** power`` for one query value against a column of cells, and adds itself to the compiled core's
plan. The five forms are those of the core. Both sides compute in the same order, so that they agree to the last bit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Protocol

import numpy as np

from priorcase._typing import FloatArray, IntArray

if TYPE_CHECKING:
    from priorcase._core import Plan

_REPEATED_UP_TO = 8


def raised(base: FloatArray, exponent: float) -> FloatArray:
    """``base ** exponent`` for numbers that are not negative, with the same bits as in the compiled core.

    Whole exponents up to 8 are repeated multiplications from the left; all others are the C library's ``pow``. NumPy's
    own power is not used: its vector versions differ from the C library in the last bit.

    Examples
    --------
    >>> raised(np.array([0.0, 0.5, 3.0]), 3)
    array([ 0.   ,  0.125, 27.   ])
    """
    if exponent == 1:
        return base
    if 1 < exponent <= _REPEATED_UP_TO and exponent == int(exponent):
        with np.errstate(over="ignore", under="ignore"):
            result = base * base
            for _ in range(int(exponent) - 2):
                result = result * base
        return result
    flat = (_pow(value, exponent) for value in base.ravel().tolist())
    return np.fromiter(flat, dtype=np.float64, count=base.size).reshape(base.shape)


def raised_number(base: float, exponent: float) -> float:
    """``base ** exponent`` of one number, by the same rules as `raised`."""
    return float(raised(np.array([base], dtype=np.float64), exponent)[0])


def rooted(costs: FloatArray, power: float) -> FloatArray:
    """``costs ** (1 / power)``; the correctly rounded square root for power 2.

    Examples
    --------
    >>> rooted(np.array([9.0, 25.0]), 2)
    array([3., 5.])
    """
    return np.sqrt(costs) if power == 2 else raised(costs, 1.0 / power)


def settled(costs: FloatArray, power: float) -> FloatArray:
    """One cost for all costs with the same root, so that rows at equal distances have equal costs.

    It is the power of the distance, which for squares always has that root, or else the smallest cost that has it.

    Examples
    --------
    >>> costs = np.array([2.0, np.nextafter(2.0, 3.0)])
    >>> np.ptp(rooted(costs, 2)), np.ptp(settled(costs, 2))
    (np.float64(0.0), np.float64(0.0))
    """
    if power == 1:
        return costs
    distances = rooted(costs, power)
    again = raised(distances, power)
    if power != 2:
        for i in np.flatnonzero(rooted(again, power) != distances):
            again[i] = _smallest(float(costs[i]), float(distances[i]), 1.0 / power)
    return again


def _smallest(cost: float, distance: float, exponent: float) -> float:
    """The smallest cost with this root; doubles that are not negative are ordered as their bits are."""

    def has_root(bits: int) -> bool:
        return _pow(float(np.int64(bits).view(np.float64)), exponent) == distance

    high = low = int(np.float64(cost).view(np.int64))
    step = 1
    while low > 0 and has_root(low):
        high, low, step = low, max(low - step, 0), 2 * step
    while high - low > 1:
        middle = low + (high - low) // 2
        low, high = (low, middle) if has_root(middle) else (middle, high)
    return float(np.int64(high).view(np.float64))


def _pow(base: float, exponent: float) -> float:
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return math.inf


@dataclass(frozen=True)
class MissingRule:
    """The cost f of a missing value: ``one`` where it is missing on one side, ``both`` where it is on both.

    ``aha`` asks for the largest possible difference from the present number; ``symbol`` makes "missing" one more value
    of a nominal attribute, with class counts of its own.
    """

    one: float = 1.0
    both: float = 1.0
    aha: bool = False
    symbol: bool = False

    def plain(self) -> MissingRule:
        """The costs alone, without what differences may make of them."""
        return MissingRule(self.one, self.both)


class Term(Protocol):
    """A fitted attribute-level difference."""

    @property
    def codes(self) -> int | None:
        """The number of codes it knows; None where any will do."""
        ...

    def f(self, query: float, column: FloatArray) -> FloatArray:
        """``d ** power`` between the query's cell and each cell of the column; infinite where it overflows."""
        ...

    def add_to(self, plan: Plan, a: int) -> None:
        """Set attribute ``a`` of the plan to this term."""
        ...


@dataclass(frozen=True, eq=False)
class _Term:
    power: float
    rule: MissingRule

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(np.array_equal(getattr(self, field.name), getattr(other, field.name)) for field in fields(self))

    __hash__ = None  # type: ignore[assignment]  # holds arrays

    @property
    def codes(self) -> int | None:
        return None

    def _with_missing(self, query: float, column: FloatArray, known: FloatArray) -> FloatArray:
        missing = np.isnan(column)
        if np.isnan(query):
            return np.where(missing, self.rule.both, self.rule.one)
        return np.where(missing, self.rule.one, known)


@dataclass(frozen=True, eq=False)
class Linear(_Term):
    """``d = |x - q| / scale``; 0 where the scale is 0.

    ``widen`` stretches the range [low, high] to hold the query and takes it as the scale; ``cap`` limits d to 1;
    ``coded`` says that the cells are ranks, of which -1 stands for a level never declared (f = 1).
    """

    scale: float
    low: float = 0.0
    high: float = 0.0
    widen: bool = False
    cap: bool = False
    coded: bool = False

    def f(self, query: float, column: FloatArray) -> FloatArray:
        low, scale = self._range(query)
        if self.coded and query < 0:
            known = np.ones_like(column)
        else:
            known = raised(self._difference(query, column, scale), self.power)
        if not self.rule.aha:
            return self._with_missing(query, column, known)
        missing = np.isnan(column)
        if np.isnan(query):
            return np.where(missing, self.rule.both, self._farthest(column, low, scale))
        return np.where(missing, self._farthest(np.array([query]), low, scale), known)

    def _range(self, query: float) -> tuple[float, float]:
        """The low end of the range and the scale."""
        if not self.widen:
            return self.low, self.scale
        if np.isnan(query):
            return self.low, self.high - self.low
        low = min(self.low, query)
        return low, max(self.high, query) - low

    def _difference(self, query: float, column: FloatArray, scale: float) -> FloatArray:
        if scale == 0.0:
            return np.zeros_like(column)
        d = _ratio(np.abs(column - query), scale)
        return np.where(d > 1.0, 1.0, d) if self.cap else d

    def _farthest(self, present: FloatArray, low: float, scale: float) -> FloatArray:
        v = np.zeros_like(present) if scale == 0.0 else _ratio(present - low, scale)
        return raised(np.maximum(v, 1.0 - v), self.power)

    def add_to(self, plan: Plan, a: int) -> None:
        plan.linear(
            a,
            self.scale,
            low=self.low,
            high=self.high,
            widen=self.widen,
            cap=self.cap,
            aha=self.rule.aha,
            f_one=self.rule.one,
            f_both=self.rule.both,
            f_unseen=1.0,
        )


@dataclass(frozen=True, eq=False)
class Curve(_Term):
    """``d`` between class profiles read off a curve over the number line.

    With ``step`` the profile is that of the interval; otherwise it is interpolated between the breaks and constant
    outside them. ``s = sum_c |p_c(x) - p_c(q)| ** exponent``; ``d = factor s``, or its square root with ``root``.
    """

    breaks: FloatArray
    profiles: FloatArray
    step: bool
    exponent: float
    factor: float
    root: bool

    def f(self, query: float, column: FloatArray) -> FloatArray:
        at, share = self._place(column)
        at_query, share_query = self._place(np.array([query]))
        total = np.zeros_like(column)
        for c in range(self.profiles.shape[1]):
            apart = np.abs(self._profile(c, at, share) - self._profile(c, at_query, share_query))
            total += raised(apart, self.exponent)
        d = self.factor * total
        return self._with_missing(query, column, raised(np.sqrt(d) if self.root else d, self.power))

    def _place(self, x: FloatArray) -> tuple[IntArray, FloatArray]:
        last = len(self.breaks) - 1
        above = np.searchsorted(self.breaks, x, side="right")
        at = np.clip(above - 1, 0, last)
        inside = (above > 0) & (at < last) & ~np.isnan(x) if not self.step else np.zeros(x.shape, dtype=bool)
        share = np.zeros_like(x)
        i = at[inside]
        share[inside] = (x[inside] - self.breaks[i]) / (self.breaks[i + 1] - self.breaks[i])
        return at, share

    def _profile(self, c: int, at: IntArray, share: FloatArray) -> FloatArray:
        curve = self.profiles[:, c]
        rise = np.append(np.diff(curve), 0.0)
        result: FloatArray = curve[at] + share * rise[at]
        return result

    def add_to(self, plan: Plan, a: int) -> None:
        plan.curve(
            a,
            self.breaks,
            self.profiles,
            step=self.step,
            exponent=self.exponent,
            factor=self.factor,
            root=self.root,
            f_one=self.rule.one,
            f_both=self.rule.both,
        )


@dataclass(frozen=True, eq=False)
class Differ(_Term):
    """``f = 0`` for the same code and 1 for any other."""

    def f(self, query: float, column: FloatArray) -> FloatArray:
        return self._with_missing(query, column, np.where(column == query, 0.0, 1.0))

    def add_to(self, plan: Plan, a: int) -> None:
        plan.overlap(a, f_differ=1.0, f_one=self.rule.one, f_both=self.rule.both, f_unseen=1.0)


@dataclass(frozen=True, eq=False)
class Profile(_Term):
    """``d`` between the class profiles of two codes.

    ``s = sum_c |P[v, c] - P[u, c]| ** exponent`` for the query's code v and the row's code u; ``d = factors[v] s``, or
    its square root with ``root``. ``unseen`` is the profile of a query value without any row; where it is None such a
    query costs ``f_unseen``. ``missing``, where given, is the profile of "missing" as one more value.
    """

    profiles: FloatArray
    factors: FloatArray
    exponent: float
    root: bool
    f_unseen: float
    unseen: FloatArray | None = None
    unseen_factor: float = 1.0
    missing: FloatArray | None = None
    missing_factor: float = 1.0

    @property
    def codes(self) -> int:
        return len(self.profiles)

    def f(self, query: float, column: FloatArray) -> FloatArray:
        missing = np.isnan(column)
        own, factor = self._own(query)
        by_value = self._by_profile(self.profiles, own, factor)
        if self.missing is not None:
            against_missing = self._by_profile(self.missing[None, :], own, factor)[0]
        else:
            against_missing = self.rule.both if np.isnan(query) else self.rule.one
        if own is None and np.isnan(query):
            return np.where(missing, against_missing, self.rule.one)
        if len(by_value) == 0:
            return np.full(column.shape, against_missing)
        return np.where(missing, against_missing, by_value[np.where(missing, 0, column).astype(np.intp)])

    def _own(self, query: float) -> tuple[FloatArray | None, float]:
        if np.isnan(query):
            return self.missing, self.missing_factor
        if query < 0:
            return self.unseen, self.unseen_factor
        return self.profiles[int(query)], float(self.factors[int(query)])

    def _by_profile(self, profiles: FloatArray, own: FloatArray | None, factor: float) -> FloatArray:
        total = np.zeros(len(profiles))
        if own is None:
            return np.full_like(total, self.f_unseen)
        for c in range(profiles.shape[1]):
            total += raised(np.abs(own[c] - profiles[:, c]), self.exponent)
        d = factor * total
        return raised(np.sqrt(d) if self.root else d, self.power)

    def add_to(self, plan: Plan, a: int) -> None:
        plan.profile(
            a,
            self.profiles,
            self.factors,
            self.unseen,
            self.unseen_factor,
            self.f_unseen,
            exponent=self.exponent,
            root=self.root,
            f_one=self.rule.one,
            f_both=self.rule.both,
            missing=self.missing,
            missing_factor=self.missing_factor,
        )


@dataclass(frozen=True, eq=False)
class Lookup(_Term):
    """``d`` looked up in a square table, the query's code first."""

    matrix: FloatArray
    unseen: float

    @property
    def codes(self) -> int:
        return len(self.matrix)

    def f(self, query: float, column: FloatArray) -> FloatArray:
        known = np.full(column.shape, raised_number(self.unseen, self.power))
        if query >= 0 and len(self.matrix):
            codes = np.where(np.isnan(column), 0, column).astype(np.intp)
            known = raised(self.matrix[int(query)], self.power)[codes]
        return self._with_missing(query, column, known)

    def add_to(self, plan: Plan, a: int) -> None:
        plan.table(
            a,
            raised(self.matrix, self.power),
            f_one=self.rule.one,
            f_both=self.rule.both,
            f_unseen=raised_number(self.unseen, self.power),
        )


def _ratio(lengths: FloatArray, scale: float) -> FloatArray:
    """``lengths / scale``; infinite, not undefined, where both overflowed."""
    if np.isinf(scale):
        return np.where(np.isinf(lengths), lengths, 0.0)
    result: FloatArray = lengths / scale
    return result
