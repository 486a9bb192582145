"""Log-scores of minus infinity, which learners that know no doubt have, in what a comparison says about them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import priorcase as pc
from priorcase.evaluation import Comparison, compare, compare_tables
from priorcase.evaluation.significance import corrected_t, wilcoxon

DOUBTS: dict[str, Any] = {"doubts": pc.KNNClassifier(5, prior=0.5), "sure": pc.IB1(), "surer": pc.IB2()}


@pytest.fixture(scope="module")
def table() -> tuple[Any, Any]:
    return pc.load_repairs()


@pytest.fixture(scope="module")
def found(table: tuple[Any, Any]) -> Comparison:
    return compare(DOUBTS, *table, splits=4, scores="log_score")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.5, np.inf], np.inf),
        ([-np.inf, 0.5], -np.inf),
        ([np.inf, -np.inf], np.nan),
        ([0.1, 0.2, -0.3], 0.0),
    ],
)
def test_one_infinite_difference_makes_the_mean_infinite(values: list[float], expected: float) -> None:
    assert corrected_t(np.array(values), 0.1).difference == pytest.approx(expected, nan_ok=True)
    if not np.isfinite(values).all():
        assert wilcoxon(np.array(values)).difference == pytest.approx(expected, nan_ok=True)


def test_who_doubts_is_infinitely_better_than_who_does_not(found: Comparison) -> None:
    first, second, third = found.paired().tests
    assert first.difference == second.difference == np.inf
    assert np.isnan(third.difference)
    assert found.paired().better == ("doubts", "doubts", "")


def test_nobody_is_marked_as_best_where_all_are_infinitely_bad(found: Comparison, table: tuple[Any, Any]) -> None:
    assert str(found).count("*") == 1
    sure = {name: learner for name, learner in DOUBTS.items() if name != "doubts"}
    assert "*" not in str(compare(sure, *table, splits=4, scores="log_score"))


def test_the_same_goes_for_several_tables(table: tuple[Any, Any]) -> None:
    text = str(compare_tables(DOUBTS, {"repairs": table}, splits=4, scores="log_score"))
    assert text.count("*") == 1
    sure = {name: learner for name, learner in DOUBTS.items() if name != "doubts"}
    text = str(compare_tables(sure, {"repairs": table}, splits=4, scores="log_score"))
    assert "-inf" in text
    assert "*" not in text
