"""k-NN and counts over a Dask cluster of two processes on this machine, compared with one process with two threads.

The table also shows how the time grows with partitions and rows, and how many bytes are transferred.
"""

import gc
import pickle
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks import data
from benchmarks.machine import THREADS
from benchmarks.peers import scale
from benchmarks.report import Row
from benchmarks.sizes import Sizes

K = 10
PARTITIONS = 8


def run(sizes: Sizes) -> list[Row]:
    """Measure queries to 8 partitions, counting on two workers and on one, and how the time of queries grows."""
    rows, queries = sizes.rows(5_000_000), sizes.queries(1_000)
    found = _neighbors(rows, queries, sizes.repeats)
    found += _counts(sizes.rows(20_000_000), sizes.repeats)
    million = sizes.rows(1_000_000)
    grown = [(million, partitions) for partitions in (1, 2, 4, 8)] + [(2 * million, 8), (4 * million, 8)]
    with _cluster(2):
        return found + [_growth(each, queries, partitions, sizes.repeats) for each, partitions in grown]


@contextmanager
def _cluster(workers: int) -> Iterator[None]:
    """Start a cluster of processes in which all modules are already imported."""
    from distributed import Client, LocalCluster

    options: Any = {"threads_per_worker": 1, "dashboard_address": ":0", "memory_limit": None}
    with LocalCluster(n_workers=workers, **options) as cluster, Client(cluster) as client:
        client.run(_warm)
        yield


def _warm() -> None:
    import priorcase as pc
    import priorcase.dask

    task = data.mixed(200, 2)
    pc.KNNClassifier(1).fit(task.X, task.y).predict(task.queries)
    pc.NaiveBayes().fit(task.X, task.y)


def _best(work: Callable[[], object], repeats: int) -> float:
    best = float("inf")
    for _ in range(max(2, repeats)):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def _part(rows: int, partitions: int, number: int) -> pd.DataFrame:
    """Create one partition on its worker, so that no table is sent."""
    task = data.mixed(rows // partitions, 0, seed=number)
    return task.X.assign(y=task.y == "yes")


def _frame(rows: int, partitions: int) -> Any:
    import dask.dataframe as dd

    meta = _part(10, 1, 0).iloc[:0]
    return dd.from_map(lambda i: _part(rows, partitions, i), list(range(partitions)), meta=meta)


def _neighbors(rows: int, queries: int, repeats: int) -> list[Row]:
    import dask
    from distributed import wait

    import priorcase as pc
    import priorcase.dask

    asked = data.mixed(0, queries, seed=99).queries
    with _cluster(2):
        frame = _frame(rows, PARTITIONS).persist()
        wait(frame)
        start = time.perf_counter()
        many = pc.dask.fit(pc.KNNClassifier(K), frame, "y")
        wait(many.parts)
        fitting = time.perf_counter() - start
        del frame
        answers = pc.dask.predict_proba(many, asked)
        ours = _best(lambda: pc.dask.predict_proba(many, asked), repeats)
    gc.collect()
    (table,) = dask.compute(_frame(rows, PARTITIONS), scheduler="synchronous")
    model = pc.KNNClassifier(K, n_jobs=THREADS)
    X, y = table.drop(columns="y"), table["y"]
    start = time.perf_counter()
    model.fit(X, y)
    alone = time.perf_counter() - start
    same = (model.predict_proba(asked) == answers).all()
    other = _best(lambda: model.predict_proba(asked), repeats)
    name = f"{K}-NN of {queries:,} queries, {rows:,} mixed rows in {PARTITIONS} partitions, two workers of one thread"
    note = "bit-identical" if same else "OTHER PROBABILITIES"
    return [
        Row(name, "one process, two threads", ours, other, 1 / 1.25, note=note),
        Row(f"{name}: fit", "one process, two threads", fitting, alone),
    ]


def _counts(rows: int, repeats: int) -> list[Row]:
    """Measure a model that keeps only counts; each worker reads its partitions from Parquet files and counts them."""
    import dask.dataframe as dd

    import priorcase as pc
    import priorcase.dask

    seconds, answers = [], []
    with tempfile.TemporaryDirectory(prefix="priorcase-distributed-") as folder:
        scale.write(Path(folder), rows)
        asked = pd.read_parquet(Path(folder) / "part0.parquet").drop(columns=scale.TARGET)[:1000]
        for workers in (2, 1):
            with _cluster(workers):
                frame = dd.read_parquet(folder)
                found = list[Any]()

                def fit(frame: Any = frame, found: list[Any] = found) -> None:
                    found.append(pc.dask.fit(pc.NaiveBayes(keep_rows=False), frame, scale.TARGET))

                seconds.append(_best(fit, min(repeats, 2)))
                answers.append(found[-1].predict_log_proba(asked).tobytes())
    note = "bit-identical" if len(set(answers)) == 1 else "OTHER PROBABILITIES"
    columns = scale.NAMES + scale.NUMBERS
    name = f"NaiveBayes from Parquet, {rows:,} x {columns}, counts only, over Dask with two workers"
    return [Row(name, "one worker", seconds[0], seconds[1], 1.5, note=note)]


def _growth(rows: int, queries: int, partitions: int, repeats: int) -> Row:
    """Measure the time of a block of queries and the transferred bytes for a number of rows and partitions."""
    import dask
    from distributed import wait

    import priorcase as pc
    import priorcase.dask

    asked = data.mixed(0, queries, seed=99).queries
    start = time.perf_counter()
    many = pc.dask.fit(pc.KNNClassifier(K), _frame(rows, partitions), "y")
    wait(many.parts)
    fitting = time.perf_counter() - start
    ours = _best(lambda: pc.dask.predict_proba(many, asked), repeats)
    (cells,) = dask.compute(many.queries(asked))
    (found,) = dask.compute(many.near(dask.delayed(cells, traverse=False), K, ties=True, weighted=False))
    there, back = len(pickle.dumps(cells)) / queries, len(pickle.dumps(found)) / queries
    sent = f"per query, {there:.0f} bytes sent to and about {back:.0f} received from each partition"
    name = f"growth: {rows:,} rows in {partitions} partition{'s' * (partitions != 1)}, {queries:,} queries"
    return Row(name, "-", ours, None, note=f"fit {fitting:.1f} s; {sent}")
