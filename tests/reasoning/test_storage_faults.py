"""I/O errors and a full disk at the n-th write of every operation, for n = 1, 2, ... until the operation succeeds."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

FAULTS = Path(__file__).parent / "faults"
COMPILER = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")


@pytest.fixture
def quick_folder():
    """A folder in memory where the system has one: thousands of writes that need not reach a disk."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as folder:
        yield Path(folder).resolve()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="libraries are preloaded this way on Linux only")
@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler to build the library that makes writes fail")
def test_failing_writes_give_one_named_error_and_lose_nothing(tmp_path, quick_folder):
    shim = tmp_path / "shim.so"
    build = [COMPILER, "-std=c++20", "-O1", "-shared", "-fPIC", "-o", str(shim), str(FAULTS / "shim.cpp"), "-ldl"]
    subprocess.run(build, check=True, timeout=60)
    command = [sys.executable, str(FAULTS / "driver.py"), str(quick_folder)]
    variables = os.environ | {"LD_PRELOAD": str(shim)}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    lines = done.stdout.splitlines()
    assert len(lines) == 3 + 3 * 6
    failures = [int(line.split(" failures")[0].split()[-1]) for line in lines]
    assert min(failures) >= 3  # every operation has met failures, creating a file among them
