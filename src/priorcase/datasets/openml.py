"""Data sets from OpenML, through scikit-learn, kept as CSV with a manifest."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["KNOWN", "download_into", "is_name"]

KNOWN: dict[str, int] = {}

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._()-]*")


def is_name(name: object) -> bool:
    """Whether this can be the name of a data set, and of a folder."""
    return isinstance(name, str) and _NAME.fullmatch(name) is not None


def download_into(folder: Path, name: str) -> str:
    """Fetch a data set into a folder; what went wrong, in words, if it did not work."""
    return "OpenML was not asked"
