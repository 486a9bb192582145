"""The tables of a case base, version by version."""

from __future__ import annotations

import sqlite3
from functools import cache

APPLICATION = 0x70634362
"""The application id in the header of every case base: the letters pcCb."""

VERSION = 2
"""The version that is written."""

PAGE = 4096
"""Bytes of a page."""

_STEPS: dict[int, tuple[str, ...]] = {
    1: (
        "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL, sum INTEGER NOT NULL) WITHOUT ROWID",
        "CREATE TABLE cases (id INTEGER PRIMARY KEY, added INTEGER NOT NULL, revised INTEGER, data TEXT NOT NULL, "
        "solution TEXT, outcome TEXT, key TEXT, sum INTEGER NOT NULL)",
        "CREATE UNIQUE INDEX cases_by_key ON cases (key) WHERE key IS NOT NULL",
        "CREATE TABLE history (sequence INTEGER PRIMARY KEY, at TEXT NOT NULL, action TEXT NOT NULL, id INTEGER, "
        "by TEXT, why TEXT, sum INTEGER NOT NULL)",
        "CREATE INDEX history_by_case ON history (id) WHERE id IS NOT NULL",
        "CREATE TABLE notes (sequence INTEGER PRIMARY KEY, id INTEGER NOT NULL, text TEXT NOT NULL, "
        "sum INTEGER NOT NULL)",
        "CREATE INDEX notes_by_case ON notes (id)",
    ),
    2: (
        "CREATE TABLE retirements (id INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, sum INTEGER NOT NULL)",
        "CREATE TABLE uses (sequence INTEGER PRIMARY KEY, id INTEGER NOT NULL, helped INTEGER, detail TEXT, "
        "sum INTEGER NOT NULL)",
        "CREATE INDEX uses_by_case ON uses (id)",
        "CREATE TABLE learners (name TEXT PRIMARY KEY, sequence INTEGER NOT NULL, recipe TEXT NOT NULL, state BLOB, "
        "fitted_on TEXT, sum INTEGER NOT NULL) WITHOUT ROWID",
    ),
}

TABLES: dict[int, tuple[str, ...]] = {
    1: ("cases", "history", "notes"),
    2: ("cases", "history", "notes", "retirements", "uses", "learners"),
}
"""The tables whose rows are counted, for each version."""


def steps(version: int) -> tuple[str, ...]:
    """The statements that lead from the version before to this one."""
    return _STEPS[version]


def build(connection: sqlite3.Connection) -> None:
    """Make the tables of the newest version in an empty file."""
    for version in range(1, VERSION + 1):
        for statement in _STEPS[version]:
            connection.execute(statement)


@cache
def expected(version: int) -> tuple[tuple[str, str, str, str | None], ...]:
    """What sqlite_master says of a file of this version."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        for step in range(1, version + 1):
            for statement in _STEPS[step]:
                connection.execute(statement)
        return found(connection)
    finally:
        connection.close()


def found(connection: sqlite3.Connection) -> tuple[tuple[str, str, str, str | None], ...]:
    """What sqlite_master says of this file."""
    return tuple(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name"))
