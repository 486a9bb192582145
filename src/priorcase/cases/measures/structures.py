"""Measures of structured values: taxonomy nodes (by deepest common ancestor) and graphs (by common part)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from priorcase._parameters import as_python, settle
from priorcase._typing import BoolArray, FloatArray, IntArray
from priorcase.cases.designs import FunctionGraph, graph_similarity
from priorcase.cases.measures.base import SIMILARITY, FrozenMapping, Measure, is_similarity
from priorcase.cases.table import CaseColumn
from priorcase.exceptions import ParameterError, advice, listed, quoted
from priorcase.schema import Taxonomy


@dataclass(frozen=True, eq=False)
class Tree:
    """A taxonomy whose nodes are numbered depth first, so that the nodes below a node have consecutive numbers."""

    numbers: dict[str, int]
    """Number of each node. Number 0 is the root, or an additional, unnamed root above several roots."""
    parents: list[int]
    depths: IntArray
    """Number of steps from the root to each node."""
    ends: IntArray
    """For each node, 1 plus the largest number of any node in its subtree."""
    values: IntArray
    """The node number of each distinct value of the column."""
    weights: FloatArray
    """The weight of each node; by default, its depth divided by the largest depth."""

    @classmethod
    def of(cls, column: CaseColumn) -> Tree:
        taxonomy: Any = column.kind
        several = len(taxonomy.roots) > 1
        numbers = {node: number for number, node in enumerate(taxonomy.nodes, int(several))}
        above = 0 if several else -1
        parents = [-1] * several + [numbers.get(taxonomy.parent(node), above) for node in taxonomy.nodes]
        depths, ends = np.zeros(len(parents), dtype=np.int64), np.arange(1, len(parents) + 1)
        for node, parent in enumerate(parents):
            depths[node] = depths[parent] + 1 if parent >= 0 else 0
        for node in range(len(parents) - 1, 0, -1):
            ends[parents[node]] = max(ends[parents[node]], ends[node])
        values = np.fromiter((numbers[str(value)] for value in column.values), np.int64, len(column.values))
        return cls(numbers, parents, depths, ends, values, depths / max(int(depths.max()), 1))

    def common(self, number: int) -> IntArray:
        """Return, for each value of the column, its deepest common ancestor with the node ``number``."""
        ancestors = []
        while number >= 0:
            ancestors.append(number)
            number = self.parents[number]
        found = np.zeros(len(self.parents), dtype=np.int64)
        for ancestor in reversed(ancestors):
            found[ancestor : self.ends[ancestor]] = ancestor
        return found[self.values]

    def below(self, number: int) -> BoolArray:
        """Return a mask of the values of the column that are in the subtree of the node ``number``."""
        found: BoolArray = (self.values >= number) & (self.values < self.ends[number])
        return found


class _NodeMeasure(Measure):
    """Base class of measures of taxonomy nodes; subclasses implement `_compared`."""

    accepts = ("taxonomy",)
    inner: Literal["exact", "any"]
    _parameter_constraints: ClassVar[dict[str, Any]] = {"inner": [StrOptions({"exact", "any"})]}

    def _prepare(self, column: CaseColumn, *_: Any) -> Tree:
        return Tree.of(column)

    def _compare(self, query: Any, column: CaseColumn, tree: Tree, /) -> FloatArray:
        number = tree.numbers[str(query)]
        found = self._compared(tree, number, tree.common(number))
        found[tree.below(number) if self.inner == "any" else tree.values == number] = 1.0
        return found

    def _compared(self, tree: Tree, number: int, common: IntArray) -> FloatArray:
        raise NotImplementedError


@dataclass(frozen=True)
class WuPalmer(_NodeMeasure):
    """Wu-Palmer similarity in a taxonomy, ``2 depth(c) / (depth(a) + depth(b))`` (Wu & Palmer 1994).

    c is the deepest common ancestor of a and b. The depth of a node is its number of steps from the root, so values
    that share only the root, or are under different roots, have similarity 0. Symmetric if ``inner="exact"``.

    ``inner`` is the interpretation of an inner node in a query. With ``"exact"``, the query means the node itself; with
    ``"any"``, all nodes below the node have similarity 1 (the optimistic interpretation of Bergmann 1998).

    >>> from priorcase.cases.measures import similarities
    >>> from priorcase.schema import Taxonomy
    >>> device = Taxonomy({"device": {"printer": {"laser": None, "inkjet": None}, "router": None}})
    >>> similarities("laser", ["laser", "inkjet", "router"], device)
    {'laser': 1.0, 'inkjet': 0.5, 'router': 0.0}
    >>> similarities("printer", ["laser", "router"], device, WuPalmer(inner="any"))
    {'laser': 1.0, 'router': 0.0}
    """

    inner: Literal["exact", "any"] = "exact"

    def _compared(self, tree: Tree, number: int, common: IntArray) -> FloatArray:
        depths = tree.depths[number] + tree.depths[tree.values]
        found: FloatArray = np.zeros(len(common))
        np.divide(2 * tree.depths[common], depths, out=found, where=depths > 0)
        return found


@dataclass(frozen=True)
class PathLength(_NodeMeasure):
    """Similarity by path length in a taxonomy, ``1 - steps(a, b) / (2 * depth)``.

    ``steps(a, b)`` is the length of the path from a to b, and ``depth`` is the depth of the taxonomy. Two of the
    deepest leaves have similarity 0 if they are under different children of the root. For ``inner`` see `WuPalmer`;
    the measure is symmetric if ``inner="exact"``.

    >>> from priorcase.cases.measures import similarities
    >>> from priorcase.schema import Taxonomy
    >>> device = Taxonomy({"device": {"printer": {"laser": None, "inkjet": None}, "router": None}})
    >>> similarities("laser", ["laser", "inkjet", "router"], device, PathLength())
    {'laser': 1.0, 'inkjet': 0.5, 'router': 0.25}
    """

    inner: Literal["exact", "any"] = "exact"

    def _compared(self, tree: Tree, number: int, common: IntArray) -> FloatArray:
        steps = tree.depths[number] + tree.depths[tree.values] - 2 * tree.depths[common]
        return np.asarray(1.0 - steps / max(2 * int(tree.depths.max()), 1), dtype=np.float64)


@dataclass(frozen=True)
class LevelSimilarity(_NodeMeasure):
    """Similarity of taxonomy nodes by the weight of their deepest common ancestor; 1 for equal nodes (Bergmann 1998).

    The weight of a node is the smallest similarity of any two nodes below it, from 0 (unrelated things) to 1 (variants
    of one thing). ``weights`` is a mapping from nodes to weights that overrides the weights of the taxonomy. Nodes that
    have no weight in either mapping get the weight ``otherwise``: a number from 0 to 1, or ``"depth"`` for the node's
    depth divided by the depth of the taxonomy. For ``inner`` see `WuPalmer`; the measure is symmetric if
    ``inner="exact"``.

    >>> from priorcase.cases.measures import similarities
    >>> from priorcase.schema import Taxonomy
    >>> device = Taxonomy({"device": {"printer": {"laser": None, "inkjet": None}, "router": None}})
    >>> similarities("laser", ["laser", "inkjet", "router"], device, LevelSimilarity({"printer": 0.6}))
    {'laser': 1.0, 'inkjet': 0.6, 'router': 0.0}
    """

    weights: Mapping[str, float] | None = None
    otherwise: float | Literal["depth"] = "depth"
    inner: Literal["exact", "any"] = "exact"

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "otherwise": [SIMILARITY, StrOptions({"depth"})],
        **_NodeMeasure._parameter_constraints,
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.weights is None:
            return
        if not isinstance(self.weights, Mapping) or not all(
            isinstance(node, str) and is_similarity(weight) for node, weight in self.weights.items()
        ):
            raise ParameterError(
                "parameter 'weights' of LevelSimilarity must be None or a mapping from nodes to numbers from 0 to 1, "
                f"such as {{'printer': 0.6}}, got {quoted(self.weights)}"
            )
        settle(self, weights=FrozenMapping({node: as_python(weight) for node, weight in self.weights.items()}))

    def _prepare(self, column: CaseColumn, *_: Any) -> Tree:
        tree, weights = Tree.of(column), dict(self.weights or {})
        if isinstance(column.kind, Taxonomy):
            weights = {**(column.kind.weights or {}), **weights}
        if unknown := [node for node in weights if node not in tree.numbers]:
            remedy = advice(unknown[0], tree.numbers, otherwise=f"The nodes are {listed(tree.numbers)}.")
            raise ParameterError(
                f"got LevelSimilarity with weights for {listed(unknown)}; expected nodes of the taxonomy of "
                f"{column.name!r}. {remedy}"
            )
        found = tree.weights
        if self.otherwise != "depth":
            found = np.full(len(found), float(self.otherwise))
            if 0 not in tree.numbers.values():  # nodes under different roots are unrelated
                found[0] = 0.0
        for node, weight in weights.items():
            found[tree.numbers[node]] = weight
        return replace(tree, weights=found)

    def _compared(self, tree: Tree, number: int, common: IntArray) -> FloatArray:
        return tree.weights[common]


@dataclass(frozen=True)
class GraphSimilarity(Measure):
    """Similarity of graphs by their largest common subgraph, ``2 |common arcs| / (|arcs of a| + |arcs of b|)``.

    Variables are matched one-to-one, whatever their names; quantities and signs must agree, and a variable without a
    quantity matches any other (McGregor 1982). Each query is matched with every distinct stored graph, so use this
    measure for at most a few thousand small graphs. With ``of="query"`` the similarity is ``|common arcs| / |arcs of
    the query|``, the share of the query's arcs that the case has. At most ``steps`` partial matches of two graphs are
    tried, enough for about eight variables; for larger graphs the similarity can be too low.

    >>> from priorcase.cases.measures import similarities
    >>> list(similarities("C +> x; x +> Q", ["a +> b", "a +> b; b +> c"], "graph").values())
    [0.666..., 1.0]
    """

    of: Literal["both", "query"] = "both"
    steps: int = 5000

    accepts = ("graph",)
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "of": [StrOptions({"both", "query"})],
        "steps": [Interval(Integral, 1, None, closed="left")],
    }

    def _prepare(self, column: CaseColumn, solutions: CaseColumn | None, earlier: Any, /) -> dict[str, FunctionGraph]:
        known, texts = earlier or {}, map(str, column.values)
        return {text: known.get(text) or FunctionGraph.from_json(text) for text in texts}

    def _compare(self, query: Any, column: CaseColumn, graphs: dict[str, FunctionGraph], /) -> FloatArray:
        asked = FunctionGraph.from_json(str(query))
        return np.array([self._compared(asked, graph) for graph in graphs.values()], dtype=np.float64)

    def _compared(self, asked: FunctionGraph, stored: FunctionGraph) -> float:
        # The search is not symmetric if its steps run out, so it always begins with the smaller graph.
        small, large = sorted((asked, stored), key=lambda graph: (len(graph), len(graph.variables), graph.to_json()))
        common = round(graph_similarity(large, small, steps=self.steps, seconds=math.inf) * len(small))
        return common / len(asked) if self.of == "query" else 2 * common / (len(small) + len(large))
