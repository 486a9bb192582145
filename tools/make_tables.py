"""Write the generated built-in tables, ``repairs.csv``, ``loans.csv`` and ``flats.csv``.

Run ``python tools/make_tables.py`` in the root of the repository; it writes the files to ``src/priorcase/datasets``.
The tables depend on nothing but the seeds below: only :class:`random.Random` is used, whose streams are the same on
every version of Python. A test generates the tables again and compares them with the files. The other built-in tables
are not generated: ``help_desk.csv`` was written by hand for this library, and ``penguins.csv`` was measured.

``make_repairs`` draws a bicycle with its age, distance, load and place at night. These values determine the wear of the
chain and the brakes, the wear determines which job the workshop books, and the job determines what the customer hears.
``make_loans`` draws an applicant, computes the probability of repayment from the columns (`repayment_log_odds`), draws
the outcome, and then records a dozen outcomes wrongly, in rows where the outcome was close to certain.
``make_flats`` draws a flat and computes its rent as a product of effects (`expected_rent`) with log-normal noise.
"""

from __future__ import annotations

import csv
import datetime
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, TextIO

FOLDER = Path(__file__).parents[1] / "src" / "priorcase" / "datasets"

Row = dict[str, Any]

# -- repairs

REPAIRS_SEED, REPAIRS_ROWS, REPAIRS_MISSING = 18, 96, 0.055

CHAIN = ("fresh", "used", "worn", "stretched")
BRAKES = ("firm", "soft", "weak")
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


def make_repair(rng: Random) -> Row:
    """One visit to the workshop."""
    bike = _pick(rng, {name: facts[0] for name, facts in BIKES.items()})
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
        "km_since_service": km,
        "load_kg": load,
        "electric": electric,
        "outdoors": outdoors,
        "chain": CHAIN[chain],
        "brakes": BRAKES[brakes],
        "noise": _pick(rng, NOISES[job]),
        "job": job,
    }


def make_repairs() -> list[Row]:
    """The visits; the missing values of each row are drawn together with the row."""
    rng = Random(REPAIRS_SEED)
    rows = []
    for _ in range(REPAIRS_ROWS):
        rows.append(make_repair(rng))
        _leave_out(rng, rows[-1:], dict.fromkeys(list(rows[-1])[:-1], REPAIRS_MISSING))
    return rows


def _job(rng: Random, chain: int, brakes: int, load: int, bike: str) -> str:
    strain = (load - 85) / 22 + (1.4 if bike == "mountain" else 0.0)
    need = {"tune-up": 1.9, "brakes": 2.3 * brakes, "drivetrain": 1.75 * chain - 0.6, "wheel": 1.5 * strain + 0.3}
    return max(need, key=lambda job: need[job] + rng.gauss(0.0, 0.25))


def _level(wear: float, levels: int) -> int:
    return min(max(math.floor(wear), 0), levels - 1)


# -- loans

LOANS_SEED, LOANS_ROWS, LOANS_WRONG = 7, 600, 12

GRADES = ("E", "D", "C", "B", "A")
PURPOSES = {"car": 0.30, "furniture": 0.20, "renovation": 0.20, "business": 0.17, "education": 0.13}
LOANS_MISSING = {"income": 0.08, "years_employed": 0.05, "housing": 0.04, "grade": 0.10, "guarantor": 0.03}


def make_loan(rng: Random) -> Row:
    """One application for a loan, without its outcome."""
    age = round(min(max(rng.gammavariate(6.0, 4.0) + 16, 19), 74))
    years_employed = round(min(rng.expovariate(1 / 6.0), age - 18), 1)
    purpose = _pick(rng, PURPOSES)
    income = 1650 * math.exp(rng.gauss(0.0, 0.45)) * (1 + 0.02 * min(years_employed, 20))
    amount = {"car": 9000, "furniture": 3000, "renovation": 11000, "business": 14000, "education": 6000}[purpose]
    standing = 0.5 * math.log(income / 1900) + 0.02 * (age - 40) + rng.gauss(0.0, 0.8)
    owns = 1 / (1 + math.exp(-(age - 46) / 8))
    return {
        "income": round(income / 10) * 10,
        "amount": round(amount * math.exp(rng.gauss(0.0, 0.55)) / 100) * 100,
        "age": age,
        "years_employed": years_employed,
        "purpose": purpose,
        "housing": "own" if rng.random() < owns else _pick(rng, {"rent": 0.8, "family": 0.2 if age > 30 else 0.6}),
        "grade": GRADES[min(max(math.floor(standing * 1.6 + 2.5), 0), 4)],
        "guarantor": rng.random() < (0.30 if age < 30 else 0.12),
        "applied": datetime.date(2023, 1, 2) + datetime.timedelta(days=rng.randrange(729)),
    }


def repayment_log_odds(row: Mapping[str, Any]) -> float:
    """The log-odds that a loan is repaid, from its columns.

    Loans that are large in relation to the income are repaid less often, unless there is a guarantor. Short employment
    counts against applicants over 28, but not against younger applicants. Business loans are risky for grades below B.
    Loans from October 2023 to March 2024 are repaid less often.
    """
    burden = math.log(row["amount"] / row["income"] / 5.0)
    odds = 1.5 + 0.9 * (GRADES.index(row["grade"]) - 2)
    odds -= (0.9 if row["guarantor"] else 2.6) * burden
    if row["age"] > 28:
        odds += 1.3 * min(math.log((row["years_employed"] + 0.5) / 3.0), 1.5)
    if row["purpose"] == "business" and row["grade"] not in ("A", "B"):
        odds -= 2.6
    odds += {"own": 0.8, "rent": -0.4, "family": 0.2}[row["housing"]]
    if datetime.date(2023, 10, 1) <= row["applied"] < datetime.date(2024, 4, 1):
        odds -= 0.9
    return 1.25 * odds


def make_loans() -> tuple[list[Row], list[int]]:
    """The loans with missing values, and the numbers of the rows whose outcome is wrong."""
    rng = Random(LOANS_SEED)
    rows = [make_loan(rng) for _ in range(LOANS_ROWS)]
    rows.sort(key=lambda row: row["applied"])
    odds = [repayment_log_odds(row) for row in rows]
    repaid = [rng.random() < 1 / (1 + math.exp(-value)) for value in odds]
    sure = [at for at, value in enumerate(odds) if abs(value) > 3.5 and repaid[at] == (value > 0)]
    wrong = sorted(rng.sample(sure, LOANS_WRONG))
    for at, row in enumerate(rows):
        row["repaid"] = repaid[at] != (at in wrong)
    _leave_out(rng, rows, LOANS_MISSING)
    return rows, wrong


# -- flats

FLATS_SEED, FLATS_ROWS = 11, 400

CONDITIONS = ("poor", "fair", "good", "renovated")
# share of the flats, rent of a flat of 60 square metres in good condition, usual year of building
DISTRICTS = {
    "centre": (0.22, 1020, 1925),
    "riverside": (0.15, 960, 1998),
    "hillside": (0.14, 900, 1972),
    "university": (0.18, 850, 1958),
    "station": (0.17, 720, 1948),
    "harbour": (0.14, 660, 1983),
}
# share of the flats, factor of the rent
NOTES = {
    "quiet courtyard": (0.14, 1.03),
    "large balcony": (0.14, 1.06),
    "small balcony": (0.14, 1.02),
    "balcony and lift": (0.10, 1.08),
    "roof terrace": (0.06, 1.14),
    "new kitchen": (0.12, 1.05),
    "old kitchen": (0.08, 0.97),
    "busy street": (0.10, 0.92),
    "bath without window": (0.07, 0.97),
    "parking space": (0.05, 1.04),
}
FLATS_MISSING = {"metres": 0.02, "floor": 0.04, "condition": 0.08, "year_built": 0.07, "heading": 0.10, "note": 0.12}


def make_flat(rng: Random) -> Row:
    """One flat to let, without its rent."""
    district = _pick(rng, {name: facts[0] for name, facts in DISTRICTS.items()})
    year = round(min(max(rng.gauss(DISTRICTS[district][2], 28), 1870), 2024))
    metres = round(min(max(62 * math.exp(rng.gauss(0.0, 0.42)), 18), 190))
    state = 1.9 + (year - 1970) / 60 + rng.gauss(0.0, 1.0) + (0.9 if year < 1920 else 0.0)
    return {
        "metres": metres,
        "rooms": max(1, round(metres / 27 + rng.gauss(0.0, 0.5))),
        "floor": min(rng.randrange(0, 6) + (rng.randrange(0, 7) if year > 1965 else 0), 12),
        "district": district,
        "condition": CONDITIONS[min(max(math.floor(state), 0), 3)],
        "year_built": year,
        "listed": datetime.date(2024, 1, 1) + datetime.timedelta(days=rng.randrange(366)),
        "heading": rng.randrange(0, 360, 5),
        "note": _pick(rng, {name: facts[0] for name, facts in NOTES.items()}),
    }


def expected_rent(row: Mapping[str, Any]) -> float:
    """The usual rent of a flat, from its columns.

    Rent grows more slowly than the area, and more slowly in the outer districts. Flats from before 1920 and from after
    2005 cost more. Windows to the south (180 degrees) add up to 6%. A high floor adds to the rent in new buildings,
    and lowers it in old buildings, which have no lift. Rents rose by 5% over the year.
    """
    district = row["district"]
    power = 0.88 if district in ("centre", "riverside", "hillside") else 0.68
    rent: float = DISTRICTS[district][1] * (row["metres"] / 60) ** power
    rent *= (0.82, 0.91, 1.0, 1.13)[CONDITIONS.index(row["condition"])]
    rent *= 1.09 if row["year_built"] < 1920 else 1.12 if row["year_built"] > 2005 else 1.0
    rent *= 1 + (0.008 if row["year_built"] > 1965 else -0.022) * (row["floor"] - 2)
    rent *= 1 + 0.06 * math.cos(math.radians(row["heading"] - 180))
    rent *= 1 + 0.05 * (row["listed"] - datetime.date(2024, 1, 1)).days / 365
    return rent * NOTES[row["note"]][1]


def make_flats() -> list[Row]:
    """The flats with their rents and with missing values."""
    rng = Random(FLATS_SEED)
    rows = [make_flat(rng) for _ in range(FLATS_ROWS)]
    rows.sort(key=lambda row: row["listed"])
    for row in rows:
        row["rent"] = round(expected_rent(row) * math.exp(rng.gauss(0.0, 0.06)) / 5) * 5
    _leave_out(rng, rows, FLATS_MISSING)
    return rows


# -- shared


def _pick(rng: Random, shares: Mapping[str, float]) -> str:
    return rng.choices(list(shares), list(shares.values()))[0]


def _leave_out(rng: Random, rows: Sequence[Row], missing: Mapping[str, float]) -> None:
    """Make values missing, each with the probability of its column."""
    for row in rows:
        for name, probability in missing.items():
            if rng.random() < probability:
                row[name] = None


def write(stream: TextIO, rows: Sequence[Row]) -> None:
    """Write rows as CSV: missing values as empty fields, booleans as yes and no."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(rows[0])
    for row in rows:
        writer.writerow([{True: "yes", False: "no"}[v] if isinstance(v, bool) else v for v in row.values()])


TABLES = {"repairs": make_repairs, "loans": lambda: make_loans()[0], "flats": make_flats}


def main() -> None:
    """Write the tables into the package."""
    for name, make in TABLES.items():
        with open(FOLDER / f"{name}.csv", "w", encoding="utf-8", newline="") as stream:
            write(stream, make())


if __name__ == "__main__":
    main()
