"""Time to learn attribute weights: leave-one-out compared with a limit, and two methods compared with scikit-learn."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.feature_selection import mutual_info_classif
from sklearn.neighbors import NeighborhoodComponentsAnalysis

import priorcase as pc
from benchmarks.machine import THREADS
from benchmarks.report import Row
from benchmarks.sizes import Sizes
from benchmarks.timing import Peer, compare

Numbers = npt.NDArray[np.float64]

LIMIT = 30.0
# With more rows, the matrix of differences of scikit-learn does not fit in memory.
_FEW = 2_000


def two_of_twenty(rows: int) -> tuple[Numbers, npt.NDArray[np.str_]]:
    """Return twenty uniform columns and a class: whether the sum of the first two is above 1 (a tenth wrong)."""
    random = np.random.default_rng(8)
    X = random.random((rows, 20))
    return X, np.where((X[:, 0] + X[:, 1] > 1) ^ (random.random(rows) < 0.1), "above", "below")


def run(sizes: Sizes) -> list[Row]:
    """Time ``attribute_weights="loo"`` on a 20,000 x 20 table, and compare with scikit-learn on fewer rows."""
    rows = sizes.rows(20_000)
    X, y = two_of_twenty(rows)
    results = [_limit(f"attribute_weights='loo', {rows:,} x 20", _learner(X, y, "loo"))]
    peer = Peer("scikit-learn mutual_info_classif", lambda: mutual_info_classif(X, y, random_state=0))
    results += compare(f"attribute_weights='relief', {rows:,} x 20", _learner(X, y, "relief"), [peer], sizes.repeats)
    few = min(rows, _FEW)
    theirs = NeighborhoodComponentsAnalysis(random_state=0, max_iter=50)
    note = "a full matrix, at most 50 iterations"
    other = Peer("scikit-learn NeighborhoodComponentsAnalysis", lambda: theirs.fit(X[:few], y[:few]), None, note, 1)
    results += compare(f"attribute_weights='loo', {few:,} x 20", _learner(X[:few], y[:few], "loo"), [other], 1)
    return results


def _learner(X: Numbers, y: npt.NDArray[np.str_], method: Any) -> Callable[[], object]:
    return lambda: pc.KNNClassifier(5, attribute_weights=method, n_jobs=THREADS).fit(X, y).attribute_weights_.weights


def _limit(name: str, work: Callable[[], object]) -> Row:
    start = time.perf_counter()
    work()
    return Row(name, "limit", time.perf_counter() - start, LIMIT, 1)
