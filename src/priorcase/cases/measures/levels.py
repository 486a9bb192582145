"""Nodes of a taxonomy that are as alike as their common ancestor says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from priorcase._parameters import as_python, settle
from priorcase._typing import FloatArray
from priorcase.cases.column import CaseColumn
from priorcase.cases.kinds import Stored, Taxonomy
from priorcase.cases.measures.checks import choice, is_similarity, similarity
from priorcase.cases.measures.common_ancestor import INNER_HINT, Inner, Tree
from priorcase.cases.measures.frozen import FrozenMapping
from priorcase.cases.measures.local_similarity import Prepared
from priorcase.exceptions import ParameterError, advice, listed, quoted


@dataclass(frozen=True)
class Levels:
    """The weight of the deepest common ancestor of a and b; 1 for equal nodes (Bergmann 1998).

    A node's weight says how alike the nodes below it are at least: 0 at the root where it joins anything, near 1 where
    it joins variants of one thing. Symmetric where ``inner="exact"``.

    Parameters
    ----------
    weights
        Weights of some nodes, from 0 to 1; they go before those that the taxonomy itself carries.
    otherwise
        The weight of a node that has none: a number from 0 to 1, or ``"depth"`` for its depth divided by the largest
        depth of the taxonomy (0 at the root; two roots have nothing in common).
    inner
        As in `WuPalmer`.

    Examples
    --------
    >>> from priorcase.cases.measures import similarities
    >>> from priorcase.cases.kinds import Taxonomy
    >>> device = Taxonomy({"device": {"printer": {"laser": None, "inkjet": None}, "router": None}})
    >>> similarities("laser", ["laser", "inkjet", "router"], device, Levels({"printer": 0.6}))
    {'laser': 1.0, 'inkjet': 0.6, 'router': 0.0}
    """

    weights: Mapping[str, float] | None = None
    otherwise: float | Literal["depth"] = "depth"
    inner: Inner = "exact"

    accepts: ClassVar[tuple[str, ...]] = ("taxonomy",)
    needs_solutions: ClassVar[bool] = False

    def __post_init__(self) -> None:
        inner = choice("inner", self.inner, get_args(Inner), hint=INNER_HINT)
        otherwise = self.otherwise
        if not isinstance(otherwise, str) or otherwise != "depth":
            hint = "'depth' takes the depth of the node."
            otherwise = similarity("otherwise", otherwise, hint=hint)
        settle(self, weights=_checked(self.weights), otherwise=otherwise, inner=inner)

    def prepare(
        self, column: CaseColumn, solutions: CaseColumn | None = None, previous: Prepared | None = None
    ) -> Prepared:
        tree = Tree.of(column)
        written = dict(column.kind.weights or {}) if isinstance(column.kind, Taxonomy) else {}
        written |= self.weights or {}
        if strange := [node for node in written if node not in tree.numbers]:
            remedy = advice(strange[0], tree.numbers, otherwise=f"Its nodes are {listed(tree.numbers)}.")
            raise ParameterError(
                f"Levels has weights for {listed(strange)}, which the taxonomy of {column.name!r} has not. {remedy}"
            )
        weights = tree.depths / max(int(tree.depths.max()), 1)
        if self.otherwise != "depth":
            weights = np.full(len(weights), float(self.otherwise))
            weights[0] = weights[0] if 0 in tree.numbers.values() else 0.0
        for node, weight in written.items():
            weights[tree.numbers[node]] = weight
        return _Prepared(tree, weights, self.inner)


def _checked(weights: object) -> FrozenMapping[str, float] | None:
    if weights is None:
        return None
    if not isinstance(weights, Mapping) or not all(
        isinstance(node, str) and is_similarity(weight) for node, weight in weights.items()
    ):
        raise ParameterError(
            f"weights must be None or a mapping from nodes to numbers from 0 to 1, got {quoted(weights)}. For example "
            "{'printer': 0.6}."
        )
    return FrozenMapping({node: as_python(weight) for node, weight in weights.items()})


@dataclass(frozen=True, eq=False)
class _Prepared:
    tree: Tree
    weights: FloatArray
    inner: Inner

    def similarities(self, query: Stored) -> FloatArray:
        number, common = self.tree.common(str(query))
        found = self.weights[common]
        found[self.tree.below(number) if self.inner == "any" else self.tree.values == number] = 1.0
        return found
