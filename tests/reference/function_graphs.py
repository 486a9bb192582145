"""Function graphs by enumeration: every assignment of variables, every set of pieces (Mitchell 1997, section 8.5).

Graphs here are plain: a set of arcs ``(source, sign, target)`` and a dictionary of labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations, product

Arcs = frozenset[tuple[str, str, str]]
Labels = dict[str, str]


def variables(arcs: Arcs) -> list[str]:
    """The ends of all arcs."""
    return sorted({name for source, _, target in arcs for name in (source, target)})


def assignments(case: Arcs, case_labels: Labels, query: Arcs, query_labels: Labels) -> Iterator[dict[str, str]]:
    """Each way to give the case's variables different ones of the query, so that its arcs become arcs of the query."""
    names = variables(case)
    for chosen in permutations(variables(query), len(names)):
        mapping = dict(zip(names, chosen, strict=True))
        labels_agree = all(
            case_labels.get(one) is None or query_labels.get(other) is None or case_labels[one] == query_labels[other]
            for one, other in mapping.items()
        )
        if labels_agree and image(case, mapping) <= query:
            yield mapping


def image(arcs: Arcs, mapping: dict[str, str]) -> Arcs:
    """The arcs with their ends renamed."""
    return frozenset((mapping[source], sign, mapping[target]) for source, sign, target in arcs)


def first_of_each_image(
    case: Arcs, case_labels: Labels, query: Arcs, query_labels: Labels
) -> dict[Arcs, dict[str, str]]:
    """For each set of arcs that the case can realize, the first assignment in the order of its sorted pairs."""
    found: dict[Arcs, dict[str, str]] = {}
    for mapping in assignments(case, case_labels, query, query_labels):
        arcs = image(case, mapping)
        if arcs not in found or sorted(mapping.items()) < sorted(found[arcs].items()):
            found[arcs] = mapping
    return found


def influences(arcs: Arcs) -> dict[tuple[str, str], set[str]]:
    """The signs of all ways between two variables, until nothing new comes: one arc, or a way and one arc more."""
    found: dict[tuple[str, str], set[str]] = {}
    for source, sign, target in arcs:
        found.setdefault((source, target), set()).add(sign)
    while True:
        new = {
            (start, target, "+" if sign == way else "-")
            for (start, end), ways in found.items()
            for way in ways
            for source, sign, target in arcs
            if source == end
        }
        added = [(start, end, sign) for start, end, sign in new if sign not in found.get((start, end), set())]
        if not added:
            return found
        for start, end, sign in added:
            found.setdefault((start, end), set()).add(sign)


def exact_covers(query: Arcs, pieces: list[Arcs]) -> set[frozenset[int]]:
    """Every set of pieces that realizes each arc of the query exactly once."""
    found = set()
    for number in range(1, len(pieces) + 1):
        for chosen in combinations(range(len(pieces)), number):
            arcs = [arc for place in chosen for arc in pieces[place]]
            if len(arcs) == len(query) and set(arcs) == query:
                found.add(frozenset(chosen))
    return found


def most_covered(pieces: list[Arcs]) -> int:
    """How many arcs a set of pieces without a common arc realizes at most."""
    best = 0
    for number in range(1, len(pieces) + 1):
        for chosen in combinations(range(len(pieces)), number):
            arcs = [arc for place in chosen for arc in pieces[place]]
            if len(arcs) == len(set(arcs)):
                best = max(best, len(arcs))
    return best


def most_common(case: Arcs, case_labels: Labels, query: Arcs, query_labels: Labels) -> int:
    """How many arcs of the query are arcs of the case, at most, under one assignment of some of its variables."""
    names = variables(query)
    best = 0
    for chosen in product([None, *variables(case)], repeat=len(names)):
        taken = [name for name in chosen if name is not None]
        if len(taken) != len(set(taken)):
            continue
        mapping = {
            name: other
            for name, other in zip(names, chosen, strict=True)
            if other is not None
            and (
                query_labels.get(name) is None
                or case_labels.get(other) is None
                or query_labels[name] == case_labels[other]
            )
        }
        inside = {arc for arc in query if arc[0] in mapping and arc[2] in mapping}
        best = max(best, sum((mapping[arc[0]], arc[1], mapping[arc[2]]) in case for arc in inside))
    return best


def splits(arcs: Arcs, fresh: str) -> set[Arcs]:
    """Every graph in which one arc goes through a new variable, with the product of signs unchanged."""
    found = set()
    for source, sign, target in arcs:
        for first, second in product("+-", repeat=2):
            if ("+" if first == second else "-") == sign:
                rest = arcs - {(source, sign, target)}
                found.add(rest | {(source, first, fresh), (fresh, second, target)})
    return found
