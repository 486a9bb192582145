"""Cancellation of long computations through a `Cancellation` object that the computation checks regularly.

The compiled core checks for cancellation and for Ctrl-C in its long loops. Python code checks for cancellation between
blocks of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import local

from priorcase._core import set_interrupt_check


class Cancelled(BaseException):
    """Raised when a computation is canceled; like KeyboardInterrupt, it is not caught by ``except Exception``."""


class Cancellation:
    """Object whose method `cancel` can be called from another thread to stop the work inside a `watched` block.

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
        """Stop the work at its next check for cancellation. Inside an `ending` block, immediately call ``end``."""
        self._cancelled = True
        if (end := self._end) is not None:
            end()

    def check(self) -> None:
        """Raise `Cancelled` if `cancel` was called."""
        if self._cancelled:
            raise Cancelled

    @contextmanager
    def ending(self, end: Callable[[], None]) -> Iterator[None]:
        """Return a context manager for work that cannot check for cancellation: `cancel` immediately calls ``end``."""
        self._end = end
        try:
            self.check()
            yield
        finally:
            self._end = None

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Return a context manager; inside its block, `cancel` stops the work of the current thread."""
        before, _OF.cancellation = getattr(_OF, "cancellation", None), self
        try:
            yield
        finally:
            _OF.cancellation = before


_OF = local()


def check_cancelled() -> None:
    """Raise `Cancelled` if the work of the current thread was canceled."""
    cancellation: Cancellation | None = getattr(_OF, "cancellation", None)
    if cancellation is not None:
        cancellation.check()


set_interrupt_check(check_cancelled)
