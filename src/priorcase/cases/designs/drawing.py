"""Pictures of function graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from priorcase.cases.designs.graph import Arc, FunctionGraph
from priorcase.cases.designs.layout import Layout, Point, layered
from priorcase.cases.designs.pieces import Piece
from priorcase.learning.plotting import INK, MUTED, caption, colour, drawing, legend_beside

_MINUS = (0, (5, 2.2))
_WIDTH, _HEIGHT = 1.8, 0.95
_LARGEST = 14.0


def draw_design(ax: Any, graph: FunctionGraph, pieces: Sequence[Piece], missing: Sequence[Arc]) -> Any:
    """A function graph whose arcs are coloured and numbered by piece, and dashed where the sign is minus."""
    layout = layered(graph)
    (left, low), (right, high) = layout.corners
    size = (min(3.6 + _WIDTH * (right - left), _LARGEST), min(1.2 + _HEIGHT * (high - low), _LARGEST))
    with drawing(ax, size=size) as ax:
        boxes = {name: _draw_variable(ax, name, graph.labels.get(name), at) for name, at in layout.places.items()}
        for number, piece in enumerate(pieces, 1):
            for arc in piece.arcs:
                _draw_arc(ax, arc, layout, boxes, shade=colour(number - 1), text=f"{arc.sign} ({number})")
        for arc in missing:
            _draw_arc(ax, arc, layout, boxes, shade=MUTED, text=f"{arc.sign} (?)")
        ax.set_xlim(left - 0.3, right + 0.3)
        ax.set_ylim(low - 0.4, high + 0.4)
        ax.set_axis_off()
        _legend(ax, pieces, missing)
        return ax


def _draw_variable(ax: Any, name: str, quantity: str | None, at: Point) -> Any:
    box = {"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": INK, "linewidth": 0.9}
    text = caption(name, 14) if quantity is None else f"{caption(name, 14)}\n{caption(quantity, 14)}"
    # Below the arrows: a box knows its size once it is drawn, and arrows end at boxes.
    look = {"ha": "center", "va": "center", "fontsize": 8.5, "linespacing": 1.15, "zorder": 2}
    return ax.text(*at, text, bbox=box, **look).get_bbox_patch()


def _draw_arc(ax: Any, arc: Arc, layout: Layout, boxes: Mapping[str, Any], *, shade: str, text: str) -> None:
    from matplotlib.patches import FancyArrowPatch

    start, end = layout.places[arc.source], layout.places[arc.target]
    bend = layout.bends.get(arc, ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2))
    arrow = FancyArrowPatch(
        start,
        end,
        connectionstyle=_curve(ax, bend),
        arrowstyle="-|>",
        mutation_scale=12,
        patchA=boxes[arc.source],
        patchB=boxes[arc.target],
        shrinkA=0,
        shrinkB=1.5,
        linewidth=1.7,
        linestyle="-" if arc.sign == "+" else _MINUS,
        color=shade,
        zorder=3,
    )
    ax.add_patch(arrow)
    # Nearer to the tail than to the head, where many arrows come together.
    t = 0.4
    x, y = ((1 - t) ** 2 * start[axis] + 2 * t * (1 - t) * bend[axis] + t**2 * end[axis] for axis in (0, 1))
    ground = {"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none"}
    look = {"ha": "center", "va": "center", "fontsize": 8, "weight": "bold", "zorder": 4}
    ax.text(x, y, text.replace("-", "−"), color=shade, bbox=ground, **look)


def _curve(ax: Any, bend: Point) -> Any:
    """A curve towards a point that is given in the coordinates of the data."""
    from matplotlib.patches import ConnectionStyle
    from matplotlib.path import Path

    base: Any = ConnectionStyle._Base

    class Curve(base):
        def connect(self, start: Any, end: Any) -> Any:
            return Path([start, ax.transData.transform(bend), end], [Path.MOVETO, Path.CURVE3, Path.CURVE3])

    return Curve()


def _legend(ax: Any, pieces: Sequence[Piece], missing: Sequence[Arc]) -> None:
    from matplotlib.lines import Line2D

    # The signs come first, since a legend shows only so many entries.
    samples = [
        Line2D([], [], color=INK, linewidth=1.2, label="+ increases"),
        Line2D([], [], color=INK, linewidth=1.2, linestyle=_MINUS, label="− decreases"),
    ]
    if missing:
        samples.append(Line2D([], [], color=MUTED, linewidth=1.8, label="(?) not realised"))
    samples.extend(
        Line2D([], [], color=colour(i), linewidth=1.8, label=f"({i + 1}) {piece.fragment.name}")
        for i, piece in enumerate(pieces)
    )
    legend_beside(ax, samples=samples, width=30)
