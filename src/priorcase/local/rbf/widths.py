"""How far the answer of a centre reaches."""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

import numpy as np

from priorcase._typing import FloatArray
from priorcase.learning.sorted_rows import SortedRows
from priorcase.local.rbf.em_centers import Mixture
from priorcase.local.rbf.kmeans import parts
from priorcase.local.rbf.measuring import Centers

WidthRule: TypeAlias = Literal["auto", "common", "neighbors", "em"]
"""How widths are found."""
LADDER = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Common widths that ``"auto"`` tries, in units of the root mean square distance of rows from centres.

One more is the mean of the widths by ``"neighbors"``: where there are few columns centres lie close together, and only
narrow bumps can follow targets that change from one to the next.
"""
NEAREST = 2
"""How many of the nearest other centres ``"neighbors"`` averages."""


def candidates(
    rule: WidthRule | float, centers: Centers, rows: SortedRows, mixture: Mixture | None, *, threads: int = 1
) -> list[FloatArray]:
    """Widths to choose from, each one for all centres; the narrowest first.

    Parameters
    ----------
    rule
        How widths are found, or a common width.
    centers
        The centres.
    rows
        The rows.
    mixture
        What the centres are the components of; None where they are not.
    threads
        How many threads measure distances.
    """
    count = len(centers)
    if not isinstance(rule, str):
        return [np.full(count, float(rule))]
    between = centers.distances(centers.cells, threads=threads)
    np.fill_diagonal(between, np.nan)  # with gaps a centre may be far from itself
    common = common_width(between)
    if rule == "auto":
        unit, near = typical_distance(centers, rows, threads=threads), neighbor_widths(between)
        near = near[np.isfinite(near) & (near > 0)]
        ladder = {factor * unit for factor in LADDER} | set(near.mean(keepdims=True).tolist() if near.size else ())
        return [np.full(count, width) for width in sorted(ladder)]
    if rule == "common":
        return [np.full(count, common)]
    if rule == "em":
        widths = np.zeros(count) if mixture is None else mixture.widths(centers, threads=threads)
    else:
        widths = neighbor_widths(between)
    return [np.where(np.isfinite(widths) & (widths > 0), widths, common)]


def common_width(between: FloatArray) -> float:
    """``d_max / sqrt(2 k)`` of k centres, d_max the largest distance between two of them; 1 where that is 0.

    Examples
    --------
    >>> common_width(np.array([[np.nan, 4.0], [4.0, np.nan]]))
    2.0
    """
    known = between[np.isfinite(between)]
    return float(known.max(initial=0.0)) / math.sqrt(2.0 * len(between)) or 1.0


def neighbor_widths(between: FloatArray) -> FloatArray:
    """The mean distance of each centre from its two nearest others (Moody & Darken 1989).

    Examples
    --------
    >>> neighbor_widths(np.array([[np.nan, 1.0, 3.0], [1.0, np.nan, 2.0], [3.0, 2.0, np.nan]]))
    array([2. , 1.5, 2.5])
    """
    nearest = np.sort(between, axis=1)[:, : min(NEAREST, len(between) - 1)]  # NaN comes last
    total = np.zeros(len(between))
    for column in nearest.T:
        total += column
    widths: FloatArray = total / max(nearest.shape[1], 1)
    return widths


def typical_distance(centers: Centers, rows: SortedRows, *, threads: int = 1) -> float:
    """The root mean square distance of the rows from all centres; 1 where it is 0. Infinite ones do not count."""
    total = reached = largest = 0.0
    for part in parts(len(rows), len(centers)):
        distances = centers.distances(rows.cells[part], threads=threads)
        finite = np.isfinite(distances)
        biggest = float(np.where(finite, distances, 0.0).max(initial=0.0))
        if biggest > largest:  # relative to the largest, whose square may be beyond float64
            total, largest = total * (largest / biggest) ** 2, biggest
        relative = np.where(finite, distances, 0.0) / (largest or 1.0)
        total += float((rows.weights[part] * (relative * relative).sum(axis=1)).sum())
        reached += float((rows.weights[part] * finite.sum(axis=1)).sum())
    return largest * math.sqrt(total / reached) if total else 1.0
