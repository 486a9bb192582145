"""Reasons why learners failed: said in full where they are of usual length."""

from __future__ import annotations

from typing import Any

import pytest

import priorcase as pc
from priorcase.evaluation import compare, learning_curve, noise_curve

MANY = {"too many": pc.KNNClassifier(500), "enough": pc.KNNClassifier(3)}


@pytest.mark.parametrize(
    ("measured", "options", "rows"),
    [(compare, {"splits": 4}, 72), (learning_curve, {"repeats": 1}, 5), (noise_curve, {"repeats": 1}, 67)],
)
def test_the_numbers_at_the_end_of_a_reason_are_there(measured: Any, options: dict[str, Any], rows: int) -> None:
    X, y = pc.load_repairs()
    text = str(measured(MANY, X, y, scores="accuracy", **options))
    assert f"Expected n_neighbors <= n_samples_fit, but n_neighbors = 500, n_samples_fit = {rows}." in text


def test_the_noise_of_classes_is_not_said_to_be_that_of_values() -> None:
    pytest.importorskip("matplotlib")
    X, y = pc.load_repairs()
    axes = noise_curve(pc.NaiveBayes(), X, y, kind="classes", repeats=1, levels=[0, 0.2], scores="accuracy").plot()
    assert axes.get_xlabel() == "noise: probability of being replaced"
    axes.figure.clf()
