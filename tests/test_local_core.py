"""The compiled local fits against numpy.linalg on the same designs, and against what can be written down."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from priorcase._core import local_fits
from priorcase.typing import FloatArray, IdArray

NUMERIC, ORDINAL, NOMINAL = 0, 1, 2
RCOND = 1e-10


@dataclass(frozen=True)
class Problem:
    """Voters of some queries, and the rows they are."""

    indptr: IdArray
    rows: IdArray
    weights: FloatArray
    repetitions: FloatArray | None
    cells: FloatArray
    queries: FloatArray
    kinds: np.ndarray
    scales: FloatArray
    targets: FloatArray
    degree: int = 1
    ridge: float = 0.0
    rcond: float = RCOND

    def fits(self, want: int = 31, threads: int = 1, own: IdArray | None = None) -> dict[str, FloatArray]:
        """What the core says."""
        counts = np.nan_to_num(self.cells, nan=-1).max(axis=0, initial=0).astype(np.int64) + 1
        return local_fits(
            self.indptr, self.rows, self.weights, self.repetitions, self.cells, self.queries, self.kinds, self.scales,
            self.targets, degree=self.degree, ridge=self.ridge, rcond=self.rcond, want=want, threads=threads, own=own,
            values=counts,
        )  # fmt: skip

    def voters(self, q: int) -> slice:
        """Where the voters of a query are."""
        return slice(int(self.indptr[q]), int(self.indptr[q + 1]))


def problem(seed: int, *, kinds: tuple[int, ...] = (0, 0, 1, 2), n: int = 60, q: int = 12, m: int = 40, gaps: bool = False,
            repeated: bool = False, **rules: float) -> Problem:  # fmt: skip
    """Random rows, with values that come up often, and random lists of voters, some without weight."""
    rng = np.random.default_rng(seed)
    columns = [rng.normal(size=n + q) * 10.0 ** rng.integers(-3, 4) if kind == NUMERIC else rng.integers(0, 4, n + q)
               for kind in kinds]  # fmt: skip
    cells = np.stack(columns, axis=1).astype(np.float64)
    if gaps:
        cells[rng.random(cells.shape) < 0.1] = np.nan
    spread = np.nan_to_num(np.nanstd(cells, axis=0), nan=1.0)
    scales = np.where(np.array(kinds) == NOMINAL, 1.0, np.where(spread > 0, spread, 1.0))
    rows = np.concatenate([rng.choice(n, m, replace=False) for _ in range(q)]).astype(np.int64)
    weights = np.where(rng.random(q * m) < 0.1, 0.0, rng.random(q * m))
    repetitions = rng.integers(1, 4, n).astype(np.float64)[rows] if repeated else None
    if repetitions is not None:
        weights = weights * repetitions
    return Problem(
        np.arange(q + 1) * m, rows, weights, repetitions, cells[:n].copy(), cells[n:].copy(),
        np.array(kinds, dtype=np.uint8), scales, rng.normal(size=(n, 2)), **rules,
    )  # fmt: skip


def design(p: Problem, q: int) -> FloatArray:
    """The columns of a query's local design in scaled units, without the intercept, voters without weight included."""
    at = p.voters(q)
    rows, query = p.cells[p.rows[at]], p.queries[q]
    numbers, indicators = [], []
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


def hat_row(p: Problem, q: int, at: FloatArray | None = None) -> FloatArray:
    """s with f = s'y, at a point of the design (the query: all zeros), by the pseudo-inverse of the centred columns."""
    K = p.weights[p.voters(q)]
    X = design(p, q)
    point = np.zeros(X.shape[1]) if at is None else at
    mean = K @ X / K.sum()
    root = np.sqrt(K)[:, None]
    stacked = np.concatenate([root * (X - mean), p.ridge * np.eye(X.shape[1])])
    slopes = np.linalg.pinv(stacked, rcond=p.rcond)[:, : len(K)] * root.T
    slopes = slopes - np.outer(slopes.sum(axis=1), K / K.sum())
    return K / K.sum() + (point - mean) @ slopes


CASES = [dict(degree=degree, ridge=ridge, gaps=gaps, repeated=repeated)
         for degree in (0, 1, 2) for ridge in (0.0, 0.3) for gaps in (False, True) for repeated in (False, True)]  # fmt: skip


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("seed", range(3))
def test_predictions_and_hat_rows_equal_the_pseudo_inverse(case: dict[str, float], seed: int) -> None:
    p = problem(seed, **case)
    found = p.fits()
    for q in range(len(p.queries)):
        at = p.voters(q)
        s = hat_row(p, q)
        np.testing.assert_allclose(found["hat"][at], s, rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(found["predictions"][q], s @ p.targets[p.rows[at]], rtol=1e-9, atol=1e-10)
