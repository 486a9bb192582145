"""What is being measured, said on standard error: a bar where that is a terminal, a line elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

Step = TypeVar("Step")


class Track(Protocol):
    """A way to go through steps that take long."""

    def __call__(self, steps: Sequence[Step], text: str, /) -> Iterable[Step]:
        """The steps in turn; the text says what they do."""
        ...


def silently(steps: Sequence[Step], text: str, /) -> Iterable[Step]:
    """The steps, and not a word.

    Examples
    --------
    >>> list(silently(range(3), "counting"))
    [0, 1, 2]
    """
    return steps


def on_terminal(steps: Sequence[Step], text: str, /) -> Iterator[Step]:
    """The steps with a bar on standard error that goes away when they are done; without a terminal, not a word."""
    yield from aloud(steps, text) if sys.stderr.isatty() else steps


def aloud(steps: Sequence[Step], text: str, /) -> Iterator[Step]:
    """The steps with a bar on standard error that goes away when they are done; without a terminal, with a line."""
    if not sys.stderr.isatty():
        print(text, file=sys.stderr, flush=True)
        yield from steps
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(steps, text, console=Console(stderr=True), transient=True)
