"""The file of a case base: many readers, one writer, in any number of threads and processes."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

from priorcase.cases.storage import reading
from priorcase.cases.storage.collector import collector_paused
from priorcase.cases.storage.copying import copy_of
from priorcase.cases.storage.creation import new_file
from priorcase.cases.storage.failures import named_errors
from priorcase.cases.storage.learners import read_learners
from priorcase.cases.storage.meta import read_counters, read_declaration
from priorcase.cases.storage.placing import place
from priorcase.cases.storage.records import Change, Declaration, Event, Loaded, Step, StoredCase, StoredLearner, Use
from priorcase.cases.storage.sessions import OpenFile
from priorcase.cases.storage.verification import findings
from priorcase.cases.storage.wiping import wipe
from priorcase.cases.storage.writing import Writer
from priorcase.exceptions import CaseBaseBusyError, CaseBaseError, CaseBaseFileError


class Store(OpenFile):
    """The file of a case base.

    Every change is one transaction: on the disk when it returns, or not there at all. Cases are rows of plain values;
    what their attributes mean is known to those above.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from priorcase.cases.storage import Declaration, NewCase, Store
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "desk.priorcase"
    ...     with Store.open(path, create=Declaration([("device", {"kind": "nominal"})])) as store:
    ...         with store.writing() as writer:
    ...             ids = writer.insert([NewCase(["printer"], solution='"restart"')], by="desk", why="ticket")
    ...         print(store.fetch(ids)[0].values, store.verify())
    ('printer',) []
    """

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        readonly: bool = False,
        timeout: float = 5.0,
        create: Declaration | None = None,
    ) -> Self:
        """Open a case base; with ``create`` one that does not exist is made first, whole or not at all."""
        path = Path(path)
        with named_errors(str(path), timeout, system=True):
            if create is not None and not readonly and not os.path.lexists(path):
                place(new_file(create), path)
        try:
            store = cls(path, readonly=readonly, timeout=timeout)
        except FileNotFoundError as error:
            raise CaseBaseFileError(
                f"There is no case base at {path!s}. Check the path, or open it without readonly=True to create one."
            ) from error
        except OSError as error:
            raise CaseBaseFileError(
                f"The case base {path!s} could not be opened: {error.strerror or str(error)}. Check the path and "
                "its permissions."
            ) from error
        with store._session() as connection:
            pending = read_counters(connection, store._name).wipe
        if pending and not readonly:
            with suppress(CaseBaseError):  # a full disk must not keep anyone from reading; the mark stays
                store.load()  # a damaged file is not written to
                store._wipe()
        return store

    # Reading -------------------------------------------------------------------------------------------------------

    @contextmanager
    def moment(self) -> Iterator[None]:
        """All that is read within is of one moment; who wants to write waits until it ends."""
        with self._reading():
            yield

    @property
    def declaration(self) -> Declaration:
        """The declared attributes and settings, as the file has them now."""
        with self._reading() as connection:
            return read_declaration(connection, self._name)

    def load(self) -> Loaded:
        """All cases, column by column."""
        with self._reading() as connection, collector_paused():
            loaded = reading.load(connection, self._name)
            self._seen = self._version(connection)
            return loaded

    def fetch(self, ids: Sequence[int]) -> list[StoredCase]:
        """Some cases with their provenance, in the order asked for; ids that name no case are left out."""
        with self._reading() as connection:
            return reading.fetch(connection, self._name, ids)

    def keys(self) -> dict[int, str]:
        """The keys of all cases that have one, by id."""
        with self._reading() as connection:
            return dict(connection.execute("SELECT id, key FROM cases WHERE key IS NOT NULL").fetchall())

    def authors(self) -> dict[int, str]:
        """Who added each case, by id, where that is known."""
        with self._reading() as connection:
            sql = "SELECT c.id, h.by FROM cases AS c JOIN history AS h ON h.sequence = c.added WHERE h.by IS NOT NULL"
            return dict(connection.execute(sql).fetchall())

    def with_key(self, key: str) -> int | None:
        """The id of the case that has a key."""
        with self._reading() as connection:
            found = connection.execute("SELECT id FROM cases WHERE key = ?", (key,)).fetchone()
            return None if found is None else int(found[0])

    def history(self, id: int | None = None) -> list[Event]:
        """All steps, or those of one case."""
        with self._reading() as connection:
            if id is None:
                return reading.whole_history(connection, self._name)
            return reading.history_of(connection, self._name, f"[{int(id)}]")

    def uses(self, ids: Sequence[int] | None = None) -> list[Use]:
        """The recorded uses of all cases, or of some, in order."""
        with self._reading() as connection:
            return reading.read_uses(connection, self._name, None if ids is None else json.dumps(list(ids)))

    def learners(self) -> list[StoredLearner]:
        """The learners that are kept with the cases, in the order of their names."""
        with self._reading() as connection:
            return read_learners(connection, self._name)

    def changes_since(self, step: Step) -> list[Change] | None:
        """All steps after a given one, by whomever; None where the file has not that one, being another."""
        with self._reading() as connection:
            changes = reading.changes_since(connection, self._name, step)
            self._seen = self._version(connection)
            return changes

    def changed_elsewhere(self) -> bool:
        """Whether others changed the file since the last load or changes_since; costs next to nothing."""
        with self._session() as connection:
            if connection.in_transaction:
                return False
            changed = self._version(connection) != self._seen
            if changed and self._source is not None:
                self._discard()  # the copy in memory is out of date
            return changed

    def _version(self, connection: sqlite3.Connection) -> int:
        """A number that changes when others change the file."""
        (version,) = (self._source or connection).execute("PRAGMA data_version").fetchone()
        return int(version)

    # Writing -------------------------------------------------------------------------------------------------------

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """A transaction: all that is done within is on the disk when it ends, or nothing where an error ends it."""
        if self.readonly:
            raise CaseBaseError(
                f"would change {self._name}, which was opened with readonly=True; nothing was changed. Open it with "
                "CaseBase.open(path)."
            )
        with self._session() as connection:
            if connection.in_transaction:
                raise CaseBaseBusyError(
                    f"A change of {self._name} was begun within another one; nothing of the inner one was done. Finish "
                    "the first change before the next one begins."
                )
            connection.execute("BEGIN IMMEDIATE")
            self._lock.active += 1
            try:
                writer = Writer(connection, self._name)
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
            self._wipe_after(forgot=writer.forgot)

    def _commit(self, connection: sqlite3.Connection, sequence: int) -> None:
        """Finish a transaction whose last step has this number."""
        try:
            connection.execute("COMMIT")
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_IOERR:
                raise  # it was not made, and what was there before is there
            self._discard()
            there = self._arrived(sequence)
            if there is not False:
                found = (
                    "it cannot be seen now whether it was made, wholly or not at all"
                    if there is None
                    else "it is in the file, but may not outlive a power failure"
                )
                raise CaseBaseFileError(
                    f"The system did not confirm the change of {self._name} ({error}): {found}. Check the disk, "
                    "then look whether the change is there before repeating it."
                ) from error
            raise

    def _arrived(self, sequence: int) -> bool | None:
        """Whether the file has this step; None where that cannot be seen."""
        try:
            with named_errors(self._name, self.timeout):
                return read_counters(self._connected(), self._name).sequence >= sequence
        except CaseBaseError:
            return None

    def _wipe_after(self, *, forgot: bool) -> None:
        """Wipe after a change; only who has forgotten something is told when it must wait."""
        try:
            self._wipe()
        except CaseBaseError as error:
            if forgot:
                raise CaseBaseFileError(
                    f"The cases are forgotten, but their bytes could not be wiped from {self._name} yet: {error} The "
                    "next change or opening wipes them; compact() does it at once."
                ) from error

    def _wipe(self) -> None:
        with self._session() as connection:
            self._lock.active += 1
            try:
                wipe(connection, self._name, self._file)
            finally:
                self._lock.active -= 1

    def compact(self) -> None:
        """Write the file anew without the room that changes have left in it."""
        if self.readonly:
            raise CaseBaseError(
                f"would change {self._name}, which was opened with readonly=True; nothing was changed. Open it with "
                "CaseBase.open(path)."
            )
        self._wipe()

    # The whole file ------------------------------------------------------------------------------------------------

    def verify(self) -> list[str]:
        """What is wrong with the file, in words; nothing where all is as it was written."""
        try:
            with self._reading() as connection:
                return findings(connection, self._name)
        except CaseBaseFileError as error:
            return [str(error)]

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Write a copy as of one moment to a file that does not exist yet; others may go on writing."""
        target = Path(path)
        with self._session() as connection:
            if connection.in_transaction:
                raise CaseBaseBusyError(
                    f"A change of {self._name} was begun within another one; nothing of the inner one was done. Finish "
                    "the first change before the next one begins."
                )
        if os.path.lexists(target):
            raise CaseBaseFileError(
                f"{target!s} exists already. The file was not changed. Name a new file, or move that one away first."
            )
        with self._reading() as connection:
            data = copy_of(connection, self._name)
        with named_errors(str(target), self.timeout, system=True):
            if not place(data, target, mode=self._file.stat().st_mode & 0o777):  # as private as the base itself
                raise CaseBaseFileError(
                    f"{target!s} exists already. The file was not changed. Name a new file, or move that one away "
                    "first."
                )
