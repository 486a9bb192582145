"""One transaction: the steps that it makes in the history, and the counts that it leaves."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence

from priorcase.cases.storage.checksums import event_checksum
from priorcase.cases.storage.creation import now
from priorcase.cases.storage.meta import Counters, read_counters, write_meta
from priorcase.cases.storage.records import Change

AMONG = "IN (SELECT value FROM json_each(?))"
"""Whether a field is among those of a JSON list, so that no value ever becomes part of a statement's text."""

_INSERT_EVENT = "INSERT INTO history VALUES (?, ?, ?, ?, ?, ?, ?)"


class Transaction:
    """What all changes have in common.

    ``changes`` lists the steps that were made so far, and ``forgot`` says whether a case was forgotten.
    """

    def __init__(self, connection: sqlite3.Connection, path: str) -> None:
        self._connection = connection
        self._path = path
        self._counters: Counters = read_counters(connection, path)
        self._at = now()
        self.changes: list[Change] = []
        self.forgot = False

    def _record(self, action: str, ids: Sequence[int | None], by: str | None, why: str | None) -> int:
        """Write one step for each id, and return the first one's number."""
        first = self._counters.sequence + 1
        rows = []
        for sequence, id in enumerate(ids, first):
            event = (sequence, self._at, action, id, by, why)
            rows.append((*event, event_checksum(*event)))
            self.changes.append(Change(sequence, self._at, action, id))
        self._connection.executemany(_INSERT_EVENT, rows)
        self._counters.sequence += len(rows)
        self._counters.tables["history"].add(row[6] for row in rows)
        return first

    def finish(self) -> bool:
        """Write the counters; False where nothing was changed."""
        if self.changes:
            if self.forgot:
                self._counters.wipe = self._counters.sequence
            write_meta(self._connection, "counters", self._counters.text())
        return bool(self.changes)

    @property
    def sequence(self) -> int:
        """The number of the last step."""
        return self._counters.sequence

    @property
    def wipe_pending(self) -> bool:
        """Whether bytes of forgotten cases may still be in the file."""
        return self._counters.wipe > 0

    def _ids(self, table: str, ids: Iterable[int]) -> set[int]:
        """Those of some ids that a table has; its name is one of ours, never a user's."""
        asked = json.dumps(list(ids))
        return {id for (id,) in self._connection.execute(f"SELECT id FROM {table} WHERE id {AMONG}", (asked,))}

    def _drop(self, table: str, asked: str) -> None:
        """Delete all rows of some cases from a table; its name is one of ours, never a user's."""
        sums = self._connection.execute(f"SELECT sum FROM {table} WHERE id {AMONG}", (asked,)).fetchall()
        self._connection.execute(f"DELETE FROM {table} WHERE id {AMONG}", (asked,))
        self._counters.tables[table].remove(sum for (sum,) in sums)
