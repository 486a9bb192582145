"""Cluster centres of mixed rows: k-means with means of numbers, medians of levels and the most frequent values."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.learning.progress import Advance
from priorcase.learning.sorted_rows import SortedRows
from priorcase.local.rbf.measuring import Centers
from priorcase.schema import Nominal, Ordinal

MAX_ITER = 10
"""Turns of Lloyd's algorithm; the output layer makes up for centres that could still move a little."""
MOST_ROWS = 10_000
"""Rows that are clustered; of more, as many at even steps through the sorted rows."""
_ENTRIES = 1 << 21


def kmeans(rows: SortedRows, count: int, like: Centers, *, seed: int, threads: int, advance: Advance) -> FloatArray:
    """Cells of ``count`` centres, or of fewer where that many different ones cannot be found.

    Parameters
    ----------
    rows
        Different rows.
    count
        How many centres.
    like
        Any centres, for the distance.
    seed
        Where the first centres come from.
    threads
        How many threads measure distances.
    advance
        Called after every step, `MAX_ITER` + 1 of them at most.
    """
    if len(rows) > MOST_ROWS:
        rows = rows.take(np.linspace(0, len(rows) - 1, MOST_ROWS).astype(np.int64))
    centers = spread_out(rows, count, like, np.random.default_rng(seed), threads=threads)
    advance("k-means")
    owners = np.full(len(rows), -1)
    for _ in range(MAX_ITER):
        nearest = assigned(rows.cells, like.at(centers), threads=threads)
        if np.array_equal(nearest, owners):
            break
        owners = nearest
        centers = middles(rows, owners, centers)
        advance("k-means")
    return centers


def spread_out(
    rows: SortedRows, count: int, like: Centers, rng: np.random.Generator, *, threads: int = 1
) -> FloatArray:
    """Rows far apart, drawn one after the other (k-means++, Arthur & Vassilvitskii 2007).

    Each is drawn with a probability proportional to its weight times its squared distance from the nearest drawn so
    far; it ends early when every row is at distance 0 from one of them.
    """
    chosen: list[int] = []
    everything = like.at(rows.cells)
    nearest = np.full(len(rows), np.inf)
    chances = rows.weights
    while len(chosen) < count:
        bounds = np.cumsum(chances)
        row = min(int(np.searchsorted(bounds, rng.random() * bounds[-1], side="right")), len(rows) - 1)
        chosen.append(row)
        squares = everything.squares(rows.cells[row : row + 1], threads=threads)[0]
        np.minimum(nearest, squares, out=nearest)
        nearest[row] = 0.0  # with gaps a row may be far from itself
        finite = np.isfinite(nearest)
        # Rows infinitely far from all centres come first.
        chances = rows.weights * (np.where(finite, nearest / _largest(nearest), 0.0) if finite.all() else ~finite)
        if not chances.any():
            break
    return rows.cells[chosen]


def assigned(cells: FloatArray, centers: Centers, *, threads: int = 1) -> IntArray:
    """The nearest centre of each row, the first among equally near ones."""
    owners = np.empty(len(cells), np.int64)
    for part in parts(len(cells), len(centers)):
        owners[part] = centers.distances(cells[part], threads=threads).argmin(axis=1)
    return owners


def middles(rows: SortedRows, owners: IntArray, before: FloatArray) -> FloatArray:
    """The middle of each cluster: the mean of a number, the median of a level, the most frequent of values.

    Gaps do not count; a column without any value in a cluster is a gap of its centre. Of two values as frequent the
    one that more rows have on the whole is taken, of two middle levels the lower one. A cluster without rows stays
    where it was.

    Parameters
    ----------
    rows
        The rows.
    owners
        The cluster of each.
    before
        Where the centres were.
    """
    centers = before.copy()
    filled = np.bincount(owners, minlength=len(before)) > 0
    for a, kind in enumerate(rows.instances.schema.kinds):
        known = ~np.isnan(rows.cells[:, a])
        column, of, weights = rows.cells[known, a], owners[known], rows.weights[known]
        if isinstance(kind, Nominal):
            middle = _modes(column.astype(np.int64), of, weights, len(before), rows.value_ranks[a])
        elif isinstance(kind, Ordinal):
            middle = _medians(column, of, weights, len(before))
        else:
            middle = _means(column, of, weights, len(before))
        centers[filled, a] = middle[filled]
    return centers


def parts(n: int, width: int) -> Iterator[slice]:
    """Parts of ``n`` rows, of which ``width`` numbers each are held at a time."""
    size = max(1, _ENTRIES // max(width, 1))
    return (slice(start, min(start + size, n)) for start in range(0, n, size))


def _largest(squares: FloatArray) -> float:
    return float(squares.max()) or 1.0


def _means(column: FloatArray, of: IntArray, weights: FloatArray, count: int) -> FloatArray:
    """Around the middle of the column and in units of its spread, so that large numbers stay within float64."""
    if not column.size:
        return np.full(count, np.nan)
    low, high = float(column.min()), float(column.max())
    centre, unit = low / 2 + high / 2, (high / 2 - low / 2) or 1.0
    total = np.bincount(of, weights, minlength=count)
    sums = np.bincount(of, weights * ((column - centre) / unit), minlength=count)
    with np.errstate(invalid="ignore"):
        return np.clip(centre + sums / total * unit, low, high)


def _medians(column: FloatArray, of: IntArray, weights: FloatArray, count: int) -> FloatArray:
    """The lowest number that half of the weight does not exceed."""
    result = np.full(count, np.nan)
    if not column.size:
        return result
    order = np.lexsort((column, of))
    of, column = of[order], column[order]
    reached = np.cumsum(weights[order])
    first = np.flatnonzero(np.diff(of, prepend=-1))
    before = np.concatenate(([0.0], reached))[first]
    last = np.append(first[1:], of.size) - 1
    middle = np.searchsorted(reached, (before + reached[last]) / 2)
    result[of[first]] = column[np.clip(middle, first, last)]
    return result


def _modes(column: IntArray, of: IntArray, weights: FloatArray, count: int, ranks: IntArray) -> FloatArray:
    by_rank = np.argsort(ranks)
    counts = np.bincount(of * ranks.size + ranks[column], weights, minlength=count * ranks.size)
    counts = counts.reshape(count, ranks.size)
    if not ranks.size:
        return np.full(count, np.nan)
    return np.where(counts.any(axis=1), by_rank[counts.argmax(axis=1)].astype(np.float64), np.nan)
