"""Local polynomial fits: design columns, fits by the compiled core, statistics, robust fits and gradient descent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from sklearn.utils._param_validation import Interval

from priorcase._core import local_fits
from priorcase._parameters import check_fields, settle
from priorcase._typing import BoolArray, FloatArray, IdArray, IntArray
from priorcase.exceptions import ParameterError
from priorcase.neighbors.base import NeighborsMemory
from priorcase.schema import Date, Nominal, Numeric, Set, Text
from priorcase.schema.dates import DAY, WEEK, YEAR
from priorcase.similarity.periodic import Periodic

if TYPE_CHECKING:
    from priorcase.local.windows import Neighborhoods

NUMERIC, ORDINAL, NOMINAL = 0, 1, 2  # codes of the kinds of columns in the core
MOST_VALUES = 32  # maximum number of values of a nominal column in a local design, to limit time and degrees of freedom
STATISTICS, COEFFICIENTS, HAT_ROWS, LEFT_OUT = 2, 4, 8, 16  # optional results of the core
Answers = dict[str, FloatArray]

_NO_FREEDOM = 1e-9  # fewer degrees of freedom than this, per unit of weight, are rounding errors
_NO_RESIDUAL = 1e-7  # a median residual below this share of the mean is 0, as in Cleveland's program


@dataclass(frozen=True)
class LocalPolynomial:
    """Local polynomial of degree 0, 1 or 2, with a ridge penalty and a relative tolerance for small singular values."""

    degree: int = 1
    ridge: float = 0.0
    rcond: float = 1e-10

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "degree": [Interval(Integral, 0, 2, closed="both")],
        "ridge": [Interval(Real, 0, 1e100, closed="both")],
        "rcond": [Interval(Real, 0, 1, closed="left")],
    }

    def __post_init__(self) -> None:
        check_fields(self)
        if self.ridge > 0 and self.degree == 0:
            raise ParameterError(f"ridge must be 0.0 with degree=0, which has no slopes to penalize, got {self.ridge}")
        settle(self, degree=int(self.degree), ridge=float(self.ridge), rcond=float(self.rcond))


class GradientDescent(NamedTuple):
    """Parameters of gradient descent (Mitchell 1997)."""

    rate: float | None  # step size; None means 1 divided by the largest eigenvalue of the Hessian matrix
    max_steps: int
    tol: float


class DesignColumn(NamedTuple):
    """Column of a local model: an attribute, or the cosine or sine of a circular attribute."""

    attribute: int
    wave: Callable[[FloatArray], FloatArray] | None = None  # the cosine or the sine
    period: float = 1.0  # the unit for columns without a period

    @property
    def part(self) -> str:
        """Label of the transformation, such as 'season cos' or 'days'; '' for an unchanged attribute."""
        if self.wave is None:
            return "days" if self.period == DAY else ""
        name = {YEAR: "season ", WEEK: "weekday ", DAY: "hour "}.get(self.period, "")
        return f"{name}{'cos' if self.wave is np.cos else 'sin'}"

    def of(self, cells: FloatArray) -> FloatArray:
        """Compute the values of this column for encoded rows."""
        column = cells[:, self.attribute]
        if self.wave is None:
            return column if self.period == 1.0 else column / self.period
        return self.wave(column % self.period * (2.0 * np.pi / self.period))


def design_columns(memory: NeighborsMemory) -> tuple[DesignColumn, ...]:
    """Return the columns of local models, with cosine and sine for attributes that the distance treats as circular."""
    columns, kinds, terms = list[DesignColumn](), memory.instances.schema.kinds, memory.fitted.terms
    for a, (kind, term) in enumerate(zip(kinds, terms * len(kinds) if memory.distance.whole else terms, strict=True)):
        if isinstance(kind, (Text, Set)):  # a local model would need a term for nearly every row
            continue
        if not isinstance(term, Periodic) or term.line_share > 0:
            columns.append(DesignColumn(a, None, DAY if isinstance(kind, Date) else 1.0))
        if isinstance(term, Periodic):
            columns += [DesignColumn(a, wave, period) for period in term.periods.tolist() for wave in (np.cos, np.sin)]
    return tuple(columns)


@dataclass(frozen=True, slots=True, eq=False)
class LocalTable:
    """Stored rows in the format of the compiled core, with nominal values numbered in order of first occurrence."""

    columns: tuple[DesignColumn, ...]
    cells: FloatArray
    kinds: NDArray[np.uint8]
    scales: FloatArray  # standard deviations of the columns, 1 for constant and nominal ones
    targets: FloatArray
    values: IdArray  # number of values of a nominal column, otherwise 0
    numbers: tuple[FloatArray | None, ...]  # new number of each stored code, -1 for codes without rows
    ignored: BoolArray  # columns with attribute weight 0

    @classmethod
    def of(cls, memory: NeighborsMemory) -> LocalTable:
        """Create a table from the stored rows."""
        instances, weights, columns = memory.instances, memory.row_weights, design_columns(memory)
        cells, kinds, scales = _designed(columns, instances.cells()), list[int](), list[float]()
        numbers = list[FloatArray | None]()
        for column, given in zip(cells.T, columns, strict=True):
            kind = instances.schema.kinds[given.attribute]
            nominal = isinstance(kind, Nominal)
            kinds.append(NUMERIC if isinstance(kind, Numeric) else NOMINAL if nominal else ORDINAL)
            scales.append(1.0 if nominal else _spread(column, weights))
            numbers.append(None)
            if nominal:
                numbers[-1] = _numbered(column, weights)
        attribute_weights, n_targets = memory.attribute_weights, len(instances.targets or ())
        ignored = np.zeros(cells.shape[1], dtype=bool)
        if attribute_weights is not None:
            ignored = attribute_weights[[column.attribute for column in columns]] == 0
        return cls(
            columns=columns,
            cells=renumbered(cells, numbers),
            kinds=np.array(kinds, dtype=np.uint8),
            scales=np.array(scales),
            targets=np.stack([instances.target(t).astype(np.float64) for t in range(n_targets)], axis=1),
            values=np.array([0 if of is None else int(of.max(initial=-1.0)) + 1 for of in numbers], dtype=np.int64),
            numbers=tuple(numbers),
            ignored=ignored,
        )

    def numbered(self, cells: FloatArray) -> FloatArray:
        """Compute the design columns of encoded queries, with nominal values numbered as in the stored rows."""
        return renumbered(_designed(self.columns, cells), self.numbers)

    def queries(self, cells: FloatArray, far: BoolArray) -> FloatArray:
        """Compute the design columns of queries, with NaN for missing and other values that a fit must not use."""
        found = self.numbered(cells)
        found[(self.kinds == ORDINAL) & (found < 0)] = np.nan
        found[:, self.ignored] = np.nan
        found[far] = np.nan  # no columns at all: the mean of the nearest rows is fitted
        return found

    def n_terms(self, degree: int) -> int:
        """Return the number of terms of a local model if no value is missing; a nominal column counts as one term."""
        if degree == 0:
            return 1
        kinds = self.kinds[~self.ignored]
        numbers = int((kinds != NOMINAL).sum())
        return 1 + kinds.size + (numbers * (numbers + 1) // 2 if degree == 2 else 0)


def _numbered(column: FloatArray, weights: FloatArray | None) -> FloatArray:
    """Number the codes by first occurrence; with more than `MOST_VALUES`, the rarest codes share the last number."""
    known = ~np.isnan(column)
    held = column[known].astype(np.int64)
    codes, first = np.unique(held, return_index=True)
    found = np.full(int(codes.max(initial=-1)) + 1, -1.0)
    codes, kept = codes[np.argsort(first)], np.ones(codes.size, dtype=bool)
    if codes.size > MOST_VALUES:  # equally frequent values are all kept or all merged: their order is arbitrary
        counts = np.bincount(held, weights=None if weights is None else weights[known])[codes]
        kept = counts > np.sort(counts)[-MOST_VALUES]
        found[codes[~kept]] = kept.sum()
    found[codes[kept]] = np.arange(int(kept.sum()))
    return found


def _designed(columns: Sequence[DesignColumn], cells: FloatArray) -> FloatArray:
    """Compute the values of all design columns for encoded rows."""
    if len(columns) == cells.shape[1] and all(column.period == 1.0 and column.wave is None for column in columns):
        return cells
    found = np.empty((len(cells), len(columns)))
    for j, column in enumerate(columns):
        found[:, j] = column.of(cells)
    return found


def renumbered(cells: FloatArray, numbers: Sequence[FloatArray | None]) -> FloatArray:
    """Return encoded rows with nominal codes replaced by ``numbers``, and by -1 for values that no stored row has."""
    found = np.array(cells, dtype=np.float64, order="C")
    for a, of in enumerate(numbers):
        if of is not None:
            known = ~np.isnan(cells[:, a])
            codes = cells[known, a].astype(np.int64)
            codes[(codes < 0) | (codes >= of.size)] = -1
            found[known, a] = np.append(of, -1.0)[codes]
    return found


def _spread(column: FloatArray, weights: FloatArray | None) -> float:
    """Return the standard deviation of the known values, or 1 if all known values are equal."""
    known = ~np.isnan(column)
    values, times = column[known], np.ones(int(known.sum())) if weights is None else weights[known]
    if not values.size or values.min() == values.max():
        return 1.0
    largest = float(np.abs(values).max())
    values = values / largest
    mean = float((values * times).sum() / times.sum())
    deviation = float(np.sqrt(((values - mean) ** 2 * times).sum() / times.sum())) * largest
    return max(deviation, float(np.finfo(float).tiny))


# -- fits and their statistics


@dataclass(frozen=True, slots=True)
class Fits:
    """Local fits, one for each query."""

    predictions: FloatArray  # shape (queries, targets)
    answers: Answers  # other results of the core; axes: queries (for hat rows, entries) and targets (one if all equal)
    far: IntArray  # queries without weighted rows, for which the mean of the nearest rows was fitted

    def deviations(self, *, of_target: bool) -> FloatArray:
        """Return the standard deviation of each prediction or, with ``of_target``, of a new observation."""
        free = self._free_weight()
        with np.errstate(divide="ignore", invalid="ignore"):
            sigma = np.where(free > 0, np.sqrt(self.answers["residuals"] / free), np.inf)
        # The variance is s's, where s contains the coefficients of the rows' targets in the prediction.
        return np.asarray(sigma * np.sqrt(self.answers["variance"] + of_target))

    def interval(self, level: float, *, of_target: bool) -> tuple[FloatArray, FloatArray]:
        """Return the lower and upper limits of intervals from Student's t distribution."""
        free = self._free_weight() * (self.answers["weight"] / self.answers["squares"])
        with np.errstate(over="ignore"):
            quantiles = np.where(free > 0, stats.t.ppf((1 + level) / 2, np.where(free > 0, free, 1.0)), np.inf)
        deviations = self.deviations(of_target=of_target)
        with np.errstate(invalid="ignore", over="ignore"):
            half = np.where(deviations == 0, 0.0, np.where(np.isfinite(quantiles), quantiles * deviations, np.inf))
        return self.predictions - half, self.predictions + half

    def effective_neighbors(self) -> FloatArray:
        """Return the effective numbers of neighbors, ``(sum K)^2 / sum K^2`` for kernel weights K."""
        return np.asarray(self.answers["weight"] * (self.answers["weight"] / self.answers["squares"]))

    def _free_weight(self) -> FloatArray:
        """Return the residual degrees of freedom, n_LWR - p_LWR, in units of kernel weight (0 for rounding errors)."""
        n, p = self.answers["weight"], self.answers["parameters"]
        free = np.where(n - p > _NO_FREEDOM * n, n - p, 0.0)
        free[self.far] = 0.0
        return free


def fit_queries(
    table: LocalTable,
    model: LocalPolynomial,
    cells: FloatArray,
    around: Neighborhoods,
    *,
    want: int = 0,  # sum of the optional results to compute, such as `STATISTICS` and `COEFFICIENTS`
    threads: int,
    factors: FloatArray | None = None,  # robustness weights, shape (rows, targets)
) -> Fits:
    """Fit a polynomial around each query."""
    queries, found = table.queries(cells, around.far), list[Answers]()
    for t in range(1 if factors is None else factors.shape[1]):
        weighted, targets = around, table.targets
        if factors is not None:  # each target has its own weights
            weighted, targets = around.scaled(factors[:, t]), np.ascontiguousarray(targets[:, t : t + 1])
        lists = weighted.indptr, weighted.rows, np.ascontiguousarray(weighted.masses()), weighted.counts
        given = (*lists, table.cells, queries, table.kinds, table.scales, targets)
        options: dict[str, Any] = {"want": want, "threads": threads, "values": table.values}
        found.append(local_fits(*given, degree=model.degree, ridge=model.ridge, rcond=model.rcond, **options))
    answers = found[0]
    for key in answers:
        columns = [of[key] if of[key].ndim > 1 else of[key][:, None] for of in found]
        answers[key] = columns[0] if factors is None else np.concatenate(columns, axis=1)
    return Fits(answers.pop("predictions"), answers, np.flatnonzero(around.far))


# -- robust fits


def robustness_weights(
    residuals_by: Callable[[FloatArray], FloatArray], targets: FloatArray, times: FloatArray | None, rounds: int
) -> FloatArray:
    """Return robustness weights after ``rounds`` robust refits (Cleveland 1979, section 2), shape (rows, targets).

    A row with residual e has the weight ``(1 - (e / 6 s)^2)^2`` if ``|e| < 6 s``, otherwise 0, where s is the median of
    ``|e|`` over all rows.
    """
    found, largest = np.ones(targets.shape), np.abs(targets).max(axis=0)
    for _ in range(rounds):
        for t, size in enumerate(np.abs(residuals_by(found)).T):
            s = weighted_median(size, times)
            rounding = 8 * np.finfo(np.float64).eps * largest[t]
            # If s is 0 up to rounding errors, the weights do not change.
            if s > max(_NO_RESIDUAL * float(np.average(size, weights=times)), rounding):
                inside = np.minimum(size / (6 * s), 1.0)
                rest = 1.0 - inside * inside
                found[:, t] = rest * rest
    return found


def weighted_median(values: FloatArray, times: FloatArray | None) -> float:
    """Return the weighted median of values, or the mean of the two middle values if the median is not unique."""
    if times is None:
        return float(np.median(values))
    order = np.argsort(values, kind="stable")
    reach = np.cumsum(times[order])
    half = reach[-1] / 2
    low = int(np.searchsorted(reach, half * (1 - 1e-9)))
    high = int(np.searchsorted(reach, half * (1 + 1e-9), side="right"))
    return float((values[order[low]] + values[order[min(high, values.size - 1)]]) / 2)


# -- gradient descent


def descend(
    table: LocalTable, model: LocalPolynomial, rule: GradientDescent, cells: FloatArray, around: Neighborhoods, t: int
) -> tuple[FloatArray, BoolArray]:
    """Fit target ``t`` by gradient descent; return the predictions and a mask of the fits that converged.

    Each step is ``w_j += eta sum K (y - w'x) x_j`` (Mitchell 1997, eq. 8.7). Centered and scaled columns avoid
    zigzagging. Slopes start at 0, which leads to the minimum-norm solution, as with the direct solver.
    """
    queries, masses = table.queries(cells, around.far), around.masses()
    values, converged = np.empty(len(around)), np.ones(len(around), dtype=bool)
    for q, (start, stop) in enumerate(around.spans()):
        weighted = start + np.flatnonzero(masses[start:stop] > 0)
        rows, weights = around.rows[weighted], masses[weighted]
        columns, targets = _design(table, queries[q], table.cells[rows], model.degree), table.targets[rows, t : t + 1]
        share = weights / weights.sum()
        center, mean = share @ columns, share @ targets
        centered = columns - center
        # The gradient sum K (y - w'x) x is its value at w = 0 minus the Hessian times w.
        gradient = (centered * weights[:, None]).T @ (targets - mean)
        hessian = (centered * weights[:, None]).T @ centered + model.ridge**2 * np.eye(columns.shape[1])
        largest = float(np.linalg.eigvalsh(hessian)[-1]) if hessian.size else 0.0
        slopes = np.zeros(gradient.shape)
        if largest > 0.0:
            slopes, converged[q] = _descend(gradient, hessian, 1.0 / largest if rule.rate is None else rule.rate, rule)
        with np.errstate(over="ignore", invalid="ignore"):
            value = mean - center @ slopes
        values[q] = np.where(np.isfinite(value), value, mean)[0]
    return values, converged


def _descend(gradient: FloatArray, hessian: FloatArray, rate: float, rule: GradientDescent) -> tuple[FloatArray, bool]:
    slopes = np.zeros(gradient.shape)
    for _ in range(rule.max_steps):
        with np.errstate(over="ignore", invalid="ignore"):
            step = rate * (gradient - hessian @ slopes)
            slopes = slopes + step
        if not np.isfinite(slopes).all():
            break
        if (np.abs(step) <= rule.tol * np.abs(slopes).max(axis=0)).all():
            return slopes, True
    return slopes, False


def _design(table: LocalTable, query: FloatArray, rows: FloatArray, degree: int) -> FloatArray:
    """Return the local design matrix without intercept, shape (rows, terms)."""
    known = ~np.isnan(query) & (degree > 0)
    numbers = np.flatnonzero(known & (table.kinds != NOMINAL))
    deviations = (rows[:, numbers] - query[numbers]) / table.scales[numbers]
    deviations[np.isnan(deviations)] = 0.0
    parts = [deviations]
    if degree == 2:
        first, second = np.triu_indices(numbers.size)
        parts.append(deviations[:, first] * deviations[:, second])
    for a in np.flatnonzero(known & (table.kinds == NOMINAL)).tolist():
        held = np.unique(rows[:, a][~np.isnan(rows[:, a])])
        parts.append((rows[:, a, None] == held[held != query[a]]).astype(np.float64))
    return np.concatenate(parts, axis=1)
