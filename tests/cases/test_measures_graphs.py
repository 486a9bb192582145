"""The measure of function graphs: against all ways to match variables, and for graphs too large for them."""

from __future__ import annotations

import hypothesis.strategies as st
from cases.measure_columns import column_of, measured
from hypothesis import given, settings
from reference import local_similarity as reference

from priorcase.cases import FunctionGraph, Graph, GraphSimilarity

NAMES = "pqrs"
ENDS = st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)).filter(lambda ends: ends[0] != ends[1])


@st.composite
def graphs(draw):
    signs = draw(st.dictionaries(ENDS, st.sampled_from("+-"), min_size=1, max_size=5))
    variables = sorted({name for ends in signs for name in ends})
    labels = draw(st.dictionaries(st.sampled_from(variables), st.sampled_from(["flow", "heat"])))
    return FunctionGraph([(source, sign, target) for (source, target), sign in signs.items()], labels)


def common(a, b):
    return reference.common_arcs([tuple(arc) for arc in a.arcs], [tuple(arc) for arc in b.arcs], a.labels, b.labels)


@settings(max_examples=30)
@given(graphs(), graphs())
def test_a_largest_common_part(a, b):
    stored = b.to_json()
    most = common(a, b)
    assert measured(GraphSimilarity(), Graph(), [stored], a.to_json()) == {stored: 2 * most / (len(a) + len(b))}
    assert measured(GraphSimilarity("query"), Graph(), [stored], a.to_json()) == {stored: most / len(a)}


@given(graphs(), st.permutations(NAMES))
def test_names_of_variables_do_not_count(graph, others):
    renamed = dict(zip(NAMES, others, strict=True))
    labels = {renamed[name]: label for name, label in graph.labels.items()}
    other = FunctionGraph([(renamed[arc.source], arc.sign, renamed[arc.target]) for arc in graph.arcs], labels)
    assert list(measured(GraphSimilarity(), Graph(), [other.to_json()], graph.to_json()).values()) == [1.0]


def circle(n, sign="+"):
    return FunctionGraph([(f"v{i}", sign if i else "+", f"v{(i + 1) % n}") for i in range(n)])


def test_large_graphs_are_bounded_symmetric_and_like_themselves():
    texts = [circle(n).to_json() for n in (3, 20, 21)] + [circle(20, "-").to_json()]
    for query in texts:
        found = measured(GraphSimilarity(steps=200), Graph(), texts, query)
        assert found[query] == 1.0
        for text in texts:
            assert measured(GraphSimilarity(steps=200), Graph(), [query], text) == {query: found[text]}


def test_graphs_are_read_once():
    texts = [circle(n).to_json() for n in (3, 4)]
    earlier = GraphSimilarity().prepare(column_of(Graph(), texts))
    later = GraphSimilarity().prepare(column_of(Graph(), [*texts[1:], circle(5).to_json()]), None, earlier)
    assert list(later.state) == [texts[1], circle(5).to_json()]
    assert later.state[texts[1]] is earlier.state[texts[1]]
