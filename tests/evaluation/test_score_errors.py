"""What the scores say of input that they cannot score."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from priorcase.evaluation import brier_score, calibration_table, log_score, zero_one_score
from priorcase.exceptions import EvaluationError, ParameterError, TargetError

SCORES = (log_score, zero_one_score, brier_score, calibration_table)
TWO = [[0.5, 0.5], [0.25, 0.75]]


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["a", "c"], TWO, ["a", "b"]), "y_true with 'c'"),
        ((["a", None], TWO, ["a", "b"]), "y_true with None"),
        ((["a", "b", "a"], TWO, ["a", "b"]), "3 labels in y_true and 2 rows in proba"),
        ((["a", "b"], TWO, ["a", "b", "c"]), r"2 columns in proba for 3 labels \('a', 'b', 'c'\)"),
        ((["a", "a"], TWO, None), "2 columns in proba, and y_true has 'a'"),
        ((["a", 1], TWO, None), "labels in y_true that have no common order"),
        ((["a", "b"], TWO, ["a", "a"]), "labels= with 'a' more than once"),
        (
            (["a", "b"], [[0.5, 0.5], [0.5, 0.6]], ["a", "b"]),
            "probabilities in row 1 of proba that sum to 1.1",
        ),
        (
            (["a", "b"], [[0.0, 0.0], [0.5, 0.5]], ["a", "b"]),
            "probabilities in row 0 of proba that sum to 0",
        ),
        ((["a", "b"], [[0.5, 0.5], [1.2, -0.2]], ["a", "b"]), "-0.2 in row 1 of proba"),
        ((["a", "b"], [[0.5, 0.5], [0.5, np.nan]], ["a", "b"]), "NaN in row 1 of proba"),
        ((["a", "b"], [[0.5, 0.5], [0.5, np.inf]], ["a", "b"]), "inf in row 1 of proba"),
        ((["a", "b"], [["x", "y"], ["x", "y"]], ["a", "b"]), "proba as .*"),
        ((["a", "b"], np.ones((2, 2, 2)) / 2, ["a", "b"]), r"proba of shape \(2, 2, 2\)"),
        (([["a"], ["b"]], TWO, ["a", "b"]), r"y_true of shape \(2, 1\)"),
        ((np.array([["a"], ["b"]]), TWO, ["a", "b"]), r"y_true of shape \(2, 1\)"),
        (([], np.empty((0, 2)), ["a", "b"]), "no rows"),
        ((["a", "b"], [1.5, 0.5], ["a", "b"]), "1.5 in row 0 of proba"),
    ],
)
def test_what_cannot_be_scored_is_named(score: Any, arguments: Any, message: str) -> None:
    truth, proba, labels = arguments
    with pytest.raises(EvaluationError, match=f"^{score.__name__}: .*{message}") as caught:
        score(truth, proba, labels=labels)
    assert " " in str(caught.value)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0], r"of shape \(1,\) for 2 rows"),
        ([1.0, -1.0], "with -1.0"),
        ([1.0, np.nan], "with NaN or infinity"),
        ([0.0, 0.0], "that is zero for every row"),
        ([1e308, 1e308], "whose sum is infinite"),
        (["a", "b"], "as <U1"),
    ],
)
def test_weights_that_are_none(score: Any, weights: Any, message: str) -> None:
    with pytest.raises(TargetError, match=f"^{score.__name__}: .*{message}"):
        score(["a", "b"], TWO, sample_weight=weights)


@pytest.mark.parametrize(
    ("score", "options", "message"),
    [
        (log_score, {"sign": "minus"}, "sign must be"),
        (log_score, {"sign": ["gain"]}, "sign must be"),
        (log_score, {"zero": "param_floor"}, "zero must be"),
        (log_score, {"zero": -1.0}, "zero must be"),
        (log_score, {"zero": math.inf}, "zero must be"),
        (log_score, {"zero": True}, "zero must be"),
        (zero_one_score, {"ties": "last"}, "ties must be"),
        (brier_score, {"scale_by_half": "auto"}, "scale_by_half must be"),
        (calibration_table, {"bins": 0}, "bins must be"),
        (calibration_table, {"bins": 2.5}, "bins must be"),
        (calibration_table, {"bins": True}, "bins must be"),
        (calibration_table, {"strategy": "kmeans"}, "strategy must be"),
        (calibration_table, {"pos_label": "z"}, "pos_label must be"),
    ],
)
def test_options_that_are_none(score: Any, options: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=f"^{score.__name__}: .*{message}"):
        score(["a", "b"], TWO, **options)


def test_logarithms_that_are_none() -> None:
    with pytest.raises(EvaluationError, match=r"0\.5 in row 0 of proba"):
        log_score(["a", "b"], TWO, logs=True)
    with pytest.raises(EvaluationError, match="logs=True and proba with one dimension"):
        log_score(["a", "b"], [-0.5, -0.5], logs=True)
    with pytest.raises(EvaluationError, match=r"in row 0 of proba that sum to 0.735759"):
        log_score(["a"], [[-1.0, -1.0]], labels=["a", "b"], logs=True)


def test_a_frame_library_that_is_none() -> None:
    with pytest.raises(ParameterError, match="backend must be"):
        calibration_table(["a", "b"], TWO).frame("dask")  # type: ignore[arg-type]
