"""Instance reduction, slow and obvious: a full matrix of costs, plain lists, every list of neighbors sorted afresh.

``costs[i][j]`` is the cost of stored row j for row i as the query. Rows are their positions, sets of rows sorted lists.
Rows at equal costs come by position. "W&M" is Wilson & Martinez 2000.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

Costs = Sequence[Sequence[float]]
Label = Any
Rows = list[int]
Loss = Callable[[int, Rows], float]


def nearest(costs: Costs, i: int, rows: Rows, k: int) -> Rows:
    """The k rows nearest to row i, nearest first, itself left out; all others where there are fewer."""
    return sorted((j for j in rows if j != i), key=lambda j: (costs[i][j], j))[:k]


def vote(labels: Sequence[Label], voters: Rows, ties: str = "first") -> Label | None:
    """The most frequent label; of equally frequent ones the smallest, or that of the nearest voter; None of nobody."""
    if not voters:
        return None
    said = [labels[j] for j in voters]
    most = max(said.count(label) for label in said)
    tied = [label for label in said if said.count(label) == most]
    return min(tied) if ties == "first" else tied[0]


# -- editing


def disagrees(
    costs: Costs, labels: Sequence[Label], i: int, rows: Rows, k: int, ties: str = "first", kind_sel: str = "mode"
) -> bool:
    """Whether the k nearest of some rows speak against the label of row i; nobody speaks against a lonely row."""
    voters = nearest(costs, i, rows, k)
    if kind_sel == "all":
        return any(labels[j] != labels[i] for j in voters)
    return bool(voters) and vote(labels, voters, ties) != labels[i]


def enn(
    costs: Costs, labels: Sequence[Label], k: int, rows: Rows | None = None, ties: str = "first", kind_sel: str = "mode"
) -> Rows:
    """Wilson 1972: all rows that their k nearest disagree with are deleted at once."""
    rows = list(range(len(labels))) if rows is None else rows
    return [i for i in rows if not disagrees(costs, labels, i, rows, k, ties, kind_sel)]


def renn(
    costs: Costs, labels: Sequence[Label], k: int, ties: str = "first", kind_sel: str = "mode"
) -> tuple[Rows, int]:
    """ENN until nothing more is deleted (Wilson 1972; Tomek 1976), and how often it was applied."""
    rows, passes = list(range(len(labels))), 0
    while True:
        left, passes = enn(costs, labels, k, rows, ties, kind_sel), passes + 1
        if left == rows:
            return rows, passes
        rows = left


def all_knn(
    costs: Costs,
    labels: Sequence[Label],
    k: int,
    successive: bool = False,
    ties: str = "first",
    kind_sel: str = "mode",
) -> Rows:
    """Tomek 1976: rows that the i nearest disagree with, for some i from 1 to k, are deleted at the end; successively:
    those of i = 1, then those of i = 2 among the rows left, and so on."""
    rows = list(range(len(labels)))
    if successive:
        for i in range(1, k + 1):
            rows = enn(costs, labels, i, rows, ties, kind_sel)
        return rows
    flagged = {j for i in range(1, k + 1) for j in rows if disagrees(costs, labels, j, rows, i, ties, kind_sel)}
    return [j for j in rows if j not in flagged]


# -- condensing


def nearest_member(costs: Costs, i: int, members: Rows) -> int:
    """The member nearest to row i, which may be the row itself."""
    return min(members, key=lambda j: (costs[i][j], j))


def cnn(costs: Costs, labels: Sequence[Label]) -> tuple[Rows, int]:
    """Hart 1968: the first row of each class, then passes that add every row that its nearest member gets wrong."""
    members = [labels.index(label) for label in sorted(set(labels), key=labels.index)]
    passes = 0
    while True:
        before, passes = len(members), passes + 1
        for i in range(len(labels)):
            if i not in members and labels[nearest_member(costs, i, members)] != labels[i]:
                members.append(i)
        if len(members) == before:
            return sorted(members), passes


def rnn(costs: Costs, labels: Sequence[Label]) -> Rows:
    """Gates 1972: members of the condensed set, in row order, leave it where no row becomes wrong by that."""
    members, _ = cnn(costs, labels)

    def right(i: int, members: Rows) -> bool:
        return bool(members) and labels[nearest_member(costs, i, members)] == labels[i]

    for p in list(members):
        others = [j for j in members if j != p]
        if all(right(i, others) for i in range(len(labels)) if right(i, members)):
            members = others
    return members


# -- decremental reduction


def misclassified(labels: Sequence[Label], ties: str = "first") -> Loss:
    """1 where the voters get row i wrong, 0 where they get it right."""
    return lambda i, voters: float(vote(labels, voters, ties) != labels[i])


def absolute_error(targets: Sequence[float]) -> Loss:
    """How far the mean of the voters' targets is from that of row i; infinitely far where nobody votes."""
    return lambda i, voters: abs(targets[i] - mean(targets, voters)) if voters else math.inf


def total(losses: list[float]) -> float:
    """The sum, added one after the other."""
    found = 0.0
    for loss in losses:
        found += loss
    return found


def considered(
    costs: Costs, loss: Loss, k: int, order: Rows, T: Rows, S: Rows, *, only_in_S: bool = False, noise: bool = False
) -> Rows:
    """W&M figure 4: in some order, rows leave S where their associates, those that have them among their k nearest in
    S, lose nothing by it. The last row stays.

    ``only_in_S``: associates are looked for in S rather than in T (DROP1). ``noise``: only rows that their own k
    nearest in S get wrong may leave (the filter of DROP4).
    """
    S = list(S)
    for p in order:
        if noise and loss(p, nearest(costs, p, S, k)) == 0:
            continue
        others = [j for j in S if j != p]
        associates = [a for a in (S if only_in_S else T) if a != p and p in nearest(costs, a, S, k)]
        with_p = total([loss(a, nearest(costs, a, S, k)) for a in associates])
        without_p = total([loss(a, nearest(costs, a, others, k)) for a in associates])
        if others and without_p <= with_p:
            S = others
    return S


def enemy_costs(costs: Costs, S: Rows, enemies: Callable[[int, int], bool]) -> dict[int, float]:
    """The cost of the nearest enemy of each row of S; infinite where there is none."""
    return {i: min((costs[i][j] for j in S if enemies(i, j)), default=math.inf) for i in S}


def furthest_first(costs: Costs, S: Rows, enemies: Callable[[int, int], bool]) -> Rows:
    """Rows by the cost of their nearest enemy, largest first."""
    far = enemy_costs(costs, S, enemies)
    return sorted(S, key=lambda i: (-far[i], i))


def drop1(costs: Costs, labels: Sequence[Label], k: int, ties: str = "first") -> Rows:
    """W&M section 4.2: in row order, associates in S."""
    T = list(range(len(labels)))
    return considered(costs, misclassified(labels, ties), k, T, T, T, only_in_S=True)


def drop2(costs: Costs, labels: Sequence[Label], k: int, ties: str = "first", T: Rows | None = None) -> Rows:
    """W&M section 4.3: furthest from the nearest enemy first, associates in T."""
    T = list(range(len(labels))) if T is None else T
    order = furthest_first(costs, T, lambda i, j: labels[i] != labels[j])
    return considered(costs, misclassified(labels, ties), k, order, T, T)


def drop3(costs: Costs, labels: Sequence[Label], k: int, ties: str = "first") -> Rows:
    """W&M section 4.4: ENN, then DROP2 of what is left."""
    return drop2(costs, labels, k, ties, enn(costs, labels, k, ties=ties))


def drop4(costs: Costs, labels: Sequence[Label], k: int, ties: str = "first") -> Rows:
    """W&M section 4.5: as DROP3, but noise leaves only where its associates lose nothing."""
    T = list(range(len(labels)))
    return drop2(costs, labels, k, ties, considered(costs, misclassified(labels, ties), k, T, T, T, noise=True))


def drop5(costs: Costs, labels: Sequence[Label], k: int, ties: str = "first", repeat: bool = True) -> Rows:
    """W&M section 4.6: nearest to the nearest enemy first, then as DROP2 until nothing more leaves (or once)."""

    def enemies(i: int, j: int) -> bool:
        return labels[i] != labels[j]

    T, loss = list(range(len(labels))), misclassified(labels, ties)
    near = enemy_costs(costs, T, enemies)
    S = considered(costs, loss, k, sorted(T, key=lambda i: (near[i], i)), T, T)
    while True:
        left = considered(costs, loss, k, furthest_first(costs, S, enemies), T, S)
        if not repeat or len(left) == len(S):
            return left
        S = left


# -- iterative case filtering


def icf(costs: Costs, labels: Sequence[Label], k: int, ties: str = "first") -> tuple[Rows, int]:
    """Brighton & Mellish 2002, figure 4, and how many passes there were."""
    S, passes = enn(costs, labels, k, ties=ties), 0
    while True:
        passes += 1
        far = enemy_costs(costs, S, lambda i, j: labels[i] != labels[j])
        reachable = {i: [j for j in S if j != i and labels[j] == labels[i] and costs[i][j] < far[i]] for i in S}
        coverage = {i: [j for j in S if i in reachable[j]] for i in S}
        left = [i for i in S if len(reachable[i]) <= len(coverage[i])]
        if left == S:
            return S, passes
        S = left


# -- targets that are numbers


def mean(targets: Sequence[float], voters: Rows) -> float:
    """The mean of the voters' targets, added nearest first."""
    return total([targets[j] for j in voters]) / len(voters)


def deviation(targets: Sequence[float], voters: Rows) -> float:
    """Their standard deviation, as of a population; 0 of nobody."""
    if not voters:
        return 0.0
    center = mean(targets, voters)
    return math.sqrt(total([(targets[j] - center) * (targets[j] - center) for j in voters]) / len(voters))


def enn_numbers(costs: Costs, targets: Sequence[float], k: int, alpha: float) -> Rows:
    """Kordos & Blachnik 2012: rows further from the mean of their k nearest than alpha deviations are deleted."""
    rows = list(range(len(targets)))

    def is_noise(i: int) -> bool:
        voters = nearest(costs, i, rows, k)
        return bool(voters) and abs(targets[i] - mean(targets, voters)) > alpha * deviation(targets, voters)

    return [i for i in rows if not is_noise(i)]


def drop3_numbers(costs: Costs, targets: Sequence[float], k: int, alpha: float) -> Rows:
    """After Arnaiz-González et al. 2016: as DROP3, where errors are added up in place of misclassified rows."""
    T = enn_numbers(costs, targets, k, alpha)
    limit = {i: alpha * deviation(targets, nearest(costs, i, T, k)) for i in T}
    order = furthest_first(costs, T, lambda i, j: abs(targets[i] - targets[j]) > limit[i])
    return considered(costs, absolute_error(targets), k, order, T, T)
