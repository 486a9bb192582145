"""Mixed tables for the tests of learners."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

COLUMNS = ("age", "colour", "member", "score")


def mixed_rows(n: int, seed: int = 0, gaps: float = 0.15) -> list[list[Any]]:
    """Rows of two numbers, a text and a boolean, with few different values, so that distances tie, and gaps."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        row: list[Any] = [
            float(rng.integers(0, 6)),
            str(rng.choice(["red", "green", "blue"])),
            bool(rng.integers(0, 2)),
            float(np.round(rng.normal(), 1)),
        ]
        rows.append([None if rng.random() < gaps else value for value in row])
    return rows


def labels(n: int, seed: int = 1, classes: tuple[Any, ...] = ("a", "b", "c")) -> list[Any]:
    """Random classes."""
    return [classes[i] for i in np.random.default_rng(seed).integers(0, len(classes), n)]


def row_lists(min_size: int = 1, max_size: int = 12) -> st.SearchStrategy[list[list[Any]]]:
    """Short mixed tables with gaps."""
    row = st.tuples(
        st.sampled_from([0.0, 1.0, 2.0, 5.0, None]),
        st.sampled_from(["red", "green", "blue", None]),
        st.sampled_from([True, False, None]),
    )
    return st.lists(row.map(list), min_size=min_size, max_size=max_size)
