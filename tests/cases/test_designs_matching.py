"""Matching: sound and complete against enumeration, in a fixed order, within bounds."""

from __future__ import annotations

from itertools import combinations

from drawn_graphs import graphs
from hypothesis import given
from hypothesis import strategies as st
from reference import function_graphs as reference

from priorcase.cases import FunctionGraph, graph_similarity
from priorcase.cases.designs import matches

CASE_NAMES = ["p", "q", "r", "s"]


def plain(graph: FunctionGraph) -> tuple[reference.Arcs, dict[str, str]]:
    return frozenset(map(tuple, graph.arcs)), dict(graph.labels)


@given(graphs(CASE_NAMES, 4), graphs())
def test_matches_are_all_that_enumeration_finds(case: FunctionGraph, query: FunctionGraph) -> None:
    found = matches(case, query)
    assert not found.cut
    expected = reference.first_of_each_image(*plain(case), *plain(query))
    assert {frozenset(map(tuple, match.arcs)): match.mapping for match in found} == expected
    assert all(not match.free for match in found)
    assert list(found) == sorted(found, key=lambda match: (-len(match.arcs), match.bindings))


@given(graphs(CASE_NAMES, 4), graphs())
def test_open_variables_are_allowed_where_they_bring_no_unwanted_influence(
    case: FunctionGraph, query: FunctionGraph
) -> None:
    wanted, brought = reference.influences(plain(query)[0]), reference.influences(plain(case)[0])
    expected = set()
    for number in (0, 1):
        for left in combinations(case.variables, number):
            part = frozenset(arc for arc in plain(case)[0] if arc[0] not in left and arc[2] not in left)
            if set(reference.variables(part)) | set(left) != set(case.variables) or not part:
                continue
            for arcs, mapping in reference.first_of_each_image(part, plain(case)[1], *plain(query)).items():
                if all(
                    signs <= wanted.get((mapping[one], mapping[other]), set())
                    for (one, other), signs in brought.items()
                    if one in mapping and other in mapping
                ):
                    expected.add((arcs, tuple(sorted(mapping.items())), left))
    found = matches(case, query, free=1)
    assert {(frozenset(map(tuple, match.arcs)), match.bindings, match.free) for match in found} == expected


@given(graphs(), st.permutations(["v", "w", "x", "y", "z"]))
def test_a_graph_matches_itself_under_other_names_first_and_whole(graph: FunctionGraph, names: list[str]) -> None:
    name = dict(zip("ABCDE", names, strict=True))
    renamed = FunctionGraph(
        [(name[arc.source], arc.sign, name[arc.target]) for arc in graph.arcs],
        {name[one]: label for one, label in graph.labels.items()},
    )
    assert matches(renamed, graph)[0].arcs == graph.arcs
    assert graph_similarity(renamed, graph) == 1.0


@given(graphs(["p", "q", "r"], 4), graphs(["A", "B", "C", "D"], 6))
def test_similarity_is_the_largest_common_share(case: FunctionGraph, query: FunctionGraph) -> None:
    expected = reference.most_common(*plain(case), *plain(query)) / len(query)
    assert graph_similarity(case, query) == expected


def test_symmetric_matches_are_one_and_the_first_by_name() -> None:
    junction = FunctionGraph.parse("Q1 +> Q3; Q2 +> Q3")
    query = FunctionGraph.parse("a +> m; b +> m; c +> m")
    found = matches(junction, query)
    assert [match.bindings for match in found] == [
        (("Q1", "a"), ("Q2", "b"), ("Q3", "m")),
        (("Q1", "a"), ("Q2", "c"), ("Q3", "m")),
        (("Q1", "b"), ("Q2", "c"), ("Q3", "m")),
    ]
    assert str(found[0]) == "Q1 = a, Q2 = b, Q3 = m"


def test_a_label_or_a_sign_that_differs_is_no_match() -> None:
    query = FunctionGraph.parse("a -> b; flow: a, b")
    assert not matches(FunctionGraph.parse("x +> y"), query)
    assert not matches(FunctionGraph.parse("x -> y; heat: x"), query)
    assert len(matches(FunctionGraph.parse("x -> y; flow: x"), query)) == 1
    assert str(matches(FunctionGraph.parse("x +> y"), query)) == "no match"


def test_a_side_effect_is_left_open_but_not_one_on_a_bound_variable() -> None:
    query = FunctionGraph.parse("C +> Q; Q +> L")
    pump = FunctionGraph.parse("c +> q; c +> noise; sound: noise")
    labeled = FunctionGraph(query.arcs, {"C": "control", "Q": "flow", "L": "level"})
    assert [str(match) for match in matches(pump, labeled, free=1)] == [
        "c = C, q = Q; noise left open",
        "c = Q, q = L; noise left open",
    ]
    assert not matches(pump, labeled)
    # Over what is left open, L would be lowered, which the query does not want.
    bad = FunctionGraph.parse("c +> q +> l; c +> heat -> l")
    assert not matches(bad, query, free=1)
    good = FunctionGraph.parse("c +> q +> l; c +> heat +> l")
    assert {match.free for match in matches(good, query, free=1)} == {("heat",), ("q",)}


def test_a_limit_keeps_the_first_and_says_so() -> None:
    arc, query = FunctionGraph.parse("x +> y"), FunctionGraph.parse("a +> b +> c +> d")
    found = matches(arc, query, limit=2)
    assert found[:] == matches(arc, query)[:2]
    assert found.cut == "3 matches were found, more than the limit of 2"
    assert str(found).endswith("3 matches were found, more than the limit of 2")


def test_steps_cut_a_search_the_same_way_each_time() -> None:
    names = [f"v{i}" for i in range(8)]
    clique = FunctionGraph([(one, "+", other) for one in names for other in names if one != other])
    path = FunctionGraph.parse("a +> b +> c +> d")
    found = matches(path, clique, steps=200, seconds=1000.0)
    assert found.cut == "the search was stopped after 200 steps"
    assert 0 < len(found) < len(matches(path, clique))
    assert found == matches(path, clique, steps=200, seconds=float("inf"))
