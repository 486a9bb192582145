"""Errors of case files: what SQLite and the system say, in the words of the library."""

import errno
import sqlite3

import pytest

from priorcase.cases.storage.sqlite import sqlite_error, system_error
from priorcase.exceptions import CaseBaseBusyError, CaseBaseFileError

BASE = "desk.priorcase"


@pytest.mark.parametrize(
    ("code", "kind", "words"),
    [
        ("BUSY", CaseBaseBusyError, "in use by other threads or processes"),
        ("LOCKED", CaseBaseBusyError, "in use by other threads or processes"),
        ("READONLY_ROLLBACK", CaseBaseFileError, "was interrupted"),
        ("READONLY", CaseBaseFileError, "read-only"),
        ("READONLY_DIRECTORY", CaseBaseFileError, "read-only"),
        ("READONLY_DBMOVED", CaseBaseFileError, "moved, removed or replaced"),
        ("FULL", CaseBaseFileError, "disk is full"),
        ("CANTOPEN", CaseBaseFileError, "could not be opened"),
        ("TOOBIG", CaseBaseFileError, "too long to be stored"),
        ("CORRUPT", CaseBaseFileError, "is damaged"),
        ("NOTADB", CaseBaseFileError, "is damaged"),
        ("IOERR_WRITE", CaseBaseFileError, "failed (text)"),
    ],
)
def test_what_sqlite_says_in_our_words(code, kind, words):
    error = sqlite3.OperationalError("text")
    error.sqlite_errorcode = getattr(sqlite3, f"SQLITE_{code}")
    named = sqlite_error(BASE, 1.0, error)
    assert type(named) is kind
    assert words in str(named)


def test_what_the_system_says_in_our_words():
    assert "disk is full" in str(system_error(BASE, OSError(errno.ENOSPC, "No space left on device")))
    assert "read-only" in str(system_error(BASE, OSError(errno.EROFS, "Read-only file system")))
    assert "failed (Input/output error)" in str(system_error(BASE, OSError(errno.EIO, "Input/output error")))
