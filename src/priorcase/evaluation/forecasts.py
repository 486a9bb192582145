"""True labels beside predicted probabilities, read and checked once for every score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from priorcase._typing import AnyArray, BoolArray, FloatArray, IntArray, Value
from priorcase.exceptions import EvaluationError, TargetError, listed, misspelt

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
        raise EvaluationError("got no rows; expected at least one. Score the rows of some test set.")
    if len(found) != shares.shape[0]:
        raise EvaluationError(
            f"got {len(found)} labels in y_true and {shares.shape[0]} rows in proba; expected as many of both. Pass "
            "the labels of the rows that were predicted."
        )
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
        raise EvaluationError(
            f"got y_true of shape {array.shape}; expected one label for each row. The labels that came true come "
            "first, then the probabilities; score several targets one at a time."
        )
    return list(array.tolist())


def _table(proba: Any, *, logs: bool) -> FloatArray:
    array: AnyArray = np.asarray(proba)
    if array.dtype.kind not in "fiub":
        raise EvaluationError(
            f"got proba as {array.dtype!s}; expected real numbers. Pass what predict_proba returns, not what "
            "predict returns."
        )
    table: FloatArray = array.astype(np.float64)
    if table.ndim == 1 and logs:
        raise EvaluationError(
            "got logs=True and proba with one dimension; expected one column for each class. Pass what "
            "predict_log_proba returns."
        )
    if table.ndim == 1:  # scikit-learn's scorers pass two classes like this
        return np.column_stack((1.0 - table, table))
    if table.ndim != 2:
        raise EvaluationError(
            f"got proba of shape {table.shape}; expected one row for each label and one column for each class. Pass "
            "what predict_proba returns; for two classes, the second class's probabilities alone will do too."
        )
    return table


def _labels(labels: object | None, found: list[Any], columns: int) -> tuple[Value, ...]:
    if labels is None:
        if any(label is None or label != label for label in found):  # NaN differs from itself
            raise EvaluationError(
                "got a missing label in y_true; expected a known one for every row. Leave out the rows whose label is "
                "not known."
            )
        try:
            names = sorted(set(found))
        except TypeError as error:
            raise EvaluationError(
                "got labels in y_true that have no common order; labels= was left out. Pass labels=model.classes_, "
                "which says which column is whose."
            ) from error
        if len(names) != columns:
            raise EvaluationError(
                f"got {columns} columns in proba, and y_true has {listed(names)}; labels= was left out. Pass "
                "labels=model.classes_, which has one label for each column."
            )
        return tuple(names)
    names = _plain(labels)
    twice = [name for position, name in enumerate(names) if name in names[:position]]
    if twice:
        raise EvaluationError(
            f"got labels= with {listed(dict.fromkeys(twice))} more than once; expected each once. Pass "
            "labels=model.classes_, which has one label for each column."
        )
    if len(names) != columns:
        raise EvaluationError(
            f"got {columns} columns in proba for {len(names)} labels ({listed(names)}). Pass labels=model.classes_, "
            "which has one label for each column."
        )
    return tuple(names)


def _columns(found: list[Any], labels: tuple[Value, ...]) -> IntArray:
    column_of = {label: column for column, label in enumerate(labels)}
    try:
        columns = [column_of.get(label, -1) for label in found]
    except TypeError as error:  # a list or the like, which cannot be a label
        raise EvaluationError(
            f"got y_true of shape {np.shape(np.array(found, dtype=object))}; expected one label for each row. The "
            "labels that came true come first, then the probabilities; score several targets one at a time."
        ) from error
    truth = np.array(columns, dtype=np.intp)
    if truth.min() < 0:
        strange = dict.fromkeys(label for label, column in zip(found, columns, strict=True) if column < 0)
        remedy = (
            misspelt(strange, labels)
            or "A class that was not learned has no probability: declare it with partial_fit(..., classes=...)."
        )
        raise EvaluationError(f"got y_true with {listed(strange)}; labels= has {listed(labels)}. {remedy}")
    return truth


def _check_shares(shares: FloatArray, *, logs: bool, tolerance: float) -> None:
    _refuse_first(
        np.isnan(shares),
        lambda row, _: EvaluationError(
            f"got NaN in row {row} of proba; expected a probability for every class. Leave out the rows that have no "
            "prediction."
        ),
    )
    low, high = (-np.inf, tolerance) if logs else (0.0, 1.0 + tolerance)
    expected = "a logarithm of a probability, at most 0" if logs else "a probability from 0 to 1"
    outside = (shares < low) | (shares > high)
    _refuse_first(
        outside,
        lambda row, column: EvaluationError(
            f"got {float(shares[row, column])!r} in row {row} of proba; expected {expected}. Pass what predict_proba "
            "returns, or with logs=True what predict_log_proba returns."
        ),
    )
    totals = (np.exp(shares) if logs else shares).sum(axis=1)
    wrong = np.abs(totals - 1.0) > tolerance
    _refuse_first(
        wrong[:, np.newaxis],
        lambda row, _: EvaluationError(
            f"got probabilities in row {row} of proba that sum to {float(totals[row]):.6g}; expected 1. Pass every "
            "class's column, and divide each row by its sum if it holds votes."
        ),
    )


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
        raise _wrong_weights(f"as {weights.dtype}")
    if weights.shape != (rows,):
        raise _wrong_weights(f"of shape {weights.shape} for {rows} rows")
    weights = weights.astype(np.float64)
    if not np.isfinite(weights).all():
        raise _wrong_weights("with NaN or infinity")
    if weights.min() < 0:
        raise _wrong_weights(f"with {float(weights.min())!r}")
    if weights.max() == 0:
        raise _wrong_weights("that is zero for every row")
    with np.errstate(over="ignore"):
        if np.isinf(weights.sum()):
            raise _wrong_weights("whose sum is infinite")
    return weights


def _wrong_weights(problem: str) -> TargetError:
    return TargetError(
        f"got sample_weight {problem}; expected one finite number >= 0 for each row. A row of weight 2 counts as two "
        "rows, one of weight 0 as none; some row must count."
    )
