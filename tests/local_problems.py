"""Voters of random queries for the compiled local fits, and the same fits by numpy.linalg."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from priorcase._core import local_fits
from priorcase._typing import AnyArray, FloatArray, IdArray

NUMERIC, ORDINAL, NOMINAL = 0, 1, 2


@dataclass(frozen=True)
class Problem:
    """Lists of voters, the rows they are, and the rules of the fit."""

    indptr: IdArray
    rows: IdArray
    weights: FloatArray
    repetitions: FloatArray | None
    cells: FloatArray
    queries: FloatArray
    kinds: AnyArray
    scales: FloatArray
    targets: FloatArray
    degree: int = 1
    ridge: float = 0.0
    rcond: float = 1e-10

    @property
    def values(self) -> IdArray:
        """How many codes each column has."""
        return np.nan_to_num(self.cells, nan=0).max(axis=0, initial=0).astype(np.int64) + 1

    def fits(self, want: int = 31, threads: int = 1, own: IdArray | None = None) -> dict[str, FloatArray]:
        """What the core says."""
        rules = {"degree": self.degree, "ridge": self.ridge, "rcond": self.rcond}
        lists = (self.indptr, self.rows, self.weights, self.repetitions)
        table = (self.cells, self.queries, self.kinds, self.scales, self.targets)
        return local_fits(*lists, *table, **rules, want=want, threads=threads, own=own, values=self.values)

    def voters(self, q: int) -> slice:
        """Where the voters of a query are."""
        return slice(int(self.indptr[q]), int(self.indptr[q + 1]))


def problem(
    seed: int,
    *,
    kinds: tuple[int, ...] = (NUMERIC, NUMERIC, ORDINAL, NOMINAL),
    sizes: tuple[int, int, int] = (60, 10, 40),
    gaps: bool = False,
    repeated: bool = False,
    degree: int = 1,
    ridge: float = 0.0,
) -> Problem:
    """Rows, queries and voters of each query in the given numbers; values come up often, some voters have no weight."""
    n, q, m = sizes
    rng = np.random.default_rng(seed)
    columns = [
        rng.normal(size=n + q) * 10.0 ** rng.integers(-3, 4) if kind == NUMERIC else rng.integers(0, 4, n + q)
        for kind in kinds
    ]
    cells = np.stack(columns, axis=1).astype(np.float64)
    spread = np.std(cells, axis=0)
    if gaps:
        cells[rng.random(cells.shape) < 0.1] = np.nan
    rows = np.concatenate([rng.choice(n, m, replace=False) for _ in range(q)]).astype(np.int64)
    weights = np.where(rng.random(q * m) < 0.1, 0.0, rng.random(q * m))
    repetitions = rng.integers(1, 4, n).astype(np.float64)[rows] if repeated else None
    return Problem(
        np.arange(q + 1) * m,
        rows,
        weights if repetitions is None else weights * repetitions,
        repetitions,
        cells[:n].copy(),
        cells[n:].copy(),
        np.array(kinds, dtype=np.uint8),
        np.where((np.array(kinds) == NOMINAL) | (spread == 0), 1.0, spread),
        rng.normal(size=(n, 2)),
        degree,
        ridge,
    )


def a_line(**rules: float) -> Problem:
    """Four rows on y = 2 + 3 x, all of which vote on x = 10."""
    x = np.array([[1.0], [2.0], [4.0], [7.0]])
    lists = (np.array([0, 4]), np.arange(4), np.array([1.0, 2.0, 0.5, 3.0]), None)
    return replace(
        Problem(*lists, x, np.array([[10.0]]), np.zeros(1, dtype=np.uint8), np.array([2.0]), 2 + 3 * x), **rules
    )


def design(p: Problem, q: int) -> FloatArray:
    """The columns of a query's local design in scaled units, without the intercept; a row for each voter."""
    at = p.voters(q)
    rows, query = p.cells[p.rows[at]], p.queries[q]
    numbers: list[FloatArray] = []
    indicators: list[FloatArray] = []
    for a, kind in enumerate(p.kinds):
        if np.isnan(query[a]) or p.degree == 0:
            continue
        if kind == NOMINAL:
            seen = rows[(p.weights[at] > 0) & ~np.isnan(rows[:, a]) & (rows[:, a] != query[a]), a]
            indicators += [(rows[:, a] == value) / p.scales[a] for value in np.unique(seen)]
        else:
            numbers.append(np.where(np.isnan(rows[:, a]), 0.0, (rows[:, a] - query[a]) / p.scales[a]))
    products = [x * y for i, x in enumerate(numbers) for y in numbers[i:]] if p.degree == 2 else []
    return np.array([*numbers, *indicators, *products], dtype=np.float64).reshape(-1, len(rows)).T


def smoother(p: Problem, q: int, points: FloatArray) -> FloatArray:
    """S with fitted values S y at some points of the query's design, by the pseudo-inverse of its centered columns."""
    K = p.weights[p.voters(q)]
    X = design(p, q)
    mean = K @ X / K.sum()
    root = np.sqrt(K)[:, None]
    stacked = np.concatenate([root * (X - mean), p.ridge * np.eye(X.shape[1])])
    slopes = np.linalg.pinv(stacked, rcond=p.rcond)[:, : len(K)] * root.T
    slopes = slopes - np.outer(slopes.sum(axis=1), K / K.sum())
    return K / K.sum() + (points - mean) @ slopes


def hat_row(p: Problem, q: int) -> FloatArray:
    """s with f(q) = s'y: at the query all deviations are 0."""
    return smoother(p, q, np.zeros((1, design(p, q).shape[1])))[0]
