"""A new file that appears whole or not at all, and never in the place of another."""

from __future__ import annotations

import errno
import os
import secrets
from pathlib import Path

from priorcase.exceptions import CaseBaseFileError

_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK}
_NO_NAMELESS = {errno.EOPNOTSUPP, errno.ENOTSUP, errno.EISDIR, errno.EINVAL, errno.ENOENT}


def place(data: bytes, path: Path, *, mode: int = 0o666) -> bool:
    """Write a file under a name that is free; False where the name was taken, and nothing was done.

    ``mode`` is who may read and write it, less what the process's mask forbids.

    The bytes are on the disk before the name is. Where the system has files without a name, a crash leaves nothing
    behind; elsewhere it may leave a file of a random name that ends in ``.new``.
    """
    if not path.parent.is_dir():
        raise CaseBaseFileError(
            f"The case base {path!s} cannot be created: there is no folder {path.parent!s}. Create the folder "
            "first, or check the path."
        )
    if os.path.lexists(path):
        return False
    done = _place_nameless(data, path, mode)
    if done is None:
        done = _place_renamed(data, path, mode)
    if done:
        _sync_folder(path.parent)
    return done


def _place_nameless(data: bytes, path: Path, mode: int) -> bool | None:
    """Give a name to a file that was written without one; None where the system has no such files."""
    flag = getattr(os, "O_TMPFILE", None)
    if flag is None:
        return None
    try:
        handle = os.open(path.parent, flag | os.O_RDWR | os.O_CLOEXEC, mode)
    except OSError as error:
        if error.errno in _NO_NAMELESS:
            return None
        raise
    with os.fdopen(handle, "wb") as file:
        _write(file.fileno(), data)
        try:
            # With a folder handle, which an absolute path does not use, Python asks the system to follow the link.
            os.link(f"/proc/self/fd/{file.fileno()}", path, src_dir_fd=file.fileno(), follow_symlinks=True)
        except FileExistsError:
            return False
        except OSError:
            return None
    return True


def _place_renamed(data: bytes, path: Path, mode: int) -> bool:
    """Give its name to a file that was written under another one."""
    other = path.with_name(f".{path.name}.{secrets.token_hex(8)}.new")
    handle = os.open(other, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        try:
            _write(handle, data)
        finally:
            os.close(handle)
        try:
            os.link(other, path)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in _NO_LINKS or os.path.lexists(path):
                raise
            os.rename(other, path)
            return True
        return True
    finally:
        other.unlink(missing_ok=True)


def _write(handle: int, data: bytes) -> None:
    """Write all bytes, and wait until the disk has them."""
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]
    os.fsync(handle)


def _sync_folder(folder: Path) -> None:
    """Wait until the disk has a folder's names."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:  # systems whose folders cannot be opened keep names by themselves
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
