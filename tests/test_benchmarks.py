"""The benchmarks run at a tiny size, so that they cannot rot; peers that are not installed are skipped."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.report import Row, judge, plain

ROOT = Path(__file__).resolve().parents[1]


WORKLOADS = [
    "heom",
    "mvdm",
    "euclidean",
    "all_rows",
    "index",
    "memory",
    "mapped",
    "end_to_end",
    "one_row",
    "naive_bayes",
    "bayes_memory",
    "trees",
    "prequential",
    "concepts",
    "reduction",
    "local",
    "stretching",
    "leave_one_out",
    "stacked",
    "own_distance",
    "texts",
    "reading",
    "report",
    "reproduce",
    "startup",
    "cases_retrieval",
    "cases_durable",
    "scale",
    "serving",
    "concurrent",
    "page",
    "distributed",
    "auto",
]


@pytest.mark.peers
@pytest.mark.parametrize("part", [WORKLOADS[::2], WORKLOADS[1::2]], ids=["even", "odd"])
def test_workloads_run(part: list[str], tmp_path: Path) -> None:
    table = tmp_path / "table.md"
    command = [sys.executable, "-m", "benchmarks", "--quick", "--markdown", str(table), *part]
    # Where a test run is already spread over the cores, two threads each would only wait for one another.
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, done.stderr
    lines = table.read_text(encoding="utf-8").splitlines()
    header = next(i for i, line in enumerate(lines) if line.startswith("| workload | compared with |"))
    assert len(lines) - header - 2 >= len(part)


@pytest.mark.peers
def test_study_of_stacked_learners_runs() -> None:
    command = [sys.executable, "-m", "benchmarks.quality", "stacked", "--quick"]
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert sum(line.startswith("| mean rank over ") for line in lines) == 2  # classes and numbers
    assert sum(line.startswith("- mean rank by ") for line in lines) == 3
    assert any(line.startswith("- intervals of level 0.9 cover ") for line in lines)


def test_unknown_workload_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "spam"], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 2
    assert f"unknown workload 'spam'; expected one of {', '.join(WORKLOADS)}" in done.stderr


def test_bars() -> None:
    assert judge(Row("w", "peer", 1.0, 3.0, 3)) is True
    assert judge(Row("w", "peer", 1.0, 2.9, 3)) is False
    assert judge(Row("w", "peer", 1.0, None, 3)) is None
    assert judge(Row("w", "peer", 1.0, 9.0)) is None
    missed = plain([Row("w", "peer", 1.0, 2.9, 3)], judged=True)
    assert missed.splitlines()[-1].split() == ["w", "peer", "1", "s", "2.9", "s", "2.9x", ">=", "3x", "NO"]


def test_times_are_in_a_unit_of_few_digits() -> None:
    table = plain([Row("w", "peer", 14.3e-6, 1_130_000.0), Row("w", "peer", 0.0167, 5.41)], judged=False)
    assert [line.split()[2:6] for line in table.splitlines()[2:]] == [
        ["14.3", "µs", "314", "h"],
        ["16.7", "ms", "5.41", "s"],
    ]
