"""Generated cases of used machines with twelve attributes of all kinds, 5% of the values missing."""

from datetime import date, timedelta
from typing import Any

import numpy as np

CONDITIONS = ("scrap", "poor", "fair", "good", "very good", "as new")
TREE = {f"group {i}": {f"family {i}.{j}": [f"model {i}.{j}.{m}" for m in range(4)] for j in range(4)} for i in range(5)}
MODELS = [model for families in TREE.values() for models in families.values() for model in models]
NUMBERS = ("price", "hours", "power", "year")

Case = dict[str, Any]


def attributes() -> dict[str, Any]:
    """Return four numeric, one ordinal and three nominal attributes, a taxonomy, a date, a set and a text."""
    import priorcase as pc

    kinds: dict[str, Any] = dict.fromkeys(NUMBERS, "numeric")
    kinds |= {"condition": pc.Ordinal(CONDITIONS), "colour": "nominal", "region": "nominal", "dealer": "nominal"}
    return kinds | {"model": pc.Taxonomy({"machine": TREE}), "listed": "date", "extras": "set", "remark": "text"}


def cases(n: int, *, gaps: float = 0.05, seed: int = 0) -> list[Case]:
    """Return ``n`` cases with independent attributes; the words of remarks have natural frequencies (Zipf 1949)."""
    random = np.random.default_rng(seed)
    words = _words(random, 5_000)
    frequencies = 1.0 / np.arange(1, len(words) + 1)
    said = random.choice(len(words), (n, 8), p=frequencies / frequencies.sum())
    lengths = random.integers(3, 9, n)
    columns: dict[str, list[Any]] = {
        "price": random.lognormal(9, 1, n).round(2).tolist(),
        "hours": random.exponential(4_000, n).round(1).tolist(),
        "power": random.normal(90, 30, n).round(2).tolist(),
        "year": random.integers(1980, 2026, n).tolist(),
        "condition": random.choice(CONDITIONS, n).tolist(),
        "colour": random.choice(["red", "blue", "green", "grey", "white"], n).tolist(),
        "region": [f"region {i}" for i in random.integers(0, 20, n)],
        "dealer": [f"dealer {i}" for i in random.integers(0, 500, n)],
        "model": random.choice(MODELS, n).tolist(),
        "listed": [(date(2015, 1, 1) + timedelta(int(day))).isoformat() for day in random.integers(0, 4_000, n)],
        "extras": [_extras(random) for _ in range(n)],
        "remark": [" ".join(words[w] for w in row[:length]) for row, length in zip(said, lengths, strict=True)],
    }
    known = random.random((n, len(columns))) >= gaps
    return [
        {name: column[i] for place, (name, column) in enumerate(columns.items()) if known[i, place]} for i in range(n)
    ]


def _words(random: np.random.Generator, n: int) -> list[str]:
    letters = list("etaoinshrdlcumwfgypbvk")
    return ["".join(random.choice(letters, length)) for length in random.integers(2, 10, n)]


def _extras(random: np.random.Generator) -> list[str]:
    return [f"extra {i}" for i in random.choice(30, random.integers(0, 7), replace=False)]
