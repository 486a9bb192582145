"""The search of priorcase on encoded rows and queries, since the peers get encoded data too."""

import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchmarks.data import Task
from benchmarks.machine import THREADS
from benchmarks.timing import Peer
from priorcase.instances import Instances
from priorcase.schema import Nominal, Schema
from priorcase.search import Index
from priorcase.similarity import FittedDistance, resolve

Ids = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Search:
    """An index and its queries."""

    index: Index
    fitted: FittedDistance
    queries: npt.NDArray[np.float64]
    k: int

    def run(self, algorithm: str = "auto", queries: int | None = None) -> Ids:
        """Return the ids of the neighbors of the first ``queries`` queries (all by default), one row per query."""
        cells = self.queries if queries is None else self.queries[:queries]
        found = self.index.kneighbors(self.fitted, cells, self.k, algorithm=algorithm, threads=THREADS)
        return found.ids.reshape(len(cells), -1)


def search(task: Task, distance: str, k: int) -> Search:
    """Build an index of the task's rows and encode its queries."""
    instances, fitted = encoded(task, distance)
    queries = fitted.prepare(instances.encode(instances.schema.read(task.queries)))
    return Search(Index(instances, fitted), fitted, queries, k)


def encoded(task: Task, distance: str) -> tuple[Instances, FittedDistance]:
    """Return the encoded rows of the task and the fitted distance, without building an index."""
    schema = Schema.infer(task.X)
    targets = Schema(("class",), (Nominal(),))
    instances = Instances(schema, targets)
    classes = targets.read(pd.DataFrame({"class": task.y}))
    instances.append(schema.read(task.X), classes)
    return instances, resolve(distance).fit(instances, target=0)


def check(search: Search, *, queries: int) -> None:
    """Raise an error unless all algorithms find the same neighbors of the first queries."""
    plain = search.run("plain", queries)
    for algorithm in ("auto", "tree", "scan"):
        if not np.array_equal(search.run(algorithm, queries), plain):
            raise AssertionError(f"algorithm={algorithm!r} and 'plain' found different neighbors")


def plain(search: Search, *, queries: int, bar: float | None = None) -> Peer:
    """Time our compiled loop over all rows on the first ``queries`` queries, extrapolated to all queries."""
    share = min(1.0, queries / len(search.queries))
    note = "same results" if share == 1 else f"same results; extrapolated from {queries:,} queries"
    return Peer("our own plain compiled loop", lambda: _seconds(search, queries) / share, bar, note, rounds=3)


def _seconds(search: Search, queries: int) -> float:
    start = time.perf_counter()
    search.run("plain", queries)
    return time.perf_counter() - start
