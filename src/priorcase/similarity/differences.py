"""How two values of one attribute differ, without regard to classes.

Each difference ``d(x, q)`` is a frozen value that holds only parameters; `fit` fills in the statistics of a column.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Real
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from priorcase._parameters import check_fields, floats_or_none, settle
from priorcase._typing import FloatArray
from priorcase.exceptions import ParameterError, listed, quoted
from priorcase.schema import Ordinal
from priorcase.schema.kinds import identity, is_missing, plain
from priorcase.similarity.statistics import Column
from priorcase.similarity.terms import Differ, Linear, Lookup, MissingRule, Profile, Term

Scaling = Literal["range", "std", "robust", "none"]

_QUARTILES = (0.25, 0.75)

# The smallest normal number: two different numbers lie further apart than this unless both are smaller still.
_ANY_DIFFERENCE = float(np.finfo(np.float64).tiny)


class Difference:
    """An attribute-level difference, before it has seen any data."""

    accepts: ClassVar[tuple[str, ...]]
    """Kinds of column it can compare: ``"numeric"``, ``"ordinal"``, ``"nominal"``."""

    needs_classes: ClassVar[bool] = False
    """Whether it counts classes, and so needs a nominal target."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {}

    def __post_init__(self) -> None:
        check_fields(self)

    def fit(self, column: Column, missing: MissingRule, power: float) -> Term:
        """The difference with the column's statistics filled in."""
        raise NotImplementedError


@dataclass(frozen=True)
class Absolute(Difference):
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
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "scaling": [StrOptions(set(get_args(Scaling)))],
        "factor": [Interval(Real, 0, None, closed="neither")],
        "cap": ["boolean"],
        "widen": ["boolean"],
    }

    def __post_init__(self) -> None:
        check_fields(self)
        quantiles = floats_or_none(self.quantiles)
        if quantiles is None or len(quantiles) != 2 or not 0 <= quantiles[0] < quantiles[1] <= 1:
            raise ParameterError(
                f"quantiles of Absolute must be two increasing numbers between 0 and 1, got {quoted(self.quantiles)}"
            )
        settle(self, quantiles=quantiles)
        if self.scaling != "robust" and self.quantiles != _QUARTILES:
            raise ParameterError(f"quantiles of Absolute need scaling='robust', got scaling={self.scaling!r}")
        if self.widen and (self.scaling != "range" or self.factor != 1):
            raise ParameterError(f"widen=True of Absolute needs scaling='range' and factor=1, got {self!r}")
        if self.widen and self.cap:
            raise ParameterError("cap=True of Absolute has no effect with widen=True: no difference is above 1 there")

    def fit(self, column: Column, missing: MissingRule, power: float) -> Term:
        ranked = isinstance(column.kind, Ordinal)
        if missing.aha and not ranked and (self.scaling != "range" or self.factor != 1):
            raise ParameterError(
                f"missing='aha' asks how far a number is from the ends of its range, but {column.label} is compared by "
                f"{self!r}. Use Absolute('range'), or another rule for missing values."
            )
        scale, low, high = 1.0, 0.0, 0.0
        if self.scaling == "range":
            low, high = column.range()
            scale = high - low
        elif self.scaling == "std":
            scale = column.deviation()
        elif self.scaling == "robust":
            scale = column.quantile(self.quantiles[1]) - column.quantile(self.quantiles[0])
        column.check_finite(scale := float(self.factor) * scale, "their scale")
        aha = missing.aha and not ranked
        return Linear(power, *missing[:2], scale, low, high, self.widen, self.cap, ranked, aha)

    def spread(self, column: Column) -> float:
        """The largest difference between stored numbers; of a scaled column a number that it is not below."""
        return (column.extent() if self.scaling == "none" else 1.0) / self.factor


@dataclass(frozen=True)
class Overlap(Difference):
    """``d = 0`` for equal values and 1 for different ones; a value never seen differs from all.

    Numbers are compared for equality too. (Numbers that differ by less than 2.3e-308 count as partly equal.)
    """

    accepts: ClassVar[tuple[str, ...]] = ("numeric", "ordinal", "nominal")

    def fit(self, column: Column, missing: MissingRule, power: float) -> Term:
        if column.kind_name != "numeric":
            return Differ(power, *missing[:2])
        return Linear(power, *missing[:2], _ANY_DIFFERENCE, cap=True)


@dataclass(frozen=True)
class Levels(Difference):
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

    def __post_init__(self) -> None:
        if self.positions is None:
            return
        positions = floats_or_none(self.positions) or ()
        span = positions[-1] - positions[0] if positions else math.nan
        rising = all(low < high for low, high in pairwise(positions))
        if not rising or not math.isfinite(span) or (len(positions) > 1 and not math.isfinite(1.0 / span)):
            raise ParameterError(
                "positions of Levels must be increasing finite numbers, one for each level, with a span that float64 "
                f"can divide by, got {quoted(self.positions)}. Leave positions out for equal steps."
            )
        settle(self, positions=positions)

    def fit(self, column: Column, missing: MissingRule, power: float) -> Term:
        n = len(column.values())
        if self.positions is None or self.positions == tuple(range(n)):
            return Linear(power, *missing[:2], float(n - 1), coded=True)
        if len(self.positions) != n:
            raise ParameterError(
                f"positions of Levels must be {n} numbers, one for each level of {column.label}, got {self.positions}"
            )
        span = self.positions[-1] - self.positions[0]
        factors = np.full(n, 1.0 / span if span else 0.0)
        positions = np.array(self.positions)[:, None]
        return Profile(power, *missing[:2], positions, factors, exponent=1.0, root=False, f_unseen=1.0)


@dataclass(frozen=True)
class ValueTable(Difference):
    """Differences between values written down by hand: ``d = matrix[i][j]`` for query value i and stored value j.

    A query value that no stored row holds, and that the schema does not declare, gets the largest entry.

    Parameters
    ----------
    values
        The values the table knows; every stored or declared value of the column must be among them.
    matrix
        One row for each query value and one column for each stored value, in the order of ``values``: finite numbers,
        not negative, 0 on the diagonal. It need not be symmetric.

    Examples
    --------
    >>> ValueTable(("red", "orange", "blue"), [[0, 0.2, 1], [0.2, 0, 1], [1, 1, 0]])
    ValueTable(values=('red', 'orange', 'blue'), matrix=((0.0, 0.2, 1.0), (0.2, 0.0, 1.0), (1.0, 1.0, 0.0)))
    """

    values: tuple[Hashable, ...]
    matrix: Sequence[Sequence[float]]

    accepts: ClassVar[tuple[str, ...]] = ("ordinal", "nominal")

    def __post_init__(self) -> None:
        values = _distinct(self.values)
        try:
            given = np.asarray(self.matrix)
            matrix = given.astype(np.float64) if given.dtype.kind in "fiubO" else None
        except (TypeError, ValueError, OverflowError):
            matrix = None
        n = len(values)
        if matrix is None or matrix.shape != (n, n) or n == 0:
            raise ParameterError(
                f"matrix of ValueTable must be a square of numbers, {n} by {n}, a row and a column for each value, got "
                f"{quoted(self.matrix)}"
            )
        if not np.all(np.isfinite(matrix)) or np.any(matrix < 0) or np.any(np.diag(matrix) != 0):
            raise ParameterError(
                f"matrix of ValueTable must have finite entries >= 0, and 0 on its diagonal, got {quoted(self.matrix)}"
            )
        settle(self, values=values, matrix=tuple(tuple(row) for row in matrix.tolist()))

    def fit(self, column: Column, missing: MissingRule, power: float) -> Term:
        place = {identity(value): i for i, value in enumerate(self.values)}
        keys = [identity(value) for value in column.values()]
        kind = column.kind
        declared = kind.order if isinstance(kind, Ordinal) else getattr(kind, "values", None) or ()
        known = {identity(value) for value in declared}
        at = np.array([place.get(key, -1) for key in keys], dtype=np.intp)
        needed = (column.row_counts() > 0) | np.array([key in known for key in keys], dtype=bool)
        if np.any(lacking := needed & (at < 0)):
            values = listed([column.values()[i] for i in np.flatnonzero(lacking)])
            raise ParameterError(f"ValueTable lacks the values {values} of {column.label}; add them to the table")
        matrix: FloatArray = np.array(self.matrix)
        largest = float(matrix.max(initial=0.0))
        table = np.where((at[:, None] < 0) | (at[None, :] < 0), largest, matrix[np.ix_(at, at)])
        return Lookup(power, *missing[:2], np.ascontiguousarray(table), largest)


def _distinct(values: object) -> tuple[Hashable, ...]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise ParameterError(f"values of ValueTable must be several values, got {quoted(values)}")
    found = tuple(plain(value) for value in values)
    if any(is_missing(value) for value in found):
        raise ParameterError(
            f"values of ValueTable must not be missing, got {quoted(found)}; the distance's missing= says what a "
            "missing value costs"
        )
    try:
        distinct = {identity(value) for value in found}
    except TypeError:
        raise ParameterError(f"values of ValueTable must be hashable, got {quoted(found)}") from None
    if len(distinct) < len(found):
        raise ParameterError(f"values of ValueTable must be distinct, got {quoted(found)}")
    return found
