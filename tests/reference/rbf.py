"""Networks of radial basis functions, slow and obvious: rows of weight w literally repeated w times, every fit anew.

Distances come from `reference.distances`; None is missing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from reference.distances import Cases, Row, heom

Array = NDArray[np.float64]


def activations(cases: Cases, query: Row, centers: Sequence[Row], widths: Sequence[float]) -> list[float]:
    """``exp(-d^2 / (2 sigma^2))`` of each center (Mitchell 1997, eq. 8.9), d the HEOM distance."""
    costs = [float(heom(cases, center, query)) for center in centers]
    return [math.exp(-cost / (2 * sigma**2)) for cost, sigma in zip(costs, widths, strict=True)]


def ridge(phi: Array, y: Array, alpha: float) -> tuple[Array, Array]:
    """Weights, shape (centers, targets), and intercepts: least squares with ``alpha |w|^2`` added, least norm at 0."""
    m = phi.shape[1]
    if alpha == 0:
        # The intercept is free: with it taken out of both sides the least weights are those of the centered columns.
        weights = np.linalg.lstsq(phi - phi.mean(axis=0), y - y.mean(axis=0), rcond=None)[0]
        return weights, y.mean(axis=0) - phi.mean(axis=0) @ weights
    rows = np.column_stack([np.ones(len(phi)), phi])
    penalty = math.sqrt(alpha) * np.eye(m + 1)[1:]
    targets = np.concatenate([y, np.zeros((m, y.shape[1]))])
    found = np.linalg.lstsq(np.concatenate([rows, penalty]), targets, rcond=None)[0]
    return found[1:], found[0]


def hat(phi: Array, alpha: float) -> Array:
    """The matrix H of ``fitted = H y``: a column is what is fitted to a target of 1 in one row and 0 elsewhere."""
    weights, intercepts = ridge(phi, np.eye(len(phi)), alpha)
    return np.asarray(phi @ weights + intercepts)


def gcv(phi: Array, y: Array, alpha: float) -> float:
    """``n |y - Hy|^2 / (n - trace H)^2`` (Golub, Heath & Wahba 1979, eq. 1.4 times n over n)."""
    h, n = hat(phi, alpha), len(phi)
    return float(n * ((y - h @ y) ** 2).sum() / (n - np.trace(h)) ** 2)


def left_out(phi: Array, y: Array, alpha: float) -> Array:
    """Residual of each row when it is left out and everything else is fitted again."""
    residuals = np.empty_like(y)
    for i in range(len(phi)):
        others = np.arange(len(phi)) != i
        weights, intercepts = ridge(phi[others], y[others], alpha)
        residuals[i] = y[i] - phi[i] @ weights - intercepts
    return residuals


def common_width(cases: Cases, centers: Sequence[Row]) -> float:
    """``d_max / sqrt(2 k)``."""
    k = len(centers)
    d_max = max((math.sqrt(heom(cases, p, q)) for i, p in enumerate(centers) for q in centers[:i]), default=0.0)
    return d_max / math.sqrt(2 * k) or 1.0


def neighbor_widths(cases: Cases, centers: Sequence[Row]) -> list[float]:
    """Mean distance of each center from the two nearest others (Moody & Darken 1989)."""
    widths = []
    for i, center in enumerate(centers):
        others = sorted(math.sqrt(heom(cases, other, center)) for j, other in enumerate(centers) if j != i)
        widths.append(sum(others[:2]) / len(others[:2]))
    return widths


def middle(values: Sequence[Any], kind: str | int, everyone: Sequence[Any]) -> Any:
    """The middle of one column of a cluster: mean, lower median of ranks, or mode; None where nothing is known.

    Of two values as frequent in the cluster the one that is more frequent among all rows is taken.
    """
    known = [value for value in values if value is not None]
    if not known:
        return None
    if kind == "nominal":
        here, there = Counter(known), Counter(everyone)
        return max(here, key=lambda value: (here[value], there[value]))
    if isinstance(kind, int):
        return sorted(known)[(len(known) - 1) // 2]
    return sum(known) / len(known)


def nearest(cases: Cases, row: Row, centers: Sequence[Row]) -> int:
    """The center that a row belongs to, the first among equally near ones."""
    costs = [float(heom(cases, center, row)) for center in centers]
    return costs.index(min(costs))
