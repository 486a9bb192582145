"""Where the centres of a network come from."""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.exceptions import RBFError
from priorcase.learning.progress import Advance
from priorcase.learning.sorted_rows import SortedRows
from priorcase.local.rbf.em_centers import Mixture, fit_mixture
from priorcase.local.rbf.kmeans import kmeans
from priorcase.local.rbf.measuring import Centers

CenterKind: TypeAlias = Literal["kmeans", "em", "random", "stratified", "all"]
"""How centres are found."""
MOST_CENTERS = 4_000
"""The most centres of a network: a matrix of that many rows and columns is decomposed."""
_FEWEST, _PER_ROOT, _USUAL = 100, 4, 200


def how_many(asked: int | Literal["auto"], kind: CenterKind, rows: SortedRows) -> int:
    """The number of centres for some different rows: all, as many as asked for, or ``4 sqrt(n)`` within 100 and 200."""
    there = len(rows)
    if kind == "all":
        count = there
    elif asked == "auto":
        rooted = _PER_ROOT * math.isqrt(int(min(max(float(rows.weights.sum()), there), 1e9)))
        count = min(there, max(_FEWEST, min(rooted, _USUAL)))
    else:
        count = asked
    if count > there:
        raise RBFError.too_few_rows(count, there)
    if count > MOST_CENTERS:
        raise RBFError.too_many_centers(count, MOST_CENTERS)
    return count


def find_centers(
    kind: CenterKind,
    count: int,
    rows: SortedRows,
    strata: IntArray,
    like: Centers,
    *,
    seed: int,
    threads: int,
    advance: Advance,
) -> tuple[Centers, Mixture | None]:
    """The centres, and for ``"em"`` the mixture behind them.

    Parameters
    ----------
    kind, count
        How to find them, and how many.
    rows
        All rows, sorted.
    strata
        Classes, or groups of like targets, of the rows.
    like
        Any centres, for the distance.
    seed
        Where everything random comes from.
    threads
        How many threads measure distances and run EM.
    advance
        Called after every step.
    """
    distinct = rows.distinct()
    if kind == "em" and len(distinct) > 1:
        mixture = fit_mixture(rows, count, seed=seed, threads=threads)
        return like.at(mixture.cells()), mixture
    if kind == "kmeans" and count < len(distinct):
        cells = kmeans(distinct, count, like, seed=seed, threads=threads, advance=advance)
    elif kind in ("random", "stratified") and count < len(distinct):
        groups = strata if kind == "stratified" else np.zeros(len(rows), np.int64)
        cells = stratified(rows, groups, count, np.random.default_rng(seed))
    else:
        cells = distinct.cells
    return like.at(_different(cells)), None


def stratified(rows: SortedRows, strata: IntArray, count: int, rng: np.random.Generator) -> FloatArray:
    """Different rows, of each stratum in proportion to its rows (largest remainders) but at least one.

    Parameters
    ----------
    rows
        All rows, sorted.
    strata
        The stratum of each.
    count
        How many to draw, where there are no more strata than that.
    rng
        Where they come from.
    """
    names, of = np.unique(strata, return_inverse=True)
    members = [rows.take(np.flatnonzero(of == s)).distinct() for s in range(names.size)]
    quotas = _quotas(np.array([float(m.weights.sum()) for m in members]), np.array([len(m) for m in members]), count)
    drawn = [m.cells[_drawn(m.weights, int(q), rng)] for m, q in zip(members, quotas, strict=True)]
    return np.concatenate(drawn)


def quantile_groups(targets: FloatArray, weights: FloatArray, count: int) -> IntArray:
    """Up to ten groups of rows, equally heavy, by their first target; equal targets share a group.

    Examples
    --------
    >>> quantile_groups(np.array([[3.0], [1.0], [1.0], [2.0]]), np.ones(4), 2)
    array([1, 0, 0, 1])
    """
    groups = min(10, count)
    of = np.unique(targets[:, 0], return_inverse=True)[1]
    heavy = np.bincount(of, weights)
    before = np.cumsum(heavy) - heavy
    return np.asarray(np.floor(before / float(heavy.sum()) * groups).astype(np.int64)[of])


def _drawn(weights: FloatArray, count: int, rng: np.random.Generator) -> IntArray:
    """Rows drawn one after the other without putting back, heavier ones more likely; ascending.

    The rows with the largest ``ln(u) / w`` (Efraimidis & Spirakis 2006).
    """
    keys = np.log1p(-rng.random(weights.size)) / weights
    return np.sort(np.argsort(-keys, kind="stable")[:count])


def _quotas(weights: FloatArray, sizes: IntArray, count: int) -> IntArray:
    """How many to draw from each stratum.

    Examples
    --------
    >>> _quotas(np.array([90.0, 9.0, 1.0]), np.array([90, 9, 1]), 10)
    array([8, 1, 1])
    """
    quotas = np.minimum(sizes, 1)
    while quotas.sum() < count and (quotas < sizes).any():
        # One after the other to the stratum that is farthest below its part.
        short = np.where(quotas < sizes, weights / weights.sum() * count - quotas, -np.inf)
        quotas[int(short.argmax())] += 1
    return quotas


def _different(cells: FloatArray) -> FloatArray:
    """Each different centre once, in the order in which they come."""
    plain = np.where(np.isnan(cells), np.inf, cells + 0.0)
    _, first = np.unique(plain, axis=0, return_index=True)
    return cells[np.sort(first)]
