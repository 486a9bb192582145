"""50,000 rows, 8 numeric and 8 nominal columns, 5 % missing, HEOM, 10 neighbours, 2,000 queries."""

from benchmarks import data, ours
from benchmarks.peers import timbl, weka
from benchmarks.peers.one_hot import BruteForce
from benchmarks.report import Row
from benchmarks.sizes import Sizes
from benchmarks.timing import Peer, compare

K = 10


def run(sizes: Sizes) -> list[Row]:
    """Against our own plain loop, scikit-learn, TiMBL and Weka."""
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
