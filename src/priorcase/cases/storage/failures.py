"""What SQLite and the system say went wrong, in the words of the library."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from priorcase.cases.errors import damaged_base
from priorcase.exceptions import CaseBaseBusyError, CaseBaseError, CaseBaseFileError

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
        raise damaged_base(path, "a text in it is none") from error
    except UnicodeEncodeError as error:
        raise CaseBaseFileError(
            f"A text with half a character (a lone surrogate) cannot be stored in {path}; nothing was changed. Shorten "
            "it, or replace what is no character."
        ) from error
    except OverflowError as error:
        raise CaseBaseFileError(
            f"A text or number beyond what SQLite holds cannot be stored in {path}; nothing was changed. Shorten it, "
            "or replace what is no character."
        ) from error


def named_error(path: str, timeout: float, error: sqlite3.Error) -> CaseBaseError:
    """The library's error for one of SQLite."""
    whole: int | None = getattr(error, "sqlite_errorcode", None)
    code = None if whole is None else whole & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return CaseBaseBusyError(
            f"The case base {path} was in use by others for more than {timeout:g} seconds; nothing was changed. Try "
            "again, or open it with a longer timeout."
        )
    if whole == sqlite3.SQLITE_READONLY_DBMOVED:
        return CaseBaseFileError(
            f"The file {path} was moved, removed or replaced while it was open; nothing was changed. Open it again "
            "with CaseBase.open(path)."
        )
    if whole in _UNDO:
        return CaseBaseFileError(
            f"A change of {path} was interrupted, and undoing it needs write access to the file and its folder. Open "
            "it once where it may be written; that restores the last whole state."
        )
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
        return CaseBaseFileError(
            f"The case base {path} cannot be changed: the file or its folder is read-only. Nothing was changed. Change "
            "the permissions, or open it with readonly=True."
        )
    if code == sqlite3.SQLITE_FULL:
        return CaseBaseFileError(
            f"The disk is full: the change of {path} was not made, and what was there before is whole. Make room, then "
            "repeat the change."
        )
    if code == sqlite3.SQLITE_CANTOPEN:
        return CaseBaseFileError(
            f"The case base {path} could not be opened: the system did not open it or the journal beside it. Check the "
            "path and its permissions."
        )
    if code == sqlite3.SQLITE_TOOBIG or isinstance(error, sqlite3.DataError):
        return CaseBaseFileError(
            f"A text or number beyond what SQLite holds cannot be stored in {path}; nothing was changed. Shorten it, "
            "or replace what is no character."
        )
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_CONSTRAINT):
        return damaged_base(path, str(error))
    if code is None and "UTF-8" in str(error):
        return damaged_base(path, "a text in it is none")
    return CaseBaseFileError(
        f"Reading or writing {path} failed ({error!s}); no change was made, and what was there before is whole. "
        "Check the disk, then try again."
    )


def system_error(path: str, error: OSError) -> CaseBaseFileError:
    """The library's error for one of the system."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return CaseBaseFileError(
            f"The disk is full: the change of {path} was not made, and what was there before is whole. Make room, then "
            "repeat the change."
        )
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return CaseBaseFileError(
            f"The case base {path} cannot be changed: the file or its folder is read-only. Nothing was changed. Change "
            "the permissions, or open it with readonly=True."
        )
    return CaseBaseFileError(
        f"Reading or writing {path} failed ({error.strerror or str(error)}); no change was made, and what was there "
        "before is whole. Check the disk, then try again."
    )
