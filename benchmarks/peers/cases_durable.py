"""The file of a case base: durable additions, opening, forgetting, and writers killed during a write."""

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.crash.killing import run as kill_writers
from benchmarks.peers.cases_retrieval_data import attributes, cases
from benchmarks.report import Row
from benchmarks.sizes import Sizes

ADDS, ADDS_MANY, OPEN = 200.0, 20_000.0, 3.0
KILLS = 100


def run(sizes: Sizes) -> list[Row]:
    """Return the best time of several rounds for each task, with its limit."""
    stored, singles = sizes.rows(100_000), sizes.queries(500)
    rows = cases(stored)
    with tempfile.TemporaryDirectory(prefix="priorcase-durable-") as folder:
        path = Path(folder) / "cases.priorcase"
        together, one_by_one = _added(path, rows, rows[:singles], sizes.repeats)
        opened, forgot, verified = _looked_after(path, sizes.repeats)
        size = f"{os.path.getsize(path) / 1e6:.0f} MB, all checksums verified"
    return [
        _limit(f"add: {singles:,} cases, each durable", one_by_one, singles / ADDS, _rate(singles, one_by_one)),
        _limit(f"add_many: {stored:,} cases at once", together, stored / ADDS_MANY, _rate(stored, together)),
        _limit(f"open: {stored:,} cases", opened, OPEN, size),
        _limit(f"forget: one of {stored:,} cases", forgot, None, "the file is rewritten, so nothing is left"),
        _limit(f"verify: {stored:,} cases", verified, None, ""),
        _killed(3 if sizes.quick else KILLS),
    ]


def _added(path: Path, rows: list[Any], few: list[Any], repeats: int) -> tuple[float, float]:
    import priorcase as pc

    with pc.CaseBase.open(path, attributes()) as base:
        together = _seconds(lambda: base.add_many(rows, solution=["repair"] * len(rows)))
        one_by_one = min(_seconds(lambda: [base.add(row, solution="repair") for row in few]) for _ in range(repeats))
        base.forget(where={"id": lambda id: id > len(rows)})
    return together, one_by_one


def _looked_after(path: Path, repeats: int) -> tuple[float, float, float]:
    import priorcase as pc

    opened = min(_seconds(lambda: pc.CaseBase.open(path).close()) for _ in range(repeats))
    with pc.CaseBase.open(path) as base:
        forgot = min(_seconds(lambda id=id: base.forget(id)) for id in range(1, repeats + 1))
        verified = _seconds(base.verify)
    return opened, forgot, verified


def _killed(kills: int) -> Row:
    with tempfile.TemporaryDirectory(prefix="priorcase-killed-") as folder:
        start = time.perf_counter()
        outcome = kill_writers(Path(folder), kills)
        taken = time.perf_counter() - start
    if outcome.problems:
        raise RuntimeError(f"killing writers damaged the case base: {outcome.problems}")
    done = sum(outcome.acknowledged.values())
    note = f"{done:,} acknowledged operations, none lost, none half-written; verify clean each time"
    return _limit(f"{kills} writers killed by SIGKILL", taken, None, note)


def _limit(work: str, taken: float, most: float | None, note: str) -> Row:
    return Row(work, "limit" if most else "none", taken, most, 1 if most else None, note=note)


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _rate(number: int, seconds: float) -> str:
    return f"{number / seconds:,.0f} per second"
