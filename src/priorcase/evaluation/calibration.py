"""How often things come true that were given a certain probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from priorcase._parameters import is_number, is_whole
from priorcase._typing import FloatArray, Value
from priorcase.datasets.columns import Backend
from priorcase.evaluation.checks import check_choice, check_frame
from priorcase.evaluation.forecasts import Forecasts, read_forecasts
from priorcase.evaluation.murphy import BrierParts
from priorcase.evaluation.reliability_plot import draw_reliability, wilson_interval
from priorcase.exceptions import ParameterError, advice, listed, prefix_errors, quoted
from priorcase.learning.plotting import caption, drawing
from priorcase.learning.results import Grid, GridResult, framed

__all__ = ["CalibrationTable", "calibration_table"]

Strategy = Literal["uniform", "quantile"]

_HEADER = ("probability", "rows", "mean", "observed", "gap")


@dataclass(frozen=True, repr=False, eq=False)
class CalibrationTable(GridResult):
    """Bins of probability, and how often what was predicted there came true; prints as a table.

    Parameters
    ----------
    subject
        Whose probabilities are meant: "the predicted class", or a class.
    edges
        Where the bins begin and end, one more than bins; a bin holds its upper edge, the first one both.
    rows
        The weight in each bin: the number of its rows where none is weighted.
    probability
        The mean probability that was predicted in each bin; NaN in an empty one.
    observed
        The part of the rows that came true; NaN in an empty bin.
    brier
        The mean over the rows of ``(p - [came true])^2``, with the probability ``p`` that is meant here.
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
        """``observed - probability``: below 0 where the predictions were too sure of it; NaN in an empty bin."""
        return self.observed - self.probability

    @property
    def expected_error(self) -> float:
        """The expected calibration error: the mean of ``|gap|`` over the rows (Naeini, Cooper & Hauskrecht 2015)."""
        filled = self.rows > 0
        return float(np.dot(self.rows[filled], np.abs(self.gap[filled])) / self.rows[filled].sum())

    @property
    def largest_error(self) -> float:
        """The largest ``|gap|`` of all bins."""
        return float(np.nanmax(np.abs(self.gap)))

    @property
    def parts(self) -> BrierParts:
        """The mean squared error ``brier`` taken apart: reliability, resolution, uncertainty (Murphy 1973)."""
        filled = self.rows > 0
        return BrierParts.of(self.brier, self.rows[filled], self.probability[filled], self.observed[filled])

    @prefix_errors
    def interval(self, level: float = 0.95) -> FloatArray:
        """Wilson's interval for the part of the rows of each bin that comes true, shape (bins, 2); NaN in an empty one.

        Parameters
        ----------
        level
            How often such an interval holds the true part. Weights count as rows here.
        """
        if not is_number(level) or not 0 < level < 1:
            raise ParameterError(f"level must be a number between 0 and 1, got {quoted(level)}. 0.95 is usual.")
        return wilson_interval(self.observed, self.rows, float(level))

    @prefix_errors
    def frame(self, backend: Backend | None = None) -> Any:
        """One line for each bin: ``above``, ``up_to``, ``rows``, ``probability``, ``observed``, ``gap``.

        Parameters
        ----------
        backend
            The library whose frame to return: ``"pandas"``, ``"polars"`` or ``"pyarrow"``. None: the first of them
            that is installed; a dictionary of arrays where none is.
        """
        check_frame(backend)
        return framed(self.columns(), backend)

    def columns(self) -> dict[str, FloatArray]:
        """The columns of `frame` as arrays."""
        return {
            "above": self.edges[:-1].copy(),
            "up_to": self.edges[1:].copy(),
            "rows": self.rows.copy(),
            "probability": self.probability.copy(),
            "observed": self.observed.copy(),
            "gap": self.gap,
        }

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """Observed shares against probabilities with Wilson's 95 % intervals; bars below say how many rows a bin has.

        Parameters
        ----------
        ax
            Axes of matplotlib; None for a figure of its own.
        """
        with drawing(ax, size=(6.0, 4.2)) as ax:
            draw_reliability(ax, self)
            ax.set_title(caption(f"Calibration of {self.subject}", 60))
            return ax

    def _grid(self) -> Grid:
        total, error = _count(float(self.rows.sum())), f"expected calibration error {self.expected_error:.3f}"
        lines = []
        for b in range(len(self)):
            numbers = (self.probability[b], self.observed[b], self.gap[b])
            texts = [f"{numbers[0]:.3f}", f"{numbers[1]:.3f}", f"{numbers[2]:+.3f}"] if self.rows[b] else ["-"] * 3
            between = f"{self.edges[b]:.3g} to {self.edges[b + 1]:.3g}"
            lines.append([between, _count(float(self.rows[b])), *texts])
        return Grid(f"calibration of {self.subject}: {total} rows, {error}", _HEADER, lines, right=range(1, 5))


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
    """How often the predictions of each bin of probability came true.

    Honest probabilities come true as often as they say: in each bin the part of the rows that came true is near the
    mean probability there. The expected calibration error is the mean difference of the two.

    Parameters
    ----------
    y_true
        The label that came true in each row.
    proba
        The probability of each class, shape (rows, classes); for two classes, that of the second alone will do.
    bins
        How many bins; fewer where quantiles fall together.
    strategy
        ``"uniform"``: bins of equal width from 0 to 1. ``"quantile"``: bins that hold nearly equally many rows. Both
        as in scikit-learn's ``calibration_curve``.
    labels
        The class of each column, ``model.classes_``; the sorted labels of ``y_true`` if None.
    pos_label
        The class whose probability is meant; None: in each row the most probable one, the first of equals.
    sample_weight
        The weight of each row; a row of weight 2 counts as two.

    Returns
    -------
    CalibrationTable
        The bins; it prints as a table.

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
    >>> table.frame()["rows"].tolist()
    [0.0, 0.0, 2.0, 3.0]
    """
    check_choice("strategy", strategy, get_args(Strategy), hint="'uniform' bins have equal width.")
    if not is_whole(bins) or bins < 1:
        raise ParameterError(f"bins must be a whole number >= 1, got {quoted(bins)}. 10 is usual.")
    forecasts = read_forecasts(y_true, proba, labels, sample_weight)
    subject, shares, hits = _subject(forecasts, pos_label)
    edges = _edges(shares, forecasts.weights, int(bins), strategy)
    bin_of = np.searchsorted(edges[1:-1], shares)
    rows, predicted, true = (
        np.bincount(bin_of, weights=forecasts.weights * each, minlength=edges.size - 1).astype(np.float64)
        for each in (np.ones_like(shares), shares, hits)
    )
    filled = np.where(rows > 0, rows, np.nan)
    brier = forecasts.mean((shares - hits) ** 2)
    return CalibrationTable(subject, edges, rows, predicted / filled, true / filled, brier)


def _subject(forecasts: Forecasts, pos_label: Value | None) -> tuple[str, FloatArray, FloatArray]:
    """Whose probability is meant, that probability in each row, and whether it came true."""
    if pos_label is None:
        column, subject = forecasts.shares.argmax(axis=1), "the predicted class"
    elif pos_label in forecasts.labels:
        position = forecasts.labels.index(pos_label)
        column, subject = np.full(forecasts.truth.size, position), f"class {forecasts.labels[position]!r}"
    else:
        remedy = advice(pos_label, forecasts.labels, otherwise="None means the most probable class of each row.")
        raise ParameterError(
            f"pos_label must be None or one of {listed(forecasts.labels)}, got {quoted(pos_label)}. {remedy}"
        )
    shares = forecasts.shares[np.arange(column.size), column]
    return subject, shares, (forecasts.truth == column).astype(np.float64)


def _edges(shares: FloatArray, weights: FloatArray, bins: int, strategy: Strategy) -> FloatArray:
    if strategy == "uniform":
        return np.linspace(0.0, 1.0, bins + 1)
    low, high = shares.min(), shares.max()
    inner = np.unique(_quantiles(shares, weights, np.linspace(0.0, 1.0, bins + 1)[1:-1]))
    return np.concatenate(([low], inner[inner < high], [high]))


def _quantiles(values: FloatArray, weights: FloatArray, at: FloatArray) -> FloatArray:
    """Quantiles by linear interpolation, NumPy's rule, of the values each repeated as often as its weight says."""
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
    return f"{weight:.0f}" if weight == round(weight) else f"{weight:.4g}"
