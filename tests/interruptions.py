"""Errors raised at any line of the library, and tasks in threads of their own."""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import priorcase

LIBRARY = os.path.dirname(priorcase.__file__) + os.sep
# The core calls it in long loops, by the clock: on a busy machine its lines would come more often.
POLLED = os.path.join(LIBRARY, "_cancelling.py")
# The library catches neither, so that both take the same way out: they are raised in turn.
ERRORS = (KeyboardInterrupt, MemoryError)


@contextmanager
def raised_at(line: int, error: type[BaseException] = KeyboardInterrupt) -> Iterator[list[tuple[str, int]]]:
    """Raise an error at the n-th line of the library that is reached; the lines that were reached.

    Garbage of earlier tests is not collected meanwhile: its finalizers would be counted, and swallow the error.
    """
    reached: list[tuple[str, int]] = []

    def trace(frame: Any, event: str, arg: Any) -> Any:
        if not frame.f_code.co_filename.startswith(LIBRARY) or frame.f_code.co_filename == POLLED:
            return None
        if event == "line":
            reached.append((frame.f_code.co_filename, frame.f_lineno))
            if len(reached) == line:
                raise error
        return trace

    before, collecting = sys.gettrace(), gc.isenabled()
    gc.disable()
    sys.settrace(trace)
    try:
        yield reached
    finally:
        sys.settrace(before)
        if collecting:
            gc.enable()


def moments(change: Callable[[], object]) -> list[int]:
    """The first and the last time that a change reaches each of its lines."""
    with raised_at(0) as reached:
        change()
    first = {line: n for n, line in reversed(list(enumerate(reached, 1)))}
    last = {line: n for n, line in enumerate(reached, 1)}
    return sorted({*first.values(), *last.values()})


def check_interrupted(
    start: Callable[[], Any], change: Callable[[Any], object], made: Callable[[Any], bool], step: int, least: int = 60
) -> None:
    """Interrupt changes of new copies of a model at every step-th moment, and at every one around the commit.

    ``made`` checks the copy left behind and says whether the change was made; ``least`` is how many lines it has.
    """
    change(start())  # what is made once in a process is there
    whole = start()
    when = moments(lambda: change(whole))
    assert made(whole)
    assert when[-1] > least

    def interrupted(moment: int) -> bool:
        torn, error = start(), ERRORS[moment % 2]
        with raised_at(moment, error), suppress(error):
            change(torn)
        return made(torn)

    found = [interrupted(moment) for moment in when[::step]]
    assert not found[0]
    assert found == sorted(found)  # once made, a change stays
    after = found.index(True) * step if True in found else len(when)
    before = after - step
    while after - before > 1:  # the moment of the commit
        middle = (before + after) // 2
        before, after = (before, middle) if interrupted(when[min(middle, len(when) - 1)]) else (middle, after)
    for moment in when[max(after - 8, 0) : after + 8] if step > 1 else ():
        interrupted(moment)


def run(*tasks: Callable[[], object]) -> None:
    """All tasks at once; the first error of any."""
    errors: list[BaseException] = []

    def guarded(task: Callable[[], object]) -> None:
        try:
            task()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(task,), daemon=True) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
        assert not thread.is_alive()
    if errors:
        raise errors[0]
