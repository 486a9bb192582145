"""cbrkit, which requires an older pandas than ours and therefore has its own virtual environment under build/."""

import atexit
import json
import math
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmarks.peers.cases_retrieval_data import CONDITIONS, NUMBERS, TREE, Case
from benchmarks.timing import Peer

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / "build" / "cbrkit"
SCRIPT = Path(__file__).with_name("cases_retrieval_cbrkit.py")
PACKAGES = ("cbrkit==0.14.2", "levenshtein==0.25.1")
NAMES = ("colour", "region", "dealer")

Found = list[tuple[int, float]]


@dataclass
class Comparison:
    """Cases, queries, similarities and weights for both programs; no missing values, which cbrkit does not support."""

    cases: list[Case]
    queries: list[Case]
    k: int
    theirs: list[Found] | None = field(default=None, init=False)

    @cached_property
    def ranges(self) -> dict[str, float]:
        """Difference at which the similarity is zero, for each attribute."""
        days = [date.fromisoformat(case["listed"]).toordinal() for case in self.cases]
        ranges = {name: max(c[name] for c in self.cases) - min(c[name] for c in self.cases) for name in NUMBERS}
        return {**ranges, "listed": max(days) - min(days), "condition": len(CONDITIONS) - 1}

    @cached_property
    def weights(self) -> dict[str, float]:
        """From 1 to 3."""
        return {name: 1.0 + place % 3 for place, name in enumerate(self.cases[0])}

    def measures(self) -> dict[str, Any]:
        """Return our measures for the kinds whose defaults differ from cbrkit's."""
        from priorcase.cases.measures import EditDistance, Jaccard, Linear, WuPalmer

        lines = {name: Linear(range=most) for name, most in self.ranges.items() if name != "condition"}
        return {**lines, "model": WuPalmer(), "extras": Jaccard(), "remark": EditDistance(ignore_case=False)}

    def task(self, folder: Path) -> Path:
        """Write the task to a file for the other process and return its path."""
        tree = {"name": "machine", "children": [_node(name, below) for name, below in TREE.items()]}
        (folder / "tree.json").write_text(json.dumps(tree), encoding="utf-8")
        task = {
            "cases": self.cases,
            "queries": self.queries,
            "weights": self.weights,
            "ranges": self.ranges,
            "k": self.k,
        }
        task |= {"names": NAMES, "levels": CONDITIONS, "taxonomy": str(folder / "tree.json")}
        path = folder / "task.json"
        path.write_text(json.dumps(task), encoding="utf-8")
        return path

    def check(self, ours: list[Found]) -> None:
        """Check that both programs retrieved the same cases, except for ties with the last case."""
        for mine, other in zip(ours, self.theirs or [], strict=self.theirs is not None):
            least = mine[-1][1]
            sure = [{id for id, similarity in found if similarity > least + 1e-9} for found in (mine, other)]
            close = all(math.isclose(a, b, abs_tol=1e-9) for (_, a), (_, b) in zip(mine, other, strict=True))
            if not close or sure[0] != {id + 1 for id in sure[1]}:
                raise RuntimeError(f"cbrkit retrieved {other}, but priorcase retrieved {mine}")


def peer(together: Comparison, pooling: str, *, install: bool, bar: float | None = None, note: str = "") -> Peer:
    """Return cbrkit in a single process, since it would start a new process pool for each query."""
    name = f"cbrkit 0.14.2, {pooling}"
    missing = _missing(install)
    if missing:
        return Peer(name, None, bar, f"skipped: {missing}")
    asked = _Cbrkit(together, pooling)
    asked()
    return Peer(name, asked, bar, note, rounds=2)


class _Cbrkit:
    def __init__(self, together: Comparison, pooling: str) -> None:
        folder = Path(tempfile.mkdtemp(prefix="priorcase-bench-"))
        atexit.register(shutil.rmtree, folder)
        self._together = together
        self._command = [str(_python()), str(SCRIPT), str(together.task(folder)), pooling, "3"]

    def __call__(self) -> float:
        done = subprocess.run(self._command, capture_output=True, text=True, check=False, timeout=600)
        if done.returncode != 0:
            raise RuntimeError(f"cbrkit failed: {done.stderr[-500:]}")
        told = json.loads(done.stdout)
        self._together.theirs = told["found"]
        return float(told["seconds"])


def _node(name: str, below: Any) -> Any:
    if isinstance(below, dict):
        return {"name": name, "children": [_node(child, lower) for child, lower in below.items()]}
    return {"name": name, "children": list(below)}


def _python() -> Path:
    return HOME / ("Scripts" if sys.platform == "win32" else "bin") / "python"


def _missing(install: bool) -> str:
    """Return why cbrkit cannot be run, or an empty string; if ``install`` is true, try to install it first."""
    imports: Sequence[str] = [str(_python()), "-c", "import cbrkit, Levenshtein"]
    if _python().exists() and subprocess.run(imports, capture_output=True, check=False, timeout=120).returncode == 0:
        return ""
    if not install:
        return "cbrkit is installed only by full runs"
    if sys.version_info >= (3, 13):
        return "cbrkit 0.14.2 needs Python 3.11 or 3.12"
    HOME.parent.mkdir(exist_ok=True)
    pip = [
        str(_python()),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--retries",
        "1",
        *PACKAGES,
    ]
    for command in ([sys.executable, "-m", "venv", "--clear", str(HOME)], pip):
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
        if done.returncode != 0:
            return f"could not be installed: {(done.stderr or done.stdout).strip().splitlines()[-1][:100]}"
    return ""
