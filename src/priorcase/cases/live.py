"""The cases of a file in memory; each query sees all earlier changes, including the changes made by other processes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from threading import Condition, RLock, get_ident
from typing import Any
from weakref import WeakSet

from priorcase.cases import kinds
from priorcase.cases.case import Case
from priorcase.cases.kinds import CaseKind, Stored
from priorcase.cases.retrieval import MeasureCache
from priorcase.cases.storage import Declaration, Event, NewCase, Step, Store, StoredCase, Writer, damage_errors
from priorcase.cases.storage.writer import collector_paused
from priorcase.cases.table import CaseTable, Row, Snapshot
from priorcase.exceptions import CaseBaseBusyError, CaseBaseError, CaseBaseFileError

_BESIDE = ("id", "key", "notes", "added_at", "by", "why", "revised_at", "retired")


class LiveTable:
    """The cases of a file in memory, brought up to date before each query."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.table = CaseTable({})
        self.settings: dict[str, Any] = {}
        self.cache = MeasureCache()
        self._lock = ReadersWriter()
        self._step: Step | None = None  # the last step that the table contains; None while it is incomplete
        self._behind = True
        self._inserted: dict[int, Row] = {}  # cases of the current transaction that need not be read back
        self._load()
        _LIVE_TABLES.add(self)

    @property
    def sequence(self) -> int:
        """The number of the last change that the table contains."""
        return 0 if self._step is None else self._step.sequence

    @contextmanager
    def reading(self) -> Iterator[CaseTable]:
        """Yield the current cases; no other thread of this process can change them within the context."""
        # A user's function may itself query during a query or a change, and then sees the same state.
        if not self._lock.held() and (self._behind or self.store.changed_elsewhere()):
            with self._lock.writing():
                self._catch_up()
        self._lock.start_reading()
        try:
            yield self.table
        finally:
            self._lock.stop_reading()

    @contextmanager
    def moment(self) -> Iterator[CaseTable]:
        """Yield the current cases; no thread or process can change the file within the context."""
        while True:
            with self.reading() as table, self.store.moment():
                if self._step is not None and self.store.changes_since(self._step) == []:
                    yield table
                    return
                self._behind = True  # the store reports this change only once
            with self._lock.writing():  # another process changed the file in between
                self._catch_up()

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """Run one transaction; the table is updated after the commit, and stays unchanged if the transaction fails."""
        inserted: dict[int, Row] = {}
        with self._lock.writing():
            try:
                with self.store.writing() as writer:
                    self._catch_up()
                    self._inserted = inserted
                    self._behind = True  # until the table is updated, even after an error
                    yield writer
            except BaseException:
                with suppress(CaseBaseError):
                    self._catch_up()
                raise
            # The change is durable, so an error in reading it back is suppressed: the next query reads it again.
            with suppress(CaseBaseError):
                if all(change.id in inserted and change.action != "retired" for change in writer.changes):
                    self._apply(writer.changes, inserted)
                else:
                    self._catch_up()

    def insert(
        self, writer: Writer, cases: Sequence[NewCase], attributes: Iterable[str], *, by: str | None, why: str | None
    ) -> list[int]:
        """Store cases within a transaction and return their ids."""
        ids = writer.insert(cases, by=by, why=why)
        names, present = list(attributes), set(self.table.known(ids))
        for id, case in zip(ids, cases, strict=True):
            if id not in present and id not in self._inserted:  # otherwise, a case with its key exists
                values: dict[str, Any] = dict(zip(names, case.values, strict=True))
                self._inserted[id] = (id, values, case.solution, case.outcome)
        return ids

    def fetch(self, ids: Sequence[int]) -> list[StoredCase]:
        """Return cases with all their stored fields; call this method within `moment` or a transaction."""
        found = self.store.fetch(ids)
        if len(found) < len(ids):
            missing = min(set(ids) - {case.id for case in found})
            raise CaseBaseFileError(
                f"The case base {self.store.path} is damaged: case {missing} is missing. The file was not changed. "
                "Restore it from a backup; keep the damaged file until the case base is restored."
            )
        return found

    def cases(self, ids: Sequence[int]) -> list[Case]:
        """Return cases in the form in which users see them, in the order of the ids; deleted cases are skipped."""
        return [_shown(case, self.table.attributes) for case in self.store.fetch(ids)]

    def look_up(self, ids: Sequence[int], snapshot: Snapshot) -> list[Case]:
        """Return the cases of a snapshot; other fields come from the file, and have defaults for deleted cases."""
        stored: dict[int, StoredCase] = {}
        with suppress(CaseBaseError):
            stored = {case.id: case for case in self.store.fetch(ids)}
        found = []
        for id, (values, solution, outcome) in zip(ids, snapshot.shown(), strict=True):
            case = _shown(stored[id], {}) if id in stored else Case(id=id)
            found.append(replace(case, attributes=values, solution=solution, outcome=outcome))
        return found

    def _catch_up(self) -> None:
        """Update the table with the changes made in the file since the last update."""
        self._behind = True
        with self.store.moment():
            changes = None if self._step is None else self.store.changes_since(self._step)
            if changes is None or any(change.action == "declared" for change in changes):
                self._load()
            else:
                self._apply(changes, {})

    def _apply(self, changes: Sequence[Event], rows: Mapping[int, Row]) -> None:
        """Apply changes to the table; cases in ``rows`` are not read from the file again."""
        if changes:
            touched = list(dict.fromkeys(change.id for change in changes if change.id is not None))
            unknown = [id for id in touched if id not in rows]
            read = self.store.fetch(unknown) if unknown else []
            there = dict(rows)
            with damage_errors(str(self.store.path)):
                for place, kind in enumerate(self.table.attributes.values()):
                    _check_stored(kind, [case.values[place] for case in read])  # type: ignore[misc]
            for case in read:
                values: dict[str, Any] = dict(zip(self.table.attributes, case.values, strict=True))
                there[case.id] = case.id, values, case.solution, case.outcome
            table, self._step = self.table, None  # until all changes are applied
            known = table.known(touched)
            table.remove([id for id in known if id not in there])
            table.replace([there[id] for id in known if id in there])
            table.append([there[id] for id in sorted(there.keys() - set(known))])
            for retired in (True, False):
                table.retire([case.id for case in read if case.retired is retired], retired)
            self._step = changes[-1].step
        self._behind = False

    def _load(self) -> None:
        loaded = self.store.load()
        declared = loaded.declaration
        with damage_errors(str(self.store.path)), collector_paused():
            columns: dict[str, Sequence[Any]] = dict(zip(declared.names, loaded.columns, strict=True))
            columns |= {"solution": loaded.solutions, "outcome": loaded.outcomes}
            table = CaseTable({name: kinds.from_description(kind) for name, kind in declared.attributes})  # type: ignore[arg-type]
            table.append_columns(loaded.ids, columns, loaded.retired)
            for name, kind in table.attributes.items():
                _check_stored(kind, table.column(name).values)
        self.settings = dict(declared.settings)
        self.table, self._step, self._behind = table, loaded.step, False
        self.cache.clear()

    def restart(self) -> None:
        """Create new locks after a fork, because threads that exist only in the parent may hold the old locks."""
        self._lock, self.cache = ReadersWriter(), MeasureCache()
        self._step, self._behind = None, True  # all cases are read again before the next query


def declaration(attributes: Mapping[str, CaseKind], settings: Mapping[str, Any]) -> Declaration:
    described: list[tuple[str, Any]] = [(name, kinds.describe(kind)) for name, kind in attributes.items()]
    return Declaration(described, dict(settings))


def _check_stored(kind: CaseKind, values: Sequence[Stored]) -> None:
    """Raise ValueError if a stored value does not fit its kind; a forged file can have valid checksums."""
    if isinstance(kind, kinds.Graph):  # checked when shown: parsing all graphs would take long
        return
    if kinds.plainly_fit(kind, values):
        return
    for value in values:
        try:
            fits = kinds.check(kind, value, attribute="") == value
        except CaseBaseError:
            fits = False
        if not fits:
            raise ValueError(value)


def _shown(case: StoredCase, attributes: Mapping[str, CaseKind]) -> Case:
    pairs = zip(attributes.items(), case.values, strict=False)
    values = {name: kinds.shown(kind, value) for (name, kind), value in pairs}  # type: ignore[arg-type]
    beside = {field: getattr(case, field) for field in _BESIDE}
    return Case(values, kinds.plain_shown(case.solution), kinds.plain_shown(case.outcome), **beside)


class ReadersWriter:
    """A lock that is held either by any number of readers or by a single writer.

    A waiting writer has priority over later readers. The lock is reentrant, but a reader cannot become a writer.
    """

    def __init__(self) -> None:
        self._guard = RLock()
        self._changed = Condition(self._guard)
        self._readers: dict[int, int] = {}
        self._writer: int | None = None
        self._waiting = 0

    def held(self) -> bool:
        me = get_ident()
        return self._writer == me or me in self._readers

    def start_reading(self) -> None:
        me = get_ident()
        with self._guard:
            while self._writer != me and me not in self._readers and (self._waiting or self._writer is not None):
                self._changed.wait()
            self._readers[me] = self._readers.get(me, 0) + 1

    def stop_reading(self) -> None:
        me = get_ident()
        with self._guard:
            self._readers[me] -= 1
            if not self._readers[me]:
                del self._readers[me]
                if self._waiting:
                    self._changed.notify_all()

    @contextmanager
    def writing(self) -> Iterator[None]:
        me = get_ident()
        if self._writer == me:
            yield
            return
        if me in self._readers:  # the thread would wait forever for its own query
            raise CaseBaseBusyError(
                "the case base cannot be changed while it processes a query, for example by a function used as a "
                "condition. Change the case base after the query."
            )
        with self._changed:
            self._waiting += 1
            try:
                while self._readers or self._writer is not None:
                    self._changed.wait()
                self._writer = me
            except BaseException:
                self._changed.notify_all()  # readers may be waiting for this writer
                raise
            finally:
                self._waiting -= 1
        try:
            yield
        finally:
            with self._changed:
                self._writer = None
                self._changed.notify_all()


_LIVE_TABLES: WeakSet[LiveTable] = WeakSet()


def _restart_in_child() -> None:
    for live in list(_LIVE_TABLES):
        live.restart()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_restart_in_child)
