"""Weka's IBk (Debian's package weka) through a small Java program that times the queries alone, after a warm-up."""

import atexit
import shutil
import subprocess
import tempfile
from pathlib import Path

import pandas as pd

from benchmarks.data import Task
from benchmarks.timing import Peer

JAR = Path("/usr/share/java/weka.jar")
RUNNER = Path(__file__).with_name("IBkTimer.java")


def peer(task: Task, k: int, *, queries: int, bar: float | None = None, rounds: int = 3) -> Peer:
    """Return IBk with linear search, run on the first ``queries`` queries and extrapolated to all queries."""
    name = f"Weka IBk -K {k}"
    if not (JAR.exists() and shutil.which("java") and shutil.which("javac")):
        return Peer(
            name, None, bar, "skipped: no weka or no JDK here (Debian: apt-get install weka default-jdk-headless)"
        )
    run = _IBk(task, k, queries)
    note = "single-threaded" + ("" if run.share == 1 else f"; extrapolated from {queries:,} queries")
    return Peer(name, run, bar, note, rounds)


class _IBk:
    def __init__(self, task: Task, k: int, queries: int) -> None:
        folder = Path(tempfile.mkdtemp(prefix="priorcase-bench-"))
        atexit.register(shutil.rmtree, folder)
        asked = task.queries[:queries]
        classes = sorted({str(label) for label in task.y})
        _write(folder / "train.arff", task.X.assign(target=task.y), classes)
        _write(folder / "test.arff", asked.assign(target=task.y[0]), classes)
        self._command = ["java", "-Xmx4g", "-cp", str(JAR), str(RUNNER)]
        self._command += [str(folder / "train.arff"), str(folder / "test.arff"), str(k)]
        self.share = len(asked) / len(task.queries)

    def __call__(self) -> float:
        done = subprocess.run(self._command, capture_output=True, text=True, check=False, timeout=3600)
        if done.returncode != 0:
            raise RuntimeError(f"weka failed: {done.stderr[-500:]}")
        return float(done.stdout.split()[-1]) / self.share


def _write(path: Path, frame: pd.DataFrame, classes: list[str]) -> None:
    lines = ["@relation bench"]
    for name in frame:
        if pd.api.types.is_numeric_dtype(frame[name].dtype):
            lines.append(f"@attribute {name} numeric")
        else:
            values = classes if name == "target" else list(frame[name].cat.categories)
            lines.append(f"@attribute {name} {{{','.join(values)}}}")
    lines.append("@data")
    path.write_text("\n".join(lines) + "\n" + frame.to_csv(header=False, index=False, na_rep="?"), encoding="utf-8")
