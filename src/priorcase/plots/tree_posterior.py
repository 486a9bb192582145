"""Which attributes depend on which: probabilities of edges, and the best tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from priorcase._parameters import check_choice
from priorcase._typing import Backend, FloatArray, IntArray, Name
from priorcase.bayes.results import EdgeTable
from priorcase.exceptions import ParameterError, prefix_errors, quoted
from priorcase.learning.plotting import FAINT, INK, MUTED, captions, colour, drawing, tint
from priorcase.learning.results import framed
from priorcase.plots.display import Display
from priorcase.plots.labels import WIDTH
from priorcase.plots.tree_layout import ring, sideways, spanning_tree, spread_tree

Kind = Literal["tree", "ring", "heat map"]

_WORTH_A_LINE = 0.02
_SMALL = 20
_WIDEST = 10.0


@dataclass(frozen=True, eq=False, repr=False)
class TreePosterior(Display):
    """The posterior probability that two attributes are joined by an edge, and the tree of the likeliest edges.

    Made by `of`.

    Parameters
    ----------
    names
        The attributes, in the order of the columns.
    probabilities
        Of an edge between two of them, (attributes, attributes), 0 on the diagonal.
    tree
        The edges of the tree, (attributes - 1, 2), by the positions of their ends.
    averaged
        Whether the model averages over all trees; otherwise it answers from this one.
    backend
        The library whose frame the model was fitted on, or None.

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
    @prefix_errors
    def of(cls, model: Any) -> TreePosterior:
        """The edges of a fitted `TreeAveragedBayes` or `TreeAugmentedBayes`.

        Of the first the tree is the one with the largest product of edge probabilities, of the second its own; the
        probabilities are those over all trees, of the second for the edges of its tree alone.
        """
        if not hasattr(model, "edge_table"):
            raise ParameterError(
                f"model must be a fitted model with edges, got {quoted(model)}. TreeAveragedBayes and "
                "TreeAugmentedBayes have them."
            )
        table: EdgeTable = model.edge_table()
        labels = [model.schema_.label(a) for a in range(len(model.schema_))]
        at = {label: a for a, label in enumerate(labels)}
        pairs = np.array([[at[u], at[v]] for u, v in table.pairs], np.int64).reshape(-1, 2)
        probabilities = np.zeros((len(labels), len(labels)))
        probabilities[pairs[:, 0], pairs[:, 1]] = probabilities[pairs[:, 1], pairs[:, 0]] = table.probabilities
        averaged = hasattr(model, "edge_probabilities_")
        tree = spanning_tree(probabilities) if averaged else pairs
        names = tuple(f"x{label}" if isinstance(label, int) else label for label in labels)
        return cls(names, probabilities, tree, averaged, table.backend)

    def _said(self) -> str:
        return f"{len(self.tree)} likeliest edges between {len(self.names)} attributes"

    def frame(self) -> Any:
        """One line for each pair: ``attribute``, ``other``, ``probability``, ``in_tree``, the likeliest first.

        Of a model with a single tree only the pairs of that tree. In a frame of the library that the model was fitted
        on, or of one that is installed.
        """
        u, v = np.triu_indices(len(self.names), 1) if self.averaged else self.tree.T
        chosen = {(min(edge), max(edge)) for edge in self.tree.tolist()}
        numbers = self.probabilities[u, v]
        order = np.argsort(-numbers, kind="stable")
        columns = {
            "attribute": [self.names[a] for a in u[order].tolist()],
            "other": [self.names[a] for a in v[order].tolist()],
            "probability": numbers[order],
            "in_tree": [(a, b) in chosen for a, b in zip(u[order].tolist(), v[order].tolist(), strict=True)],
        }
        return framed(columns, self.backend)

    @prefix_errors
    def plot(self, ax: Any = None, kind: Kind | None = None) -> Any:
        """The edges, drawn with matplotlib; the axes come back.

        Parameters
        ----------
        ax
            Axes to draw on; None for a figure of its own.
        kind
            ``"tree"``: the tree alone, lines as thick as they are probable. ``"ring"``: attributes on a circle, with
            all edges of at least 2 %. ``"heat map"``: a table of probabilities in shades. None: the tree of a model
            that has one; else a ring, or of more than 16 attributes a heat map.
        """
        usual: Kind = "tree" if not self.averaged else "ring" if len(self.names) <= 16 else "heat map"
        if kind is not None:
            check_choice("kind", kind, get_args(Kind), hint=f"None takes {usual!r}.")
        how, n = kind or usual, len(self.names)
        cell = 0.32 if n <= _SMALL else 0.2
        sizes = {"tree": self._tree_size(), "ring": self._ring_size(), "heat map": (2.2 + cell * n, 1.6 + cell * n)}
        with drawing(ax, size=sizes[how]) as ax:
            if how == "heat map":
                self._draw_map(ax)
            else:
                self._draw_graph(ax, how)
            return ax

    def _tree_size(self) -> tuple[float, float]:
        """Room for the names of leaves that stand side by side, and for every layer."""
        across, up = np.ptp(spread_tree(self.tree, len(self.names)), axis=0)
        if self._lies():
            return max(6.0, (up + 1.0) * (1.0 + self._widest())), max(3.0, 1.0 + 0.3 * across)
        return max(6.0, (across + 1.6) * (0.3 + self._widest())), max(3.0, 1.0 + 0.8 * up)

    def _lies(self) -> bool:
        """Whether so many leaves would stand side by side that the tree is laid on its side."""
        across = np.ptp(spread_tree(self.tree, len(self.names))[:, 0])
        return bool((across + 1.6) * (0.3 + self._widest()) > _WIDEST)

    def _ring_size(self) -> tuple[float, float]:
        """Room for the names on a circle."""
        n, widest = len(self.names), self._widest()
        radius = min((widest + 0.25) / np.sin(2.0 * np.pi / max(n, 4)), 4.4)  # neighbours on top are this far apart
        return max(6.0, 2.3 * radius + widest), max(5.2, 0.32 * n)

    def _widest(self) -> float:
        """The width of the longest name in inches."""
        return 0.072 * max(map(len, captions(self.names, WIDTH)))

    def _draw_graph(self, ax: Any, how: str) -> None:
        n = len(self.names)
        places = ring(n) if how == "ring" else spread_tree(self.tree, n)
        if how == "tree" and self._lies():
            places = sideways(places)
        u, v = np.triu_indices(n, 1)
        edges = np.column_stack([u, v]) if how == "ring" else self.tree
        inside = {(min(edge), max(edge)) for edge in self.tree.tolist()}
        for a, b in edges.tolist():
            likely = float(self.probabilities[a, b])
            if how == "ring" and likely < _WORTH_A_LINE:
                continue
            chosen = (min(a, b), max(a, b)) in inside
            look = {"color": colour(0) if chosen else MUTED, "linestyle": "-" if chosen else (0, (2, 2))}
            ax.plot(*places[[a, b]].T, linewidth=0.4 + 4.2 * likely, solid_capstyle="round", zorder=1, **look)
            if how == "tree":
                self._draw_number(ax, places[[a, b]], likely)
        self._draw_names(ax, places)
        ax.set_axis_off()
        ax.margins(0.14, 0.1)
        if n == 1:
            ax.set(xlim=(-1.0, 1.0), ylim=(0.0, 2.0))
        ax.set_title("edges of the best tree" if how == "tree" else "edges by probability; solid: the likeliest tree")

    def _draw_number(self, ax: Any, ends: FloatArray, likely: float) -> None:
        """A probability on its edge; nearer to the child where edges from one node lie close together."""
        lower = int(ends[1].sum() < ends[0].sum()) if not self._lies() else int(ends[1, 0] > ends[0, 0])
        share = 0.62 if self._lies() else 0.5
        at = (1 - share) * ends[1 - lower] + share * ends[lower]
        box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
        ax.text(*at, f"{likely:.2f}", ha="center", va="center", fontsize=7.5, color=INK, bbox=box)

    def _draw_names(self, ax: Any, places: FloatArray) -> None:
        box = {"boxstyle": "round,pad=0.35", "facecolor": tint(0, 0.12), "edgecolor": colour(0), "linewidth": 0.8}
        look: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 8.5, "color": INK, "bbox": box, "zorder": 3}
        for name, place in zip(captions(self.names, WIDTH), places, strict=True):
            ax.text(*place, name, **look)

    def _draw_map(self, ax: Any) -> None:
        n = len(self.names)
        shown = np.ma.masked_where(np.eye(n, dtype=bool), self.probabilities)
        image = ax.imshow(shown, cmap="Blues", vmin=0.0, vmax=1.0, interpolation="nearest")
        labels, size = captions(self.names, WIDTH), 8.5 if n <= _SMALL else 6.5
        ax.set_xticks(range(n), labels, rotation=45, ha="right", rotation_mode="anchor", fontsize=size)
        ax.set_yticks(range(n), labels, fontsize=size)
        ax.tick_params(length=0)
        ax.grid(False)
        ax.set_facecolor(FAINT)
        for side in ("left", "bottom"):
            ax.spines[side].set_visible(False)
        if n <= 12:
            for a, b in zip(*np.nonzero(~np.eye(n, dtype=bool)), strict=True):
                likely = float(self.probabilities[a, b])
                light = "white" if likely > 0.6 else INK
                ax.text(b, a, f"{likely:.2f}", ha="center", va="center", fontsize=7.5, color=light)
        bar = ax.figure.colorbar(image, ax=ax, pad=0.02, aspect=30)
        bar.outline.set_visible(False)
        bar.set_label("probability of an edge")
