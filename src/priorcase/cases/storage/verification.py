"""Whether a file is what was written: pages, rows, counts, and what rows say of each other."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator

from priorcase.cases.storage.checksums import case_checksum, checksum, event_checksum
from priorcase.cases.storage.learners import ids_of
from priorcase.cases.storage.meta import Counters, Tally, read_counters, read_declaration
from priorcase.cases.storage.schema import TABLES, VERSION, expected
from priorcase.cases.storage.schema import found as tables_of

_SHOWN = 20
_ROWS = {
    "cases": "SELECT id, added, revised, data, solution, outcome, key, sum FROM cases",
    "history": "SELECT sequence, at, action, id, by, why, sum FROM history",
    "notes": "SELECT sequence, id, text, sum FROM notes",
    "retirements": "SELECT id, sequence, sum FROM retirements",
    "uses": "SELECT sequence, id, helped, detail, sum FROM uses",
    "learners": "SELECT name, sequence, recipe, state, fitted_on, sum FROM learners",
}
_SUMS: dict[str, Callable[..., int]] = {"cases": case_checksum, "history": event_checksum}
_STRAYS_SINCE_2 = {
    "retired cases that are not there": "SELECT count(*) FROM retirements WHERE id NOT IN (SELECT id FROM cases)",
    "uses of cases that are not there": "SELECT count(*) FROM uses WHERE id NOT IN (SELECT id FROM cases)",
    "uses without their step": "SELECT count(*) FROM uses WHERE sequence NOT IN (SELECT sequence FROM history)",
}
_STRAYS = {
    "notes on cases that are not there": "SELECT count(*) FROM notes WHERE id NOT IN (SELECT id FROM cases)",
    "notes without their step": "SELECT count(*) FROM notes WHERE sequence NOT IN (SELECT sequence FROM history)",
    "cases without their first step": """
        SELECT count(*) FROM cases AS c WHERE NOT EXISTS
        (SELECT 1 FROM history AS h WHERE h.sequence = c.added AND h.id = c.id AND h.action = 'added')""",
    "cases without their last revision": """
        SELECT count(*) FROM cases AS c WHERE c.revised IS NOT NULL AND NOT EXISTS
        (SELECT 1 FROM history AS h WHERE h.sequence = c.revised AND h.id = c.id AND h.action = 'revised')""",
    "forgotten cases that are there": """
        SELECT count(*) FROM cases WHERE id IN (SELECT id FROM history WHERE action = 'forgotten')""",
}


def findings(connection: sqlite3.Connection, path: str, version: int = VERSION) -> list[str]:
    """What is wrong with a file of a version, in words; the caller holds a transaction."""
    found = [f"SQLite: {text}" for (text,) in connection.execute("PRAGMA integrity_check") if text != "ok"]
    if tables_of(connection) != expected(version):
        found.append("its tables are not those of a case base")
    if connection.execute("PRAGMA journal_mode").fetchone() == ("wal",):
        found.append("another program has set it to write-ahead logging")
    counters = read_counters(connection, path)
    for table in TABLES[version]:
        found += _table(connection, table, counters.tables.get(table, Tally()))
    for what, sql in (_STRAYS | (_STRAYS_SINCE_2 if version >= 2 else {})).items():
        (number,) = connection.execute(sql).fetchone()
        if number:
            found.append(f"{number:,} {what}")
    found += _cases(connection, path, counters)
    if version >= 2:
        found += _learners(connection)
    return found[:_SHOWN]


def _table(connection: sqlite3.Connection, name: str, tally: Tally) -> Iterator[str]:
    """Rows that do not fit their checksums, and tables that do not fit their tally."""
    count = Tally()
    for *fields, sum in connection.execute(_ROWS[name]):
        try:
            right = _SUMS.get(name, checksum)(*fields) == sum
        except TypeError:
            right = False
        if not right:
            yield f"row {fields[0]} of {name} does not fit its checksum"
            continue
        count.add([sum])
    if count != tally:
        yield f"{name} has {count.rows:,} whole rows, and not the {tally.rows:,} that were counted"


def _cases(connection: sqlite3.Connection, path: str, counters: Counters) -> Iterator[str]:
    """Keys that two cases have, values beyond the attributes, and numbers that were never given out."""
    width = len(read_declaration(connection, path).attributes)
    keys: Counter[str] = Counter()
    for id, key, data in connection.execute("SELECT id, key, data FROM cases"):
        if key is not None:
            keys[key] += 1
        if id > counters.last_id or id < 1:
            yield f"case {id} has an id that was never given out"
        if len(json.loads(data)) > width:
            yield f"case {id} has more values than there are attributes"
    if twice := sum(number > 1 for number in keys.values()):
        yield f"{twice:,} keys name more than one case"
    last, rows = connection.execute("SELECT max(sequence), count(*) FROM history").fetchone()
    if not last == rows == counters.sequence:
        yield f"the history has {rows:,} steps, and not the {counters.sequence:,} that were counted"


def _learners(connection: sqlite3.Connection) -> Iterator[str]:
    """Learners that know cases which are not there."""
    there = {id for (id,) in connection.execute("SELECT id FROM cases")}
    for name, ranges in connection.execute("SELECT name, fitted_on FROM learners WHERE fitted_on IS NOT NULL"):
        if not there.issuperset(ids_of(ranges)):
            yield f"the learner {name!r} was fitted on cases that are not there"
