"""Elaboration: rewrite the desired function into equivalent functions that other cases match."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, permutations
from typing import Protocol

from priorcase.cases.designs.graph import MOST_ARCS, MOST_VARIABLES, Arc, FunctionGraph, Sign
from priorcase.cases.designs.matching import Budget
from priorcase.exceptions import ParameterError, quoted

_PERMUTED = 4


@dataclass(frozen=True)
class Rewriting:
    """A rewritten function graph and a description of the change."""

    graph: FunctionGraph
    text: str


class Elaboration(Protocol):
    """A rule that rewrites function graphs."""

    def rewritings(self, graph: FunctionGraph, fresh: str) -> Iterable[Rewriting]:
        """Return every result of applying the rule once; ``fresh`` is an unused variable name."""
        ...


@dataclass(frozen=True)
class SplitArc:
    """Replace an arc ``A s> B`` with ``A s1> x s2> B``, where the product of the signs s1 and s2 is s.

    The new variable x has no label, so it can have any quantity: x is universally quantified (Mitchell 1997, section
    8.5).

    >>> for rewriting in SplitArc().rewritings(FunctionGraph.parse("A +> B"), "x"):
    ...     print(rewriting.text)
    A +> B becomes A +> x +> B
    A +> B becomes A -> x -> B
    """

    def rewritings(self, graph: FunctionGraph, fresh: str) -> Iterator[Rewriting]:
        """Yield two rewritings of every arc: the first new arc has the sign + in one rewriting, and - in the other.

        A graph of the maximum size is not rewritten.
        """
        if len(graph.variables) >= MOST_VARIABLES or len(graph) >= MOST_ARCS:
            return
        ways: dict[str, tuple[tuple[Sign, Sign], ...]] = {"+": (("+", "+"), ("-", "-")), "-": (("-", "+"), ("+", "-"))}
        for arc in graph.arcs:
            for first, second in ways[arc.sign]:
                new = [Arc(arc.source, first, fresh), Arc(fresh, second, arc.target)]
                arcs = [*(other for other in graph.arcs if other != arc), *new]
                text = f"{arc} becomes {new[0]} {second}> {arc.target}"
                yield Rewriting(FunctionGraph(arcs, graph.labels), text)


@dataclass(frozen=True)
class JoinArcs:
    """Replace ``A s1> x s2> B`` with ``A s> B``, where s is ``s1 s2``, if x has no label and no other arcs.

    To use this rule in `design`, pass ``rules=(SplitArc(), JoinArcs())``.

    >>> for rewriting in JoinArcs().rewritings(FunctionGraph.parse("A -> x -> B; flow: A, B"), "y"):
    ...     print(rewriting.text)
    A -> x -> B becomes A +> B
    """

    def rewritings(self, graph: FunctionGraph, fresh: str) -> Iterator[Rewriting]:
        """Return one rewriting for every variable that can be removed."""
        whole = graph.networkx()
        for name in graph.variables:
            if name in graph.labels or whole.in_degree(name) != 1 or whole.out_degree(name) != 1:
                continue
            [source], [target] = whole.predecessors(name), whole.successors(name)
            if source == target or whole.has_edge(source, target):
                continue
            joined = Arc(source, graph.sign(source, name, target), target)
            arcs = [*(arc for arc in graph.arcs if name not in (arc.source, arc.target)), joined]
            before, after = graph.sign(source, name), graph.sign(name, target)
            text = f"{source} {before}> {name} {after}> {target} becomes {joined}"
            yield Rewriting(FunctionGraph(arcs, graph.labels), text)


RULES: tuple[Elaboration, ...] = (SplitArc(),)
"""Default rules of `design`, without `JoinArcs`, which would remove variables of the desired function."""


@dataclass(frozen=True)
class Elaborated:
    """A function graph, the rewritings that led to it, and the variables that the rewritings introduced."""

    graph: FunctionGraph
    steps: tuple[str, ...] = ()
    fresh: tuple[str, ...] = ()


def elaborations(
    query: FunctionGraph, depth: int, rules: Sequence[Elaboration], budget: Budget
) -> Iterator[tuple[Elaborated, ...]]:
    """Yield the distinct graphs after 0, 1, ..., ``depth`` rewritings, as one tuple for each number of rewritings."""
    level: tuple[Elaborated, ...] = (Elaborated(query),)
    seen = {_shape(level[0])}
    for _ in range(depth):
        yield level
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
            if not isinstance(rewriting, Rewriting) or not isinstance(rewriting.graph, FunctionGraph):
                raise ParameterError(
                    f"rules must return Rewritings, but {quoted(rule)} returned {quoted(rewriting)}. The method "
                    "rewritings(graph, fresh) of a rule must return a list of Rewriting(graph, text)."
                )
            names = {*one.fresh, fresh} & set(rewriting.graph.variables)
            yield Elaborated(rewriting.graph, (*one.steps, rewriting.text), tuple(sorted(names)))


def _shape(one: Elaborated) -> object:
    """Return a key for finding duplicate graphs; the names of new variables are ignored if there are at most four."""
    fresh = one.fresh if len(one.fresh) <= _PERMUTED else ()  # more new variables have too many permutations
    shapes = []
    for order in permutations(range(len(fresh))):
        name = {old: f"*{new}" for old, new in zip(fresh, order, strict=True)}
        arcs = sorted(
            (name.get(arc.source, arc.source), arc.sign, name.get(arc.target, arc.target)) for arc in one.graph.arcs
        )
        shapes.append((tuple(arcs), tuple(sorted((name.get(of, of), label) for of, label in one.graph.quantities))))
    return min(shapes)
