"""Synthetic tables with fixed seeds."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

CARDINALITIES = (2, 3, 5, 7, 10, 13, 16, 20)


@dataclass(frozen=True)
class Task:
    """Stored rows with their classes, and query rows."""

    X: pd.DataFrame
    y: npt.NDArray[np.str_]
    queries: pd.DataFrame


def mixed(rows: int, queries: int, *, categories: bool = True, seed: int = 0) -> Task:
    """Return 16 independent columns with 5% missing values: eight normal and eight nominal (2 to 20 values, uniform).

    Independent columns are the hard case for an exact search: no region can be skipped.
    """
    rng = np.random.default_rng(seed)
    total = rows + queries
    numbers = rng.normal(size=(total, 8))
    codes = np.stack([rng.integers(0, n, total) for n in CARDINALITIES], axis=1)
    signal = numbers[:, 0] + numbers[:, 1] * (codes[:, 0] - 0.5) + 0.2 * (codes[:, 7] % 3)
    y = np.where(signal > 0.2, "yes", "no")
    numbers[rng.random(numbers.shape) < 0.05] = np.nan
    codes[rng.random(codes.shape) < 0.05] = -1
    text = pd.Series(["v0"]).dtype  # the dtype that this version of pandas gives to strings
    columns: dict[str, object] = {f"x{i}": numbers[:, i] for i in range(8)}
    for i, n in enumerate(CARDINALITIES):
        column = pd.Categorical.from_codes(codes[:, i], categories=[f"v{j}" for j in range(n)])
        columns[f"c{i}"] = column if categories else pd.Series(column.astype(object)).astype(text)
    frame = pd.DataFrame(columns)
    return Task(frame[:rows], y[:rows], frame[rows:])


Relevant = Literal["all columns relevant", "4 columns relevant"]


def nominal(rows: int, queries: int, relevant: Relevant = "all columns relevant", *, seed: int = 1) -> Task:
    """Return twenty independent uniform columns of 8 values, and 5 classes.

    The number of columns that depend on the class determines how many rows a search can skip if it uses learned weights
    or value differences. With 4 such columns, the other columns contribute little to the distance, whether by TiMBL's
    gain ratio or by MVDM, so the search is easy.
    """
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 8, size=(rows + queries, 20))
    if relevant == "all columns relevant":
        score = rng.normal(size=(20, 8, 5))[np.arange(20), codes].sum(axis=1).argmax(axis=1)
    else:
        score = (codes[:, 0] + 2 * codes[:, 1] + codes[:, 2] * (codes[:, 3] > 3)) % 10 // 2
    noise = rng.random(len(codes)) < 0.1
    y = np.char.add("k", np.where(noise, rng.integers(0, 5, len(codes)), score).astype(str))
    values = [f"v{j}" for j in range(8)]
    frame = pd.DataFrame({f"c{i}": pd.Categorical.from_codes(codes[:, i], categories=values) for i in range(20)})
    return Task(frame[:rows], y[:rows], frame[rows:])


def clustered(rows: int, queries: int, *, seed: int = 2) -> Task:
    """Return mixed columns in 200 tight groups, where whole regions can be skipped."""
    rng = np.random.default_rng(seed)
    total = rows + queries
    group = rng.integers(0, 200, total)
    numbers = rng.normal(size=(200, 6))[group] + 0.05 * rng.normal(size=(total, 6))
    codes = np.where(
        rng.random((total, 4)) < 0.02, rng.integers(0, 12, (total, 4)), rng.integers(0, 12, (200, 4))[group]
    )
    values = [f"v{j}" for j in range(12)]
    frame = pd.DataFrame(
        {f"x{i}": numbers[:, i] for i in range(6)}
        | {f"c{i}": pd.Categorical.from_codes(codes[:, i], categories=values) for i in range(4)}
    )
    y = np.where(group % 2 == 0, "even", "odd")
    return Task(frame[:rows], y[:rows], frame[rows:])


def equal(rows: int, queries: int) -> Task:
    """Return eight columns in which all rows are equal, so that nothing can be skipped."""
    frame = pd.DataFrame(np.ones((rows + queries, 8)), columns=[f"x{i}" for i in range(8)])
    return Task(frame[:rows], np.full(rows, "one"), frame[rows:])


Structure = Literal["independent", "rank 6", "50 groups"]


def normal(rows: int, queries: int, columns: int, structure: Structure = "independent", *, seed: int = 3) -> Task:
    """Return standard normal columns: independent, near a subspace of 6 dimensions, or in 50 groups.

    Independent columns are the worst case of a kd-tree, which has to visit nearly every leaf. Real tables mostly
    resemble the other two structures, so a comparison with a tree needs all three.
    """
    rng = np.random.default_rng(seed)
    total = rows + queries
    if structure == "independent":
        numbers = rng.normal(size=(total, columns))
    elif structure == "rank 6":
        numbers = rng.normal(size=(total, 6)) @ rng.normal(size=(6, columns)) + 0.1 * rng.normal(size=(total, columns))
    else:
        numbers = rng.normal(size=(50, columns))[rng.integers(0, 50, total)] + 0.3 * rng.normal(size=(total, columns))
    y = np.where(numbers[:, 0] > 0, "yes", "no")
    frame = pd.DataFrame(numbers, columns=[f"x{i}" for i in range(columns)])
    return Task(frame[:rows], y[:rows], frame[rows:])
