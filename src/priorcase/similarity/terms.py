"""One attribute of a fitted distance: its difference with all statistics filled in.

A term answers ``f = d ** power`` for one query value against a column of cells, and adds itself to the compiled core's
plan. The five forms are those of the core. Both sides compute in the same order, so that they agree to the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Protocol

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.similarity.powers import raised, raised_number

if TYPE_CHECKING:
    from priorcase._core import Plan


@dataclass(frozen=True)
class Gaps:
    """What a missing value costs, as f: ``one`` where one side misses the value, ``both`` where both do.

    ``aha`` asks for the largest possible difference from the present number; ``symbol`` makes "missing" one more value
    of a nominal attribute, with class counts of its own.
    """

    one: float = 1.0
    both: float = 1.0
    aha: bool = False
    symbol: bool = False


class Term(Protocol):
    """A fitted attribute-level difference."""

    @property
    def codes(self) -> int | None:
        """How many codes it knows; None where any will do."""
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
    gaps: Gaps

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(_same(getattr(self, field.name), getattr(other, field.name)) for field in fields(self))

    __hash__ = None  # type: ignore[assignment]  # holds arrays

    @property
    def codes(self) -> int | None:
        return None

    def _around_gaps(self, query: float, column: FloatArray, known: FloatArray) -> FloatArray:
        gap = np.isnan(column)
        if np.isnan(query):
            return np.where(gap, self.gaps.both, self.gaps.one)
        return np.where(gap, self.gaps.one, known)


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
        low, scale = self._reach(query)
        if self.coded and query < 0:
            known = np.ones_like(column)
        else:
            known = raised(self._difference(query, column, scale), self.power)
        if not self.gaps.aha:
            return self._around_gaps(query, column, known)
        gap = np.isnan(column)
        if np.isnan(query):
            return np.where(gap, self.gaps.both, self._farthest(column, low, scale))
        return np.where(gap, self._farthest(np.array([query]), low, scale), known)

    def _reach(self, query: float) -> tuple[float, float]:
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
        gaps = self.gaps
        plan.linear(
            a,
            self.scale,
            low=self.low,
            high=self.high,
            widen=self.widen,
            cap=self.cap,
            aha=gaps.aha,
            f_one=gaps.one,
            f_both=gaps.both,
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
            gap = np.abs(self._profile(c, at, share) - self._profile(c, at_query, share_query))
            total += raised(gap, self.exponent)
        d = self.factor * total
        return self._around_gaps(query, column, raised(np.sqrt(d) if self.root else d, self.power))

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
            f_one=self.gaps.one,
            f_both=self.gaps.both,
        )


@dataclass(frozen=True, eq=False)
class Differ(_Term):
    """``f = 0`` for the same code and 1 for any other."""

    def f(self, query: float, column: FloatArray) -> FloatArray:
        return self._around_gaps(query, column, np.where(column == query, 0.0, 1.0))

    def add_to(self, plan: Plan, a: int) -> None:
        plan.overlap(a, f_differ=1.0, f_one=self.gaps.one, f_both=self.gaps.both, f_unseen=1.0)


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
        gap = np.isnan(column)
        own, factor = self._own(query)
        by_value = self._by_profile(self.profiles, own, factor)
        codes = np.where(gap, 0, column).astype(np.intp)
        if self.missing is not None:
            against_gap = self._by_profile(self.missing[None, :], own, factor)[0]
        else:
            against_gap = self.gaps.both if np.isnan(query) else self.gaps.one
        if own is None and np.isnan(query):
            return np.where(gap, against_gap, self.gaps.one)
        if len(by_value) == 0:
            return np.full(column.shape, against_gap)
        return np.where(gap, against_gap, by_value[codes])

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
            f_one=self.gaps.one,
            f_both=self.gaps.both,
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
        return self._around_gaps(query, column, known)

    def add_to(self, plan: Plan, a: int) -> None:
        plan.table(
            a,
            raised(self.matrix, self.power),
            f_one=self.gaps.one,
            f_both=self.gaps.both,
            f_unseen=raised_number(self.unseen, self.power),
        )


def _ratio(lengths: FloatArray, scale: float) -> FloatArray:
    """``lengths / scale``; infinite, not undefined, where both overflowed."""
    if np.isinf(scale):
        return np.where(np.isinf(lengths), lengths, 0.0)
    result: FloatArray = lengths / scale
    return result


def _same(one: object, other: object) -> bool:
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return isinstance(one, np.ndarray) and isinstance(other, np.ndarray) and np.array_equal(one, other)
    return one == other
