"""A connection to the file of a case base, set up to lose nothing and to run nothing that the file brings along."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from priorcase.cases.errors import damaged_base
from priorcase.cases.storage.schema import VERSION, expected, found
from priorcase.exceptions import CaseBaseFileError

_SETTINGS = (
    "PRAGMA trusted_schema = OFF",
    "PRAGMA cell_size_check = ON",
    "PRAGMA mmap_size = 0",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA synchronous = FULL",
    "PRAGMA secure_delete = ON",
    "PRAGMA journal_mode = TRUNCATE",
)
_LONGEST = 2_000_000.0  # seconds; SQLite counts milliseconds in 32 bits, and would not wait at all for longer


def connect(path: Path, *, readonly: bool, timeout: float) -> sqlite3.Connection:
    """A connection to a file that exists; no statement begins a transaction by itself."""
    timeout = min(timeout, _LONGEST)
    address = f"{path.absolute().as_uri()}?mode={'ro' if readonly else 'rw'}"
    connection = sqlite3.connect(address, uri=True, timeout=timeout, isolation_level=None, check_same_thread=False)
    try:
        for setting in _SETTINGS[:-1]:
            connection.execute(setting)
        if readonly:
            connection.execute("PRAGMA query_only = ON")
        else:
            connection.execute(_SETTINGS[-1])
        return connection
    except BaseException:
        connection.close()
        raise


def in_memory() -> sqlite3.Connection:
    """A connection to nothing yet, in memory."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    for setting in _SETTINGS[:-1]:
        connection.execute(setting)
    return connection


def check_tables(connection: sqlite3.Connection, path: str) -> int:
    """The version of the file, once its tables are just those of that version."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > VERSION:
        raise CaseBaseFileError(
            f"The case base {path} was written by a newer priorcase: its format is version {version}, and this one "
            f"knows versions up to {VERSION}. The file was not changed. Upgrade priorcase to open it."
        )
    if version < 1 or found(connection) != expected(version):
        raise damaged_base(path, "its tables are not those of a case base")
    return int(version)
