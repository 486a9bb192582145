"""Every stored row as a query that excludes itself: leave-one-out on mixed rows, and k-NN graphs of numeric rows."""

from typing import get_args

import numpy as np
from scipy.spatial import cKDTree

import priorcase as pc
from benchmarks import data
from benchmarks.machine import THREADS
from benchmarks.peers.euclidean import faiss_peer, tree_peer
from benchmarks.peers.one_hot import BruteForce
from benchmarks.report import Row
from benchmarks.sizes import Sizes
from benchmarks.timing import Peer, compare

LEFT_OUT, GRAPH = 100, 10


def run(sizes: Sizes) -> list[Row]:
    """Compare with scikit-learn, faiss and SciPy, which run only once because they take long."""
    graphs = [row for structure in get_args(data.Structure) for row in _graph(structure, sizes)]
    return [*_leave_one_out(sizes), *graphs]


def _leave_one_out(sizes: Sizes) -> list[Row]:
    task = data.mixed(sizes.rows(50_000), 0)
    model = pc.KNNClassifier(LEFT_OUT, n_jobs=THREADS).fit(task.X, task.y)
    note = "imputed, scaled, one-hot float32; also finds the query itself"
    brute = BruteForce(task.X, task.X, LEFT_OUT + 1)
    peer = Peer("scikit-learn brute force", brute.run, None, note, 1)
    name = f"all rows, mixed 8+8, HEOM, k={LEFT_OUT}, {len(task.X):,} rows"
    return compare(name, lambda: model.kneighbors(None), [peer], min(3, sizes.repeats))


def _graph(structure: data.Structure, sizes: Sizes) -> list[Row]:
    task = data.normal(sizes.rows(100_000), 0, 16, structure)
    model = pc.KNNClassifier(GRAPH, distance="euclidean", n_jobs=THREADS).fit(task.X, task.y)
    few = model.kneighbors(task.X[:100], GRAPH + 1, return_distance=False)[:, 1:]
    if not np.array_equal(model.kneighbors(None, return_distance=False)[:100], few):
        raise AssertionError("the rows have different neighbors as stored rows and as queries")
    peers = [faiss_peer(task.X, task.X, GRAPH + 1, rounds=1)]
    if structure != "independent":  # here a kd-tree would have to visit nearly every leaf
        peers.append(tree_peer(cKDTree(task.X.to_numpy()), task.X.to_numpy(), GRAPH + 1, rounds=1))
    name = f"k-NN graph, numeric 16 {structure}, Euclidean, k={GRAPH}, {len(task.X):,} rows"
    return compare(name, lambda: model.kneighbors(None), peers, min(3, sizes.repeats))
