"""A saved model of many mixed rows, opened and queried once in its own process, compared with fitting it again."""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.report import Row
from benchmarks.sizes import Sizes

MIB = 2**20
SECONDS, OWN_MIB = 0.5, 50


def run(sizes: Sizes) -> list[Row]:
    """Measure the best time and the worst memory of some processes. The file is still in the page cache."""
    rows = sizes.rows(5_000_000)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.priorcase"
        fitted = _in_a_process("fit", path, rows)
        opened = [_in_a_process("open", path, rows) for _ in range(max(3, sizes.repeats))]
        size = path.stat().st_size / MIB
    if any(one["answer"] != fitted["answer"] for one in opened):
        raise RuntimeError("the loaded model and the saved one give different results")
    name = f"mixed 8+8, {rows:,} rows: opening a saved model and predicting once"
    best = min(one["seconds"] for one in opened)
    own = max(one["own"] for one in opened) / MIB
    note = f"{size:,.0f} MiB mapped"
    return [
        Row(name, "limit", best, SECONDS, 1, note=note),
        Row(name, "fitting and predicting once", best, fitted["seconds"], 20, note=note),
        Row(f"{name}: own memory", "limit", max(own, 0.1), OWN_MIB, 1, "MiB", f"{note}; worst of {len(opened)}"),
    ]


def _in_a_process(action: str, path: Path, rows: int) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.peers.mapped", action, str(path), str(rows)]
    found: dict[str, float] = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
    return found


def _measure(action: str, path: Path, rows: int) -> dict[str, object]:
    import priorcase as pc
    from benchmarks import data
    from benchmarks.machine import THREADS
    from priorcase import saving
    from priorcase.neighbors import base

    saving.MAPPED = base.WORTH_SAVING = 1  # so that small tables are mapped too
    warm = data.mixed(200, 2)
    pc.KNNClassifier(10, n_jobs=THREADS).fit(warm.X, warm.y).predict(warm.queries)
    task = data.mixed(rows if action == "fit" else 200, 1)
    query = data.mixed(200, 1).queries
    before, start = _own(), time.perf_counter()
    model = pc.KNNClassifier(10, n_jobs=THREADS).fit(task.X, task.y) if action == "fit" else pc.load(path)
    model.predict(query)
    seconds, own = time.perf_counter() - start, _own() - before
    answer = [part.tolist() for part in model.kneighbors(query)]
    if action == "fit":
        model.save(path)
    return {"seconds": seconds, "own": own, "answer": answer}


def _own() -> int:
    """Return the bytes of anonymous memory, which are not mapped from a file and cannot be shared."""
    lines = Path("/proc/self/smaps_rollup").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Anonymous"))


if __name__ == "__main__":
    print(json.dumps(_measure(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))))
