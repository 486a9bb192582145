"""Leave-one-out over a hundred numbers of neighbours and five kernels, beside one search of all rows."""

from __future__ import annotations

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
    """All of ``tune``, fits included, for 500 candidates against the search for the 100 nearest of each row alone."""
    rows = sizes.rows(50_000)
    task = mixed(rows, 0)
    model = pc.KNNClassifier(MOST, n_jobs=THREADS).fit(task.X, task.y)
    candidates = {"n_neighbors": range(1, MOST + 1), "vote": KERNELS, "prior": [1.0]}

    def ours() -> object:
        base = pc.KNNClassifier(n_jobs=THREADS)
        return tune(base, task.X, task.y, candidates=candidates, nested=None, n_samples=None, progress=False)

    search = Peer(f"one search for the {MOST} nearest", lambda: model.kneighbors(None, MOST), 1 / 1.3)
    name = f"leave-one-out, k = 1 to {MOST} and {len(KERNELS)} kernels, {rows:,} x 16 mixed with gaps"
    return compare(name, ours, [search], min(3, sizes.repeats))
