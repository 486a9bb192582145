"""TiMBL's command line (Debian package timbl), timed by its own report, without reading and learning."""

import atexit
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchmarks.data import Task
from benchmarks.machine import THREADS
from benchmarks.timing import Peer


def peer(task: Task, options: list[str], *, queries: int, bar: float | None = None, rounds: int = 3) -> Peer:
    """Return ``timbl -a IB1`` with these options, run on the first ``queries`` queries and extrapolated to all."""
    name = f"timbl -a IB1 {' '.join(options)} --clones={THREADS}"
    if shutil.which("timbl") is None:
        return Peer(name, None, bar, "skipped: no timbl here (Debian: apt-get install timbl)")
    run = _Timbl(task, options, queries)
    note = "missing values: '?' or median" if run.share == 1 else f"extrapolated from {queries:,} queries"
    return Peer(name, run, bar, note, rounds)


class _Timbl:
    """A run of TiMBL, which does not support missing values: they become '?' or, in numeric columns, the median."""

    def __init__(self, task: Task, options: list[str], queries: int) -> None:
        folder = Path(tempfile.mkdtemp(prefix="priorcase-bench-"))
        atexit.register(shutil.rmtree, folder)
        asked = task.queries[:queries]
        medians = task.X.median(numeric_only=True)
        _write(folder / "train.csv", task.X, task.y, medians)
        _write(folder / "test.csv", asked, np.repeat(task.y[:1], len(asked)), medians)
        self._command = ["timbl", "-a", "IB1", *options, "-F", "C4.5", f"--clones={THREADS}"]
        self._command += ["-f", str(folder / "train.csv"), "-t", str(folder / "test.csv"), "-o", str(folder / "out")]
        self.share = len(asked) / len(task.queries)

    def __call__(self) -> float:
        done = subprocess.run(self._command, capture_output=True, text=True, check=False, timeout=3600)
        taken = re.search(r"Seconds taken: ([\d.]+)", done.stdout + done.stderr)
        if done.returncode != 0 or taken is None:
            raise RuntimeError(f"timbl failed: {(done.stderr or done.stdout)[-500:]}")
        return float(taken.group(1)) / self.share


def _write(path: Path, X: pd.DataFrame, y: npt.NDArray[np.str_], medians: pd.Series) -> None:
    columns = {}
    for name in X:
        if pd.api.types.is_numeric_dtype(X[name].dtype):
            columns[name] = X[name].fillna(medians[name]).round(6)
        else:
            columns[name] = X[name].astype(object).where(X[name].notna(), "?")
    pd.DataFrame(columns).assign(target=y).to_csv(path, header=False, index=False)
