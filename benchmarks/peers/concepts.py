"""Learners that store only some of the rows: IB2 on a table, IB3 on a stream."""

from __future__ import annotations

import time

import numpy as np
import numpy.typing as npt
from imblearn.under_sampling import CondensedNearestNeighbour
from sklearn.datasets import make_classification

import priorcase as pc
from benchmarks import data
from benchmarks.machine import THREADS
from benchmarks.peers import loops
from benchmarks.report import Row
from benchmarks.sizes import Sizes
from benchmarks.timing import Peer, compare

BATCH = 1_000
RATE = 50_000
Table = tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]


def numbers(rows: int) -> Table:
    """Return ten numeric columns between 0 and 1, and two classes with 5% random labels."""
    X, y = make_classification(
        rows, 10, n_informative=6, n_redundant=2, n_clusters_per_class=3, flip_y=0.05, random_state=0
    )
    low, high = X.min(axis=0), X.max(axis=0)
    return (X - low) / (high - low), y.astype(np.int64)


def run(sizes: Sizes) -> list[Row]:
    """Compare IB2 with imbalanced-learn and a compiled loop, and IB3 with river."""
    return [*_numeric(sizes), *_growth(sizes), *_mixed(sizes), *_stream(sizes)]


def _numeric(sizes: Sizes) -> list[Row]:
    rows, few = sizes.rows(20_000), min(1_000, sizes.rows(20_000))
    X, y = numbers(rows)
    theirs = CondensedNearestNeighbour(sampling_strategy="all", random_state=0)
    codes, nominal = y.astype(np.int8), np.zeros(10, np.int8)
    kept = pc.IB2().fit(X, y).storage_
    peers = [
        Peer(
            f"imbalanced-learn CondensedNearestNeighbour, {few:,} rows",
            lambda: theirs.fit_resample(X[:few], y[:few]),
            5,
        ),
        Peer("a compiled loop, 1 thread", lambda: loops.condense(X, codes, nominal), 1, f"{kept:.0%} kept"),
    ]
    return compare(f"IB2, {rows:,} x 10 numeric", lambda: pc.IB2(n_jobs=THREADS).fit(X, y), peers, sizes.repeats)


def _growth(sizes: Sizes) -> list[Row]:
    """Measure IB2 on n and 4 n rows: the time must not grow faster than the product of rows and stored rows."""
    times, work = [], []
    for rows in (sizes.rows(20_000), 4 * sizes.rows(20_000)):
        X, y = numbers(rows)
        taken = []
        for _ in range(min(3, sizes.repeats)):
            start = time.perf_counter()
            model = pc.IB2(n_jobs=THREADS).fit(X, y)
            taken.append(time.perf_counter() - start)
        times.append(min(taken))
        work.append(rows * model.stored_)
    name = f"IB2, growth from {sizes.rows(20_000):,} rows to four times as many"
    return [Row(name, "rows x stored rows", times[1] / times[0], work[1] / work[0], 1, unit="x")]


def _mixed(sizes: Sizes) -> list[Row]:
    rows = sizes.rows(100_000)
    task = data.mixed(rows, 0)
    cells = np.empty(task.X.shape)
    for a, name in enumerate(task.X):
        column = task.X[name]
        if a < 8:
            cells[:, a] = (column - column.min()) / (column.max() - column.min())
        else:
            cells[:, a] = np.where(column.cat.codes < 0, np.nan, column.cat.codes)
    nominal = (np.arange(cells.shape[1]) >= 8).astype(np.int8)
    codes = np.unique(task.y, return_inverse=True)[1].astype(np.int8)
    model = pc.IB2(n_jobs=THREADS).fit(task.X, task.y)
    part = rows // 5

    def loop() -> float:
        """Time a fifth of the rows and extrapolate in proportion to the product of rows and stored rows."""
        start = time.perf_counter()
        kept = loops.condense(cells[:part], codes[:part], nominal)
        return (time.perf_counter() - start) * rows * model.stored_ / (part * len(kept))

    note = f"{model.storage_:.0%} kept; loop extrapolated from {part:,} rows"
    return compare(
        f"IB2, {rows:,} x 16 mixed with missing values",
        lambda: pc.IB2(n_jobs=THREADS).fit(task.X, task.y),
        [Peer("a compiled loop, 1 thread", loop, 1, note, 1)],
        min(3, sizes.repeats),
    )


def prequential(X: npt.NDArray[np.float64], y: npt.NDArray[np.int64]) -> float:
    """Predict each batch, then learn it; return the accuracy."""
    model = pc.IB3(n_jobs=THREADS).partial_fit(X[:BATCH], y[:BATCH], classes=[0, 1])
    right = 0
    for start in range(BATCH, len(X), BATCH):
        part = slice(start, start + BATCH)
        right += int((model.predict(X[part]) == y[part]).sum())
        model.partial_fit(X[part], y[part])
    return right / (len(X) - BATCH)


def _stream(sizes: Sizes) -> list[Row]:
    rows = max(sizes.rows(50_000), 2 * BATCH)
    X, y = numbers(rows)
    name = f"IB3 prequential, {rows:,} x 10 in batches of {BATCH:,}"
    peers = [
        Peer(f"limit, {RATE:,} instances per second", lambda: rows / RATE, 1, f"accuracy {prequential(X, y):.3f}"),
        _river(X, y, window=1_000, warm=1_000, asked=500),
        _river(X, y, window=len(X), warm=min(20_000, rows - 20), asked=20),
    ]
    return compare(name, lambda: prequential(X, y), peers, sizes.repeats)


def _river(X: npt.NDArray[np.float64], y: npt.NDArray[np.int64], *, window: int, warm: int, asked: int) -> Peer:
    """Time river's k-NN on ``asked`` single rows after storing ``warm`` rows, extrapolated to all rows."""
    memory = "full memory" if window == len(X) else f"window {window:,}"
    name = f"river KNNClassifier, {memory}"
    try:
        from river import neighbors
    except ModuleNotFoundError:
        return Peer(name, None, note="river is not installed")
    rows = [dict(enumerate(row)) for row in X[: warm + asked].tolist()]
    classes = y.tolist()

    def measure() -> float:
        model = neighbors.KNNClassifier(n_neighbors=1, engine=neighbors.LazySearch(window_size=window))
        for row, label in zip(rows[:warm], classes, strict=False):
            model.learn_one(row, label)
        start = time.perf_counter()
        for row, label in zip(rows[warm:], classes[warm:], strict=False):
            model.predict_one(row)
            model.learn_one(row, label)
        return (time.perf_counter() - start) / asked * len(X)

    return Peer(name, measure, note=f"extrapolated from {asked} rows", rounds=1)
