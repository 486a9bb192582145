"""Cost of user-defined distances: a function of values compared with a table, functions of rows with scikit-learn."""

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.neighbors import KNeighborsClassifier

import priorcase as pc
from benchmarks.report import Row
from benchmarks.sizes import Sizes
from benchmarks.timing import Peer, compare

K = 10


def run(sizes: Sizes) -> list[Row]:
    """Measure a function of two values, whose results are tabulated, and functions called for each query and row."""
    return [*_tabled(sizes), *_whole_rows(sizes)]


def _tabled(sizes: Sizes) -> list[Row]:
    random = np.random.default_rng(0)
    n, m = sizes.rows(100_000), sizes.queries(2_000)
    names = np.array([f"value {i:03}" for i in range(200)], object)
    X = np.empty((n + m, 8), object)
    X[:, :4], X[:, 4:] = random.normal(size=(n + m, 4)), names[random.integers(0, 200, (n + m, 4))]
    y, queries = random.integers(0, 3, n), X[n:]
    matrix = np.abs(np.subtract.outer(np.arange(200), np.arange(200))) / 199
    by_hand = pc.similarity.ValueTable(tuple(names), matrix)

    def apart(query: str, stored: str) -> float:
        return abs(int(query[6:]) - int(stored[6:])) / 199

    ours, compiled = (
        pc.KNNClassifier(K, distance=pc.Distance(nominal=difference)).fit(X[:n], y) for difference in (apart, by_hand)
    )
    assert np.array_equal(ours.kneighbors(queries)[1], compiled.kneighbors(queries)[1])
    name = f"4 of 8 columns by a Python function over 200 values, k={K}, {n:,} x {m:,}"
    peers = [Peer("the same differences in a ValueTable", lambda: compiled.kneighbors(queries), 0.8, "same results")]
    return compare(name, lambda: ours.kneighbors(queries), peers, sizes.repeats)


def _maximum(x: Any, y: Any) -> Any:
    return np.abs(x - y).max()


def _whole_rows(sizes: Sizes) -> list[Row]:
    random, rows = np.random.default_rng(1), list[Row]()
    n, m = sizes.rows(20_000), sizes.queries(1_000)
    X, queries, y = random.normal(size=(n, 10)), random.normal(size=(m, 10)), random.integers(0, 3, n)
    few, asked = (X[:2_000], queries[:100]), (cdist(X[:2_000], X[:2_000]), cdist(queries, X[:2_000]))
    tasks: list[tuple[str, Any, Any, Any]] = [
        ("a function of two rows", _maximum, *few),
        ("'chebyshev'", "chebyshev", X, queries),
        ("'precomputed'", "precomputed", *asked),
    ]
    for text, distance, stored, new in tasks:
        labels = y[: len(stored)]
        ours = pc.KNNClassifier(K, distance=distance).fit(stored, labels)
        theirs = KNeighborsClassifier(K, metric=distance, algorithm="brute", n_jobs=-1).fit(stored, labels)
        name = f"distance={text}, k={K}, {len(stored):,} x {len(new):,}"
        peers = [Peer("scikit-learn brute force", lambda model=theirs, new=new: model.kneighbors(new), None)]
        rows += compare(name, lambda model=ours, new=new: model.kneighbors(new), peers, sizes.repeats)
    return rows
