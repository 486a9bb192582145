"""What cases solve, slow and obvious: a full matrix of similarities, plain sets of positions.

``similarities[i][j]`` is the similarity of stored case j to case i as the query. "S&K" is Smyth & Keane 1995; the sets
of a case are those of Brighton & Mellish 2002, of at most k neighbors.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

Similarities = Sequence[Sequence[float]]
Solves = Callable[[Hashable, Hashable], bool]


def reachability(similarities: Similarities, solutions: Sequence[Hashable], k: int, solves: Solves) -> list[set[int]]:
    """For each case itself and those that solve it: of its k most similar friends those before its first enemy."""
    places = range(len(solutions))
    found = []
    for i in places:
        friends = [j for j in places if j != i and solves(solutions[j], solutions[i])]
        enemies = [j for j in places if j != i and not solves(solutions[j], solutions[i])]
        border = max((similarities[i][j] for j in enemies), default=float("-inf"))
        nearest = sorted(friends, key=lambda j, i=i: (-similarities[i][j], j))[:k]
        found.append({i} | {j for j in nearest if similarities[i][j] > border})
    return found


def coverage(reachable: Sequence[set[int]]) -> list[set[int]]:
    """For each case those that it solves."""
    places = range(len(reachable))
    return [{i for i in places if j in reachable[i]} for j in places]


def categories(reachable: Sequence[set[int]], covered: Sequence[set[int]]) -> list[str]:
    """S&K's four categories, of several that fit the first in this order."""
    found = []
    for i, mine in enumerate(reachable):
        others = mine - {i}
        if not others:
            found.append("pivotal")
        elif any(covered[j] == covered[i] for j in others):
            found.append("support")
        elif any(covered[i] < covered[j] for j in others):
            found.append("auxiliary")
        else:
            assert covered[i] & set().union(*(covered[j] for j in others)), "S&K's condition of a spanning case"
            found.append("spanning")
    return found


def duplicate_groups(similarities: Similarities, threshold: float) -> tuple[list[tuple[int, int]], list[list[int]]]:
    """Pairs (earlier, later) that are near enough, the later one asking; and what hangs together by them."""
    places = range(len(similarities))
    pairs = [(j, i) for i in places for j in range(i) if similarities[i][j] >= threshold]
    left, groups = set(places), []
    while left:
        group, fresh = set(), {min(left)}
        while fresh:
            group |= fresh
            fresh = {b for pair in pairs for b in pair if set(pair) & group} - group
        left -= group
        if len(group) > 1:
            groups.append(sorted(group))
    return sorted(pairs), groups
