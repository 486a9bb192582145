"""A bar on standard error while something takes long, where that is a terminal; nothing at all otherwise."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

Advance: TypeAlias = Callable[[str], None]
"""Called with what was done, whenever one step is done."""

_ROWS_AT_ONCE = 512
_MANY_ROWS = 20_000


@contextmanager
def bar(total: int, *, shown: bool, text: str = "mixture") -> Iterator[Advance]:
    """A bar of ``total`` steps that goes away when it is done; ``text`` stands before it until the first step is done.

    Examples
    --------
    >>> with bar(2, shown=False) as advance:
    ...     advance("3 components")
    """
    if not shown or total < 2 or not sys.stderr.isatty():
        yield _silently
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(text, total=total)
        yield lambda text: progress.update(task, advance=1, description=text)


def blocks(n: int, *, text: str) -> Iterator[slice]:
    """Parts of ``n`` rows one after the other, between which Ctrl-C is heard, with a bar where there are many.

    Examples
    --------
    >>> list(blocks(1000, text="rows"))
    [slice(0, 512, None), slice(512, 1000, None)]
    """
    starts = range(0, n, _ROWS_AT_ONCE)
    with bar(len(starts), shown=n >= _MANY_ROWS, text=text) as advance:
        for start in starts:
            yield slice(start, min(start + _ROWS_AT_ONCE, n))
            advance(text)


def _silently(text: str) -> None:
    """Say nothing."""
