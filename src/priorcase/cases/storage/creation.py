"""A new case base, as the bytes of its file."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime

from priorcase.cases.storage.checksums import event_checksum
from priorcase.cases.storage.connection import in_memory
from priorcase.cases.storage.meta import Counters, Tally, write_declaration, write_meta
from priorcase.cases.storage.records import Declaration
from priorcase.cases.storage.schema import APPLICATION, PAGE, TABLES, VERSION, build


def now() -> str:
    """The time in UTC, as ISO text."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def set_up(connection: sqlite3.Connection) -> None:
    """Fix what the header of a file says, before anything is written."""
    connection.execute(f"PRAGMA page_size = {PAGE:d}")
    connection.execute("PRAGMA auto_vacuum = NONE")
    connection.execute("PRAGMA encoding = 'UTF-8'")


def new_file(declaration: Declaration) -> bytes:
    """The file of a case base without cases."""
    connection = in_memory()
    try:
        set_up(connection)
        connection.execute(f"PRAGMA application_id = {APPLICATION:d}")
        connection.execute(f"PRAGMA user_version = {VERSION:d}")
        connection.execute("BEGIN")
        build(connection)
        write_declaration(connection, declaration)
        event = (1, now(), "created", None, None, None)
        connection.execute("INSERT INTO history VALUES (?, ?, ?, ?, ?, ?, ?)", (*event, event_checksum(*event)))
        counters = Counters(sequence=1, tables={name: Tally() for name in TABLES[VERSION]})
        counters.tables["history"].add([event_checksum(*event)])
        write_meta(connection, "counters", counters.text())
        connection.execute("COMMIT")
        return connection.serialize()
    finally:
        connection.close()
