"""Where the function of a case is part of a wanted function: label-preserving subgraph matching."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any, overload

from priorcase.cases.designs.budget import Budget, BudgetSpentError, check_budget, check_count
from priorcase.cases.designs.graph import Arc, FunctionGraph
from priorcase.cases.designs.influence import Influences
from priorcase.exceptions import ParameterError, prefix_errors, quoted

__all__ = ["Match", "Matches", "matches"]

_STEPS = 100_000
_SECONDS = 10.0
_LIMIT = 1000


@dataclass(frozen=True)
class Match:
    """One way in which a case is part of a wanted function.

    Parameters
    ----------
    bindings
        Pairs of a variable of the case and the query's variable that it stands for, sorted.
    arcs
        The arcs of the query that the case realises, sorted.
    free
        Variables of the case that stand for nothing in the query.
    """

    bindings: tuple[tuple[str, str], ...]
    arcs: tuple[Arc, ...]
    free: tuple[str, ...] = ()

    @property
    def mapping(self) -> dict[str, str]:
        """The query's variable for each bound variable of the case."""
        return dict(self.bindings)

    def __str__(self) -> str:
        text = ", ".join(f"{case} = {query}" for case, query in self.bindings)
        return text + (f"; {', '.join(self.free)} left open" if self.free else "")


@dataclass(frozen=True)
class Matches(Sequence[Match]):
    """All matches of a case, the one that realises most arcs first.

    Parameters
    ----------
    found
        The matches.
    cut
        Why there may be more, in words; empty where these are all.
    """

    found: tuple[Match, ...]
    cut: str = ""

    @overload
    def __getitem__(self, i: int) -> Match: ...
    @overload
    def __getitem__(self, i: slice) -> tuple[Match, ...]: ...
    def __getitem__(self, i: int | slice) -> Match | tuple[Match, ...]:
        return self.found[i]

    def __len__(self) -> int:
        return len(self.found)

    def __str__(self) -> str:
        lines = [str(match) for match in self.found] or ["no match"]
        return "\n".join([*lines, self.cut] if self.cut else lines)


@prefix_errors
def matches(
    case: FunctionGraph,
    query: FunctionGraph,
    *,
    free: int = 0,
    limit: int = _LIMIT,
    steps: int = _STEPS,
    seconds: float = _SECONDS,
) -> Matches:
    """Every way in which the function of a case is part of a wanted function.

    A match takes the case's variables to different variables of the query so that each arc of the case becomes an arc
    of the query with the same sign, and quantities agree; a variable without a label agrees with any. The query may
    have more arcs (a subgraph monomorphism, found by VF2; Cordella et al. 2004). Of matches that realise the same arcs
    the first by its bindings is kept. One that realises the whole query comes first.

    Parameters
    ----------
    case, query
        The graphs.
    free
        How many of the case's variables may stand for nothing in the query. A match that leaves some open is kept only
        if the case's influences over them are influences that the query wants.
    limit, steps, seconds
        How many matches to return at most, and how long to search; ``cut`` of the result says so where it was cut.

    Examples
    --------
    >>> query = FunctionGraph.parse("Qc +> Qm; Qh +> Qm; C -> Qc")
    >>> print(matches(FunctionGraph.parse("Q1 +> Q3; Q2 +> Q3"), query))
    Q1 = Qc, Q2 = Qh, Q3 = Qm
    """
    for name, graph in (("case", case), ("query", query)):
        check_graph(name, graph)
    free = check_count("free", free, least=0, hint="0: every variable of the case is bound.")
    limit = check_count("limit", limit, least=1, hint="1000 is usual.")
    budget = check_budget(steps, seconds)
    found = sorted(find_matches(case, query, query.influences() if free else {}, free, budget), key=match_order)
    cut = f"{len(found):,} matches were found, and {limit:,} are kept" if len(found) > limit else ""
    return Matches(tuple(found[:limit]), "; ".join(filter(None, [budget.cut, cut])))


def check_graph(parameter: str, value: object) -> FunctionGraph:
    """Refuse what is no graph."""
    if isinstance(value, FunctionGraph):
        return value
    raise ParameterError(
        f"{parameter} must be a FunctionGraph, got {quoted(value)}. FunctionGraph.parse('Q1 +> Q3') makes one."
    )


def match_order(match: Match) -> tuple[Any, ...]:
    """Most arcs first, then fewest variables left open, then by name."""
    return -len(match.arcs), len(match.free), match.bindings, match.free


def find_matches(
    case: FunctionGraph, query: FunctionGraph, wanted: Influences, free: int, budget: Budget
) -> list[Match]:
    """The matches, one for each set of realised arcs and each set of open variables; what was found before a cut.

    ``wanted`` are the query's influences; they are looked at only where variables may be left open.
    """
    best: dict[tuple[tuple[Arc, ...], tuple[str, ...]], Match] = {}
    try:
        for part, left in _parts(case, free):
            budget.spend()
            if not _is_possible(part, case.labels, query):
                continue
            for mapping in _monomorphisms(part, case.labels, query, budget):
                arcs = tuple(sorted(Arc(mapping[arc.source], arc.sign, mapping[arc.target]) for arc in part))
                match = Match(tuple(sorted(mapping.items())), arcs, left)
                known = best.get((arcs, left))
                if known is None or match.bindings < known.bindings:
                    best[arcs, left] = match
    except BudgetSpentError:
        pass
    return [match for match in best.values() if not match.free or _is_wanted(case, match, wanted)]


def _parts(case: FunctionGraph, free: int) -> Iterator[tuple[tuple[Arc, ...], tuple[str, ...]]]:
    """The case without some of its variables, where each variable left is on an arc."""
    for number in range(min(free, len(case.variables) - 2) + 1):
        for left in combinations(case.variables, number):
            part = tuple(arc for arc in case.arcs if arc.source not in left and arc.target not in left)
            if len({name for arc in part for name in (arc.source, arc.target)}) + number == len(case.variables):
                yield part, left


def _is_possible(part: Sequence[Arc], labels: Mapping[str, str], query: FunctionGraph) -> bool:
    """A quick look: enough arcs of each sign, and for each arc one that it may become."""
    kinds = {(query.labels.get(arc.source), arc.sign, query.labels.get(arc.target)) for arc in query.arcs}
    minuses = sum(arc.sign == "-" for arc in part)
    there = sum(arc.sign == "-" for arc in query.arcs)
    if minuses > there or len(part) - minuses > len(query.arcs) - there:
        return False
    return all(
        any(
            arc.sign == sign and agree(labels.get(arc.source), source) and agree(labels.get(arc.target), target)
            for source, sign, target in kinds
        )
        for arc in part
    )


def agree(one: str | None, other: str | None) -> bool:
    """Whether two variables may be one: the same quantity, or one of them any."""
    return one is None or other is None or one == other


def _is_wanted(case: FunctionGraph, match: Match, wanted: Influences) -> bool:
    bound = match.mapping
    return all(
        signs <= wanted.get((bound[source], bound[target]), frozenset())
        for (source, target), signs in case.influences().items()
        if source in bound and target in bound
    )


def _monomorphisms(
    part: Sequence[Arc], labels: Mapping[str, str], query: FunctionGraph, budget: Budget
) -> Iterator[dict[str, str]]:
    """Each takes the part's variables to the query's. Nodes are numbers, whose order no hash seed changes."""
    theirs = sorted({name for arc in part for name in (arc.source, arc.target)})
    matcher = _matcher()(_numbered(query.arcs, query.variables, query.labels), _numbered(part, theirs, labels), budget)
    for mapping in matcher.subgraph_monomorphisms_iter():
        yield {theirs[case]: query.variables[place] for place, case in mapping.items()}


def _numbered(arcs: Sequence[Arc], variables: Sequence[str], labels: Mapping[str, str]) -> Any:
    import networkx as nx

    place = {name: i for i, name in enumerate(variables)}
    graph = nx.DiGraph()
    graph.add_nodes_from((i, {"label": labels.get(name)}) for i, name in enumerate(variables))
    graph.add_edges_from((place[arc.source], place[arc.target], {"sign": arc.sign}) for arc in arcs)
    return graph


@cache
def _matcher() -> Any:
    """networkx's VF2 with a budget; made late, since networkx takes long to import."""
    from networkx.algorithms.isomorphism import DiGraphMatcher

    class Matcher(DiGraphMatcher):
        def __init__(self, query: Any, case: Any, budget: Budget) -> None:
            super().__init__(
                query,
                case,
                node_match=lambda one, other: agree(one["label"], other["label"]),
                edge_match=lambda one, other: bool(one["sign"] == other["sign"]),
            )
            self.budget = budget

        def syntactic_feasibility(self, query: int, case: int) -> bool:
            self.budget.spend()
            return bool(super().syntactic_feasibility(query, case))

    return Matcher
