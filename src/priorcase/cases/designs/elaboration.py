"""Rules that rewrite a wanted function into an equivalent one, so that more cases are part of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, permutations
from typing import Protocol

from priorcase.cases.designs.budget import Budget
from priorcase.cases.designs.graph import MOST_ARCS, MOST_VARIABLES, Arc, FunctionGraph, Sign
from priorcase.exceptions import ParameterError, quoted

__all__ = ["Elaborated", "Elaboration", "JoinArcs", "Rewriting", "SplitArc", "elaborations"]

_PERMUTED = 4


@dataclass(frozen=True)
class Rewriting:
    """One rewriting of a function graph.

    Parameters
    ----------
    graph
        What became of it.
    text
        What was done, for people.
    """

    graph: FunctionGraph
    text: str


class Elaboration(Protocol):
    """A rule: given a function graph, and a name that is free in it, all graphs that it may be rewritten into."""

    def rewritings(self, graph: FunctionGraph, fresh: str) -> Iterable[Rewriting]:
        """Each way to apply the rule once."""
        ...


@dataclass(frozen=True)
class SplitArc:
    """``A s> B`` becomes ``A s1> x s2> B`` with ``s1 s2 = s``: a plus may be two minuses.

    The new variable is universally quantified (Mitchell 1997, section 8.5): it has no label, so it may be any quantity.

    Examples
    --------
    >>> for rewriting in SplitArc().rewritings(FunctionGraph.parse("A +> B"), "x"):
    ...     print(rewriting.text)
    A +> B becomes A +> x +> B
    A +> B becomes A -> x -> B
    """

    def rewritings(self, graph: FunctionGraph, fresh: str) -> Iterator[Rewriting]:
        """Every arc, in both ways; none where the graph can hold no more."""
        if len(graph.variables) >= MOST_VARIABLES or len(graph) >= MOST_ARCS:
            return
        for arc in graph.arcs:
            signs: tuple[tuple[Sign, Sign], ...] = (("+", "+"), ("-", "-"))
            if arc.sign == "-":
                signs = (("-", "+"), ("+", "-"))
            for first, second in signs:
                new = [Arc(arc.source, first, fresh), Arc(fresh, second, arc.target)]
                arcs = [*(other for other in graph.arcs if other != arc), *new]
                text = f"{arc} becomes {arc.source} {first}> {fresh} {second}> {arc.target}"
                yield Rewriting(FunctionGraph(arcs, graph.labels), text)


@dataclass(frozen=True)
class JoinArcs:
    """``A s1> x s2> B`` becomes ``A s> B`` with ``s = s1 s2``, where nothing else touches x and x may be any quantity.

    A variable with a label stays. For `design`, pass ``rules=(SplitArc(), JoinArcs())``.

    Examples
    --------
    >>> for rewriting in JoinArcs().rewritings(FunctionGraph.parse("A -> x -> B; flow: A, B"), "y"):
    ...     print(rewriting.text)
    A -> x -> B becomes A +> B
    """

    def rewritings(self, graph: FunctionGraph, fresh: str) -> Iterator[Rewriting]:
        """Every variable that may go."""
        pairs = {(arc.source, arc.target) for arc in graph.arcs}
        for name in graph.variables:
            into = [arc for arc in graph.arcs if arc.target == name]
            out = [arc for arc in graph.arcs if arc.source == name]
            if name in graph.labels or len(into) != 1 or len(out) != 1:
                continue
            before, after = into[0], out[0]
            if before.source == after.target or (before.source, after.target) in pairs:
                continue
            joined = Arc(before.source, graph.sign(before.source, name, after.target), after.target)
            arcs = [*(arc for arc in graph.arcs if arc not in (before, after)), joined]
            yield Rewriting(
                FunctionGraph(arcs, graph.labels), f"{before} {after.sign}> {after.target} becomes {joined}"
            )


RULES: tuple[Elaboration, ...] = (SplitArc(),)
"""The rules that `design` uses unless others are given; joining would leave out variables that were asked for."""


@dataclass(frozen=True)
class Elaborated:
    """A function graph and the rewritings that led to it.

    Parameters
    ----------
    graph
        The graph.
    steps
        What was done, in order; empty for the query itself.
    fresh
        The variables that rewritings have brought in.
    """

    graph: FunctionGraph
    steps: tuple[str, ...] = ()
    fresh: tuple[str, ...] = ()


def elaborations(
    query: FunctionGraph, depth: int, rules: Sequence[Elaboration], budget: Budget
) -> Iterator[tuple[Elaborated, ...]]:
    """The graphs that 0, 1, 2 ... ``depth`` rewritings lead to, those of each number together.

    Each graph is given once, with the fewest rewritings, whatever its new variables are called. Raises where the budget
    is spent.
    """
    level: tuple[Elaborated, ...] = (Elaborated(query),)
    seen = {_shape(level[0])}
    yield level
    for _ in range(depth):
        found = []
        for one in level:
            for new in _rewritten(one, query, rules):
                budget.spend(len(new.graph))
                if (shape := _shape(new)) not in seen:
                    seen.add(shape)
                    found.append(new)
        level = tuple(found)
        if not level:
            return
        yield level


def _rewritten(one: Elaborated, query: FunctionGraph, rules: Sequence[Elaboration]) -> Iterator[Elaborated]:
    taken = {*query.variables, *one.graph.variables}
    fresh = next(name for i in count(1) if (name := f"x{i}") not in taken)
    for rule in rules:
        for rewriting in rule.rewritings(one.graph, fresh):
            if not _is_rewriting(rewriting):
                raise ParameterError(
                    f"rules must give Rewritings, got {quoted(rule)}. A rule's rewritings(graph, fresh) "
                    "gives Rewriting(graph, text) each."
                )
            names = {*one.fresh, fresh} & set(rewriting.graph.variables)
            yield Elaborated(rewriting.graph, (*one.steps, rewriting.text), tuple(sorted(names)))


def _is_rewriting(value: object) -> bool:
    return isinstance(value, Rewriting) and isinstance(value.graph, FunctionGraph)


def _shape(one: Elaborated) -> FunctionGraph:
    """The graph with its new variables renamed in the one way, of all, that gives the first text.

    Beyond four new variables they keep their names, and a graph may come more than once.
    """
    if not one.fresh or len(one.fresh) > _PERMUTED:
        return one.graph
    names = [dict(zip(one.fresh, order, strict=True)) for order in permutations(f"*{i}" for i in range(len(one.fresh)))]
    return min((_renamed(one.graph, name) for name in names), key=lambda graph: (graph.arcs, graph.quantities))


def _renamed(graph: FunctionGraph, names: dict[str, str]) -> FunctionGraph:
    arcs = [(names.get(arc.source, arc.source), arc.sign, names.get(arc.target, arc.target)) for arc in graph.arcs]
    return FunctionGraph(arcs, {names.get(name, name): label for name, label in graph.quantities})
