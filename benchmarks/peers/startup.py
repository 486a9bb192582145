"""Startup time: the command line's help, and imports, each in a fresh process."""

import subprocess
import sys
import time

from benchmarks.report import Row
from benchmarks.sizes import Sizes

HELP_LIMIT = 0.3
IMPORT_SLACK = 0.2


def run(sizes: Sizes) -> list[Row]:
    """Return one row for each limit, with the best of some warm runs."""
    rounds = max(3, sizes.repeats)
    shown = _fresh("from priorcase.cli import main; main(['--help'])", rounds)
    package = _fresh("import priorcase", rounds)
    estimator = _fresh("from priorcase import KNNClassifier", rounds)
    other = _fresh("import sklearn.neighbors", rounds)
    peer = f"importing sklearn.neighbors + {IMPORT_SLACK} s"
    return [
        Row("priorcase --help", "limit", shown, HELP_LIMIT, 1),
        Row("import priorcase", peer, package, other + IMPORT_SLACK, 1, note=f"sklearn.neighbors alone {other:.2f} s"),
        Row(
            "from priorcase import KNNClassifier", peer, estimator, other + IMPORT_SLACK, note="first use of a learner"
        ),
    ]


def _fresh(code: str, rounds: int) -> float:
    """Return the best time of a Python process, not counting a first run that warms the disk cache."""
    command = [sys.executable, "-c", code]
    best = float("inf")
    for turn in range(rounds + 1):
        start = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        if turn:
            best = min(best, time.perf_counter() - start)
    return best
