"""Names that fit into a picture and still tell apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

WIDTH = 24
"""How many characters of a name a legend or an axis shows."""

_DOLLAR = re.compile(r"(?<!\\)\$")


def caption(name: object, width: int = WIDTH) -> str:
    """One name for a picture: on one line, without its middle where it is too long, and never read as a formula.

    Examples
    --------
    >>> caption("mean radius of all cells 3", 18), caption("age")
    ('mean radi…cells 3', 'age')
    """
    return _literal(cut(_line(name), width))


def captions(names: Sequence[object], width: int = WIDTH) -> list[str]:
    """Several names for one picture, cut where they differ least: in the middle, at the end, or at the beginning.

    Examples
    --------
    >>> captions(["sensor 1 of the hall", "sensor 2 of the hall"], 12)
    ['sensor 1 of…', 'sensor 2 of…']
    """
    lines = [_line(name) for name in names]
    long = [line for line in lines if len(line) > width]
    if not long:
        return [_literal(line) for line in lines]
    first, last = min(long), max(long)
    shared = next((i for i, pair in enumerate(zip(first, last, strict=False)) if len(set(pair)) > 1), 0)
    ways: tuple[Callable[[str], str], ...] = (
        lambda line: cut(line, width),
        lambda line: _start(line, width),
        lambda line: _end(line, width),
        lambda line: line if len(line) <= width else _start(f"…{line[shared:]}", width),
    )
    tried = [[way(line) for line in lines] for way in ways]
    return [_literal(line) for line in max(tried, key=lambda found: len(set(found)))]


def cut(text: str, width: int) -> str:
    """Text without its middle where it is too long: names in a table often differ at their ends.

    Examples
    --------
    >>> cut("mean radius of all cells 3", 18), cut("age", 18)
    ('mean radi…cells 3', 'age')
    """
    if len(text) <= width:
        return text
    end = (width - 1) // 2
    return f"{text[: width - 1 - end].rstrip()}…{text[-end:].lstrip()}"


def _start(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1].rstrip()}…"


def _end(text: str, width: int) -> str:
    return text if len(text) <= width else f"…{text[1 - width :].lstrip()}"


def _line(name: object) -> str:
    return " ".join(str(name).split())


def _literal(text: str) -> str:
    """Text in which matplotlib takes a dollar for a dollar, and not for the beginning of a formula."""
    return _DOLLAR.sub(r"\\$", text)
