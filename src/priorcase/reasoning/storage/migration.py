"""Files of earlier versions, brought to the version that is written now."""

from __future__ import annotations

import sqlite3

from priorcase.reasoning.storage.connection import check_tables


def current(connection: sqlite3.Connection, path: str, *, readonly: bool) -> sqlite3.Connection:
    """A connection to the file in its newest version."""
    check_tables(connection, path)
    return connection
