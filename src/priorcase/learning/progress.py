"""A bar on standard error while something takes long, where that is a terminal; nothing at all otherwise."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

Advance: TypeAlias = Callable[[str], None]
"""Called with what was done, whenever one step is done."""


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


def _silently(text: str) -> None:
    """Say nothing."""
