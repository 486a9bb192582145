"""Tables of which some attributes matter, for the tests of attribute selection."""

from __future__ import annotations

from typing import Any

import numpy as np
from reference.distances import Cases
from reference.selection import Table

Rows = list[list[Any]]

# Ranges and levels divide by powers of two, so that distances that are equal are so to the last bit.
LEVELS = ("least", "low", "middle", "high", "top")
KINDS = ("numeric", "nominal", len(LEVELS), "numeric")


def mixed(n: int, seed: int = 0, gaps: float = 0.15) -> Rows:
    """Numbers, a text, a level and another number, few of each, so that distances tie, and gaps."""
    rng = np.random.default_rng(seed)
    rows: Rows = [[0.0, "red", "least", 16.0], [8.0, "blue", "top", 0.0]]
    for _ in range(n - 2):
        row: list[Any] = [
            float(rng.integers(0, 9)),
            str(rng.choice(["red", "green", "blue"])),
            str(rng.choice(LEVELS)),
            float(rng.integers(0, 17)),
        ]
        rows.append([None if rng.random() < gaps else value for value in row])
    return rows


def labels(rows: Rows, seed: int = 0) -> list[str]:
    """Classes by the first two columns, some of them wrong."""
    rng = np.random.default_rng(seed)
    found = ["low" if (row[0] or 0) + 4 * (row[1] == "red") < 5 else "high" for row in rows]
    return ["odd" if rng.random() < 0.1 else label for label in found]


def numbers(rows: Rows, seed: int = 0) -> list[float]:
    """Numbers by the first two columns, with noise."""
    rng = np.random.default_rng(seed)
    return [(row[0] or 2.0) + 3 * (row[1] == "red") + float(rng.normal(scale=0.3)) for row in rows]


def plain(rows: Rows, targets: list[Any]) -> Table:
    """The same table for the reference."""
    ranked = [(row[0], row[1], None if row[2] is None else LEVELS.index(row[2]), row[3]) for row in rows]
    return Table(Cases(KINDS, tuple(ranked), tuple(targets)))


def uniform(n: int, width: int, kind: str, seed: int = 0) -> tuple[Any, Any]:
    """Numbers from 0 to 1 of which the columns 1 and 4 matter: for classes, their exclusive or, or a number."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, width))
    if kind == "classes":
        return X, np.where(X[:, 1] > X[:, 4], "above", "below")
    if kind == "xor":
        return X, (X[:, 1] > 0.5) ^ (X[:, 4] > 0.5)
    return X, np.sin(4 * X[:, 1]) + 2 * X[:, 4] + 0.1 * rng.normal(size=n)
