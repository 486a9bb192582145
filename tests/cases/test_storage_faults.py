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


@pytest.fixture(scope="module")
def shim(tmp_path_factory):
    """The library that makes writes fail, built."""
    if not sys.platform.startswith("linux"):
        pytest.skip("libraries are preloaded this way on Linux only")
    if COMPILER is None:
        pytest.skip("no C++ compiler to build the library that makes writes fail")
    shim = tmp_path_factory.mktemp("shim") / "shim.so"
    build = [COMPILER, "-std=c++20", "-O1", "-shared", "-fPIC", "-o", str(shim), str(FAULTS / "shim.cpp"), "-ldl"]
    subprocess.run(build, check=True, timeout=600)
    return shim


def failures(script, shim, folder):
    """How many failures each operation has met, after a script has run to its end with the library preloaded."""
    command = [sys.executable, str(FAULTS / script), str(folder)]
    variables = os.environ | {"LD_PRELOAD": str(shim)}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return [int(line.split(" failures")[0].split()[-1]) for line in done.stdout.splitlines()]


def test_failing_writes_give_one_named_error_and_lose_nothing(shim, quick_folder):
    found = failures("driver.py", shim, quick_folder)
    assert len(found) == 3 + 3 * 6
    assert min(found) >= 3  # every operation has met failures, creating a file among them


@pytest.mark.slow
def test_after_failing_writes_the_cases_in_memory_are_those_of_the_file(shim, quick_folder):
    found = failures("facade.py", shim, quick_folder)
    assert len(found) == 2 * 10
    assert min(found) >= 3
