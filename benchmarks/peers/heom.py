"""Mixed columns, HEOM, 10 neighbors, 2,000 queries: 50,000 rows of independent columns, and 100,000 rows in groups."""

from benchmarks import data, ours
from benchmarks.peers import timbl, weka
from benchmarks.peers.one_hot import BruteForce
from benchmarks.report import Row
from benchmarks.sizes import Sizes
from benchmarks.timing import Peer, compare

K = 10


def run(sizes: Sizes) -> list[Row]:
    """Compare with our own plain loop, scikit-learn, TiMBL and Weka."""
    return [*_independent(sizes), *_clustered(sizes)]


def _independent(sizes: Sizes) -> list[Row]:
    task = data.mixed(sizes.rows(50_000), sizes.queries(2_000))
    search = ours.search(task, "heom", K)
    ours.check(search, queries=200)
    one_hot = BruteForce(task.X, task.queries, K)
    everything = len(task.queries)
    peers = [
        ours.plain(search, queries=everything, bar=12),
        Peer("scikit-learn brute force", one_hot.run, 3, "imputed, scaled, one-hot float32; query only"),
        timbl.peer(task, ["-mO:N1-8", "-k", str(K)], queries=everything, bar=10),
        timbl.peer(task, ["-mO:N1-8", "-w", "0", "-k", str(K)], queries=everything),
        weka.peer(task, K, queries=min(500, everything), bar=100),
    ]
    return compare(f"mixed 8+8, HEOM, k={K}, {len(task.X):,} x {everything:,}", search.run, peers, sizes.repeats)


def _clustered(sizes: Sizes) -> list[Row]:
    task = data.clustered(sizes.rows(100_000), sizes.queries(2_000))
    search = ours.search(task, "heom", K)
    ours.check(search, queries=200)
    one_hot = BruteForce(task.X, task.queries, K)
    peers = [
        ours.plain(search, queries=min(500, len(task.queries))),
        Peer("scikit-learn brute force", one_hot.run, None, "scaled, one-hot float32; query only"),
    ]
    name = f"clustered mixed 6+4, HEOM, k={K}, {len(task.X):,} x {len(task.queries):,}"
    return compare(name, search.run, peers, sizes.repeats)
