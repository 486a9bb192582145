"""Local classification, slow and obvious: one query, plain loops, rows of weight w literally repeated.

Rows and queries are plain lists: numbers, the ranks of levels, or values; None is missing. ``weights`` are the
kernel's, one for each row (`reference.local_regression` has them), ``kinds`` are "numeric", "ordinal" or "nominal".
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from reference import local_regression
from scipy.optimize import minimize

Row = Sequence[Any]
Array = Any
Label = Any


def effective(weights: Sequence[float]) -> list[float]:
    """Weights that add up to (sum K)^2 / sum K^2 (Kish 1965)."""
    exact = [Fraction(w) for w in weights]
    scale = sum(exact) / sum(v * v for v in exact)
    return [float(w * scale) for w in exact]


def nearest_shares(
    distances: Sequence[float], labels: Sequence[Label], classes: Sequence[Label], prior: Sequence[float]
) -> list[float]:
    """The answer where no weight is left: the vote of the nearest rows, with the prior."""
    near = [of for d, of in zip(distances, labels, strict=True) if d == min(distances)]
    return [(near.count(c) + a) / (len(near) + sum(prior)) for c, a in zip(classes, prior, strict=True)]


def with_prior(shares: Sequence[float], weights: Sequence[float], prior: Sequence[float]) -> list[float]:
    """(n p_c + prior_c) / (n + sum prior), n the effective number of neighbors."""
    n = sum(effective(weights))
    return [(n * p + a) / (n + sum(prior)) for p, a in zip(shares, prior, strict=True)]


# -- naive Bayes


def share(f: float, n: float, values: int, s: float) -> float:
    """(f + s) / (n + K s): the next value of a discrete attribute (Kontkanen et al. 1998, eq. 9)."""
    return (f + s) / (n + values * s)


def student(x: float, values: Sequence[float], times: Sequence[float], mean: float, variance: float) -> float:
    """Density of the next value under a Normal-Gamma prior that counts as one (Murphy 2007, eqs. 85-89 and 110)."""
    n = sum(times)
    center = sum(w * v for w, v in zip(times, values, strict=True)) / n if n else mean
    spread = sum(w * (v - center) ** 2 for w, v in zip(times, values, strict=True))
    k, a = 1 + n, (1 + n) / 2
    location = (mean + n * center) / k
    b = variance / 2 + spread / 2 + n * (center - mean) ** 2 / (2 * k)
    scale2 = b * (k + 1) / (a * k)
    log = math.lgamma(a + 0.5) - math.lgamma(a) - 0.5 * math.log(math.pi * 2 * a * scale2)
    return math.exp(log - (a + 0.5) * math.log1p((x - location) ** 2 / (2 * a * scale2)))


def gaussian(x: float, values: Sequence[float], times: Sequence[float], mean: float, variance: float) -> float:
    """The normal density of the class's mean and variance D / (n - 1), smoothed by 1e-9 of the overall one."""
    n = sum(times)
    center = sum(w * v for w, v in zip(times, values, strict=True)) / n if n else mean
    own = variance
    if n >= 2:
        own = sum(w * (v - center) ** 2 for w, v in zip(times, values, strict=True)) / (n - 1) + 1e-9 * variance
    return math.exp(-((x - center) ** 2) / (2 * own)) / math.sqrt(2 * math.pi * own)


def density(x: float, own: list[tuple[float, float]], everyone: list[tuple[float, float]], numeric: str) -> float:
    """The density of a number, given pairs (weight, number) of one class and of all; 1 where the numbers are equal."""
    if len({value for _, value in everyone}) < 2:
        return 1.0
    n = sum(w for w, _ in everyone)
    mean = sum(w * v for w, v in everyone) / n
    deviation = sum(w * (v - mean) ** 2 for w, v in everyone)
    values, times = [v for _, v in own], [w for w, _ in own]
    if numeric == "student":
        return student(x, values, times, mean, deviation / n)
    return gaussian(x, values, times, mean, deviation / max(n - 1, n / 2))


def naive_bayes(
    query: Row,
    rows: Sequence[Row],
    labels: Sequence[Label],
    weights: Sequence[float],
    kinds: Sequence[str],
    sizes: Sequence[int],
    prior: Mapping[Label, float],
    *,
    s: float = 1.0,
    numeric: str = "student",
    unseen: Sequence[int] = (),
) -> list[float]:
    """P(c) prod_a P(x_a | c) over the classes of the prior; ``unseen`` are columns that do not have the value."""
    scaled, scores = effective(weights), []
    for label, added in prior.items():
        score = sum(w for w, of in zip(scaled, labels, strict=True) if of == label) + added
        for a, x in enumerate(query):
            if x is None:
                continue
            known = [
                (w, row[a], of) for w, row, of in zip(scaled, rows, labels, strict=True) if row[a] is not None and w
            ]
            own = [(w, value) for w, value, of in known if of == label]
            if kinds[a] == "numeric":
                score *= density(x, own, [(w, value) for w, value, _ in known], numeric)
            else:
                equal = sum(w for w, value in own if value == x and a not in unseen)
                score *= share(equal, sum(w for w, _ in own), sizes[a] + (a in unseen), s)
        scores.append(score)
    return [score / sum(scores) for score in scores]


def weka_naive_bayes(
    query: Row, rows: Sequence[Row], labels: Sequence[Label], classes: Sequence[Label]
) -> list[Fraction]:
    """Weka's NaiveBayes on nominal columns of two values: one row more for every class and every value. Exact."""
    scores = []
    for label in classes:
        own = [row for row, of in zip(rows, labels, strict=True) if of == label]
        score = Fraction(len(own) + 1, len(rows) + len(classes))
        for a, x in enumerate(query):
            score *= Fraction(sum(row[a] == x for row in own) + 1, len(own) + 2)
        scores.append(score)
    return [score / sum(scores) for score in scores]


# -- fits


def scaled_design(
    query: Row,
    rows: Sequence[Row],
    weights: Sequence[float],
    kinds: Sequence[str],
    spreads: Sequence[float],
    degree: int,
) -> Array:
    """Deviations from the query over the columns' spreads, and indicators of other values."""
    X = local_regression.design(query, rows, kinds, degree, weights)
    return X / local_regression.term_scales(query, kinds, degree, spreads, X.shape[1])


def logistic(
    X: Array, labels: Sequence[Label], weights: Sequence[float], classes: Sequence[Label], ridge: float
) -> list[float]:
    """Probabilities at x = 0 of the softmax that minimizes  -sum w ln p + ridge^2/2 sum |b|^2,  intercepts free.

    All classes with a row have slopes of their own here; the minimum is found by a general optimizer.
    """
    w = np.array(effective(weights))
    present = [c for c in classes if any(of == c and v > 0 for of, v in zip(labels, w, strict=True))]
    if len(present) == 1:
        return [float(c == present[0]) for c in classes]
    kept = w > 0
    A = np.column_stack([np.ones(int(kept.sum())), X[kept]])
    Y = np.array([[float(of == c) for c in present] for of, keep in zip(labels, kept, strict=True) if keep])
    w = w[kept]

    def loss(theta: Array) -> tuple[float, Array]:
        B = theta.reshape(A.shape[1], len(present))
        Z = A @ B
        Z = Z - Z.max(axis=1, keepdims=True)
        logs = Z - np.log(np.exp(Z).sum(axis=1, keepdims=True))
        penalized = np.vstack([np.zeros(len(present)), B[1:]])
        value = -(w[:, None] * Y * logs).sum() + ridge**2 / 2 * (penalized**2).sum()
        return value, (A.T @ (w[:, None] * (np.exp(logs) - Y)) + ridge**2 * penalized).ravel()

    found = minimize(loss, np.zeros(A.shape[1] * len(present)), jac=True, method="BFGS", options={"gtol": 1e-9})
    at_query = found.x.reshape(A.shape[1], -1)[0]
    p = np.exp(at_query - at_query.max())
    shares = dict(zip(present, (p / p.sum()).tolist(), strict=True))
    return [shares.get(c, 0.0) for c in classes]


def linear(
    X: Array, labels: Sequence[Label], weights: Sequence[float], classes: Sequence[Label], ridge: float
) -> list[float]:
    """The value at x = 0 of a regression on each class's indicator, clipped at 0, over their sum."""
    ones = np.ones(X.shape[1])
    values = []
    for c in classes:
        y = [float(of == c) for of in labels]
        values.append(max(0.0, local_regression.fit(X, weights, y, ridge=ridge, rcond=1e-10, scales=ones).prediction))
    return [value / sum(values) for value in values]


def log_loss(shares: Sequence[float], classes: Sequence[Label], label: Label) -> float:
    """-ln of the probability of the class that it was; 0 counts as the smallest number above 0."""
    return -math.log(max(shares[list(classes).index(label)], np.finfo(float).tiny))
