"""Texts in stacks: boosted trees and RBF networks get what the words tell about the target in a few columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

import priorcase as pc
from priorcase.stacking import TableEncoder

SCHEMA: dict[str, Any] = {"text": "text"}
WORDS = np.array([f"word{number}" for number in range(300)])


def tickets(n: int, seed: int = 0) -> tuple[pd.DataFrame, Any]:
    """A number, texts of words of which many lean to a class, and three classes."""
    rng = np.random.default_rng(seed)
    y = rng.choice(["mail", "net", "paper"], n)
    leaning = {"mail": slice(0, 200), "net": slice(50, 250), "paper": slice(100, 300)}
    texts = [" ".join(rng.choice(WORDS[leaning[label]], 8)) for label in y]
    return pd.DataFrame({"number": rng.normal(size=n), "text": texts}), y


@pytest.mark.parametrize("member", ["boosting", "rbf_network"])
def test_words_of_a_text_that_lean_to_a_class_are_used_in_few_columns(member: str) -> None:
    X, y = tickets(900)
    model = pc.StackedClassifier([member], schema=SCHEMA).fit(X[:600], y[:600])
    assert (model.predict(X[600:]) == y[600:]).mean() > 0.75
    fitted = model.members_[member]
    assert fitted[-1].n_features_in_ <= 1 + 3 + 16
    np.testing.assert_array_equal(fitted.classes_, model.classes_)
    assert (fitted.predict(X[600:]) == y[600:]).mean() > 0.75


@pytest.mark.parametrize("member", ["boosting", "rbf_network"])
def test_a_number_is_learned_beside_texts_whose_words_no_other_row_has(member: str) -> None:
    # Evidence from a row's own target would look perfect in training, and hide the number.
    rng = np.random.default_rng(0)
    number = rng.normal(size=600)
    X = pd.DataFrame({"number": number, "text": [f"a{row} b{row} c{row} the" for row in range(600)]})
    y = np.where(number > 0, "high", "low")
    model = pc.StackedClassifier([member], schema=SCHEMA).fit(X[:500], y[:500])
    assert (model.predict(X[500:]) == y[500:]).mean() > 0.95
    regressor = pc.StackedRegressor([member], schema=SCHEMA).fit(X[:500], number[:500])
    assert np.abs(regressor.predict(X[500:]) - number[500:]).mean() < 0.2


@pytest.mark.parametrize("member", ["boosting", "rbf_network"])
def test_words_that_add_to_a_number_are_used(member: str) -> None:
    X, _ = tickets(600)
    y = np.array([text.count("1") - text.count("2") for text in X["text"]], float) + 0.2 * X["number"].to_numpy()
    model = pc.StackedRegressor([member], schema=SCHEMA).fit(X[:500], y[:500])
    assert np.abs(model.predict(X[500:]) - y[500:]).mean() < 0.7 * np.abs(y - y.mean()).mean()
    assert model.members_[member][-1].n_features_in_ <= 1 + 1 + 16


@pytest.mark.parametrize("regress", [False, True])
def test_changed_rows_with_texts_give_the_stack_of_a_fresh_fit(regress: bool) -> None:
    X, y = tickets(530)
    X.loc[::9, "text"] = None
    targets = X["number"].to_numpy() ** 2 if regress else y
    stack = pc.StackedRegressor if regress else pc.StackedClassifier
    members = ["boosting", "rbf_network"]
    changed = stack(members, schema=SCHEMA).fit(X[:450], targets[:450]).partial_fit(X[450:], targets[450:])
    changed.forget(range(10))
    fresh = stack(members, schema=SCHEMA).fit(X[10:], targets[10:])
    answer = "predict" if regress else "predict_proba"
    np.testing.assert_array_equal(getattr(changed, answer)(X), getattr(fresh, answer)(X))


def test_few_rows_are_compared_by_their_words() -> None:
    X, y = tickets(60)
    model = pc.StackedClassifier(["rbf_network"], schema=SCHEMA).fit(X, y)
    assert model.members_["rbf_network"].n_features_in_ == 2


def test_weights_count_as_evidence() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat(["net", "paper"], 300)
    words = np.where(rng.random(600) < 0.5, "jam", "slow")
    X = pd.DataFrame({"number": rng.normal(size=600), "text": words})
    heavy = np.where((y == "paper") == (words == "jam"), 5.0, 0.2)
    model = pc.StackedClassifier(["boosting"], schema=SCHEMA).fit(X, y, heavy)
    assert model.predict(pd.DataFrame({"number": [0.0, 0.0], "text": ["jam", "slow"]})).tolist() == ["paper", "net"]


def test_texts_without_words_and_columns_without_names() -> None:
    rng = np.random.default_rng(0)
    number = rng.normal(size=500)
    rows = [[value, "!", "jam" if value > 0 else "slow line"] for value in number.tolist()]
    schema = {1: "text", 2: "text"}
    y = np.where(number > 0, "yes", "no")
    model = pc.StackedClassifier(["boosting", "rbf_network"], schema=schema).fit(rows, y)
    assert model.predict([[1.0, "!", "jam"], [-1.0, "?", "slow"]]).tolist() == ["yes", "no"]


def test_weights_of_words_are_those_of_scikit_learn() -> None:
    texts = ["Paper jam, paper!", "no network", "no network", "Größe 10 is too big", "!"]
    queries = ["paper network", "unknown words", "network network jam", "no network"]
    encoder = TableEncoder(schema=SCHEMA).fit(pd.DataFrame({"text": [*texts, None]}))
    like = TfidfVectorizer(token_pattern=r"(?u)\b\w+\b").fit(texts)
    assert encoder.get_feature_names_out().tolist() == [f"text: {word}" for word in like.get_feature_names_out()]
    found = encoder.transform(pd.DataFrame({"text": queries}))
    np.testing.assert_allclose(found, like.transform(queries).toarray(), rtol=1e-14)
    assert not encoder.transform(pd.DataFrame({"text": [None]})).any()
