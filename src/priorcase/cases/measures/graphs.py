"""The measure of function graphs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from priorcase._typing import FloatArray
from priorcase.cases.designs import FunctionGraph, graph_similarity
from priorcase.cases.measures.base import Measure
from priorcase.cases.table import CaseColumn


@dataclass(frozen=True)
class GraphSimilarity(Measure):
    """``2 |common arcs| / (|arcs of a| + |arcs of b|)`` with a largest common part of the two graphs.

    Variables are matched one to one, whatever their names; quantities and signs must agree, and a variable without a
    quantity matches any (McGregor 1982). Every distinct stored graph is matched for each query: it is meant for up to
    some thousand graphs of a few variables. With ``of="query"`` it is ``|common arcs| / |arcs of the query|``, the part
    of a wanted function that a case realises. At most ``steps`` partial matches of two graphs are tried, enough for
    about eight variables; in larger graphs the common part that is found may be too small.

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
        # The search is not symmetric if its steps run out: it always begins with the smaller graph.
        small, large = sorted((asked, stored), key=lambda graph: (len(graph), len(graph.variables), graph.to_json()))
        common = round(graph_similarity(large, small, steps=self.steps, seconds=math.inf) * len(small))
        return common / len(asked) if self.of == "query" else 2 * common / (len(small) + len(large))
