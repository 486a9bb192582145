"""How far targets are from what models say that have not seen them, and how far they may be from it elsewhere."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from priorcase._typing import AnyArray, FloatArray
from priorcase.exceptions import EvaluationError


def has_spread(estimator: Any) -> bool:
    """Whether ``predict`` can be asked for standard deviations."""
    parameters = inspect.signature(estimator.predict).parameters.values()
    return any(each.name == "return_std" or each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters)


def said(model: Any, X: Any, scaled: bool) -> FloatArray:
    """What a model predicts of each row, and the spread of it: shape (2, rows); the spread is 1 unless ``scaled``."""
    values = model.predict(X, return_std=True) if scaled else (model.predict(X),)
    found = np.ones((2, len(values[0])))
    for part, numbers in zip(found, values, strict=False):
        part[:] = _flat(numbers)
    if (gaps := np.isnan(found).any(axis=0)).any():
        raise EvaluationError(
            f"got NaN from {type(model).__name__} for row {int(gaps.argmax())}; expected a number from the model of "
            "every fold. Take a learner that answers every query, or fewer folds."
        )
    return found


def _flat(numbers: Any) -> AnyArray:
    array = np.asarray(numbers)
    return array.reshape(len(array), -1)[:, 0]


def residuals(y: FloatArray, answers: FloatArray) -> FloatArray:
    """``|y - prediction| / spread``; over no spread at all, infinite unless the prediction is exact.

    Examples
    --------
    >>> residuals(np.array([1.0, 4.0, 2.0, 2.0]), np.array([[3.0, 3.0, 2.0, 1.0], [1.0, 2.0, 0.0, 0.0]]))
    array([2. , 0.5, 0. , inf])
    """
    off = np.abs(y - answers[0])
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(off == 0, 0.0, off / answers[1])


def reach(residual: FloatArray, spread: FloatArray) -> FloatArray:
    """How far from a prediction the targets lie whose residual is no larger, ``residual * spread``.

    Under an infinite spread no target has a residual above 0, and so they all lie within reach.

    Examples
    --------
    >>> reach(np.array([2.0, 0.0, np.inf]), np.array([1.5, np.inf, 0.0]))
    array([ 3., inf, inf])
    """
    with np.errstate(invalid="ignore"):
        found: FloatArray = residual * spread
    found[np.isnan(found)] = np.inf  # 0 times infinity
    return found
