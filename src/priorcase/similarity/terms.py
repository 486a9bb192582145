"""One attribute of a fitted distance: its difference with all statistics filled in.

A term computes ``f = d ** power`` for one query value against a column of cells. The five forms are those of the
compiled core, and their fields the arguments of its plan. Both compute in the same order and agree to the last bit.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import ClassVar, NamedTuple

import numpy as np

from priorcase._core import Plan
from priorcase._typing import FloatArray


def raised(base: FloatArray, exponent: float) -> FloatArray:
    """``base ** exponent`` for numbers that are not negative, with the same bits as in the compiled core.

    Whole exponents up to 8 are repeated multiplications from the left; all others are the C library's ``pow``. NumPy's
    own power is not used: its vector versions differ from the C library in the last bit.
    """
    if exponent == 1:
        return base
    if 1 < exponent <= 8 and exponent == int(exponent):
        with np.errstate(over="ignore", under="ignore"):
            result = base * base
            for _ in range(int(exponent) - 2):
                result = result * base
        return result
    flat = (_pow(value, exponent) for value in base.ravel().tolist())
    return np.fromiter(flat, dtype=np.float64, count=base.size).reshape(base.shape)


def raised_number(base: float, exponent: float) -> float:
    """``base ** exponent`` of one number, by the same rules as `raised`."""
    return float(raised(np.array([base], np.float64), exponent)[0])


def rooted(costs: FloatArray, power: float) -> FloatArray:
    """``costs ** (1 / power)``; the correctly rounded square root for power 2."""
    return np.sqrt(costs) if power == 2 else raised(costs, 1.0 / power)


def _pow(base: float, exponent: float) -> float:
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return math.inf


class MissingRule(NamedTuple):
    """The cost f of a missing value: ``one`` where it is missing on one side, ``both`` where it is on both.

    ``aha`` asks for the largest possible difference from the present number; ``symbol`` makes "missing" one more value
    of a nominal attribute, with class counts of its own.
    """

    one: float = 1.0
    both: float = 1.0
    aha: bool = False
    symbol: bool = False


@dataclass(frozen=True, eq=False)
class Term(ABC):
    """A fitted attribute-level difference; ``f_one`` and ``f_both`` are the costs of missing values."""

    power: float
    f_one: float
    f_both: float

    form: ClassVar[str]

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(np.array_equal(getattr(self, field.name), getattr(other, field.name)) for field in fields(self))

    __hash__ = None  # type: ignore[assignment]  # holds arrays

    @property
    def codes(self) -> int | None:
        """The number of codes it knows; None where any will do."""
        return None

    @abstractmethod
    def f(self, query: float, column: FloatArray) -> FloatArray:
        """``d ** power`` between the query's cell and each cell of the column; infinite where it overflows."""

    def add_to(self, plan: Plan, a: int) -> None:
        """Set attribute ``a`` of the plan to this term."""
        arguments = {name: value for name, value in vars(self).items() if name not in ("power", "coded")}
        getattr(plan, self.form)(a, **arguments)

    def _with_missing(self, query: float, column: FloatArray, known: FloatArray) -> FloatArray:
        missing = np.isnan(column)
        if np.isnan(query):
            return np.where(missing, self.f_both, self.f_one)
        return np.where(missing, self.f_one, known)


@dataclass(frozen=True, eq=False)
class Linear(Term):
    """``d = |x - q| / scale``; 0 where the scale is 0.

    ``widen`` stretches the range [low, high] to hold the query and takes it as the scale; ``cap`` limits d to 1;
    ``coded`` says that the cells are ranks, of which -1 stands for a level never declared (f = 1); ``aha`` as in
    `MissingRule`.
    """

    scale: float
    low: float = 0.0
    high: float = 0.0
    widen: bool = False
    cap: bool = False
    coded: bool = False
    aha: bool = False

    form: ClassVar[str] = "linear"

    def f(self, query: float, column: FloatArray) -> FloatArray:
        low, scale = self.low, self.scale
        if self.widen:
            low, high = (low, self.high) if np.isnan(query) else (min(low, query), max(self.high, query))
            scale = high - low
        if self.coded and query < 0:
            known = np.ones_like(column)
        else:
            d = _ratio(np.abs(column - query), scale)
            known = raised(np.where(d > 1.0, 1.0, d) if self.cap else d, self.power)
        if not self.aha:
            return self._with_missing(query, column, known)
        missing = np.isnan(column)
        position = _ratio((column if np.isnan(query) else np.array([query])) - low, scale)
        farthest = raised(np.maximum(position, 1.0 - position), self.power)
        if np.isnan(query):
            return np.where(missing, self.f_both, farthest)
        return np.where(missing, farthest, known)


@dataclass(frozen=True, eq=False)
class Differ(Term):
    """``f = 0`` for the same code and 1 for any other."""

    form: ClassVar[str] = "overlap"

    def f(self, query: float, column: FloatArray) -> FloatArray:
        return self._with_missing(query, column, np.where(column == query, 0.0, 1.0))


@dataclass(frozen=True, eq=False)
class Curve(Term):
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

    form: ClassVar[str] = "curve"

    def f(self, query: float, column: FloatArray) -> FloatArray:
        apart = self._profiles(column) - self._profiles(np.array([query]))
        known = _profile_cost(apart, self.exponent, self.factor, self.root, self.power)
        return self._with_missing(query, column, known)

    def _profiles(self, x: FloatArray) -> FloatArray:
        """The profile of each number, shape (numbers, classes)."""
        breaks, last = self.breaks, len(self.breaks) - 1
        above = np.searchsorted(breaks, x, side="right")
        at, fraction = np.clip(above - 1, 0, last), np.zeros_like(x)
        if not self.step:
            inside = (above > 0) & (at < last) & ~np.isnan(x)
            i = at[inside]
            fraction[inside] = (x[inside] - breaks[i]) / (breaks[i + 1] - breaks[i])
        rise = np.diff(self.profiles, axis=0, append=self.profiles[-1:])
        result: FloatArray = self.profiles[at] + fraction[:, None] * rise[at]
        return result


@dataclass(frozen=True, eq=False)
class Profile(Term):
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

    form: ClassVar[str] = "profile"

    @property
    def codes(self) -> int:
        return len(self.profiles)

    def f(self, query: float, column: FloatArray) -> FloatArray:
        if np.isnan(query):
            own, factor = self.missing, self.missing_factor
        elif query < 0:
            own, factor = self.unseen, self.unseen_factor
        else:
            own, factor = self.profiles[int(query)], float(self.factors[int(query)])
        missing = np.isnan(column)
        against_missing = self.f_both if np.isnan(query) else self.f_one
        if self.missing is not None:
            against_missing = float(self._costs(self.missing[None, :], own, factor)[0])
        if own is None and np.isnan(query):
            return np.where(missing, against_missing, self.f_one)
        if self.codes == 0:
            return np.full(column.shape, against_missing)
        by_code = self._costs(self.profiles, own, factor)
        return np.where(missing, against_missing, by_code[np.where(missing, 0, column).astype(np.intp)])

    def _costs(self, profiles: FloatArray, own: FloatArray | None, factor: float) -> FloatArray:
        if own is None:
            return np.full(len(profiles), self.f_unseen)
        return _profile_cost(profiles - own, self.exponent, factor, self.root, self.power)


@dataclass(frozen=True, eq=False)
class Lookup(Term):
    """``f`` looked up in a square table, the query's code first."""

    matrix: FloatArray
    f_unseen: float

    form: ClassVar[str] = "table"

    @property
    def codes(self) -> int:
        return len(self.matrix)

    def f(self, query: float, column: FloatArray) -> FloatArray:
        known = np.full(column.shape, self.f_unseen)
        if query >= 0 and len(self.matrix):
            known = self.matrix[int(query)][np.where(np.isnan(column), 0, column).astype(np.intp)]
        return self._with_missing(query, column, known)


def _profile_cost(apart: FloatArray, exponent: float, factor: float, root: bool, power: float) -> FloatArray:
    """``d ** power`` from the differences of profiles, shape (rows, classes); classes are added in their order."""
    total = np.zeros(len(apart))
    for c in range(apart.shape[1]):
        total += raised(np.abs(apart[:, c]), exponent)
    d = factor * total
    return raised(np.sqrt(d) if root else d, power)


def _ratio(lengths: FloatArray, scale: float) -> FloatArray:
    """``lengths / scale``; 0 where the scale is 0, and infinite, not undefined, where both overflowed."""
    if scale == 0.0:
        return np.zeros_like(lengths)
    if np.isinf(scale):
        return np.where(np.isinf(lengths), lengths, 0.0)
    result: FloatArray = lengths / scale
    return result
