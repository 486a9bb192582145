"""Match cases to a desired function: subgraph matching and common subgraphs, with limits on steps and seconds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations
from time import monotonic
from typing import Any

from priorcase._grids import TextResult
from priorcase._parameters import is_number, is_whole
from priorcase.cases.designs.graph import Arc, FunctionGraph
from priorcase.exceptions import ParameterError, prefix_errors, quoted

_BETWEEN_LOOKS = 64  # number of steps between two checks of the time


class BudgetSpentError(Exception):
    """Raised when a search has used up its steps or seconds; always caught within this package."""


class Budget:
    """A limit on the steps and seconds of a search; a limit on steps gives the same result on every machine."""

    def __init__(self, steps: int, seconds: float) -> None:
        self.steps, self.seconds, self.taken = steps, seconds, 0
        self._look, self._end = 0, monotonic() + seconds
        self._cut = self._shortened = ""

    def spend(self, steps: int = 1) -> None:
        """Add ``steps`` to the number of steps taken; raise `BudgetSpentError` if the budget is spent."""
        self.taken += steps
        if not self._cut and self.taken > self.steps:
            self._cut = "steps"
        elif not self._cut and self.taken >= self._look:
            self._look = self.taken + _BETWEEN_LOOKS
            self._cut = "seconds" if monotonic() > self._end else ""
        if self._cut:
            raise BudgetSpentError

    @contextmanager
    def part(self, share: float) -> Iterator[Budget]:
        """Yield a share of the remaining budget; if the share is spent, leave the context without an exception."""
        part = Budget(max(1, int((self.steps - self.taken) * share)), max(0.0, self._end - monotonic()) * share)
        try:
            yield part
        except BudgetSpentError:
            pass
        finally:
            self.taken += min(part.taken, part.steps)
            self._shortened = self._shortened or part._cut or part._shortened

    @property
    def cut(self) -> str:
        """The limit that stopped the search or a part of it; an empty string if no limit was reached."""
        allowed = {"steps": f"{self.steps:,} steps", "seconds": f"{self.seconds:.3g} seconds"}
        if self._cut:
            return f"the search was stopped after {allowed[self._cut]}"
        return self._shortened and f"parts of the search were shortened to stay within {allowed[self._shortened]}"


def check_budget(steps: object, seconds: object) -> Budget:
    """Check the user's limits and return them as a budget."""
    if not is_number(seconds) or not float(seconds) > 0:
        raise ParameterError(f"seconds must be a number > 0, got {quoted(seconds)}")
    return Budget(check_count("steps", steps, 1), float(seconds))


def check_count(parameter: str, value: object, least: int) -> int:
    """Check that a value is an integer of at least ``least``."""
    if not is_whole(value) or int(value) < least:
        raise ParameterError(f"{parameter} must be an integer >= {least}, got {quoted(value)}")
    return int(value)


def _check_graphs(**graphs: object) -> None:
    for name, graph in graphs.items():
        if not isinstance(graph, FunctionGraph):
            raise ParameterError(
                f"{name} must be a FunctionGraph, got {quoted(graph)}. Pass for example "
                "FunctionGraph.parse('Q1 +> Q3')."
            )


def _agree(one: str | None, other: str | None) -> bool:
    """Return whether variables with these quantities can be matched: the quantities are equal, or one is None."""
    return one is None or other is None or one == other


# -- matches of cases with parts of the desired function


@dataclass(frozen=True)
class Match(TextResult):
    """A match of a case with a part of the query, which is the desired function.

    ``bindings`` are sorted pairs of a variable of the case and the corresponding variable of the query. ``arcs`` are
    the arcs of the query that the case realizes, and ``free`` are the variables of the case that have no counterpart in
    the query.
    """

    bindings: tuple[tuple[str, str], ...]
    arcs: tuple[Arc, ...]
    free: tuple[str, ...] = ()

    @property
    def mapping(self) -> dict[str, str]:
        """Mapping from the matched variables of the case to variables of the query."""
        return dict(self.bindings)

    @property
    def order(self) -> tuple[Any, ...]:
        """Sort key: most arcs first, then fewest free variables, then names."""
        return -len(self.arcs), len(self.free), self.bindings, self.free

    def __str__(self) -> str:
        text = ", ".join(f"{case} = {query}" for case, query in self.bindings)
        return text + (f"; {', '.join(self.free)} left open" if self.free else "")


@dataclass(frozen=True)
class Matches(TextResult, Sequence[Match]):
    """The matches of a case, sorted by number of realized arcs; ``cut`` says why the list may be incomplete."""

    found: tuple[Match, ...]
    cut: str = ""

    def __getitem__(self, i: Any) -> Any:
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
    limit: int = 1000,
    steps: int = 100_000,
    seconds: float = 60.0,
) -> Matches:
    """Return all matches of the function of a case with parts of the desired function.

    A match maps variables of the case one-to-one to variables of the query. Each arc between mapped variables must
    become an arc of the query with the same sign, and the quantities of the variables must agree. A variable without a
    label agrees with any quantity. The query can have additional arcs: a match is a subgraph monomorphism, found with
    VF2 (Cordella et al. 2004). Of several matches with the same realized arcs and the same unmatched variables, only
    the first in the sorted order of bindings is returned.

    Parameters
    ----------
    case, query
        The graphs.
    free
        Maximum number of variables of the case that have no counterpart in the query. A match with unmatched variables
        is returned only if all influences between the matched variables of the case are also influences in the query.
    limit, steps, seconds
        Maximum number of matches, of search steps and of seconds; ``cut`` of the result names the limit that was
        reached.

    Examples
    --------
    >>> query = FunctionGraph.parse("Qc +> Qm; Qh +> Qm; C -> Qc")
    >>> print(matches(FunctionGraph.parse("Q1 +> Q3; Q2 +> Q3"), query))
    Q1 = Qc, Q2 = Qh, Q3 = Qm
    """
    _check_graphs(case=case, query=query)
    free, limit, budget = check_count("free", free, 0), check_count("limit", limit, 1), check_budget(steps, seconds)
    found = sorted(find_matches(case, query, free, budget), key=lambda match: match.order)
    cut = f"{len(found):,} matches were found, more than the limit of {limit:,}" if len(found) > limit else ""
    return Matches(tuple(found[:limit]), "; ".join(filter(None, [budget.cut, cut])))


def find_matches(case: FunctionGraph, query: FunctionGraph, free: int, budget: Budget) -> list[Match]:
    """Return one match for each combination of realized arcs and unmatched variables, within the budget."""
    best: dict[tuple[tuple[Arc, ...], tuple[str, ...]], Match] = {}
    with suppress(BudgetSpentError):
        for part, left in _parts(case, free):
            budget.spend()
            for mapping in _monomorphisms(part, case, query, budget) if _is_possible(part, case, query) else ():
                arcs = tuple(sorted(Arc(mapping[arc.source], arc.sign, mapping[arc.target]) for arc in part))
                match = Match(tuple(sorted(mapping.items())), arcs, left)
                if (arcs, left) not in best or match.bindings < best[arcs, left].bindings:
                    best[arcs, left] = match
    return [match for match in best.values() if not match.free or _is_wanted(case, query, match.mapping)]


def _parts(case: FunctionGraph, free: int) -> Iterator[tuple[tuple[Arc, ...], tuple[str, ...]]]:
    """Yield the arcs of each subgraph of a case that omits at most ``free`` variables, and the omitted variables."""
    for number in range(min(free, len(case.variables) - 2) + 1):
        for left in combinations(case.variables, number):
            part = tuple(arc for arc in case.arcs if arc.source not in left and arc.target not in left)
            if len({name for arc in part for name in (arc.source, arc.target)}) + number == len(case.variables):
                yield part, left


def _is_possible(part: Sequence[Arc], case: FunctionGraph, query: FunctionGraph) -> bool:
    """Check a necessary condition for a match: enough arcs of each sign, and a possible counterpart for each arc."""
    enough = Counter(arc.sign for arc in part) <= Counter(arc.sign for arc in query.arcs)
    return enough and _partners(part, case.labels, query.arcs, query.labels) == len(part)


def _partners(
    arcs: Sequence[Arc], labels: Mapping[str, str], others: Sequence[Arc], other_labels: Mapping[str, str]
) -> int:
    """Return the number of ``arcs`` for which ``others`` contains an arc with the same sign and matching labels."""
    kinds = {(other_labels.get(arc.source), arc.sign, other_labels.get(arc.target)) for arc in others}
    return sum(
        any(
            arc.sign == sign and _agree(labels.get(arc.source), source) and _agree(labels.get(arc.target), target)
            for source, sign, target in kinds
        )
        for arc in arcs
    )


def _is_wanted(case: FunctionGraph, query: FunctionGraph, bound: Mapping[str, str]) -> bool:
    wanted = query.influences()
    return all(
        signs <= wanted.get((bound[source], bound[target]), frozenset())
        for (source, target), signs in case.influences().items()
        if source in bound and target in bound
    )


def _monomorphisms(
    part: Sequence[Arc], case: FunctionGraph, query: FunctionGraph, budget: Budget
) -> Iterator[dict[str, str]]:
    """Yield the one-to-one mappings from variables of the part to variables of the query that preserve all arcs."""
    names = tuple(sorted({name for arc in part for name in (arc.source, arc.target)}))
    matcher = _matcher()(_numbered(query, query.variables), _numbered(case, names), budget)
    for mapping in matcher.subgraph_monomorphisms_iter():
        yield {names[place]: query.variables[wanted] for wanted, place in mapping.items()}


@lru_cache(maxsize=64)
def _numbered(graph: FunctionGraph, names: tuple[str, ...]) -> Any:
    """Return a subgraph with numbers as nodes, so that the order of nodes does not depend on the hash seed."""
    import networkx as nx

    return nx.convert_node_labels_to_integers(graph.networkx().subgraph(names), ordering="sorted")


@cache
def _matcher() -> Any:
    """Return a subclass of networkx's VF2 matcher that stops when a budget is spent."""
    from networkx.algorithms.isomorphism import DiGraphMatcher  # takes long to load

    class Matcher(DiGraphMatcher):
        def __init__(self, query: Any, case: Any, budget: Budget) -> None:
            super().__init__(
                query,
                case,
                node_match=lambda one, other: _agree(one["label"], other["label"]),
                edge_match=lambda one, other: bool(one["sign"] == other["sign"]),
            )
            self.budget = budget

        def syntactic_feasibility(self, query: int, case: int) -> bool:
            self.budget.spend()
            return bool(super().syntactic_feasibility(query, case))

    return Matcher


# -- similarity of two functions


@prefix_errors
def graph_similarity(case: FunctionGraph, query: FunctionGraph, *, steps: int = 20_000, seconds: float = 1.0) -> float:
    """Return the share of the query's arcs that the case can realize, from 0 to 1.

    The similarity is ``|common| / |query|``, where ``common`` is the largest set of arcs that the query shares with the
    case under a one-to-one assignment of their variables (McGregor 1982). Two variables can be assigned to each other
    if their labels are equal or a label is missing. The case can have additional arcs. If ``steps`` or ``seconds`` stop
    the search, the result is a lower bound.

    >>> query = FunctionGraph.parse("Qc +> Qm; Qh +> Qm; C -> Qc; C +> Qh")
    >>> graph_similarity(FunctionGraph.parse("Q1 +> Q3; Q2 +> Q3"), query)
    0.5
    """
    _check_graphs(case=case, query=query)
    budget = check_budget(steps, seconds)
    if case == query:
        return 1.0
    search = _CommonArcs(case, query, budget)
    with suppress(BudgetSpentError):
        search.assign({}, set(), 0)
    return search.best / len(query)


class _CommonArcs:
    """A branch-and-bound search for the largest number of arcs that two graphs have in common."""

    def __init__(self, case: FunctionGraph, query: FunctionGraph, budget: Budget) -> None:
        self.case, self.query, self.budget, self.best = case, query, budget, 0
        self.signs = {(arc.source, arc.target): arc.sign for arc in case.arcs}
        degree = Counter(name for arc in query.arcs for name in (arc.source, arc.target))
        self.order = sorted(query.variables, key=lambda name: (-degree[name], name))
        place = {name: i for i, name in enumerate(self.order)}
        # An arc is decided when the later of its ends is assigned.
        self.decided: list[list[Arc]] = [[] for _ in self.order]
        for arc in query.arcs:
            self.decided[max(place[arc.source], place[arc.target])].append(arc)
        self.after = [sum(map(len, self.decided[i:])) for i in range(len(self.order) + 1)]
        # An upper bound: for each sign, the smaller number of arcs of either graph that have a possible counterpart.
        self.most = 0
        for sign in "+-":
            ours, theirs = ([arc for arc in graph.arcs if arc.sign == sign] for graph in (query, case))
            self.most += min(
                _partners(ours, query.labels, theirs, case.labels), _partners(theirs, case.labels, ours, query.labels)
            )

    def assign(self, taken: dict[str, str], used: set[str], common: int) -> None:
        """Try every case variable, and none, as the counterpart of the next query variable."""
        place = len(taken)
        self.best = max(self.best, common)
        if place == len(self.order) or common + self.after[place] <= self.best:
            return
        name, choices = self.order[place], []
        for other in self.case.variables:
            if other not in used and _agree(self.query.labels.get(name), self.case.labels.get(other)):
                taken[name] = other
                pairs = ((taken[arc.source], taken[arc.target], arc.sign) for arc in self.decided[place])
                gained = sum(self.signs.get((source, target)) == sign for source, target, sign in pairs)
                choices.append((-gained, other))
        for lost, other in [*sorted(choices), (0, "")]:
            self.budget.spend()
            taken[name] = other
            self.assign(taken, used | {other} if other else used, common - lost)
            if self.best >= self.most:
                break
        del taken[name]
