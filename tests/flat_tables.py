"""Sixty flats and what they cost, as tests of the command line read them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from click.testing import Result
from commands import run

from priorcase.datasets import NamedColumns
from priorcase.schema import Kind, Nominal, Numeric, Ordinal

WORTH = {"old": 0.0, "fair": 25.0, "new": 60.0}
LEVELS = ("--ordinal", "state=old<fair<new")


def flats() -> list[tuple[float | None, str, str, float]]:
    """Sixty flats, some without a size: what they cost bends with size and goes with their state."""
    random = np.random.default_rng(5)
    found: list[tuple[float | None, str, str, float]] = []
    for i in range(60):
        size, town, state = round(random.uniform(20, 120), 1), "ab"[random.integers(2)], list(WORTH)[random.integers(3)]
        price = 2 * size + (size / 20) ** 2 + 15 * (town == "b") + WORTH[state] + random.normal(0, 4)
        found.append((None if i % 13 == 5 else size, town, state, round(price, 2)))
    return found


FLATS = flats()


def lines(rows: list[tuple[float | None, str, str, float]]) -> list[str]:
    return ["size,town,state,price", *(",".join("" if cell is None else str(cell) for cell in row) for row in rows)]


def estimate(command: str, table: Path, new: object, *args: object, **options: Any) -> Result:
    return run(command, "--train", table, "--target", "price", "--query", new, *LEVELS, *args, **options)


def split_flats() -> tuple[NamedColumns, list[float], NamedColumns]:
    kinds: dict[str, Kind] = {"size": Numeric(), "town": Nominal(), "state": Ordinal(tuple(WORTH))}
    columns = {name: [row[a] for row in FLATS] for a, name in enumerate(kinds)}
    whole = NamedColumns.of(columns, kinds)
    return whole.take(slice(0, 50)), [row[3] for row in FLATS[:50]], whole.take(slice(50, None))
