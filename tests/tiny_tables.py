"""Tiny tables whose full joint table can be written down."""

from __future__ import annotations

from typing import Any

import numpy as np

from priorcase.bayes import NaiveBayes
from priorcase.schema import Nominal, Ordinal

KINDS = {0: Nominal(), 1: Nominal(("b", "a", "unused")), 2: Ordinal(("low", "high"))}
DECLARED = {1: ("b", "a", "unused"), 2: ("low", "high")}


def tiny(n: int, seed: int) -> tuple[list[list[Any]], list[str]]:
    """Rows of three columns with few values and gaps, and their classes."""
    rng = np.random.default_rng(seed)

    def cell(values: tuple[Any, ...]) -> Any:
        return None if rng.random() < 0.2 else values[rng.integers(len(values))]

    rows = [[cell(("red", "blue", "green")), cell(("a", "b")), cell(("low", "high"))] for _ in range(n)]
    return rows, [("no", "yes", "perhaps")[i] for i in rng.integers(0, 3, n)]


def fitted(rows: Any, classes: Any, way: str = "evidence", weight: Any = 1, **settings: Any) -> NaiveBayes:
    return NaiveBayes(way, prior=float(weight), schema=KINDS, **settings).fit(rows, classes)
