"""Hostile graphs: every search ends within its bounds and says that it was cut."""

from __future__ import annotations

import pytest

from priorcase.cases import FunctionGraph, design, graph_similarity, plumbing
from priorcase.cases.designs import matches

NAMES = [f"v{i:02}" for i in range(30)]
CLIQUE = FunctionGraph(
    [(a, "+" if i * j % 3 else "-", b) for i, a in enumerate(NAMES) for j, b in enumerate(NAMES) if a != b]
)
NEARLY = FunctionGraph(CLIQUE.arcs[1:])


@pytest.mark.parametrize("case", [NEARLY, FunctionGraph.parse("a +> b; b +> c; c -> d; d +> e; e -> a")])
def test_matching_in_a_clique_is_cut(case: FunctionGraph) -> None:
    found = matches(case, CLIQUE, steps=1000, seconds=1000.0)
    assert found.cut == "the search was stopped after 1,000 steps"


def test_seconds_cut_as_well() -> None:
    found = matches(CLIQUE, CLIQUE, steps=10**9, seconds=0.3)
    assert found.cut == "the search was stopped after 0.3 seconds"


@pytest.mark.parametrize("free", [0, 2])
def test_a_design_of_a_clique_is_cut_and_gives_a_part(free: int) -> None:
    found = design(CLIQUE, plumbing(), steps=20_000, seconds=1000.0, free=free)
    assert not found
    assert found.partial is not None
    assert found.partial.missing
    text = str(found)
    assert "\nthe search was stopped after 20,000 steps; " in text
    assert text.endswith("; there may be better designs")
    assert len(found.partial.pieces) > 3
    assert len(text.splitlines()) < 100  # of 870 arcs the first are shown
    assert "more arcs: see frame()" in text


def test_the_exact_case_is_found_in_spite_of_a_cut() -> None:
    found = design(CLIQUE, {"nearly": NEARLY, "clique": CLIQUE}, steps=5_000, seconds=1000.0, limit=1)
    assert [piece.fragment.name for piece in found[0].pieces] == ["clique"]
    assert found.cut == "parts of the search were shortened to stay within 5,000 steps"


def test_the_largest_graph_can_be_asked_for() -> None:
    star = FunctionGraph([("hub", "+", f"v{i:03}") for i in range(299)])
    found = design(star, {"arc": FunctionGraph.parse("a +> b")}, elaborate=0)
    assert found.partial is not None
    assert len(found.partial.pieces) == 100
    assert found.cut.endswith("designs with more than 100 pieces were not considered")
    assert str(found).endswith("designs with more than 100 pieces were not considered; there may be better designs")
    assert found.plot() is not None


def test_similarity_of_hostile_graphs_is_bounded_and_never_too_much() -> None:
    assert 0 < graph_similarity(CLIQUE, NEARLY) <= 1
    assert graph_similarity(CLIQUE, CLIQUE) == 1


def test_many_equal_cases_are_alternatives_of_one() -> None:
    graph = FunctionGraph.parse("a +> b")
    found = design("A +> B +> C", [{"id": i, "function": graph} for i in range(2000)], elaborate=0)
    assert len(found) == 1
    assert len(found[0].pieces[0].alternatives) == 1999
    assert "can be replaced by case 1, case 2, case 3 and 1996 more" in str(found)
