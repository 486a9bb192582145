"""IB2 stores what TiMBL's IB2 stores, as long as no vote is tied."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from priorcase.concepts import IB2

pytestmark = [
    pytest.mark.peers,
    pytest.mark.skipif(shutil.which("timbl") is None, reason="no timbl here (Debian: apt-get install timbl)"),
]

Row = tuple[str, ...]


def timbl_kept(folder: Path, rows: list[Row], labels: list[str]) -> list[int]:
    """Positions of the rows that ``timbl -a IB2`` stores: overlap, no weights, one line to begin with."""
    table = folder / "rows.csv"
    table.write_text("".join(f"{','.join((*row, label))}\n" for row, label in zip(rows, labels, strict=True)))
    command = ["timbl", "-a", "IB2", "-b", "1", "-k", "1", "-m", "O", "-w", "0", "-F", "C4.5", "-p", "1"]
    command += ["-f", str(table), "-t", str(table), "-o", str(folder / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    said = (done.stdout + done.stderr).partition("Appending")[2]
    # One line for each row after the first one.
    added = [int(count) for count in re.findall(r"Learning: .*added:\s*(\d+)", said)]
    assert len(added) == len(rows) - 1
    assert sum(added) == int(re.search(r"in total added (\d+)", said)[1])
    return [0, *(i for i, count in enumerate(added, 1) if count)]


def first_tie(rows: list[Row], labels: list[str], kept: list[int]) -> int:
    """The first row whose nearest stored rows vote evenly for several classes; the number of rows where none does."""
    for i in range(1, len(rows)):
        before = [j for j in kept if j < i]
        differences = {j: sum(a != b for a, b in zip(rows[i], rows[j], strict=True)) for j in before}
        votes = Counter(labels[j] for j in before if differences[j] == min(differences.values())).most_common(2)
        if len(votes) == 2 and votes[0][1] == votes[1][1]:
            return i
    return len(rows)


@pytest.mark.parametrize("seed", range(3))
def test_columns_that_no_two_distances_tie_on(seed: int, tmp_path: Path) -> None:
    # The a-th of seven columns of two values stands there 2^a times: the distance tells which columns differ.
    rng = np.random.default_rng(seed)
    codes = rng.permutation(list(product("01", repeat=7)))
    rows: list[Row] = [tuple(value for a, value in enumerate(code) for _ in range(2**a)) for code in codes.tolist()]
    labels = rng.choice(["x", "y", "z"], size=len(rows), p=[0.6, 0.3, 0.1]).tolist()
    kept = IB2(distance="overlap").fit(rows, labels).sample_indices_.tolist()
    assert first_tie(rows, labels, kept) == len(rows)
    assert kept == timbl_kept(tmp_path, rows, labels)
    assert 20 < len(kept) < len(rows)


def test_rows_up_to_the_first_tied_vote(tmp_path: Path) -> None:
    # TiMBL asks the next nearest rows, too, where the nearest vote evenly; IB2 takes the class stored first.
    shared, ties = 0, 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        codes = rng.permutation(list(product("abcd", repeat=5)))[:120]
        rows: list[Row] = [tuple(code) for code in codes.tolist()]
        labels = ["x" if row[0] in "abc" else "y" for row in rows]
        kept = IB2(distance="overlap", ties="majority").fit(rows, labels).sample_indices_.tolist()
        tie = first_tie(rows, labels, kept)
        theirs = timbl_kept(tmp_path, rows, labels)
        assert [i for i in kept if i < tie] == [i for i in theirs if i < tie]
        shared, ties = shared + tie, ties + (kept != theirs)
    assert shared >= 12 * 5
    assert ties > 0, "with ties the two go apart"
