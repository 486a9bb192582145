"""Time of complete runs of ``python -m papers`` in separate processes, compared with limits."""

import os
import subprocess
import sys
import tempfile
import time

from benchmarks.report import Row
from benchmarks.sizes import Sizes

TABLE_LIMIT = 180.0
QUICK_LIMIT = 60.0


def run(sizes: Sizes) -> list[Row]:
    """Run each command once; papers on public data sets need the folder that PRIORCASE_DATA names."""
    if sizes.quick or "PRIORCASE_DATA" not in os.environ:
        return [Row("reproduce lecture --quick", "limit", _seconds("lecture", "--quick"), QUICK_LIMIT, 1)]
    one, two = (_seconds("bibl1998", "--table", "1", *jobs) for jobs in ((), ("--jobs", "2")))
    with tempfile.TemporaryDirectory() as folder:
        quick = _seconds("all", "--quick", "--out", folder)
    name = "reproduce bibl1998 --table 1: 9 data sets, 100 cross-validations, 2 sizes, 2 learners"
    return [
        Row(name, "limit", one, TABLE_LIMIT, 1, note="one process"),
        Row(name, "limit", two, TABLE_LIMIT, 1, note="two processes"),
        Row("reproduce all --quick, with all files", "limit", quick, QUICK_LIMIT, 1, note="six papers"),
    ]


def _seconds(*arguments: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "papers", *arguments], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start
