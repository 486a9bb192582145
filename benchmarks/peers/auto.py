"""Compare algorithm='auto' with each single algorithm; the limit is 1.1 times the time of the fastest algorithm."""

from benchmarks import data, ours
from benchmarks.report import Row
from benchmarks.sizes import Sizes
from benchmarks.timing import Peer, compare

ALGORITHMS = ("tree", "scan", "plain")


def run(sizes: Sizes) -> list[Row]:
    """Return one row for each table, compared with the fastest algorithm on that table."""
    tables = {
        "mixed 8+8, HEOM": (data.mixed(sizes.rows(50_000), 500), "heom", 10),
        "clustered mixed 6+4, HEOM": (data.clustered(sizes.rows(50_000), 2_000), "heom", 10),
        "nominal 20, MVDM": (data.nominal(sizes.rows(100_000), 300), "mvdm", 1),
        "numeric 4, Euclidean": (data.normal(sizes.rows(100_000), 2_000, 4), "euclidean", 10),
        "numeric 16, Euclidean": (data.normal(sizes.rows(100_000), 300, 16), "euclidean", 10),
        "numeric 64, Euclidean": (data.normal(sizes.rows(100_000), 50, 64), "euclidean", 10),
        "equal rows, HEOM": (data.equal(sizes.rows(100_000), 40), "heom", 10),
        "mixed 8+8, HEOM, small": (data.mixed(1_000, 2_000), "heom", 10),
        "mixed 8+8, HEOM, tiny": (data.mixed(100, 2_000), "heom", 10),
        "mixed 8+8, HEOM, one query": (data.mixed(sizes.rows(50_000), 1), "heom", 10),
    }
    return [_one(f"{name}, {len(task.X):,} x {len(task.queries):,}", ours.search(task, distance, k), sizes)
            for name, (task, distance, k) in tables.items()]  # fmt: skip


def _one(name: str, search: ours.Search, sizes: Sizes) -> Row:
    ours.check(search, queries=20)
    peers = [Peer(algorithm, lambda algorithm=algorithm: search.run(algorithm)) for algorithm in ALGORITHMS]
    rows = compare(name, search.run, peers, sizes.repeats, shortest=0.0 if sizes.quick else 0.2)
    best = min(rows, key=lambda row: row.other or float("inf"))
    others = ", ".join(f"{row.against} {row.other:.3g} s" for row in rows if row.other)
    return Row(f"auto: {name}", f"best: {best.against}", best.ours, best.other, 1 / 1.1, note=others)
