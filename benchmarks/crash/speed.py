"""How fast cases are stored and read."""

from __future__ import annotations

import time
from pathlib import Path
from random import Random

from priorcase.reasoning.storage import Declaration, NewCase, Store

WIDTH = 12
COLOURS = ("red", "green", "blue", "black")


def mixed_cases(number: int) -> list[NewCase]:
    """Cases of twelve mixed attributes with gaps, each with a key and a solution."""
    random = Random(0)

    def value(place: int) -> str | int | float | None:
        if random.random() < 0.05:
            return None
        return (random.random, lambda: random.choice(COLOURS), lambda: random.randrange(100))[place % 3]()

    return [
        NewCase([value(place) for place in range(WIDTH)], f'"{random.choice(COLOURS)}"', None, f"case {id}")
        for id in range(number)
    ]


def measure(folder: Path, number: int, singles: int) -> list[tuple[str, float, str, str]]:
    """Each work with its figure, the figure's unit and the bar."""
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
        rows.append(("one case a transaction", singles / (time.perf_counter() - start), "a second", ">= 200"))
    start = time.perf_counter()
    with Store.open(folder / "speed.priorcase") as store:
        store.load()
        rows.append((f"open and load {number + singles:,} cases", time.perf_counter() - start, "s", "<= 3"))
        start = time.perf_counter()
        with store.writing() as writer:
            writer.delete([1])
        rows.append(("forget one of them, bytes and all", time.perf_counter() - start, "s", ""))
    return rows
