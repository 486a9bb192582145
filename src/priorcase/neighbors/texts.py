"""Values, labels and answers as short texts, the same on every surface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from rich.cells import cell_len, set_cell_size

if TYPE_CHECKING:
    from priorcase.neighbors.precedents import Precedents

_CLASSES = 4


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


def item(values: Any, i: int) -> Any:
    """The prediction or target of one row; a tuple when there are several targets."""
    return values[i] if values.ndim == 1 else tuple(values[i].tolist())


def answer_text(one: Precedents, width: int) -> tuple[str, str]:
    """The prediction of a single query, and the probabilities of the likeliest classes (empty without any)."""
    answer = value_text(item(one.predictions, 0), width)
    if one.probabilities is None or one.classes is None:
        return answer, ""
    shares = one.probabilities[0]
    likely = [c for c in np.argsort(-shares, kind="stable")[:_CLASSES].tolist() if shares[c] > 0]
    more = ", ..." if np.count_nonzero(shares) > len(likely) else ""
    listed = ", ".join(f"{value_text(one.classes[c], width)} {shares[c]:.2f}" for c in likely)
    return answer, f"  ({listed}{more})"


def rest_text(shown: int, queries: int) -> str:
    """How many queries are not shown; empty when all are."""
    return f"... and {queries - shown} more queries" if queries > shown else ""


def padded(text: str, width: int, *, right: bool = False) -> str:
    """Text filled up to ``width`` columns of a terminal."""
    space = " " * (width - cell_len(text))
    return space + text if right else text + space
