"""Explanations, slowly: Shapley values over all orders, subsets of changes one by one, means row by row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, permutations
from math import factorial
from typing import Any

Row = Sequence[Any]


def left_out(row: Row, kept: Sequence[int]) -> list[Any]:
    return [value if a in kept else None for a, value in enumerate(row)]


def shapley(answer: Callable[[list[Any]], float], row: Row) -> list[float]:
    """The mean over all orders of the columns of what each adds when it is told after those before it."""
    totals = [0.0] * len(row)
    for order in permutations(range(len(row))):
        for place, a in enumerate(order):
            before, after = left_out(row, order[:place]), left_out(row, order[: place + 1])
            totals[a] += answer(after) - answer(before)
    return [total / factorial(len(row)) for total in totals]


def changed_columns(before: Row, after: Row) -> list[int]:
    return [a for a, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]


def turning_subsets(turns: Callable[[list[Any]], bool], before: Row, after: Row) -> list[tuple[int, ...]]:
    """All proper subsets of the changes that change the prediction, too."""
    columns = changed_columns(before, after)
    found = []
    for size in range(len(columns)):
        for some in combinations(columns, size):
            if turns([after[a] if a in some else value for a, value in enumerate(before)]):
                found.append(some)
    return found


def partial_dependence(
    answer: Callable[[list[Any]], float], rows: Sequence[Row], a: int, value: Any, weights: Sequence[float]
) -> float:
    total = 0.0
    for row, weight in zip(rows, weights, strict=True):
        total += weight * answer([value if b == a else held for b, held in enumerate(row)])
    return total / sum(weights)


def naive_bayes_distance(terms: Callable[[int, Any], Sequence[float]], one: Row, other: Row) -> float:
    """The sum of the Euclidean distances of two vectors of log-probabilities, centered over the classes.

    It is over the columns that the first row knows.
    """
    total = 0.0
    for a, (left, right) in enumerate(zip(one, other, strict=True)):
        if left is None:
            continue
        off = [p - q for p, q in zip(terms(a, left), terms(a, right), strict=True)]
        mean = sum(off) / len(off)
        total += sum((each - mean) ** 2 for each in off) ** 0.5
    return total
