"""Time to fit the default stack of learners, including its weights on held-out rows, compared with a limit."""

from __future__ import annotations

import time

import numpy as np
import numpy.typing as npt
import pandas as pd

import priorcase as pc
from benchmarks.data import CARDINALITIES
from benchmarks.machine import THREADS
from benchmarks.report import Row
from benchmarks.sizes import Sizes

LIMITS = ((1_000, 20, 5.0), (50_000, 15, 120.0))
"""Rows, columns, and time limit in seconds."""


def table(rows: int, columns: int) -> tuple[pd.DataFrame, npt.NDArray[np.str_]]:
    """Return numeric and nominal columns (2 to 20 values), 5% missing, and 3 classes that depend on 4 columns."""
    rng = np.random.default_rng(9)
    numbers = rng.normal(size=(rows, (columns + 1) // 2))
    kinds = [CARDINALITIES[i % len(CARDINALITIES)] for i in range(columns // 2)]
    codes = np.stack([rng.integers(0, kind, rows) for kind in kinds], axis=1)
    score = numbers[:, 0] + numbers[:, 1] * (codes[:, 0] - 0.5) + 0.5 * (codes[:, 1] - 1) + rng.normal(size=rows) / 2
    y = np.array(["low", "middle", "high"])[np.digitize(score, [-0.5, 0.5])]
    numbers[rng.random(numbers.shape) < 0.05] = np.nan
    codes[rng.random(codes.shape) < 0.05] = -1
    values = {
        f"c{i}": pd.Categorical.from_codes(codes[:, i], [f"v{value}" for value in range(kind)])
        for i, kind in enumerate(kinds)
    }
    return pd.DataFrame({f"x{i}": column for i, column in enumerate(numbers.T)} | values), y


def run(sizes: Sizes) -> list[Row]:
    """Return one row for each size, with its time limit."""
    found = []
    for full, columns, limit in LIMITS:
        X, y = table(sizes.rows(full), columns)
        start = time.perf_counter()
        pc.StackedClassifier(n_jobs=THREADS).fit(X, y)
        name = f"StackedClassifier, fit, {len(X):,} x {columns} mixed with missing values, {len(set(y))} classes"
        found.append(Row(name, "limit", time.perf_counter() - start, limit, 1))
    return found
