"""Attribute weights, slow and obvious: plain lists, rows of weight w literally repeated w times.

None is missing. Differences and costs between rows are given by functions of two row numbers, so that any distance can
be weighed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

Difference = Callable[[int, int, int], float]
"""The difference d of attribute a between row i and row j; 0 where the attribute is left out."""
Cost = Callable[[int, int], float]


# -- information -------------------------------------------------------------------------------------------------------


def entropy(things: Sequence[Any]) -> float:
    """H = - sum p log2 p."""
    shares = [Fraction(things.count(thing), len(things)) for thing in set(things)]
    return -sum(float(p) * math.log2(p) for p in shares)


def information_gain(values: Sequence[Any], classes: Sequence[Any]) -> float:
    """The share of known values times H(C) - H(C | A) among them (Quinlan 1993, section 3.3)."""
    known = [(value, label) for value, label in zip(values, classes, strict=True) if value is not None]
    if not known:
        return 0.0
    left = 0.0
    for value in {value for value, _ in known}:
        inside = [label for other, label in known if other == value]
        left += len(inside) / len(known) * entropy(inside)
    return len(known) / len(values) * (entropy([label for _, label in known]) - left)


def gain_ratio(values: Sequence[Any], classes: Sequence[Any]) -> float:
    """The gain by the entropy of the values, where "missing" is one more (Quinlan 1993, sections 2.2 and 3.3)."""
    split = entropy(list(values))
    return information_gain(values, classes) / split if split > 0 else 0.0


# -- Relief ------------------------------------------------------------------------------------------------------------


def nearest(i: int, among: Sequence[int], k: int, cost: Cost) -> list[int]:
    """The k nearest rows, the first of equally near ones."""
    return sorted((j for j in among if j != i), key=lambda j: (cost(i, j), j))[:k]


def relief_f(
    classes: Sequence[Any], width: int, difference: Difference, cost: Cost, k: int, samples: Sequence[int]
) -> list[float]:
    """ReliefF (Robnik-Sikonja & Kononenko 2003, figure 2); fewer than k neighbors share the weight of k."""
    n = len(classes)
    p = {label: classes.count(label) / n for label in classes}
    weights = [0.0] * width
    for i in samples:
        for label in dict.fromkeys(classes):
            near = nearest(i, [j for j in range(n) if classes[j] == label], k, cost)
            for j in near:
                for a in range(width):
                    d = difference(a, i, j) / (len(samples) * len(near))
                    weights[a] += -d if label == classes[i] else p[label] / (1 - p[classes[i]]) * d
    return weights


def rrelief_f(
    targets: Sequence[float], width: int, difference: Difference, cost: Cost, k: int, samples: Sequence[int]
) -> list[float]:
    """RReliefF (figure 3) with neighbors that all count the same."""
    span = max(targets) - min(targets)
    n_y, n_a, n_ya, m = 0.0, [0.0] * width, [0.0] * width, 0.0
    for i in samples:
        near = nearest(i, range(len(targets)), k, cost)
        for j in near:
            d_y = abs(targets[i] - targets[j]) / span if span else 0.0
            m += 1 / len(near)
            n_y += d_y / len(near)
            for a in range(width):
                n_a[a] += difference(a, i, j) / len(near)
                n_ya[a] += d_y * difference(a, i, j) / len(near)
    if not 0 < n_y < m:
        return [0.0] * width
    return [n_ya[a] / n_y - (n_a[a] - n_ya[a]) / (m - n_y) for a in range(width)]


# -- leave-one-out -----------------------------------------------------------------------------------------------------

DOUBT = 0.01


def soft_votes(i: int, voters: Sequence[int], cost: Cost) -> dict[int, float]:
    """p_ij = exp(-c_ij) / sum_k exp(-c_ik) over the voters other than i; none where all are endlessly far."""
    costs = {j: cost(i, j) for j in voters if j != i}
    least = min(costs.values(), default=math.inf)
    if least == math.inf:
        return {}
    votes = {j: math.exp(least - c) for j, c in costs.items()}
    total = sum(votes.values())
    return {j: vote / total for j, vote in votes.items()}


def log_loss(classes: Sequence[Any], told: Sequence[int], voters: Sequence[int], cost: Cost) -> float:
    """The mean of -ln of the votes for the own class, mixed with a hundredth of the class shares."""
    total = 0.0
    for i in told:
        votes = soft_votes(i, voters, cost)
        share = classes.count(classes[i]) / len(classes)
        p = sum(vote for j, vote in votes.items() if classes[j] == classes[i]) if votes else share
        total += -math.log((1 - DOUBT) * p + DOUBT * share)
    return total / len(told)


def error_loss(classes: Sequence[Any], told: Sequence[int], voters: Sequence[int], cost: Cost) -> float:
    """The mean share of votes for other classes (Goldberger et al. 2005, eq. 3, as a loss)."""
    total = 0.0
    for i in told:
        votes = soft_votes(i, voters, cost)
        share = classes.count(classes[i]) / len(classes)
        total += 1 - (sum(vote for j, vote in votes.items() if classes[j] == classes[i]) if votes else share)
    return total / len(told)


def squared_loss(targets: Sequence[float], told: Sequence[int], voters: Sequence[int], cost: Cost) -> float:
    """The mean of (y_i - sum_j p_ij y_j)^2, for targets with mean 0."""
    total = 0.0
    for i in told:
        votes = soft_votes(i, voters, cost)
        total += (targets[i] - sum(vote * targets[j] for j, vote in votes.items())) ** 2
    return total / len(told)


def slopes(function: Callable[[list[float]], float], at: Sequence[float], step: float = 1e-5) -> list[float]:
    """Central differences."""
    found = []
    for a in range(len(at)):
        above, below = list(at), list(at)
        above[a] += step
        below[a] -= step
        found.append((function(above) - function(below)) / (2 * step))
    return found
