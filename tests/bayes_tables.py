"""Mixed tables for the tests of naive Bayes, and the reference that goes with them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from reference.naive_bayes import Model

from priorcase.schema import Nominal, Numeric, Ordinal

COLOUR, FLAG, CODE, GRADE, SIZE, AGE, SCORE = range(7)
GRADES, SIZES = ("A", "B", "C", "D"), ("S", "M", "L", "XL")
KINDS = {
    COLOUR: Nominal(),
    FLAG: Nominal(),
    CODE: Nominal(),
    GRADE: Nominal(GRADES),
    SIZE: Ordinal(SIZES),
    AGE: Numeric(),
    SCORE: Numeric(),
}
DECLARED = {GRADE: GRADES, SIZE: SIZES}
DISCRETE = [COLOUR, FLAG, CODE, GRADE, SIZE]


def table(n: int, seed: int = 0, gaps: float = 0.15, *, new: bool = False) -> list[list[Any]]:
    """Rows of each kind of column with few values and gaps; ``new``: now and then a value that no table else has."""
    rng = np.random.default_rng(seed)

    def one(values: list[Any], unseen: Any) -> Any:
        return unseen if new and rng.random() < 0.2 else values[int(rng.integers(len(values)))]

    rows = []
    for _ in range(n):
        row = [
            one(["red", "green", "blue"], "violet"),
            one([True, False], True),
            one([1, 2, 7], 99),
            one(["A", "B", "C"], "Z"),
            one(["S", "M", "XL"], "XXL"),
            float(rng.integers(18, 30)),
            round(float(rng.normal(0, 2)), 2),
        ]
        rows.append([None if rng.random() < gaps else value for value in row])
    return rows


def labels(n: int, seed: int = 1, classes: tuple[Any, ...] = ("no", "perhaps", "yes")) -> list[Any]:
    """Random classes, the first twice as often as each other one."""
    picked = np.random.default_rng(seed).integers(0, len(classes) + 1, n)
    return [classes[max(int(i) - 1, 0)] for i in picked]


def cut(rows: list[list[Any]], cuts: dict[Any, Any]) -> list[list[Any]]:
    """The rows with numbers replaced by the number of cut points at or below them."""
    return [
        [
            value if a not in cuts or value is None else sum(bool(point <= value) for point in cuts[a])
            for a, value in enumerate(row)
        ]
        for row in rows
    ]


def reference(rows: list[list[Any]], y: list[Any], cuts: dict[Any, Any] | None = None, **settings: Any) -> Model:
    """The slow model of some rows, numbers cut into bins where cut points are given."""
    cuts = cuts or {}
    bins = {a: tuple(range(len(points) + 1)) for a, points in cuts.items()}
    settings = {"labels": sorted(set(y)), "declared": {**DECLARED, **bins}} | settings
    return Model(cut(rows, cuts), y, **settings)


def fixed(weight: float | Fraction) -> Any:
    """The same weight for every value."""
    return lambda column, values, n_classes, k: [Fraction(weight)] * len(values)
