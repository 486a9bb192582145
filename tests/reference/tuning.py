"""Leave-one-out scores, slow and obvious: each row is taken out of the table, and the others answer.

``matrix`` holds the distances between all rows. A row of weight w is literally w rows, one of which is left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from reference.knn import class_masses, nearest, repeated, votes

Kernel = Callable[[float], float]


def without(row: int, values: Sequence[Any], times: Sequence[int] | None) -> list[Any]:
    """The values of all rows but one copy of a row."""
    left = [1] * len(values) if times is None else list(times)
    left[row] -= 1
    return repeated(values, left)


def weighed(distances: Sequence[float], voters: Sequence[int], k: int, vote: str | Kernel, reach: float | None) -> Any:
    """The voters' votes by a kernel of a fixed reach, or by any other rule."""
    if reach is None:
        return votes(distances, voters, k, vote)
    found = [vote(distances[row] / reach) for row in voters]  # type: ignore[operator]
    return found if any(found) else [1.0] * len(found)


def probabilities(
    distances: Sequence[float],
    labels: Sequence[Any],
    classes: Sequence[Any],
    k: int,
    vote: str | Kernel,
    *,
    ties: str,
    reach: float | None,
    prior: Sequence[float] | None,
    temperature: float,
) -> list[float]:
    """The class probabilities that some rows give: ``(n_c + a_c)^(1 / T)``, divided by their sum."""
    voters = nearest(distances, k, whole_ties=ties == "majority")
    masses = class_masses(labels, voters, weighed(distances, voters, k, vote, reach), classes)
    if prior is not None:
        masses = [mass * len(voters) / sum(masses) + a for mass, a in zip(masses, prior, strict=True)]
    powers = [mass ** (1 / temperature) for mass in masses]
    return [power / sum(powers) for power in powers]


def class_scores(
    matrix: Sequence[Sequence[float]],
    labels: Sequence[Any],
    k: int,
    vote: str | Kernel,
    *,
    ties: str = "majority",
    times: Sequence[int] | None = None,
    reach: float | None = None,
    prior: Sequence[float] | None = None,
    temperature: float = 1.0,
) -> tuple[float, float]:
    """Mean ``-ln p`` of each row's class and mean squared difference of its probabilities, over all rows."""
    classes, loss, brier = sorted(set(labels)), 0.0, 0.0
    for row, distances in enumerate(matrix):
        proba = probabilities(
            without(row, distances, times),
            without(row, labels, times),
            classes,
            k,
            vote,
            ties=ties,
            reach=reach,
            prior=prior,
            temperature=temperature,
        )
        own, weight = classes.index(labels[row]), 1 if times is None else times[row]
        loss += weight * (-math.log(proba[own]) if proba[own] else math.inf)
        brier += weight * sum((p - (c == own)) ** 2 for c, p in enumerate(proba))
    total = len(labels) if times is None else sum(times)
    return loss / total, brier / total


def number_scores(
    matrix: Sequence[Sequence[float]],
    targets: Sequence[float],
    k: int,
    vote: str | Kernel,
    *,
    ties: str = "majority",
    times: Sequence[int] | None = None,
    reach: float | None = None,
) -> tuple[float, float]:
    """Mean squared and mean absolute error of the mean of the voters' targets."""
    squares = absolutes = 0.0
    for row, distances in enumerate(matrix):
        others, numbers = without(row, distances, times), without(row, targets, times)
        voters = nearest(others, k, whole_ties=ties == "majority")
        found = weighed(others, voters, k, vote, reach)
        error = sum(v * numbers[i] for v, i in zip(found, voters, strict=True)) / sum(found) - targets[row]
        weight = 1 if times is None else times[row]
        squares, absolutes = squares + weight * error * error, absolutes + weight * abs(error)
    total = len(targets) if times is None else sum(times)
    return squares / total, absolutes / total
