"""Function graphs that are the more alike, the more arcs they have in common."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from priorcase._parameters import is_whole, settle
from priorcase._typing import FloatArray
from priorcase.cases.column import CaseColumn
from priorcase.cases.designs.common import graph_similarity
from priorcase.cases.designs.graph import FunctionGraph
from priorcase.cases.kinds import Stored
from priorcase.cases.measures.checks import choice
from priorcase.cases.measures.local_similarity import Prepared
from priorcase.exceptions import ParameterError, quoted

Of = Literal["both", "query"]


@dataclass(frozen=True)
class GraphSimilarity:
    """``2 |common arcs| / (|arcs of a| + |arcs of b|)`` with a largest common part of the two graphs.

    Variables are matched one to one, whatever they are called; quantities and signs are kept, and a variable without
    a quantity matches any (McGregor 1982). So graphs that differ in names only have similarity 1. Every distinct stored
    graph is matched anew for each query: it is meant for up to some thousand graphs of a few variables.

    Parameters
    ----------
    of
        ``"both"``: the formula above, symmetric; ``"query"``: ``|common arcs| / |arcs of the query|``, how much of a
        wanted function a case realises, whatever else it does.
    steps
        How many partial matches of two graphs are tried at most: enough for about eight variables. Of larger graphs a
        common part may be found too small.

    Examples
    --------
    >>> from priorcase.cases.measures import similarities
    >>> list(similarities("C +> x; x +> Q", ["a +> b", "a +> b; b +> c"], "graph").values())
    [0.666..., 1.0]
    """

    of: Of = "both"
    steps: int = 5000

    accepts: ClassVar[tuple[str, ...]] = ("graph",)
    needs_solutions: ClassVar[bool] = False

    def __post_init__(self) -> None:
        hint = "'query' asks how much of the query's graph a case realises."
        of = choice("of", self.of, get_args(Of), hint=hint)
        if not is_whole(self.steps) or self.steps < 1:
            raise ParameterError(
                f"steps must be a whole number >= 1, got {quoted(self.steps)}. More steps find larger common parts and "
                "take longer."
            )
        settle(self, of=of, steps=int(self.steps))

    def prepare(
        self, column: CaseColumn, solutions: CaseColumn | None = None, previous: Prepared | None = None
    ) -> Prepared:
        earlier: Mapping[str, FunctionGraph] = previous.graphs if isinstance(previous, _Prepared) else {}
        texts = map(str, column.values)
        return _Prepared(self, {text: earlier.get(text) or FunctionGraph.from_json(text) for text in texts})


@dataclass(frozen=True, eq=False)
class _Prepared:
    measure: GraphSimilarity
    graphs: Mapping[str, FunctionGraph]

    def similarities(self, query: Stored) -> FloatArray:
        asked = FunctionGraph.from_json(str(query))
        return np.array([self._compared(asked, graph) for graph in self.graphs.values()], dtype=np.float64)

    def _compared(self, asked: FunctionGraph, held: FunctionGraph) -> float:
        # The search is not symmetric where its steps run out: it always begins with the smaller graph.
        small, large = sorted((asked, held), key=lambda graph: (len(graph), len(graph.variables), graph.to_json()))
        share = graph_similarity(large, small, steps=self.measure.steps, seconds=math.inf)
        common = round(share * len(small))
        return common / len(asked) if self.measure.of == "query" else 2 * common / (len(small) + len(large))
