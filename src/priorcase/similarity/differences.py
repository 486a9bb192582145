"""Differences between two values of one attribute, with or without class counts.

Each difference ``d(x, q)`` is a frozen dataclass that contains only parameters. Its method `fit` computes the
statistics of a column and returns a `Term`, from which the compiled core computes the cost ``d ** power``.

Value difference metrics compare the class profiles of two values. The class profile of a value x contains, for each
class c, the share ``P(c|x)`` of class c among the stored rows with value x. These metrics are from Stanfill & Waltz
1986 (VDM), Cost & Salzberg 1993 (MVDM, PEBLS), and Wilson & Martinez 1997 with the erratum of March 2000 (HVDM, DVDM,
IVDM, WVDM).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, NamedTuple, get_args

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from priorcase._core import Plan
from priorcase._parameters import check_fields, floats_or_none, settle
from priorcase._typing import FloatArray
from priorcase.exceptions import ParameterError, listed, quoted
from priorcase.instances import Instances, as_floats
from priorcase.schema import Ordinal
from priorcase.schema.kinds import check_distinct, identity
from priorcase.similarity.statistics import Column, shares

Scaling = Literal["range", "inliers", "std", "robust", "none"]
Norm = Literal["sum", "root", "class_root", "weighted"]
Unseen = Literal["maximal", "prior", "zero"]
Empty = Literal["zero", "prior"]

_QUARTILES = (0.25, 0.75)
# The smallest normal number: different numbers differ by more than this unless both are smaller.
_ANY_DIFFERENCE = float(np.finfo(np.float64).tiny)
_EXPONENT = [Interval(Real, 1, None, closed="left")]
# With more intervals, their edges alone would fill the memory.
_BINS = [Interval(Integral, 1, 1_000_000, closed="both"), None]


# -- powers


def raised(base: FloatArray, exponent: float) -> FloatArray:
    """Return ``base ** exponent`` for numbers >= 0, with exactly the same result as the compiled core."""
    if exponent == 1:
        return base
    if 1 < exponent <= 8 and exponent == int(exponent):
        with np.errstate(over="ignore", under="ignore"):
            result = base * base
            for _ in range(int(exponent) - 2):
                result = result * base
        return result
    # NumPy's vectorized power can differ in the last bit from ``pow`` of the C library, which the core uses.
    flat = (_pow(value, exponent) for value in base.ravel().tolist())
    return np.fromiter(flat, dtype=np.float64, count=base.size).reshape(base.shape)


def rooted(costs: FloatArray, power: float) -> FloatArray:
    """Return ``costs ** (1 / power)``; for power 2, this is the correctly rounded square root."""
    return np.sqrt(costs) if power == 2 else raised(costs, 1.0 / power)


def _pow(base: float, exponent: float) -> float:
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return math.inf


# -- fitted differences, in the form of the compiled core


class MissingRule(NamedTuple):
    """Rule for the costs of missing values."""

    one: float = 1.0  # cost if one of the two values is missing
    both: float = 1.0  # cost if both values are missing
    aha: bool = False  # if one of two numbers is missing, use the largest possible difference from the known number
    symbol: bool = False  # missing is an additional nominal or ordinal value with its own class counts


@dataclass(frozen=True, eq=False)
class Term:
    """Fitted difference of one attribute."""

    f_one: float  # cost if one of the two values is missing
    f_both: float  # cost if both values are missing

    form: ClassVar[str]  # name of the `Plan` method that `add_to` calls with all fields as arguments

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(np.array_equal(getattr(self, field.name), getattr(other, field.name)) for field in fields(self))

    __hash__ = None  # type: ignore[assignment]  # holds arrays

    @property
    def codes(self) -> int | None:
        """Number of codes for which the difference is defined, or None for any code or number."""
        return None

    def holds(self, instances: Instances, a: int) -> bool:
        """Return whether this fitted difference includes every stored value of attribute ``a``."""
        return self.codes is None or self.codes >= instances.n_values(a)

    def add_to(self, plan: Plan, a: int) -> None:
        """Add this difference to a search plan as the difference of attribute ``a``."""
        getattr(plan, self.form)(a, **vars(self))


@dataclass(frozen=True, eq=False)
class Linear(Term):
    """Difference ``d = |x - q| / scale`` of two numbers or ranks; 0 if the scale is 0.

    With ``widen``, the scale is the range from ``low`` to ``high``, extended to include the query value. With ``cap``,
    d is at most 1. With ``coded``, the numbers are ranks, and the rank -1 of an undeclared level has the cost 1. See
    `MissingRule` for ``aha``.
    """

    scale: float
    low: float = 0.0
    high: float = 0.0
    widen: bool = False
    cap: bool = False
    coded: bool = False
    aha: bool = False

    form: ClassVar[str] = "linear"


@dataclass(frozen=True, eq=False)
class Differ(Term):
    """Overlap difference: the cost is 0 for equal codes and 1 for different codes."""

    form: ClassVar[str] = "overlap"


@dataclass(frozen=True, eq=False)
class Curve(Term):
    """Difference ``d`` between the class profiles p(x) and p(q) of two numbers x and q.

    Let ``s = sum_c |p_c(x) - p_c(q)| ** exponent`` be a sum over the classes c. The difference is ``d = factor * s``
    or, with ``root``, ``d = sqrt(factor * s)``. Profiles are constant beyond the first and the last break.
    """

    breaks: FloatArray
    profiles: FloatArray  # class profiles at the breaks or, with ``step``, in the intervals that begin at the breaks
    step: bool  # whether profiles are constant in each interval; otherwise, they are interpolated between the breaks
    exponent: float
    factor: float
    root: bool

    form: ClassVar[str] = "curve"


@dataclass(frozen=True, eq=False)
class Profile(Term):
    """Difference ``d`` between the class profiles of two codes.

    Let v be the code of a query and u the code of a row, and let ``s = sum_c |P[v, c] - P[u, c]| ** exponent`` be a sum
    over the classes c, where P is ``profiles``. The difference is ``d = factors[v] * s`` or, with ``root``,
    ``d = sqrt(factors[v] * s)``.
    """

    profiles: FloatArray
    factors: FloatArray
    exponent: float
    root: bool
    f_unseen: float  # cost of an unseen query value if ``unseen`` is None
    unseen: FloatArray | None = None  # class profile of an unseen query value
    unseen_factor: float = 1.0
    missing: FloatArray | None = None  # class profile of missing values
    missing_factor: float = 1.0

    form: ClassVar[str] = "profile"

    @property
    def codes(self) -> int:
        return len(self.profiles)


@dataclass(frozen=True, eq=False)
class Lookup(Term):
    """Difference given by a square table of costs, with a row for each query code and a column for each stored code."""

    matrix: FloatArray
    f_unseen: float

    form: ClassVar[str] = "table"

    @property
    def codes(self) -> int:
        return len(self.matrix)


# -- differences


class Difference:
    """Base class of differences between two values of a column, before fitting.

    >>> isinstance(Levels(), Difference), Levels().accepts
    (True, ('ordinal',))
    """

    accepts: ClassVar[tuple[str, ...]]
    """Kinds of columns that the difference can compare: ``"numeric"``, ``"ordinal"``, ``"nominal"``."""

    needs_classes: ClassVar[bool] = False
    """Whether the difference counts classes and therefore needs a nominal target."""
    _parameter_constraints: ClassVar[dict[str, Any]] = {}

    def __post_init__(self) -> None:
        check_fields(self)

    def fit(self, column: Column, missing: MissingRule, power: float) -> Term:
        """Fit the difference to the statistics of a column and return the fitted `Term`."""
        raise NotImplementedError


@dataclass(frozen=True)
class Absolute(Difference):
    """Absolute difference of two numbers, ``d = |x - q| / (factor * scale)``; 0 if the scale is 0.

    Parameters
    ----------
    scaling
        Statistic of the stored numbers that is used as the scale.

        - ``"range"``: the scale is the largest minus the smallest number.
        - ``"inliers"``: the scale is the range without outliers. In a table of at least 20 rows, a number is an outlier
          if its distance from the central 80% of the numbers is more than four times the width of this central part.
        - ``"std"``: the scale is the population standard deviation.
        - ``"robust"``: the scale is the distance between two quantiles, or the range if both quantiles are equal.
        - ``"none"``: the scale is 1.
    factor
        Additional divisor; HVDM uses 4 with ``"std"``.
    quantiles
        The two quantiles that define the scale with ``"robust"``.
    cap
        Whether to limit d to 1; with the default scale, this affects only queries outside the stored range.
    widen
        Whether to extend the range to include the query value, as in Weka's IB1; only with ``"range"``.

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
                "parameter 'quantiles' of Absolute must be two increasing numbers between 0 and 1, got "
                f"{quoted(self.quantiles)}"
            )
        settle(self, quantiles=quantiles)
        if self.scaling != "robust" and self.quantiles != _QUARTILES:
            raise ParameterError(
                f"quantiles of Absolute have an effect only with scaling='robust', got scaling={self.scaling!r}"
            )
        if self.widen and (self.scaling != "range" or self.factor != 1):
            raise ParameterError(f"widen=True of Absolute needs scaling='range' and factor=1, got {self!r}")
        if self.widen and self.cap:
            raise ParameterError(
                "cap=True of Absolute has no effect with widen=True, which limits differences to 1. Omit cap."
            )

    def fit(self, column: Column, missing: MissingRule, power: float) -> Term:
        ranked = isinstance(column.kind, Ordinal)
        aha = missing.aha and not ranked
        if aha and (self.scaling != "range" or self.factor != 1):
            raise ParameterError(
                f"missing='aha' requires numbers scaled by their range, but {column.label} is compared by "
                f"{self!r}. Use Absolute('range'), or set missing to another value."
            )
        scale, low, high = 1.0, 0.0, 0.0
        if self.scaling in ("range", "inliers"):
            low, high = column.range() if self.scaling == "range" else column.inliers()
            scale = high - low
        elif self.scaling == "std":
            scale = column.deviation()
        elif self.scaling == "robust":
            scale = column.quantile(self.quantiles[1]) - column.quantile(self.quantiles[0])
            if scale == 0:
                low, high = column.range()
                scale, low, high = high - low, 0.0, 0.0
        column.check_finite(scale := float(self.factor) * scale, "their scale")
        return Linear(*missing[:2], scale, low, high, self.widen, self.cap, ranked, aha)


@dataclass(frozen=True)
class Overlap(Difference):
    """Overlap difference, 0 for equal values and 1 for different values; an unseen value differs from all values.

    >>> Overlap().accepts
    ('numeric', 'ordinal', 'nominal')
    """

    accepts: ClassVar[tuple[str, ...]] = ("numeric", "ordinal", "nominal")

    def fit(self, column: Column, missing: MissingRule, power: float) -> Term:
        if column.kind_name != "numeric":
            return Differ(*missing[:2])
        return Linear(*missing[:2], _ANY_DIFFERENCE, cap=True)


@dataclass(frozen=True)
class Levels(Difference):
    """Difference of ordered levels, ``d = |p(x) - p(q)| / (p(highest) - p(lowest))``.

    The function p gives the position of a level. The lowest and highest levels come from the declared order, so d
    does not depend on the data. The difference from an undeclared level is 1.

    Parameters
    ----------
    positions
        Increasing numbers, one for each level from lowest to highest; None for equal steps.

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
                "parameter 'positions' of Levels must be increasing finite numbers, one for each level, with a span "
                f"that float64 can represent, got {quoted(self.positions)}. Omit positions for equal steps."
            )
        settle(self, positions=positions)

    def fit(self, column: Column, missing: MissingRule, power: float) -> Term:
        n = len(column.values())
        if self.positions is None or self.positions == tuple(range(n)):
            return Linear(*missing[:2], float(n - 1), coded=True)
        if len(self.positions) != n:
            raise ParameterError(
                f"parameter 'positions' of Levels must be {n} numbers, one for each level of {column.label}, got "
                f"{self.positions}"
            )
        span = self.positions[-1] - self.positions[0]
        factors = np.full(n, 1.0 / span if span else 0.0)
        positions = np.array(self.positions)[:, None]
        return Profile(*missing[:2], positions, factors, exponent=1.0, root=False, f_unseen=1.0)


@dataclass(frozen=True)
class ValueTable(Difference):
    """Table of differences between values, ``d = matrix[i][j]`` for query value i and stored value j.

    The difference of a query value that is neither stored nor declared is the largest entry of the matrix.

    Parameters
    ----------
    values
        Values of the rows and columns of the matrix; every stored or declared value of the column must be included.
    matrix
        Square matrix of finite numbers >= 0 with 0 on the diagonal, in the order of ``values``; it can be asymmetric.

    Examples
    --------
    >>> ValueTable(("red", "orange", "blue"), [[0, 0.2, 1], [0.2, 0, 1], [1, 1, 0]])
    ValueTable(values=('red', 'orange', 'blue'), matrix=((0.0, 0.2, 1.0), (0.2, 0.0, 1.0), (1.0, 1.0, 0.0)))
    """

    values: tuple[Hashable, ...]
    matrix: Sequence[Sequence[float]]

    accepts: ClassVar[tuple[str, ...]] = ("ordinal", "nominal")

    def __post_init__(self) -> None:
        values = check_distinct("parameter 'values' of ValueTable", self.values, ParameterError)
        matrix, n = as_floats(self.matrix), len(values)
        if matrix is None or matrix.shape != (n, n):
            raise ParameterError(
                f"parameter 'matrix' of ValueTable must be a square matrix of numbers, {n} by {n}, with one row and "
                f"one column for each value, got {quoted(self.matrix)}"
            )
        if not np.all(np.isfinite(matrix)) or np.any(matrix < 0) or np.any(np.diag(matrix) != 0):
            raise ParameterError(
                "parameter 'matrix' of ValueTable must have finite entries >= 0, and 0 on its diagonal, got "
                f"{quoted(self.matrix)}"
            )
        settle(self, values=values, matrix=tuple(tuple(row) for row in matrix.tolist()))

    def fit(self, column: Column, missing: MissingRule, power: float) -> Term:
        place = {identity(value): i for i, value in enumerate(self.values)}
        keys = [identity(value) for value in column.values()]
        declared = column.kind.order if isinstance(column.kind, Ordinal) else getattr(column.kind, "values", None) or ()
        known = {identity(value) for value in declared}
        at = np.array([place.get(key, -1) for key in keys], dtype=np.intp)
        held = column.all.instances.value_counts(column.a) > 0
        needed = held | np.array([key in known for key in keys], dtype=bool)
        if np.any(lacking := needed & (at < 0)):
            values = listed([column.values()[i] for i in np.flatnonzero(lacking)])
            raise ParameterError(f"ValueTable has no entries for {values} of {column.label}. Add these values.")
        matrix = raised(np.array(self.matrix), power)
        largest = float(matrix.max())
        table = np.where((at[:, None] < 0) | (at[None, :] < 0), largest, matrix[np.ix_(at, at)])
        return Lookup(*missing[:2], np.ascontiguousarray(table), largest)


@dataclass(frozen=True)
class ValueDifference(Difference):
    """Difference of the class probabilities of two values, based on ``s = sum_c |P(c|x) - P(c|q)| ** exponent``.

    - ``norm="sum"`` gives ``d = s``, as in MVDM (with exponent k) and in N1 of HVDM (with exponent 1);
    - ``norm="root"`` gives ``d = sqrt(s)``, as in N2 of HVDM, DVDM, IVDM and WVDM (with exponent 2);
    - ``norm="class_root"`` gives ``d = sqrt(C s)`` for C classes, as in N3 of HVDM (with exponent 2);
    - ``norm="weighted"`` gives ``d = w(q) s`` with the weight ``w(q) = sqrt(sum_c P(c|q)^2)`` of the query value, as in
      VDM (with exponent 2).

    Parameters
    ----------
    exponent
        The exponent k of Cost & Salzberg.
    norm
        Formula for d as a function of s; see above.
    unseen
        Treatment of unseen values. With ``"maximal"``, an unseen value has s = 2 and w = 1. With ``"prior"``, an unseen
        value has the class frequencies of all rows. With ``"zero"``, an unseen value has class probabilities of 0 and
        w = 1. A declared value without rows has class probabilities of 0 with ``"zero"``, and the class frequencies of
        all rows otherwise.

    Examples
    --------
    >>> ValueDifference(exponent=2, norm="root")
    ValueDifference(exponent=2, norm='root', unseen='maximal')
    """

    exponent: float = 1.0
    norm: Norm = "sum"
    unseen: Unseen = "maximal"

    accepts: ClassVar[tuple[str, ...]] = ("ordinal", "nominal")
    needs_classes: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "exponent": _EXPONENT,
        "norm": [StrOptions(set(get_args(Norm)))],
        "unseen": [StrOptions(set(get_args(Unseen)))],
    }

    def __post_init__(self) -> None:
        _check_norm(self)

    def fit(self, column: Column, missing: MissingRule, power: float) -> Term:
        counts, prior = column.class_counts(), column.all.prior()
        instead = np.zeros_like(prior) if self.unseen == "zero" else prior
        profiles = shares(counts, instead)
        factors = self._factors(profiles, column)
        own = profiles[0] if missing.symbol and (counts[0].sum() > 0 or self.unseen != "maximal") else None
        most = {"root": math.sqrt(2.0), "class_root": math.sqrt(2.0 * column.all.n_classes)}.get(self.norm, 2.0)
        largest = float(raised(np.array(most), power))
        return Profile(
            largest if missing.symbol and own is None else missing.one,
            missing.both,
            np.ascontiguousarray(profiles[1:]),
            factors[1:].copy(),
            exponent=self.exponent,
            root=self.norm in ("root", "class_root"),
            f_unseen=largest,
            unseen=None if self.unseen == "maximal" else instead,
            unseen_factor=float(self._factors(instead[None, :], column)[0]),
            missing=own,
            missing_factor=float(factors[0]) if own is not None else 1.0,
        )

    def _factors(self, profiles: FloatArray, column: Column) -> FloatArray:
        if self.norm == "class_root":
            return np.full(len(profiles), float(column.all.n_classes))
        if self.norm != "weighted":
            return np.ones(len(profiles))
        w = np.sqrt(raised(profiles, 2).sum(axis=1))
        return np.where(w == 0.0, 1.0, w)


@dataclass(frozen=True)
class Discretized(Difference):
    """Difference of two numbers, based on the class probabilities of their equal-width bins, as in PEBLS and DVDM.

    The stored range is divided into bins of equal width (Wilson & Martinez 1997, section 2.5); a number outside the
    range belongs to the nearest bin. Two bins are compared in the same way as two nominal values in `ValueDifference`.

    Parameters
    ----------
    bins
        Number of bins, at most 1,000,000; None for ``max(5, number of classes)``.
    exponent, norm
        See `ValueDifference`; ``norm="weighted"`` is not available.
    empty
        Class probabilities of a bin without rows: 0 with ``"zero"``, class frequencies of all rows with ``"prior"``.

    Examples
    --------
    >>> Discretized(bins=10)
    Discretized(bins=10, exponent=1.0, norm='sum', empty='zero')
    """

    bins: int | None = None
    exponent: float = 1.0
    norm: Norm = "sum"
    empty: Empty = "zero"

    accepts: ClassVar[tuple[str, ...]] = ("numeric",)
    needs_classes: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "bins": _BINS,
        "exponent": _EXPONENT,
        "norm": [StrOptions(set(get_args(Norm)) - {"weighted"})],
        "empty": [StrOptions(set(get_args(Empty)))],
    }

    def __post_init__(self) -> None:
        _check_norm(self)

    def fit(self, column: Column, missing: MissingRule, power: float) -> Term:
        edges, _ = _intervals(column, self.bins)
        prior = column.all.prior()
        profiles = shares(column.interval_counts(edges), np.zeros_like(prior) if self.empty == "zero" else prior)
        factor = float(column.all.n_classes) if self.norm == "class_root" else 1.0
        root = self.norm in ("root", "class_root")
        return Curve(*missing[:2], edges, profiles, True, self.exponent, factor, root)


@dataclass(frozen=True)
class Interpolated(Difference):
    """Difference of class probabilities that are interpolated between the midpoints of equal-width bins, as in IVDM.

    The difference is ``d = sqrt(sum_c (p_c(x) - p_c(q))^2)``, where the class probability p is linear between the bin
    midpoints and falls to 0 half a bin width outside the stored range (Wilson & Martinez 1997, section 4 and erratum).
    At the midpoint of a bin without rows, p is 0. In a constant column, d is 0. See `Discretized` for ``bins``.

    >>> Interpolated(bins=10).needs_classes
    True
    """

    bins: int | None = None

    accepts: ClassVar[tuple[str, ...]] = ("numeric",)
    needs_classes: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {"bins": _BINS}

    def fit(self, column: Column, missing: MissingRule, power: float) -> Term:
        edges, width = _intervals(column, self.bins)
        counts = column.interval_counts(edges)
        profiles = shares(counts, np.zeros(counts.shape[1]))
        if width > 0:
            low, high = column.range()
            middles = low + width * (np.arange(len(edges), dtype=np.float64) + 0.5)
            edges, profiles = _padded(column, low - width / 2, middles, high + width / 2, profiles)
        return Curve(*missing[:2], edges, profiles, False, 2.0, 1.0, True)


@dataclass(frozen=True)
class Windowed(Interpolated):
    """Difference of class probabilities that are interpolated between windows around the stored numbers, as in WVDM.

    At a stored number v, the class probabilities are the class frequencies of the rows within half a window width of v,
    ends included (Wilson & Martinez 1997, section 5 and erratum). Between stored numbers, the class probabilities are
    interpolated as in `Interpolated`. Windows are as wide as the bins of `Discretized`. If rows have been added, the
    next fit sorts the whole column again.

    >>> Windowed(bins=10)
    Windowed(bins=10)
    """

    def fit(self, column: Column, missing: MissingRule, power: float) -> Term:
        _, width = _intervals(column, self.bins)
        centers, profiles = column.window_shares(width)
        if not len(centers):
            centers, profiles = np.zeros(1), np.zeros((1, profiles.shape[1]))
        elif width > 0:
            centers, profiles = _padded(column, centers[0] - width / 2, centers, centers[-1] + width / 2, profiles)
        return Curve(*missing[:2], centers, profiles, False, 2.0, 1.0, True)


def _intervals(column: Column, bins: int | None) -> tuple[FloatArray, float]:
    """Return the left edges and the width of equal-width bins; a constant column has a single bin of width 0."""
    s = max(5, column.all.n_classes) if bins is None else bins
    low, high = column.range()
    width = (high - low) / s
    edges = low + width * np.arange(s, dtype=np.float64)
    if np.any(np.diff(edges) <= 0):
        return np.array([low]), 0.0
    return edges, width


def _padded(
    column: Column, low: float, middle: FloatArray, high: float, profiles: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Add class profiles of 0 at both ends, ``low`` and ``high``, and drop breaks that are equal after rounding."""
    column.check_finite(max(-low, high), "the range of the intervals around these numbers")
    breaks = np.concatenate([[low], middle, [high]])
    nothing = np.zeros((1, profiles.shape[1]))
    rising = np.concatenate([[True], np.diff(breaks) > 0])
    return breaks[rising], np.ascontiguousarray(np.concatenate([nothing, profiles, nothing])[rising])


def _check_norm(difference: ValueDifference | Discretized) -> None:
    check_fields(difference)
    if difference.norm != "sum" and difference.exponent != 2:
        raise ParameterError(
            f"parameter 'exponent' of {type(difference).__name__} must be 2 with norm={difference.norm!r}, got "
            f"{difference.exponent!r}; only norm='sum' supports other exponents"
        )
