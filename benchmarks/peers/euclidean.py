"""100,000 rows of 4, 16 or 64 standard normal columns, Euclidean, 10 neighbours, 10,000 queries."""

from collections.abc import Callable

import numpy as np
from scipy.spatial import cKDTree

from benchmarks import data, ours
from benchmarks.machine import THREADS
from benchmarks.report import Row
from benchmarks.sizes import Sizes
from benchmarks.timing import Peer, compare

K = 10
# columns: bar against faiss, bar against the kd-tree (None: measured, no bar; absent: not measured)
BARS: dict[int, dict[str, float | None]] = {
    4: {"faiss": None, "tree": 1},
    16: {"faiss": 3, "tree": 3},
    64: {"faiss": 1.5},
}


def run(sizes: Sizes) -> list[Row]:
    """Against faiss and SciPy."""
    return [row for columns in BARS for row in _one(columns, sizes)]


def _one(columns: int, sizes: Sizes) -> list[Row]:
    task = data.normal(sizes.rows(100_000), sizes.queries(10_000), columns)
    search = ours.search(task, "euclidean", K)
    ours.check(search, queries=100)
    bars = BARS[columns]
    peers = [_faiss(task, bars["faiss"])]
    if "tree" in bars:
        tree, asked = cKDTree(task.X.to_numpy()), task.queries.to_numpy()
        _same_neighbours(search, tree, asked[:100])
        note = "float64 as ours, tree built beforehand"
        peers.append(Peer("scipy cKDTree workers=2", lambda: tree.query(asked, K, workers=THREADS), bars["tree"], note))
    name = f"numeric {columns}, Euclidean, k={K}, {len(task.X):,} x {len(task.queries):,}"
    return compare(name, search.run, peers, sizes.repeats)


def _faiss(task: data.Task, bar: float | None) -> Peer:
    try:
        import faiss
    except ImportError:
        return Peer("faiss IndexFlatL2", None, bar, "skipped: faiss is not installed (pip install faiss-cpu)")
    faiss.omp_set_num_threads(THREADS)
    rows, asked = (np.ascontiguousarray(X.to_numpy(np.float32)) for X in (task.X, task.queries))
    index = faiss.IndexFlatL2(rows.shape[1])
    index.add(rows)
    run: Callable[[], object] = lambda: index.search(asked, K)  # noqa: E731 - a def would say no more
    return Peer("faiss IndexFlatL2", run, bar, "float32; ours is float64")


def _same_neighbours(search: ours.Search, tree: cKDTree, queries: np.ndarray) -> None:
    if not np.array_equal(search.run(queries=len(queries)), tree.query(queries, K)[1]):
        raise AssertionError("priorcase and cKDTree found different neighbours")
