"""Tuning by leave-one-out: many candidates compared with a single search, and estimators that tune themselves."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

import priorcase as pc
from benchmarks.data import mixed
from benchmarks.machine import THREADS
from benchmarks.report import Row
from benchmarks.sizes import Sizes
from benchmarks.timing import Peer, compare
from priorcase.neighbors import tune

KERNELS = ["uniform", "triangular", "epanechnikov", "biweight", "tricube"]
MOST = 100


def run(sizes: Sizes) -> list[Row]:
    """Compare ``tune`` on 500 candidates, fits included, with a search for the 100 nearest neighbors of each row."""
    rows = sizes.rows(50_000)
    task = mixed(rows, 0)
    model = pc.KNNClassifier(MOST, n_jobs=THREADS).fit(task.X, task.y)
    candidates = {"n_neighbors": range(1, MOST + 1), "vote": KERNELS, "prior": [1.0]}

    def ours() -> object:
        base = pc.KNNClassifier(n_jobs=THREADS)
        return tune(base, task.X, task.y, candidates=candidates, nested=None, n_samples=None, progress=False)

    search = Peer(f"one search for the {MOST} nearest", lambda: model.kneighbors(None, MOST), 1 / 1.3)
    name = f"leave-one-out, k = 1 to {MOST} and {len(KERNELS)} kernels, {rows:,} x 16 mixed with missing values"
    return compare(name, ours, [search], min(3, sizes.repeats)) + _estimators(sizes)


def _estimators(sizes: Sizes) -> list[Row]:
    """Time estimators that tune their parameters; the limits include the fit and the first prediction."""
    rng, found = np.random.default_rng(0), list[Row]()
    X = rng.normal(size=(600, 10))
    y, table = X[:, 0] + X[:, 1] * X[:, 2] > 0, mixed(1000, 0)
    few: Any = X[:100], y[:100]
    for model, text, (rows, classes), limit in (
        (pc.KNNClassifierCV(n_jobs=THREADS), "100 x 10", few, 0.2),
        (pc.KNNClassifierCV(n_jobs=THREADS), "1,000 x 16 mixed with missing values", (table.X, table.y), 2.0),
        (pc.LocallyWeightedClassifier(bandwidth="loo", n_jobs=THREADS), "600 x 10", (X, y), 1.0),
    ):
        name = f"{type(model).__name__}, parameters chosen, {text}"
        bar = Peer("limit", partial(float, limit), 1)
        found += compare(name, partial(_choose, model, rows, classes), [bar], sizes.repeats)
    return found


def _choose(model: Any, rows: Any, classes: Any) -> object:
    return clone(model).fit(rows, classes).predict(rows[:1])
