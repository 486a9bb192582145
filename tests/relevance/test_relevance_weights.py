"""Neighbors whose attributes weigh by how probable it is that they matter."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from tables import labels, mixed_rows, row_lists

from priorcase.bayes import SubsetAveragedBayes
from priorcase.exceptions import ParameterError, PriorcaseError, TooFewRowsError
from priorcase.neighbors import KNNClassifier, KNNRegressor, KNNTransformer
from priorcase.relevance import METHODS
from priorcase.schema import Nominal, Numeric

SCHEMA = {0: Numeric(), 1: Nominal(), 2: Nominal()}


def bayes(k: Any = 3, **parameters: Any) -> KNNClassifier:
    return KNNClassifier(k, attribute_weights="bayes", **parameters)


def planted(n: int = 120, seed: int = 0, noise: int = 3) -> tuple[list[list[Any]], list[str]]:
    """The first number tells the class; a colour and more numbers do not."""
    random = np.random.default_rng(seed)
    classes = random.integers(0, 2, n)
    rows = [
        [float(random.normal(2.5 * k, 1)), str(random.choice(["red", "blue"])), *random.normal(0, 1, noise).tolist()]
        for k in classes
    ]
    return rows, [["no", "yes"][k] for k in classes]


def test_weights_are_the_relevance_of_the_stored_rows() -> None:
    rows, classes = mixed_rows(40, 3), labels(40, 4)
    weights = np.random.default_rng(0).random(40)
    for given_weights in (None, weights):
        model = bayes().fit(rows, classes, given_weights)
        expected = SubsetAveragedBayes().fit(rows, classes, given_weights).relevance_.probabilities
        assert model.attribute_weights_.weights.tobytes() == expected.tobytes()


def test_other_weights_are_shown_too() -> None:
    rows, classes = planted(10)
    assert KNNClassifier(1).fit(rows, classes).attribute_weights_.weights.tolist() == [1.0] * 5
    by_hand = KNNClassifier(1, attribute_weights={1: 0.0}).fit(rows, classes)
    assert by_hand.attribute_weights_.weights.tolist() == [1.0, 0.0, 1.0, 1.0, 1.0]


@pytest.mark.parametrize("distance", ["heom", "hvdm", "gower"])
def test_the_same_weights_by_hand(distance: str) -> None:
    rows, classes = mixed_rows(50, 5), labels(50, 6)
    queries = mixed_rows(20, 7)
    model = bayes(distance=distance).fit(rows, classes)
    by_hand = KNNClassifier(3, distance=distance, attribute_weights=model.attribute_weights_.weights).fit(rows, classes)
    assert model.predict_proba(queries).tobytes() == by_hand.predict_proba(queries).tobytes()  # type: ignore[union-attr]
    for one, other in zip(model.kneighbors(queries), by_hand.kneighbors(queries), strict=True):
        assert one.tobytes() == other.tobytes()
    assert repr(model.precedents(queries[:2])) == repr(by_hand.precedents(queries[:2]))


def test_noise_is_left_out() -> None:
    rows, classes = planted(noise=15)
    model = bayes(5).fit(rows, classes)
    assert model.attribute_weights_.weights[0] > 0.999
    assert np.median(model.attribute_weights_.weights[1:]) < 0.15
    queries, answers = planted(400, 1, noise=15)
    assert model.score(queries, answers) > KNNClassifier(5).fit(rows, classes).score(queries, answers)


@given(row_lists(min_size=2, max_size=12), st.integers(0, 100), st.booleans())
def test_weights_follow_the_rows(rows: list[list[Any]], seed: int, weighted: bool) -> None:
    random = np.random.default_rng(seed)
    classes, half = labels(len(rows), seed), len(rows) // 2
    weights = random.random(len(rows)) + 1.0 if weighted else np.ones(len(rows))
    fresh = bayes(1, schema=SCHEMA).fit(rows, classes, weights)
    extra = [row[:3] for row in mixed_rows(5, seed)]
    model = bayes(1, schema=SCHEMA).fit(extra, labels(5, seed + 1), random.random(5) + 1.0 if weighted else None)
    if seed % 2:
        _ = model.attribute_weights_.weights
    model.partial_fit(rows[:half], classes[:half], sample_weight=weights[:half]).forget(range(5))
    if seed % 3:
        _ = model.predict(rows) if half else None
    model.partial_fit(rows[half:], classes[half:], sample_weight=weights[half:])
    for same in (model, pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert same.attribute_weights_.weights.tobytes() == fresh.attribute_weights_.weights.tobytes()
        assert same.predict_proba(rows).tobytes() == fresh.predict_proba(rows).tobytes()
        assert same.kneighbors(rows)[0].tobytes() == fresh.kneighbors(rows)[0].tobytes()


def test_a_copy_follows_its_own_rows() -> None:
    rows, classes = planted(30)
    model = bayes(1).fit(rows, classes)
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        other.partial_fit(*planted(20, 9)).forget([0, 1])
        before = model.attribute_weights_.weights
        assert not np.array_equal(before, other.attribute_weights_.weights)
        assert (
            model.attribute_weights_.weights.tobytes()
            == bayes(1).fit(rows, classes).attribute_weights_.weights.tobytes()
        )


def test_all_rows_forgotten() -> None:
    rows, classes = planted(10)
    model = bayes(1).fit(rows, classes).forget(range(10))
    with pytest.raises(TooFewRowsError):
        _ = model.attribute_weights_.weights
    model.partial_fit(rows[2:], classes[2:])
    assert (
        model.attribute_weights_.weights.tobytes()
        == bayes(1).fit(rows[2:], classes[2:]).attribute_weights_.weights.tobytes()
    )


def test_labels_of_every_sort() -> None:
    rows, classes = planted(30)
    as_text = bayes().fit(rows, classes).attribute_weights_.weights
    for other in ([k == "yes" for k in classes], [int(k == "yes") for k in classes]):
        assert bayes().fit(rows, other).attribute_weights_.weights.tobytes() == as_text.tobytes()
    declared = bayes().partial_fit(rows, classes, ["no", "perhaps", "yes"]).attribute_weights_.weights
    np.testing.assert_allclose(declared, as_text)


def test_where_nothing_matters_all_weigh_the_same() -> None:
    random = np.random.default_rng(0)
    X, y = random.integers(0, 40, (6000, 2)).astype(str), random.integers(0, 40, 6000)
    relevance = SubsetAveragedBayes().fit(X, y).relevance_.probabilities
    assert 0 <= relevance.max() < 1e-12
    model = bayes().fit(X, y)
    assert model.attribute_weights_.weights.tolist() == [1.0, 1.0]
    assert model.predict(X[:5]).tobytes() == KNNClassifier(3).fit(X, y).predict(X[:5]).tobytes()
    X[:, 1] = y.astype(str)
    assert bayes().fit(X, y).attribute_weights_.weights.tolist() == [0.0, 1.0]


def test_a_single_class_and_a_single_row() -> None:
    rows, _ = planted(5)
    model = bayes(1).fit(rows, ["yes"] * 5)
    np.testing.assert_allclose(model.attribute_weights_.weights, 0.05)
    assert model.predict(rows).tolist() == ["yes"] * 5
    np.testing.assert_allclose(bayes(1).fit(rows[:1], ["no"]).attribute_weights_.weights, 0.05)


def test_the_transformer_with_classes() -> None:
    rows, classes = planted(30)
    model = KNNTransformer(2, attribute_weights="bayes").fit(rows, classes)
    weights = bayes().fit(rows, classes).attribute_weights_.weights
    assert model.attribute_weights_.weights.tobytes() == weights.tobytes()
    by_hand = KNNTransformer(2, attribute_weights=weights).fit(rows)
    np.testing.assert_array_equal(model.transform(rows).toarray(), by_hand.transform(rows).toarray())


# -- words


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (KNNRegressor(1, attribute_weights="bayes"), [1.0, 2.0]),
        (KNNTransformer(1, attribute_weights="bayes"), None),
        (KNNTransformer(1, attribute_weights="bayes"), [["a", "x"], ["b", "y"]]),
        (KNNClassifier(1, attribute_weights="bayes"), [["a", "x"], ["b", "y"]]),
    ],
    ids=str,
)
def test_without_one_column_of_classes(model: Any, y: Any) -> None:
    with pytest.raises(ParameterError) as caught:
        model.fit([[1.0], [2.0]], y)
    assert str(caught.value).startswith(f"{type(model).__name__}.fit: attribute_weights='bayes'")
    assert "single column of classes" in str(caught.value)
    assert not hasattr(model, "n_features_in_")


def test_unknown_names() -> None:
    with pytest.raises(ParameterError) as caught:
        KNNClassifier(1, attribute_weights="forest").fit([[1.0], [2.0]], ["a", "b"])
    assert all(repr(method) in str(caught.value) for method in METHODS)


def test_a_refused_change_changes_nothing() -> None:
    model = bayes(1).fit([[1.0], [2.0]], ["a", "b"])
    before = model.digest(), model.attribute_weights_.weights
    with pytest.raises(PriorcaseError):
        model.partial_fit([["b"]], ["a"])
    with pytest.raises(PriorcaseError):
        model.forget([7])
    with pytest.raises(PriorcaseError):
        model.forget([0, 0])
    assert model.digest() == before[0]
    assert model.attribute_weights_.weights.tobytes() == before[1].tobytes()
    assert clone(model).attribute_weights == "bayes"
