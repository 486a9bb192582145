"""Names that fit into a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_WIDTH = 18
_LEVEL = 48
_MOST = 40


def cut(text: str, width: int = _WIDTH) -> str:
    """A name without its middle where it is too long: names in a table often differ at their ends.

    Examples
    --------
    >>> cut("mean radius of all cells 3"), cut("age")
    ('mean radi…cells 3', 'age')
    """
    if len(text) <= width:
        return text
    end = (width - 1) // 2
    return f"{text[: width - 1 - end].rstrip()}…{text[-end:].lstrip()}"


def name_places(axis: Any, names: Sequence[str]) -> None:
    """Names at the places 0, 1, ... of an axis of matplotlib: slanted where they need room, of many some.

    Parameters
    ----------
    axis
        ``ax.xaxis`` or ``ax.yaxis``.
    names
        The names, in the order of the places.
    """
    step = -(-len(names) // _MOST)
    shown = [cut(name) for name in names[::step]]
    axis.set_ticks(range(0, len(names), step), shown)
    if axis.axis_name == "x" and sum(len(name) + 2 for name in shown) > _LEVEL:
        for text in axis.get_ticklabels():
            text.set(rotation=45, ha="right", rotation_mode="anchor")
