"""A million mixed rows in a separate process: memory of the model, memory added by queries, and fitting time."""

import contextlib
import ctypes
import gc
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.report import Row
from benchmarks.sizes import Sizes

# 8 numbers of 8 bytes, 8 codes of one byte, one byte for the class
ENCODED_BYTES_PER_ROW = 8 * 8 + 8 + 1
QUERIES = 1_000
MIB = 2**20


def run(sizes: Sizes) -> list[Row]:
    """Measure resident memory after the data frame is deleted; the worst of three runs counts."""
    rows = sizes.rows(1_000_000)
    command = [sys.executable, "-m", "benchmarks.peers.memory", str(rows)]
    runs = [
        json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
        for _ in range(min(3, sizes.repeats))
    ]
    measured = {quantity: max(one[quantity] for one in runs) for quantity in runs[0]}
    name = f"mixed 8+8, {rows:,} rows"
    held, queried = measured["held"] / MIB, measured["queried"] / MIB
    encoded, matrix = rows * ENCODED_BYTES_PER_ROW / MIB, rows * QUERIES / MIB
    times = f"{held / encoded:.3f} times the encoded columns (at most 2.5); worst of {len(runs)}"
    return [
        Row(f"{name}: model", "encoded columns", held, encoded, 1 / 2.5, "MiB", times),
        Row(f"{name}: added by {QUERIES:,} queries", "one byte per row and query", queried, matrix, 10, "MiB"),
        Row(f"{name}: fit + first prediction", "limit", measured["seconds"], 10.0, 1, note="pandas categories"),
    ]


def _measure(rows: int) -> dict[str, float]:
    import priorcase as pc
    from benchmarks import data
    from benchmarks.machine import THREADS

    warm = data.mixed(200, 2)
    pc.KNNClassifier(10, n_jobs=THREADS).fit(warm.X, warm.y).predict(warm.queries)
    before = _resident()
    task = data.mixed(rows, QUERIES)
    model = pc.KNNClassifier(10, n_jobs=THREADS)
    start = time.perf_counter()
    model.fit(task.X, task.y).predict(task.queries[:1])
    seconds = time.perf_counter() - start
    queries = task.queries.copy()
    del task
    held = _resident() - before
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # resets the peak to the current memory
    model.kneighbors(queries)
    return {"held": held, "queried": max(_peak() - held - before, 1), "seconds": seconds}


def _resident() -> int:
    """Return the bytes of resident memory after the allocator has returned its free memory."""
    gc.collect()
    with contextlib.suppress(AttributeError):  # not glibc: the figure is then an upper bound
        ctypes.CDLL(None).malloc_trim(0)
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize()


def _peak() -> int:
    status = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))


if __name__ == "__main__":
    print(json.dumps(_measure(int(sys.argv[1]))))
