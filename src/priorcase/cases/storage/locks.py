"""One lock for each file in a process, and what a forked process may do with files it was handed.

POSIX drops all locks that a process holds on a file when the process closes any handle on it, so a look at a file's
first bytes in one thread could unlock a change that another thread is making. All that touches a file therefore goes
through one lock, shared by everything in the process that has the file open. SQLite's own record of its locks is copied
by a fork, so a fork waits until no change is under way; a child forked by the very thread that makes a change is told
that it cannot use the file.
"""

from __future__ import annotations

import ctypes
import os
import sqlite3
from pathlib import Path
from threading import Lock, RLock
from weakref import WeakValueDictionary

_WAIT = 5.0


class FileLock:
    """The lock of one file in this process, and how many transactions are under way under it."""

    def __init__(self) -> None:
        self.lock = RLock()
        self.active = 0
        self.forked_within = False  # this process was forked in the middle of a transaction


_guard = Lock()
_locks: WeakValueDictionary[tuple[int, int], FileLock] = WeakValueDictionary()
_held: list[FileLock] = []
_missed: list[FileLock] = []
_unusable: list[FileLock] = []  # kept alive, since SQLite remembers the other process's locks as long as this one lives


def lock_of(path: Path) -> tuple[FileLock, tuple[int, int]]:
    """The lock of a file that exists, the same for all paths that lead to it, and what tells the file from others."""
    status = path.stat()
    with _guard:
        key = (status.st_dev, status.st_ino)
        lock = _locks.get(key)
        if lock is None:
            lock = _locks[key] = FileLock()
        return lock, key


def is_still(path: Path, identity: tuple[int, int]) -> bool:
    """Whether a path leads to the same file as before."""
    try:
        status = os.stat(path)
    except OSError:
        return False
    return (status.st_dev, status.st_ino) == identity


def abandon(connection: sqlite3.Connection) -> None:
    """Never close a connection inherited from another process: closing it may undo what that process is doing."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))


def _before_fork() -> None:
    _guard.acquire()
    for lock in list(_locks.values()):
        (_held if lock.lock.acquire(timeout=_WAIT) else _missed).append(lock)


def _after_fork() -> None:
    _missed.clear()
    while _held:
        _held.pop().lock.release()
    _guard.release()


def _in_child() -> None:
    for lock in list(_locks.values()):
        if lock in _missed or lock.active > 0:
            lock.forked_within = True
            _unusable.append(lock)
    _after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_in_child)
