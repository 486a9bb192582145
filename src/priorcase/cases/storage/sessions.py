"""A file's connection, used by one thread at a time, found again after a fork and after a failure."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from priorcase.cases.storage.connection import connect
from priorcase.cases.storage.failures import named_errors
from priorcase.cases.storage.header import check_file
from priorcase.cases.storage.locks import abandon, is_still, lock_of
from priorcase.cases.storage.migration import current
from priorcase.exceptions import CaseBaseBusyError, CaseBaseError, CaseBaseFileError


class OpenFile:
    """A case base's file while it is open; its errors are named ones."""

    def __init__(self, path: Path, *, readonly: bool, timeout: float) -> None:
        self.path = path
        self.readonly = readonly
        self.timeout = timeout
        self._name = str(path)
        self._file = Path(os.path.realpath(path))  # where it is whatever becomes of the working folder
        self._lock, self._identity = lock_of(self._file)
        self._connection: sqlite3.Connection | None = None
        self._source: sqlite3.Connection | None = None  # the file itself, where the connection is to a copy in memory
        self._seen: int | None = None
        self._process = os.getpid()
        self.closed = False

    @contextmanager
    def _session(self) -> Iterator[sqlite3.Connection]:
        """The connection, while no other thread uses it."""
        if self.closed:
            raise CaseBaseError(f"The case base {self._name} is closed. Open it again with CaseBase.open(path).")
        if not self._lock.lock.acquire(timeout=min(max(self.timeout, 0.0), threading.TIMEOUT_MAX)):
            raise CaseBaseBusyError(
                f"The case base {self._name} was in use by others for more than {self.timeout:g} seconds; nothing was "
                "changed. Try again, or open it with a longer timeout."
            )
        try:
            with named_errors(self._name, self.timeout):
                try:
                    yield self._connected()
                except sqlite3.Error as error:
                    if getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_BUSY:
                        self._discard()  # SQLite may be unsure of its state: begin anew at the next use
                    raise
        finally:
            self._lock.lock.release()

    def _connected(self) -> sqlite3.Connection:
        """The connection of this process, opened where there is none."""
        if self._lock.forked_within:
            raise CaseBaseBusyError(
                f"This process was forked while {self._name} was being changed, and cannot use that file. Fork before "
                "a change begins or after it has ended."
            )
        if not is_still(self._file, self._identity):
            raise CaseBaseFileError(
                f"The file {self._name} was moved, removed or replaced while it was open; nothing was changed. Open it "
                "again with CaseBase.open(path)."
            )
        if self._process != os.getpid():
            for connection in filter(None, (self._connection, self._source)):
                abandon(connection)
            self._connection = self._source = None
            self._process = os.getpid()
        if self._connection is None:
            if self._lock.active == 0:  # closing a handle in the middle of a transaction would unlock it
                check_file(self._file)
            opened = connect(self._file, readonly=self.readonly, timeout=self.timeout)
            try:
                self._connection = current(opened, self._name, readonly=self.readonly)
            except BaseException:
                opened.close()
                raise
            self._source = None if self._connection is opened else opened
            self._seen = None
        return self._connection

    def _discard(self) -> None:
        """Close the connection; SQLite undoes what was not finished, now or at the next opening."""
        for connection in filter(None, (self._connection, self._source)):
            with suppress(sqlite3.Error):
                connection.close()
        self._connection = self._source = None

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """The connection within a transaction, so that all that is read is of one moment."""
        with self._session() as connection:
            if connection.in_transaction:  # within writing() of this thread
                yield connection
                return
            connection.execute("BEGIN")
            self._lock.active += 1
            try:
                yield connection
            finally:
                self._lock.active -= 1
                with suppress(sqlite3.Error):  # nothing was written; where SQLite ended it by itself, there is none
                    connection.execute("ROLLBACK")

    def close(self) -> None:
        """Let go of the file; closing twice is closing once."""
        with self._lock.lock:
            self.closed = True
            if self._process == os.getpid():
                self._discard()
            else:
                for connection in filter(None, (self._connection, self._source)):
                    abandon(connection)

    def __del__(self) -> None:
        if getattr(self, "closed", True):
            return
        for connection in filter(None, (self._connection, self._source)):
            with suppress(sqlite3.Error, TypeError, AttributeError):  # the interpreter may be on its way out
                connection.close() if self._process == os.getpid() else abandon(connection)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
