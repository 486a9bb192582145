"""Bytes of forgotten cases, gone for good.

SQLite's secure_delete overwrites a row where it stands, but moving rows between pages leaves copies of them in the
unused room of pages, and those it does not find again. So the file is written anew after each forgetting; a mark that
is set together with the forgetting itself makes sure that this happens, whatever comes between.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from priorcase.cases.storage.meta import read_counters, write_meta
from priorcase.cases.storage.schema import PAGE
from priorcase.exceptions import CaseBaseFileError


def wipe(connection: sqlite3.Connection, path: str, file: Path) -> None:
    """Write the file anew from the rows that it has, and take the mark away."""
    mark = read_counters(connection, path).wipe
    connection.execute("VACUUM")
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    if (size := file.stat().st_size) > pages * PAGE:
        raise CaseBaseFileError(
            f"Reading or writing {path} failed (it still has {size:,} bytes); no change was made, and what was there "
            "before is whole. Check the disk, then try again."
        )
    if not mark:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        counters = read_counters(connection, path)
        if counters.wipe == mark:  # otherwise another process has forgotten more since, and will wipe that
            counters.wipe = 0
            write_meta(connection, "counters", counters.text())
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
