"""Changes of a case base within one transaction."""

from __future__ import annotations

import json
from collections.abc import Iterable

from priorcase.cases.errors import unknown_ids
from priorcase.cases.storage.checksums import case_checksum, checksum, event_checksum
from priorcase.cases.storage.collector import collector_paused
from priorcase.cases.storage.keeping import LearnerWriter
from priorcase.cases.storage.meta import canonical, read_declaration, write_declaration
from priorcase.cases.storage.reading import CaseRow, check_cases
from priorcase.cases.storage.records import Declaration, NewCase
from priorcase.cases.storage.transaction import AMONG
from priorcase.cases.storage.uses import UseWriter
from priorcase.exceptions import CaseBaseError, quoted

_INSERT_CASE = "INSERT INTO cases VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_UPDATE_CASE = """
    UPDATE cases SET added = ?2, revised = ?3, data = ?4, solution = ?5, outcome = ?6, key = ?7, sum = ?8
    WHERE id = ?1"""
_OF_CASE = ("cases", "notes", "retirements", "uses")


class Writer(UseWriter, LearnerWriter):
    """What may be changed within ``with store.writing() as writer``; all of it is done at the end, or nothing."""

    # Cases ---------------------------------------------------------------------------------------------------------

    def find_keys(self, keys: Iterable[str]) -> dict[str, int]:
        """The ids of the cases that have these keys, for those keys that some case has."""
        asked = json.dumps(list(keys))
        found = self._connection.execute(f"SELECT key, id FROM cases WHERE key {AMONG}", (asked,))
        return dict(found.fetchall())

    def insert(self, cases: Iterable[NewCase], *, by: str | None = None, why: str | None = None) -> list[int]:
        """Store cases and return their ids; of a case whose key is taken, the id that has it, and nothing is stored."""
        cases = list(cases)
        with collector_paused():
            return self._insert(cases, by, why)

    def _insert(self, cases: list[NewCase], by: str | None, why: str | None) -> list[int]:
        taken = self.find_keys(case.key for case in cases if case.key is not None)
        ids, rows, notes, new = [], [], [], []
        id, added = self._counters.last_id, self._counters.sequence
        for case in cases:
            key = case.key
            if key is not None and key in taken:
                ids.append(taken[key])
                continue
            id, added = id + 1, added + 1
            if key is not None:
                taken[key] = id
            fields = (id, added, None, canonical(case.values), case.solution, case.outcome, key)
            rows.append((*fields, case_checksum(*fields)))
            if case.note is not None:
                notes.append((added, id, case.note))
            new.append(id)
            ids.append(id)
        self._connection.executemany(_INSERT_CASE, rows)
        self._counters.last_id = id
        self._counters.tables["cases"].add(row[7] for row in rows)
        self._record("added", new, by, why)
        self._note(notes)
        return ids

    def replace(self, id: int, case: NewCase, *, by: str | None = None, why: str | None = None) -> None:
        """Give a case new values, solution, outcome and key; a note comes to those it has."""
        old = self._rows([id])
        if not old:
            raise unknown_ids([id])
        if case.key is not None and (holder := self.find_keys([case.key]).get(case.key, id)) != id:
            raise CaseBaseError(
                f"The key {quoted(case.key)} belongs to case {holder}; nothing was changed. A key names one case: "
                "choose another one, or revise that case."
            )
        revised = self._record("revised", [id], by, why)
        fields = (id, old[0][1], revised, canonical(case.values), case.solution, case.outcome, case.key)
        self._rewrite(old, [(*fields, case_checksum(*fields))])
        if case.note is not None:
            self._note([(revised, id, case.note)])

    def delete(self, ids: Iterable[int], *, by: str | None = None, why: str | None = None) -> list[int]:
        """Forget cases and all that was written about them, and return the ids of those that were there.

        What stays is that cases of these ids were added, revised and forgotten, and when; by whom and why only of the
        forgetting.
        """
        found = self._rows(ids)
        gone = [row[0] for row in found]
        if not gone:
            return []
        asked = json.dumps(gone)
        for table in _OF_CASE:
            self._drop(table, asked)
        self._blank_history(asked)
        self._blank_learners(gone)
        self._record("forgotten", gone, by, why)
        self.forgot = True
        return gone

    def declare(self, declaration: Declaration, *, by: str | None = None, why: str | None = None) -> None:
        """Set attributes and settings; cases keep the values of attributes that stay, whatever their new order."""
        before = read_declaration(self._connection, self._path).names
        names = declaration.names
        if names[: len(before)] != before:
            self._rearrange([before.index(name) if name in before else None for name in names])
        write_declaration(self._connection, declaration)
        self._record("declared", [None], by, why)

    # Rows ----------------------------------------------------------------------------------------------------------

    def _rows(self, ids: Iterable[int]) -> list[CaseRow]:
        """The rows of some cases, checked."""
        sql = f"SELECT id, added, revised, data, solution, outcome, key, sum FROM cases WHERE id {AMONG} ORDER BY id"
        rows = self._connection.execute(sql, (json.dumps(list(ids)),)).fetchall()
        check_cases(rows, self._path)
        return rows

    def _rewrite(self, old: list[CaseRow], new: list[CaseRow]) -> None:
        """Put rows in the place of those of the same ids."""
        self._connection.executemany(_UPDATE_CASE, new)
        self._counters.tables["cases"].remove(row[7] for row in old)
        self._counters.tables["cases"].add(row[7] for row in new)

    def _rearrange(self, places: list[int | None]) -> None:
        """Write all values anew, each from its former place."""
        sql = "SELECT id, added, revised, data, solution, outcome, key, sum FROM cases ORDER BY id"
        old = self._connection.execute(sql).fetchall()
        check_cases(old, self._path)
        new = []
        for id, added, revised, data, solution, outcome, key, _ in old:
            values = json.loads(data)
            moved = [values[place] if place is not None and place < len(values) else None for place in places]
            fields = (id, added, revised, canonical(moved), solution, outcome, key)
            new.append((*fields, case_checksum(*fields)))
        self._rewrite(old, new)

    def _note(self, notes: list[tuple[int, int, str]]) -> None:
        """Write notes, each with the step it came by and its case."""
        rows = [(*note, checksum(*note)) for note in notes]
        self._connection.executemany("INSERT INTO notes VALUES (?, ?, ?, ?)", rows)
        self._counters.tables["notes"].add(row[3] for row in rows)

    def _blank_history(self, asked: str) -> None:
        """Erase by whom and why from all steps of some cases."""
        sql = f"SELECT sequence, at, action, id, sum FROM history WHERE id {AMONG}"
        old = self._connection.execute(sql, (asked,)).fetchall()
        new = [(step, event_checksum(step, at, action, id, None, None)) for step, at, action, id, _ in old]
        self._connection.executemany("UPDATE history SET by = NULL, why = NULL, sum = ?2 WHERE sequence = ?1", new)
        self._counters.tables["history"].remove(row[4] for row in old)
        self._counters.tables["history"].add(row[1] for row in new)
