"""100,000 rows of 4, 16 or 64 numeric columns, Euclidean, 10 neighbors, 10,000 queries.

With 16 columns, the ratio to a kd-tree depends mainly on the data, so three tables have the same target.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.spatial import cKDTree

from benchmarks import data, ours
from benchmarks.machine import THREADS
from benchmarks.report import Row
from benchmarks.sizes import Sizes
from benchmarks.timing import Peer, compare

Numbers = npt.NDArray[np.float64]

K = 10
# bar against faiss, bar against the kd-tree (None: measured, no bar; absent: not measured)
BARS: dict[tuple[int, data.Structure], dict[str, float | None]] = {
    (4, "independent"): {"faiss": None, "tree": 1},
    (16, "independent"): {"faiss": 3, "tree": 3},
    (16, "rank 6"): {"faiss": 3, "tree": 3},
    (16, "50 groups"): {"faiss": 3, "tree": 3},
    (64, "independent"): {"faiss": 3},
}


def run(sizes: Sizes) -> list[Row]:
    """Compare with faiss and SciPy."""
    return [row for columns, structure in BARS for row in _one(columns, structure, sizes)]


def _one(columns: int, structure: data.Structure, sizes: Sizes) -> list[Row]:
    task = data.normal(sizes.rows(100_000), sizes.queries(10_000), columns, structure)
    search = ours.search(task, "euclidean", K)
    ours.check(search, queries=100)
    bars = BARS[columns, structure]
    peers = [faiss_peer(task.X, task.queries, K, bars["faiss"])]
    if "tree" in bars:
        tree, asked = cKDTree(task.X.to_numpy()), task.queries.to_numpy()
        _same_neighbors(search, tree, asked[:100])
        peers.append(tree_peer(tree, asked, K, bars["tree"]))
    name = f"numeric {columns} {structure}, Euclidean, k={K}, {len(task.X):,} x {len(task.queries):,}"
    return compare(name, search.run, peers, sizes.repeats)


def faiss_peer(
    X: pd.DataFrame, queries: pd.DataFrame, k: int, bar: float | None = None, rounds: int | None = None
) -> Peer:
    """Return faiss's exact index, filled beforehand."""
    try:
        import faiss
    except ImportError:
        return Peer("faiss IndexFlatL2", None, bar, "skipped: faiss is not installed (pip install faiss-cpu)")
    faiss.omp_set_num_threads(THREADS)
    rows, asked = (np.ascontiguousarray(table.to_numpy(np.float32)) for table in (X, queries))
    index = faiss.IndexFlatL2(rows.shape[1])
    index.add(rows)
    run: Callable[[], object] = lambda: index.search(asked, k)  # noqa: E731 - a def would say no more
    return Peer("faiss IndexFlatL2", run, bar, "float32; ours is float64", rounds)


def tree_peer(tree: cKDTree, queries: Numbers, k: int, bar: float | None = None, rounds: int | None = None) -> Peer:
    """Return SciPy's kd-tree, built beforehand."""
    run: Callable[[], object] = lambda: tree.query(queries, k, workers=THREADS)  # noqa: E731
    return Peer("scipy cKDTree workers=2", run, bar, "float64 like ours, tree built beforehand", rounds)


def _same_neighbors(search: ours.Search, tree: cKDTree, queries: Numbers) -> None:
    if not np.array_equal(search.run(queries=len(queries)), tree.query(queries, K)[1]):
        raise AssertionError("priorcase and cKDTree found different neighbors")
