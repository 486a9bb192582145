"""Time and peak memory of a complete run of ``priorcase report`` in a separate process."""

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.report import Row
from benchmarks.sizes import Sizes

MIB = 2**20
LIMITS = {"adult": ("adult.csv.gz", 120.0, 2048.0), "hepatitis": ("hepatitis.csv", 20.0, None)}
"""File of each table, and the limits of time (seconds) and memory (MiB) for its report."""


@dataclass(frozen=True)
class Measured:
    """Time and memory of one run."""

    seconds: float
    processor: float
    memory: float


def run(sizes: Sizes) -> list[Row]:
    """Return the largest time and memory of some runs; PRIORCASE_DATA names the folder of the public data sets."""
    rounds = min(2, sizes.repeats)
    rows = [_row("report on the built-in table", _worst([], sizes, rounds), None)]
    folder = os.environ.get("PRIORCASE_DATA")
    if sizes.quick or folder is None:
        return rows
    for name, (file, seconds, memory) in LIMITS.items():
        measured = _worst([str(Path(folder) / file)], sizes, rounds)
        rows.append(_row(f"report on {name}", measured, seconds))
        if memory is not None:
            rows.append(Row(f"report on {name}: memory", "limit", measured.memory, memory, 1, "MiB"))
    return rows


def _row(workload: str, measured: Measured, limit: float | None) -> Row:
    note = f"{measured.processor:.1f} s of CPU time, {measured.memory:.0f} MiB at most"
    return Row(workload, "limit", measured.seconds, limit, None if limit is None else 1, note=note)


def _worst(table: list[str], sizes: Sizes, rounds: int) -> Measured:
    runs = [_measure([*table, *(["--budget", "2s"] if sizes.quick else [])]) for _ in range(rounds)]
    return Measured(*(max(getattr(one, field) for one in runs) for field in ("seconds", "processor", "memory")))


def _measure(arguments: list[str]) -> Measured:
    with tempfile.TemporaryDirectory() as folder:
        code = "from priorcase.cli import main; main()"
        out = str(Path(folder) / "report.html")
        start = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-c", code, "report", *arguments, "--out", out],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"priorcase report {' '.join(arguments)} ended with {process.returncode}")
    return Measured(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / MIB)
