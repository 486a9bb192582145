"""Log-score, accuracy and Brier score of predicted probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils._param_validation import StrOptions

from priorcase._parameters import check_value, is_number
from priorcase._typing import AnyArray, FloatArray, IntArray, Value
from priorcase.exceptions import (
    EvaluationError,
    ParameterError,
    TargetError,
    advice,
    listed,
    misspelt,
    prefix_errors,
    quoted,
)

_CAP = 100.0
_TOLERANCE = 1e-6
_SINGLE_TOLERANCE = 1e-3  # sums of single-precision numbers are no more exact than that
_PROBA_HINT = "Pass the result of predict_proba; for two classes, the column of the second class is enough."
_LOGS_HINT = "Pass the result of predict_log_proba."
_LABELS_HINT = "Pass labels=model.classes_, which has one label for each column."
_ORDER_HINT = "Pass true labels first, then probabilities; score each target separately."


@prefix_errors
def log_score(
    y_true: ArrayLike,
    proba: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sign: Literal["gain", "loss"] = "gain",
    zero: Literal["-inf", "cap100"] | float | Any = "-inf",
    logs: bool = False,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the mean log-probability of the true class (log-score).

    The score is ``mean ln P(y)``, at most 0; greater is better (Kontkanen et al. 1997, section 4.1). With
    ``sign="loss"``, the score is ``mean -ln P(y)`` (Kontkanen et al. 1998, section 4), as in scikit-learn's
    ``log_loss``, except that probabilities are not clipped.

    Parameters
    ----------
    y_true
        The true label of each row.
    proba
        Class probabilities, shape (rows, classes); for two classes, the probability of the second class is enough.
    labels
        The class of each column, usually ``model.classes_``; None for the sorted labels of ``y_true``.
    sign
        ``"gain"`` for the mean logarithm, ``"loss"`` for the negative mean logarithm.
    zero
        Logarithm used for a true class with probability 0: ``"-inf"``; ``"cap100"`` for -100 nats (Kontkanen et al.
        1998); a number of nats >= 0, such as 50 for -50 nats; or a policy such as ``Cap(50)``.
    logs
        Whether ``proba`` contains natural logarithms, as returned by ``predict_log_proba``.
    sample_weight
        The weight of each row.

    Examples
    --------
    >>> round(log_score(["no"], [[1 / 3, 2 / 3]], labels=["no", "yes"]), 4)
    -1.0986
    >>> log_score(["no"], [[0, 1]], labels=["no", "yes"])
    -inf
    >>> log_score(["no"], [[0, 1]], labels=["no", "yes"], zero="cap100", sign="loss")
    100.0
    """
    check_value("sign", sign, [StrOptions({"gain", "loss"})])
    floor = _floor(zero)
    forecasts = read_forecasts(y_true, proba, labels, sample_weight, logs=logs)
    given = forecasts.of_truth()
    with np.errstate(divide="ignore"):
        gains = given if logs else np.log(given)
    gain = forecasts.mean(np.where(np.isneginf(gains), floor, gains))
    return gain if sign == "gain" else 0.0 - gain


@prefix_errors
def zero_one_score(
    y_true: ArrayLike,
    proba: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    ties: Literal["first", "expected"] = "first",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the accuracy: the proportion of rows whose most probable class is the true class.

    Parameters
    ----------
    y_true, proba, labels, sample_weight
        See `log_score`.
    ties
        Rule if m classes tie for the largest probability: ``"first"`` predicts the first of these classes, like
        ``predict``; ``"expected"`` scores ``1 / m`` if the true class is one of these classes (Kontkanen et al. 1998).

    Examples
    --------
    >>> proba = [[0.7, 0.3], [0.5, 0.5]]
    >>> zero_one_score(["no", "yes"], proba, labels=["no", "yes"])
    0.5
    >>> zero_one_score(["no", "yes"], proba, labels=["no", "yes"], ties="expected")
    0.75
    """
    check_value("ties", ties, [StrOptions({"first", "expected"})])
    forecasts = read_forecasts(y_true, proba, labels, sample_weight)
    shares = forecasts.shares
    if ties == "first":
        return forecasts.mean((shares.argmax(axis=1) == forecasts.truth).astype(np.float64))
    top = shares.max(axis=1)
    return forecasts.mean((forecasts.of_truth() == top) / (shares == top[:, np.newaxis]).sum(axis=1))


@prefix_errors
def brier_score(
    y_true: ArrayLike,
    proba: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    scale_by_half: bool = False,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the Brier score, the mean squared error of the probabilities; smaller is better.

    The score is ``mean sum_k (P(k) - [y = k])^2`` over all classes k, from 0 to 2 (Brier 1950, eq. 2). For two classes,
    the score is twice the mean squared error of either probability.

    Parameters
    ----------
    y_true, proba, labels, sample_weight
        See `log_score`.
    scale_by_half
        Whether to halve the score, so that it runs from 0 to 1.

    Examples
    --------
    >>> brier_score(["no", "yes"], [[0.75, 0.25], [0.5, 0.5]], labels=["no", "yes"])
    0.3125
    """
    check_value("scale_by_half", scale_by_half, ["boolean"])
    forecasts = read_forecasts(y_true, proba, labels, sample_weight)
    misses: FloatArray = forecasts.shares.copy()
    misses[np.arange(forecasts.truth.size), forecasts.truth] -= 1.0
    score = forecasts.mean((misses * misses).sum(axis=1))
    return score / 2 if scale_by_half else score


def _floor(zero: object) -> float:
    """Return the logarithm that is used for a probability of 0."""
    if isinstance(zero, str) and zero in ("-inf", "cap100"):
        return -np.inf if zero == "-inf" else -_CAP
    nats = getattr(zero, "nats", zero)
    if is_number(nats) and 0 <= nats < np.inf:
        return -float(nats)
    expected = "'-inf', 'cap100', a number of nats >= 0 or a policy such as Cap(50)"
    remedy = advice(zero, ("-inf", "cap100"), otherwise="The default is '-inf'.")
    raise ParameterError(f"zero must be {expected}, got {quoted(zero)}. {remedy}")


# -- labels and probabilities


@dataclass(frozen=True, eq=False)
class Forecasts:
    """True labels with predicted probabilities (or their logarithms); rows with zero weight are dropped."""

    labels: tuple[Value, ...]
    truth: IntArray  # the column of each row's true class
    shares: FloatArray
    weights: FloatArray

    def of_truth(self) -> FloatArray:
        """Return the predicted probability of each row's true class."""
        return self.shares[np.arange(self.truth.size), self.truth]

    def mean(self, values: FloatArray) -> float:
        """Return the weighted mean of one number per row."""
        parts = self.weights / self.weights.max()  # so that tiny or huge weights lose no precision
        return float(np.dot(parts, values) / parts.sum())


def read_forecasts(
    y_true: object, proba: object, labels: object | None, sample_weight: ArrayLike | None, *, logs: bool = False
) -> Forecasts:
    """Check labels, probabilities and weights, and return them as `Forecasts`."""
    found = _plain(y_true)
    shares = _read_shares(proba, logs=logs)
    if not found or not shares.size:
        raise EvaluationError("got no rows; expected at least one. Check whether all rows were filtered out.")
    if len(found) != shares.shape[0]:
        raise EvaluationError(
            f"got {len(found)} labels in y_true and {len(shares)} rows in proba; expected equal numbers. Pass "
            "the labels of the rows that were predicted."
        )
    names = _read_labels(labels, found, shares.shape[1])
    truth = _columns_of(found, names)
    single = np.asarray(proba).dtype.itemsize < 8
    _check_shares(shares, logs=logs, tolerance=_SINGLE_TOLERANCE if single else _TOLERANCE)
    weights = _read_weights(sample_weight, len(found))
    counted = slice(None) if sample_weight is None else weights > 0
    return Forecasts(names, truth[counted], shares[counted], weights[counted])


def _plain(values: Any) -> list[Any]:
    """Return labels as a list of Python objects; elements of a list or tuple are not converted."""
    if isinstance(values, (list, tuple)):
        return list(values)
    array = np.asarray(values)
    if array.ndim != 1:
        raise EvaluationError(f"got y_true of shape {array.shape}; expected one label for each row. {_ORDER_HINT}")
    return list(array.tolist())


def _read_shares(proba: Any, *, logs: bool) -> FloatArray:
    array: AnyArray = np.asarray(proba)
    if array.dtype.kind not in "fiub":
        raise EvaluationError(
            f"got proba as {array.dtype!s}; expected real numbers. {_LOGS_HINT if logs else _PROBA_HINT}"
        )
    table: FloatArray = array.astype(np.float64)
    if table.ndim == 1 and not logs:  # scikit-learn's scorers pass two classes like this
        return np.column_stack((1.0 - table, table))
    if table.ndim != 2:
        remedy = _LOGS_HINT if logs else _PROBA_HINT
        raise EvaluationError(f"got proba of shape {table.shape}; expected a column for each class. {remedy}")
    return table


def _read_labels(labels: object | None, found: list[Any], columns: int) -> tuple[Value, ...]:
    if labels is not None:
        names = _plain(labels)
        if twice := [name for position, name in enumerate(names) if name in names[:position]]:
            raise EvaluationError(f"got {listed(dict.fromkeys(twice))} more than once in labels. {_LABELS_HINT}")
        if len(names) != columns:
            given = f"{len(names)} labels ({listed(names)})"
            raise EvaluationError(f"got {columns} columns in proba for {given}. {_LABELS_HINT}")
        return tuple(names)
    if any(label is None or label != label for label in found):  # NaN differs from itself
        raise EvaluationError("got a missing label in y_true; expected a label in every row. Remove unlabeled rows.")
    try:
        names = sorted(set(found))
    except TypeError as error:
        raise EvaluationError(f"got labels in y_true that cannot be sorted. {_LABELS_HINT}") from error
    if len(names) != columns:
        raise EvaluationError(f"got {columns} columns in proba, but y_true has {listed(names)}. {_LABELS_HINT}")
    return tuple(names)


def _columns_of(found: list[Any], labels: tuple[Value, ...]) -> IntArray:
    column_of = {label: column for column, label in enumerate(labels)}
    try:
        columns = np.array([column_of.get(label, -1) for label in found], dtype=np.intp)
    except TypeError as error:  # a list or the like, which cannot be a label
        shape = np.shape(np.array(found, dtype=object))
        raise EvaluationError(f"got y_true of shape {shape}; expected one label for each row. {_ORDER_HINT}") from error
    if (columns < 0).any():
        unknown = dict.fromkeys(found[row] for row in np.flatnonzero(columns < 0))
        remedy = misspelt(unknown, labels) or "Pass all classes to the learner with partial_fit(..., classes=...)."
        raise EvaluationError(f"got {listed(unknown)} in y_true; expected one of the labels {listed(labels)}. {remedy}")
    return columns


def _check_shares(shares: FloatArray, *, logs: bool, tolerance: float) -> None:
    if (missing := np.isnan(shares)).any():
        row = int(missing.any(axis=1).argmax())
        raise EvaluationError(
            f"got NaN in row {row} of proba; expected a probability for every class. Remove rows with NaN."
        )
    low, high = (-np.inf, tolerance) if logs else (0.0, 1.0 + tolerance)
    outside = (shares < low) | (shares > high)
    if outside.any():
        row = int(outside.any(axis=1).argmax())
        # The last column: for two classes, it is the column that the caller may have passed alone.
        value = float(shares[row, np.flatnonzero(outside[row])[-1]])
        expected = "a logarithm of a probability, at most 0" if logs else "a probability from 0 to 1"
        remedy = _LOGS_HINT if logs else "Pass the result of predict_proba, or logarithms to log_score(..., logs=True)."
        raise EvaluationError(f"got {value!r} in row {row} of proba; expected {expected}. {remedy}")
    totals = (np.exp(shares) if logs else shares).sum(axis=1)
    if (wrong := np.abs(totals - 1.0) > tolerance).any():
        row = int(wrong.argmax())
        total = f"{float(totals[row]):.6g}"
        remedy = _LOGS_HINT if logs else "Pass a column for every class; divide votes by their sum in each row."
        raise EvaluationError(f"got probabilities in row {row} of proba that sum to {total}; expected 1. {remedy}")


def _read_weights(sample_weight: ArrayLike | None, rows: int) -> FloatArray:
    if sample_weight is None:
        return np.ones(rows)
    weights, problem = np.asarray(sample_weight), ""
    if weights.dtype.kind not in "fiub":
        problem = f"as {weights.dtype}"
    elif weights.shape != (rows,):
        problem = f"of shape {weights.shape} for {rows} rows"
    else:
        weights = weights.astype(np.float64)
        with np.errstate(over="ignore"):
            total = float(weights.sum())
        if not np.isfinite(weights).all():
            problem = "with NaN or infinity"
        elif weights.min() < 0:
            problem = f"with {float(weights.min())!r}"
        elif total == 0 or np.isinf(total):
            problem = "that is zero for every row" if total == 0 else "whose sum is infinite"
    if problem:
        raise TargetError(
            f"got sample_weight {problem}; expected one finite number >= 0 for each row, not all 0. A row with weight "
            "2 counts as two rows."
        )
    return weights
