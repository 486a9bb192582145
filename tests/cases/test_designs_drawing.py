"""Pictures of designs: every arc and piece is there, places are fixed and apart, nothing is cut off."""

from __future__ import annotations

import sys

import pytest
from drawn_graphs import graphs
from hypothesis import given, settings
from matplotlib import pyplot

from priorcase.cases import FunctionGraph, design
from priorcase.cases.designs.drawing import layered
from priorcase.exceptions import MissingExtraError

CASES = {"valve": FunctionGraph.parse("c +> q; control: c; flow: q"), "cooler": FunctionGraph.parse("q -> t; flow: q")}


@given(graphs())
def test_places_are_apart_and_arcs_run_to_the_right_unless_they_return(graph: FunctionGraph) -> None:
    layout = layered(graph)
    assert layout == layered(FunctionGraph(graph.arcs[::-1], graph.labels))
    assert sorted(layout.places) == list(graph.variables)
    assert len(set(layout.places.values())) == len(graph.variables)
    ways = graph.influences()
    for arc in graph.arcs:
        apart = layout.places[arc.target][0] - layout.places[arc.source][0]
        assert apart == 0 if (arc.target, arc.source) in ways else apart >= 1
        assert (arc in layout.bends) == (apart != 1)


def test_rows_are_ordered_so_that_arcs_do_not_cross() -> None:
    places = layered(FunctionGraph.parse("R +> A +> Z; R +> B +> Y")).places
    assert (places["A"][1] > places["B"][1]) == (places["Z"][1] > places["Y"][1])


@settings(deadline=None)
@given(graphs(most=5))
def test_a_bent_arc_runs_through_no_variable(graph: FunctionGraph) -> None:
    layout = layered(graph)
    for arc, bend in layout.bends.items():
        start, end = layout.places[arc.source], layout.places[arc.target]
        middle = [(start[i] + 2 * bend[i] + end[i]) / 4 for i in (0, 1)]
        others = [place for name, place in layout.places.items() if name not in (arc.source, arc.target)]
        assert all(abs(middle[0] - x) + abs(middle[1] - y) > 0.1 for x, y in others)


def test_a_design_shows_its_arcs_pieces_and_quantities() -> None:
    ax = design("C +> Q -> T; C +> P", CASES, elaborate=0).plot()
    texts = [text.get_text() for text in ax.texts]
    assert sorted(texts) == sorted(["C\ncontrol", "Q\nflow", "P\nflow", "T", "+ (1)", "+ (2)", "− (3)"])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "+ increases",
        "− decreases",
        "(1) valve",
        "(2) valve",
        "(3) cooler",
    ]
    assert len({patch.get_edgecolor() for patch in ax.patches}) == 3
    assert len({str(patch.get_linestyle()) for patch in ax.patches}) == 2
    pyplot.close(ax.figure)


def test_what_is_not_realized_is_grey_and_said() -> None:
    ax = design("C +> Q -> T; control: C", {"valve": CASES["valve"]}, elaborate=0).plot()
    assert "(?) not realized" in [text.get_text() for text in ax.get_legend().get_texts()]
    pyplot.close(ax.figure)
    ax = design("C -> Q", {}).plot()
    assert "− (?)" in [text.get_text() for text in ax.texts]
    pyplot.close(ax.figure)


def test_everything_lies_inside_the_picture() -> None:
    found = design("A +> B -> A; C +> A; C +> D; D +> B", {"arc": FunctionGraph.parse("a +> b")}, elaborate=0)
    _, ax = pyplot.subplots()
    assert found.plot(ax) is ax
    ax.figure.canvas.draw()
    frame = ax.figure.bbox
    for artist in [*ax.texts, *ax.patches]:
        box = artist.get_window_extent()
        assert frame.x0 <= box.x0
        assert box.x1 <= frame.x1
        assert frame.y0 <= box.y0
        assert box.y1 <= frame.y1
    pyplot.close(ax.figure)


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    found = design("C +> Q", CASES)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match="needs matplotlib"):
        found.plot()
