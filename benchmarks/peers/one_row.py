"""Latency of predict for one row of a NumPy array against 1,000 stored rows."""

from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits

import priorcase as pc
from benchmarks import data
from benchmarks.report import Row
from benchmarks.sizes import Sizes
from benchmarks.timing import Peer, compare

K = 5


def run(sizes: Sizes) -> list[Row]:
    """Against scikit-learn's KNeighborsClassifier with its default and its brute-force search."""
    task = data.normal(1_000, 1, 10)
    X, query = task.X.to_numpy(), task.queries.to_numpy()
    rows = []
    theirs = {name: KNeighborsClassifier(K, algorithm=name).fit(X, task.y) for name in ("auto", "brute")}
    for distance in ("euclidean", "heom"):
        model = pc.KNNClassifier(K, distance=distance).fit(X, task.y)
        peers = [
            Peer(f"scikit-learn KNeighborsClassifier, {name}", lambda other=other: other.predict(query), 1)
            for name, other in theirs.items()
        ]
        shortest = 0.01 if sizes.quick else 0.3
        name = f"predict one row, {distance}, 1,000 x 10"
        # One row gives two OpenMP threads nothing to share: with one, scikit-learn's brute force is at its best.
        with threadpool_limits(1):
            rows += compare(name, lambda model=model: model.predict(query), peers, sizes.repeats, shortest=shortest)
    return rows
