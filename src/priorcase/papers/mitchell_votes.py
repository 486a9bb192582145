"""Mitchell's Figure 8.1: plus and minus around a query, and the Voronoi cells by which one neighbour decides."""

from __future__ import annotations

from typing import Any

import numpy as np

from priorcase._typing import FloatArray
from priorcase.learning.plotting import INK, MUTED, class_styles, plot_style
from priorcase.neighbors import KNNClassifier
from priorcase.papers.figure_table import Figure, FigureTable
from priorcase.papers.picture import Picture
from priorcase.plots import VoronoiCells
from priorcase.similarity import euclidean

POINTS = np.array(
    [
        [0.545, 0.560], [0.350, 0.570], [0.520, 0.350], [0.660, 0.480], [0.610, 0.690],
        [0.200, 0.800], [0.130, 0.420], [0.330, 0.180], [0.840, 0.840], [0.880, 0.330],
        [0.410, 0.880], [0.700, 0.130],
    ]
)  # fmt: skip
CLASSES = np.array(["+", "-", "-", "-", "+", "-", "-", "+", "+", "-", "+", "+"])
QUERY = np.array([[0.48, 0.52]])
"""The points of the book's figure are lost to us; these are placed so that its two sentences hold."""


def voter(k: int, vote: str = "uniform") -> KNNClassifier:
    """k-NN by the Euclidean distance on the points of the figure."""
    return KNNClassifier(k, distance=euclidean(), vote=vote, n_jobs=1).fit(POINTS, CLASSES)


def share_of(model: Any, X: Any, label: str) -> float:
    """The probability of a class for one query."""
    return float(model.predict_proba(X)[0, model.classes_.tolist().index(label)])


def decisions() -> FigureTable:
    """What 1-NN and 5-NN say about the query, beside what the book says they do."""
    rows = {}
    for k, printed in ((1, "+"), (5, "-")):
        model = voter(k)
        plus = share_of(model, QUERY, "+")
        rows[f"{k}-nearest neighbour"] = (
            Figure(str(model.predict(QUERY)[0]), printed),
            Figure(plus * k, digits=(0, 0)),
        )
    return FigureTable("the query of Figure 8.1", ("class: ours (book)", "votes for +"), rows, (0, 0))


def cells() -> VoronoiCells:
    """The Voronoi cell of each point, by the distance of the classifier itself."""
    return VoronoiCells.of(voter(1))


def figure_8_1() -> Picture:
    """The two halves of the figure."""
    distances, ids = voter(5).kneighbors(QUERY, n_neighbors=len(POINTS))
    rank = np.empty(len(POINTS), dtype=np.int64)
    rank[ids[0]] = np.arange(1, len(POINTS) + 1)
    columns = {
        "x": POINTS[:, 0].tolist(),
        "y": POINTS[:, 1].tolist(),
        "class": CLASSES.tolist(),
        "rank from the query": rank.tolist(),
        "distance from the query": distances[0][rank - 1].tolist(),
    }

    def draw(figure: Any) -> None:
        with plot_style():
            left, right = figure.subplots(1, 2)
            _draw_query(left, ids[0], distances[0])
            _draw_cells(right)

    caption = (
        "Left: the query x_q (cross), its nearest neighbour inside the small circle and its five nearest inside the "
        "large one: the nearest says +, three of the five say -. Right: the Voronoi cell of each example, all points "
        "nearer to it than to any other; 1-NN answers by the example's class in all of its cell (hatched: -)."
    )
    return Picture("figure-8.1", caption, columns, draw, (7.4, 3.8))


def _draw_query(ax: Any, ids: Any, distances: FloatArray) -> None:
    from matplotlib.patches import Circle

    for k, dash in ((1, "-"), (5, "--")):
        radius = float(distances[k - 1 : k + 1].mean())
        ax.add_patch(Circle(tuple(QUERY[0]), radius, fill=False, color=MUTED, linestyle=dash, linewidth=1.0))
    _draw_points(ax)
    ax.scatter(*QUERY.T, marker="x", color=INK, s=40, linewidth=1.6, zorder=5)
    ax.annotate("$x_q$", tuple(QUERY[0]), (-14, -10), textcoords="offset points", color=INK)
    _frame(ax, "1-NN says $+$, 5-NN says $-$")


def _draw_cells(ax: Any) -> None:
    looks = class_styles(["+", "-"])
    found = cells()
    for label, corners in zip(found.targets.tolist(), found.corners, strict=True):
        look = looks[label]
        hatch = "" if label == "+" else "////"
        ax.fill(*corners.T, facecolor=look.tint, edgecolor=look.colour, hatch=hatch, linewidth=0)
        ax.fill(*corners.T, fill=False, edgecolor=INK, linewidth=0.8)
    _draw_points(ax, halo=True)
    _frame(ax, "the Voronoi cells by which 1-NN decides")


def _draw_points(ax: Any, *, halo: bool = False) -> None:
    for (label, look), sign in zip(class_styles(["+", "-"]).items(), "+_", strict=True):
        own = POINTS[label == CLASSES].T
        if halo:
            ax.scatter(*own, marker="o", color="white", s=70, zorder=3)
        ax.scatter(*own, marker=sign, color=INK if halo else look.colour, s=70, linewidth=2.4, zorder=4)


def _frame(ax: Any, title: str) -> None:
    x, y = cells().axes
    ax.set(title=title, xlim=x.span, ylim=y.span, aspect="equal", xticks=[], yticks=[])
    ax.grid(False)
    ax.spines[["top", "right"]].set_visible(True)
