"""Peak memory added by fitting naive Bayes on a million rows in a separate process."""

import json
import subprocess
import sys
from pathlib import Path

from benchmarks.peers.memory import MIB, _peak, _resident
from benchmarks.report import Row
from benchmarks.sizes import Sizes

# 20 codes of one byte, and one byte for the class
CODES_PER_ROW = 21


def run(sizes: Sizes) -> list[Row]:
    """Measure the peak of resident memory in addition to the data frame; the worst of three runs counts."""
    rows = sizes.rows(1_000_000)
    command = [sys.executable, "-m", "benchmarks.peers.bayes_memory", str(rows)]
    runs = [
        json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
        for _ in range(min(3, sizes.repeats))
    ]
    codes = rows * CODES_PER_ROW / MIB
    peak = max(one["fit"] for one in runs) / MIB
    asked = max(one["predict"] for one in runs) / MIB
    answer = rows * 5 * 8 / MIB
    name = f"naive Bayes, {rows:,} x 20"
    note = f"{peak / codes:.3f} times the size of the codes, which the model stores; worst of {len(runs)}"
    return [
        Row(f"{name}: peak memory added by fit", "twice the codes", peak, 2 * codes, 1, "MiB", note),
        Row(
            f"{name}: added by predict_proba, without its result",
            "the codes",
            max(asked - answer, 0.01),
            codes,
            1,
            "MiB",
        ),
    ]


def _measure(rows: int) -> dict[str, float]:
    import priorcase as pc
    from benchmarks import data
    from benchmarks.machine import THREADS

    warm = data.nominal(200, 2)
    pc.NaiveBayes(numeric="student", n_jobs=THREADS).fit(warm.X, warm.y).predict_proba(warm.queries)
    task = data.nominal(rows, 0)
    y = task.y.astype("U2").copy()
    before = _resident()
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # resets the peak to the current memory
    model = pc.NaiveBayes(numeric="student", n_jobs=THREADS).fit(task.X, y)
    fit = _peak() - before
    before = _resident()
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    answer = model.predict_proba(task.X)
    return {"fit": fit, "predict": max(_peak() - before, answer.nbytes)}


if __name__ == "__main__":
    print(json.dumps(_measure(int(sys.argv[1]))))
