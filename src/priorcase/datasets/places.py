"""Where data sets lie: the user's folder, and the cache of those that were downloaded."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TypeAlias

from priorcase.datasets.manifest import MANIFEST
from priorcase.exceptions import ReadingError

__all__ = ["CACHE", "DATA", "Folder", "cache_folder", "data_folder"]

Folder: TypeAlias = str | os.PathLike[str]

DATA = "PRIORCASE_DATA"
"""Environment variable that names a folder of CSV files with a manifest.json."""
CACHE = "PRIORCASE_CACHE"
"""Environment variable that names the folder where downloaded data sets are kept."""


def data_folder(folder: Folder | None = None) -> Path | None:
    """The folder given, else that of the environment; None where there is neither."""
    said = "folder" if folder is not None else DATA
    folder = folder if folder is not None else os.environ.get(DATA) or None
    if folder is None:
        return None
    path = Path(folder)
    if not (path / MANIFEST).is_file():
        raise ReadingError(
            f"{said} names {os.fspath(folder)!r}, which is not a folder with a manifest.json. Name the folder that "
            "holds the CSV files and their manifest.json."
        )
    return path


def cache_folder() -> Path:
    """Where downloaded data sets are kept; it need not exist.

    ``PRIORCASE_CACHE``, else ``priorcase`` in the user's cache folder: ``XDG_CACHE_HOME`` or ``~/.cache``,
    ``~/Library/Caches`` on macOS, ``LOCALAPPDATA`` on Windows.
    """
    if told := os.environ.get(CACHE):
        return Path(told)
    if sys.platform == "win32":
        home = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        home = Path.home() / "Library" / "Caches"
    else:
        home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "priorcase"
