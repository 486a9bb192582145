"""100,000 rows of 4, 16 or 64 numeric columns, Euclidean, 10 neighbours, 10,000 queries.

With 16 columns the ratio to a kd-tree depends on the data above all, so three tables carry the same bar.
"""

from collections.abc import Callable

import numpy as np
from scipy.spatial import cKDTree

from benchmarks import data, ours
from benchmarks.machine import THREADS
from benchmarks.report import Row
from benchmarks.sizes import Sizes
from benchmarks.timing import Peer, compare

K = 10
# bar against faiss, bar against the kd-tree (None: measured, no bar; absent: not measured)
BARS: dict[tuple[int, data.Structure], dict[str, float | None]] = {
    (4, "independent"): {"faiss": None, "tree": 1},
    (16, "independent"): {"faiss": 3, "tree": 3},
    (16, "rank 6"): {"faiss": 3, "tree": 3},
    (16, "50 groups"): {"faiss": 3, "tree": 3},
    (64, "independent"): {"faiss": 1.5},
}


def run(sizes: Sizes) -> list[Row]:
    """Against faiss and SciPy."""
    return [row for columns, structure in BARS for row in _one(columns, structure, sizes)]


def _one(columns: int, structure: data.Structure, sizes: Sizes) -> list[Row]:
    task = data.normal(sizes.rows(100_000), sizes.queries(10_000), columns, structure)
    search = ours.search(task, "euclidean", K)
    ours.check(search, queries=100)
    bars = BARS[columns, structure]
    peers = [_faiss(task, bars["faiss"])]
    if "tree" in bars:
        tree, asked = cKDTree(task.X.to_numpy()), task.queries.to_numpy()
        _same_neighbours(search, tree, asked[:100])
        note = "float64 as ours, tree built beforehand"
        peers.append(Peer("scipy cKDTree workers=2", lambda: tree.query(asked, K, workers=THREADS), bars["tree"], note))
    name = f"numeric {columns} {structure}, Euclidean, k={K}, {len(task.X):,} x {len(task.queries):,}"
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
