"""The average over all trees: 10,000 rows of 30 columns and 5 classes, fit and 1,000 queries."""

import time

import numpy as np
import pandas as pd

import priorcase as pc
from benchmarks.machine import THREADS
from benchmarks.report import Row
from benchmarks.sizes import Sizes

ATTRIBUTES, VALUES, CLASSES = 30, 8, 5


def run(sizes: Sizes) -> list[Row]:
    """Compare the best of several rounds with a limit of five seconds."""
    rows, queries = sizes.rows(10_000), sizes.queries(1_000)
    rng = np.random.default_rng(4)
    y = rng.integers(0, CLASSES, rows + queries)
    codes = (
        rng.integers(0, VALUES, (rows + queries, ATTRIBUTES)) + (rng.random((rows + queries, 1)) < 0.5) * y[:, None]
    ) % VALUES
    values = [f"v{j}" for j in range(VALUES)]
    frame = pd.DataFrame({f"c{i}": pd.Categorical.from_codes(codes[:, i], values) for i in range(ATTRIBUTES)})
    fits, asks = [], []
    for _ in range(min(3, sizes.repeats)):
        start = time.perf_counter()
        model = pc.TreeAveragedBayes(n_jobs=THREADS).fit(frame[:rows], y[:rows])
        fitted = time.perf_counter()
        model.predict_proba(frame[rows:])
        fits.append(fitted - start)
        asks.append(time.perf_counter() - fitted)
    name = f"average over all trees, {rows:,} x {ATTRIBUTES}, {CLASSES} classes"
    note = f"fit {min(fits):.3f} s"
    total = min(map(sum, zip(fits, asks, strict=True)))
    return [Row(f"{name}: fit and {queries:,} queries", "limit", total, 5.0, 1, note=note)]
