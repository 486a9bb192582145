"""Locally weighted regression, slow and obvious: one query, dense matrices, rows of weight w literally repeated.

"AMS" is Atkeson, Moore & Schaal 1997. ``distances`` are those of all stored rows from one query, in id order. Rows and
queries are plain lists: numbers, the ranks of levels, or values; None is missing. ``kinds`` says which: "numeric" (and
ordinal, by rank) or "nominal".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Row = Sequence[Any]
Array = Any
Kernel = Callable[[float], float]

KERNELS: dict[str, Kernel] = {
    "gaussian": lambda u: math.exp(-u * u),
    "tricube": lambda u: (1 - u**3) ** 3 if u < 1 else 0.0,
    "epanechnikov": lambda u: 1 - u * u if u < 1 else 0.0,
    "biweight": lambda u: (1 - u * u) ** 2 if u < 1 else 0.0,
    "triangular": lambda u: 1 - u if u < 1 else 0.0,
    "uniform": lambda u: 1.0 if u < 1 else 0.0,
    "exponential": lambda u: math.exp(-u),
    "inverse_power": lambda u: math.inf if u == 0 else 1 / u**2,
}


# -- who counts, and how much


def nearest_weights(distances: Sequence[float], k: int, kernel: str) -> list[float]:
    """K(d/h) of every row, h the distance of the (k+1)-th nearest; 0 beyond the rows as near as the k-th.

    With the uniform kernel the k nearest count equally (AMS: unweighted nearest neighbors), ties at rank k included.
    """
    ordered = sorted(distances)
    h = ordered[k] if k < len(ordered) else ordered[-1] * (1 + 1e-9)
    inside = [d <= ordered[k - 1] for d in distances]
    if kernel == "uniform" or h == 0:
        return [1.0 if yes else 0.0 for yes in inside]
    return settled([KERNELS[kernel](d / h) if yes else 0.0 for d, yes in zip(distances, inside, strict=True)], inside)


def span_weights(distances: Sequence[float], span: float, columns: int, kernel: str) -> list[float]:
    """Cleveland's span: h is the distance of row floor(span n) itself; beyond 1 the largest times span^(1/columns)."""
    ordered = sorted(distances)
    k = min(max(1, math.floor(span * len(ordered) + 1e-5)), len(ordered))
    h = ordered[k - 1] * max(1.0, span) ** (1 / columns)
    inside = [d <= ordered[k - 1] for d in distances]
    if h == 0:
        return [1.0 if yes else 0.0 for yes in inside]
    return settled([KERNELS[kernel](d / h) if yes else 0.0 for d, yes in zip(distances, inside, strict=True)], inside)


def fixed_weights(distances: Sequence[float], h: float, kernel: str) -> list[float]:
    """K(d/h) of every row; all 0 where the query is too far away."""
    weights = [KERNELS[kernel](d / h) for d in distances]
    return settled(weights, [False] * len(weights))


def settled(weights: Sequence[float], inside: Sequence[bool]) -> list[float]:
    """Infinite weights decide alone; rows count equally where none would; above 1 all are divided by the largest.

    Below 2^-34 of the largest a weight counts as 0.
    """
    if math.inf in weights:
        return [1.0 if weight == math.inf else 0.0 for weight in weights]
    if not any(weights):
        return [1.0 if yes else 0.0 for yes in inside]
    weights = [weight if weight > 2.0**-34 * max(weights) else 0.0 for weight in weights]
    return [weight / max(1.0, *weights) for weight in weights]


# -- the local model


def terms(query: Row, row: Row, kinds: Sequence[str], degree: int, values: Sequence[Sequence[Any]]) -> list[float]:
    """Terms of one row beside the intercept: deviations from the query, their products, indicators of other values.

    A gap in the row is a deviation of 0 and no value; a column missing in the query has no terms. Neither has one whose
    value at the query no row of weight holds.
    """
    if degree == 0:
        return []
    asked = [a for a in range(len(query)) if query[a] is not None]
    numbers = [a for a in asked if kinds[a] != "nominal"]
    deviations = [0.0 if row[a] is None else row[a] - query[a] for a in numbers]
    found = list(deviations)
    if degree == 2:
        found += [x * z for i, x in enumerate(deviations) for z in deviations[i:]]
    for a in asked:
        if kinds[a] == "nominal":
            found += [1.0 if row[a] == value else 0.0 for value in values[a]]
    return found


def design(query: Row, rows: Sequence[Row], kinds: Sequence[str], degree: int, weights: Sequence[float]) -> Array:
    """Terms of all rows, shape (rows, terms)."""
    voting = [row for row, weight in zip(rows, weights, strict=True) if weight > 0]
    values: list[list[Any]] = []
    for a in range(len(query)):
        held = {row[a] for row in voting} if kinds[a] == "nominal" else set()
        values.append(sorted(held - {None, query[a]}, key=repr) if query[a] in held else [])
    found = [terms(query, row, kinds, degree, values) for row in rows]
    return np.array(found, dtype=float).reshape(len(rows), -1)


def term_scales(query: Row, kinds: Sequence[str], degree: int, spreads: Sequence[float], n_terms: int) -> Array:
    """The unit of each term: the spread of its column, their product for products, 1 for indicators."""
    if degree == 0:
        return np.ones(0)
    linear = [spreads[a] for a in range(len(query)) if query[a] is not None and kinds[a] != "nominal"]
    found = list(linear)
    if degree == 2:
        found += [x * z for i, x in enumerate(linear) for z in linear[i:]]
    return np.array(found + [1.0] * (n_terms - len(found)))


@dataclass
class Fit:
    """A local model: the prediction, and the local statistics (AMS, section on local variance)."""

    prediction: float
    slopes: Array
    hat: Array
    leverages: Array
    residuals: Array
    n: float
    p: float
    sigma: float
    effective: float
    loo_mse: float

    @property
    def ss(self) -> float:
        return float((self.hat**2).sum())


def fit(X: Array, weights: Sequence[float], y: Sequence[float], *, ridge: float, rcond: float, scales: Array) -> Fit:
    """Weighted least squares, free intercept: minimum norm, or a penalty, on the slopes of scaled, centered terms.

    beta = (Z'Z + ridge^2)^-1 Z'v (AMS, ridge regression) with Z = sqrt(K) (x - xbar) / scale, v = sqrt(K) (y - ybar).
    """
    K, y = np.asarray(weights, dtype=float), np.asarray(y, dtype=float)
    share = K / K.sum()
    center = share @ X
    C = (X - center) / scales
    Z = np.sqrt(K)[:, None] * C
    if ridge > 0:
        inverse = np.linalg.solve(Z.T @ Z + ridge**2 * np.eye(Z.shape[1]), Z.T)
    else:
        inverse = np.linalg.pinv(Z, rcond=rcond) if Z.size else Z.T
    to_slopes = inverse * np.sqrt(K)  # from y to slopes of scaled terms; y need not be centered, since Z' sqrt(K) = 0
    hat = share - (center / scales) @ to_slopes
    smoother = share[None, :] + C @ to_slopes
    residuals = y - smoother @ y
    leverages = np.diag(smoother)
    n, p = float(K.sum()), float((K * leverages).sum())
    sigma2 = float((K * residuals**2).sum()) / (n - p) if n - p > 1e-9 * n else math.inf
    with np.errstate(divide="ignore", invalid="ignore"):
        left_out = np.where(K > 0, residuals / (1 - leverages), 0.0)
    return Fit(
        prediction=float(hat @ y),
        slopes=(to_slopes @ y) / scales,
        hat=hat,
        leverages=leverages,
        residuals=residuals,
        n=n,
        p=p,
        sigma=math.sqrt(sigma2),
        effective=n**2 / float((K**2).sum()),
        loo_mse=float((K * left_out**2).sum()) / n,
    )


def nearest_mean(distances: Sequence[float], y: Sequence[float]) -> float:
    """The answer where no weight is left: the mean of the nearest rows."""
    least = min(distances)
    near = [target for d, target in zip(distances, y, strict=True) if d == least]
    return sum(near) / len(near)


# -- robustness, and Mitchell's rule


def robustness(residuals: Sequence[float]) -> Array:
    """delta_i = (1 - (e_i / 6s)^2)^2, s the median of |e| (Cleveland 1979, section 2); all 1 where s is 0."""
    e = np.abs(np.asarray(residuals, dtype=float))
    s = float(np.median(e))
    if s == 0:
        return np.ones(e.size)
    return np.where(e < 6 * s, (1 - (e / (6 * s)) ** 2) ** 2, 0.0)


def descend(X: Array, weights: Sequence[float], y: Sequence[float], steps: int) -> Array:
    """Mitchell 1997, eq. 8.7, taken literally: Delta w_j = eta sum K (f(x) - fhat(x)) a_j(x), with a_0 = 1."""
    K, y = np.asarray(weights, dtype=float), np.asarray(y, dtype=float)
    A = np.column_stack([np.ones(len(X)), X])
    eta = 1 / float((K * (A**2).sum(axis=1)).sum())
    w = np.zeros(A.shape[1])
    for _ in range(steps):
        w = w + eta * (K * (y - A @ w)) @ A
    return w
