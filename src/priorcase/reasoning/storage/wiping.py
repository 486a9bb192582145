"""Bytes of forgotten cases, gone for good.

SQLite's secure_delete overwrites a row where it stands, but moving rows between pages leaves copies of them in the
unused room of pages, and those it does not find again. So the file is written anew after each forgetting; a mark that
is set together with the forgetting itself makes sure that this happens, whatever comes between.
"""

from __future__ import annotations

import sqlite3

from priorcase.reasoning.storage.meta import read_counters, write_meta


def wipe(connection: sqlite3.Connection, path: str) -> None:
    """Write the file anew from the rows that it has, and take the mark away."""
    mark = read_counters(connection, path).wipe
    connection.execute("VACUUM")
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
