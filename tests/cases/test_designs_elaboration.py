"""Elaboration: what is rewritten stays equivalent, comes once, and least rewritten first."""

from __future__ import annotations

from collections.abc import Iterator

from drawn_graphs import graphs
from hypothesis import given
from reference import function_graphs as reference

from priorcase.cases import FunctionGraph, JoinArcs, Rewriting, SplitArc, design
from priorcase.cases.designs.elaboration import Elaborated, elaborations
from priorcase.cases.designs.matching import Budget


def levels(query: FunctionGraph, depth: int, rules: tuple[SplitArc | JoinArcs, ...]) -> list[list[Elaborated]]:
    return [list(level) for level in elaborations(query, depth, rules, Budget(10**9, 1e9))]


def plain(graph: FunctionGraph) -> reference.Arcs:
    return frozenset(map(tuple, graph.arcs))


@given(graphs())
def test_splitting_gives_every_arc_in_both_ways(graph: FunctionGraph) -> None:
    found = [rewriting.graph for rewriting in SplitArc().rewritings(graph, "x")]
    assert len(found) == 2 * len(graph)
    assert {plain(new) for new in found} == reference.splits(plain(graph), "x")
    assert all(new.labels == graph.labels for new in found)


@given(graphs(most=5))
def test_influences_between_the_variables_that_stay_are_unchanged(graph: FunctionGraph) -> None:
    wanted = graph.influences()
    for level in levels(graph, 2, (SplitArc(), JoinArcs())):
        for one in level:
            stay = set(one.graph.variables) & set(graph.variables)
            pairs = {pair for pair in wanted if set(pair) <= stay}
            new = {pair: signs for pair, signs in one.graph.influences().items() if set(pair) <= stay}
            assert new == {pair: wanted[pair] for pair in pairs}


@given(graphs(most=4))
def test_joining_undoes_splitting(graph: FunctionGraph) -> None:
    for rewriting in SplitArc().rewritings(graph, "x"):
        assert graph in [joined.graph for joined in JoinArcs().rewritings(rewriting.graph, "y")]


@given(graphs(most=4))
def test_each_graph_comes_once_whatever_its_new_variables_are_called(graph: FunctionGraph) -> None:
    found = levels(graph, 2, (SplitArc(),))
    assert [len(level[0].steps) for level in found] == [0, 1, 2]
    n = len(graph)
    # Two different arcs: 2 * 2 ways for each pair. One arc twice, into three: 4 ways to sign them with one product.
    assert [len(level) for level in found] == [1, 2 * n, 4 * (n * (n - 1) // 2) + 4 * n]


def test_a_variable_that_was_asked_for_by_its_label_is_not_joined() -> None:
    assert not list(JoinArcs().rewritings(FunctionGraph.parse("A +> B +> C; flow: B"), "x"))
    assert not list(JoinArcs().rewritings(FunctionGraph.parse("A +> B +> C; A +> C"), "x"))
    assert not list(JoinArcs().rewritings(FunctionGraph.parse("A +> B -> A"), "x"))
    joined = [rewriting.graph for rewriting in JoinArcs().rewritings(FunctionGraph.parse("A -> B -> C"), "x")]
    assert joined == [FunctionGraph.parse("A +> C")]


def test_new_variables_never_take_a_name_of_the_query() -> None:
    found = levels(FunctionGraph.parse("x1 +> x3"), 2, (SplitArc(),))
    assert {name for level in found for one in level for name in one.fresh} == {"x2", "x4"}


def test_a_rule_of_ones_own_is_used() -> None:
    class Gravity:
        """Water that runs out of a tank leaves less in it."""

        def rewritings(self, graph: FunctionGraph, fresh: str) -> Iterator[Rewriting]:
            if graph == FunctionGraph.parse("Q +> D"):
                yield Rewriting(FunctionGraph.parse(f"Q -> {fresh} -> D; level: {fresh}"), "less level, more drained")

    cases = {"outlet": FunctionGraph.parse("q -> l; level: l"), "gauge": FunctionGraph.parse("l -> d; level: l")}
    found = design("Q +> D", cases, rules=[Gravity()], elaborate=1)
    assert found[0].steps == ("less level, more drained",)
    assert len(found[0].pieces) == 2
