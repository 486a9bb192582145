"""A re-entrant lock that can be used after a fork, and cached properties without a lock."""

from __future__ import annotations

import functools
import os
import threading
import weakref
from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, TypeVar

T = TypeVar("T")

if TYPE_CHECKING:
    from threading import RLock as _RLock
else:
    _RLock = type(threading.RLock())  # threading.RLock itself is a function


class cached_property(functools.cached_property[T]):
    """`functools.cached_property` without the lock of Python 3.11; two threads may both compute the same value."""

    def __init__(self, func: Callable[[Any], T]) -> None:
        super().__init__(func)
        # All instances of a class would share the lock. Threads would wait for each other, and a child process that was
        # forked while another thread held the lock would wait forever.
        self.lock = nullcontext()


class Lock(_RLock):  # type: ignore[misc]  # final in the stubs, not at run time
    """A re-entrant lock, used as ``with lock:``, that is always unlocked in a forked child process."""

    # With a subclass of the compiled lock instead of a wrapper, ``with`` acquires or releases the lock within one
    # bytecode instruction, so that an interrupt cannot leave the lock locked.

    held_at_fork: bool = False
    """Whether another thread held the lock at the fork. If so, the protected data may be inconsistent."""

    def __init__(self) -> None:
        super().__init__()
        _LOCKS.add(self)

    def __reduce__(self) -> tuple[type[Lock], tuple[()]]:
        return Lock, ()  # a copy is a new, unlocked lock


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
