"""Plot of dependencies between attributes: the probability of each edge, and the best tree."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np
from sklearn.utils._param_validation import StrOptions

from priorcase._parameters import check_value
from priorcase._typing import Backend, FloatArray, IntArray, Name
from priorcase.bayes.results import EdgeTable
from priorcase.exceptions import ParameterError, quoted
from priorcase.learning.plotting import FAINT, INK, MUTED, captions, color, drawing, tint
from priorcase.learning.results import framed, label_text
from priorcase.plots.display import NAME_WIDTH, Display, draw_colorbar

Kind = Literal["tree", "ring", "heat map"]

_LEAST = 0.02
_SMALL = 20
_WIDEST = 10.0


@dataclass(frozen=True, eq=False, repr=False)
class TreePosterior(Display):
    """Posterior probability of an edge between any two attributes, and the best tree; created by `TreePosterior.of`.

    ``names`` are the attributes, ``probabilities`` is the symmetric matrix of edge probabilities, and ``tree`` contains
    the edges of the tree as pairs of attribute positions, shape (attributes - 1, 2). ``averaged`` is True if the model
    averages over all trees, and False if the model predicts from a single tree.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[first, second, other] for first in "ab" for second in "ab" for other in "xy"] * 25
    >>> y = ["same" if first == second else "differ" for first, second, _ in X]
    >>> TreePosterior.of(pc.TreeAveragedBayes().fit(X, y)).probabilities.round(2)
    array([[0. , 1. , 0.5],
           [1. , 0. , 0.5],
           [0.5, 0.5, 0. ]])
    """

    names: tuple[Name, ...]
    probabilities: FloatArray
    tree: IntArray
    averaged: bool
    backend: Backend | None = None

    @classmethod
    def of(cls, model: Any) -> TreePosterior:
        """Create a display of the edges of a fitted `TreeAveragedBayes` or `TreeAugmentedBayes`.

        For `TreeAveragedBayes`, the edge probabilities are averages over all trees, and the tree is the one with the
        largest product of edge probabilities. `TreeAugmentedBayes` has a single tree; only its edges have
        probabilities.
        """
        if not hasattr(model, "edge_table"):
            raise ParameterError(
                f"model must be a fitted model with edges, got {quoted(model)}. TreeAveragedBayes and "
                "TreeAugmentedBayes have edges."
            )
        table: EdgeTable = model.edge_table()
        labels = [model.schema_.label(a) for a in range(len(model.schema_))]
        at = {label: a for a, label in enumerate(labels)}
        pairs = np.array([[at[u], at[v]] for u, v in table.pairs], np.int64).reshape(-1, 2)
        probabilities = np.zeros((len(labels), len(labels)))
        probabilities[pairs[:, 0], pairs[:, 1]] = probabilities[pairs[:, 1], pairs[:, 0]] = table.probabilities
        averaged = hasattr(model, "edge_probabilities_")
        tree = spanning_tree(probabilities) if averaged else pairs
        names = tuple(map(label_text, labels))
        return cls(names, probabilities, tree, averaged, table.backend)

    def _summary(self) -> str:
        return f"tree of {len(self.tree)} edges between {len(self.names)} attributes"

    @property
    def _edges(self) -> set[tuple[int, int]]:
        return {(min(edge), max(edge)) for edge in self.tree.tolist()}

    def frame(self) -> Any:
        """Return a frame with one row per pair of attributes, in descending order of probability.

        The columns are ``attribute``, ``other``, ``probability`` and ``in_tree``. For a model with a single
        tree, the frame contains only the edges of this tree.
        """
        u, v = np.triu_indices(len(self.names), 1) if self.averaged else self.tree.T
        order = np.argsort(-self.probabilities[u, v], kind="stable")
        pairs = list(zip(u[order].tolist(), v[order].tolist(), strict=True))
        columns = {
            "attribute": [self.names[a] for a, _ in pairs],
            "other": [self.names[b] for _, b in pairs],
            "probability": self.probabilities[u, v][order],
            "in_tree": [pair in self._edges for pair in pairs],
        }
        return framed(columns, self.backend)

    def plot(self, ax: Any = None, kind: Kind | None = None) -> Any:
        """Plot the edges; return the axes.

        Parameters
        ----------
        ax
            Matplotlib axes; None for a new figure.
        kind
            ``"tree"``: the tree alone, with line widths by probability. ``"ring"``: attributes on a circle, with all
            edges that have a probability of at least 2%. ``"heat map"``: the matrix of probabilities. None: a tree if
            the model has a single tree; otherwise a ring, or a heat map for more than 16 attributes.
        """
        check_value("kind", kind, [None, StrOptions(set(get_args(Kind)))])
        n = len(self.names)
        how = kind or ("tree" if not self.averaged else "ring" if n <= 16 else "heat map")
        places = ring(n) if how == "ring" else spread_tree(self.tree, n)
        size, lying = self._size(how, places)
        with drawing(ax, size=size) as ax:
            if how == "heat map":
                self._draw_map(ax)
            else:
                if lying:  # the root on the left, the leaves below each other
                    places = 0.0 - places[:, ::-1]
                self._draw_graph(ax, how, places, lying)
            return ax

    def _size(self, how: str, places: FloatArray) -> tuple[tuple[float, float], bool]:
        """Return the figure size in inches, and whether a wide tree is drawn from left to right."""
        n, widest = len(self.names), 0.072 * max(map(len, captions(self.names, NAME_WIDTH)))  # in inches
        if how == "heat map":
            side = (0.32 if n <= _SMALL else 0.2) * n
            return (2.2 + side, 1.6 + side), False
        if how == "ring":
            # Radius at which the name at the top and the names next to it do not overlap.
            radius = min((widest + 0.25) / np.sin(2.0 * np.pi / max(n, 4)), 4.4)
            return (max(6.0, 2.3 * radius + widest), max(5.2, 0.32 * n)), False
        across, up = np.ptp(places, axis=0)
        width = (across + 1.6) * (0.3 + widest)
        if width > _WIDEST:
            return (max(6.0, (up + 1.0) * (1.0 + widest)), max(3.0, 1.0 + 0.3 * across)), True
        return (max(6.0, width), max(3.0, 1.0 + 0.8 * up)), False

    def _draw_graph(self, ax: Any, how: str, places: FloatArray, lying: bool) -> None:
        n, chosen = len(self.names), self._edges
        edges = np.column_stack(np.triu_indices(n, 1)) if how == "ring" else self.tree
        for a, b in edges.tolist():
            likely = float(self.probabilities[a, b])
            if how == "ring" and likely < _LEAST:
                continue
            solid = (min(a, b), max(a, b)) in chosen
            look = {"color": color(0) if solid else MUTED, "linestyle": "-" if solid else (0, (2, 2))}
            ax.plot(*places[[a, b]].T, linewidth=0.4 + 4.2 * likely, solid_capstyle="round", zorder=1, **look)
            if how == "tree":  # in a sideways tree closer to the child, since edges from a node are close together
                ends = places[[a, b]]
                child = int(ends[1, 0] > ends[0, 0]) if lying else int(ends[1].sum() < ends[0].sum())
                share = 0.62 if lying else 0.5
                at = (1 - share) * ends[1 - child] + share * ends[child]
                box: dict[str, Any] = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
                ax.text(*at, f"{likely:.2f}", ha="center", va="center", fontsize=7.5, color=INK, bbox=box)
        box = {"boxstyle": "round,pad=0.35", "facecolor": tint(0, 0.12), "edgecolor": color(0), "linewidth": 0.8}
        for name, place in zip(captions(self.names, NAME_WIDTH), places, strict=True):
            ax.text(*place, name, ha="center", va="center", fontsize=8.5, color=INK, bbox=box, zorder=3)
        ax.set_axis_off()
        ax.margins(0.14, 0.1)
        if n == 1:
            ax.set(xlim=(-1.0, 1.0), ylim=(0.0, 2.0))
        ax.set_title("edges of the best tree" if how == "tree" else "edges by probability; solid: the best tree")

    def _draw_map(self, ax: Any) -> None:
        n = len(self.names)
        shown = np.ma.masked_where(np.eye(n, dtype=bool), self.probabilities)
        image = ax.imshow(shown, cmap="Blues", vmin=0.0, vmax=1.0, interpolation="nearest")
        labels, size = captions(self.names, NAME_WIDTH), 8.5 if n <= _SMALL else 6.5
        ax.set_xticks(range(n), labels, rotation=45, ha="right", rotation_mode="anchor", fontsize=size)
        ax.set_yticks(range(n), labels, fontsize=size)
        ax.tick_params(length=0)
        ax.grid(False)
        ax.set_facecolor(FAINT)
        ax.spines[["left", "bottom"]].set_visible(False)
        if n <= 12:
            for a, b in zip(*np.nonzero(~np.eye(n, dtype=bool)), strict=True):
                likely = float(self.probabilities[a, b])
                ink = "white" if likely > 0.6 else INK
                ax.text(b, a, f"{likely:.2f}", ha="center", va="center", fontsize=7.5, color=ink)
        draw_colorbar(ax, image, "probability of an edge")


# -- layout


def spanning_tree(weights: FloatArray) -> IntArray:
    """Return the edges of the maximum spanning tree; on ties, edges of earlier attributes are preferred.

    Examples
    --------
    >>> spanning_tree(np.array([[0.0, 0.9, 0.2], [0.9, 0.0, 0.7], [0.2, 0.7, 0.0]]))
    array([[0, 1],
           [1, 2]])
    """
    import networkx as nx

    graph = nx.Graph()
    graph.add_weighted_edges_from((a, b, weights[a, b]) for a, b in combinations(range(len(weights)), 2))
    edges = nx.maximum_spanning_edges(graph, data=False)
    return np.array(sorted(map(sorted, edges)), np.int64).reshape(-1, 2)


def ring(n: int) -> FloatArray:
    """Return the positions of ``n`` nodes on a circle, clockwise from the top."""
    turns = 2.0 * np.pi * np.arange(n) / max(n, 1)
    return np.column_stack([np.sin(turns), np.cos(turns)])


def spread_tree(edges: IntArray, n: int) -> FloatArray:
    """Return the positions of the nodes of a tree, with the root on top and each parent centered above its children.

    Examples
    --------
    >>> spread_tree(np.array([[0, 1], [0, 2]]), 3)
    array([[ 0.5,  0. ],
           [ 0. , -1. ],
           [ 1. , -1. ]])
    """
    import networkx as nx  # needed only to draw a tree

    tree = nx.empty_graph(n)
    tree.add_edges_from(edges.tolist())
    root = min(nx.center(tree))
    order, children = list(nx.dfs_preorder_nodes(tree, root)), nx.dfs_successors(tree, root)
    places = np.zeros((n, 2))
    for node, depth in nx.single_source_shortest_path_length(tree, root).items():
        places[node, 1] = -depth
    leaves = [node for node in order if node not in children]
    places[leaves, 0] = np.arange(len(leaves))
    for node in reversed(order):
        if node in children:
            places[node, 0] = (places[children[node][0], 0] + places[children[node][-1], 0]) / 2
    return places
