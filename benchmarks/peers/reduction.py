"""Instance selection: ENN on a large mixed table, ENN and AllKNN compared with imbalanced-learn, and DROP3."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pandas as pd
from imblearn import under_sampling

import priorcase as pc
from benchmarks.machine import THREADS
from benchmarks.peers.concepts import numbers
from benchmarks.report import Row
from benchmarks.sizes import Sizes
from benchmarks.timing import Peer, compare


def mixed(rows: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Return ten numeric and ten nominal columns, 3% of each missing, and a class that depends on six columns."""
    rng = np.random.default_rng(5)
    numeric = rng.normal(size=(rows, 10))
    codes = rng.integers(0, 8, size=(rows, 10))
    signal = numeric[:, :3].sum(axis=1) + (codes[:, :3] % 3 - 1).sum(axis=1)
    y = np.where(signal + 0.5 * rng.normal(size=rows) > 0, "yes", "no")
    numeric[rng.random(numeric.shape) < 0.03] = np.nan
    codes[rng.random(codes.shape) < 0.03] = -1
    values = [f"v{j}" for j in range(8)]
    columns: dict[str, object] = {f"x{i}": numeric[:, i] for i in range(10)}
    columns |= {f"c{i}": pd.Categorical.from_codes(codes[:, i], categories=values) for i in range(10)}
    return pd.DataFrame(columns), y


def run(sizes: Sizes) -> list[Row]:
    """Time ENN on 123,000 mixed rows and DROP3 on 20,000 rows; compare ENN and AllKNN with imbalanced-learn."""
    rows = sizes.rows(123_000)
    frame, y = mixed(rows)
    results = [
        _limit(
            f"ENN, {rows:,} x 20 mixed with missing values", lambda: pc.ENN(n_jobs=THREADS).fit_resample(frame, y), 60.0
        )
    ]
    rows = sizes.rows(20_000)
    X, labels = numbers(rows)
    for name in ("ENN", "AllKNN"):
        ours = getattr(pc, name)(distance="euclidean", n_jobs=THREADS)
        peer = {"ENN": "EditedNearestNeighbours", "AllKNN": "AllKNN"}[name]
        theirs = getattr(under_sampling, peer)(sampling_strategy="all", kind_sel="mode", n_jobs=THREADS)
        other = Peer(f"imbalanced-learn {peer}", lambda theirs=theirs: theirs.fit_resample(X, labels), 1)
        name = f"{name}, {rows:,} x 10 numeric"
        results += compare(name, lambda ours=ours: ours.fit_resample(X, labels), [other], min(3, sizes.repeats))
    results.append(
        _limit(f"DROP3, {rows:,} x 10 numeric", lambda: pc.DROP3(n_jobs=THREADS).fit_resample(X, labels), 60.0)
    )
    return results


def _limit(name: str, work: Callable[[], tuple[object, np.ndarray]], seconds: float) -> Row:
    start = time.perf_counter()
    _, kept = work()
    return Row(name, "limit", time.perf_counter() - start, seconds, 1, note=f"{len(kept):,} rows kept")
