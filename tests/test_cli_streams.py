"""The command line where its streams are full or closed."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from commands import HEADER, ROWS, write

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
