"""Nodes of a taxonomy that are the more alike, the deeper their common ancestor lies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from priorcase._typing import FloatArray
from priorcase.cases.column import CaseColumn
from priorcase.cases.kinds import Stored
from priorcase.cases.measures.common_ancestor import Inner, OfAncestors, Tree
from priorcase.cases.measures.local_similarity import Prepared


@dataclass(frozen=True)
class WuPalmer(OfAncestors):
    """``2 depth(c) / (depth(a) + depth(b))`` with c the deepest common ancestor of a and b (Wu & Palmer 1994).

    The depth of a node is its number of steps from the root: values that have only the root in common have similarity
    0, so have those under different roots, and a node is always like itself. Symmetric where ``inner="exact"``.

    Parameters
    ----------
    inner
        What a query for an inner node asks for: ``"exact"`` that node, so that the nodes below it are only somewhat
        alike; ``"any"`` node below it, all of which have similarity 1 then (Bergmann's 1998 optimistic reading), while
        the others keep theirs to the node itself.

    Examples
    --------
    >>> from priorcase.cases.measures import similarities
    >>> from priorcase.cases.kinds import Taxonomy
    >>> device = Taxonomy({"device": {"printer": {"laser": None, "inkjet": None}, "router": None}})
    >>> similarities("laser", ["laser", "inkjet", "router"], device)
    {'laser': 1.0, 'inkjet': 0.5, 'router': 0.0}
    >>> similarities("printer", ["laser", "router"], device, WuPalmer(inner="any"))
    {'laser': 1.0, 'router': 0.0}
    """

    def prepare(
        self, column: CaseColumn, solutions: CaseColumn | None = None, previous: Prepared | None = None
    ) -> Prepared:
        return _Prepared(Tree.of(column), self.inner)


@dataclass(frozen=True, eq=False)
class _Prepared:
    tree: Tree
    inner: Inner

    def similarities(self, query: Stored) -> FloatArray:
        tree = self.tree
        number, common = tree.common(str(query))
        depths = tree.depths[number] + tree.depths[tree.values]
        found: FloatArray = np.zeros(len(common))
        np.divide(2 * tree.depths[common], depths, out=found, where=depths > 0)
        found[tree.below(number) if self.inner == "any" else tree.values == number] = 1.0
        return found
