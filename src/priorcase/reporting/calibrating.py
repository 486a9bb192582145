"""Whether what is said comes true as often as it is said; for numbers, whether predictions are right on average."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from priorcase.evaluation.calibration import calibration_table
from priorcase.reporting.left_out import LeftOut

__all__ = ["Bin", "Calibration", "calibrate"]

_BINS = 10
_POINTS = 400


@dataclass(frozen=True)
class Bin:
    """Rows whose predictions are alike.

    Parameters
    ----------
    low, high
        From where to where the prediction goes: a probability of the predicted class, or a number.
    rows
        How many rows there are.
    said, came
        The mean prediction, and how often it came true; or the mean of the numbers.
    """

    low: float
    high: float
    rows: int
    said: float
    came: float


@dataclass(frozen=True)
class Calibration:
    """How predictions compare with what came true, on rows that were not learned from.

    Parameters
    ----------
    bins
        Predictions from small to large; bins without rows are left out.
    error
        The mean difference between what was said and what came, weighed by rows: the expected calibration error for
        classes; for numbers in their own units.
    rows
        How many rows there are.
    half, nine_tenths
        Half, and nine tenths, of the predictions are off by at most so much; None for classes.
    points
        What was said and what came for some of the rows, to be drawn; empty for classes.
    """

    bins: tuple[Bin, ...]
    error: float
    rows: int
    half: float | None = None
    nine_tenths: float | None = None
    points: tuple[tuple[float, float], ...] = ()


def calibrate(answers: LeftOut) -> Calibration:
    """Predictions beside what came true."""
    if not answers.labels.size:
        return _numbers(answers)
    table = calibration_table(answers.truth, answers.proba, bins=_BINS, labels=answers.labels)
    bins = tuple(
        Bin(float(table.edges[b]), float(table.edges[b + 1]), int(table.rows[b]), said, came)
        for b, (said, came) in enumerate(zip(table.probability.tolist(), table.observed.tolist(), strict=True))
        if table.rows[b]
    )
    return Calibration(bins, table.expected_error, answers.truth.size)


def _numbers(answers: LeftOut) -> Calibration:
    """Ten groups of equally many rows by prediction."""
    order = np.argsort(answers.predicted, kind="stable")
    bins = []
    for rows in np.array_split(order, min(_BINS, order.size)):
        said, came = answers.predicted[rows], answers.truth[rows]
        bins.append(Bin(float(said.min()), float(said.max()), rows.size, float(said.mean()), float(came.mean())))
    off = np.abs(answers.predicted - answers.truth)
    error = sum(one.rows * abs(one.said - one.came) for one in bins) / order.size
    half, nine_tenths = np.quantile(off, (0.5, 0.9)).tolist()
    drawn = order[np.linspace(0, order.size - 1, min(_POINTS, order.size)).round().astype(np.intp)]
    points = tuple(zip(answers.predicted[drawn].tolist(), answers.truth[drawn].tolist(), strict=True))
    return Calibration(tuple(bins), float(error), order.size, half, nine_tenths, points)
