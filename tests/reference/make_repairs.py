"""The story behind ``repairs.csv``, so that every row of the built-in table can be made again.

``python tests/reference/make_repairs.py > src/priorcase/datasets/repairs.csv`` writes the file. Bicycles come in
with a past (age, distance, load, where they stand at night), the past wears chain and brakes, wear decides which job
the workshop books, and the job is what the customer hears. Only :class:`random.Random` is used: its streams are the
same on every Python.
"""

from __future__ import annotations

import csv
import math
import sys
from random import Random
from typing import TextIO

COLUMNS = (
    "bike",
    "age_years",
    "km_since_service",
    "load_kg",
    "electric",
    "outdoors",
    "chain",
    "brakes",
    "noise",
    "job",
)
CHAIN = ("fresh", "used", "worn", "stretched")
BRAKES = ("firm", "soft", "weak")
ROWS, SEED, GAPS = 96, 18, 0.055

# share of visits, usual load in kg, share with a motor, share left outdoors, usual km between services
BIKES = {
    "city": (0.30, 82, 0.25, 0.60, 1100),
    "trekking": (0.20, 90, 0.35, 0.25, 1900),
    "road": (0.15, 76, 0.00, 0.05, 2600),
    "mountain": (0.15, 84, 0.30, 0.15, 1200),
    "cargo": (0.12, 128, 0.65, 0.55, 1700),
    "folding": (0.08, 78, 0.20, 0.10, 800),
}
NOISES = {
    "tune-up": {"quiet": 0.82, "creak": 0.08, "click": 0.06, "squeal": 0.04},
    "brakes": {"squeal": 0.76, "grind": 0.10, "quiet": 0.14},
    "drivetrain": {"click": 0.50, "grind": 0.40, "quiet": 0.10},
    "wheel": {"creak": 0.72, "click": 0.14, "quiet": 0.14},
}


def make_row(rng: Random) -> dict[str, str]:
    """One visit to the workshop, without gaps."""
    bike = _pick(rng, {name: story[0] for name, story in BIKES.items()})
    _, usual_load, motors, outside, usual_km = BIKES[bike]
    electric, outdoors = rng.random() < motors, rng.random() < outside
    age = min(0.5 + rng.expovariate(1 / 4.0), 18.0)
    km = max(60, round(usual_km * math.exp(rng.gauss(0.0, 0.55)) / 10) * 10)
    load = round(rng.gauss(usual_load, usual_load * 0.12))
    chain = _level(km / 1100 + 0.7 * outdoors + 0.4 * electric + rng.gauss(0.0, 0.45) - 0.6, len(CHAIN))
    brakes = _level(km / 2600 + (load - 80) / 55 + 0.3 * electric + rng.gauss(0.0, 0.5) - 0.1, len(BRAKES))
    job = _job(rng, chain, brakes, load, bike)
    return {
        "bike": bike,
        "age_years": f"{round(age * 2) / 2:g}",
        "km_since_service": str(km),
        "load_kg": str(load),
        "electric": "yes" if electric else "no",
        "outdoors": "yes" if outdoors else "no",
        "chain": CHAIN[chain],
        "brakes": BRAKES[brakes],
        "noise": _pick(rng, NOISES[job]),
        "job": job,
    }


def write(stream: TextIO, *, rows: int = ROWS, seed: int = SEED, gaps: float = GAPS) -> None:
    """Write the table as CSV; each field but the target is left empty with probability ``gaps``."""
    rng = Random(seed)
    writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for _ in range(rows):
        row = make_row(rng)
        writer.writerow({name: "" if name != "job" and rng.random() < gaps else text for name, text in row.items()})


def _job(rng: Random, chain: int, brakes: int, load: int, bike: str) -> str:
    strain = (load - 85) / 22 + (1.4 if bike == "mountain" else 0.0)
    need = {"tune-up": 1.9, "brakes": 2.3 * brakes, "drivetrain": 1.75 * chain - 0.6, "wheel": 1.5 * strain + 0.3}
    return max(need, key=lambda job: need[job] + rng.gauss(0.0, 0.25))


def _level(wear: float, levels: int) -> int:
    return min(max(math.floor(wear), 0), levels - 1)


def _pick(rng: Random, shares: dict[str, float]) -> str:
    return rng.choices(list(shares), list(shares.values()))[0]


if __name__ == "__main__":
    write(sys.stdout)
