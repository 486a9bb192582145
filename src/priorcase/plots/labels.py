"""Names that fit into a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from priorcase.learning.plotting import captions

WIDTH = 18
AXIS_WIDTH = 40
_SIZE = 8.5
_LINE = 1.15
_SLANTED = 1.6
_LETTER = 0.62


def name_places(axis: Any, names: Sequence[str]) -> None:
    """Names at the places 0, 1, ... of an axis of matplotlib: slanted where they need room, of many those that fit.

    Parameters
    ----------
    axis
        ``ax.xaxis`` or ``ax.yaxis``.
    names
        The names, in the order of the places.
    """
    across = axis.axis_name == "x"
    room = _points(axis, across)
    most = max(2, int(room / (_SIZE * (_SLANTED if across else _LINE))))
    step = -(-len(names) // most)
    shown = captions(names, WIDTH)[::step]
    axis.set_ticks(range(0, len(names), step), shown)
    if across and sum(len(name) + 2 for name in shown) * _LETTER * _SIZE > room:
        for text in axis.get_ticklabels():
            text.set(rotation=45, ha="right", rotation_mode="anchor")


def _points(axis: Any, across: bool) -> float:
    """The length of an axis in points, as far as it is known before the picture is laid out."""
    box, dpi = axis.axes.bbox, axis.axes.figure.dpi
    return float(72.0 * (box.width if across else box.height) / dpi)
