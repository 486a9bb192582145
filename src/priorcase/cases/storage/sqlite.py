"""SQLite for case bases: connections, tables, conversion of SQLite errors, locks and new files."""

from __future__ import annotations

import ctypes
import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Lock, RLock
from weakref import WeakValueDictionary

from priorcase._files import whole_file
from priorcase.exceptions import CaseBaseBusyError, CaseBaseError, CaseBaseFileError

VERSION = 2  # the version of the format that is written
PAGE = 4096  # bytes of a page

_SCHEMA: dict[int, tuple[str, ...]] = {
    1: (
        "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL, sum INTEGER NOT NULL) WITHOUT ROWID",
        "CREATE TABLE cases (id INTEGER PRIMARY KEY, added INTEGER NOT NULL, revised INTEGER, data TEXT NOT NULL, "
        "solution TEXT, outcome TEXT, key TEXT, sum INTEGER NOT NULL)",
        "CREATE UNIQUE INDEX cases_by_key ON cases (key) WHERE key IS NOT NULL",
        "CREATE TABLE history (sequence INTEGER PRIMARY KEY, at TEXT NOT NULL, action TEXT NOT NULL, id INTEGER, "
        "by TEXT, why TEXT, sum INTEGER NOT NULL)",
        "CREATE INDEX history_by_case ON history (id) WHERE id IS NOT NULL",
        "CREATE TABLE notes (sequence INTEGER PRIMARY KEY, id INTEGER NOT NULL, text TEXT NOT NULL, "
        "sum INTEGER NOT NULL)",
        "CREATE INDEX notes_by_case ON notes (id)",
    ),
    2: (
        "CREATE TABLE retirements (id INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, sum INTEGER NOT NULL)",
        "CREATE TABLE uses (sequence INTEGER PRIMARY KEY, id INTEGER NOT NULL, helped INTEGER, detail TEXT, "
        "sum INTEGER NOT NULL)",
        "CREATE INDEX uses_by_case ON uses (id)",
        "CREATE TABLE learners (name TEXT PRIMARY KEY, sequence INTEGER NOT NULL, recipe TEXT NOT NULL, state BLOB, "
        "fitted_on TEXT, sum INTEGER NOT NULL) WITHOUT ROWID",
    ),
}
_SETTINGS = (
    "PRAGMA trusted_schema = OFF",
    "PRAGMA cell_size_check = ON",
    "PRAGMA mmap_size = 0",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA synchronous = FULL",
    "PRAGMA secure_delete = ON",
)
_LONGEST = 2_000_000.0  # seconds; SQLite counts milliseconds in 32 bits, and would not wait at all with longer timeouts


# -- connections and tables


def connect(path: Path, *, readonly: bool, timeout: float) -> sqlite3.Connection:
    """Connect to an existing file; no statement begins a transaction implicitly."""
    address = f"{path.absolute().as_uri()}?mode={'ro' if readonly else 'rw'}"
    timeout = min(timeout, _LONGEST)
    connection = sqlite3.connect(address, uri=True, timeout=timeout, isolation_level=None, check_same_thread=False)
    try:
        for setting in _SETTINGS:
            connection.execute(setting)
        connection.execute("PRAGMA query_only = ON" if readonly else "PRAGMA journal_mode = TRUNCATE")
        return connection
    except BaseException:
        connection.close()
        raise


def in_memory() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    for setting in (*_SETTINGS, f"PRAGMA page_size = {PAGE:d}", "PRAGMA auto_vacuum = NONE", "PRAGMA encoding='UTF-8'"):
        connection.execute(setting)
    return connection


def create_tables(connection: sqlite3.Connection, version: int = VERSION, *, since: int = 0) -> None:
    """Create the tables that were added to the file format in versions ``since + 1`` to ``version``."""
    for step in range(since + 1, version + 1):
        for statement in _SCHEMA[step]:
            connection.execute(statement)


def tables_of(connection: sqlite3.Connection) -> list[tuple[str, ...]]:
    return connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name").fetchall()


@cache
def expected_tables(version: int) -> list[tuple[str, ...]]:
    """Return the content of sqlite_master in a file of this version."""
    connection = in_memory()
    try:
        create_tables(connection, version)
        return tables_of(connection)
    finally:
        connection.close()


def _columns() -> dict[str, dict[str, set[type]]]:
    kinds: dict[str, type] = {"INTEGER": int, "TEXT": str, "BLOB": bytes}
    found: dict[str, dict[str, set[type]]] = {}
    connection = in_memory()
    create_tables(connection)
    for _, table, *_ in (row for row in tables_of(connection) if row[0] == "table"):
        columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
        found[table] = {
            name: {kinds[kind]} if required or key else {kinds[kind], type(None)}
            for _, name, kind, required, _, key in columns
        }
    connection.close()
    return found


COLUMNS = _columns()  # the columns of each table, with the types that their values may have


# -- errors of SQLite and of the system, in our words


@contextmanager
def file_errors(path: str, timeout: float = 0.0) -> Iterator[None]:
    """Convert SQLite errors and failed integrity checks to errors of the library, whose messages name the file."""
    try:
        yield
    except sqlite3.Error as error:
        raise sqlite_error(path, timeout, error) from error
    except UnicodeDecodeError as error:
        raise sqlite_error(path, timeout, sqlite3.DatabaseError("a string in it is not valid UTF-8")) from error
    except UnicodeEncodeError as error:
        raise CaseBaseFileError(
            f"A string with a lone surrogate (half a character) cannot be stored in {path}; nothing was changed. "
            "Remove the surrogate from the string."
        ) from error
    except OverflowError as error:
        raise CaseBaseFileError(
            f"A number is too large to be stored in {path}; nothing was changed. Use a smaller number."
        ) from error


@contextmanager
def opening_errors(path: Path) -> Iterator[None]:
    """Convert operating system errors that occur when a file is opened to errors of the library."""
    try:
        yield
    except FileNotFoundError as error:
        raise CaseBaseFileError(
            f"There is no case base at {path!s}. Check the path, or omit readonly=True to create a case base."
        ) from error
    except OSError as error:
        raise CaseBaseFileError(
            f"The case base {path!s} could not be opened: {error.strerror or str(error)}. Check the path and its "
            "permissions."
        ) from error


@contextmanager
def damage_errors(path: str) -> Iterator[None]:
    """If stored data cannot be interpreted, report that the file is damaged, since priorcase never writes such data."""
    try:
        yield
    except CaseBaseError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError, RecursionError) as error:
        found = sqlite3.DatabaseError("it has content that priorcase did not write")
        raise sqlite_error(path, 0.0, found) from error


def sqlite_error(path: str, timeout: float, error: sqlite3.Error) -> CaseBaseError:
    """Return the library's error for an SQLite error; errors without a code come from the library's own checks."""
    extended: int | None = getattr(error, "sqlite_errorcode", None)
    code = None if extended is None else extended & 0xFF
    ours = code is None and (type(error) is sqlite3.DatabaseError or "UTF-8" in str(error))
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return CaseBaseBusyError(
            f"The case base {path} was in use by other threads or processes for more than {timeout:g} seconds; nothing "
            "was changed. Try again, or open it with a longer timeout."
        )
    if ours or code in (
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_FORMAT,
        sqlite3.SQLITE_CONSTRAINT,
    ):
        message = (
            f"The case base {path} is damaged: {error}. The file was not changed. Restore it from a backup; keep the "
            "damaged file until the case base is restored."
        )
    elif extended == sqlite3.SQLITE_READONLY_DBMOVED:
        message = (
            f"The file {path} was moved, removed or replaced while it was open; nothing was changed. Open it again "
            "with CaseBase.open(path)."
        )
    elif extended in _NOT_RESTORED:
        message = (
            f"A change to {path} was interrupted, and undoing it needs write access to the file and its folder. Open "
            "the file once with write access to restore the last complete state."
        )
    elif code == sqlite3.SQLITE_CANTOPEN:
        message = (
            f"The case base {path} could not be opened: the system could not open the file or its journal. Check "
            "the path and its permissions."
        )
    elif code == sqlite3.SQLITE_TOOBIG or isinstance(error, sqlite3.DataError):
        message = f"A string is too long to be stored in {path}; nothing was changed. Shorten the string."
    else:
        return system_error(path, OSError(_SYSTEM_CODES.get(code, errno.EIO), str(error)))
    return CaseBaseFileError(message)


_NOT_RESTORED = (sqlite3.SQLITE_READONLY_ROLLBACK, sqlite3.SQLITE_READONLY_RECOVERY, sqlite3.SQLITE_READONLY_CANTLOCK)
_SYSTEM_CODES: dict[int | None, int] = {
    sqlite3.SQLITE_READONLY: errno.EACCES,
    sqlite3.SQLITE_PERM: errno.EACCES,
    sqlite3.SQLITE_FULL: errno.ENOSPC,
}


def system_error(path: str, error: OSError) -> CaseBaseFileError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        message = (
            f"The disk is full: the change to {path} was not made, and the existing data are intact. Free some "
            "space, then repeat the change."
        )
    elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        message = (
            f"The case base {path} cannot be changed: the file or its folder is read-only. Nothing was changed. Change "
            "the permissions, or open it with readonly=True."
        )
    else:
        message = (
            f"Reading or writing {path} failed ({error.strerror or str(error)}); no change was made, and the existing "
            "data are intact. Check the disk, then try again."
        )
    return CaseBaseFileError(message)


# -- locks
#
# POSIX drops all locks that a process holds on a file when the process closes any handle on it, so reading a file's
# first bytes in one thread could unlock a change that another thread is making. Everything in the process that touches
# a file therefore shares one lock. A fork copies SQLite's record of its locks, so it waits until no change is under
# way; a child forked by the very thread that makes a change gets an error, because it cannot use the file.


class FileLock:
    """The lock of a file in this process, and the number of open transactions on this file."""

    def __init__(self) -> None:
        self.lock = RLock()
        self.active = 0
        self.forked_within = False  # this process was forked in the middle of a transaction


_guard = Lock()
_locks: WeakValueDictionary[tuple[int, int], FileLock] = WeakValueDictionary()
_held: list[FileLock] = []
_missed: list[FileLock] = []
_unusable: list[FileLock] = []  # kept alive: in this process, SQLite never forgets the other process's locks


def file_identity(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_dev, status.st_ino


def lock_of(identity: tuple[int, int]) -> FileLock:
    """Return the lock of a file, which is the same for all paths to the file."""
    with _guard:
        lock = _locks.get(identity)
        if lock is None:
            lock = _locks[identity] = FileLock()
        return lock


def abandon(connection: sqlite3.Connection) -> None:
    """Keep an inherited connection open forever, since closing it could undo changes of the parent process."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))


def _before_fork() -> None:
    _guard.acquire()
    for lock in list(_locks.values()):
        (_held if lock.lock.acquire(timeout=5.0) else _missed).append(lock)


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


# -- new files


def write_new_file(data: bytes, path: Path, *, mode: int = 0o666) -> bool:
    """Write a file completely or not at all; return False if the file already exists."""
    if not path.parent.is_dir():
        raise CaseBaseFileError(
            f"The case base {path!s} cannot be created: there is no folder {path.parent!s}. Create the folder "
            "first, or check the path."
        )
    try:
        with whole_file(path, overwrite=False, mode=mode) as file:
            file.write(data)
        return True
    except FileExistsError:
        return False
    except OSError as error:
        raise system_error(str(path), error) from error
