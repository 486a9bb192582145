"""Changes to a case base: new files, migration, changes within a transaction, and wiping of forgotten data."""

from __future__ import annotations

import gc
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from priorcase._files import APPLICATION
from priorcase.cases.storage import integrity
from priorcase.cases.storage.integrity import AMONG, Counters, canonical, read_counters, read_rows
from priorcase.cases.storage.records import Declaration, Event, NewCase
from priorcase.cases.storage.sqlite import COLUMNS, PAGE, VERSION, create_tables, in_memory
from priorcase.exceptions import CaseBaseError, CaseBaseFileError, UnknownIdError, listed, quoted


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the garbage collector while many rows of plain values, which have no cycles, are created."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class Writer:
    """Changes to a case base within ``with store.writing() as writer``, which are committed together at the end."""

    def __init__(self, connection: sqlite3.Connection, counters: Counters | None = None) -> None:
        self._connection = connection
        self._counters = read_counters(connection) if counters is None else counters
        self._at = datetime.now(UTC).isoformat(timespec="milliseconds")
        self.changes: list[Event] = []
        self.forgot = False  # whether a case was forgotten

    @property
    def sequence(self) -> int:
        return self._counters.sequence

    @property
    def wipe_pending(self) -> bool:
        """Whether the file may still contain bytes of forgotten cases."""
        return self._counters.wipe > 0

    def finish(self) -> bool:
        """Write the counters; return False if nothing was changed."""
        if self.changes:
            if self.forgot:
                self._counters.wipe = self._counters.sequence
            integrity.write_counters(self._connection, self._counters)
        return bool(self.changes)

    # -- cases

    def find_keys(self, keys: Iterable[str]) -> dict[str, int]:
        """Return a mapping from keys to case ids; keys without a case are omitted."""
        asked = json.dumps(list(keys))
        return {row[6]: row[0] for row in read_rows(self._connection, "cases", f"WHERE key {AMONG}", asked)}

    def insert(self, cases: Iterable[NewCase], *, by: str | None = None, why: str | None = None) -> list[int]:
        """Store cases and return their ids; for a key that is stored already, return the id of the stored case."""
        with collector_paused():
            cases = list(cases)
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
                rows.append((id, added, None, canonical(case.values), case.solution, case.outcome, key))
                if case.note is not None:
                    notes.append((added, id, case.note))
                new.append(id)
                ids.append(id)
            self._insert("cases", rows)
            self._counters.last_id = id
            self.record("added", new, by, why)
            self._insert("notes", notes)
            return ids

    def replace(self, id: int, case: NewCase, *, by: str | None = None, why: str | None = None) -> None:
        """Replace the values, solution, outcome and key of a case; append the note of the new case, if any."""
        old = self._rows("cases", [id])
        if not old:
            raise UnknownIdError(
                f"got id {id}, but no case has this id. Ids are returned by add; list all cases to see them."
            )
        if case.key is not None and (holder := self.find_keys([case.key]).get(case.key, id)) != id:
            raise CaseBaseError(
                f"The key {quoted(case.key)} belongs to case {holder}; nothing was changed. A key belongs to one case: "
                "choose another key, or revise that case."
            )
        revised = self.record("revised", [id], by, why)
        new = (id, old[0][1], revised, canonical(case.values), case.solution, case.outcome, case.key)
        self._replace("cases", old, [new])
        if case.note is not None:
            self._insert("notes", [(revised, id, case.note)])

    def delete(self, ids: Iterable[int], *, by: str | None = None, why: str | None = None) -> list[int]:
        """Forget cases with all data about them, and return the ids of the cases that existed."""
        gone = [row[0] for row in self._rows("cases", ids)]
        if not gone:
            return []
        for table in ("cases", "notes", "retirements", "uses"):
            self._delete(table, gone)
        # The history keeps when these cases were changed, but not by whom and why.
        steps = self._rows("history", gone)
        self._replace("history", steps, [(*row[:4], None, None) for row in steps])
        self._forget_in_learners(set(gone))
        self.record("forgotten", gone, by, why)
        self.forgot = True
        return gone

    def declare(self, declaration: Declaration, *, by: str | None = None, why: str | None = None) -> None:
        """Set the attributes and settings of the case base; cases keep their values of the attributes that remain."""
        before, names = integrity.read_declaration(self._connection).names, declaration.names
        if names[: len(before)] != before:
            places = [before.index(name) if name in before else None for name in names]
            old, new = read_rows(self._connection, "cases"), []
            for row, values in zip(old, integrity.parse_values(old, len(before)), strict=True):
                data = canonical([None if place is None else values[place] for place in places])
                new.append((*row[:3], data, *row[4:7]))
            self._replace("cases", old, new)
        integrity.write_declaration(self._connection, declaration)
        self.record("declared", [None], by, why)

    # -- uses and retirements

    def retire(self, ids: Iterable[int], *, by: str | None = None, why: str | None = None) -> list[int]:
        """Exclude cases from retrieval; return the ids of the newly retired cases."""
        there = self._ids("cases", ids)
        new = sorted(there - self._ids("retirements", there))
        first = self.record("retired", new, by, why)
        self._insert("retirements", [(id, sequence) for sequence, id in enumerate(new, first)])
        return new

    def unretire(self, ids: Iterable[int], *, by: str | None = None, why: str | None = None) -> list[int]:
        """Make retired cases available again, delete their recorded uses, and return the ids of the changed cases."""
        found = sorted(self._ids("retirements", ids))
        for table in ("retirements", "uses"):
            self._delete(table, found)
        self.record("unretired", found, by, why)
        return found

    def record_use(
        self,
        ids: Iterable[int],
        *,
        helped: bool | None = None,
        detail: str | None = None,
        by: str | None = None,
        why: str | None = None,
    ) -> list[int]:
        """Record that cases were used, and whether they helped; return the ids of the cases that exist."""
        found = sorted(self._ids("cases", ids))
        first, flag = self.record("used", found, by, why), None if helped is None else int(helped)
        self._insert("uses", [(sequence, id, flag, detail) for sequence, id in enumerate(found, first)])
        return found

    # -- learners

    def put_learner(
        self,
        name: str,
        recipe: str,
        *,
        state: bytes | None = None,
        fitted_on: Iterable[int] | None = None,
        by: str | None = None,
        why: str | None = None,
    ) -> None:
        """Store a learner under a name; all cases that it was fitted to must still exist."""
        ids = None if fitted_on is None else set(fitted_on)
        if ids is not None and (gone := ids - self._ids("cases", ids)):
            raise CaseBaseFileError(
                "The case base no longer has all cases that this learner was fitted to (missing: "
                f"{listed(sorted(gone))}); nothing was changed. Fit the learner again to the remaining cases."
            )
        self._take_learner(name)
        sequence = self.record("learned", [None], by, why)
        self._insert("learners", [(name, sequence, recipe, state, None if ids is None else integrity.ranges_of(ids))])

    def drop_learner(self, name: str, *, by: str | None = None, why: str | None = None) -> bool:
        """Remove a learner; return False if no learner has this name."""
        found = self._take_learner(name)
        if found:
            self.record("unlearned", [None], by, why)
        return found

    def _take_learner(self, name: str) -> bool:
        rows = read_rows(self._connection, "learners", "WHERE name = ?", name)
        self._connection.execute("DELETE FROM learners WHERE name = ?", (name,))
        self._counters.tables["learners"].count(rows, -1)
        return bool(rows)

    def _forget_in_learners(self, gone: set[int]) -> None:
        """Erase the state of each learner that was, or may have been, fitted to one of these cases; keep its recipe."""
        cases = self._counters.tables["cases"].rows
        for name, sequence, recipe, _, ranges, _ in read_rows(self._connection, "learners"):
            ids = None if ranges is None else set(integrity.ids_of(ranges, cases + len(gone)))
            if ids is None or not gone.isdisjoint(ids):
                self._take_learner(name)
                left = None if ids is None else integrity.ranges_of(ids - gone)
                self._insert("learners", [(name, sequence, recipe, None, left)])

    # -- rows; names of tables are ours, never a user's

    def record(self, action: str, ids: Sequence[int | None], by: str | None = None, why: str | None = None) -> int:
        """Write one step of the history for each id, and return the number of the first step."""
        first = self._counters.sequence + 1
        events = [Event(sequence, self._at, action, id, by, why) for sequence, id in enumerate(ids, first)]
        self._insert("history", events)
        self._counters.sequence += len(events)
        self.changes += events
        return first

    def _ids(self, table: str, ids: Iterable[int]) -> set[int]:
        asked = json.dumps(list(ids))
        return {id for (id,) in self._connection.execute(f"SELECT id FROM {table} WHERE id {AMONG}", (asked,))}

    def _rows(self, table: str, ids: Iterable[int]) -> list[tuple[Any, ...]]:
        ids = list(ids)
        if table in ("cases", "retirements"):
            return read_rows(self._connection, table, f"WHERE id {AMONG} ORDER BY 1", json.dumps(ids))
        # A unary plus keeps SQLite from using an index, so that a wrong index hides no row of a case to forget.
        where = f"WHERE +id BETWEEN ? AND ? AND +id {AMONG} ORDER BY 1"
        return read_rows(self._connection, table, where, min(ids), max(ids), json.dumps(ids)) if ids else []

    def _insert(self, table: str, rows: Iterable[tuple[object, ...]]) -> None:
        """Insert rows together with their checksums."""
        new, marks = integrity.with_checksums(table, rows), ", ".join("?" * len(COLUMNS[table]))
        self._connection.executemany(f"INSERT INTO {table} VALUES ({marks})", new)
        self._counters.tables[table].count(new)

    def _replace(self, table: str, old: Sequence[tuple[Any, ...]], new: Iterable[tuple[object, ...]]) -> None:
        """Replace the rows ``old`` with new rows that have the same primary keys, and add checksums to the new rows."""
        rows = integrity.with_checksums(table, new)
        key, *others = COLUMNS[table]
        changes = ", ".join(f"{name} = ?{place}" for place, name in enumerate(others, 2))
        self._connection.executemany(f"UPDATE {table} SET {changes} WHERE {key} = ?1", rows)
        self._counters.tables[table].count(old, -1)
        self._counters.tables[table].count(rows)

    def _delete(self, table: str, ids: Sequence[int]) -> None:
        rows, key = self._rows(table, ids), next(iter(COLUMNS[table]))
        self._connection.executemany(f"DELETE FROM {table} WHERE {key} = ?", [(row[0],) for row in rows])
        self._counters.tables[table].count(rows, -1)


# -- whole files


def new_file(declaration: Declaration) -> bytes:
    connection = in_memory()
    try:
        connection.execute(f"PRAGMA application_id = {APPLICATION:d}")
        connection.execute(f"PRAGMA user_version = {VERSION:d}")
        with connection:
            connection.execute("BEGIN")
            create_tables(connection)
            integrity.write_declaration(connection, declaration)
            writer = Writer(connection, Counters())
            writer.record("created", [None])
            writer.finish()
        return connection.serialize()
    finally:
        connection.close()


def copy_of(connection: sqlite3.Connection) -> bytes:
    """Return the current content of a file without its unused space; the caller must have opened a transaction."""
    counters = read_counters(connection)  # acquires the lock; otherwise, the copy would wait for it forever
    copy = in_memory()
    try:
        connection.backup(copy)
        counters.wipe = 0
        integrity.write_counters(copy, counters)
        copy.execute("VACUUM")
        return copy.serialize()
    finally:
        copy.close()


def current_version(connection: sqlite3.Connection, *, readonly: bool) -> sqlite3.Connection:
    """Migrate a file in an older format, and return its connection; if ``readonly``, migrate a copy in memory."""
    connection.execute("BEGIN")
    try:
        version = integrity.check_tables(connection)
        if version == VERSION:
            return connection
        if problems := integrity.findings(connection, version):
            raise sqlite3.DatabaseError(problems[0])
        if readonly:
            copy = in_memory()
            connection.backup(copy)
            migrate(copy, recorded=False)  # steps are numbered as in the file
            copy.execute("PRAGMA query_only = ON")
            return copy
    finally:
        connection.execute("ROLLBACK")
    migrate(connection)
    return connection


def migrate(connection: sqlite3.Connection, *, recorded: bool = True) -> None:
    """Migrate a file to the newest version in one transaction; record the migration in the history by default."""
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        version = integrity.check_tables(connection)  # another process may have been faster
        if version < VERSION:
            create_tables(connection, since=version)
            writer = Writer(connection)
            if recorded:
                writer.record("migrated", [None], why=f"from version {version} to {VERSION}")
            writer.finish()
            connection.execute(f"PRAGMA user_version = {VERSION:d}")


def wipe(connection: sqlite3.Connection, file: Path) -> None:
    """Rewrite a file so that no byte of forgotten cases is left, and remove the mark that requests wiping."""
    mark = read_counters(connection).wipe
    # SQLite's secure_delete leaves copies of rows in the unused space of pages when rows move between pages. The
    # transaction that forgets the cases sets the mark, so a crash before this point only delays the wiping.
    connection.execute("VACUUM")
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    if (size := file.stat().st_size) > pages * PAGE:
        raise sqlite3.OperationalError(f"the file has {size:,} bytes after VACUUM, more than its {pages:,} pages need")
    if mark:
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            counters = read_counters(connection)
            if counters.wipe == mark:  # otherwise, another process has forgotten more cases and will wipe them
                counters.wipe = 0
                integrity.write_counters(connection, counters)
