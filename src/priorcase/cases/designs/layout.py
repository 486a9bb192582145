"""Where the variables of a function graph stand in a picture: causes on the left, effects on the right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from priorcase.cases.designs.graph import Arc, FunctionGraph

Point = tuple[float, float]

_SWEEPS = 12
_ASIDE = 0.3


@dataclass(frozen=True)
class Layout:
    """Places in a picture.

    Parameters
    ----------
    places
        Of each variable.
    bends
        For each arc that is not straight, the point towards which it is bent: the control point of its quadratic
        Bézier curve.
    """

    places: dict[str, Point]
    bends: dict[Arc, Point]

    @property
    def corners(self) -> tuple[Point, Point]:
        """The lower left and the upper right end of all that is drawn, middles of variables and of arcs."""
        points = list(self.places.values())
        for arc, (x, y) in self.bends.items():
            start, end = self.places[arc.source], self.places[arc.target]
            points.append(((start[0] + 2 * x + end[0]) / 4, (start[1] + 2 * y + end[1]) / 4))
        (left, right), (low, high) = ((min(at), max(at)) for at in zip(*points, strict=True))
        return (left, low), (right, high)


def layered(graph: FunctionGraph) -> Layout:
    """Columns from causes to effects, each variable just before its first effect; rows so that arcs cross little.

    Variables that influence each other share a column. An arc over several columns takes a row of its own in those
    between, so that it runs through no variable (Sugiyama, Tagawa & Toda 1981).

    Examples
    --------
    >>> layered(FunctionGraph.parse("A +> B; C +> B")).places
    {'A': (0.0, 0.5), 'B': (1.0, 0.0), 'C': (0.0, -0.5)}
    """
    column = _columns(graph)
    points: dict[object, int] = {name: column[name] for name in graph.variables}
    near: dict[object, list[object]] = {name: [] for name in graph.variables}
    for arc in graph.arcs:
        between = [(arc, at) for at in range(column[arc.source] + 1, column[arc.target])]
        points.update({point: point[1] for point in between})
        chain: list[object] = [arc.source, *between, arc.target]
        for one, other in pairwise(chain):
            near.setdefault(one, []).append(other)
            near.setdefault(other, []).append(one)
    height = _ordered(points, near, _components(near))
    places = {name: (float(column[name]), height[name]) for name in graph.variables}
    bends = {arc: bend for arc in graph.arcs if (bend := _bend(arc, places, height)) is not None}
    return Layout(places, bends)


def _columns(graph: FunctionGraph) -> dict[str, int]:
    import networkx as nx

    whole = nx.condensation(graph.networkx())
    order = list(nx.lexicographical_topological_sort(whole, key=lambda part: min(whole.nodes[part]["members"])))
    column: dict[int, int] = {}
    for part in order:
        column[part] = max((column[before] + 1 for before in whole.predecessors(part)), default=0)
    for part in reversed(order):
        column[part] = min((column[after] - 1 for after in whole.successors(part)), default=column[part])
    first = min(column.values())
    return {name: column[part] - first for part in whole for name in whole.nodes[part]["members"]}


def _components(near: Mapping[object, list[object]]) -> dict[object, int]:
    """Which points hang together, numbered in the order of their first variables."""
    found: dict[object, int] = {}
    for number, start in enumerate(near):
        reached = [start]
        while reached:
            if (point := reached.pop()) not in found:
                found[point] = number
                reached.extend(near[point])
    return found


def _ordered(
    points: Mapping[object, int], near: Mapping[object, list[object]], component: Mapping[object, int]
) -> dict[object, float]:
    """The height of each point: what hangs together, then by the mean height of the neighbours, forth and back."""
    rows: dict[int, list[object]] = {}
    for point, at in sorted(points.items(), key=lambda pair: component[pair[0]]):
        rows.setdefault(at, []).append(point)
    height = _heights(rows)
    for sweep in range(_SWEEPS):
        for at in sorted(rows, reverse=sweep % 2 == 1):
            middle = {}
            for point in rows[at]:
                side = [height[other] for other in near[point]]
                middle[point] = sum(side) / len(side) if side else height[point]
            rows[at].sort(key=lambda point: (component[point], -middle[point]))
            height.update(_heights({at: rows[at]}))
    return height


def _heights(rows: Mapping[int, list[object]]) -> dict[object, float]:
    return {point: (len(points) - 1) / 2 - place for points in rows.values() for place, point in enumerate(points)}


def _bend(arc: Arc, places: Mapping[str, Point], height: Mapping[object, float]) -> Point | None:
    (x, y), (to_x, to_y) = places[arc.source], places[arc.target]
    middle_x, middle_y = (x + to_x) / 2, (y + to_y) / 2
    between = [height[arc, at] for at in range(int(x) + 1, int(to_x))]
    if between:  # through the middle of its rows
        return middle_x, 2 * sum(between) / len(between) - middle_y
    if x != to_x:
        return None
    # Down on the right, up on the left, and the further the more: an arc and the arc back stay apart.
    return middle_x + _ASIDE * (y - to_y), middle_y
