"""Work in another process: what it gives and tells, how it fails, and how it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from priorcase.exceptions import ReadingError
from priorcase.explorer.jobs import Job, Jobs
from priorcase.explorer.processes import in_process
from priorcase.learning.resampling import bar

posix = pytest.mark.skipif(sys.platform == "win32", reason="priorities and signals of POSIX")


def whoami(number: int) -> tuple[int, int, int]:
    print("not an answer")
    with bar(4, shown=False) as advance:
        advance("a quarter")
    return number + 1, os.getpid(), os.nice(0)


def refuse() -> None:
    raise ReadingError("loans.csv has no rows.")


def break_down() -> None:
    raise ZeroDivisionError


def sleep_long(path: str) -> None:
    Path(path).write_text(str(os.getpid()))
    sleep(600)


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """The functions above, in the other process too."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parent), *sys.path]))


def ended(work: Any, *args: Any) -> tuple[Job, list[Any], list[Any]]:
    jobs, found, told = Jobs(), list[Any](), list[Any]()

    def run(job: Job) -> None:
        tell = job.tell
        job.tell = lambda *text: (told.append(text), tell(*text))[1]  # type: ignore[method-assign]
        found.append(in_process(job, work, *args))

    job = jobs.start("Working", run)
    jobs.wait(job.id, 120)
    return job, found, told


def running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def ends(pid: int) -> bool:
    for _ in range(600):
        if not running(pid):
            return True
        sleep(0.1)
    return False


def written(path: Path) -> int:
    for _ in range(1200):
        if path.exists() and (text := path.read_text()):
            return int(text)
        sleep(0.1)
    raise AssertionError("the other process did not begin")


@posix
def test_the_other_process_gives_what_the_function_gives_at_low_priority() -> None:
    job, found, told = ended(whoami, 4)
    assert job.state == "done", job.message
    ((number, pid, nice),) = found
    assert number == 5
    assert pid != os.getpid()
    assert nice > os.nice(0)
    assert told == [("a quarter", 0.25)]
    assert not running(pid)


def test_errors_come_back(caplog: pytest.LogCaptureFixture) -> None:
    job, _, _ = ended(refuse)
    assert (job.state, job.message) == ("failed", "loans.csv has no rows.")
    job, _, _ = ended(break_down)
    assert job.state == "failed"
    assert "bug" in job.message
    assert "ZeroDivisionError" in caplog.text


@posix
def test_the_other_process_ends_when_the_job_is_cancelled(tmp_path: Path) -> None:
    jobs, path = Jobs(), tmp_path / "pid"
    job = jobs.start("Working", lambda job: in_process(job, sleep_long, str(path)))
    pid = written(path)
    jobs.cancel(job.id)
    jobs.wait(job.id, 60)
    assert job.state == "cancelled"
    assert not running(pid)


@posix
def test_the_other_process_does_not_outlive_a_parent_that_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "pid"
    script = (
        "from test_processes import *\n"
        "jobs = Jobs()\n"
        f"jobs.wait(jobs.start('Working', lambda job: in_process(job, sleep_long, {str(path)!r})).id)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script]) as parent:
        pid = written(path)
        parent.send_signal(signal.SIGKILL)
    assert ends(pid)
