"""Seeded faults: each changes one line that still is Python, the draw is fixed, and files come back as they were."""

from __future__ import annotations

import ast
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tools import seed_faults

SOURCE = '''\
"""Not 1 == 1 and 2 < 3, but a text."""


def first(rows: list[int], n: int = 2, last=False) -> int:
    if not rows or n > len(rows):
        return rows[0] + n
    return rows[n] - 1
'''
CHANGED = [
    "def first(rows: list[int], n: int = 3, last=False) -> int:",
    "def first(rows: list[int], n: int = 2, last=True) -> int:",
    "    if not rows and n > len(rows):",
    "    if not rows or n <= len(rows):",
    "    if rows or n > len(rows):",
    "        return rows[0] - n",
    "        return rows[1] + n",
    "    return rows[n] + 1",
    "    return rows[n] - 2",
]


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with one file of the library and a folder of tests for it."""
    sources = tmp_path / "src" / "priorcase"
    (sources / "sums").mkdir(parents=True)
    (sources / "sums" / "rows.py").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "tests" / "sums").mkdir(parents=True)
    (tmp_path / "tests" / "test_rows_of_all.py").touch()
    monkeypatch.setattr(seed_faults, "ROOT", tmp_path)
    monkeypatch.setattr(seed_faults, "SOURCES", sources)
    return tmp_path


def test_each_fault_changes_one_line_that_still_is_python(checkout: Path) -> None:
    file = checkout / "src" / "priorcase" / "sums" / "rows.py"
    faults = [*seed_faults.faults_of(file)]
    changed = []
    for fault in faults:
        text = fault.applied(file.read_bytes()).decode()
        ast.parse(text)
        pairs = zip(SOURCE.splitlines(), text.splitlines(), strict=True)
        changed += [new for old, new in pairs if old != new]
    assert sorted(changed) == sorted(CHANGED)


def test_the_draw_is_fixed(checkout: Path) -> None:
    assert seed_faults.drawn(5, 1) == seed_faults.drawn(5, 1)
    assert seed_faults.drawn(5, 1) != seed_faults.drawn(5, 2)
    assert len(set(seed_faults.drawn(len(CHANGED), 1))) == len(CHANGED)


def test_its_own_tests_come_first(checkout: Path) -> None:
    path = "src/priorcase/sums/rows.py"
    assert seed_faults.own_tests(path) == [path, "tests/test_rows_of_all.py", "tests/sums"]


@pytest.mark.parametrize(
    ("fails", "caught", "runs"),
    [
        (lambda arguments: "-n" in arguments[:1] and arguments[1] == "0", "own", 1),
        (lambda arguments: arguments == ["-n", "2"], "other", 2),
        (lambda arguments: False, "", 2),
    ],
    ids=["by its own tests", "by others", "by none"],
)
def test_own_tests_then_all_run_with_the_fault_and_the_file_comes_back(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, fails: Callable[[list[str]], bool], caught: str, runs: int
) -> None:
    (fault,) = seed_faults.drawn(1, 0)
    file = checkout / fault.path
    before = file.stat()
    seen = list[str]()

    def run(arguments: list[str]) -> str:
        seen.append(file.read_text(encoding="utf-8"))
        return ("own" if len(seen) == 1 else "other") if fails(arguments) else ""

    monkeypatch.setattr(seed_faults, "failure", run)
    assert seed_faults.caught_by(fault, workers=2) == caught
    assert seen == [fault.applied(SOURCE.encode()).decode()] * runs
    assert SOURCE not in seen
    assert file.read_text(encoding="utf-8") == SOURCE
    assert file.stat().st_mtime_ns == before.st_mtime_ns


def test_a_failing_test_is_named(checkout: Path) -> None:
    tests = checkout / "tests" / "sums" / "test_rows.py"
    tests.write_text("def test_good():\n    pass\n\n\ndef test_bad():\n    assert 1 > 2\n", encoding="utf-8")
    assert seed_faults.failure(["-n", "0", str(tests), "-k", "good"]) == ""
    assert seed_faults.failure(["-n", "0", str(tests)]).startswith("tests/sums/test_rows.py::test_bad")


def test_tests_that_are_stopped_say_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = subprocess.CompletedProcess([], -signal.SIGTERM, b"....", b"")
    monkeypatch.setattr(seed_faults.subprocess, "run", lambda *_, **__: stopped)
    with pytest.raises(InterruptedError):
        seed_faults.failure([])
