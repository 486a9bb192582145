"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

__all__ = ["whole_file"]


@contextmanager
def whole_file(path: Path, *, overwrite: bool) -> Iterator[BinaryIO]:
    """A binary file to write to that takes its place at ``path`` when all is written and on the disk.

    Where anything goes wrong, what was at ``path`` before stays as it was. Without ``overwrite`` a file that is there,
    even one that came up meanwhile, is a ``FileExistsError``.
    """
    if not overwrite and path.exists():
        raise FileExistsError(path)
    beside = path.with_name(f".{path.name}.{token_hex(8)}.part")
    try:
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    except OSError as error:  # people know the file by the name they gave
        raise type(error)(error.errno, error.strerror, str(path)) from None
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if overwrite:
            with suppress(FileNotFoundError):
                beside.chmod(path.stat().st_mode & 0o777)
            os.replace(beside, path)
        else:
            _place(beside, path)
        _settle(path.parent)
    except BaseException:  # whatever stops the writing, no half file stays
        beside.unlink(missing_ok=True)
        raise


def _place(beside: Path, path: Path) -> None:
    """Give a file its name, unless that is taken."""
    try:
        os.link(beside, path)  # unlike a rename, this fails where the name is taken
    except FileExistsError:
        raise
    except OSError:  # memory sticks and some shared folders have no second names for a file
        if path.exists():
            raise FileExistsError(path) from None
        os.replace(beside, path)
    else:
        beside.unlink()


def _settle(folder: Path) -> None:
    """Have the folder itself written to the disk, where the system lets folders be opened."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
