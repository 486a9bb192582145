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

from priorcase.cases.designs import Arc, FunctionGraph
from priorcase.exceptions import ParameterError


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
    labelled = FunctionGraph(graph.arcs, {**graph.labels, first.source: "other"})
    assert len({graph, turned, labelled}) == 3
    assert len({graph.to_json(), turned.to_json(), labelled.to_json()}) == 3


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


BAD_GRAPHS: list[tuple[Any, str]] = [
    (
        lambda: FunctionGraph([]),
        "got no arcs; expected at least one.",
    ),
    (lambda: FunctionGraph.parse(" ; \n"), "got no arcs"),
    (lambda: FunctionGraph("A +> B"), "got 'A +> B'; expected a FunctionGraph, its text, or a list of arcs."),
    (lambda: FunctionGraph(3), "got 3; expected a FunctionGraph"),
    (lambda: FunctionGraph.of(3), "FunctionGraph.of: got 3; expected a FunctionGraph"),
    (lambda: FunctionGraph.of({"arc": []}), "FunctionGraph.of: got {'arc': []}; expected"),
    (lambda: FunctionGraph(["A+B"]), "got 'A+B' as an arc; expected three texts: source, sign, target."),
    (lambda: FunctionGraph([("A", "B")]), "got ('A', 'B') as an arc"),
    (
        lambda: FunctionGraph([("A", "0", "B")]),
        "got the sign '0' from 'A' to 'B'; expected '+' or '-'.",
    ),
    (lambda: FunctionGraph([("A", None, "B")]), "got the sign None from 'A' to 'B'"),
    (lambda: FunctionGraph([("", "+", "B")]), "got '' as a variable; expected a printable text of 1 to 200 characters"),
    (lambda: FunctionGraph([("A;", "+", "B")]), "without any of ; : , > and without spaces, + or - at its ends."),
    (lambda: FunctionGraph.parse("A --> B"), "got 'A -' as a variable"),
    (lambda: FunctionGraph.parse("A ++> B"), "got 'A +' as a variable"),
    (lambda: FunctionGraph.parse("A +> -B"), "got '-B' as a variable"),
    (lambda: FunctionGraph([(1, "+", "B")]), "got 1 as a variable"),
    (lambda: FunctionGraph([("A\ud800", "+", "B")]), "as a variable; expected a printable text"),
    (lambda: FunctionGraph([("A" * 201, "+", "B")]), "expected a printable text of 1 to 200 characters"),
    (
        lambda: FunctionGraph([("A", "+", "A")]),
        "got an arc from 'A' to itself; expected two different variables.",
    ),
    (
        lambda: FunctionGraph.parse("A +> B; A -> B"),
        "got both '+' and '-' from 'A' to 'B'; expected one sign.",
    ),
    (
        lambda: FunctionGraph([("A", "+", "B")], ["A"]),
        "got labels=['A']; expected a mapping of variables to quantities. ",
    ),
    (
        lambda: FunctionGraph([("A", "+", "B")], {"C": "flow"}),
        "got a label for 'C', which is on no arc; expected the gra",
    ),
    (lambda: FunctionGraph([("A", "+", "B")], {"A": None}), "got None as the label of 'A'; expected a printable text"),
    (lambda: FunctionGraph([("A", "+", "B")], {1: "flow"}), "got 1 as a variable"),
    (
        lambda: FunctionGraph.parse("flow: A; heat: A; A +> B"),
        "got the labels 'flow' and 'heat' for 'A'; expected one. ",
    ),
    (
        lambda: FunctionGraph.parse("A => B"),
        "FunctionGraph.parse: cannot read 'A => B'; expected arcs 'A +> B' and 'A ->",
    ),
    (lambda: FunctionGraph.parse("A +> "), "cannot read 'A +>'; expected arcs"),
    (
        lambda: FunctionGraph.parse("A"),
        "cannot read 'A'; expected arcs 'A +> B' and 'A -> B' or labels 'flow: A, B'.",
    ),
    (lambda: FunctionGraph.parse("flow: A,; A +> B"), "cannot read 'flow: A,'"),
    (lambda: FunctionGraph.parse("flow: A +> B"), "cannot read 'flow: A +> B'"),
    (
        lambda: FunctionGraph.parse(None),
        "FunctionGraph.parse: got None; expected a text.",
    ),
    (lambda: FunctionGraph.from_json(b"{}"), "FunctionGraph.from_json: got b'{}'; expected a text."),
    (
        lambda: FunctionGraph.from_json("{"),
        "got a text that is no function graph: it is no JSON (Expecting property name",
    ),
    (lambda: FunctionGraph.from_json("[" * 100_000), "no function graph: it nests too deeply. to_json() writes"),
    (lambda: FunctionGraph.from_json("[]"), "no function graph: expected an object with 'arcs' and 'labels'."),
    (lambda: FunctionGraph.from_json('{"arcs":[]}'), "expected an object with 'arcs' and 'labels'"),
    (lambda: FunctionGraph.from_json('{"arcs":{},"labels":{}}'), "expected 'arcs' to be a list"),
    (lambda: FunctionGraph.from_json('{"arcs":[],"arcs":[],"labels":{}}'), "a name stands twice in one object"),
    (lambda: FunctionGraph.from_json('{"arcs":[],"labels":{}}'), "got no arcs"),
    (lambda: FunctionGraph.from_json('{"arcs":[["A","+","B"]],"labels":[]}'), "got labels=[]; expected a mapping"),
    (
        lambda: FunctionGraph.parse("A +> B").sign("A", "C"),
        "got 'C', which is no variable of the graph; it has A, B.",
    ),
    (
        lambda: FunctionGraph.parse("A +> B").sign("B", "A"),
        "got a path from 'B' to 'A', between which there is no arc. ",
    ),
    (
        lambda: FunctionGraph([(f"v{i}", "+", f"v{i + 1}") for i in range(300)]),
        "got a graph of 301 variables; expected at most 300.",
    ),
    (
        lambda: FunctionGraph([(f"v{i}", "+", f"v{j}") for i in range(60) for j in range(60) if i != j]),
        "got a graph of 3,540 arcs; expected at most 3,000.",
    ),
]


@pytest.mark.parametrize(("make", "text"), BAD_GRAPHS)
def test_what_is_no_graph_gets_one_clear_error(make: Any, text: str) -> None:
    with pytest.raises(ParameterError) as caught:
        make()
    assert text in str(caught.value)
