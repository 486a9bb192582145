"""The text of every error of case files: what was wrong, what was expected, what to do."""

import errno
import sqlite3

import pytest

from priorcase.exceptions import CaseBaseBusyError, CaseBaseError, CaseBaseFileError, CaseKeyError
from priorcase.reasoning.storage.failures import named_error, system_error

BASE = "desk.priorcase"
WORDS = {
    CaseBaseFileError.absent(BASE): (
        "There is no case base at desk.priorcase.",
        "check the path, or open it without readonly=True to create one.",
    ),
    CaseBaseFileError.directory("desk"): (
        "desk is a directory; a case base is one file.",
        "name a file in it, for example cases.priorcase.",
    ),
    CaseBaseFileError.no_folder("a/b.priorcase", "a"): (
        "The case base a/b.priorcase cannot be created: there is no folder a.",
        "create the folder first, or check the path.",
    ),
    CaseBaseFileError.exists(BASE): (
        "desk.priorcase exists already. The file was not changed.",
        "name a new file, or move that one away first.",
    ),
    CaseBaseFileError.foreign(BASE, "empty"): (
        "desk.priorcase is no case base: it is empty. The file was not changed.",
        "check the path; rows of other files come in with import_.",
    ),
    CaseBaseFileError.damaged(BASE, "case 3 does not fit its checksum"): (
        "The case base desk.priorcase is damaged: case 3 does not fit its checksum. The file was not changed.",
        "restore it from a backup; keep the damaged file until that is done.",
    ),
    CaseBaseFileError.newer(BASE, 9, 2): (
        "The case base desk.priorcase was written by a newer priorcase: its format is version 9, and this one knows "
        "versions up to 2. The file was not changed.",
        "upgrade priorcase to open it.",
    ),
    CaseBaseFileError.other_journal(BASE): (
        "The journal desk.priorcase-journal belongs to another file than desk.priorcase. The file was not changed.",
        "move a case base together with its journal; where the base was restored from a backup, remove the journal.",
    ),
    CaseBaseFileError.unfinished(BASE): (
        "A change of desk.priorcase was interrupted, and undoing it needs write access to the file and its folder.",
        "open it once where it may be written; that restores the last whole state.",
    ),
    CaseBaseFileError.moved(BASE): (
        "The file desk.priorcase was moved, removed or replaced while it was open; nothing was changed.",
        "open it again with CaseBase.open(path).",
    ),
    CaseBaseFileError.locked(BASE): (
        "The case base desk.priorcase cannot be changed: the file or its folder is read-only. Nothing was changed.",
        "change the permissions, or open it with readonly=True.",
    ),
    CaseBaseFileError.no_access(BASE, "Permission denied"): (
        "The case base desk.priorcase could not be opened: Permission denied.",
        "check the path and its permissions.",
    ),
    CaseBaseFileError.full(BASE): (
        "The disk is full: the change of desk.priorcase was not made, and what was there before is whole.",
        "make room, then repeat the change.",
    ),
    CaseBaseFileError.failed(BASE, "disk I/O error"): (
        "Reading or writing desk.priorcase failed (disk I/O error); no change was made, and what was there before "
        "is whole.",
        "check the disk, then try again.",
    ),
    CaseBaseFileError.unconfirmed(BASE, "disk I/O error", there=True): (
        "The system did not confirm the change of desk.priorcase (disk I/O error): it is in the file, but may not "
        "outlive a power failure.",
        "check the disk, then look whether the change is there before repeating it.",
    ),
    CaseBaseFileError.unconfirmed(BASE, "disk I/O error", there=None): (
        "The system did not confirm the change of desk.priorcase (disk I/O error): it cannot be seen now whether it "
        "was made, wholly or not at all.",
        "check the disk, then look whether the change is there before repeating it.",
    ),
    CaseBaseFileError.unwiped(BASE, "the disk is full"): (
        "The cases are forgotten, but their bytes could not be wiped from desk.priorcase yet: the disk is full.",
        "the next change or opening wipes them; compact() does it at once.",
    ),
    CaseBaseFileError.unstorable(BASE, "beyond what SQLite holds"): (
        "A text beyond what SQLite holds cannot be stored in desk.priorcase; nothing was changed.",
        "shorten it, or replace what is no character.",
    ),
    CaseBaseFileError.changed_meanwhile(BASE, [3, 4]): (
        "desk.priorcase no longer has the cases 3, 4 that this learner was fitted on; nothing was changed.",
        "fit it again on the cases that are there.",
    ),
    CaseBaseBusyError.waited(BASE, 5.0): (
        "The case base desk.priorcase was in use by others for more than 5 seconds; nothing was changed.",
        "try again, or open it with a longer timeout.",
    ),
    CaseBaseBusyError.nested(BASE): (
        "A change of desk.priorcase was begun within another one; nothing of the inner one was done.",
        "finish the first change before the next one begins.",
    ),
    CaseBaseBusyError.forked(BASE): (
        "This process was forked while desk.priorcase was being changed, and cannot use that file.",
        "fork before a change begins or after it has ended.",
    ),
    CaseKeyError.taken("T-1", 7): (
        "The key 'T-1' belongs to case 7; nothing was changed.",
        "a key names one case: choose another one, or revise that case.",
    ),
}


@pytest.mark.parametrize("error", WORDS, ids=lambda error: str(error).split("\n")[0][:40])
def test_words(error):
    problem, hint = WORDS[error]
    assert str(error) == f"{problem}\nHint: {hint}"
    assert isinstance(error, CaseBaseError)


def test_every_error_has_its_words_tested():
    made = {
        f"{kind.__name__}.{name}"
        for kind in (CaseBaseFileError, CaseBaseBusyError, CaseKeyError)
        for name, member in vars(kind).items()
        if isinstance(member, classmethod)
    }
    assert len(made) == len(WORDS) - 1  # unconfirmed has two texts


@pytest.mark.parametrize(
    ("code", "kind", "words"),
    [
        ("BUSY", CaseBaseBusyError, "in use by others"),
        ("LOCKED", CaseBaseBusyError, "in use by others"),
        ("READONLY_ROLLBACK", CaseBaseFileError, "was interrupted"),
        ("READONLY", CaseBaseFileError, "read-only"),
        ("READONLY_DIRECTORY", CaseBaseFileError, "read-only"),
        ("READONLY_DBMOVED", CaseBaseFileError, "moved, removed or replaced"),
        ("FULL", CaseBaseFileError, "disk is full"),
        ("CANTOPEN", CaseBaseFileError, "could not be opened"),
        ("TOOBIG", CaseBaseFileError, "cannot be stored"),
        ("CORRUPT", CaseBaseFileError, "is damaged"),
        ("NOTADB", CaseBaseFileError, "is damaged"),
        ("IOERR_WRITE", CaseBaseFileError, "failed (text)"),
    ],
)
def test_what_sqlite_says_in_our_words(code, kind, words):
    error = sqlite3.OperationalError("text")
    error.sqlite_errorcode = getattr(sqlite3, f"SQLITE_{code}")
    named = named_error(BASE, 1.0, error)
    assert type(named) is kind
    assert words in str(named)


def test_what_the_system_says_in_our_words():
    assert "disk is full" in str(system_error(BASE, OSError(errno.ENOSPC, "No space left on device")))
    assert "read-only" in str(system_error(BASE, OSError(errno.EROFS, "Read-only file system")))
    assert "failed (Input/output error)" in str(system_error(BASE, OSError(errno.EIO, "Input/output error")))
