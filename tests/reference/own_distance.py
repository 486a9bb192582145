"""Nearest rows by a distance that is a plain function of two rows: measure all, sort all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any


def nearest(
    rows: Sequence[Any], query: Any, distance: Callable[[Any, Any], float], k: int, without: int | None = None
) -> list[tuple[float, int]]:
    """Distance and position of the k nearest rows, those at equal distances by position."""
    found = [(distance(query, row), i) for i, row in enumerate(rows) if i != without]
    return sorted(found)[:k]


def vote(
    rows: Sequence[Any], labels: Sequence[Any], query: Any, distance: Any, k: int, without: int | None = None
) -> Any:
    """The share of each label among the k nearest rows and all that are as near as the k-th."""
    everyone = nearest(rows, query, distance, len(rows), without)
    voters = [i for d, i in everyone if d <= everyone[k - 1][0]]
    return {label: count / len(voters) for label, count in Counter(labels[i] for i in voters).items()}


def heom(ranges: Sequence[float | None]) -> Callable[[Any, Any], float]:
    """HEOM of rows of values, None for missing; the range of each numeric column, None for nominal ones."""

    def distance(x: Any, y: Any) -> float:
        total = 0.0
        for a, (u, v) in enumerate(zip(x, y, strict=True)):
            if u is None or v is None:
                d = 1.0
            elif (width := ranges[a]) is None:
                d = float(u != v)
            else:
                d = abs(u - v) / width if width else 0.0
            total += d * d
        return float(total**0.5)

    return distance
