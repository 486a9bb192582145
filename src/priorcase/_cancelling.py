"""Work that is given up: whoever wants an answer keeps a `Cancellation`, and the work asks it now and then.

The compiled core asks within its long loops, where it also looks for Ctrl-C; Python asks between blocks of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import local

from priorcase._core import set_interrupt_check


class Cancelled(BaseException):
    """Nobody waits for the answer any more. Like KeyboardInterrupt it passes through ``except Exception``."""


class Cancellation:
    """Lets another thread give up what a thread works on within `watched`.

    Examples
    --------
    >>> giving_up = Cancellation()
    >>> giving_up.cancel()
    >>> try:
    ...     with giving_up.watched():
    ...         check_cancelled()
    ... except Cancelled:
    ...     print("given up")
    given up
    """

    def __init__(self) -> None:
        self._cancelled = False
        self._end: Callable[[], None] | None = None

    def cancel(self) -> None:
        """Let the work end at its next check."""
        self._cancelled = True
        if (end := self._end) is not None:
            end()

    def check(self) -> None:
        """Raise `Cancelled` where the work was given up."""
        if self._cancelled:
            raise Cancelled

    @contextmanager
    def ending(self, end: Callable[[], None]) -> Iterator[None]:
        """Within this, giving up calls ``end`` at once, for work that cannot check, such as another process."""
        self._end = end
        try:
            self.check()
            yield
        finally:
            self._end = None

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Within this, `check_cancelled` and the compiled core ask on this thread whether to go on."""
        before, _OF.cancellation = getattr(_OF, "cancellation", None), self
        try:
            yield
        finally:
            _OF.cancellation = before


_OF = local()


def check_cancelled() -> None:
    """Raise `Cancelled` where the work of this thread was given up."""
    cancellation: Cancellation | None = getattr(_OF, "cancellation", None)
    if cancellation is not None:
        cancellation.check()


set_interrupt_check(check_cancelled)
