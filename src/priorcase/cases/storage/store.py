"""The file of a case base: any number of threads and processes can read it, but only one at a time can write."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

from priorcase.cases.case import Note
from priorcase.cases.storage import integrity, sqlite
from priorcase.cases.storage.integrity import AMONG, frozen, read_counters, read_rows
from priorcase.cases.storage.records import Declaration, Event, Loaded, Step, StoredCase, StoredLearner, Use
from priorcase.cases.storage.writer import Writer, collector_paused, copy_of, current_version, new_file, wipe
from priorcase.exceptions import CaseBaseBusyError, CaseBaseError, CaseBaseFileError

_OLD = 3_000_000_000  # nanoseconds; no file system has coarser time stamps


class Store:
    """The file of a case base; every change is one transaction, which is on disk when the method returns."""

    def __init__(self, path: Path, *, readonly: bool, timeout: float) -> None:
        self.path, self.readonly, self.timeout = path, readonly, timeout
        self._name = str(path)
        self._file = Path(os.path.realpath(path))  # the same file after a change of the working folder
        self._address = os.fspath(self._file)
        self._identity = sqlite.file_identity(self._file)
        self._lock = sqlite.lock_of(self._identity)
        self._connection: sqlite3.Connection | None = None
        self._source: sqlite3.Connection | None = None  # the file itself, if the connection is to a copy in memory
        self._checked: set[str | None] = set()  # the tables that were checked on this connection; None: the whole file
        self._seen: int | None = None
        self._stamp: tuple[int, ...] | None = None  # of the file, if unchanged since `_seen`; None: ask SQLite
        self._process = os.getpid()
        self.closed = False

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        readonly: bool = False,
        timeout: float = 5.0,
        create: Declaration | None = None,
    ) -> Self:
        """Open a case base; with ``create``, create it first if it does not exist."""
        path = Path(path)
        if create is not None and not readonly and not os.path.lexists(path):
            with sqlite.file_errors(str(path)):
                sqlite.write_new_file(new_file(create), path)
        with sqlite.opening_errors(path):
            store = cls(path, readonly=readonly, timeout=timeout)
        with store._session() as connection:
            pending = read_counters(connection).wipe
        if pending and not readonly:
            with suppress(CaseBaseError):  # a full disk must not keep anyone from reading; the mark stays
                store.load()  # raises if the file is damaged, so that it is not changed
                store._wipe()
        return store

    # -- connections

    @contextmanager
    def _session(self) -> Iterator[sqlite3.Connection]:
        """Lock the file against other threads of this process, and yield the connection."""
        if self.closed:
            raise CaseBaseError(f"The case base {self._name} is closed. Open it again with CaseBase.open(path).")
        if not self._lock.lock.acquire(timeout=min(max(self.timeout, 0.0), threading.TIMEOUT_MAX)):
            raise CaseBaseBusyError(
                f"The case base {self._name} was in use by other threads or processes for more than {self.timeout:g} "
                "seconds; nothing was changed. Try again, or open it with a longer timeout."
            )
        try:
            with sqlite.file_errors(self._name, self.timeout):
                try:
                    yield self._connected()
                except sqlite3.Error as error:
                    if getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_BUSY:
                        self._discard()  # SQLite may be in an unclear state: reconnect at the next use
                    raise
        finally:
            self._lock.lock.release()

    def _connected(self) -> sqlite3.Connection:
        """Return the connection of this process; if there is none, check the file and open a connection."""
        if self._lock.forked_within:
            raise CaseBaseBusyError(
                f"This process was forked while {self._name} was being changed, and cannot use that file. Fork before "
                "a change begins or after it has ended."
            )
        try:
            moved = sqlite.file_identity(self._file) != self._identity
        except OSError:
            moved = True
        if moved:
            raise CaseBaseFileError(
                f"The file {self._name} was moved, removed or replaced while it was open; nothing was changed. Open it "
                "again with CaseBase.open(path)."
            )
        if self._process != os.getpid():
            self._discard()
            self._process = os.getpid()
        if self._connection is None:
            if self._lock.active == 0:  # closing a handle during a transaction would unlock the file
                integrity.check_file(self._file)
            opened = sqlite.connect(self._file, readonly=self.readonly, timeout=self.timeout)
            try:
                self._connection = current_version(opened, readonly=self.readonly)
            except BaseException:
                opened.close()
                raise
            self._source = None if self._connection is opened else opened
            self._checked, self._seen, self._stamp = set(), None, None
        return self._connection

    def _check(self, connection: sqlite3.Connection, *tables: str | None) -> None:
        """Check the pages of some tables, once per connection; None stands for the whole file and all tallies."""
        for table in tables:
            if table not in self._checked and None not in self._checked:
                integrity.check_pages(connection, table)
                if table is None:
                    integrity.check_tallies(connection)
                self._checked.add(table)

    def _discard(self) -> None:
        """Close the connection unless it belongs to another process; closing rolls back an unfinished transaction."""
        for connection in filter(None, (self._connection, self._source)):
            with suppress(sqlite3.Error, TypeError, AttributeError):  # the interpreter may be shutting down
                connection.close() if self._process == os.getpid() else sqlite.abandon(connection)
        self._connection = self._source = None

    @contextmanager
    def moment(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection within a transaction: all reads see the same state of the file, and writers wait."""
        with self._session() as connection:
            if connection.in_transaction:  # inside writing() of this thread
                yield connection
                return
            connection.execute("BEGIN")
            self._lock.active += 1
            try:
                yield connection
            finally:
                self._lock.active -= 1
                with suppress(sqlite3.Error):  # nothing was written; SQLite may have ended it by itself
                    connection.execute("ROLLBACK")

    def close(self) -> None:
        with self._lock.lock:
            self.closed = True
            self._discard()

    def __del__(self) -> None:
        if not getattr(self, "closed", True):
            self._discard()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # -- reading

    def load(self) -> Loaded:
        with self.moment() as connection, collector_paused():
            self._check(connection, "cases", "retirements")
            declaration, counters = integrity.read_declaration(connection), read_counters(connection)
            rows = read_rows(connection, "cases", "ORDER BY id")
            counters.tables["cases"].check("cases", rows)
            columns = integrity.frozen_columns(rows, len(declaration.attributes))
            fields = map(list, zip(*rows, strict=True)) if rows else ([] for _ in range(8))
            ids, _, _, _, solutions, outcomes, keys, _ = fields
            integrity.check_json({*solutions, *outcomes}, "a solution or outcome")
            if ids and not 1 <= ids[0] <= ids[-1] <= counters.last_id:
                raise sqlite3.DatabaseError("a case has an id that was never assigned")
            retirements = read_rows(connection, "retirements")
            counters.tables["retirements"].check("retirements", retirements)
            retired = {row[0] for row in retirements}
            last = read_rows(connection, "history", "WHERE sequence = ?", counters.sequence)
            if not last:
                raise sqlite3.DatabaseError("steps of its history are missing")
            self._seen = self._version(connection)
            step, flags = Step(*last[0][:2]), [id in retired for id in ids]
            return Loaded(declaration, ids, keys, columns, solutions, outcomes, flags, step)

    def fetch(self, ids: Sequence[int]) -> list[StoredCase]:
        """Return cases with their provenance, in the requested order; unknown ids are skipped."""
        with self.moment() as connection:
            self._check(connection, "cases", "notes", "retirements")
            asked = json.dumps(list(ids))
            rows = read_rows(connection, "cases", f"WHERE id {AMONG}", asked)
            integrity.check_json([text for row in rows for text in row[4:6]], "a solution or outcome")
            width = integrity.attributes_in(integrity.read_meta(connection, "attributes"))
            values = integrity.parse_values(rows, width)
            noted = read_rows(connection, "notes", f"WHERE id {AMONG} ORDER BY sequence", asked)
            retired = {row[0] for row in read_rows(connection, "retirements", f"WHERE id {AMONG}", asked)}
            wanted = {row[0] for row in noted} | {step for row in rows for step in row[1:3]}
            steps = self._events(connection, f"WHERE sequence {AMONG}", json.dumps(list(wanted)))
            by_number: dict[int | None, Event] = {event.sequence: event for event in steps}
            notes: dict[int, list[Note]] = {}
            cases = {}
            try:
                for sequence, id, text, _ in noted:
                    notes.setdefault(id, []).append(Note(text, by_number[sequence].at, by_number[sequence].by))
                for (id, added, revised, _, solution, outcome, key, _), shown in zip(rows, values, strict=True):
                    first, revised_at = by_number[added], None if revised is None else by_number[revised].at
                    about = (tuple(notes.get(id, ())), first.by, first.why, first.at, revised_at, id in retired)
                    cases[id] = StoredCase(tuple(map(frozen, shown)), solution, outcome, id, key, *about)
            except KeyError as error:
                raise sqlite3.DatabaseError(f"step {error} of its history is missing") from error
            return [cases[id] for id in ids if id in cases]

    def keys(self) -> dict[int, str]:
        with self.moment() as connection:
            sql = "SELECT id, key FROM cases NOT INDEXED WHERE key IS NOT NULL"
            return dict(connection.execute(sql).fetchall())

    def authors(self) -> dict[int, str]:
        """Return a mapping from the id of each case to the author who added it; cases without an author are omitted."""
        with self.moment() as connection:
            sql = "SELECT c.id, h.by FROM cases AS c JOIN history AS h ON h.sequence = c.added WHERE h.by IS NOT NULL"
            return dict(connection.execute(sql).fetchall())

    def with_key(self, key: str) -> int | None:
        with self.moment() as connection:
            self._check(connection, "cases")
            found = connection.execute("SELECT id FROM cases WHERE key = ?", (key,)).fetchone()
            return None if found is None else int(found[0])

    def history(self, id: int | None = None) -> list[Event]:
        with self.moment() as connection:
            self._check(connection, "history")
            if id is None:
                return self._events(connection, "ORDER BY sequence")
            return self._events(connection, f"WHERE id {AMONG} ORDER BY sequence", f"[{int(id)}]")

    def uses(self, ids: Sequence[int] | None = None) -> list[Use]:
        """Return the recorded uses of all cases or of some cases, in the order in which they were recorded."""
        with self.moment() as connection:
            self._check(connection, "uses")
            where, asked = ("", ()) if ids is None else (f"WHERE id {AMONG} ", (json.dumps(list(ids)),))
            rows = read_rows(connection, "uses", where + "ORDER BY sequence", *asked)
            steps = self._events(connection, f"WHERE sequence {AMONG}", json.dumps([row[0] for row in rows]))
            events = {event.sequence: event for event in steps}
            if len(events) < len(rows) or not {row[2] for row in rows} <= {None, 0, 1}:
                raise sqlite3.DatabaseError("a recorded use has an invalid format")
            found = []
            for sequence, id, helped, detail, _ in rows:
                at, by = events[sequence].at, events[sequence].by
                found.append(Use(sequence, at, id, None if helped is None else bool(helped), detail, by))
            return found

    def learners(self, name: str | None = None) -> list[StoredLearner]:
        with self.moment() as connection:
            self._check(connection, "learners")
            where, asked = ("", ()) if name is None else ("WHERE name = ? ", (name,))
            rows = read_rows(connection, "learners", where + "ORDER BY name", *asked)
            cases = read_counters(connection).tables["cases"].rows
            found = []
            for name, sequence, recipe, state, ranges, _ in rows:
                fitted_on = None if ranges is None else integrity.ids_of(ranges, cases)
                found.append(StoredLearner(name, sequence, recipe, state, fitted_on))
            return found

    def changes_since(self, step: Step) -> list[Event] | None:
        """Return all steps after a given step, made by any process; None if the given step is not in the file."""
        with self.moment() as connection:
            events = self._events(connection, "WHERE sequence >= ? ORDER BY sequence", step.sequence)
            self._seen = self._version(connection)
            if not events or events[0][:2] != step:
                return None
            if len(events) != read_counters(connection).sequence - step.sequence + 1:
                raise sqlite3.DatabaseError("steps of its history are missing")
            return events[1:]

    def changed_elsewhere(self) -> bool:
        """Return whether another connection has changed the file since the last `load` or `changes_since`."""
        known = self._stamp
        if known is not None and self._process == os.getpid() and not self.closed:
            try:
                if self._stamp_now() == known:
                    return False
            except OSError:
                pass  # the session raises the error
        with self._session() as connection:
            if connection.in_transaction:
                return False
            # If a file was written just now, writing it again may leave its stamp the same; an older stamp changes.
            stamp, now = self._stamp_now(), time.time_ns()
            changed = self._version(connection) != self._seen
            lasting = not changed and stamp[0] < now - _OLD and _on_local_disk(stamp)
            self._stamp = stamp if lasting else None
            if changed and self._source is not None:
                self._discard()  # the copy in memory is out of date
            return changed

    def _stamp_now(self) -> tuple[int, ...]:
        """Return the times, size and identity of the file; this is much faster than calling `_version`."""
        status = os.stat(self._address)
        return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_dev, status.st_ino

    def _version(self, connection: sqlite3.Connection) -> int:
        """Return a number that changes when another connection changes the file."""
        (version,) = (self._source or connection).execute("PRAGMA data_version").fetchone()
        return int(version)

    @staticmethod
    def _events(connection: sqlite3.Connection, where: str, *parameters: object) -> list[Event]:
        return [Event(*row[:6]) for row in read_rows(connection, "history", where, *parameters)]

    # -- writing

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """Yield a `Writer`; changes are committed after the ``with`` block, or undone by an error before the commit."""
        if self.readonly:
            raise CaseBaseError(
                f"cannot change {self._name}, which was opened with readonly=True. Open it with CaseBase.open(path)."
            )
        with self._session() as connection:
            self._refuse_nested(connection)
            connection.execute("BEGIN IMMEDIATE")
            self._lock.active += 1
            try:
                self._check(connection, None)
                writer = Writer(connection)
                yield writer
                if writer.finish():
                    self._commit(connection, writer.sequence)
                else:
                    connection.execute("ROLLBACK")
            except BaseException:
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                raise
            finally:
                self._lock.active -= 1
        if writer.wipe_pending:
            try:
                self._wipe()
            except CaseBaseError as error:
                if writer.forgot:  # other changes need not report that wiping is still pending
                    raise CaseBaseFileError(
                        f"The cases are forgotten, but their bytes could not be erased from {self._name} yet: {error} "
                        "The bytes are erased by the next change, or when the file is next opened."
                    ) from error

    def _refuse_nested(self, connection: sqlite3.Connection) -> None:
        if connection.in_transaction:
            raise CaseBaseBusyError(
                f"A change to {self._name} was started during another change and was not made. Finish the first change "
                "before starting the next."
            )

    def _commit(self, connection: sqlite3.Connection, sequence: int) -> None:
        """Commit a transaction whose last step is number ``sequence``."""
        try:
            connection.execute("COMMIT")
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_IOERR:
                raise  # the change was not made, and the file is as before
            self._discard()
            there: bool | None = None
            with suppress(CaseBaseError), sqlite.file_errors(self._name):
                there = read_counters(self._connected()).sequence >= sequence
            if there is False:
                raise
            found = "the change is in the file, but may not survive a power failure"
            if there is None:
                found = "the change was made either completely or not at all, but it is not known which"
            raise CaseBaseFileError(
                f"The system did not confirm the change to {self._name} ({error}): {found}. Check the disk, then "
                "check whether the change was made before repeating it."
            ) from error

    def _wipe(self) -> None:
        with self._session() as connection:
            self._lock.active += 1
            try:
                self._check(connection, None)
                wipe(connection, self._file)
            finally:
                self._lock.active -= 1

    # -- the whole file

    def verify(self) -> list[str]:
        """Return the problems found in the file; an empty list if there are no problems."""
        try:
            with self.moment() as connection, collector_paused():
                return integrity.findings(connection)
        except CaseBaseFileError as error:
            return [str(error)]

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Write a consistent snapshot to a new file; other processes can continue to write."""
        target = Path(path)
        with self._session() as connection:
            self._refuse_nested(connection)
        if not os.path.lexists(target):
            with self.moment() as connection:
                data = copy_of(connection)
            if sqlite.write_new_file(data, target, mode=self._file.stat().st_mode & 0o777):  # as private as the base
                return
        raise CaseBaseFileError(
            f"{target!s} exists already. The file was not changed. Choose another name, or move that file away."
        )


def _on_local_disk(stamp: tuple[int, ...]) -> bool:
    """Return whether a file is known to be on a local disk; timestamps of network files can be delayed or cached."""
    # Network shares and other file systems without a disk have the major device number 0.
    return sys.platform == "linux" and os.major(stamp[3]) != 0
