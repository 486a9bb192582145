"""How strange a class looks beside the probabilities of all classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np

from priorcase._typing import AnyArray, FloatArray
from priorcase.exceptions import EvaluationError

Nonconformity: TypeAlias = Literal["one_minus", "aps"]
Strangeness: TypeAlias = Callable[[FloatArray, FloatArray | None], FloatArray]


def class_shares(model: Any, X: Any, classes: AnyArray) -> FloatArray:
    """The probability of each of all classes in each row; 0 where the model has not met a class."""
    shares = np.asarray(model.predict_proba(X))
    if (gaps := np.isnan(shares).any(axis=1)).any():
        raise EvaluationError(
            f"got NaN from {type(model).__name__} for row {int(gaps.argmax())}; expected a number from the model of "
            "every fold. Take a learner that answers every query, or fewer folds."
        )
    found = np.zeros((len(shares), classes.size))
    found[:, np.searchsorted(classes, model.classes_)] = shares
    return found


def one_minus(shares: FloatArray, draws: FloatArray | None = None) -> FloatArray:
    """One minus the probability of each class, less the one: orders alike, and tells small probabilities apart.

    Examples
    --------
    >>> one_minus(np.array([[0.75, 0.25]]))
    array([[-0.75, -0.25]])
    """
    return -shares


def adaptive(shares: FloatArray, draws: FloatArray | None = None) -> FloatArray:
    """What the classes hold that are no less probable (Romano, Sesia & Candès 2020), less one.

    That is, negative, what the less probable ones hold: for the least probable class exactly 0, however the sum of all
    was rounded. Equal probabilities count together. With draws from 0 to 1, one for each row, that part of what the
    equally probable ones hold is taken off.

    Examples
    --------
    >>> adaptive(np.array([[0.5, 0.25, 0.25], [0.25, 0.125, 0.625]]))
    array([[-0.5  , -0.   , -0.   ],
           [-0.125, -0.   , -0.375]])
    """
    found = np.empty_like(shares)
    for c in range(shares.shape[1]):
        own = shares[:, c : c + 1]
        mass = np.where(shares < own, shares, 0.0).sum(axis=1)
        if draws is not None:
            mass += draws * np.where(shares == own, shares, 0.0).sum(axis=1)
        found[:, c] = -mass
    return found


STRANGENESS: dict[Nonconformity, Strangeness] = {"one_minus": one_minus, "aps": adaptive}
