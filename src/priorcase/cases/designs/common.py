"""How much of a wanted function a case realises at best: a similarity of function graphs."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress

from priorcase.cases.designs.budget import Budget, BudgetSpentError, check_budget
from priorcase.cases.designs.graph import FunctionGraph
from priorcase.cases.designs.matching import agree, check_graph
from priorcase.exceptions import prefix_errors

__all__ = ["graph_similarity"]


@prefix_errors
def graph_similarity(case: FunctionGraph, query: FunctionGraph, *, steps: int = 20_000, seconds: float = 1.0) -> float:
    """The share of the query's arcs that the case can realise, from 0 to 1.

    ``|common| / |query|``, where ``common`` is the largest set of arcs of the query that are arcs of the case under one
    assignment of different variables with agreeing labels (McGregor 1982). The case may have more arcs and need not be
    part of the query as a whole, so that cases can be ranked of which only a part fits.

    Parameters
    ----------
    case, query
        The graphs.
    steps, seconds
        How long to search; where it is cut, what was found until then counts, which is never too much.

    Examples
    --------
    >>> query = FunctionGraph.parse("Qc +> Qm; Qh +> Qm; C -> Qc; C +> Qh")
    >>> graph_similarity(FunctionGraph.parse("Q1 +> Q3; Q2 +> Q3"), query)
    0.5
    """
    check_graph("case", case)
    check_graph("query", query)
    budget = check_budget(steps, seconds)
    return 1.0 if case == query else _Common(case, query, budget).largest() / len(query)


class _Common:
    """The search: the query's variables are assigned one by one, those with most arcs first."""

    def __init__(self, case: FunctionGraph, query: FunctionGraph, budget: Budget) -> None:
        self.case, self.query, self.budget = case, query, budget
        self.signs = {(arc.source, arc.target): arc.sign for arc in case.arcs}
        degree = Counter(name for arc in query.arcs for name in (arc.source, arc.target))
        order = sorted(query.variables, key=lambda name: (-degree[name], name))
        self.order = order
        place = {name: i for i, name in enumerate(order)}
        # An arc is decided when the later of its ends is assigned.
        self.decided = [
            [arc for arc in query.arcs if max(place[arc.source], place[arc.target]) == i] for i in range(len(order))
        ]
        self.after = [sum(map(len, self.decided[i:])) for i in range(len(order) + 1)]
        self.most = _most(case, query)
        self.best = 0

    def largest(self) -> int:
        """How many arcs are common at most."""
        with suppress(BudgetSpentError):
            self._assign({}, set(), 0)
        return self.best

    def _assign(self, taken: dict[str, str], used: set[str], common: int) -> None:
        place = len(taken)
        if common > self.best:
            self.best = common
        if place == len(self.order) or common + self.after[place] <= self.best:
            return
        name = self.order[place]
        choices = []
        for other in self.case.variables:
            if other not in used and agree(self.query.labels.get(name), self.case.labels.get(other)):
                taken[name] = other
                choices.append((-self._gained(taken, place), other))
        for gained, other in [*sorted(choices), (0, "")]:
            self.budget.spend()
            taken[name] = other
            self._assign(taken, used | {other} if other else used, common - gained)
            if self.best >= self.most:
                break
        del taken[name]

    def _gained(self, taken: dict[str, str], place: int) -> int:
        return sum(self.signs.get((taken[arc.source], taken[arc.target])) == arc.sign for arc in self.decided[place])


def _most(case: FunctionGraph, query: FunctionGraph) -> int:
    """No more arcs than this can be common: of each sign, the fewer of those that have a partner of that kind."""
    total = 0
    for sign in "+-":
        ours, theirs = (
            [(graph.labels.get(arc.source), graph.labels.get(arc.target)) for arc in graph.arcs if arc.sign == sign]
            for graph in (query, case)
        )
        kinds = set(ours), set(theirs)
        fit = [
            sum(any(agree(a, c) and agree(b, d) for c, d in others) for a, b in some)
            for some, others in ((ours, kinds[1]), (theirs, kinds[0]))
        ]
        total += min(fit)
    return total
