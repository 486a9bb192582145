"""Function graphs: equality, text, JSON, signs of paths, influences, and words for what is no graph."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from drawn_graphs import graphs
from hypothesis import given
from hypothesis import strategies as st
from reference import function_graphs as reference

from priorcase.cases import FunctionGraph
from priorcase.cases.designs import Arc


@given(graphs(), st.randoms(use_true_random=False))
def test_graphs_are_equal_by_content_in_any_order(graph: FunctionGraph, random: Any) -> None:
    arcs, labels = list(graph.arcs), list(graph.labels.items())
    random.shuffle(arcs)
    random.shuffle(labels)
    other = FunctionGraph([list(arc) for arc in arcs] + arcs[:1], dict(labels))
    assert other == graph
    assert hash(other) == hash(graph)
    assert other.to_json() == graph.to_json()
    for same in (FunctionGraph.parse(str(graph)), FunctionGraph.from_json(graph.to_json()), eval(repr(graph))):
        assert same == graph
    assert pickle.loads(pickle.dumps(graph)) == copy.deepcopy(graph) == graph


@given(graphs())
def test_a_sign_or_a_label_more_makes_another_graph(graph: FunctionGraph) -> None:
    first, *rest = graph.arcs
    turned = FunctionGraph([(first.source, "-" if first.sign == "+" else "+", first.target), *rest], graph.labels)
    labeled = FunctionGraph(graph.arcs, {**graph.labels, first.source: "other"})
    assert len({graph, turned, labeled}) == 3
    assert len({graph.to_json(), turned.to_json(), labeled.to_json()}) == 3


@given(graphs())
def test_influences_equal_the_reference(graph: FunctionGraph) -> None:
    assert graph.influences() == reference.influences(frozenset(map(tuple, graph.arcs)))


def test_a_graph_is_frozen_and_its_labels_too() -> None:
    graph = FunctionGraph.parse("Q1 +> Q3; flow: Q1")
    with pytest.raises(AttributeError):
        graph.arcs = ()  # type: ignore[misc]
    with pytest.raises(TypeError):
        graph.labels["Q1"] = "heat"  # type: ignore[index]


def test_of_takes_whatever_says_a_graph() -> None:
    graph = FunctionGraph.parse("Q1 +> Q3; flow: Q1")
    arcs, labels = [["Q1", "+", "Q3"]], {"Q1": "flow"}
    for value in (graph, str(graph), graph.to_json(), {"arcs": arcs, "labels": labels}):
        assert FunctionGraph.of(value) == graph
    assert FunctionGraph.of(arcs) == FunctionGraph.of({"arcs": arcs}) == FunctionGraph(arcs)


def test_the_tail_of_the_arrow_is_its_sign_and_chains_are_arcs() -> None:
    graph = FunctionGraph.parse("A->B\n B+>C ;; C -> D +> E")
    assert graph.arcs == (Arc("A", "-", "B"), Arc("B", "+", "C"), Arc("C", "-", "D"), Arc("D", "+", "E"))
    assert FunctionGraph.parse("T hot +> T-mix").variables == ("T hot", "T-mix")


def test_the_sign_of_a_path_is_the_product_of_its_signs() -> None:
    graph = FunctionGraph.parse("A -> B -> C -> D; A +> D")
    assert [graph.sign(*path) for path in ("AB", "ABC", "ABCD", "AD", "A")] == ["-", "+", "-", "+", "+"]
    assert graph.influences()["A", "D"] == {"+", "-"}
    assert ("D", "A") not in graph.influences()


def test_networkx_has_labels_and_signs() -> None:
    graph = FunctionGraph.parse("A -> B; flow: A").networkx()
    assert dict(graph.nodes(data="label")) == {"A": "flow", "B": None}
    assert list(graph.edges(data="sign")) == [("A", "B", "-")]
