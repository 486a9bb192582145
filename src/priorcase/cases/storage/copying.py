"""A copy of a case base, as the bytes of its file."""

from __future__ import annotations

import sqlite3

from priorcase.cases.storage.connection import in_memory
from priorcase.cases.storage.meta import read_counters, write_meta


def copy_of(connection: sqlite3.Connection, path: str) -> bytes:
    """The file as of now, without what lies in its unused room; the caller holds a transaction."""
    counters = read_counters(connection, path)  # takes the lock: the copy would wait for it without end
    copy = in_memory()
    try:
        connection.backup(copy)
        counters.wipe = 0
        write_meta(copy, "counters", counters.text())
        copy.execute("VACUUM")
        return copy.serialize()
    finally:
        copy.close()
