"""100,000 rows, 20 nominal columns of 8 values, 5 classes, MVDM, 1 neighbor, 10,000 queries."""

from benchmarks import data, ours
from benchmarks.peers import timbl
from benchmarks.peers.one_hot import BruteForce
from benchmarks.report import Row
from benchmarks.sizes import Sizes
from benchmarks.timing import Peer, compare

K = 1


def run(sizes: Sizes) -> list[Row]:
    """Compare with our own plain loop, scikit-learn and TiMBL on two tables.

    The target for TiMBL applies to the first table, on which TiMBL takes about 200 s. On the second table, its search
    by gain ratio skips nearly everything, so no target is set.
    """
    tables: tuple[data.Relevant, ...] = ("all columns relevant", "4 columns relevant")
    return [row for relevant in tables for row in _one(relevant, sizes)]


def _one(relevant: data.Relevant, sizes: Sizes) -> list[Row]:
    task = data.nominal(sizes.rows(100_000), sizes.queries(10_000), relevant)
    search = ours.search(task, "mvdm", K)
    ours.check(search, queries=200)
    one_hot = BruteForce(task.X, task.queries, K)
    # With 4 relevant columns, TiMBL answers 100 queries in a few milliseconds, so it gets more queries.
    asked = min(100 if relevant == "all columns relevant" else 1_000, len(task.queries))
    peers = [
        ours.plain(search, queries=1_000),
        Peer("scikit-learn brute force", one_hot.run, 15, "one-hot float32, another distance; query only", rounds=3),
        timbl.peer(task, ["-mM", "-k", "1"], queries=asked, bar=200 if relevant == "all columns relevant" else None),
        timbl.peer(task, ["-mM", "-w", "0", "-k", "1"], queries=asked),
    ]
    name = f"nominal 20 ({relevant}), MVDM, k={K}, {len(task.X):,} x {len(task.queries):,}"
    return compare(name, search.run, peers, sizes.repeats)
