"""Several threads at one estimator: many may read at a time, one may write alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition, RLock, get_ident

from priorcase.exceptions import CaseBaseBusyError


class ReadersWriter:
    """A lock that any number of readers hold together, or one writer alone.

    A waiting writer goes before readers that come later, so that it is not kept out for ever. A reader may read again,
    and a writer may read and write again, inside what it holds. A copy, pickled or not, is a new lock.
    """

    def __init__(self) -> None:
        self._mutex = RLock()
        self._changed = Condition(self._mutex)
        self._readers: dict[int, int] = {}
        self._writer: int | None = None
        self._waiting = 0
        self._asleep = 0

    def __reduce__(self) -> tuple[type[ReadersWriter], tuple[()]]:
        return ReadersWriter, ()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Hold the lock together with other readers."""
        self.start_reading()
        try:
            yield
        finally:
            self.stop_reading()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the lock alone."""
        fresh = self.start_writing()
        try:
            yield
        finally:
            if fresh:
                self.stop_writing()

    def start_reading(self) -> None:
        """Take the lock together with other readers; `stop_reading` gives it back."""
        me = get_ident()
        with self._mutex:
            while self._writer != me and me not in self._readers and (self._waiting or self._writer is not None):
                self._sleep()
            self._readers[me] = self._readers.get(me, 0) + 1

    def stop_reading(self) -> None:
        """Give back what `start_reading` took."""
        me = get_ident()
        with self._mutex:
            self._readers[me] -= 1
            if not self._readers[me]:
                del self._readers[me]
                self._wake()

    def start_writing(self) -> bool:
        """Take the lock alone; False where this thread has it already, so that it need not give it back."""
        me = get_ident()
        if self._writer == me:
            return False
        if me in self._readers:  # it would wait for itself
            raise CaseBaseBusyError(
                "An estimator was asked to learn or forget rows from inside its own answer to a query. Change it when "
                "predict has returned, for example not in a vote function."
            )
        with self._mutex:
            self._waiting += 1
            try:
                while self._readers or self._writer is not None:
                    self._sleep()
                self._writer = me
            except BaseException:
                self._wake()  # readers may be waiting for this writer
                raise
            finally:
                self._waiting -= 1
        return True

    def stop_writing(self) -> None:
        """Give back what `start_writing` took."""
        with self._mutex:
            self._writer = None
            self._wake()

    def _sleep(self) -> None:
        """Give the mutex away until something has changed."""
        self._asleep += 1
        try:
            self._changed.wait()
        finally:
            self._asleep -= 1

    def _wake(self) -> None:
        """Something has changed."""
        if self._asleep:
            self._changed.notify_all()
