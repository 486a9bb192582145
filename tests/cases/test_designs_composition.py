"""Designs: all that enumeration finds, in order; conflicts that are backed out of; parts of designs; words."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import polars as pl
import pytest
from drawn_graphs import graphs
from hypothesis import given
from hypothesis import strategies as st
from reference import function_graphs as reference

from priorcase.cases import Design, Fragment, FunctionGraph, JoinArcs, Piece, SplitArc, design, fragments_of, plumbing
from priorcase.cases.designs import matches
from priorcase.exceptions import ParameterError

SMALL = graphs(["p", "q", "r"], 2)


def plain(graph: FunctionGraph) -> reference.Arcs:
    return frozenset(map(tuple, graph.arcs))


def quantities(case: FunctionGraph, mapping: dict[str, str]) -> dict[str, str]:
    return {mapping[name]: label for name, label in case.labels.items()}


def expected_covers(query: FunctionGraph, cases: list[FunctionGraph]) -> set[frozenset[tuple[int, reference.Arcs]]]:
    """Exact covers by images of the cases that agree on what a variable without a label is."""
    pieces, said = [], []
    for place, case in enumerate(cases):
        found = reference.first_of_each_image(plain(case), dict(case.labels), plain(query), dict(query.labels))
        for arcs, mapping in found.items():
            pieces.append((place, arcs))
            said.append(quantities(case, mapping))
    return {
        frozenset(pieces[i] for i in chosen)
        for chosen in reference.exact_covers(plain(query), [arcs for _, arcs in pieces])
        if all(said[i].get(name, label) == label for i in chosen for j in chosen for name, label in said[j].items())
    }


def chosen_by(found: Design, names: list[str]) -> frozenset[tuple[int, reference.Arcs]]:
    return frozenset((names.index(piece.fragment.name), frozenset(map(tuple, piece.arcs))) for piece in found.pieces)


@given(graphs(["A", "B", "C", "D"], 4), st.lists(SMALL, min_size=1, max_size=3, unique=True))
def test_designs_are_all_exact_covers_fewest_pieces_first(query: FunctionGraph, cases: list[FunctionGraph]) -> None:
    names = [f"case {i}" for i in range(len(cases))]
    found = design(query, dict(zip(names, cases, strict=True)), elaborate=0, limit=10_000)
    covers = [chosen_by(one, names) for one in found]
    assert len(covers) == len(set(covers))
    assert set(covers) == expected_covers(query, cases)
    assert [len(one.pieces) for one in found] == sorted(len(one.pieces) for one in found)
    assert all(one.complete and one.query == one.graph == query for one in found)
    assert not found.cut


@given(graphs(["A", "B", "C", "D"], 4), st.lists(SMALL, min_size=1, max_size=2, unique=True))
def test_a_part_of_a_design_leaves_as_few_arcs_as_any(query: FunctionGraph, cases: list[FunctionGraph]) -> None:
    cases = [FunctionGraph(case.arcs) for case in cases]  # without labels, so that arcs alone conflict
    found = design(query, {f"case {i}": case for i, case in enumerate(cases)}, elaborate=0)
    pieces = [arcs for case in cases for arcs in reference.first_of_each_image(plain(case), {}, plain(query), {})]
    covered = reference.most_covered(pieces)
    if covered == len(query):
        assert found
    elif covered:
        assert found.partial is not None
        assert len(query) - len(found.partial.missing) == covered
        assert str(found).endswith("no design realizes the whole function")
    else:
        assert found.best is None
        assert str(found) == "no fragment matches any part of the function"


@given(graphs(["A", "B", "C"], 3), st.lists(graphs(["p", "q", "r"], 3), min_size=1, max_size=3, unique=True))
def test_a_design_brings_no_influence_that_was_not_wanted(query: FunctionGraph, cases: list[FunctionGraph]) -> None:
    wanted = query.influences()
    found = design(query, {f"case {i}": case for i, case in enumerate(cases)}, elaborate=1, free=1, share=True)
    for one in found:
        built = set()
        for number, piece in enumerate(one.pieces):
            names = {**{name: f"{number} {name}" for name in piece.match.free}, **piece.match.mapping}
            built |= reference.image(plain(piece.fragment.function), names)
        influences = reference.influences(frozenset(built))
        stay = set(one.graph.variables) & set(query.variables)
        between = {pair: signs for pair, signs in influences.items() if set(pair) <= stay}
        assert between == {pair: set(signs) for pair, signs in wanted.items() if set(pair) <= stay}


def test_one_case_with_the_whole_function_comes_first() -> None:
    cases = {"valve": "C +> Q", "bypass": "C -> Q", "both": FunctionGraph.parse("C +> Q; C -> R")}
    found = design("a +> b; a -> c", {name: FunctionGraph.of(graph) for name, graph in cases.items()})
    assert [piece.fragment.name for piece in found[0].pieces] == ["both"]
    assert [piece.fragment.name for piece in found[1].pieces] == ["valve", "bypass"]


def test_a_large_piece_is_taken_back_where_the_rest_cannot_be_done() -> None:
    """The first choice, the largest piece, leaves an arc that only a piece can realize which claims one of its arcs."""
    cases = {
        "large": FunctionGraph.parse("a +> b +> c; flow: a, b, c"),
        "first": FunctionGraph.parse("a +> b; flow: a, b"),
        "rest": FunctionGraph.parse("b +> c -> d; flow: b, c; heat: d"),
    }
    found = design("A +> B +> C -> D; flow: A, B, C; heat: D", cases, elaborate=0)
    assert [piece.fragment.name for piece in found[0].pieces] == ["rest", "first"]
    assert found.conflicts == ("large and rest: both would realize B +> C",)
    assert found.backtracks > 0
    shared = design("A +> B +> C -> D; flow: A, B, C; heat: D", cases, elaborate=0, share=True)
    assert [piece.fragment.name for piece in shared[0].pieces] == ["large", "rest"]


def test_pieces_that_take_a_new_variable_for_different_things_conflict() -> None:
    cases = {
        "pump": FunctionGraph.parse("c +> p; control: c; pressure: p"),
        "turbine": FunctionGraph.parse("q +> w; flow: q; work: w"),
        "nozzle": FunctionGraph.parse("p +> w; pressure: p; work: w"),
    }
    found = design("C +> W; control: C; work: W", cases, elaborate=1)
    assert [[piece.fragment.name for piece in one.pieces] for one in found] == [["pump", "nozzle"]]
    assert "pump and turbine: x1 would be both pressure and flow" in found.conflicts
    assert found[0].quantities == (("x1", "pressure"),)


def test_what_is_not_compatible_is_backed_out_of() -> None:
    cases = [
        Fragment("gas burner", FunctionGraph.parse("c +> h"), "gas"),
        Fragment("gas sensor", FunctionGraph.parse("h -> s"), "gas"),
        Fragment("wax sensor", FunctionGraph.parse("h -> s"), "wax"),
    ]

    def not_two_of_gas(piece: Piece, other: Piece) -> bool:
        return {piece.fragment.structure, other.fragment.structure} != {"gas"}

    found = design("C +> H -> S", cases, elaborate=0)
    assert [piece.fragment.name for piece in found[0].pieces] == ["gas burner", "gas sensor"]
    assert found[0].pieces[1].alternatives == (cases[2],)
    assert "2 gas sensor can be replaced by wax sensor" in str(found)
    found = design("C +> H -> S", cases, elaborate=0, compatible=not_two_of_gas)
    assert [piece.fragment.name for piece in found[0].pieces] == ["gas burner", "wax sensor"]
    assert len(found) == 1
    assert found.conflicts == ("gas burner and gas sensor: not compatible",)
    refused = design("C +> H -> S", cases, compatible=lambda piece, other: False, elaborate=0)
    assert not refused
    assert refused.partial is not None
    assert len(refused.partial.missing) == 1


def test_fewer_pieces_come_first_then_fewer_rewritings() -> None:
    cases = {"chain": FunctionGraph.parse("a +> b +> c"), "step": FunctionGraph.parse("a +> b")}
    rules = (SplitArc(), JoinArcs())
    found = design("A +> B +> C", cases, elaborate=1, limit=50, rules=rules)
    orders = [(len(one.pieces), len(one.steps)) for one in found]
    assert orders == sorted(orders)
    assert orders[:2] == [(1, 0), (1, 1)]  # the whole chain; a single step, where B is left out
    assert found[1].steps == ("A +> B +> C becomes A +> C",)
    assert design("A +> B +> C", cases, elaborate=1, limit=1, rules=rules)[0] == found[0]
    assert all("B" in one.graph.variables for one in design("A +> B +> C", cases))


def test_no_rewriting_where_enough_was_found() -> None:
    found = design("A +> B", {"step": FunctionGraph.parse("a +> b")}, elaborate=2, limit=1)
    assert [one.steps for one in found] == [()]
    assert len(design("A +> B", {"step": FunctionGraph.parse("a +> b")}, elaborate=2, limit=9)) == 3


def test_connections_say_where_pieces_meet() -> None:
    found = design("C +> Q -> T", {"valve": FunctionGraph.parse("c +> q"), "cooler": FunctionGraph.parse("q -> t")})
    assert found[0].connections == {"Q": ("q of 1 valve", "q of 2 cooler")}


def test_frames_and_tables() -> None:
    found = design("C +> Q -> T", {"valve": FunctionGraph.parse("c +> q")}, elaborate=0)
    frame = found.partial.frame("polars") if found.partial else None
    assert isinstance(frame, pl.DataFrame)
    assert frame.rows() == [("C", "+", "Q", 1, "valve", "c", "q"), ("Q", "-", "T", None, None, None, None)]
    assert found.frame("polars").rows() == [(1, 0, 1, "valve")]
    assert str(found).splitlines()[0] == "partial design, 1 of 2 arcs: 1 piece, 0 rewritings"
    assert "<caption>partial design" in found._repr_html_()
    for result, name in ((found, "Designs"), (found.partial, "Design")):
        with pytest.raises(ParameterError, match=rf"{name}.frame: .*backend"):
            result.frame("excel")  # type: ignore[union-attr, arg-type]


def test_cases_are_fragments_mappings_or_graphs_by_name() -> None:
    class Case(dict[str, Any]):
        id = 7
        solution = "a disc on a spindle"

    graph = FunctionGraph.parse("c +> q")
    case = Case(does=graph, other=1)
    assert fragments_of([case], "does") == [Fragment("a disc on a spindle", graph, "a disc on a spindle", 7)]
    assert fragments_of([{"function": "c +> q", "id": 3}])[0] == Fragment("case 3", graph, None, 3)
    assert fragments_of([{"function": graph, "solution": {"name": "tap"}}])[0].name == "tap"
    assert fragments_of([{"function": graph, "name": "tap"}])[0].name == "tap"
    assert fragments_of([{"function": None}, {"other": 1}]) == []
    story = "turn it off,\n  wait, " + "and wait again " * 9
    long = fragments_of([{"function": graph, "solution": story}, {"function": graph, "solution": ""}])
    assert long[0] == Fragment("turn it off, wait, and wait again and wait again and wai ...", graph, story)
    assert [each.name for each in long[1:]] == ["case 1"]
    assert design("C +> Q", [case], attribute="does")[0].pieces[0].fragment.id == 7
    assert design("C +> Q", []).best is None


def test_every_fragment_of_the_library_matches_itself_and_no_other_is_the_same() -> None:
    library = plumbing()
    assert len(library) >= 10
    assert (
        len({fragment.name for fragment in library}) == len({fragment.function for fragment in library}) == len(library)
    )
    for one, other in combinations(library, 2):
        assert not (matches(one.function, other.function) and matches(other.function, one.function))
    for fragment in library:
        assert design(fragment.function, library, elaborate=0)[0].pieces[0].fragment == fragment
        assert fragment.structure
