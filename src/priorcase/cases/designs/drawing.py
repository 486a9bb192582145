"""Plots of function graphs, with causes on the left, effects on the right, and arcs colored by piece."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from priorcase.cases.designs.graph import Arc, FunctionGraph
from priorcase.learning.plotting import INK, MUTED, caption, color, drawing, legend_beside

Point = tuple[float, float]

_SWEEPS = 12
_ASIDE = 0.3
_MINUS = (0, (5, 2.2))
_WIDTH, _HEIGHT = 1.8, 0.95
_LARGEST = 14.0


@dataclass(frozen=True)
class Layout:
    """The positions of the variables, and the Bézier control points of the arcs that are not straight."""

    places: dict[str, Point]
    bends: dict[Arc, Point]

    @property
    def corners(self) -> tuple[Point, Point]:
        """The lower left and upper right corners of the box that contains the centers of all variables and arcs."""
        points = list(self.places.values())
        for arc, (x, y) in self.bends.items():
            start, end = self.places[arc.source], self.places[arc.target]
            points.append(((start[0] + 2 * x + end[0]) / 4, (start[1] + 2 * y + end[1]) / 4))
        (left, right), (low, high) = ((min(at), max(at)) for at in zip(*points, strict=True))
        return (left, low), (right, high)


def layered(graph: FunctionGraph) -> Layout:
    """Arrange the variables in columns from causes to effects, with few crossings (Sugiyama, Tagawa & Toda 1981)."""
    import networkx as nx

    column = _columns(graph)
    points = nx.Graph()  # variables, and for each long arc a point in every column between its ends
    points.add_nodes_from((name, {"column": column[name]}) for name in graph.variables)
    for arc in graph.arcs:
        between = [(arc, at) for at in range(column[arc.source] + 1, column[arc.target])]
        points.add_nodes_from((point, {"column": point[1]}) for point in between)
        points.add_edges_from(pairwise([arc.source, *between, arc.target]))
    height = _heights(points)
    places = {name: (float(column[name]), height[name]) for name in graph.variables}
    bends = {arc: bend for arc in graph.arcs if (bend := _bend(arc, places, height)) is not None}
    return Layout(places, bends)


def _columns(graph: FunctionGraph) -> dict[str, int]:
    import networkx as nx

    whole = nx.condensation(graph.networkx())
    column = {part: at for at, layer in enumerate(nx.topological_generations(whole)) for part in layer}
    for part in sorted(whole, key=column.__getitem__, reverse=True):
        column[part] = min((column[after] - 1 for after in whole.successors(part)), default=column[part])
    first = min(column.values())
    return {name: column[part] - first for part in whole for name in whole.nodes[part]["members"]}


def _heights(points: Any) -> dict[Any, float]:
    """Return the height of each point; a column is sorted by connected component, then by mean height of neighbors."""
    import networkx as nx

    component = {point: i for i, part in enumerate(nx.connected_components(points)) for point in part}
    rows: dict[int, list[Any]] = {}
    for point, at in sorted(points.nodes(data="column"), key=lambda pair: component[pair[0]]):
        rows.setdefault(at, []).append(point)
    height: dict[Any, float] = {}

    def spread(at: int) -> None:
        height.update({point: (len(rows[at]) - 1) / 2 - place for place, point in enumerate(rows[at])})

    for at in rows:
        spread(at)
    for sweep in range(_SWEEPS):
        for at in sorted(rows, reverse=sweep % 2 == 1):
            middle = {point: sum(height[other] for other in points[point]) / len(points[point]) for point in rows[at]}
            rows[at].sort(key=lambda point: (component[point], -middle[point]))
            spread(at)
    return height


def _bend(arc: Arc, places: Mapping[str, Point], height: Mapping[Any, float]) -> Point | None:
    (x, y), (to_x, to_y) = places[arc.source], places[arc.target]
    middle_x, middle_y = (x + to_x) / 2, (y + to_y) / 2
    between = [height[arc, at] for at in range(int(x) + 1, int(to_x))]
    if between:  # through the middle of its rows
        return middle_x, 2 * sum(between) / len(between) - middle_y
    if x != to_x:
        return None
    # An arc within a column bends right if it goes down and left if it goes up, in proportion to its length, so that an
    # arc and the arc in the opposite direction do not overlap.
    return middle_x + _ASIDE * (y - to_y), middle_y


def draw_design(
    ax: Any, graph: FunctionGraph, pieces: Sequence[tuple[str, Sequence[Arc]]], missing: Sequence[Arc]
) -> Any:
    """Draw a function graph, with arcs colored and numbered by piece, and dashed if the sign is minus."""
    layout = layered(graph)
    (left, low), (right, high) = layout.corners
    size = (min(3.6 + _WIDTH * (right - left), _LARGEST), min(1.2 + _HEIGHT * (high - low), _LARGEST))
    with drawing(ax, size=size) as ax:
        boxes = {name: _draw_variable(ax, name, graph.labels.get(name), at) for name, at in layout.places.items()}
        for number, (_, arcs) in enumerate(pieces, 1):
            for arc in arcs:
                _draw_arc(ax, arc, layout, boxes, shade=color(number - 1), text=f"{arc.sign} ({number})")
        for arc in missing:
            _draw_arc(ax, arc, layout, boxes, shade=MUTED, text=f"{arc.sign} (?)")
        ax.set_xlim(left - 0.3, right + 0.3)
        ax.set_ylim(low - 0.4, high + 0.4)
        ax.set_axis_off()
        _legend(ax, [name for name, _ in pieces], bool(missing))
        return ax


def _draw_variable(ax: Any, name: str, quantity: str | None, at: Point) -> Any:
    box = {"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": INK, "linewidth": 0.9}
    text = caption(name, 14) if quantity is None else f"{caption(name, 14)}\n{caption(quantity, 14)}"
    # Boxes are drawn first, below the arrows: arrows end at boxes, whose sizes are known only after drawing.
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
    # Place the label nearer to the tail, since many arrows can meet at the head.
    t = 0.4
    x, y = ((1 - t) ** 2 * start[axis] + 2 * t * (1 - t) * bend[axis] + t**2 * end[axis] for axis in (0, 1))
    ground = {"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none"}
    look = {"ha": "center", "va": "center", "fontsize": 8, "weight": "bold", "zorder": 4}
    ax.text(x, y, text.replace("-", "−"), color=shade, bbox=ground, **look)


def _curve(ax: Any, bend: Point) -> Any:
    """Return a Matplotlib connection style: a curve with the control point ``bend`` in data coordinates."""
    from matplotlib.patches import ConnectionStyle
    from matplotlib.path import Path

    base: Any = ConnectionStyle._Base

    class Curve(base):
        def connect(self, start: Any, end: Any) -> Any:
            return Path([start, ax.transData.transform(bend), end], [Path.MOVETO, Path.CURVE3, Path.CURVE3])

    return Curve()


def _legend(ax: Any, names: Sequence[str], missing: bool) -> None:
    from matplotlib.lines import Line2D

    # The signs come first, since a legend shows a limited number of entries.
    samples = [
        Line2D([], [], color=INK, linewidth=1.2, label="+ increases"),
        Line2D([], [], color=INK, linewidth=1.2, linestyle=_MINUS, label="− decreases"),
    ]
    if missing:
        samples.append(Line2D([], [], color=MUTED, linewidth=1.8, label="(?) not realized"))
    for i, name in enumerate(names):
        samples.append(Line2D([], [], color=color(i), linewidth=1.8, label=f"({i + 1}) {name}"))
    legend_beside(ax, samples=samples, width=30)
