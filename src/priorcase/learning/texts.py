"""Values as short texts, the same on every surface."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.cells import cell_len, set_cell_size


def short(text: str, width: int) -> str:
    """Text on one line, cut to ``width`` columns of a terminal: wide characters take two.

    Examples
    --------
    >>> short("a\\nb", 10), short("abcdef", 4), short("東京都", 4)
    ('a b', 'abc…', '東 …')
    """
    text = " ".join(text.split())
    return text if cell_len(text) <= width else set_cell_size(text, width - 1) + "…"


def value_text(value: Any, width: int) -> str:
    """A value in few characters; ``?`` where it is missing."""
    if value is None:
        return "?"
    if isinstance(value, (float, np.floating)):
        return f"{value:.6g}"
    return short(str(value), width)


def rest_text(shown: int, queries: int) -> str:
    """How many queries are not shown; empty when all are."""
    return f"... and {queries - shown} more queries" if queries > shown else ""


def padded(text: str, width: int, *, right: bool = False) -> str:
    """Text filled up to ``width`` columns of a terminal."""
    space = " " * (width - cell_len(text))
    return space + text if right else text + space
