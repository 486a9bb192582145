"""A CSV file of a million rows and 20 columns: numbers, integers, words and dates."""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.report import Row
from benchmarks.sizes import Sizes
from benchmarks.timing import Peer, compare
from priorcase.datasets import read_table


def run(sizes: Sizes) -> list[Row]:
    """Compare with pandas, which is told which column has dates; both give the same data frame."""
    rows, random = sizes.rows(1_000_000), np.random.default_rng(0)
    words = np.array(["red", "green", "blue", "some longer text"])
    columns = {f"x{i}": random.normal(size=rows).round(4) for i in range(10)}
    columns |= {f"n{i}": random.integers(0, 1000, rows) for i in range(4)}
    columns |= {f"w{i}": words[random.integers(0, len(words), rows)] for i in range(5)}
    columns["day"] = np.datetime_as_string(np.datetime64("2020-01-01") + random.integers(0, 1000, rows))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        pd.DataFrame(columns).to_csv(path, index=False)

        def theirs() -> pd.DataFrame:
            return pd.read_csv(path, parse_dates=["day"])

        pd.testing.assert_frame_equal(read_table(path), theirs())
        peer = Peer(
            "pandas.read_csv, the same dtypes", theirs, 1 / 1.5, "at most 1.5 times as long; ours also detects dates"
        )
        return compare(f"CSV, {rows:,} x {len(columns)}: read_table", lambda: read_table(path), [peer], sizes.repeats)
