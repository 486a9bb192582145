"""Case bases as tests of the command line keep them: the help desk in a file, and a terminal to talk at."""

from __future__ import annotations

import os
import pty
import select
import signal
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from commands import run

PROGRAM = [sys.executable, "-c", "from priorcase.cli import main; main()"]
PROMPTS = (b"> ", b"[y/N] ")
LONGEST = 600.0
"""Seconds that a session may take before it counts as waiting for ever."""


def make_desk(path: Path) -> Path:
    """The built-in help desk."""
    result = run("cases", "new", path, "--example", "help-desk")
    assert result.exit_code == 0, result.stderr
    return path


def at_terminal(args: Iterable[object], keys: Iterable[str]) -> tuple[str, int]:
    """Run the program on a terminal of its own, press these keys at one prompt after the other; what is seen, and the
    exit code."""
    command = [*PROGRAM, *map(str, args)]
    child, terminal = pty.fork()
    if child == 0:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # it is ignored where the tests run under nohup
        os.execve(command[0], command, {**os.environ, "TERM": "dumb", "COLUMNS": "100"})
    seen, waiting, end = b"", iter(keys), time.monotonic() + LONGEST
    while True:
        if not select.select([terminal], [], [], max(0.0, end - time.monotonic()))[0]:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise TimeoutError(f"nothing came after:\n{seen.decode()}")
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        seen += piece
        if seen.endswith(PROMPTS) and (key := next(waiting, None)) is not None:
            os.write(terminal, key.encode())
    os.close(terminal)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert next(waiting, None) is None, f"not every key was asked for:\n{seen.decode()}"
    return seen.decode().replace("\r\n", "\n"), code
