"""Weka's LWL (Debian's package weka) through a small Java program that times the queries alone, after a warm-up."""

import atexit
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from benchmarks.peers.weka import JAR
from benchmarks.timing import Peer

RUNNER = Path(__file__).with_name("LWLTimer.java")

Numbers = npt.NDArray[np.float64]
Search = Literal["linear", "tree"]


def peer(train: Numbers, test: Numbers, k: int, search: Search, *, queries: int, bar: float, rounds: int) -> Peer:
    """Return LWL with a tricube kernel and linear regression, run on the first ``queries`` queries and extrapolated.

    The last column of both tables is the target.
    """
    name = f"Weka LWL -K {k} -U 2, {search} search"
    if not (JAR.exists() and shutil.which("java") and shutil.which("javac")):
        return Peer(
            name, None, bar, "skipped: no weka or no JDK here (Debian: apt-get install weka default-jdk-headless)"
        )
    run = _LWL(train, test, k, search, queries)
    note = "single-threaded" + ("" if run.share == 1 else f"; extrapolated from {queries:,} queries")
    return Peer(name, run, bar, note, rounds)


class _LWL:
    def __init__(self, train: Numbers, test: Numbers, k: int, search: Search, queries: int) -> None:
        folder = Path(tempfile.mkdtemp(prefix="priorcase-bench-"))
        atexit.register(shutil.rmtree, folder)
        _write(folder / "train.arff", train)
        _write(folder / "test.arff", test[:queries])
        self._command = ["java", "-Xmx4g", "-cp", str(JAR), str(RUNNER), str(folder / "train.arff")]
        self._command += [str(folder / "test.arff"), str(k), search.upper()]
        self.share = min(1.0, queries / len(test))

    def __call__(self) -> float:
        done = subprocess.run(self._command, capture_output=True, text=True, check=False, timeout=3600)
        if done.returncode != 0:
            raise RuntimeError(f"weka failed: {done.stderr[-500:]}")
        return float(done.stdout.split()[-1]) / self.share


def _write(path: Path, rows: Numbers) -> None:
    lines = ["@relation bench", *(f"@attribute x{i} numeric" for i in range(rows.shape[1])), "@data"]
    lines += [",".join(map(repr, row)) for row in rows.tolist()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
