"""Locally weighted regression compared with scikit-misc's loess, NumPy and Weka's LWL, and measured on a million rows.

All programs fit the same model: a plane around each query, with tricube weights. The bandwidth of the weights is the
distance of the (k+1)-th nearest row. scikit-misc always reads predictors column by column, so it gets an array in this
order.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree
from skmisc.loess import loess

from benchmarks.machine import THREADS
from benchmarks.peers import weka_lwl
from benchmarks.report import Row
from benchmarks.sizes import Sizes
from benchmarks.timing import Peer, compare
from priorcase._core import local_fits
from priorcase.local import LocallyWeightedRegressor

Numbers = npt.NDArray[np.float64]

K = 200
COLUMNS = 4
MIB = 2**20


@dataclass(frozen=True)
class Task:
    """Training rows with numeric targets, and query rows."""

    X: Numbers
    y: Numbers
    queries: Numbers
    truth: Numbers

    @property
    def k(self) -> int:
        """Number of neighbors of each query, at most half of the rows."""
        return min(K, len(self.X) // 2)


def task(rows: int, queries: int, *, seed: int = 7) -> Task:
    """Return a smooth surface over four uniform columns, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(rows + queries, COLUMNS))
    y = np.sin(4 * X[:, 0]) * X[:, 1] + X[:, 2] ** 2 + 0.1 * rng.normal(size=len(X))
    return Task(X[:rows], y[:rows], X[rows:], y[rows:])


def model(k: int) -> LocallyWeightedRegressor:
    """Return our regressor."""
    return LocallyWeightedRegressor(k, kernel="tricube", degree=1, distance="euclidean", n_jobs=THREADS)


def run(sizes: Sizes) -> list[Row]:
    """Compare with loess on small and full tables, and with NumPy and Weka on full tables; measure a million rows."""
    small = task(sizes.rows(5_000), sizes.queries(500))
    full = task(sizes.rows(20_000), sizes.queries(2_000))
    return [
        *_against_loess(small, sizes, {"direct": None}),
        *_against_loess(full, sizes, {"direct": 40, "interpolate": 5}),
        *_predictions(full, sizes),
        *_given_neighbors(full, sizes),
        *_million(sizes),
    ]


def _named(of: Task, what: str) -> str:
    return f"LWR, {len(of.X):,} x {COLUMNS}, {len(of.queries):,} queries, k = {of.k}: {what}"


def _against_loess(of: Task, sizes: Sizes, bars: dict[str, float | None]) -> list[Row]:
    """Time fitting and predicting together, since loess fits its own rows before it can predict other rows."""
    notes = {"direct": "same results to 1e-7", "interpolate": "interpolates between fits at cell corners"}
    found = _loess(of, "direct").predict(_in_columns(of.queries)).values
    if not np.allclose(model(of.k).fit(of.X, of.y).predict(of.queries), found, rtol=0, atol=1e-7):
        raise AssertionError("loess and LocallyWeightedRegressor predict differently")
    peers = [
        Peer(
            f'scikit-misc loess, surface="{surface}"',
            lambda surface=surface: _loess(of, surface).predict(_in_columns(of.queries)),
            bar,
            notes[surface] + "; single-threaded",
            2 if surface == "direct" else None,
        )
        for surface, bar in bars.items()
    ]
    ours = model(of.k)
    return compare(_named(of, "fit + predict"), lambda: ours.fit(of.X, of.y).predict(of.queries), peers, sizes.repeats)


def _loess(of: Task, surface: str) -> loess:
    """Fit loess with the same bandwidth: loess uses the distance of the nearest row with rank floor(span n)."""
    span = (of.k + 1.5) / len(of.X)
    fitted = loess(_in_columns(of.X), of.y, span=span, degree=1, normalize=False, surface=surface)
    fitted.fit()
    return fitted


def _in_columns(X: Numbers) -> Numbers:
    """Store the numbers column by column in an array of the original shape."""
    return np.ascontiguousarray(X.T).reshape(X.shape)


def _predictions(of: Task, sizes: Sizes) -> list[Row]:
    """Time predictions of fitted models."""
    ours = model(of.k).fit(of.X, of.y)
    fitted = _loess(of, "direct")
    tree = cKDTree(of.X)
    train, test = np.column_stack([of.X, of.y]), np.column_stack([of.queries, of.truth])
    asked = min(500, len(test))
    few = min(2, sizes.repeats)
    peers = [
        weka_lwl.peer(train, test, of.k, "linear", queries=asked, bar=20, rounds=few),
        weka_lwl.peer(train, test, of.k, "tree", queries=asked, bar=20, rounds=few),
        Peer("cKDTree + NumPy batch solve", lambda: _by_numpy(of, *_voters(of, tree)), None, f"workers={THREADS}"),
        Peer(
            'scikit-misc loess.predict, surface="direct"',
            lambda: fitted.predict(_in_columns(of.queries)),
            None,
            "fitted beforehand",
            few,
        ),
    ]
    return compare(_named(of, "predict"), lambda: ours.predict(of.queries), peers, sizes.repeats)


def _voters(of: Task, tree: cKDTree) -> tuple[npt.NDArray[np.int64], Numbers]:
    """Return the k nearest rows of each query and their tricube weights."""
    distances, rows = tree.query(of.queries, of.k + 1, workers=THREADS)
    u = distances[:, :-1] / distances[:, -1:]
    return rows[:, :-1], (1 - u**3) ** 3


def _by_numpy(of: Task, rows: npt.NDArray[np.int64], weights: Numbers) -> Numbers:
    """Solve the normal equations of all queries at once."""
    deviations = of.X[rows] - of.queries[:, None]
    design = np.concatenate([np.ones((*rows.shape, 1)), deviations], axis=2)
    weighted = (design * weights[..., None]).transpose(0, 2, 1)
    return np.linalg.solve(weighted @ design, weighted @ of.y[rows][..., None])[:, 0, 0]


def _given_neighbors(of: Task, sizes: Sizes) -> list[Row]:
    """Time the local fits alone, from given neighbors and weights."""
    rows, weights = _voters(of, cKDTree(of.X))
    lists = (np.arange(len(rows) + 1) * of.k, np.ascontiguousarray(rows).ravel(), weights.ravel(), None)
    table = (of.X, of.queries, np.zeros(COLUMNS, dtype=np.uint8), of.X.std(axis=0), of.y[:, None])

    def ours() -> Numbers:
        found = local_fits(*lists, *table, degree=1, ridge=0.0, rcond=1e-10, want=0, threads=THREADS)
        return found["predictions"][:, 0]

    if not np.allclose(ours(), _by_numpy(of, rows, weights), rtol=0, atol=1e-9):
        raise AssertionError("NumPy and the core predict differently")
    peer = Peer("NumPy batch solve", lambda: _by_numpy(of, rows, weights), 5, "same results")
    return compare(_named(of, "given the neighbors"), ours, [peer], sizes.repeats, shortest=0.05)


def _million(sizes: Sizes) -> list[Row]:
    """Check in separate processes that the memory per row does not grow with the number of rows."""
    rows, queries = sizes.rows(1_000_000), sizes.queries(10_000)
    quarter, whole = _measured(rows // 4, queries), _measured(rows, queries)
    name = f"LWR, {rows:,} x {COLUMNS}, {queries:,} queries, k = {K}"
    note = f"{whole['bytes'] / MIB:.0f} MiB peak, in addition to the table"
    per_row = [measured["bytes"] / n for measured, n in ((whole, rows), (quarter, rows // 4))]
    return [
        Row(f"{name}: fit + predict", "limit", whole["seconds"], 10.0, 1, note="arrays"),
        Row(f"{name}: memory per row", "with a quarter of the rows", per_row[0], per_row[1], 0.9, "B", note),
    ]


def _measured(rows: int, queries: int) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.peers.local", str(rows), str(queries)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _measure(rows: int, queries: int) -> dict[str, float]:
    from benchmarks.peers.memory import _peak, _resident

    warm = task(1_000, 10)
    model(K).fit(warm.X, warm.y).predict(warm.queries)
    of = task(rows, queries)
    before = _resident()
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # resets the peak to the current memory
    start = time.perf_counter()
    model(of.k).fit(of.X, of.y).predict(of.queries)
    seconds = time.perf_counter() - start
    return {"bytes": max(_peak() - before, 1), "seconds": seconds}


if __name__ == "__main__":
    print(json.dumps(_measure(int(sys.argv[1]), int(sys.argv[2]))))
