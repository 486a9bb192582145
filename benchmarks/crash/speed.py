"""Speed of storing and reading cases."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from random import Random

from priorcase.cases.storage import Declaration, NewCase, Store

WIDTH = 12
COLORS = ("red", "green", "blue", "black")


def mixed_cases(number: int) -> list[NewCase]:
    """Return cases with twelve mixed attributes, missing values, a key and a solution."""
    random = Random(0)

    def value(place: int) -> str | int | float | None:
        if random.random() < 0.05:
            return None
        return (random.random, lambda: random.choice(COLORS), lambda: random.randrange(100))[place % 3]()

    return [
        NewCase([value(place) for place in range(WIDTH)], f'"{random.choice(COLORS)}"', None, f"case {id}")
        for id in range(number)
    ]


def measure(folder: Path, number: int, singles: int) -> list[tuple[str, float, str, str]]:
    """Return the name, the result, the unit and the target of each task."""
    cases = mixed_cases(number + singles)
    declaration = Declaration([(f"attribute {place}", {"kind": "numeric"}) for place in range(WIDTH)])
    rows = []
    with Store.open(folder / "speed.priorcase", create=declaration) as store:
        start = time.perf_counter()
        with store.writing() as writer:
            writer.insert(cases[:number], by="desk", why="import")
        rows.append(
            (f"{number:,} cases in one transaction", number / (time.perf_counter() - start), "a second", ">= 20,000")
        )
        start = time.perf_counter()
        for case in cases[number:]:
            with store.writing() as writer:
                writer.insert([case], by="desk", why="ticket")
        rows.append(("one case per transaction", singles / (time.perf_counter() - start), "a second", ">= 200"))
    rows.append(("plain SQLite, one number per transaction", _bare(folder, singles), "a second", ""))
    start = time.perf_counter()
    with Store.open(folder / "speed.priorcase") as store:
        store.load()
        rows.append((f"open and load {number + singles:,} cases", time.perf_counter() - start, "s", "<= 3"))
        start = time.perf_counter()
        with store.writing() as writer:
            writer.delete([1])
        rows.append(("forget one case and erase its bytes", time.perf_counter() - start, "s", ""))
    return rows


def _bare(folder: Path, singles: int) -> float:
    """Return how many rows per second SQLite alone commits here, as a measure of the disk."""
    connection = sqlite3.connect(folder / "bare.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode = TRUNCATE")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE numbers (number INTEGER)")
    start = time.perf_counter()
    for number in range(singles):
        connection.execute("INSERT INTO numbers VALUES (?)", (number,))
    taken = time.perf_counter() - start
    connection.close()
    return singles / taken
