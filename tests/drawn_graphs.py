"""Small function graphs for hypothesis to draw."""

from __future__ import annotations

from hypothesis import strategies as st

from priorcase.cases.designs import FunctionGraph

NAMES = ["A", "B", "C", "D", "E"]


@st.composite
def graphs(draw: st.DrawFn, names: list[str] = NAMES, most: int = 7) -> FunctionGraph:
    """Small graphs, some variables with a label."""
    pairs = draw(st.lists(st.permutations(names).map(lambda order: (order[0], order[1])), min_size=1, max_size=most))
    arcs = {pair: draw(st.sampled_from("+-")) for pair in pairs}
    on_arcs = sorted({name for pair in arcs for name in pair})
    labels = {name: draw(st.sampled_from([None, None, "flow", "heat"])) for name in on_arcs}
    known = {name: label for name, label in labels.items() if label is not None}
    return FunctionGraph([(source, sign, target) for (source, target), sign in arcs.items()], known)
