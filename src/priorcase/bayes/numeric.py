"""Numeric columns: moments of the numbers in each class, and densities computed from the moments.

Moments are computed from exact sums of the weights, the numbers and their squares, which the compiled core stores as
fixed-point numbers. Moments do not depend on the order or batches of the rows, and removed rows are subtracted exactly.

The density of a class is given by four numbers ``c, loc, q, e``: ``ln p(x) = c - e ln(1 + (x - loc)^2 q)`` for
Student's t, and ``ln p(x) = c - (x - loc)^2 q`` with e = 0 for the normal density.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from priorcase._core import add_moments, bit_range
from priorcase._locks import cached_property
from priorcase._parameters import check_fields, is_number
from priorcase._typing import AnyArray, BoolArray, FloatArray, IdArray, IntArray
from priorcase.bayes import discretize as bins
from priorcase.bayes.predictive import log_rising
from priorcase.exceptions import NumericRangeError, ParameterError, advice, quoted
from priorcase.saving import checked

# For variances within these limits the squares of relevant distances do not overflow.
LEAST_VARIANCE, MOST_VARIANCE = 1e-280, 1e280
# Minimum weight of a class with its own variance: two rows, up to rounding of weights.
_ROUNDING = 1e-12
TWO_ROWS = 2 * (1 - _ROUNDING)
# If less than this share of the squared deviations remains after a row is removed, too few digits are left.
_CANCELLED = 2.0**-10
# An interquartile range below this share of the standard deviation is treated as 0.
_LEAST_RANGE = 1e-9
# Digits of a sum in addition to those of its largest term.
_SPARE = 6
_MOST_DIGITS = 200
_CELLS_AT_ONCE = 2**17
_KERNELS_AT_ONCE = 2**20

Bandwidth: TypeAlias = float | Literal["silverman", "john_langley"]
Sample: TypeAlias = tuple[FloatArray, FloatArray | None]
"""Known values of a class, and their weights (None if all weights are 1)."""


# -- moments


@dataclass(frozen=True)
class Moments:
    """Moments of one numeric column in each class and overall; leading axes can stand for left-out rows."""

    n: FloatArray  # sum of the weights w of the known values x of each class, shape (..., classes)
    mean: FloatArray  # weighted mean of the values of each class, or 0 for a class without values
    deviation: FloatArray  # ``sum w (x - mean)^2`` for each class
    n_all: float | FloatArray  # for all classes together
    mean_all: float | FloatArray
    deviation_all: float | FloatArray
    low: FloatArray | None = field(default=None, repr=False, compare=False)  # exact mean minus ``mean``

    @classmethod
    def of_classes(cls, n: FloatArray, mean: FloatArray, low: FloatArray, deviation: FloatArray) -> Moments:
        """Create moments from the moments of each class; the overall moments do not depend on the order of classes."""
        heaviest = np.where(n == n.max(axis=-1, keepdims=True), mean, np.inf).min(axis=-1, keepdims=True)
        with np.errstate(over="ignore", invalid="ignore"):
            away = np.where(n > 0, (mean - heaviest) + low, 0.0)
            n_all = _total(n)
            middle = _total(n * away) / np.where(n_all > 0, n_all, 1.0)
            mean_all = heaviest[..., 0] + middle
            squares = n * (away - middle[..., np.newaxis]) ** 2
            deviation_all = _total(deviation) + _total(squares)
        deviation_all = np.where(np.isnan(deviation_all), np.inf, deviation_all)
        differ = (away != 0).any(axis=-1) & (deviation_all == 0)  # the squared difference underflows
        deviation_all = np.where(differ, math.ulp(0.0), deviation_all)
        return cls(n, mean, deviation, n_all, mean_all, deviation_all, low)

    @classmethod
    def of(cls, values: FloatArray, codes: IntArray, n_classes: int, weights: FloatArray | None = None) -> Moments:
        """Create moments from numbers and classes of rows; missing numbers and classes below 0 are ignored."""
        sums = ClassMoments(1)
        sums.grow(n_classes)
        sums.add([values], codes, weights)
        return sums.summaries()[0]

    @classmethod
    def stacked(cls, several: Sequence[Moments]) -> Moments:
        names = ("n", "mean", "deviation", "n_all", "mean_all", "deviation_all")
        return cls(*(np.array([getattr(m, name) for m in several]) for name in names))

    def pooled(self) -> Moments:
        n, mean, deviation = (np.asarray(part)[..., None] for part in (self.n_all, self.mean_all, self.deviation_all))
        return Moments(n, mean, deviation, self.n_all, self.mean_all, self.deviation_all)

    def variance_all(self) -> FloatArray:
        """Return the overall variance with divisor ``n - 1``, or ``n / 2`` if the total weight n is below 2."""
        n = np.asarray(self.n_all, dtype=np.float64)
        return np.asarray(self.deviation_all / np.where(n > 0, np.maximum(n - 1, n / 2), 1.0))

    def is_informative(self) -> BoolArray:
        """Return whether the overall variance is from 1e-280 to 1e280; it is 0 if all values are equal."""
        variance = self.variance_all()
        return np.asarray((variance >= LEAST_VARIANCE) & (variance <= MOST_VARIANCE))


class ClassMoments:
    """Exact sums of some numeric columns in each class: the sums of the weights w, of w x and of w x^2."""

    def __init__(self, n_columns: int) -> None:
        # The three sums of a class are stored side by side, as 32-bit digits with the lowest digit first. In sum j,
        # digit i is multiplied by ``2^(32 (bases[j] + i))``. Only the last digit can be negative or exceed 32 bits.
        self._sums: IdArray = np.zeros((n_columns, 0, 3 * _SPARE), np.int64)
        self._bases, self._widths = np.zeros(3, np.int64), np.full(3, _SPARE, np.int64)
        # Weight, mean in two parts and squared deviations, and the classes for which they are current.
        self._parts, self._fresh = np.zeros((n_columns, 0, 4)), np.zeros(0, np.bool_)

    def __copy__(self) -> ClassMoments:
        twin = ClassMoments(0)
        twin.__dict__ = self.__dict__ | {"_sums": self._sums.copy(), "_fresh": self._fresh.copy()}
        return twin

    def grow(self, n_classes: int) -> None:
        """Make room for more classes."""
        if (more := n_classes - self._sums.shape[1]) > 0:
            self._sums = np.pad(self._sums, ((0, 0), (0, more), (0, 0)))
            self._parts, self._fresh = np.pad(self._parts, ((0, 0), (0, more), (0, 0))), np.pad(self._fresh, (0, more))

    def add(
        self,
        columns: Sequence[FloatArray],
        classes: AnyArray,
        weights: FloatArray | None,
        *,
        sign: int = 1,
        threads: int = 1,
    ) -> None:
        """Add rows, or remove them with ``sign=-1``; missing numbers and classes below 0 are ignored."""
        weights = None if weights is None else np.ascontiguousarray(weights, np.float64)
        contiguous = [np.ascontiguousarray(column, np.float64) for column in columns]
        codes = np.ascontiguousarray(classes, np.int32)
        ranges = [bit_range(column) for column in contiguous]
        low, high = min((low for low, _ in ranges), default=0), max((high for _, high in ranges), default=0)
        least, most = (0, 1) if weights is None else bit_range(weights)
        self._make_room(
            [(min(least, 0), most), (low + least, high + most), (2 * low + least, 2 * high + most)],
        )
        add_moments(contiguous, codes, weights, sign, self._sums, self._bases, self._widths, threads)
        self._outdate(codes[codes >= 0])

    def absorb(self, other: ClassMoments, classes: IntArray, *, sign: int = 1) -> None:
        """Add the sums of other rows, or subtract them; class i of ``other`` becomes class ``classes[i]``."""
        windows = zip(other._bases.tolist(), other._widths.tolist(), strict=True)
        self._make_room([(32 * base, 32 * (base + width - _SPARE)) for base, width in windows])
        wide = copy(other)
        wide._place(self._bases, self._widths)
        self._sums[:, classes] += sign * wide._sums
        self._sums = _carried(self._sums, self._widths)
        self._outdate(classes)

    def _outdate(self, classes: IntArray) -> None:
        """Discard the moments of classes whose rows have changed."""
        self._fresh[classes] = False
        self._parts = np.where(self._fresh[:, np.newaxis], self._parts, 0.0)

    def _make_room(self, bits: Sequence[tuple[int, int]]) -> None:
        """Add digits to the sums; ``bits`` contains, for each sum, the lowest and highest bit of its new terms."""
        low = [min(int(base), first >> 5) for base, (first, _) in zip(self._bases, bits, strict=True)]
        ends = [
            max(int(end), (last >> 5) + _SPARE) for end, (_, last) in zip(self._bases + self._widths, bits, strict=True)
        ]
        bases, widths = np.array(low, np.int64), np.array(ends, np.int64) - np.array(low, np.int64)
        if (bases < self._bases).any() or (widths > self._widths).any():
            self._place(bases, widths)

    def _place(self, bases: IdArray, widths: IdArray) -> None:
        """Change the range of digits that each sum stores; the new ranges must contain the old ranges."""
        parts, at = list[IdArray](), 0
        for base, width, own, size in zip(bases, widths, self._bases, self._widths, strict=True):
            part = np.zeros((*self._sums.shape[:2], int(width)), np.int64)
            part[..., own - base : own - base + size] = self._sums[..., at : at + size]
            parts.append(part)
            at += int(size)
        self._bases, self._widths = bases.copy(), widths.copy()
        self._sums = _carried(np.concatenate(parts, axis=2), widths)

    @property
    def n_classes(self) -> int:
        return int(self._sums.shape[1])

    def taken(self, columns: Sequence[int]) -> ClassMoments:
        """Return a `ClassMoments` with only the columns at these positions, in this order."""
        twin = copy(self)
        twin._sums, twin._parts = twin._sums[list(columns)], twin._parts[list(columns)]
        return twin

    def saved(self) -> tuple[IdArray, IdArray, IdArray]:
        """Return the digits and their ranges, to be saved with the model."""
        return self._sums, self._bases, self._widths

    @classmethod
    def restored(cls, told: Sequence[Any], n_columns: int, most_classes: int) -> ClassMoments:
        """Restore the sums that `saved` returned; raise ``ValueError`` if they are invalid."""
        sums, bases, widths = told
        found = cls(n_columns)
        found._bases, found._widths = checked(bases, np.int64, (3,)), checked(widths, np.int64, (3,), least=_SPARE)
        if (np.abs(bases) > _MOST_DIGITS).any() or (widths > _MOST_DIGITS).any() or bases[0] > 0:
            raise ValueError("a sum has too many digits")
        n_classes = sums.shape[1] if isinstance(sums, np.ndarray) and sums.ndim == 3 else -1
        found._sums = checked(sums, np.int64, (n_columns, n_classes, int(widths.sum())))
        if n_classes > most_classes or not np.array_equal(_carried(sums.copy(), widths), sums):
            raise ValueError("the digits of a sum are invalid")
        found._parts, found._fresh = np.zeros((n_columns, n_classes, 4)), np.zeros(n_classes, np.bool_)
        return found

    def exact(self, column: int, code: int) -> list[tuple[int, int]]:
        """Return the three sums of a class, each as a pair ``(m, e)`` of integers that stands for ``m * 2**e``."""
        digits = self._sums[column, code]
        low, found, at = digits.astype("<u4").tobytes(), list[tuple[int, int]](), 0
        for base, width in zip(self._bases.tolist(), self._widths.tolist(), strict=True):
            last = at + width - 1
            number = int.from_bytes(low[4 * at : 4 * last], "little") + (int(digits[last]) << (32 * (width - 1)))
            found.append((number, 32 * base))
            at += width
        return found

    def parts(self) -> FloatArray:
        """Return weight, mean, rounding error of the mean and squared deviations, shape (columns, classes, 4)."""
        if not self._fresh.all():
            found = self._parts.copy()
            for code in np.flatnonzero(~self._fresh).tolist():
                for column in range(len(found)):
                    found[column, code] = _rounded(*self.exact(column, code))
            self._parts, self._fresh = found, np.ones_like(self._fresh)
        return self._parts

    def summaries(self) -> list[Moments]:
        n, mean, low, deviation = np.moveaxis(self.parts(), -1, 0).copy()
        m = Moments.of_classes(n, mean, low, deviation)
        overall = (np.asarray(part).tolist() for part in (m.n_all, m.mean_all, m.deviation_all))
        return [Moments(*parts) for parts in zip(m.n, m.mean, m.deviation, *overall, low, strict=True)]


def _carried(sums: IdArray, widths: IdArray) -> IdArray:
    """Carry digits over, so that all digits except the last of each sum are from 0 to 2^32 - 1."""
    ends = set(np.cumsum(widths).tolist())
    for i in range(sums.shape[2] - 1):
        if i + 1 not in ends:
            sums[..., i + 1] += sums[..., i] >> 32
            sums[..., i] &= 0xFFFFFFFF
    return sums


def _rounded(weight: tuple[int, int], total: tuple[int, int], squares: tuple[int, int]) -> tuple[float, ...]:
    """Return weight, mean, rounding error of the mean and squared deviations, each rounded only once."""
    (w, e_w), (s, e_s), (q, e_q) = weight, total, squares
    if not w:
        return 0.0, 0.0, 0.0, 0.0
    mean = _quotient(s, w, e_s - e_w)
    above, below = mean.as_integer_ratio()
    first = min(e_s, e_w)
    rest = (s << (e_s - first)) * below - above * (w << (e_w - first))
    # The sum of squared deviations is ``(q w - s^2) / w``.
    first_square = min(e_q + e_w, 2 * e_s)
    away = (q * w << (e_q + e_w - first_square)) - (s * s << (2 * e_s - first_square))
    deviation = _quotient(away, w, first_square - e_w)
    # Values with an underflowing squared difference are still different.
    deviation = math.ulp(0.0) if away and not deviation else deviation
    return _quotient(w, 1, e_w), mean, _quotient(rest, w * below, first - e_w), deviation


def _quotient(above: int, below: int, exponent: int) -> float:
    """Return ``above / below * 2^exponent``, correctly rounded."""
    try:
        return (above << exponent) / below if exponent >= 0 else above / (below << -exponent)
    except OverflowError:
        return math.inf


def _total(terms: FloatArray) -> FloatArray:
    """Return sums along the last axis that do not depend on the order of the terms or on the number of zeros."""
    total: FloatArray = np.cumsum(np.sort(terms, axis=-1), axis=-1)[..., -1]
    return total


def check_spread(moments: Moments, *, column: object) -> None:
    """Raise an error if the overall variance of a column is neither 0 nor between 1e-280 and 1e280."""
    variance = float(moments.variance_all())
    if moments.deviation_all != 0 and not LEAST_VARIANCE <= variance <= MOST_VARIANCE:
        found, repair = ("large", "Divide") if variance > 1 else ("small", "Multiply")
        raise NumericRangeError(
            f"column {column!r} has a variance too {found} for a density in float64; expected a variance from "
            f"1e-280 to 1e280, or 0. {repair} the column by a power of ten."
        )


def moments_without_each(
    m: Moments, x: FloatArray, own: IntArray, weights: FloatArray | None = None, rows: IntArray | None = None
) -> Moments:
    """Return, for each of ``rows`` (None for all), the moments computed without the row; its number must be known.

    ``x``, ``own`` and ``weights`` contain the number, class and weight of each row; the class is below 0 for a row that
    was not counted. Without a row of weight w, the weight n, mean m and squared deviations D of its class become
    ``n' = n - w``, ``m' = m - w (x - m) / n'`` and ``D' = D - n w (x - m)^2 / n'``.
    """
    x, own = np.asarray(x, np.float64), np.asarray(own)
    rows = np.arange(len(x)) if rows is None else rows
    w = np.ones(len(rows)) if weights is None else np.asarray(weights, np.float64)[rows]
    w, codes = np.where(own[rows] >= 0, w, 0.0), np.maximum(own[rows], 0)
    low = np.zeros_like(m.mean) if m.low is None else m.low
    n, mean, deviation = m.n[codes], m.mean[codes], m.deviation[codes]
    left = n - w
    gone = left <= 0
    share = w / np.where(gone, 1.0, left)
    with np.errstate(over="ignore", invalid="ignore"):
        away = np.where(w > 0, (x[rows] - mean) - low[codes], 0.0)
        squares = np.maximum(deviation - n * share * (away * away), 0.0)
        moved = low[codes] - share * away
    found = [left, mean + moved, moved - ((mean + moved) - mean), squares]
    # The formulas lose precision if a row makes up most of n or D. A class has only few such rows. For each of them,
    # the moments of the other rows are computed directly.
    doubtful = np.flatnonzero((w > 0) & ((left < 0.5 * n) | ((deviation > 0) & ~(squares >= _CANCELLED * deviation))))
    members: dict[int, IntArray] = {}
    for i in doubtful:
        code = int(codes[i])
        if code not in members:
            members[code] = np.flatnonzero(own == code)
        others = members[code][members[code] != rows[i]]
        sums = ClassMoments(1)
        sums.grow(1)
        sums.add([x[others]], np.zeros(len(others)), None if weights is None else weights[others])
        for part, number in zip(found, sums.parts()[0, 0], strict=True):
            part[i] = number
    for part in found:
        part[found[0] <= 0] = 0.0
    wide = [np.repeat(part[np.newaxis], len(rows), axis=0) for part in (m.n, m.mean, low, m.deviation)]
    for part, own_part in zip(wide, found, strict=True):
        part[np.arange(len(rows)), codes] = own_part
    return Moments.of_classes(*wide)


def blocks_without_each(
    m: Moments, x: FloatArray, own: IntArray, weights: FloatArray | None
) -> Iterator[tuple[IntArray, Moments]]:
    """Yield blocks of rows with known numbers, and for each row the moments computed without the row."""
    known = np.flatnonzero(~np.isnan(x)) if m.is_informative() else np.empty(0, np.intp)
    step = max(1, _CELLS_AT_ONCE // max(1, len(m.n)))
    for rows in (known[begin : begin + step] for begin in range(0, known.size, step)):
        yield rows, moments_without_each(m, x, own, weights, rows)


# -- Student's t and the normal density


def check_floats(strategy: Any) -> None:
    """Check the fields of a strategy and convert its numbers to floats, so that equal strategies print the same."""
    check_fields(strategy)
    for name in strategy._parameter_constraints:
        if is_number(value := getattr(strategy, name)):
            object.__setattr__(strategy, name, float(value))


@dataclass(frozen=True)
class Student:
    """Student's t density: a normal distribution with mean and precision integrated out under a Normal-Gamma prior.

    The prior is ``Gamma(a0, rate b0)`` for the precision r and ``Normal(m0, 1 / (k0 r))`` for the mean, where ``k0 =
    strength``, ``a0 = degrees / 2``, ``b0 = degrees / 2 * scale^2`` and ``m0`` is the parameter ``mean``. After n
    values with mean ``x'`` and sum of squared deviations ``D``: ``k = k0 + n``,
    ``m = (k0 m0 + n x') / k``, ``a = a0 + n / 2``, ``b = b0 + D / 2 + k0 n (x' - m0)^2 / (2 k)``, and the next value
    follows Student's t with ``2 a`` degrees of freedom, location ``m`` and squared scale ``b (k + 1) / (a k)``
    (Bernardo & Smith 1994, appendix A; Murphy 2007, eqs. 85-89 and 110). A column with fewer than two distinct values
    has log-density 0.

    Parameters
    ----------
    strength, degrees
        Equivalent sample sizes of the prior mean and the prior variance, from 1e-9 to 1e9.
    mean, scale
        Prior mean and standard deviation; None uses the mean and standard deviation (``sqrt(D / n)``) of the column.

    Examples
    --------
    >>> import priorcase as pc
    >>> X, y = [[30.0], [31.0], [60.0], [64.0]], ["no", "no", "yes", "yes"]
    >>> pc.NaiveBayes(numeric=Student(degrees=10)).fit(X, y).predict_proba([[40.0]]).round(3)
    array([[0.613, 0.387]])
    """

    strength: float = 1.0
    degrees: float = 1.0
    mean: float | None = None
    scale: float | None = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "strength": [Interval(Real, 1e-9, 1e9, closed="both")],
        "degrees": [Interval(Real, 1e-9, 1e9, closed="both")],
        "mean": [None, Interval(Real, -1e100, 1e100, closed="both")],
        "scale": [None, Interval(Real, 1e-100, 1e100, closed="both")],
    }

    def __post_init__(self) -> None:
        check_floats(self)

    def parameters(self, m: Moments) -> FloatArray:
        """Return ``c, loc, q, e`` of each class (see `log_densities`), shape (..., classes, 4).

        All numbers are 0 if the column is not informative.
        """
        k, location, a, b = self._posterior(m)
        q = k / (2 * b * (k + 1))
        # Student's constant: G(a + 1/2) / G(a) / sqrt(pi / q).
        c = log_rising(a, np.full_like(a, 0.5)) + 0.5 * np.log(q / math.pi)
        found = np.stack([c, location, q, a + 0.5], axis=-1)
        return np.where(m.is_informative()[..., None, None], found, 0.0)

    def log_marginal(self, m: Moments) -> FloatArray:
        """Return the log marginal likelihood of the values of each class, shape (..., classes).

        With the symbols of `Student` and the gamma function G, the likelihood is
        ``G(a) / G(a0) * b0^a0 / b^a * sqrt(k0 / k) * (2 pi)^(-n/2)`` (Murphy 2007, eq. 95). The result is 0 for a class
        without values.
        """
        k, _, a, b = self._posterior(m)
        a0, b0 = self.degrees / 2, self._rate(m)
        rising = log_rising(np.full_like(a, a0), m.n / 2)
        found = rising - a0 * np.log(b / b0) - 0.5 * m.n * np.log(2 * math.pi * b) + 0.5 * np.log(self.strength / k)
        return np.where(m.is_informative()[..., None] & (m.n > 0), found, 0.0)

    def _posterior(self, m: Moments) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return ``k, m, a, b`` (see `Student`) of each class, or of the prior if the column is not informative."""
        informative = m.is_informative()[..., None]
        n, mean, deviation = (np.where(informative, part, 0.0) for part in (m.n, m.mean, m.deviation))
        prior_mean = np.asarray(m.mean_all if self.mean is None else self.mean, dtype=np.float64)[..., None]
        k = self.strength + n
        away = mean - prior_mean
        b = self._rate(m) + 0.5 * (deviation + self.strength * (n / k) * (away * away))
        return k, prior_mean + n / k * away, self.degrees / 2 + n / 2, b

    def _rate(self, m: Moments) -> FloatArray:
        """Return ``b0`` of `Student`, shape (..., 1); an uninformative column is treated as having variance 1."""
        if self.scale is not None:
            return np.full((1,), self.degrees / 2 * self.scale * self.scale)
        n = np.asarray(m.n_all, dtype=np.float64)
        variance = np.where(m.is_informative(), m.deviation_all / np.where(n > 0, n, 1.0), 1.0)
        return (self.degrees / 2 * variance)[..., None]


@dataclass(frozen=True)
class GaussianDensity:
    """Normal density with the mean and variance of each class.

    The density is ``1 / sqrt(2 pi v) exp(-(x - m)^2 / (2 v))`` with ``v = D / (n - 1) + smoothing * V``. Here ``D`` is
    the sum of squared deviations in the class, and ``V`` is the variance of the whole column, also with divisor
    ``n - 1``.

    ``V`` replaces the variance of a class with fewer than two rows, and of a class of equal values if ``smoothing`` (0
    to 1) is 0. A class without known values uses the mean and variance of the column. scikit-learn's ``GaussianNB``
    divides by ``n`` instead, and smooths by the largest variance of all columns.

    >>> import priorcase as pc
    >>> X, y = [[30.0], [35.0], [60.0], [70.0]], ["no", "no", "yes", "yes"]
    >>> pc.NaiveBayes(numeric=GaussianDensity()).fit(X, y).predict_proba([[43.0]]).round(3)
    array([[0.755, 0.245]])
    """

    smoothing: float = 1e-9

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"smoothing": [Interval(Real, 0, 1, closed="both")]}

    def __post_init__(self) -> None:
        check_floats(self)

    def parameters(self, m: Moments) -> FloatArray:
        """Return ``c, loc, q, 0`` of each class (see `log_densities`), shape (..., classes, 4).

        All numbers are 0 if the column is not informative.
        """
        informative = m.is_informative()[..., None]
        overall = np.where(informative, m.variance_all()[..., None], 1.0)
        enough = m.n >= TWO_ROWS
        own = m.deviation / np.where(enough, m.n - 1, 1.0) + self.smoothing * overall
        variance = np.where(enough & (own >= LEAST_VARIANCE) & informative, own, overall)
        location = np.where(m.n > 0, m.mean, np.asarray(m.mean_all)[..., None])
        c = -0.5 * np.log(2 * math.pi * variance)
        found = np.stack([c, location, 0.5 / variance, np.zeros_like(c)], axis=-1)
        return np.where(informative[..., None], found, 0.0)


def log_densities(parameters: FloatArray, x: FloatArray) -> FloatArray:
    """Return the log-density of each number in each class; 0 for a missing number.

    ``parameters`` contains ``c, loc, q, e`` of each class, shape (..., classes, 4). The log-density is
    ``c - e ln(1 + (x - loc)^2 q)``, or ``c - (x - loc)^2 q`` if e is 0.
    """
    c, location, q, e = np.moveaxis(parameters, -1, 0)
    with np.errstate(over="ignore", invalid="ignore"):
        away = np.asarray(x, dtype=np.float64)[:, None] - location
        squares = np.where(q > 0, away * away * q, 0.0)  # 0 for an uninformative column, for any x
    far = np.isinf(squares) & (q > 0)
    logs = np.log1p(squares)
    if far.any():
        logs[far] = (2 * np.log(np.abs(away)) + np.log(np.broadcast_to(q, away.shape)))[far]
    found = c - np.where(e > 0, e * logs, squares)
    return np.where(np.isnan(away), 0.0, found)


def loo_log_densities(
    strategy: Student | GaussianDensity, m: Moments, x: FloatArray, own: IntArray, weights: FloatArray | None = None
) -> FloatArray:
    """Return the log-density of each row's number in each class, given all other rows; 0 for a missing number."""
    x = np.asarray(x, dtype=np.float64)
    found = np.zeros((len(x), len(m.n)))
    for rows, less in blocks_without_each(m, x, own, weights):
        found[rows] = log_densities(strategy.parameters(less), x[rows])
    return found


# -- kernel densities


@dataclass(frozen=True)
class KernelDensity:
    """Gaussian kernel density estimate for each class: ``sum_j w_j N(x; v_j, h^2) / sum_j w_j``.

    The sums are over the values ``v_j`` of the class, which have weights ``w_j``. The bandwidth ``h`` of a class with n
    values is ``0.9 A n^(-1/5)`` with ``A = min(sd, IQR / 1.34)`` (``"silverman"``; Silverman 1986, eq. 3.31),
    ``1 / sqrt(n)`` in the units of the column (``"john_langley"``; John & Langley 1995, section 3), or a number from
    1e-100 to 1e100. ``sd`` has divisor ``n - 1``; an IQR of 0 is ignored. A class of equal values, or with fewer than
    two rows, uses the ``A`` of the column; a class without known values uses the density of all values.

    >>> sample = [(np.array([1.0, 2.0, 3.0]), None), (np.array([7.0, 9.0]), None)]
    >>> np.exp(KernelDensity(1.0).log_density(np.array([2.0, 8.0]), sample)).round(3)
    array([[0.294, 0.   ],
           [0.   , 0.242]])
    """

    bandwidth: Bandwidth = "silverman"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "bandwidth": [StrOptions({"silverman", "john_langley"}), Interval(Real, 1e-100, 1e100, closed="both")]
    }

    def __post_init__(self) -> None:
        check_floats(self)

    def fit(self, samples: Sequence[Sample]) -> FittedKernels:
        """Return the densities of some classes, given the values of each class and their weights."""
        return FittedKernels(self.bandwidth, samples)

    def log_density(self, x: FloatArray, samples: Sequence[Sample]) -> FloatArray:
        """Return the log-density of each number in each class, shape (numbers, classes); 0 if the number is missing."""
        return self.fit(samples).log_density(x)


class FittedKernels:
    """Kernel densities of some classes, with the distinct values of each class and of all classes together."""

    def __init__(self, bandwidth: Bandwidth, samples: Sequence[Sample]) -> None:
        self.bandwidth = bandwidth
        self.classes = [_KernelSum(*bins.distinct(*sample)) for sample in samples]
        points = np.concatenate([np.empty(0), *(part.points for part in self.classes)])
        weights = np.concatenate([np.empty(0), *(part.weights for part in self.classes)])
        codes = np.repeat(np.arange(len(self.classes)), [len(part.points) for part in self.classes])
        self.everything = _KernelSum(*bins.distinct(points, weights))
        self.moments = Moments.of(points, codes, len(self.classes), weights)

    def log_density(self, x: FloatArray, own: IntArray | None = None, weights: FloatArray | None = None) -> FloatArray:
        """Return the log-density of each number in each class; 0 for a missing number.

        For leave-one-out, ``x``, ``own`` and ``weights`` contain the numbers, classes and weights of the stored rows.
        """
        x = np.asarray(x, dtype=np.float64)
        found, known = np.zeros((len(x), len(self.classes))), np.flatnonzero(~np.isnan(x))
        if self.moments.is_informative():
            own = np.full(len(x), -1) if own is None else own
            w = np.ones(len(x)) if weights is None else np.asarray(weights, dtype=np.float64)
            m = moments_without_each(self.moments, x, own, w, known)
            found[known] = self._log_densities(x[known], own[known], np.where(own < 0, 0.0, w)[known], m)
        return found

    def _log_densities(self, x: FloatArray, own: IntArray, w: FloatArray, m: Moments) -> FloatArray:
        """Return log-densities, shape (numbers, classes); the weight ``w`` of a number's own row is left out."""
        informative, n_all = m.is_informative(), np.asarray(m.n_all)
        at_all = self.everything.find(x)
        spread_all = _spread(m.variance_all(), self.everything.quartile_range(at_all, w))
        found = np.zeros((len(x), len(self.classes)))
        for k, kernels in enumerate(self.classes):
            some = np.flatnonzero(informative & (m.n[:, k] > 0))
            none = np.flatnonzero(informative & (m.n[:, k] <= 0))
            if len(some):
                at, out = kernels.find(x[some]), np.where(own == k, w, 0.0)[some]
                n, deviation = m.n[some, k], m.deviation[some, k]
                enough = n >= TWO_ROWS
                variance = np.where(enough, deviation / np.where(enough, n - 1, 1.0), 0.0)
                spread = _spread(variance, kernels.quartile_range(at, out))
                h = self._bandwidth(np.where(spread > 0, spread, spread_all[some]), n)
                found[some, k] = kernels.log_density(x[some], h, n, at, out)
            if len(none):
                h = self._bandwidth(spread_all[none], n_all[none])
                found[none, k] = self.everything.log_density(x[none], h, n_all[none], at_all[none], w[none])
        return found

    def _bandwidth(self, spread: FloatArray, n: FloatArray) -> FloatArray:
        if self.bandwidth == "silverman":
            return 0.9 * spread * n**-0.2
        return 1 / np.sqrt(n) if self.bandwidth == "john_langley" else np.full(len(n), float(self.bandwidth))


def _spread(variance: FloatArray, quartile_range: FloatArray) -> FloatArray:
    """Return ``min(sd, IQR / 1.34)``; ``sd`` if the IQR is 0, and 0 if the variance is 0."""
    deviation = np.where(variance >= LEAST_VARIANCE, np.sqrt(variance), 0.0)
    narrow = quartile_range / 1.34
    return np.where(narrow > _LEAST_RANGE * deviation, np.minimum(deviation, narrow), deviation)


@dataclass(frozen=True)
class _KernelSum:
    """Sum of normal densities around the values of one class or of all classes.

    In leave-one-out, the weight ``out`` of a query's own row is subtracted from the weight of the value at position
    ``at``. For other queries, ``out`` is 0.
    """

    points: FloatArray
    weights: FloatArray

    @cached_property
    def reached(self) -> FloatArray:
        return np.cumsum(self.weights)

    def find(self, x: FloatArray) -> IntArray:
        return np.minimum(np.searchsorted(self.points, x), len(self.points) - 1)

    def quartile_range(self, at: IntArray, out: FloatArray) -> FloatArray:
        """Return the third quartile minus the first."""
        # A quartile is the smallest value with at least a share q of the weight at or below it.
        last, found = len(self.points) - 1, []
        for q in (0.25, 0.75):
            wanted = q * (self.reached[-1] - out) * (1 - _ROUNDING)
            before = np.searchsorted(self.reached, wanted, side="left")
            after = np.maximum(np.searchsorted(self.reached, wanted + out, side="left"), at)
            found.append(self.points[np.minimum(np.where(before < at, before, after), last)])
        return np.asarray(found[1] - found[0])

    def log_density(
        self, x: FloatArray, bandwidth: FloatArray, weight: FloatArray, at: IntArray, out: FloatArray
    ) -> FloatArray:
        """Return ``ln(sum_j w_j N(x; v_j, h^2) / weight)`` for each query, where h is the ``bandwidth``."""
        found = np.empty(len(x))
        step = max(1, _KERNELS_AT_ONCE // max(1, len(self.points)))
        for begin in range(0, len(x), step):
            part = slice(begin, begin + step)
            found[part] = self._log_sums(x[part], bandwidth[part], at[part], out[part])
        return found - np.log(weight * bandwidth) - 0.5 * math.log(2 * math.pi)

    def _log_sums(self, x: FloatArray, bandwidth: FloatArray, at: IntArray, out: FloatArray) -> FloatArray:
        rows = np.arange(len(x))
        left = self.weights[at] - out
        with np.errstate(over="ignore", divide="ignore"):
            terms = (x[:, None] - self.points) / bandwidth[:, None]
            terms *= terms
            terms *= -0.5
            terms[rows[left <= 0], at[left <= 0]] = -np.inf
            highest = terms.max(axis=1)
            # If all terms underflow, the result is -inf; infinities must not be subtracted.
            terms -= np.where(np.isfinite(highest), highest, 0.0)[:, None]
            np.exp(terms, out=terms)
            own = terms[rows, at] * np.maximum(left, 0.0)
            terms *= self.weights
            terms[rows, at] = own
            return np.asarray(highest + np.log(terms.sum(axis=1)))


# -- the strategies by name

Numeric: TypeAlias = Student | GaussianDensity | KernelDensity | bins.Discretizer

DENSITIES = (Student, GaussianDensity, KernelDensity)
PLUG_IN = (GaussianDensity, KernelDensity)
"""Densities with estimated parameters, which have no marginal likelihood."""

NUMERIC: Mapping[str, Callable[[], Numeric]] = {
    "student": Student,
    "gaussian": GaussianDensity,
    "kernel": KernelDensity,
    "equal_width": bins.EqualWidth,
    "equal_frequency": bins.EqualFrequency,
    "kmeans": bins.KMeansBins,
    "mdl": bins.MDL,
    "two_way": bins.TwoWay,
}


DEFAULT = "mdl"
"""Default strategy for numeric columns."""


def resolve_numeric(spec: object, *, parameter: str = "numeric") -> Numeric:
    if isinstance(spec, str) and spec in NUMERIC:
        return NUMERIC[spec]()
    if isinstance(spec, DENSITIES):
        return spec
    if not isinstance(spec, type) and callable(getattr(spec, "cuts", None)) and hasattr(spec, "needs_classes"):
        return spec  # type: ignore[return-value]  # a discretizer by its methods
    otherwise = "To set options, pass an object of priorcase.bayes, such as KMeansBins(bins=3) or CutPoints((18, 65))."
    raise ParameterError(
        f"{parameter} must be a strategy for numeric columns or one of {', '.join(map(repr, NUMERIC))}, got "
        f"{quoted(spec)}. {advice(spec, NUMERIC, otherwise=otherwise)}"
    )
