"""Attribute weights of dates, texts and sets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from checks.containers import KINDS, as_every_kind, classes, numbers, training_rows

import priorcase as pc

ROWS = training_rows(60, seed=10)


@pytest.mark.parametrize("method", ["gain_ratio", "mutual_information"])
def test_a_text_tells_what_its_most_telling_word_tells(method: str) -> None:
    rng = np.random.default_rng(0)
    hot = rng.random(80) < 0.5
    table = pd.DataFrame(
        {
            "text": [f"case {i} was {'hot' if h else 'mild'} at {rng.integers(99)}" for i, h in enumerate(hot)],
            "set": [{"hot", "x"} if h else {"x", f"y{i % 5}"} for i, h in enumerate(hot)],
            "word": hot,
        }
    )
    y = np.where(hot ^ (rng.random(80) < 0.1), "a", "b")
    model = pc.KNNClassifier(1, attribute_weights=method, schema={"text": "text", "set": "set"}).fit(table, y)
    text, members, word = model.attribute_weights_.weights
    assert (text, members) == pytest.approx((word, word))
    assert word > 0.3


@pytest.mark.parametrize("method", ["gain_ratio", "mutual_information"])
def test_texts_that_have_nothing_to_do_with_the_class_weigh_nothing(method: str) -> None:
    rng = np.random.default_rng(1)
    words = [" ".join(rng.choice(["red", "blue", "tray", "fan", "lid", "hall"], 4)) + f" {i}" for i in range(80)]
    X = pd.DataFrame({"text": words, "x": rng.normal(size=80)})
    y = np.where(X["x"] > 0, "a", "b")
    assert (
        pc.KNNClassifier(attribute_weights=method, schema={"text": "text"}).fit(X, y).attribute_weights_.weights[0]
        == 0.0
    )


@pytest.mark.parametrize("method", ["gain_ratio", "mutual_information", "relief", "loo"])
@pytest.mark.parametrize("learner", [pc.KNNClassifier, pc.KNNRegressor])
def test_weights_are_those_of_the_rows_that_are_left(method: Any, learner: Any) -> None:
    X, y = as_every_kind(ROWS), np.array(classes(ROWS) if learner is pc.KNNClassifier else numbers(ROWS))
    model = learner(attribute_weights=method, schema=KINDS).fit(X, y)
    model.forget(model.ids_[::3])
    left = np.arange(len(ROWS)) % 3 > 0
    fresh = learner(attribute_weights=method, schema=KINDS).fit(X[left], y[left])
    np.testing.assert_array_equal(model.attribute_weights_.weights, fresh.attribute_weights_.weights)
