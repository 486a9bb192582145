"""Function graphs that are the more alike, the more arcs they have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from priorcase._numbers import is_whole
from priorcase.exceptions import ParameterError
from priorcase.reasoning.column import CaseColumn
from priorcase.reasoning.function.graph import FunctionGraph
from priorcase.reasoning.kinds import Stored
from priorcase.reasoning.measures.common_arcs import STEPS, common_arcs
from priorcase.reasoning.measures.local_similarity import Prepared
from priorcase.similarity.checks import settle
from priorcase.typing import FloatArray


@dataclass(frozen=True)
class GraphSimilarity:
    """``2 |common arcs| / (|arcs of a| + |arcs of b|)`` with a largest common part of the two graphs.

    Variables are matched one to one, whatever they are called; quantities and signs are kept, and a variable without
    a quantity matches any. So graphs that differ in names only have similarity 1. Symmetric. Every distinct stored
    graph is matched anew for each query: it is meant for up to some thousand graphs of a few variables.

    Parameters
    ----------
    steps
        How many partial matches of two graphs are tried at most; a common part of graphs beyond about ten variables
        may be found too small.

    Examples
    --------
    >>> GraphSimilarity()
    GraphSimilarity(steps=20000)
    """

    steps: int = STEPS

    accepts: ClassVar[tuple[str, ...]] = ("graph",)
    needs_solutions: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not is_whole(self.steps) or self.steps < 1:
            expected, hint = "a whole number >= 1", "more steps find larger common parts and take longer."
            raise ParameterError.wrong("GraphSimilarity", "steps", self.steps, expected=expected, hint=hint)
        settle(self, steps=int(self.steps))

    def prepare(
        self, column: CaseColumn, solutions: CaseColumn | None = None, previous: Prepared | None = None
    ) -> Prepared:
        earlier: Mapping[str, FunctionGraph] = previous.graphs if isinstance(previous, _Prepared) else {}
        texts = map(str, column.values)
        return _Prepared({text: earlier.get(text) or FunctionGraph.from_json(text) for text in texts}, self.steps)


@dataclass(frozen=True, eq=False)
class _Prepared:
    graphs: Mapping[str, FunctionGraph]
    steps: int

    def similarities(self, query: Stored) -> FloatArray:
        asked = FunctionGraph.from_json(str(query))
        return np.array([self._compared(asked, graph) for graph in self.graphs.values()], dtype=np.float64)

    def _compared(self, a: FunctionGraph, b: FunctionGraph) -> float:
        if a == b:
            return 1.0
        return 2 * common_arcs(a, b, steps=self.steps) / (len(a) + len(b))
