"""Calls of the compiled core with anything for arguments, while another thread runs, and interrupted by Ctrl-C."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

REFUSED = (ValueError, TypeError, IndexError, OverflowError, MemoryError)
_WHOLE = (0, 1, -1, 2, 7, 2**31, 2**62, -(2**62))
_NUMBERS = (*_WHOLE, 0.0, -1.0, 0.5, 1e300, np.inf, -np.inf, np.nan)


def mangled(random: np.random.Generator, value: Any) -> Any:
    """Something else in the place of an argument: other sizes, other numbers, nothing."""
    if not isinstance(value, np.ndarray):
        return None if random.random() < 0.1 else _NUMBERS[random.integers(len(_NUMBERS))]
    choice, changed = random.integers(8), value.copy()
    if choice == 0:
        return np.empty((0,) * value.ndim, value.dtype)
    if choice == 1:
        return changed[: len(value) // 2]
    if choice == 2:
        return np.concatenate([changed, changed[:1]])
    if choice == 3 and value.ndim == 2:
        return np.ascontiguousarray(changed[:, : value.shape[1] // 2])
    if choice == 4:
        return value.astype(np.float32 if value.dtype.kind == "f" else np.float64)
    if choice == 5:
        return None
    odd = _NUMBERS if value.dtype.kind == "f" else [n for n in _WHOLE if n == np.array(n).astype(value.dtype)]
    changed.reshape(-1)[random.random(changed.size) < 0.2] = odd[random.integers(len(odd))]
    return changed


def survives(call: Callable[..., Any], given: Mapping[str, Any], rounds: int, seed: int = 0) -> tuple[int, int]:
    """How many calls with one or two mangled arguments were answered, and how many refused; the process lives on."""
    random, names, found = np.random.default_rng(seed), list(given), [0, 0]
    for _ in range(rounds):
        chosen = random.choice(len(names), size=random.integers(1, 3), replace=False)
        try:
            call(**{**given, **{names[i]: mangled(random, given[names[i]]) for i in chosen}})
        except REFUSED:
            found[1] += 1
        else:
            found[0] += 1
    return found[0], found[1]


def others_run(call: Callable[[], object], tries: int = 200) -> bool:
    """Whether another thread runs during the call: without forced switches only if the call lets go of the GIL."""
    count, done, before = [0], threading.Event(), sys.getswitchinterval()

    def counting() -> None:
        while not done.is_set():
            count[0] += 1
            time.sleep(0)

    thread = threading.Thread(target=counting, daemon=True)
    thread.start()
    sys.setswitchinterval(1000)
    try:
        for _ in range(tries):
            earlier = count[0]
            call()
            if count[0] > earlier:
                return True
        return False
    finally:
        sys.setswitchinterval(before)
        done.set()
        thread.join()


_INTERRUPTING = """
import os, signal, sys, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored where the tests run under nohup

def interrupted(call):
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    start = time.monotonic()
    try:
        call()
    except KeyboardInterrupt:
        return time.monotonic() - start - 0.5
    timer.cancel()
    raise SystemExit("not interrupted")
"""


def seconds_to_stop(module: str, program: str) -> list[float]:
    """Runs a program that prints ``interrupted(call)`` for some calls: how long each takes to end after Ctrl-C.

    The program finds the modules in the folder of the given one, and those of all tests.
    """
    folders = [str(Path(__file__).parent), str(Path(module).parent)]
    command = [sys.executable, "-c", f"import sys\nsys.path[:0] = {folders}\n{_INTERRUPTING}{program}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return [float(line) for line in done.stdout.split()]
