"""Gain ratio and mutual information: against plain loops, and against what TiMBL prints."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import discretize, relevance
from tables import labels, mixed_rows

from priorcase.neighbors import KNNClassifier, KNNRegressor
from priorcase.relevance import GainRatio, MutualInformation
from priorcase.schema import Nominal, Numeric, Ordinal

METHODS = {"gain_ratio": relevance.gain_ratio, "mutual_information": relevance.information_gain}


def learned(rows: Any, y: Any, method: Any, weights: Any = None, **parameters: Any) -> np.ndarray:
    regression = isinstance(y[0], float)
    estimator = (KNNRegressor if regression else KNNClassifier)(1, attribute_weights=method, **parameters)
    return estimator.fit(rows, y, weights).attribute_weights_.weights


def symbols(column: list[Any], classes: list[Any], numeric: bool) -> list[Any]:
    """A column's values, numbers cut by minimum description length."""
    if not numeric:
        return column
    codes = {label: c for c, label in enumerate(dict.fromkeys(classes))}
    known = [(value, codes[label]) for value, label in zip(column, classes, strict=True) if value is not None]
    cuts = discretize.mdl([value for value, _ in known], [label for _, label in known]) if known else []
    return [None if value is None else sum(cut <= value for cut in cuts) for value in column]


def expected(rows: list[list[Any]], classes: list[Any], method: str, numeric: set[int]) -> list[float]:
    columns = [symbols([row[a] for row in rows], classes, a in numeric) for a in range(len(rows[0]))]
    scores = np.array([METHODS[method](column, classes) for column in columns])
    scores = np.where(scores > 1e-12, scores, 0.0)
    return scores.tolist() if scores.any() else [1.0] * len(columns)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(5))
def test_mixed_rows_as_plain_loops_weigh_them(method: str, seed: int) -> None:
    rows, classes = mixed_rows(60, seed), labels(60, seed + 1)
    for row, label in zip(rows, classes, strict=True):
        if row[3] is not None and label == "a":
            row[3] += 2.0
    np.testing.assert_allclose(learned(rows, classes, method), expected(rows, classes, method, {0, 3}), atol=1e-12)


@given(st.lists(st.tuples(st.sampled_from("xyz") | st.none(), st.sampled_from("pq"), st.integers(1, 3)), min_size=2))
def test_a_weight_is_a_number_of_rows(drawn: list[tuple[str | None, str, int]]) -> None:
    rows, classes = [[value, label] for value, label, _ in drawn], [label for _, label, _ in drawn]
    times = [w for _, _, w in drawn]
    many = [i for i, w in enumerate(times) for _ in range(w)]
    schema = {0: Nominal(), 1: Nominal()}
    for method in METHODS:
        weighted = learned(rows, classes, method, times, schema=schema)
        repeated = learned([rows[i] for i in many], [classes[i] for i in many], method, schema=schema)
        np.testing.assert_allclose(weighted, repeated, atol=1e-12)
        wanted = expected([rows[i] for i in many], [classes[i] for i in many], method, set())
        np.testing.assert_allclose(weighted, wanted, atol=1e-12)


def test_levels_are_symbols() -> None:
    rows, classes = [["S"], ["M"], ["L"], ["S"]], ["a", "b", "a", "a"]
    found = learned(rows, classes, "gain_ratio", schema={0: Ordinal(("S", "M", "L"))})
    np.testing.assert_allclose(found, [relevance.gain_ratio(["S", "M", "L", "S"], classes)])


def test_a_number_that_says_nothing_weighs_nothing() -> None:
    random = np.random.default_rng(0)
    X = random.random((300, 6))
    y = np.where(X[:, 2] > 0.4, "a", "b")
    for method in METHODS:
        weights = learned(X, y.tolist(), method)
        assert weights[2] > 0.5
        assert not np.delete(weights, 2).any()


@pytest.mark.parametrize("method", [GainRatio(bins=4), MutualInformation(bins=4)])
def test_a_target_that_is_a_number_is_cut_first(method: Any) -> None:
    random = np.random.default_rng(1)
    numbers, colours = random.integers(0, 9, 200).astype(float), random.choice(["red", "blue"], 200).tolist()
    y = [float(x) + 0.5 * (c == "red") for x, c in zip(numbers, colours, strict=True)]
    cuts = discretize.equal_frequency(y, 4)
    classes = [sum(cut <= value for cut in cuts) for value in y]
    rows = [[x, c] for x, c in zip(numbers.tolist(), colours, strict=True)]
    wanted = expected(rows, classes, method.method, {0})
    np.testing.assert_allclose(learned(rows, y, method, schema={0: Numeric(), 1: Nominal()}), wanted, atol=1e-12)


@pytest.mark.peers
@pytest.mark.skipif(shutil.which("timbl") is None, reason="no timbl here")
def test_the_values_that_timbl_prints(tmp_path: Path) -> None:
    random = np.random.default_rng(2)
    rows, classes = [], []
    for _ in range(300):
        label = str(random.choice(list("abc"), p=[0.5, 0.3, 0.2]))
        hint = label if random.random() < 0.5 else str(random.choice(list("abc")))
        rows.append([hint, str(random.choice(list("pqrst"))), "one", str(random.integers(40))])
        classes.append(label)
    lines = [",".join([*row, label]) for row, label in zip(rows, classes, strict=True)]
    train = tmp_path / "train.csv"
    train.write_text("\n".join(lines) + "\n")
    command = ["timbl", "-F", "C4.5", "-f", str(train), "-t", str(train), "-o", str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    printed = re.findall(r"^\s+(\d+)\s+(\d+)\s+([\d.e-]+)\s+([\d.e-]+)$", done.stdout + done.stderr, re.MULTILINE)
    assert [int(line[0]) for line in printed] == [1, 2, 3, 4]
    schema = dict.fromkeys(range(4), Nominal())
    gains = [float(line[2]) for line in printed]
    ratios = [float(line[3]) for line in printed]
    np.testing.assert_allclose(learned(rows, classes, "mutual_information", schema=schema), gains, rtol=1e-6)
    np.testing.assert_allclose(learned(rows, classes, "gain_ratio", schema=schema), ratios, rtol=1e-6)
