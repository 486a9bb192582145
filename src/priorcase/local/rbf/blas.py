"""Linear algebra on one thread, so that the number of threads changes no bit of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import RLock
from typing import Any

from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

# The limit is the whole process's: two threads that set it and put it back in turns could leave it behind.
_ALONE = RLock()


@contextmanager
def one_thread() -> Iterator[None]:
    """Let BLAS and LAPACK use one thread while the context lasts; a second caller waits for the first.

    Blocks here are small: more threads would gain little, and lose much where other work keeps the cores busy.

    Examples
    --------
    >>> with one_thread():
    ...     pass
    """
    with _ALONE, _controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> Any:
    import numpy.linalg  # noqa: F401  # finds the libraries that are loaded by now

    return ThreadpoolController()
