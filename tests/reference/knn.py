"""k-NN votes, slow and obvious: one query, plain lists, rows of weight w literally repeated w times.

``distances`` are those of all stored rows from one query, in id order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

Label = Any


def repeated(values: Sequence[Any], times: Sequence[int] | None) -> list[Any]:
    """Each value as often as its whole-numbered weight says."""
    if times is None:
        return list(values)
    return [value for value, count in zip(values, times, strict=True) for _ in range(count)]


def nearest(distances: Sequence[float], k: int, *, whole_ties: bool) -> list[int]:
    """Rows that vote: the k nearest, lower ids first; with ``whole_ties`` also every row as near as the k-th."""
    order = sorted(range(len(distances)), key=lambda row: (distances[row], row))
    if whole_ties:
        limit = distances[order[k - 1]]
        return [row for row in order if distances[row] <= limit]
    return order[:k]


def votes(
    distances: Sequence[float], voters: Sequence[int], k: int, vote: str | Callable[[float], float]
) -> list[float]:
    """Vote of each voter: "uniform", "inverse_square" (Mitchell 1997, 8.3 and 8.4) or a kernel K(d / h)."""
    near = [distances[row] for row in voters]
    if vote == "uniform":
        return [1.0] * len(near)
    if vote == "inverse_square":
        if 0.0 in near:
            return [1.0 if d == 0 else 0.0 for d in near]
        return [1.0 / d**2 for d in near]
    ordered = sorted(distances)
    # h: the (k+1)-th nearest, or just beyond the k-th where there is no other.
    h = ordered[k] if k < len(ordered) else ordered[-1] * (1 + 1e-9)
    if h == 0:
        return [1.0] * len(near)
    weights = [vote(d / h) for d in near]  # type: ignore[operator]
    if math.inf in weights:
        return [1.0 if weight == math.inf else 0.0 for weight in weights]
    return weights if any(weights) else [1.0] * len(near)


def class_masses(
    labels: Sequence[Label], voters: Sequence[int], weights: Sequence[float], classes: Sequence[Label]
) -> list[float]:
    return [sum(w for row, w in zip(voters, weights, strict=True) if labels[row] == c) for c in classes]


def proba(
    distances: Sequence[float],
    labels: Sequence[Label],
    k: int,
    *,
    vote: str | Callable[[float], float] = "uniform",
    ties: str = "majority",
    times: Sequence[int] | None = None,
    prior: Sequence[float] | None = None,
) -> list[float]:
    """Share of each class in sorted order: (n_c + a_c) / (n + sum a), n_c the votes rescaled to sum to n voters."""
    classes = sorted(set(repeated(labels, times)))
    distances, labels = repeated(distances, times), repeated(labels, times)
    voters = nearest(distances, k, whole_ties=ties == "majority")
    masses = class_masses(labels, voters, votes(distances, voters, k, vote), classes)
    if prior is not None:
        total = sum(masses)
        masses = [mass * len(voters) / total + a for mass, a in zip(masses, prior, strict=True)]
    return [mass / sum(masses) for mass in masses]


def classify(
    distances: Sequence[float],
    labels: Sequence[Label],
    k: int,
    *,
    vote: str | Callable[[float], float] = "uniform",
    ties: str = "majority",
    times: Sequence[int] | None = None,
) -> Label:
    """Class with the most votes; a tied vote by the rule ``ties``."""
    distances, labels = repeated(distances, times), repeated(labels, times)
    classes = sorted(set(labels))
    voters = nearest(distances, k, whole_ties=ties == "majority")
    weights = votes(distances, voters, k, vote)
    while True:
        masses = class_masses(labels, voters, weights, classes)
        tied = [c for c, mass in zip(classes, masses, strict=True) if mass == max(masses)]
        if len(tied) == 1 or ties == "first":
            return tied[0]
        if ties == "majority":
            return max(tied, key=lambda c: (labels.count(c), -classes.index(c)))
        if ties == "nearest":
            return next(labels[row] for row in voters if labels[row] in tied)
        if len(voters) == 1:
            return labels[voters[0]]
        voters, weights = voters[:-1], weights[:-1]  # reduce: without the farthest


def regress(
    distances: Sequence[float],
    targets: Sequence[float],
    k: int,
    *,
    vote: str | Callable[[float], float] = "uniform",
    ties: str = "majority",
    times: Sequence[int] | None = None,
) -> float:
    """Vote-weighted mean of the voters' targets (Mitchell 1997, eq. 8.4)."""
    distances, targets = repeated(distances, times), repeated(targets, times)
    voters = nearest(distances, k, whole_ties=ties == "majority")
    weights = votes(distances, voters, k, vote)
    return sum(w * targets[row] for row, w in zip(voters, weights, strict=True)) / sum(weights)


def leave_one_out(
    matrix: Sequence[Sequence[float]], labels: Sequence[Label], k: int, *, ties: str = "majority"
) -> float:
    """Share of rows whose label the other rows vote for, from the matrix of distances between all rows."""
    right = 0
    for row, distances in enumerate(matrix):
        others = [other for other in range(len(labels)) if other != row]
        vote = classify([distances[other] for other in others], [labels[other] for other in others], k, ties=ties)
        right += vote == labels[row]
    return right / len(labels)
