"""Lines of texts as aligned columns."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

import numpy as np
from rich.cells import cell_len, set_cell_size

_VALUE_WIDTH = 24


def aligned(lines: Sequence[Sequence[str]], *, right: Container[int] = (), indent: str = "") -> str:
    """Lines of as many texts each, one below the other; the columns in ``right`` flush right.

    Examples
    --------
    >>> print(aligned([["n", "score"], ["10", "-1.5"]], right=(0, 1)))
     n  score
    10   -1.5
    """
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    texts = []
    for line in lines:
        cells = []
        for column, (text, width) in enumerate(zip(line, widths, strict=True)):
            space = " " * (width - cell_len(text))
            cells.append(space + text if column in right else text + space)
        texts.append((indent + "  ".join(cells)).rstrip())
    return "\n".join(texts)


def text_of(value: Any, width: int = _VALUE_WIDTH) -> str:
    """A value in few characters; ``?`` where it is missing."""
    if value is None:
        return "?"
    if isinstance(value, (float, np.floating)):
        return f"{value:.6g}"
    text = " ".join(str(value).split())
    return text if cell_len(text) <= width else set_cell_size(text, width - 1) + "…"
