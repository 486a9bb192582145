"""The most arcs that two function graphs have in common under one renaming of variables."""

from __future__ import annotations

from priorcase.reasoning.function.graph import FunctionGraph

STEPS = 20_000
"""How many partial renamings are tried before the best one so far is taken."""


def common_arcs(a: FunctionGraph, b: FunctionGraph, *, steps: int = STEPS) -> int:
    """The number of arcs in a largest common part: variables matched one to one, quantities and signs kept.

    A variable without a quantity matches any. Branch and bound over the variables of the smaller graph, each matched
    with one of the larger graph or with none; where more than ``steps`` partial matches would have to be tried, the
    best found so far, which is at most too small.

    Examples
    --------
    >>> parse = FunctionGraph.parse
    >>> common_arcs(parse("Q1 +> Q3; Q2 +> Q3"), parse("a +> b; c -> b; b +> d"))
    1
    """
    small, large = sorted((a, b), key=lambda graph: (len(graph.variables), len(graph), graph.to_json()))
    return _Search(small, large, steps).best()


class _Search:
    def __init__(self, small: FunctionGraph, large: FunctionGraph, steps: int) -> None:
        self.small, self.large, self.steps = small, large, steps
        self.signs = {(arc.source, arc.target): arc.sign for arc in large.arcs}
        self.order = _connected(small)
        # Arcs of the smaller graph that are settled once a variable is, since its other end was before.
        turn = {name: number for number, name in enumerate(self.order)}
        self.settled = [
            [arc for arc in small.arcs if max(turn[arc.source], turn[arc.target]) == number]
            for number in range(len(self.order))
        ]
        self.most = min(_signed(small, "+"), _signed(large, "+")) + min(_signed(small, "-"), _signed(large, "-"))
        self.found = 0

    def best(self) -> int:
        self._extend(0, {}, 0, len(self.small))
        return self.found

    def _extend(self, number: int, matched: dict[str, str], gained: int, left: int) -> None:
        """Match the next variable; ``left`` arcs are not settled yet."""
        if number == len(self.order):
            self.found = max(self.found, gained)
            return
        name, left = self.order[number], left - len(self.settled[number])
        options = [(self._gain(number, matched, name, other), other) for other in self._free(name, matched)]
        for gain, option in sorted(options, key=lambda pair: (-pair[0], pair[1])):
            if gained + gain + left <= self.found or self._over():
                break
            self._extend(number + 1, {**matched, name: option}, gained + gain, left)
        if gained + left > self.found and not self._over():
            self._extend(number + 1, matched, gained, left)

    def _over(self) -> bool:
        self.steps -= 1
        return self.steps < 0 or self.found == self.most

    def _free(self, name: str, matched: dict[str, str]) -> list[str]:
        taken, quantity = set(matched.values()), self.small.labels.get(name)
        fitting = ((other, self.large.labels.get(other)) for other in self.large.variables if other not in taken)
        return [other for other, label in fitting if quantity is None or label is None or label == quantity]

    def _gain(self, number: int, matched: dict[str, str], name: str, other: str) -> int:
        partner = {**matched, name: other}
        ends = ((partner.get(arc.source), partner.get(arc.target), arc.sign) for arc in self.settled[number])
        return sum(self.signs.get((source, target)) == sign for source, target, sign in ends if source and target)


def _connected(graph: FunctionGraph) -> list[str]:
    """The variables, each as near as can be to those before it, the busiest first."""
    near: dict[str, set[str]] = {name: set() for name in graph.variables}
    for arc in graph.arcs:
        near[arc.source].add(arc.target)
        near[arc.target].add(arc.source)
    order: list[str] = []
    while len(order) < len(near):
        rest = [name for name in graph.variables if name not in order]
        order.append(min(rest, key=lambda name: (-len(near[name] & set(order)), -len(near[name]), name)))
    return order


def _signed(graph: FunctionGraph, sign: str) -> int:
    return sum(arc.sign == sign for arc in graph.arcs)
