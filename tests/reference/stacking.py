"""Stacking, slowly: members fitted by hand, rows left out in folds, weights by a general optimizer.

Yao, Vehtari, Simpson & Gelman 2018 (eq. 4: weights that maximize the leave-one-out log-score of the mixture);
Breiman 1996 (convex weights that minimize the squared error of rows left out).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import minimize


def simplex_minimum(loss: Callable[[Any], float], members: int) -> Any:
    """The weights on the simplex with the least loss, by sequential quadratic programming from several starts."""
    starts = [np.full(members, 1.0 / members), *(0.9 * np.eye(members) + 0.1 / members)]
    found = [
        minimize(
            loss,
            start,
            method="SLSQP",
            bounds=[(1e-9, 1.0)] * members,
            constraints={"type": "eq", "fun": lambda w: w.sum() - 1.0},
            options={"ftol": 1e-14, "maxiter": 1_000},
        )
        for start in starts
    ]
    return min(found, key=lambda one: one.fun).x


def log_score_weights(given: Any, weights: Any, prior: float) -> Any:
    """``argmax sum_i v_i ln sum_m w_m p_im + (prior - 1) sum_m ln w_m``."""

    def loss(w: Any) -> float:
        return float(-(weights * np.log(given @ w)).sum() - (prior - 1.0) * np.log(w).sum())

    return simplex_minimum(loss, given.shape[1])


def squared_error_weights(predictions: Any, y: Any, weights: Any, prior: float) -> Any:
    """``argmin n/2 ln sum_i v_i (y_i - sum_m w_m f_im)^2 - (prior - 1) sum_m ln w_m``."""

    def loss(w: Any) -> float:
        errors = (weights * (y - predictions @ w) ** 2).sum()
        return float(0.5 * weights.sum() * np.log(errors) - (prior - 1.0) * np.log(w).sum())

    return simplex_minimum(loss, predictions.shape[1])


def temperature(probabilities: Any, truth: Any, low: float, high: float, frequencies: Any = 1.0) -> float:
    """The temperature on a fine grid with the largest log-score."""

    def loss(t: float) -> float:
        scaled = frequencies * (probabilities / frequencies) ** (1.0 / t)
        return float(-np.log(scaled[np.arange(len(truth)), truth] / scaled.sum(axis=1)).sum())

    return float(min(np.exp(np.linspace(np.log(low), np.log(high), 20_001)), key=loss))
