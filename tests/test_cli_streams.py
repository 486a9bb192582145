"""What the command line says beside its answers, and where its streams are full or closed."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from commands import HEADER, ROWS, error, run, write

PROGRAM = [sys.executable, "-c", "from priorcase.cli import main; main()"]
EVALUATE = ("--target", "job", "--learner", "guess,ib1", "--splits", "3")


@pytest.fixture
def train(tmp_path: Path) -> Path:
    return write(tmp_path / "train.csv", [HEADER, *ROWS[:80]])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
def test_output_that_cannot_be_written_is_one_line(train: Path) -> None:
    for args in (["--help"], ["evaluate", str(train), *EVALUATE]):
        with Path("/dev/full").open("wb") as full:
            ended = subprocess.run([*PROGRAM, *args], stdout=full, stderr=subprocess.PIPE, timeout=120, check=False)
        assert (ended.returncode, ended.stderr) == (2, b"priorcase: error: No space left on device\n")


def test_closed_streams_lead_nowhere(train: Path) -> None:
    shut = shlex.join([*PROGRAM, "evaluate", str(train), *EVALUATE])
    for closing in (">&-", "2>&-", ">&- 2>&- <&-"):
        ended = subprocess.run(["sh", "-c", f"{shut} {closing}"], capture_output=True, timeout=120, check=False)
        assert (ended.returncode, ended.stderr) == (0, b"")
        assert (b"ib1" in ended.stdout) == (closing == "2>&-")
    nothing = shlex.join([*PROGRAM, "predict", "--train", str(train), "--target", "job", "--query", "-"])
    ended = subprocess.run(["sh", "-c", f"{nothing} <&-"], capture_output=True, timeout=120, check=False)
    assert ended.returncode == 2
    assert ended.stderr.startswith(b"priorcase: error: standard input is empty")


def test_warnings_are_notes_of_one_line_told_once(train: Path) -> None:
    score = ("--target", "job", "--learner", "guess", "--splits", "3", "--score", "precision_macro")
    ended = subprocess.run([*PROGRAM, "evaluate", str(train), *score], capture_output=True, timeout=120, check=False)
    (line,) = ended.stderr.decode().splitlines()
    assert line.startswith("priorcase: note: Precision is ill-defined")


def test_with_jobs_it_is_said_that_local_models_do_not_warn(train: Path) -> None:
    asked = ("evaluate", train, "--target", "job", "--learner", "local:bandwidth=0.05", "--splits", "3")
    assert run(*asked).stderr == (
        "priorcase: note: some cases had no past case within the bandwidth: those nearest answered there\n"
    )
    assert run(*asked, "--jobs", "2").stderr == (
        "priorcase: note: with --jobs nobody tells where local models found no past case, or did not settle\n"
    )


def test_a_report_is_no_other_file_than_it_says() -> None:
    assert "'--out': 'report.pdf' does not end in .html or .json." in error(run("report", "--out", "report.pdf"))
    assert "'0' is no number of jobs" in error(run("report", "--jobs", "0"))
    assert "'1025' is no number of jobs" in error(run("evaluate", "glass", "--jobs", "1025"))


def test_the_rule_for_warnings_is_the_callers_again_afterwards(train: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for rule in (None, "default"):
        monkeypatch.delenv("PYTHONWARNINGS", raising=False)
        if rule is not None:
            monkeypatch.setenv("PYTHONWARNINGS", rule)
        run("evaluate", train, *EVALUATE)
        assert os.environ.get("PYTHONWARNINGS") == rule


def test_no_word_about_fonts(train: Path, tmp_path: Path) -> None:
    """A first picture on a machine takes matplotlib some seconds, in which it looks for fonts."""
    environment = {**os.environ, "MPLCONFIGDIR": str(tmp_path / "empty")}
    picture = ("--plot", str(tmp_path / "picture.png"))
    ended = subprocess.run(
        [*PROGRAM, "evaluate", str(train), *EVALUATE, *picture],
        capture_output=True,
        timeout=120,
        check=False,
        env=environment,
    )
    assert (ended.returncode, ended.stderr) == (0, b"")
