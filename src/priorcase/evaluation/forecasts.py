"""True labels beside predicted probabilities, read and checked once for every score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from priorcase._typing import AnyArray, BoolArray, FloatArray, IntArray, Value
from priorcase.exceptions import SampleWeightError, ScoreError

_TOLERANCE = 1e-6
_SINGLE_TOLERANCE = 1e-3  # a sum of single-precision numbers is no better than that


@dataclass(frozen=True, eq=False)
class Forecasts:
    """What came true beside what was predicted; rows without weight are left out.

    Parameters
    ----------
    labels
        The class of each column.
    truth
        The column that came true in each row, shape (rows,).
    shares
        The predicted probabilities, or their natural logarithms, shape (rows, classes).
    weights
        The weight of each row.
    """

    labels: tuple[Value, ...]
    truth: IntArray
    shares: FloatArray
    weights: FloatArray

    def of_truth(self) -> FloatArray:
        """What was predicted for the class that came true, in each row."""
        return self.shares[np.arange(self.truth.size), self.truth]

    def mean(self, values: FloatArray) -> float:
        """The weighted mean of one number a row."""
        parts = self.weights / self.weights.max()  # neither tiny nor huge weights cost digits
        return float(np.dot(parts, values) / parts.sum())


def read_forecasts(
    y_true: object, proba: object, labels: object | None, sample_weight: ArrayLike | None, *, logs: bool = False
) -> Forecasts:
    """The rows to score, or an error that says what is wrong with them."""
    found = _plain(y_true)
    shares = _table(proba, logs=logs)
    if not found or not shares.size:
        raise ScoreError.no_rows()
    if len(found) != shares.shape[0]:
        raise ScoreError.rows(len(found), shares.shape[0])
    names = _labels(labels, found, shares.shape[1])
    truth = _columns(found, names)
    _check_shares(shares, logs=logs, tolerance=_tolerance(proba))
    weights = _weights(sample_weight, len(found))
    counted = weights > 0
    return Forecasts(names, truth[counted], shares[counted], weights[counted])


def _plain(values: Any) -> list[Any]:
    """One column of labels as Python objects; a list keeps its types, which an array would merge."""
    if isinstance(values, (list, tuple)):
        return list(values)
    array = np.asarray(values)
    if array.ndim != 1:
        raise ScoreError.not_a_column(array.shape)
    return list(array.tolist())


def _table(proba: Any, *, logs: bool) -> FloatArray:
    array: AnyArray = np.asarray(proba)
    if array.dtype.kind not in "fiub":
        raise ScoreError.not_numbers(str(array.dtype))
    table: FloatArray = array.astype(np.float64)
    if table.ndim == 1 and logs:
        raise ScoreError.logs_of_one_class()
    if table.ndim == 1:  # scikit-learn's scorers pass two classes like this
        return np.column_stack((1.0 - table, table))
    if table.ndim != 2:
        raise ScoreError.shape(table.shape)
    return table


def _labels(labels: object | None, found: list[Any], columns: int) -> tuple[Value, ...]:
    if labels is None:
        if any(label is None or label != label for label in found):  # NaN differs from itself
            raise ScoreError.gap()
        try:
            names = sorted(set(found))
        except TypeError as error:
            raise ScoreError.no_order() from error
        if len(names) != columns:
            raise ScoreError.labels_of_truth(names, columns)
        return tuple(names)
    names = _plain(labels)
    twice = [name for position, name in enumerate(names) if name in names[:position]]
    if twice:
        raise ScoreError.twice(dict.fromkeys(twice))
    if len(names) != columns:
        raise ScoreError.columns(names, columns)
    return tuple(names)


def _columns(found: list[Any], labels: tuple[Value, ...]) -> IntArray:
    column_of = {label: column for column, label in enumerate(labels)}
    try:
        columns = [column_of.get(label, -1) for label in found]
    except TypeError as error:  # a list or the like, which cannot be a label
        raise ScoreError.not_a_column(np.shape(np.array(found, dtype=object))) from error
    truth = np.array(columns, dtype=np.intp)
    if truth.min() < 0:
        strange = dict.fromkeys(label for label, column in zip(found, columns, strict=True) if column < 0)
        raise ScoreError.unknown(strange, labels)
    return truth


def _check_shares(shares: FloatArray, *, logs: bool, tolerance: float) -> None:
    _refuse_first(np.isnan(shares), lambda row, _: ScoreError.missing(row))
    low, high = (-np.inf, tolerance) if logs else (0.0, 1.0 + tolerance)
    expected = "a logarithm of a probability, at most 0" if logs else "a probability from 0 to 1"
    outside = (shares < low) | (shares > high)
    _refuse_first(outside, lambda row, column: ScoreError.outside(row, float(shares[row, column]), expected))
    totals = (np.exp(shares) if logs else shares).sum(axis=1)
    wrong = np.abs(totals - 1.0) > tolerance
    _refuse_first(wrong[:, np.newaxis], lambda row, _: ScoreError.total(row, float(totals[row])))


def _refuse_first(wrong: BoolArray, error: Any) -> None:
    if wrong.any():
        row = int(wrong.any(axis=1).argmax())
        # The last wrong column: of two classes, that is the one a caller may have passed alone.
        raise error(row, int(np.flatnonzero(wrong[row])[-1]))


def _tolerance(proba: Any) -> float:
    return _TOLERANCE if np.asarray(proba).dtype.itemsize >= 8 else _SINGLE_TOLERANCE


def _weights(sample_weight: ArrayLike | None, rows: int) -> FloatArray:
    if sample_weight is None:
        return np.ones(rows)
    weights = np.asarray(sample_weight)
    if weights.dtype.kind not in "fiub":
        raise SampleWeightError.wrong(f"as {weights.dtype}")
    if weights.shape != (rows,):
        raise SampleWeightError.wrong(f"of shape {weights.shape} for {rows} rows")
    weights = weights.astype(np.float64)
    if not np.isfinite(weights).all():
        raise SampleWeightError.wrong("with NaN or infinity")
    if weights.min() < 0:
        raise SampleWeightError.wrong(f"with {float(weights.min())!r}")
    if weights.max() == 0:
        raise SampleWeightError.wrong("that is zero for every row")
    with np.errstate(over="ignore"):
        if np.isinf(weights.sum()):
            raise SampleWeightError.wrong("whose sum is infinite")
    return weights
