"""Run long tasks in a child process with low priority, so that they do not delay responses.

The task is sent as a pickle on standard input; progress and results are returned on standard output. The parent keeps
the standard input of the child open, so the child ends when the parent ends.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable
from contextlib import suppress
from subprocess import PIPE, Popen
from threading import Thread
from traceback import format_exc
from typing import TYPE_CHECKING, Any, TypeVar

from priorcase.exceptions import PriorcaseError

if TYPE_CHECKING:
    from priorcase.explorer.jobs import Job

T = TypeVar("T")

_MAIN = "from priorcase.explorer.processes import work_for_parent; work_for_parent()"
_NICE = 19  # the lowest priority
_BELOW_NORMAL = 0x4000  # on Windows: the priority class below normal


def in_process(job: Job, work: Callable[..., T], *args: Any) -> T:
    """Run a function of this library in a separate process, which is killed when the job is canceled."""
    options: dict[str, Any] = {"creationflags": _BELOW_NORMAL} if sys.platform == "win32" else {}
    command = [sys.executable, "-P", "-c", _MAIN]  # -P: never import files of the working directory
    with Popen(command, stdin=PIPE, stdout=PIPE, start_new_session=True, **options) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            with job.cancellation.ending(process.kill):
                process.stdin.write(pickle.dumps((work, args), pickle.HIGHEST_PROTOCOL))
                process.stdin.flush()
                while True:
                    kind, content = pickle.load(process.stdout)
                    if kind == "done":
                        found: T = content
                        return found
                    if kind == "refused":
                        raise PriorcaseError(content)
                    if kind == "failed":
                        raise RuntimeError(f"in another process:\n{content}")
                    job.tell(*content)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError) as error:  # the process was killed
            job.cancellation.check()
            raise RuntimeError(f"the other process ended: {process.wait()}") from error
        finally:
            process.kill()
            with suppress(OSError):  # the process was killed before it had read all input
                process.stdin.close()


def work_for_parent() -> None:
    """Run the task received on standard input; this is the main function of the child process."""
    if hasattr(os, "nice"):
        os.nice(_NICE)
    told = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # printed output must not mix with results

    def tell(kind: str, content: Any) -> None:
        pickle.dump((kind, content), told, pickle.HIGHEST_PROTOCOL)
        told.flush()

    work, args = pickle.load(sys.stdin.buffer)
    Thread(target=_end_with_parent, daemon=True).start()
    from priorcase.learning.resampling import listening

    try:
        with listening(lambda text, share: tell("progress", (text, share))):
            found = work(*args)
        tell("done", found)
    except PriorcaseError as error:
        tell("refused", str(error.args[0]) if error.args else str(error))
    except BaseException:  # there is no caller: the parent logs the error
        tell("failed", format_exc())


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(1)
