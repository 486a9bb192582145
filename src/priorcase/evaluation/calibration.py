"""Calibration of predicted probabilities, and coverage of prediction intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri
from sklearn.utils._param_validation import Interval, StrOptions

from priorcase._numbers import equal_decimals, number
from priorcase._parameters import check_value
from priorcase._typing import Backend, FloatArray, Value
from priorcase.evaluation.scores import Forecasts, read_forecasts
from priorcase.exceptions import (
    EvaluationError,
    ParameterError,
    TargetError,
    UnknownNameError,
    advice,
    listed,
    prefix_errors,
    quoted,
)
from priorcase.learning.plotting import MUTED, caption, drawing, legend_beside, style
from priorcase.learning.results import Grid, GridResult, framed
from priorcase.learning.targets import read_numbers

Strategy: TypeAlias = Literal["uniform", "quantile"]
Ends: TypeAlias = "ArrayLike | tuple[ArrayLike, ArrayLike]"
"""Lower and upper ends of intervals: an array of shape (rows, 2), or a tuple of two arrays."""

_MOST_BINS = 100_000  # more bins only use more memory
_MEANINGS = {
    "reliability": "+  distance of the observed frequencies from the probabilities; 0 is perfectly calibrated",
    "resolution": "-  variation of the observed frequencies between bins; greater is more informative",
    "uncertainty": "+  score of always predicting the overall frequency",
    "within": "+  variation within bins; 0 if all probabilities in each bin are equal",
    "brier": "=  mean squared error of the probability",
}


def wilson_interval(share: FloatArray, rows: FloatArray, level: float) -> FloatArray:
    """Return Wilson's confidence interval of each share, shape (shares, 2) (Wilson 1927).

    ``rows`` contains the sample size of each share, and ``level`` is the confidence level.
    """
    z = float(ndtri(0.5 + level / 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        middle = (share + z * z / (2 * rows)) / (1 + z * z / rows)
        half = z * np.sqrt(share * (1 - share) / rows + z * z / (4 * rows * rows)) / (1 + z * z / rows)
    return np.stack([np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)], axis=1)


def _draw_diagonal(ax: Any, label: str, x: str, y: str) -> None:
    ax.plot([0, 1], [0, 1], color=MUTED, linewidth=1, linestyle=(0, (4, 2)), label=label)
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    ax.set_aspect("equal")
    ax.set_xlabel(x)
    ax.set_ylabel(y)


# -- probabilities


@dataclass(frozen=True, repr=False)
class BrierParts(GridResult):
    """Decomposition of the Brier score of one event; prints as a table.

    Bin ``b`` has ``n_b`` of ``N`` rows, mean probability ``p_b`` and observed frequency ``o_b``; the observed frequency
    of all rows is ``o``. Then ``reliability = sum n_b (p_b - o_b)^2 / N``, ``resolution = sum n_b (o_b - o)^2 / N``,
    ``uncertainty = o (1 - o)`` and ``brier = reliability - resolution + uncertainty + within``. In Murphy (1973, eq.
    2), each distinct probability is a bin and ``within`` is 0; for wider bins, see Stephenson, Coelho & Jolliffe
    (2008).
    """

    brier: float
    reliability: float
    resolution: float
    uncertainty: float
    within: float

    def _grid(self) -> Grid:
        lines = [[name, f"{getattr(self, name) + 0.0:.4f}", words] for name, words in _MEANINGS.items()]
        return Grid("", ("part", "value", "meaning"), lines, right={1})


@dataclass(frozen=True, repr=False, eq=False)
class CalibrationTable(GridResult):
    """Predicted probabilities and observed frequencies in bins; they print as a table.

    ``subject`` is "the predicted class" or the name of a class. Bins lie between consecutive ``edges`` and include
    their upper edge; the first bin also includes its lower edge. For each bin, ``rows`` is the number of rows (or their
    total sample weight), ``probability`` the mean predicted probability and ``observed`` the observed frequency;
    ``probability`` and ``observed`` are NaN in an empty bin. ``brier`` is the mean of ``(p - outcome)^2`` over the
    rows.
    """

    subject: str
    edges: FloatArray
    rows: FloatArray
    probability: FloatArray
    observed: FloatArray
    brier: float

    def __len__(self) -> int:
        return self.rows.size

    @property
    def gap(self) -> FloatArray:
        """``observed - probability`` of each bin: negative if the probabilities are too high; NaN in an empty bin."""
        return self.observed - self.probability

    @property
    def expected_error(self) -> float:
        """Expected calibration error: the mean of ``|gap|`` over the rows (Naeini, Cooper & Hauskrecht 2015)."""
        filled = self.rows > 0
        return float(np.dot(self.rows[filled], np.abs(self.gap[filled])) / self.rows[filled].sum())

    @property
    def largest_error(self) -> float:
        """Largest ``|gap|`` of all bins."""
        return float(np.nanmax(np.abs(self.gap)))

    @property
    def parts(self) -> BrierParts:
        """Decomposition of ``brier`` into reliability, resolution and uncertainty (Murphy 1973); see `BrierParts`."""
        filled = self.rows > 0
        shares, observed = self.rows[filled] / self.rows[filled].sum(), self.observed[filled]
        overall = float(np.dot(shares, observed))
        reliability = float(np.dot(shares, (self.probability[filled] - observed) ** 2))
        resolution = float(np.dot(shares, (observed - overall) ** 2))
        uncertainty = overall * (1.0 - overall)
        within = self.brier - (reliability - resolution + uncertainty)
        return BrierParts(self.brier, reliability, resolution, uncertainty, within)

    @prefix_errors
    def interval(self, level: float = 0.95) -> FloatArray:
        """Return Wilson's interval for the observed frequency of each bin, shape (bins, 2); NaN in an empty bin."""
        return wilson_interval(self.observed, self.rows, read_probability("level", level))

    @prefix_errors
    def frame(self, backend: Backend | None = None) -> Any:
        """Return a data frame with one row per bin.

        The columns are ``above``, ``up_to``, ``rows``, ``probability``, ``observed`` and ``gap``. ``backend`` is
        ``"pandas"``, ``"polars"`` or ``"pyarrow"``; None uses the first of these libraries that is installed. If none
        is installed, the result is a dictionary of arrays.
        """
        return framed(self.columns(), backend)

    def columns(self) -> dict[str, FloatArray]:
        """Return the columns of `frame` as arrays."""
        bins = {"above": self.edges[:-1], "up_to": self.edges[1:], "rows": self.rows}
        found = bins | {"probability": self.probability, "observed": self.observed, "gap": self.gap}
        return {name: column.copy() for name, column in found.items()}

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """Plot observed frequencies, with 95% intervals, against probabilities; bars show the share of rows per bin."""
        with drawing(ax, size=(6.0, 4.2)) as ax:
            _draw_diagonal(ax, "perfectly calibrated", "mean predicted probability", "observed share")
            bars: dict[str, Any] = {"align": "edge", "color": style(0).tint, "edgecolor": "white", "linewidth": 0.8}
            shares, widths = self.rows / self.rows.sum(), np.diff(self.edges)
            ax.bar(self.edges[:-1], shares, width=widths, label="share of the rows", **bars)
            filled = self.rows > 0
            x, y, (low, high) = self.probability[filled], self.observed[filled], self.interval()[filled].T
            errors = [np.maximum(y - low, 0.0), np.maximum(high - y, 0.0)]
            ax.errorbar(x, y, yerr=errors, capsize=2.5, label="observed, 95% interval", **_line(0))
            legend_beside(ax)
            ax.set_title(caption(f"Calibration of {self.subject}", 60))
            return ax

    def _grid(self) -> Grid:
        lines = []
        for b in range(len(self)):
            texts = [f"{self.probability[b]:.3f}", f"{self.observed[b]:.3f}", f"{self.gap[b]:+.3f}"]
            between = f"{self.edges[b]:.3g} to {self.edges[b + 1]:.3g}"
            lines.append([between, _count(float(self.rows[b])), *(texts if self.rows[b] else ["-"] * 3)])
        total = _count(float(self.rows.sum()))
        title = f"calibration of {self.subject}: {total} rows, expected calibration error {self.expected_error:.3f}"
        return Grid(title, ("probability", "rows", "mean", "observed", "gap"), lines, right=range(1, 5))


@prefix_errors
def calibration_table(
    y_true: ArrayLike,
    proba: ArrayLike,
    *,
    bins: int = 10,
    strategy: Strategy = "uniform",
    labels: ArrayLike | None = None,
    pos_label: Value | None = None,
    sample_weight: ArrayLike | None = None,
) -> CalibrationTable:
    """Compare predicted probabilities with observed frequencies in bins.

    For calibrated probabilities, the observed frequency in each bin is close to the mean probability. The expected
    calibration error is the mean absolute difference between observed frequency and mean probability, with each bin
    weighted by its number of rows.

    Parameters
    ----------
    y_true, proba, labels, sample_weight
        See `log_score`.
    bins
        Number of bins; there are fewer if quantiles coincide.
    strategy
        ``"uniform"`` for bins of equal width, ``"quantile"`` for bins with about equal numbers of rows, as in
        scikit-learn's ``calibration_curve``.
    pos_label
        The class whose probability is used; None for the predicted class of each row.

    Examples
    --------
    >>> proba = [[0.9, 0.1], [0.8, 0.2], [0.8, 0.2], [0.3, 0.7], [0.4, 0.6]]
    >>> table = calibration_table(["no", "no", "yes", "yes", "yes"], proba, labels=["no", "yes"], bins=4)
    >>> table
    calibration of the predicted class: 5 rows, expected calibration error 0.240
      probability  rows   mean  observed     gap
      0 to 0.25       0      -         -       -
      0.25 to 0.5     0      -         -       -
      0.5 to 0.75     2  0.650     1.000  +0.350
      0.75 to 1       3  0.833     0.667  -0.167
    """
    forecasts = read_forecasts(y_true, proba, labels, sample_weight)
    if pos_label is None:
        return _binned(forecasts, None, bins, strategy)
    if pos_label not in forecasts.labels:
        remedy = advice(
            pos_label, forecasts.labels, otherwise="pos_label=None uses the most probable class of each row."
        )
        raise ParameterError(
            f"pos_label must be None or one of {listed(forecasts.labels)}, got {quoted(pos_label)}. {remedy}"
        )
    return _binned(forecasts, forecasts.labels.index(pos_label), bins, strategy)


def _binned(forecasts: Forecasts, place: int | None, bins: int, strategy: Strategy) -> CalibrationTable:
    """Return the calibration table of one class, or of the most probable class of each row."""
    check_value("strategy", strategy, [StrOptions({"uniform", "quantile"})])
    check_value("bins", bins, [Interval(Integral, 1, _MOST_BINS, closed="both")])
    subject = "the predicted class" if place is None else f"class {forecasts.labels[place]!r}"
    column = forecasts.shares.argmax(axis=1) if place is None else np.full(forecasts.truth.size, place)
    shares = forecasts.shares[np.arange(column.size), column]
    hits = (forecasts.truth == column).astype(np.float64)
    edges = np.linspace(0.0, 1.0, int(bins) + 1)
    if strategy == "quantile":
        inner = np.unique(_quantiles(shares, forecasts.weights, edges[1:-1]))
        edges = np.concatenate(([shares.min()], inner[inner < shares.max()], [shares.max()]))
    bin_of = np.searchsorted(edges[1:-1], shares)
    rows, predicted, true = (
        np.bincount(bin_of, weights=forecasts.weights * each, minlength=edges.size - 1).astype(np.float64)
        for each in (np.ones_like(shares), shares, hits)
    )
    filled = np.where(rows > 0, rows, np.nan)
    brier = forecasts.mean((shares - hits) ** 2)
    return CalibrationTable(subject, edges, rows, predicted / filled, true / filled, brier)


def _quantiles(values: FloatArray, weights: FloatArray, at: FloatArray) -> FloatArray:
    """Return weighted quantiles; a value with integer weight w counts like w equal values in ``numpy.quantile``."""
    order = np.argsort(values, kind="stable")
    ends = np.cumsum(weights[order])
    place = np.maximum(ends[-1] - 1.0, 0.0) * at
    whole = np.floor(place)
    below, above = (
        values[order][np.minimum(np.searchsorted(ends, position, side="right"), values.size - 1)]
        for position in (whole, whole + 1.0)
    )
    between: FloatArray = below + (above - below) * (place - whole)
    return between


def _count(weight: float) -> str:
    return f"{weight:,.0f}" if weight == round(weight) else number(weight, 4)


def _line(i: int) -> dict[str, Any]:
    look = style(i)
    return {"color": look.color, "marker": look.marker, "linestyle": look.line, "linewidth": 1.2}


@dataclass(frozen=True, repr=False, eq=False)
class ClasswiseCalibration(Mapping[Value, CalibrationTable], GridResult):
    """Mapping from class label to the calibration table of the class; prints as a table with one line per class."""

    tables: dict[Value, CalibrationTable]

    def __getitem__(self, label: Value) -> CalibrationTable:
        if label not in self.tables:
            remedy = advice(label, self.tables, otherwise="Iterate over the result to get all classes.")
            raise UnknownNameError(
                f"ClasswiseCalibration has no class {quoted(label)}; it has {listed(self.tables)}. {remedy}"
            )
        return self.tables[label]

    def __iter__(self) -> Iterator[Value]:
        return iter(self.tables)

    def __len__(self) -> int:
        return len(self.tables)

    @property
    def expected_error(self) -> float:
        """Mean of the expected calibration errors of all classes (Kull et al. 2019, eq. 3)."""
        return float(np.mean([table.expected_error for table in self.tables.values()]))

    def frame(self, backend: Backend | None = None) -> Any:
        """Return one row per class and bin, with the column ``class`` and the columns of `CalibrationTable.frame`."""
        columns: dict[str, Any] = {"class": [label for label, table in self.tables.items() for _ in range(len(table))]}
        parts = [table.columns() for table in self.tables.values()]
        columns |= {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        return framed(columns, backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """Plot observed frequencies against predicted probabilities, with one line for each class."""
        with drawing(ax, size=(6.0, 4.2)) as ax:
            _draw_diagonal(ax, "perfectly calibrated", "mean predicted probability", "observed share")
            for i, (label, table) in enumerate(self.tables.items()):
                filled = table.rows > 0
                ax.plot(table.probability[filled], table.observed[filled], label=str(label), **_line(i))
            ax.set_title("Calibration of each class")
            legend_beside(ax)
            return ax

    def _grid(self) -> Grid:
        lines = []
        for label, table in self.tables.items():
            rows, filled = table.rows.sum(), table.rows > 0
            observed, mean = (
                float(np.dot(table.rows[filled], each[filled]) / rows) for each in (table.observed, table.probability)
            )
            numbers = (observed, mean, table.expected_error, table.largest_error)
            lines.append([str(label), _count(float(rows)), *(f"{number:.3f}" for number in numbers)])
        title = f"calibration of each class: mean expected calibration error {self.expected_error:.3f}"
        header = ("class", "rows", "observed", "mean probability", "calibration error", "largest gap")
        return Grid(title, header, lines, right=range(1, 6))


@prefix_errors
def classwise_calibration(
    y_true: ArrayLike,
    proba: ArrayLike,
    *,
    bins: int = 10,
    strategy: Strategy = "uniform",
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> ClasswiseCalibration:
    """Return a calibration table for each class.

    Parameters
    ----------
    y_true, proba, bins, strategy, labels, sample_weight
        See `calibration_table`.

    Examples
    --------
    >>> proba = [[0.9, 0.1], [0.8, 0.2], [0.8, 0.2], [0.3, 0.7], [0.4, 0.6]]
    >>> tables = classwise_calibration(["no", "no", "yes", "yes", "yes"], proba, labels=["no", "yes"], bins=4)
    >>> tables
    calibration of each class: mean expected calibration error 0.240
      class  rows  observed  mean probability  calibration error  largest gap
      no        5     0.400             0.640              0.240        0.350
      yes       5     0.600             0.360              0.240        0.350
    >>> tables["yes"].rows.tolist()
    [3.0, 0.0, 2.0, 0.0]
    """
    forecasts = read_forecasts(y_true, proba, labels, sample_weight)
    found = {label: _binned(forecasts, place, bins, strategy) for place, label in enumerate(forecasts.labels)}
    return ClasswiseCalibration(found)


# -- intervals


@dataclass(frozen=True, repr=False, eq=False)
class CoverageTable(GridResult):
    """Empirical coverage of prediction intervals; prints as a table.

    ``rows`` is the number of rows, and ``levels`` are the nominal levels in ascending order. For each level,
    ``covered`` is the share of true values inside their intervals (ends included); ``below`` and ``above`` are the
    shares of true values below and above their intervals. ``width`` is the mean width and ``score`` the mean interval
    score (smaller is better). For the interval from ``l`` to ``u`` and the true value ``y``, the interval score is the
    width ``u - l``, plus ``2 / a (l - y)`` if ``y < l`` or ``2 / a (y - u)`` if ``y > u``, with ``a = 1 - level``
    (Gneiting & Raftery 2007, eq. 43).
    """

    rows: int
    levels: FloatArray
    covered: FloatArray
    below: FloatArray
    above: FloatArray
    width: FloatArray
    score: FloatArray

    def __len__(self) -> int:
        return self.levels.size

    @property
    def interval(self) -> FloatArray:
        """Wilson's 95% interval for the coverage of each level, shape (levels, 2)."""
        return wilson_interval(self.covered, np.full(len(self), float(self.rows)), 0.95)

    def frame(self, backend: Backend | None = None) -> Any:
        """Return a data frame with one row per level.

        The columns are ``level``, ``covered``, ``low``, ``high``, ``below``, ``above``, ``width`` and ``score``. The
        95% interval for ``covered`` goes from ``low`` to ``high``.
        """
        low, high = self.interval.T
        columns = {"level": self.levels.copy(), "covered": self.covered.copy(), "low": low, "high": high}
        others = ("below", "above", "width", "score")
        return framed(columns | {name: getattr(self, name).copy() for name in others}, backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """Plot the observed coverage with Wilson's 95% intervals against the nominal level."""
        with drawing(ax, size=(6.0, 4.2)) as ax:
            _draw_diagonal(ax, "nominal", "level of the intervals", "share of true values inside")
            errors, look = np.abs(self.interval.T - self.covered), _line(0)
            del look["linewidth"]
            ax.errorbar(self.levels, self.covered, yerr=errors, capsize=2.5, label="covered, 95% interval", **look)
            ax.set_title(f"Coverage of {self.rows:,} rows")
            legend_beside(ax)
            return ax

    def _grid(self) -> Grid:
        lines = []
        widths, scores = equal_decimals(self.width), equal_decimals(self.score)
        for i, (low, high) in enumerate(self.interval):
            covered = [f"{self.levels[i]:g}", f"{self.covered[i]:.3f}", f"{low:.3f} to {high:.3f}"]
            outside = [f"{self.below[i]:.3f}", f"{self.above[i]:.3f}"]
            lines.append([*covered, *outside, widths[i], scores[i]])
        header = ("level", "covered", "95% interval", "below", "above", "mean width", "interval score")
        return Grid(f"coverage of {self.rows:,} rows", header, lines, right=range(7))


@prefix_errors
def coverage_table(
    y_true: ArrayLike, intervals: Mapping[float, Ends] | Ends, *, level: float | None = None
) -> CoverageTable:
    """Measure the empirical coverage, width and interval score of prediction intervals.

    Good intervals of level 0.9 contain nine of ten true values and are as narrow as possible. The interval score
    combines coverage and width.

    Parameters
    ----------
    y_true
        The true value of each row.
    intervals
        Lower and upper ends: an array of shape (rows, 2), such as the result of ``predict_interval``, or a tuple
        (lower, upper). To evaluate several levels, pass a mapping from level to intervals.
    level
        Nominal level of the intervals; None if ``intervals`` is a mapping, which already contains the levels.

    Examples
    --------
    >>> narrow, wide = [[0, 2], [2, 3], [4, 5], [5, 6]], [[0, 4], [0, 5], [0, 6], [3, 9]]
    >>> coverage_table([1.0, 2.0, 3.0, 9.0], {0.5: narrow, 0.9: wide})
    coverage of 4 rows
      level  covered    95% interval  below  above  mean width  interval score
        0.5    0.500  0.150 to 0.850  0.250  0.250        1.25            5.25
        0.9    1.000  0.510 to 1.000  0.000  0.000        5.25            5.25
    """
    truth = read_numbers(y_true)[0]
    if truth.shape[1] != 1:
        raise TargetError(f"got y of shape {truth.shape}; y should be a 1d array. Pass one value for each row of X.")
    by_level: Mapping[Any, Ends] = intervals if isinstance(intervals, Mapping) else {level: intervals}
    if by_level is intervals and level is not None:
        raise ParameterError(f"level must be None if intervals is a mapping, got {quoted(level)}. Omit level.")
    if not by_level:
        raise ParameterError(f"intervals must be a mapping with at least one level, got {quoted(intervals)}.")
    if by_level is not intervals and level is None:
        raise ParameterError("level is required if intervals is not a mapping. Pass level=0.9, for example.")
    levels = sorted(by_level, key=lambda each: read_probability("level", each))
    lines = [_covered(truth[:, 0], each, by_level[each]) for each in levels]
    return CoverageTable(len(truth), *np.array(lines, dtype=np.float64).T)


def _covered(y: FloatArray, level: float, ends: Ends) -> tuple[float, ...]:
    pair = isinstance(ends, tuple) and len(ends) == 2
    try:
        array = np.asarray(ends, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.shape != ((2, y.size) if pair else (y.size, 2)):
        found = f"an array of shape {array.shape}" if array.size else quoted(ends)
        raise EvaluationError(
            f"got intervals as {found}; expected an array of shape ({y.size}, 2), or a tuple of {y.size} lower and "
            f"{y.size} upper ends. Pass the result of predict_interval for these rows."
        )
    low, high = array if pair else array.T
    if (wrong := ~(low <= high)).any():
        row = int(wrong.argmax())
        raise EvaluationError(
            f"got the interval {float(low[row]):g} to {float(high[row]):g} in row {row}; expected lower bounds <= "
            "upper bounds, and no NaN. Pass the lower bound first."
        )
    under, over = y < low, y > high
    width = float((high - low).mean())
    misses = np.where(under, low - y, 0.0) + np.where(over, y - high, 0.0)
    score = width + 2.0 / (1.0 - float(level)) * float(misses.mean())
    return float(level), float((~under & ~over).mean()), float(under.mean()), float(over.mean()), width, score


def read_probability(name: str, value: Any) -> float:
    """Return a validated confidence or significance level, strictly between 0 and 1."""
    check_value(name, value, [Interval(Real, 0, 1, closed="neither")])
    return float(value)
