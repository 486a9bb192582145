"""The index of mixed rows: building it, and setting up a query."""

from dataclasses import replace

from benchmarks import data, ours
from benchmarks.machine import THREADS
from benchmarks.report import Row
from benchmarks.sizes import Sizes
from benchmarks.timing import Peer, compare
from priorcase.search import Index

K = 10
SMALL, QUERIES = 1_000, 2_000
LIMIT = 2.5e-6


def run(sizes: Sizes) -> list[Row]:
    """Compare building on two threads with building on one thread, and the time per query with a limit."""
    return [*_building(sizes), *_setting_up(sizes)]


def _building(sizes: Sizes) -> list[Row]:
    task = data.mixed(sizes.rows(1_000_000), 0)
    instances, fitted = ours.encoded(task, "heom")
    one, two = (lambda n=n: Index(instances, fitted, threads=n) for n in (1, THREADS))
    name = f"building the index, mixed 8+8, HEOM, {len(task.X):,} rows, {THREADS} threads"
    return compare(name, two, [Peer("one thread", one, 1.6)], min(3, sizes.repeats))


def _setting_up(sizes: Sizes) -> list[Row]:
    """Time queries on a small table, where set-up takes most of the time (all of it for radius 0)."""
    search = ours.search(data.mixed(SMALL, QUERIES), "heom", K)
    index, fitted, queries = search.index, search.fitted, search.queries
    name = f"mixed 8+8, HEOM, {SMALL:,} rows, one thread: one of {QUERIES:,} queries"
    limit = Peer("limit", lambda: QUERIES * LIMIT, 1)
    none = Peer("none", None, note="bounds only, no distances computed")
    rows = [
        *compare(f"{name}, k={K}", lambda: index.kneighbors(fitted, queries, K), [limit], sizes.repeats),
        *compare(f"{name}, radius 0", lambda: index.within(fitted, queries, 0.0), [none], sizes.repeats),
    ]
    return [replace(row, ours=row.ours / QUERIES, other=row.other and row.other / QUERIES) for row in rows]
