"""Tables for tests over partitions."""

from itertools import pairwise

import dask.dataframe as dd
import numpy as np
import pandas as pd


def mixed(n, seed, missing=0.1):
    """A table with ties, outliers, missing values, rare categories, ordered categories and dates."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "number": rng.normal(size=n).round(1) * 10.0 ** rng.integers(0, 3),
            "skew": rng.exponential(size=n) ** 4,
            "count": rng.integers(0, 5, n),
            "name": rng.choice(["u", "v", "w", "x", "rare"], n, p=[0.4, 0.3, 0.2, 0.09, 0.01]),
            "level": pd.Categorical(rng.choice(["low", "mid", "high"], n), ["low", "mid", "high"], ordered=True),
            "flag": rng.random(n) < 0.3,
        }
    )
    for column in ("number", "skew", "name", "level"):
        table.loc[rng.random(n) < missing, column] = None
    return table, pd.Series(rng.choice(["p", "q", "r"], n), name="y"), rng.integers(0, 3, n) / 2


def partitioned(table, cuts):
    """A Dask DataFrame with partitions that end at some rows; some may be empty."""
    ends = [0, *sorted(cuts), len(table)]
    parts = [table.iloc[start:stop] for start, stop in pairwise(ends)]
    return dd.from_map(lambda i: parts[i], list(range(len(parts))), meta=table.iloc[:0])
