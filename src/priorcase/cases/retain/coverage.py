"""Coverage and reachability: which cases a case solves, and which solve it."""

from __future__ import annotations

import numpy as np

from priorcase._typing import AnyArray, BoolArray, FloatArray, IntArray
from priorcase.cases.retain.speaking import most_similar

PIVOTAL, SUPPORT, AUXILIARY, SPANNING = CATEGORIES = ("pivotal", "support", "auxiliary", "spanning")


def solvers(similarities: FloatArray, position: int, friends: BoolArray, others: BoolArray, k: int) -> IntArray:
    """Who solves a case: of its k most similar friends those that are more similar than its nearest enemy.

    Parameters
    ----------
    similarities
        Of all cases to this one as the query.
    position
        Where it stands.
    friends, others
        Who has the same solution, and who has another one; the case itself is neither.
    k
        How many at most.
    """
    friends = friends.copy()
    friends[position] = False
    enemies = similarities[others]
    border = float(enemies.max()) if enemies.size else float("-inf")
    return np.sort(most_similar(similarities, friends & (similarities > border), k).positions)


def covered(reachable: list[IntArray]) -> list[IntArray]:
    """Whom each case solves, from who solves each: the same pairs the other way round, in ascending order.

    Examples
    --------
    >>> [whom.tolist() for whom in covered([np.array([0, 1]), np.array([1])])]
    [[0], [0, 1]]
    """
    n = len(reachable)
    if not n:
        return []
    sizes = np.array([who.size for who in reachable])
    whom, who = np.repeat(np.arange(n), sizes), np.concatenate(reachable)
    order = np.argsort(who, kind="stable")
    ends = np.cumsum(np.bincount(who, minlength=n))
    return np.split(whom[order], ends[:-1])


def categories(reachable: list[IntArray], coverage: list[IntArray]) -> AnyArray:
    """The category of each case (Smyth & Keane 1995), the first that fits.

    Pivotal: nobody else solves it. Support: one of those that solve it covers just the same cases. Auxiliary: one of
    them covers all its cases and more. Spanning: all others; their coverage overlaps with that of those that solve
    them, at least in themselves.

    Parameters
    ----------
    reachable, coverage
        Who solves each case and whom it solves, itself included.
    """
    sets = [frozenset(whom.tolist()) for whom in coverage]
    found = np.empty(len(sets), dtype=object)
    for i, who in enumerate(reachable):
        mine, theirs = sets[i], [sets[j] for j in who.tolist() if j != i]
        found[i] = (
            PIVOTAL
            if not theirs
            else SUPPORT
            if mine in theirs
            else AUXILIARY
            if any(mine < other for other in theirs)
            else SPANNING
        )
    return found


def with_itself(position: int, who: IntArray) -> IntArray:
    """Ascending positions with one more among them: each case solves itself."""
    return np.sort(np.append(who, position))
