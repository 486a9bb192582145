"""All cases of a file in memory, following it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, NamedTuple
from weakref import WeakSet

from priorcase.cases import kinds
from priorcase.cases.base.readers_writer import ReadersWriter
from priorcase.cases.case import Case, Note
from priorcase.cases.errors import damaged_base
from priorcase.cases.kinds import CaseKind
from priorcase.cases.retrieval import MeasureCache
from priorcase.cases.storage import Change, Declaration, Step, Store, StoredCase, Writer, damage_errors
from priorcase.cases.table import CaseTable, Row, Snapshot
from priorcase.exceptions import CaseBaseError


class Transaction(NamedTuple):
    """Changes that become durable together, and the rows of cases that are known to those who make them."""

    writer: Writer
    rows: dict[int, Row]


class Followed:
    """A file, and its cases in memory as they are in the file whenever somebody asks.

    Many threads may ask at a time, one may change; changes of other processes are seen by the next question.
    """

    def __init__(self, store: Store, *, by: str | None) -> None:
        self._store = store
        self._by = by
        self._lock = ReadersWriter()
        self._cache = MeasureCache()
        self._settings: dict[str, Any] = {}
        self._table, self._behind, self._changing = CaseTable({}), True, False
        self._step: Step | None = None  # the last step that the table has followed; None while it is not whole
        self._load()
        _followed.add(self)

    @property
    def path(self) -> str:
        """Where the file is."""
        return str(self._store.path)

    @property
    def readonly(self) -> bool:
        """Whether it was opened to be read only."""
        return self._store.readonly

    @property
    def attributes(self) -> dict[str, CaseKind]:
        """Names and kinds of the attributes, in their order."""
        with self._reading() as table:
            return dict(table.attributes)

    @property
    def _sequence(self) -> int:
        """The number of the last step that the table has followed."""
        return 0 if self._step is None else self._step.sequence

    @contextmanager
    def _reading(self) -> Iterator[CaseTable]:
        """All cases as they are now; nobody changes them meanwhile."""
        self._follow()
        with self._lock.reading():
            yield self._table

    @contextmanager
    def _moment(self) -> Iterator[CaseTable]:
        """All cases as they are now, and nobody changes the file meanwhile."""
        while True:
            with self._reading() as table, self._store.moment():
                if self._step is not None and self._store.changes_since(self._step) == []:
                    yield table
                    return
                self._behind = True  # others were faster

    @contextmanager
    def _writing(self) -> Iterator[Transaction]:
        """One transaction; the table follows when it is durable, and stays as it is when it fails."""
        if self.readonly:
            raise CaseBaseError(
                f"would change {self.path}, which was opened with readonly=True; nothing was changed. Open it with "
                "CaseBase.open(path)."
            )
        with self._lock.writing():
            try:
                with self._store.writing() as writer:
                    self._catch_up()
                    self._behind = self._changing = True  # until the table has followed, whatever comes in between
                    transaction = Transaction(writer, {})
                    yield transaction
            except BaseException:
                with suppress(CaseBaseError):
                    self._catch_up()
                raise
            finally:
                self._changing = False
            with suppress(CaseBaseError):  # it is durable: what cannot be read back now follows at the next question
                if all(change.id in transaction.rows for change in writer.changes):
                    self._apply(writer.changes, transaction.rows)
                else:
                    self._catch_up()

    def _follow(self) -> None:
        if self._behind or self._store.changed_elsewhere():
            with self._lock.writing():
                if not self._changing:  # else a user's function asks in the middle of its own change
                    self._catch_up()

    def _catch_up(self) -> None:
        """Do to the table what was done to the file since."""
        self._behind = True
        with self._store.moment():
            changes = None if self._step is None else self._store.changes_since(self._step)
            if changes is None or any(change.action == "declared" for change in changes):
                self._load()
            else:
                self._apply(changes, {})

    def _apply(self, changes: Sequence[Change], rows: dict[int, Row]) -> None:
        """Do the same changes to the table; the rows of some cases are known and need not be read."""
        if changes:
            touched = list(dict.fromkeys(change.id for change in changes if change.id is not None))
            unknown = [id for id in touched if id not in rows]
            read = self._store.fetch(unknown) if unknown else []
            there = rows | {case.id: self._row(case) for case in read}
            table, self._step = self._table, None  # until all of it is done
            known = table.known(touched)
            table.remove([id for id in known if id not in there])
            table.replace([there[id] for id in known if id in there])
            table.append([there[id] for id in sorted(there.keys() - set(known))])
            for retired in (True, False):
                table.retire([case.id for case in read if case.retired is retired], retired)
            self._step = changes[-1].step
        self._behind = False

    def _load(self) -> None:
        loaded = self._store.load()
        with damage_errors(self.path):
            table = CaseTable(attributes_of(loaded.declaration))
            columns: dict[str, Sequence[Any]] = dict(zip(loaded.declaration.names, loaded.columns, strict=True))
            columns |= {"solution": loaded.solutions, "outcome": loaded.outcomes}
            table.append_columns(loaded.ids, columns, loaded.retired)
        self._settings = dict(loaded.declaration.settings)
        self._table, self._step, self._behind = table, loaded.step, False
        self._cache.clear()

    def _begin_anew(self) -> None:
        """Take new locks and read the file again: other threads, which a fork leaves behind, may have held the old."""
        self._lock, self._cache = ReadersWriter(), MeasureCache()
        self._step, self._behind, self._changing = None, True, False

    def _row(self, case: StoredCase) -> Row:
        values: dict[str, Any] = dict(zip(self._table.attributes, case.values, strict=True))
        return case.id, values, case.solution, case.outcome

    def _there(self, ids: Sequence[int]) -> list[StoredCase]:
        """Cases that the table has, within a moment or a transaction: the file must have them, too."""
        found = self._store.fetch(ids)
        if len(found) < len(ids):
            (gone, *_) = sorted(set(ids) - {case.id for case in found})
            raise damaged_base(self.path, f"case {gone} is missing")
        return found

    def _cases(self, ids: Sequence[int]) -> list[Case]:
        """Cases as users see them, in the order of some ids; those that are gone by now are left out."""
        return [shown(case, self._table.attributes) for case in self._store.fetch(ids)]

    def _look_up(self, ids: Sequence[int], snapshot: Snapshot) -> list[Case]:
        """Cases as they were retrieved, with what the file says beside, if it still does."""
        beside: dict[int, StoredCase] = {}
        with suppress(CaseBaseError):
            beside = {case.id: case for case in self._store.fetch(ids)}
        found = []
        for id, (values, solution, outcome) in zip(ids, snapshot.shown(), strict=True):
            known = shown(beside[id], {}) if id in beside else Case(id=id)
            found.append(replace(known, attributes=values, solution=solution, outcome=outcome))
        return found


def attributes_of(declared: Declaration) -> dict[str, CaseKind]:
    """The attributes that a file declares."""
    return {name: kinds.from_description(description) for name, description in declared.attributes}  # type: ignore[arg-type]


def declaration(attributes: Mapping[str, CaseKind], settings: Mapping[str, Any]) -> Declaration:
    """Attributes and settings as a file declares them."""
    described: list[tuple[str, Any]] = [(name, kinds.describe(kind)) for name, kind in attributes.items()]
    return Declaration(described, dict(settings))


def shown(case: StoredCase, attributes: dict[str, CaseKind]) -> Case:
    """A case of the file as users see it."""
    pairs = zip(attributes.items(), case.values, strict=False)
    return Case(
        {name: kinds.shown(kind, value) for (name, kind), value in pairs},  # type: ignore[arg-type]
        kinds.plain_shown(case.solution),
        kinds.plain_shown(case.outcome),
        case.id,
        case.key,
        tuple(Note(note.text, note.at, note.by) for note in case.notes),
        case.added_at,
        case.by,
        case.why,
        case.revised_at,
        case.retired,
    )


_followed: WeakSet[Followed] = WeakSet()


def _in_child() -> None:
    for base in list(_followed):
        base._begin_anew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
