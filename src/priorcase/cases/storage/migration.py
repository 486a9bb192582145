"""Files of earlier versions, brought to the version that is written now."""

from __future__ import annotations

import sqlite3

from priorcase.cases.errors import damaged_base
from priorcase.cases.storage.checksums import event_checksum
from priorcase.cases.storage.connection import check_tables, in_memory
from priorcase.cases.storage.creation import now
from priorcase.cases.storage.meta import Tally, read_counters, write_meta
from priorcase.cases.storage.schema import TABLES, VERSION, steps
from priorcase.cases.storage.verification import findings


def current(connection: sqlite3.Connection, path: str, *, readonly: bool) -> sqlite3.Connection:
    """A connection to the file in its newest version: itself, or where it may not be written a copy in memory."""
    connection.execute("BEGIN")
    try:
        version = check_tables(connection, path)
        if version == VERSION:
            return connection
        if problems := findings(connection, path, version):
            raise damaged_base(path, problems[0])
        if readonly:
            copy = in_memory()
            connection.backup(copy)
            migrate(copy, path, recorded=False)  # steps are numbered as in the file
            copy.execute("PRAGMA query_only = ON")
            return copy
    finally:
        connection.execute("ROLLBACK")
    migrate(connection, path)
    return connection


def migrate(connection: sqlite3.Connection, path: str, *, recorded: bool = True) -> None:
    """Bring a file to the newest version in one transaction, which its history records."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = check_tables(connection, path)  # another process may have been faster
        if version < VERSION:
            counters = read_counters(connection, path)
            for step in range(version + 1, VERSION + 1):
                for statement in steps(step):
                    connection.execute(statement)
            counters.tables.update({name: Tally() for name in TABLES[VERSION] if name not in counters.tables})
            if recorded:
                counters.sequence += 1
                event = (counters.sequence, now(), "migrated", None, None, f"from version {version} to {VERSION}")
                connection.execute("INSERT INTO history VALUES (?, ?, ?, ?, ?, ?, ?)", (*event, event_checksum(*event)))
                counters.tables["history"].add([event_checksum(*event)])
            write_meta(connection, "counters", counters.text())
            connection.execute(f"PRAGMA user_version = {VERSION:d}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
