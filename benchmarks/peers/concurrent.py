"""How long the prediction of one row takes while another thread, or another client, predicts batches."""

import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

import priorcase as pc
from benchmarks.peers import serving
from benchmarks.report import Row
from benchmarks.sizes import Sizes

STORED, COLUMNS, BATCH, SINGLES, K = 100_000, 20, 20_000, 1_000, 10
SERVED = 10_000  # rows in one request, the limit of the service
SLICE = 0.01  # the scheduler's time slice, and Python's switch interval of 5 ms on either side of the search
LONGEST = 0.05
_BETWEEN = 0.002  # seconds between single rows, which then meet every part of a batch


def run(sizes: Sizes) -> list[Row]:
    """Return the typical and the longest times of single rows beside batches, of a model and of a service."""
    random = np.random.default_rng(0)
    stored, count = sizes.rows(STORED), sizes.queries(SINGLES)
    rows = random.normal(size=(stored, COLUMNS))
    queries = random.normal(size=(sizes.queries(BATCH), COLUMNS))
    model = pc.KNNClassifier(K, n_jobs=1).fit(rows, (rows[:, 0] > 0).astype(int))
    name = f"{K}-NN, {stored:,} x {COLUMNS}"
    served = queries[:SERVED]
    return [
        *_in_threads(model, queries, count, f"one row beside batches of {len(queries):,}: {name}"),
        *_over_http(rows, served, count, f"/predict, one row beside batches of {len(served):,}: {name}"),
    ]


def _in_threads(model: pc.KNNClassifier, queries: npt.NDArray[np.float64], count: int, name: str) -> list[Row]:
    def one(i: int) -> object:
        return model.predict(queries[i % len(queries)][None])

    one(0)
    quiet = _times(one, count)
    with _beside(lambda: model.predict(queries)):
        busy = _times(one, count)
    return _judged(name, quiet, busy)


def _over_http(rows: npt.NDArray[np.float64], queries: npt.NDArray[np.float64], count: int, name: str) -> list[Row]:
    named = [{str(a): value for a, value in enumerate(row)} for row in queries.tolist()]
    columns = [str(a) for a in range(COLUMNS)]
    targets = (rows[:, 0] > 0).astype(int)
    with tempfile.TemporaryDirectory(prefix="priorcase-concurrent-") as folder:
        served = pc.KNNClassifier(K, n_jobs=1).fit(pd.DataFrame(rows, columns=columns), targets)
        path = served.save(Path(folder) / "model.priorcase")
        options = ["--port", "0", "--token", serving.TOKEN, "--read-only"]
        with serving._started([*serving.PROGRAM, "serve", str(path), *options]) as (port, _):
            single = [json.dumps(row).encode() for row in named[:100]]

            def one(i: int) -> float:
                return serving.load(port, "/predict", single[i % 100 :], 1, connections=1).seconds[0]

            for i in range(10):
                one(i)
            quiet = _times(one, count)
            batches = Path(folder) / "batch.json"
            batches.write_text(json.dumps(named), encoding="ascii")
            with subprocess.Popen([sys.executable, "-m", __spec__.name, str(port), str(batches)]) as client:
                try:
                    busy = _times(one, count)
                finally:
                    client.kill()
    return _judged(name, quiet, busy)


@contextmanager
def _beside(batch: Callable[[], object]) -> Iterator[None]:
    """Run batches on another thread, one after the other."""
    done, begun = threading.Event(), threading.Event()

    def work() -> None:
        while not done.is_set():
            begun.set()
            batch()

    thread = threading.Thread(target=work)
    thread.start()
    begun.wait()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _send_batches(port: int, path: Path) -> None:
    """Send one batch after another, from a process of its own."""
    batch = [path.read_bytes()]
    while True:
        serving.load(port, "/predict", batch, 1, connections=1)


def _times(one: Callable[[int], object], count: int) -> npt.NDArray[np.float64]:
    """Return the time of each of several calls; a call may report its own time."""
    times = []
    for i in range(count):
        time.sleep(_BETWEEN)
        start = time.perf_counter()
        reported = one(i)
        times.append(reported if isinstance(reported, float) else time.perf_counter() - start)
    return np.array(times)


def _judged(name: str, quiet: npt.NDArray[np.float64], busy: npt.NDArray[np.float64]) -> list[Row]:
    usual, beside = float(np.median(quiet)), float(np.median(busy))
    note = f"quiet {usual * 1e3:.2f} ms, longest {quiet.max() * 1e3:.1f} ms"
    quantiles = ", ".join(f"p{share} {np.percentile(busy, share) * 1e3:.1f} ms" for share in (90, 99))
    return [
        Row(
            f"{name}: median", "1.5 times the quiet median, and a time slice", beside, 1.5 * usual + SLICE, 1, note=note
        ),
        Row(f"{name}: longest of {len(busy):,}", "limit", float(busy.max()), LONGEST, 1, note=quantiles),
    ]


if __name__ == "__main__":
    _send_batches(int(sys.argv[1]), Path(sys.argv[2]))
