"""A pandas frame with strings and missing values: fit on 50,000 rows and predict_proba of 2,000."""

from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import priorcase as pc
from benchmarks import data
from benchmarks.machine import THREADS
from benchmarks.peers.one_hot import encoder
from benchmarks.report import Row
from benchmarks.sizes import Sizes
from benchmarks.timing import Peer, compare

K = 10


def run(sizes: Sizes) -> list[Row]:
    """Compare with scikit-learn's pipeline: impute, scale, one-hot encode, k-NN."""
    task = data.mixed(sizes.rows(50_000), sizes.queries(2_000), categories=False)

    def ours() -> object:
        return pc.KNNClassifier(K, n_jobs=THREADS).fit(task.X, task.y).predict_proba(task.queries)

    def theirs() -> None:
        model = make_pipeline(encoder(), KNeighborsClassifier(K, algorithm="brute", n_jobs=THREADS))
        model.fit(task.X, task.y).predict_proba(task.queries)

    name = f"strings and missing values, fit + predict_proba, {len(task.X):,} x {len(task.queries):,}"
    peer = Peer("scikit-learn pipeline", theirs, 1, "impute, scale, one-hot float32, brute force k-NN")
    return compare(name, ours, [peer], sizes.repeats)
