"""Nodes of a taxonomy that are the less alike, the longer the way between them is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from priorcase._typing import FloatArray
from priorcase.cases.column import CaseColumn
from priorcase.cases.kinds import Stored
from priorcase.cases.measures.common_ancestor import Inner, OfAncestors, Tree
from priorcase.cases.measures.local_similarity import Prepared


@dataclass(frozen=True)
class PathLength(OfAncestors):
    """``1 - steps(a, b) / (2 * deepest)`` with the steps up from a to the common ancestor and down to b.

    ``deepest`` is the largest depth of the taxonomy, so that nothing is farther than two of its deepest leaves under
    different branches of the root, and as far only they. Symmetric where ``inner="exact"``.

    Parameters
    ----------
    inner
        As in `WuPalmer`.

    Examples
    --------
    >>> from priorcase.cases.measures import similarities
    >>> from priorcase.cases.kinds import Taxonomy
    >>> device = Taxonomy({"device": {"printer": {"laser": None, "inkjet": None}, "router": None}})
    >>> similarities("laser", ["laser", "inkjet", "router"], device, PathLength())
    {'laser': 1.0, 'inkjet': 0.5, 'router': 0.25}
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
        steps = tree.depths[number] + tree.depths[tree.values] - 2 * tree.depths[common]
        found = 1.0 - steps / max(2 * int(tree.depths.max()), 1)
        if self.inner == "any":
            found[tree.below(number)] = 1.0
        return np.asarray(found, dtype=np.float64)
