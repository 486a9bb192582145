"""The deepest node that two nodes of a taxonomy have in common, for one node and many others at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from priorcase._parameters import settle
from priorcase._typing import IntArray
from priorcase.cases.column import CaseColumn
from priorcase.cases.kinds import Taxonomy
from priorcase.cases.measures.checks import choice

Inner = Literal["exact", "any"]
"""What a query for an inner node asks for: that node, or any node below it."""

INNER_HINT = "'any' makes a query for an inner node one for everything below it."


@dataclass(frozen=True)
class OfAncestors:
    """What measures share that know nothing but where two nodes and their common ancestor stand."""

    inner: Inner = "exact"

    accepts: ClassVar[tuple[str, ...]] = ("taxonomy",)
    needs_solutions: ClassVar[bool] = False

    def __post_init__(self) -> None:
        settle(self, inner=choice("inner", self.inner, get_args(Inner), hint=INNER_HINT))


@dataclass(frozen=True, eq=False)
class Tree:
    """A taxonomy numbered from its root downwards, so that the nodes below a node have consecutive numbers.

    Number 0 is the root, or the nameless one above several. ``depths`` counts the steps from it: the root has 0.
    """

    numbers: dict[str, int]
    depths: IntArray
    ends: IntArray
    parents: IntArray
    values: IntArray
    """The number of each value of the column."""

    @classmethod
    def of(cls, column: CaseColumn) -> Tree:
        """The taxonomy of a column, and where its values stand."""
        taxonomy: Any = column.kind
        return cls._numbered(taxonomy, column)

    @classmethod
    def _numbered(cls, taxonomy: Taxonomy, column: CaseColumn) -> Tree:
        children: dict[str | None, list[str]] = {}
        for node in taxonomy.nodes:
            children.setdefault(taxonomy.parent(node), []).append(node)
        nameless = len(children[None]) > 1
        numbers: dict[str, int] = {}
        parents = [-1] if nameless else []
        waiting = children[None][::-1]
        while waiting:
            node = waiting.pop()
            numbers[node] = len(parents)
            above = taxonomy.parent(node)
            parents.append((0 if nameless else -1) if above is None else numbers[above])
            waiting.extend(reversed(children.get(node, [])))
        values = np.fromiter((numbers[str(value)] for value in column.values), np.int64, len(column.values))
        return cls(numbers, *_measured(parents), np.array(parents), values)

    def common(self, node: str) -> tuple[int, IntArray]:
        """The number of a node, and for each value of the column that of the deepest node above both."""
        number = self.numbers[node]
        found = np.zeros(len(self.depths), dtype=np.int64)
        for ancestor in self.upwards(number)[::-1]:
            found[ancestor : self.ends[ancestor]] = ancestor
        return number, found[self.values]

    def upwards(self, number: int) -> list[int]:
        """A node and its ancestors, up to the root."""
        found = []
        while number >= 0:
            found.append(number)
            number = int(self.parents[number])
        return found

    def below(self, number: int) -> Any:
        """Which values of the column are a node or stand below it."""
        return (self.values >= number) & (self.values < self.ends[number])


def _measured(parents: list[int]) -> tuple[IntArray, IntArray]:
    """The depth of each node, and where the nodes below it end."""
    depths, ends = np.zeros(len(parents), dtype=np.int64), np.arange(1, len(parents) + 1)
    for node, parent in enumerate(parents):
        depths[node] = depths[parent] + 1 if parent >= 0 else 0
    for node in range(len(parents) - 1, 0, -1):
        ends[parents[node]] = max(ends[parents[node]], ends[node])
    return depths, ends
