"""What the first bytes of a file say, before SQLite is let near it.

SQLite may write to a file that it opens (undoing an interrupted change) and takes an empty file for a new one, so what
is no case base of a known version is turned away here, read-only.
"""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path

from priorcase.cases.errors import damaged_base
from priorcase.cases.storage.journal import Journal, read_journal
from priorcase.cases.storage.schema import APPLICATION, PAGE, VERSION
from priorcase.exceptions import CaseBaseFileError

_MAGIC = b"SQLite format 3\0"
_LENGTH = 100
_TRIES = 20
_PAUSE = 0.005


def check_file(path: Path) -> None:
    """Raise CaseBaseFileError for a file that is no whole case base of a known version; nothing is changed."""
    for attempt in range(_TRIES):
        header, size = _read(path)
        problem = _problem(path, header, size, read_journal(path))
        if problem is None:
            return
        if size >= _LENGTH and header.startswith(_MAGIC) and attempt + 1 < _TRIES and _being_written(path):
            time.sleep(_PAUSE)  # another process commits between our two looks; a stable file is judged at once
            continue
        raise problem


def _being_written(path: Path) -> bool:
    """Whether a journal is beside the file, or the file has changed in the last moment."""
    try:
        return Path(f"{path}-journal").exists() and time.time() - path.stat().st_mtime < 1.0
    except OSError:
        return False


def _read(path: Path) -> tuple[bytes, int]:
    """The first bytes of a file, and its size."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise CaseBaseFileError(
                f"{path!s} is a directory; a case base is one file. Name a file in it, for example cases.priorcase."
            )
        if not stat.S_ISREG(mode):
            raise CaseBaseFileError(
                f"{path!s} is no case base: it is no regular file. The file was not changed. Check the path; rows "
                "of other files come in with import_."
            )
        with path.open("rb") as file:
            return file.read(_LENGTH), os.fstat(file.fileno()).st_size
    except FileNotFoundError as error:
        raise CaseBaseFileError(
            f"There is no case base at {path!s}. Check the path, or open it without readonly=True to create one."
        ) from error
    except OSError as error:
        raise CaseBaseFileError(
            f"The case base {path!s} could not be opened: {error.strerror or str(error)}. Check the path and its "
            "permissions."
        ) from error


def number(header: bytes, place: int) -> int:
    """The four-byte number at a place of a header."""
    return int.from_bytes(header[place : place + 4], "big")


def _problem(path: Path, header: bytes, size: int, journal: Journal | None) -> CaseBaseFileError | None:
    """What is wrong with a file; None where nothing is."""
    name = str(path)
    if size == 0:
        return _foreign(name, "empty")
    if not header.startswith(_MAGIC[: min(len(header), len(_MAGIC))]):
        ours = len(header) == _LENGTH and number(header, 68) == APPLICATION
        return damaged_base(name, "its first bytes are wrong") if ours else _foreign(name, "a file of another kind")
    if len(header) < _LENGTH:
        return damaged_base(name, f"it was cut off after {size} bytes")
    if number(header, 68) != APPLICATION:
        return _foreign(name, "an SQLite file of another program")
    if (version := number(header, 60)) > VERSION:
        return CaseBaseFileError(
            f"The case base {name} was written by a newer priorcase: its format is version {version}, and this one "
            f"knows versions up to {VERSION}. The file was not changed. Upgrade priorcase to open it."
        )
    fixed = (int.from_bytes(header[16:18], "big"), *header[18:24], number(header, 52), number(header, 56))
    if fixed != (PAGE, 1, 1, 0, 64, 32, 32, 0, 1) or version < 1:
        return damaged_base(name, "its header is wrong")
    if journal is not None:  # a change is going on or was interrupted: SQLite knows which size is right
        if journal.fits(number(header, 24), number(header, 28)):
            return None
        return CaseBaseFileError(
            f"The journal {name}-journal belongs to another file than {name}. The file was not changed. Move a case "
            "base together with its journal; where the base was restored from a backup, remove the journal."
        )
    pages = number(header, 28)
    # SQLite cuts a file that has become shorter only after the change is made: a crash may leave pages behind its end.
    if size < pages * PAGE or size % PAGE:
        return damaged_base(name, f"it has {size:,} bytes and its header says {pages * PAGE:,}")
    if number(header, 24) != number(header, 92):
        return damaged_base(name, "its header is wrong")
    return None


def _foreign(name: str, found: str) -> CaseBaseFileError:
    return CaseBaseFileError(
        f"{name} is no case base: it is {found}. The file was not changed. Check the path; rows of other files come in "
        "with import_."
    )
