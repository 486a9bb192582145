"""How two values of one attribute differ, without regard to classes.

Each difference ``d(x, q)`` is a frozen value that holds only parameters; `fit` fills in the statistics of a column.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol, get_args

import numpy as np

from priorcase.exceptions import DistanceError
from priorcase.schema import Ordinal
from priorcase.schema.values import identity, plain
from priorcase.similarity.checks import choice, positive
from priorcase.similarity.statistics import Column
from priorcase.similarity.terms import Differ, Gaps, Linear, Lookup, Profile, Term
from priorcase.typing import FloatArray

Scaling = Literal["range", "std", "robust", "none"]

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
        The two quantiles of ``"robust"``: the smallest stored numbers with at least that share at or below them.
        The default is the interquartile range.
    cap
        Limit d to 1, which matters only for queries outside the stored range.
    widen
        Stretch the range to hold the query's own value, as IB1 does when it normalises; only with ``"range"``.

    Examples
    --------
    >>> Absolute("std", factor=4)
    Absolute(scaling='std', factor=4, quantiles=(0.25, 0.75), cap=False, widen=False)
    """

    scaling: Scaling = "range"
    factor: float = 1.0
    quantiles: tuple[float, float] = (0.25, 0.75)
    cap: bool = False
    widen: bool = False

    accepts: ClassVar[tuple[str, ...]] = ("numeric", "ordinal")
    needs_classes: ClassVar[bool] = False

    def __post_init__(self) -> None:
        choice("Absolute", "scaling", self.scaling, get_args(Scaling))
        positive("Absolute", "factor", self.factor)
        _check_quantiles(self.quantiles)
        if self.widen and (self.scaling != "range" or self.factor != 1):
            raise DistanceError.parameter(
                "Absolute",
                "widen",
                self.widen,
                expected="False unless scaling='range' and factor=1",
                hint="only a range can be stretched to hold the query.",
            )

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
        if self.scaling == "none":
            return self.factor
        if self.scaling == "std":
            return self.factor * column.deviation()
        if self.scaling == "range":
            low, high = column.range()
        else:
            low, high = (column.quantile(q) for q in self.quantiles)
        return self.factor * (high - low)


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
        try:
            positions = tuple(float(position) for position in self.positions)
        except (TypeError, ValueError):
            positions = ()
        steps = np.diff(positions)
        if not positions or not np.all(np.isfinite(positions)) or not np.all(steps > 0):
            raise DistanceError.parameter(
                "Levels",
                "positions",
                self.positions,
                expected="increasing finite numbers, one for each level",
                hint="leave positions out for equal steps.",
            )
        object.__setattr__(self, "positions", positions)

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


@dataclass(frozen=True)
class Table:
    """Differences between values written down by hand, ``d = matrix[x, q]``.

    A query value that no stored row holds, and that the schema does not declare, gets the largest entry.

    Parameters
    ----------
    values
        The values the table knows; every stored or declared value of the column must be among them.
    matrix
        ``matrix[i][j]`` is the difference of query value i from stored value j: not negative, 0 on the diagonal. It
        need not be symmetric.

    Examples
    --------
    >>> Table(("red", "orange", "blue"), [[0, 0.2, 1], [0.2, 0, 1], [1, 1, 0]])
    Table(values=('red', 'orange', 'blue'), matrix=((0.0, 0.2, 1.0), (0.2, 0.0, 1.0), (1.0, 1.0, 0.0)))
    """

    values: tuple[Hashable, ...]
    matrix: Sequence[Sequence[float]]

    accepts: ClassVar[tuple[str, ...]] = ("ordinal", "nominal")
    needs_classes: ClassVar[bool] = False

    def __post_init__(self) -> None:
        values = tuple(plain(value) for value in self.values)
        matrix = _square(self.matrix, len(values))
        if len({identity(value) for value in values}) < len(values):
            raise DistanceError.table(f"values={values!r} with a value twice; expected distinct values")
        if not np.all(np.isfinite(matrix)) or np.any(matrix < 0):
            raise DistanceError.table("a matrix with negative or infinite entries; expected finite numbers >= 0")
        if np.any(np.diag(matrix) != 0):
            raise DistanceError.table("a matrix whose diagonal is not 0; a value does not differ from itself")
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "matrix", tuple(tuple(row) for row in matrix.tolist()))

    def fit(self, column: Column, gaps: Gaps, power: float) -> Term:
        place = {identity(value): i for i, value in enumerate(self.values)}
        values = [place.get(identity(value), -1) for value in column.values()]
        at = np.array(values, dtype=np.intp)
        declared = _declared(column)
        needed = (column.row_counts() > 0) | declared
        if np.any(lacking := needed & (at < 0)):
            raise DistanceError.table_lacks(column.label, [column.values()[i] for i in np.flatnonzero(lacking)])
        matrix = np.array(self.matrix)
        largest = float(matrix.max(initial=0.0))
        table = np.where((at[:, None] < 0) | (at[None, :] < 0), largest, matrix[np.ix_(at, at)])
        return Lookup(power, Gaps(gaps.one, gaps.both), np.ascontiguousarray(table), largest)


def kind_name(column: Column) -> str:
    """``"numeric"``, ``"ordinal"`` or ``"nominal"``."""
    return type(column.kind).__name__.lower()


def _declared(column: Column) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    kind = column.kind
    declared = kind.order if isinstance(kind, Ordinal) else getattr(kind, "values", None) or ()
    known = {identity(value) for value in declared}
    return np.array([identity(value) in known for value in column.values()], dtype=bool)


def _check_quantiles(quantiles: tuple[float, float]) -> None:
    if len(quantiles) != 2 or not 0 <= quantiles[0] < quantiles[1] <= 1:
        raise DistanceError.parameter(
            "Absolute",
            "quantiles",
            quantiles,
            expected="two increasing numbers between 0 and 1",
            hint="(0.25, 0.75) is the interquartile range.",
        )


def _square(matrix: Sequence[Sequence[float]], n: int) -> FloatArray:
    try:
        square = np.array(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        raise DistanceError.table("a matrix that is not made of rows of numbers of one length") from None
    if square.shape != (n, n) or n == 0:
        raise DistanceError.table(f"{n} values and a matrix of shape {square.shape}; expected a square matrix")
    return square
