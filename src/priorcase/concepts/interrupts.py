"""Short steps that are done whole: Ctrl-C waits for their end."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold Ctrl-C back while a step changes things that belong together; it is heard when the step is done.

    Python hands the signal to the main thread only, so in other threads there is nothing to hold back.

    Examples
    --------
    >>> with uninterrupted():
    ...     steps = [1, 2]
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pending: list[tuple[Any, ...]] = []
    before = signal.getsignal(signal.SIGINT)
    if not callable(before):  # ignored, left to the system, or set from outside Python
        yield
        return
    signal.signal(signal.SIGINT, lambda *arguments: pending.append(arguments))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pending:
        before(*pending[0])
