"""Latency of predicting, learning and forgetting one row of a NumPy array with 1,000 stored rows."""

import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits

import priorcase as pc
from benchmarks import data
from benchmarks.report import Row
from benchmarks.sizes import Sizes
from benchmarks.timing import Peer, compare

K = 5
# Number of rows that are learned and then forgotten in each measurement, which leaves the table unchanged.
TIMES = 100


def run(sizes: Sizes) -> list[Row]:
    """Compare with scikit-learn's KNeighborsClassifier with its default and its brute-force search."""
    return [row for distance in ("euclidean", "heom") for row in _one(distance, sizes)]


def _one(distance: str, sizes: Sizes) -> list[Row]:
    task = data.normal(1_000, TIMES, 10)
    X, more = task.X.to_numpy(), task.queries.to_numpy()
    query, name = more[:1], f"one row, {distance}, 1,000 x 10"
    model = pc.KNNClassifier(K, distance=distance).fit(X, task.y)
    theirs = {name: KNeighborsClassifier(K, algorithm=name).fit(X, task.y) for name in ("auto", "brute")}
    peers = [
        Peer(f"scikit-learn KNeighborsClassifier, {name}", lambda other=other: other.predict(query), 1)
        for name, other in theirs.items()
    ]
    refit = Peer("scikit-learn KNeighborsClassifier, refit", lambda: theirs["brute"].fit(X, task.y), 1)
    learn, forget = _changes(model, more, task.y[:TIMES])
    shortest = 0.01 if sizes.quick else 0.3
    # Two threads cannot share the work for one row, so scikit-learn's brute force is fastest with one thread.
    with threadpool_limits(1):
        return [
            *compare(f"predict {name}", lambda: model.predict(query), peers, sizes.repeats, shortest=shortest),
            *compare(f"learn {name}", learn, [refit], sizes.repeats),
            *compare(f"forget {name}", forget, [refit], sizes.repeats),
        ]


def _changes(
    model: pc.KNNClassifier, rows: npt.NDArray[np.float64], classes: npt.NDArray[np.str_]
) -> tuple[Callable[[], float], Callable[[], float]]:
    """Return functions that time learning and forgetting a row; both leave the model unchanged."""

    def learn() -> None:
        for i in range(len(rows)):
            model.partial_fit(rows[i : i + 1], classes[i : i + 1])

    def forget() -> None:
        for id in model.ids_[-len(rows) :].tolist():
            model.forget([id])

    def timed(change: Callable[[], None], before: Callable[[], None], after: Callable[[], None]) -> float:
        before()
        model.predict(rows[:1])  # builds the index, which every change then has to update
        start = time.perf_counter()
        change()
        taken = time.perf_counter() - start
        after()
        return taken / len(rows)

    nothing = lambda: None  # noqa: E731
    return lambda: timed(learn, nothing, forget), lambda: timed(forget, learn, nothing)
