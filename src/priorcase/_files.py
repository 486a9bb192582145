"""Functions that read files, and functions that write a file completely or not at all."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from mmap import ACCESS_READ, mmap
from pathlib import Path
from secrets import token_hex
from typing import Any, BinaryIO, Literal

from priorcase.exceptions import MissingFileError, ParameterError, WritingError, quoted

fcntl: Any = import_module("fcntl") if os.name == "posix" else None

APPLICATION = 0x70634362
"""The application id in the header of every case base: the letters pcCb."""

_SQLITE = b"SQLite format 3\0"
_MODEL = re.compile(rb"PK\x03\x04.{26}model\.json", re.DOTALL)  # the first entry of a saved model


def check_path(path: Any) -> Path:
    """Return ``path`` as a ``Path``, even if no such file exists; raise ``ParameterError`` if the path is not valid."""
    try:
        found = os.fspath(path)
        os.fsencode(found)
    except (TypeError, UnicodeEncodeError):
        found = None
    if not isinstance(found, str) or not found or "\0" in found:
        raise ParameterError(f"path must be the path of a file, as a string or pathlib.Path, got {quoted(path)}.")
    return Path(found)


def missing_file(path: Path) -> MissingFileError:
    """Return the error to raise if the file ``path`` does not exist."""
    found = MissingFileError(f"There is no file {str(path)!r}. Check the path.")
    found.errno, found.strerror, found.filename = errno.ENOENT, os.strerror(errno.ENOENT), str(path)
    return found


def file_kind(path: str | os.PathLike[str]) -> Literal["model", "cases"] | None:
    """Return "cases" for a case base, "model" for a saved model, and None for other files, such as tables.

    The content decides, and not the name: a spreadsheet is a ZIP archive like a saved model, and a database of tables
    is an SQLite file like a case base.
    """
    if not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        first = file.read(72)
    if first.startswith(_SQLITE) and first[68:] == APPLICATION.to_bytes(4, "big"):
        return "cases"
    return "model" if _MODEL.match(first) else None


def json_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON as a dictionary; as ``object_pairs_hook``, it refuses names that occur repeatedly."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {quoted(repeated)} occurs more than once in an object")
    return found


def read_file(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise missing_file(path) from error


def map_file(path: Path, least: int) -> bytes | mmap:
    """Return the content of a file as bytes, or as a memory map if the file has at least ``least`` bytes."""
    try:
        with path.open("rb") as file:
            if not path.is_file() or os.fstat(file.fileno()).st_size < max(least, 1):
                return file.read()
            return mmap(file.fileno(), 0, access=ACCESS_READ)  # valid even if another file replaces this one later
    except FileNotFoundError as error:
        raise missing_file(path) from error


def write_file(path: Path, content: bytes) -> None:
    """Write a file completely or not at all. Devices and pipes are written to directly."""
    if path.exists() and not path.is_file():
        try:
            path.write_bytes(content)
        except OSError as error:
            raise _not_written(path, error) from error
        return
    with whole_file(path.resolve(), overwrite=True) as file:
        file.write(content)


@contextmanager
def whole_file(path: Path, *, overwrite: bool, mode: int = 0o666) -> Iterator[BinaryIO]:
    """Open a temporary binary file for reading and writing; after the ``with`` block, the file is renamed to ``path``.

    If an error occurs, the previous file at ``path`` is unchanged. Without ``overwrite``, an existing file at ``path``
    raises ``FileExistsError``. Any other ``OSError`` is raised as ``WritingError``.
    """
    if not overwrite and os.path.lexists(path):
        raise FileExistsError(path)
    beside = lock = None
    try:
        if path.exists() and not path.is_file():  # a rename would remove it
            raise OSError(errno.EINVAL, "It is not a regular file")
        _remove_abandoned(path)
        beside, descriptor, lock = _create_beside(path, mode)
        with os.fdopen(descriptor, "w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if overwrite:
            with suppress(FileNotFoundError):
                beside.chmod(path.stat().st_mode & 0o777)
            os.replace(beside, path)
        else:
            _rename_new(beside, path)
        with suppress(OSError):  # some systems do not open folders
            folder = os.open(path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
    except BaseException as error:  # no partial file remains, even after an interrupt
        with suppress(OSError):
            if beside is not None:
                beside.unlink(missing_ok=True)
        if not isinstance(error, OSError) or isinstance(error, FileExistsError):
            raise
        raise _not_written(path, error) from error
    finally:
        if lock is not None:
            os.close(lock)


def _create_beside(path: Path, mode: int) -> tuple[Path, int, int | None]:
    """Create a temporary file; return its path, a descriptor, and another one that locks the file until it is closed.

    The lock tells other writers that the file is not abandoned. On systems without such locks, it is None.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    while True:
        beside = path.with_name(f".{path.name}.{token_hex(8)}.part")
        descriptor = os.open(beside, flags, mode)
        if fcntl is None:
            return beside, descriptor, None
        with suppress(OSError):  # some file systems have no locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        if beside.exists():
            return beside, descriptor, os.dup(descriptor)
        os.close(descriptor)  # another writer removed the file before it was locked


def _remove_abandoned(path: Path) -> None:
    """Remove temporary files of writers that were killed: they may contain rows that were forgotten later."""
    if fcntl is None:
        return
    name = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{16}}\.part")
    abandoned: list[str] = []
    with suppress(OSError), os.scandir(path.parent) as entries:
        abandoned = [one.path for one in entries if name.fullmatch(one.name) and one.is_file(follow_symlinks=False)]
    for beside in abandoned:
        with suppress(OSError):  # its writer holds the lock, or it is another user's file
            descriptor = os.open(beside, os.O_RDONLY | os.O_CLOEXEC)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(beside)
            finally:
                os.close(descriptor)


def _not_written(path: Path, error: OSError) -> WritingError:
    reason = error.strerror or str(error)
    found = WritingError(f"{path} could not be written: {reason}. No file was changed. Check the path and the disk.")
    found.errno, found.strerror, found.filename = error.errno, reason, str(path)
    return found


def _rename_new(beside: Path, path: Path) -> None:
    """Rename a file, or raise ``FileExistsError`` if a file with the new name exists."""
    try:
        os.link(beside, path)  # unlike a rename, this fails if the name is taken
    except FileExistsError:
        raise
    except OSError:  # file systems without hard links
        if os.path.lexists(path):
            raise FileExistsError(path) from None
        os.replace(beside, path)
    else:
        beside.unlink()
