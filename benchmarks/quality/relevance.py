"""Probability of relevance of noise columns and informative columns, averaged over subsets of the columns.

Each table has nominal noise columns with 2 to 400 values, numeric noise, the row number, and columns that depend on the
class in four of five rows. The results are means of `SubsetAveragedBayes.relevance_` over 50 tables, for the default
and for other priors: "bdeu" has a total weight of one row, and ``inclusion=0.5`` makes all subsets equally probable.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import priorcase as pc

ROWS = (100, 400, 2_000)
TABLES = 50
CLASSES = {"2": (0.5, 0.5), "2 (70% and 30%)": (0.7, 0.3), "4": (0.25,) * 4}
NOISE, TELLING = (2, 5, 20, 100, 400), (5, 20)
MODELS: dict[str, Any] = {
    "default": {},
    "inclusion=0.5": {"inclusion": 0.5},
    "inclusion=0.5, prior='bdeu'": {"inclusion": 0.5, "prior": "bdeu"},
}


def table(rows: int, shares: tuple[float, ...], seed: int) -> tuple[pd.DataFrame, Any]:
    """Generate the columns and classes of a table."""
    random = np.random.default_rng(seed)
    y = random.choice(len(shares), rows, p=shares)
    columns: dict[str, Any] = {f"noise, {n} values": random.integers(0, n, rows).astype(str) for n in NOISE}
    columns["row number"] = np.arange(rows).astype(str)
    columns["noise, numeric"] = random.normal(0, 1, rows)
    columns["noise, integers 1 to 5"] = random.integers(1, 6, rows).astype(float)
    for n in TELLING:
        told = random.integers(0, n // len(shares), rows) * len(shares) + y  # one of the values of the class
        values = np.where(random.random(rows) < 0.8, told, random.integers(0, n, rows))
        columns[f"informative, {n} values"] = values.astype(str)
    columns["informative, numeric"] = random.normal(0, 1, rows) + 2.0 * y
    return pd.DataFrame(columns), y


def means(rows: int, shares: tuple[float, ...], parameters: Any, tables: int = TABLES) -> pd.Series:
    """Return the mean relevance of each column."""
    drawn = (table(rows, shares, seed) for seed in range(tables))
    found = []
    for X, y in drawn:
        kinds = {name: pc.Nominal() for name in X if X[name].dtype != np.float64}  # also the row number
        found.append(dict(pc.SubsetAveragedBayes(schema=kinds, **parameters).fit(X, y).relevance_))
    return pd.DataFrame(found).mean()


def main() -> None:
    """Print one table per model: mean relevance of each column (lines) for each number of classes and rows."""
    for model, parameters in MODELS.items():
        print(f"**{model}**\n")
        lines = {
            (classes, rows): means(rows, shares, parameters) for classes, shares in CLASSES.items() for rows in ROWS
        }
        print("| number of classes: rows | " + " | ".join(f"{classes}: {rows:,}" for classes, rows in lines) + " |")
        print("| --- |" + " ---: |" * len(lines))
        for column in next(iter(lines.values())).index:
            print(f"| {column} | " + " | ".join(f"{line[column]:.3f}" for line in lines.values()) + " |")
        print(flush=True)


if __name__ == "__main__":
    main()
