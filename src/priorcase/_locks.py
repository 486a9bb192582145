"""A re-entrant lock that survives a fork."""

from __future__ import annotations

import os
import threading
import weakref
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threading import RLock as _RLock
else:
    _RLock = type(threading.RLock())  # threading.RLock itself is a function


class Lock(_RLock):  # type: ignore[misc]  # final in the stubs, not at run time
    """A re-entrant lock, used as ``with lock:``, that a forked child finds free.

    It derives from the compiled lock instead of holding one: ``with`` then enters and leaves it within one bytecode
    instruction, so an interrupt cannot leave it locked. A copied or unpickled lock is a new one.

    In a child process, a lock that another thread of the parent held at the fork is made anew, and its `held_at_fork`
    is True: what it protects may have been copied in the middle of a change and must be rebuilt. A lock that was free,
    or held by the forking thread itself, stays as it was.

    Examples
    --------
    >>> lock = Lock()
    >>> with lock, lock:
    ...     lock.held_at_fork
    False
    """

    held_at_fork: bool = False
    """Whether another thread held the lock when this process was forked."""

    def __init__(self) -> None:
        super().__init__()
        _LOCKS.add(self)

    def __reduce__(self) -> tuple[type[Lock], tuple[()]]:
        return Lock, ()


_LOCKS: weakref.WeakSet[Lock] = weakref.WeakSet()


def _reset_in_child() -> None:
    for lock in _LOCKS:
        if lock.acquire(blocking=False):
            lock.release()
        else:
            lock._at_fork_reinit()  # type: ignore[attr-defined]  # as the modules of the standard library do
            lock.held_at_fork = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_in_child)
