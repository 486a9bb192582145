"""A stream of 50,000 rows of 10 numbers with full memory: each row is predicted from all earlier rows, then stored.

The targets are rates: 8,000 rows per second one by one and 15,000 in one call, on a machine where faiss searches and
adds 8,500 rows per second one by one. Each target is given as a rate and as a ratio to faiss in the same run. The ratio
does not depend on the machine.
"""

import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

import priorcase as pc
from benchmarks.report import Row
from benchmarks.sizes import Sizes
from benchmarks.timing import Peer, compare

K = 5
ROWS = 50_000
WINDOW = 1_000
RATES = {"one by one": 8_000, "in one call": 15_000}
FAISS_RATE = 8_500
# Number of rows that river predicts. They are the slowest rows of the stream, because river's window is full.
RIVER_ROWS = 3_000

Stream = tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]


def run(sizes: Sizes) -> list[Row]:
    """Compare with faiss, river and the target rates."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(sizes.rows(ROWS), 10))
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(np.int64)
    rows: list[Row] = []
    for distance in ("euclidean", "heom"):
        _check(distance, (X[:1_000], y[:1_000]))
        rows += _one("one by one", distance, lambda d=distance: _one_by_one(d, (X, y)), (X, y), sizes)
        rows += _one("in one call", distance, lambda d=distance: _in_one_call(d, (X, y)), (X, y), sizes)
    return rows


def _one(way: str, distance: str, ours: Callable[[], object], stream: Stream, sizes: Sizes) -> list[Row]:
    n = len(stream[0])
    peers = [
        _faiss(stream, RATES[way] / FAISS_RATE),
        Peer(f"{RATES[way]:,} rows per second", lambda: n / RATES[way], 1, "the rate itself; depends on the machine"),
    ]
    if way == "one by one":
        peers.append(_river(stream))
    return compare(f"k-NN prequential {way}, {distance}, k={K}, {n:,} x 10", ours, peers, min(sizes.repeats, 3))


def _one_by_one(distance: str, stream: Stream) -> list[int]:
    X, y = stream
    model, told = pc.KNNClassifier(K, distance=distance).partial_fit(X[:K], y[:K]), []
    for i in range(K, len(X)):
        told.append(model.predict(X[i : i + 1])[0])
        model.partial_fit(X[i : i + 1], y[i : i + 1])
    return told


def _in_one_call(distance: str, stream: Stream) -> list[int]:
    told: list[int] = pc.KNNClassifier(K, distance=distance).prequential(*stream).predictions.tolist()
    return told


def _check(distance: str, stream: Stream) -> None:
    if _one_by_one(distance, stream) != _in_one_call(distance, stream):
        raise AssertionError("the two ways gave different predictions")


def _faiss(stream: Stream, bar: float) -> Peer:
    try:
        import faiss
    except ImportError:
        return Peer("faiss IndexFlatL2", None, bar, "skipped: faiss is not installed (pip install faiss-cpu)")
    rows = stream[0].astype(np.float32)

    def one_by_one() -> None:
        # One thread, because a second thread has nothing to do for a single query and only waits.
        faiss.omp_set_num_threads(1)
        index = faiss.IndexFlatL2(rows.shape[1])
        index.add(rows[:K])
        for i in range(K, len(rows)):
            index.search(rows[i : i + 1], K)
            index.add(rows[i : i + 1])

    return Peer("faiss IndexFlatL2, search and add", one_by_one, bar, "float32, Euclidean, no vote; one thread")


def _river(stream: Stream) -> Peer:
    name = f"river KNNClassifier, window {WINDOW:,}"
    try:
        from river import neighbors
    except ImportError:
        return Peer(name, None, None, "skipped: river is not installed (pip install river)")
    asked = [dict(enumerate(row)) for row in stream[0][: WINDOW + RIVER_ROWS].tolist()]
    classes = stream[1].tolist()

    def seconds() -> float:
        model = neighbors.KNNClassifier(K, engine=neighbors.LazySearch(window_size=WINDOW))
        for row, target in zip(asked[:WINDOW], classes, strict=False):
            model.learn_one(row, target)
        begin = time.perf_counter()
        for row, target in zip(asked[WINDOW:], classes[WINDOW:], strict=False):
            model.predict_one(row)
            model.learn_one(row, target)
        return (time.perf_counter() - begin) / max(len(asked) - WINDOW, 1) * len(stream[0])

    note = f"keeps only the last {WINDOW:,} rows; extrapolated from {RIVER_ROWS:,} rows"
    return Peer(name, seconds if len(asked) > WINDOW else None, None, note, rounds=1)
