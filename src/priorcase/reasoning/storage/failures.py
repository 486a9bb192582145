"""What SQLite and the system say went wrong, in the words of the library."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from priorcase.exceptions.case_files import CaseBaseBusyError, CaseBaseFileError
from priorcase.exceptions.cases import CaseBaseError

_UNDO = {sqlite3.SQLITE_READONLY_ROLLBACK, sqlite3.SQLITE_READONLY_RECOVERY, sqlite3.SQLITE_READONLY_CANTLOCK}


@contextmanager
def named_errors(path: str, timeout: float, *, system: bool = False) -> Iterator[None]:
    """Raise what SQLite raises within, and with ``system`` what the system raises, as one named error."""
    try:
        yield
    except sqlite3.Error as error:
        raise named_error(path, timeout, error) from error
    except OSError as error:
        if not system:
            raise
        raise system_error(path, error) from error
    except UnicodeDecodeError as error:
        raise CaseBaseFileError.damaged(path, "a text in it is none") from error
    except UnicodeEncodeError as error:
        raise CaseBaseFileError.unstorable(path, "with half a character (a lone surrogate)") from error
    except OverflowError as error:
        raise CaseBaseFileError.unstorable(path, "or number beyond what SQLite holds") from error


def named_error(path: str, timeout: float, error: sqlite3.Error) -> CaseBaseError:
    """The library's error for one of SQLite."""
    whole: int | None = getattr(error, "sqlite_errorcode", None)
    code = None if whole is None else whole & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return CaseBaseBusyError.waited(path, timeout)
    if whole == sqlite3.SQLITE_READONLY_DBMOVED:
        return CaseBaseFileError.moved(path)
    if whole in _UNDO:
        return CaseBaseFileError.unfinished(path)
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
        return CaseBaseFileError.locked(path)
    if code == sqlite3.SQLITE_FULL:
        return CaseBaseFileError.full(path)
    if code == sqlite3.SQLITE_CANTOPEN:
        return CaseBaseFileError.no_access(path, "the system did not open it or the journal beside it")
    if code == sqlite3.SQLITE_TOOBIG or isinstance(error, sqlite3.DataError):
        return CaseBaseFileError.unstorable(path, "or number beyond what SQLite holds")
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_CONSTRAINT):
        return CaseBaseFileError.damaged(path, str(error))
    if code is None and "UTF-8" in str(error):
        return CaseBaseFileError.damaged(path, "a text in it is none")
    return CaseBaseFileError.failed(path, str(error))


def system_error(path: str, error: OSError) -> CaseBaseFileError:
    """The library's error for one of the system."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return CaseBaseFileError.full(path)
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return CaseBaseFileError.locked(path)
    return CaseBaseFileError.failed(path, error.strerror or str(error))
