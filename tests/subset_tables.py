"""Tables for the averages over subsets, and the same rows for the reference."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from reference import subsets as reference

from priorcase.schema import Nominal

CLASSES = ("no", "perhaps", "yes")
DOMAINS = (("a", "b", "c"), ("x", "y"), ("p", "q", "r", "s"))
SCHEMA = {0: Nominal(values=DOMAINS[0]), 1: Nominal(values=DOMAINS[1]), 2: Nominal(values=DOMAINS[2])}
HALF = Fraction(1, 2)


def table(n: int, seed: int, width: int = 3, gaps: float = 0.15) -> tuple[list[list[Any]], list[str]]:
    """Rows of which the first attribute follows the class, the second by half, the third not; then numbers."""
    random = np.random.default_rng(seed)
    classes = random.integers(0, 3, n)
    rows = []
    for k in classes.tolist():
        row: list[Any] = [
            DOMAINS[0][k if random.random() < 0.8 else random.integers(0, 3)],
            DOMAINS[1][k % 2 if random.random() < 0.5 else random.integers(0, 2)],
            DOMAINS[2][random.integers(0, 4)],
            float(np.round(2.0 * k + random.normal(), 2)),
            float(np.round(random.normal(), 2)),
        ]
        rows.append([None if random.random() < gaps else value for value in row[:width]])
    return rows, [CLASSES[k] for k in classes]


def numbered(rows: list[list[Any]], classes: Sequence[str], weights: Sequence[int] | None = None) -> list[Any]:
    """The rows as the reference wants them."""
    times = [1] * len(rows) if weights is None else weights
    return [(CLASSES.index(k), tuple(row), Fraction(w)) for row, k, w in zip(rows, classes, times, strict=True)]


def counted(values: Sequence[Any], weight: Fraction, n_classes: int = 3) -> reference.Counted:
    """A discrete attribute whose values weigh the same in each class."""
    return reference.Counted([dict.fromkeys(values, weight)] * n_classes)


def expected_proba(joints: list[Any]) -> list[float]:
    return [float(joint / sum(joints)) for joint in joints]
