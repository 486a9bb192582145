"""Learned weights follow the stored rows, reach every way of asking, and may differ from query to query."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tables import labels, mixed_rows

from priorcase.exceptions import ParameterError, TooFewRowsError
from priorcase.neighbors import KNNClassifier, KNNRegressor, KNNTransformer
from priorcase.reduction import ENN
from priorcase.relevance import METHODS, Bayes, GainRatio, LeaveOneOutWeights, MutualInformation, Relief
from priorcase.schema import Nominal, Numeric

SCHEMA = {0: Numeric(), 1: Nominal(), 2: Nominal(), 3: Numeric()}
LOCAL = LeaveOneOutWeights(regularization=0.003, local=True, neighborhood=8)


def telling(n: int, seed: int, regression: bool = False) -> tuple[list[list[Any]], list[Any]]:
    """Mixed rows with gaps, and targets that the colour and the last number tell."""
    rows = mixed_rows(n, seed)
    scores = [(row[3] or 0.0) + (row[1] == "red") for row in rows]
    return rows, scores if regression else ["high" if score > 0.4 else "low" for score in scores]


@pytest.mark.parametrize("method", [*METHODS, LOCAL])
@pytest.mark.parametrize("regression", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_weights_follow_the_rows(method: Any, regression: bool, weighted: bool) -> None:
    if method == "bayes" and regression:
        return
    make: Any = KNNRegressor if regression else KNNClassifier
    rows, y = telling(40, 1, regression)
    other, z = telling(15, 2, regression)
    times = np.random.default_rng(3).integers(1, 3, 55).astype(float) if weighted else np.ones(55)
    first = times[40:], times[:20], times[20:40]
    fresh = make(3, attribute_weights=method, schema=SCHEMA).fit(rows, y, times[:40])
    model = make(3, attribute_weights=method, schema=SCHEMA).fit(other, z, first[0])
    _ = model.attribute_weights_.weights
    model.partial_fit(rows[:20], y[:20], sample_weight=first[1])
    _ = model.predict(rows[:2])
    model.forget(range(15)).partial_fit(rows[20:], y[20:], sample_weight=first[2])
    for same in (model, pickle.loads(pickle.dumps(model)), copy.deepcopy(model), model.set_params(n_jobs=1)):
        assert same.attribute_weights_.weights.tobytes() == fresh.attribute_weights_.weights.tobytes()
        assert same.predict(other).tobytes() == fresh.predict(other).tobytes()
        assert same.kneighbors(other)[0].tobytes() == fresh.kneighbors(other)[0].tobytes()
    model.forget(model.ids_)
    with pytest.raises(TooFewRowsError):
        _ = model.attribute_weights_.weights


@pytest.mark.parametrize("options", [GainRatio(), Relief(), MutualInformation(), Bayes(), LeaveOneOutWeights()])
def test_a_name_is_an_object_with_its_defaults(options: Any) -> None:
    rows, y = telling(40, 1)
    by_name = KNNClassifier(3, attribute_weights=options.method).fit(rows, y)
    by_object = KNNClassifier(3, attribute_weights=options).fit(rows, y)
    assert by_name.attribute_weights_.weights.tobytes() == by_object.attribute_weights_.weights.tobytes()
    data: Any = by_name._memory.training_data()
    assert options == type(options)()
    assert np.allclose(options.learn(data).clip(0), by_name.attribute_weights_.weights)


@pytest.mark.parametrize("method", METHODS)
def test_the_same_weights_by_hand(method: str) -> None:
    rows, y = telling(40, 1)
    queries, _ = telling(10, 2)
    model = KNNClassifier(3, attribute_weights=method).fit(rows, y)
    by_hand = KNNClassifier(3, attribute_weights=model.attribute_weights_.weights).fit(rows, y)
    assert model.predict_proba(queries).tobytes() == by_hand.predict_proba(queries).tobytes()  # type: ignore[union-attr]
    assert repr(model.precedents(queries[:2])) == repr(by_hand.precedents(queries[:2]))
    wide = model.attribute_weights_at(queries)
    assert (wide == model.attribute_weights_.weights).all()
    assert wide.shape == (10, 4)


@pytest.mark.parametrize("method", ["relief", "gain_ratio", "loo"])
def test_streams_see_the_weights_of_the_rows_before(method: str) -> None:
    rows, y = telling(25, 1)
    model = KNNClassifier(1, attribute_weights=method, schema=SCHEMA)
    told = model.prequential(rows, y)
    fresh = KNNClassifier(1, attribute_weights=method, schema=SCHEMA).fit(rows[:24], y[:24])
    assert told.predictions[-1] == fresh.predict(rows[24:])[0]


@pytest.mark.parametrize("method", ["relief", "loo", "mutual_information"])
def test_the_transformer_with_classes_and_numbers(method: str) -> None:
    for regression, make in ((False, KNNClassifier), (True, KNNRegressor)):
        rows, y = telling(40, 1, regression)
        weights = make(1, attribute_weights=method).fit(rows, y).attribute_weights_.weights  # type: ignore[operator]
        found = KNNTransformer(2, attribute_weights=method).fit(rows, y).attribute_weights_.weights
        assert found.tobytes() == weights.tobytes()


def test_reducers_weigh_as_neighbors_do() -> None:
    rows, y = telling(60, 1)
    weights = KNNClassifier(1, attribute_weights="relief").fit(rows, y).attribute_weights_.weights
    learned = ENN(attribute_weights="relief").fit(rows, y).sample_indices_
    assert learned.tolist() == ENN(attribute_weights=weights).fit(rows, y).sample_indices_.tolist()
    assert learned.tolist() != ENN().fit(rows, y).sample_indices_.tolist()


# -- weights of single queries


@pytest.mark.parametrize("distance", ["heom", "gower", "hvdm"])
def test_each_query_is_answered_by_its_own_weights(distance: str) -> None:
    rows, y = telling(60, 1)
    queries, _ = telling(12, 2)
    model = KNNClassifier(4, attribute_weights=LOCAL, distance=distance, ties="first").fit(rows, y)
    weights = model.attribute_weights_at(queries)
    assert len({row.tobytes() for row in weights}) > 3
    np.testing.assert_allclose(weights.sum(axis=1), model.attribute_weights_.weights.sum())
    assert ((weights > 0) == (model.attribute_weights_.weights > 0)).all()
    together = model.predict_proba(queries)
    found, ids = model.kneighbors(queries)
    for q, query in enumerate(queries):
        alone = KNNClassifier(4, attribute_weights=weights[q], distance=distance, ties="first").fit(rows, y)
        assert model.predict_proba([query]).tobytes() == together[q].tobytes()  # type: ignore[union-attr, call-overload]
        assert alone.predict_proba([query]).tobytes() == together[q].tobytes()  # type: ignore[union-attr, call-overload]
        assert model.predict([query]) == alone.predict([query])
        distances, others = alone.kneighbors([query])
        assert distances.tobytes() == found[q].tobytes()
        assert others.tobytes() == ids[q].tobytes()
        # Printed, the columns come in the order of the weights of all queries, or of this one.
        pd.testing.assert_frame_equal(model.precedents([query]).frame(), alone.precedents([query]).frame())
        everyone: Any = KNNClassifier("all", attribute_weights=weights[q], vote="gaussian", distance=distance)
        local = KNNClassifier("all", attribute_weights=LOCAL, vote="gaussian", distance=distance).fit(rows, y)
        assert local.predict_proba([query]).tobytes() == everyone.fit(rows, y).predict_proba([query]).tobytes()  # type: ignore[union-attr]


@pytest.mark.parametrize("weighted", [False, True])
def test_a_row_has_no_say_in_its_own_weights_when_it_is_left_out(weighted: bool) -> None:
    rows, y = telling(50, 4)
    times = np.where(np.arange(50) == 7, 1.0, 2.0) if weighted else None
    local = LeaveOneOutWeights(regularization=0.003, local=True, neighborhood=16)
    model: Any = KNNClassifier(3, attribute_weights=local, schema=SCHEMA).fit(rows, y, times)
    memory = model._memory
    own = memory.weights_for(memory.instances.cells([7]), np.array([7]))
    assert own.tobytes() != memory.weights_for(memory.instances.cells([7])).tobytes()
    before = memory.attribute_weights
    changed: Any = KNNClassifier(3, attribute_weights=local, schema=SCHEMA)
    other = [*y[:7], {"high": "low", "low": "high"}[y[7]], *y[8:]]
    changed.fit(rows, other, times)
    changed._memory._cache["attribute weights"] = changed._memory.instances.version, before
    again = changed._memory.weights_for(memory.instances.cells([7]), np.array([7]))
    np.testing.assert_allclose(again, own, rtol=1e-3)  # the share of its class has changed


@pytest.mark.parametrize("regression", [False, True])
def test_a_row_of_weight_two_bends_as_two_rows_do(regression: bool) -> None:
    rows, y = telling(60, 4, regression)
    times = np.random.default_rng(0).integers(1, 4, 60)
    many = np.repeat(np.arange(60), times)
    estimator: Any = KNNRegressor if regression else KNNClassifier
    once = estimator(3, attribute_weights=LOCAL, schema=SCHEMA).fit(rows, y, times)
    often = estimator(3, attribute_weights=LOCAL, schema=SCHEMA).fit([rows[i] for i in many], [y[i] for i in many])
    np.testing.assert_allclose(once.attribute_weights_at(rows), often.attribute_weights_at(rows), rtol=1e-6)
    cells, first = once._memory.instances.cells(), np.searchsorted(many, np.arange(60))
    left_out = once._memory.weights_for(cells, np.arange(60))
    np.testing.assert_allclose(left_out, often._memory.weights_for(cells, first), rtol=1e-6)


def test_copies_do_not_make_room_for_one_more() -> None:
    X, y = np.random.default_rng(0).random((30, 2)), ["a", "b"] * 15
    crowd = [*X.tolist(), *[X[0].tolist()] * 20]
    memory: Any = KNNClassifier(1, attribute_weights=LOCAL).fit(crowd, [*y, *"ab" * 10])._memory
    found = [memory.weights_for(memory.instances.cells([row]), np.array([row])) for row in (48, 49)]
    assert found[0].tobytes() == found[1].tobytes() == memory.weights_for(memory.instances.cells([0])).tobytes()


def test_stiff_weights_hardly_bend() -> None:
    rows, y = telling(60, 1)
    stiff = LeaveOneOutWeights(regularization=0.003, local=True, stiffness=1e9)
    model = KNNClassifier(3, attribute_weights=stiff).fit(rows, y)
    np.testing.assert_allclose(
        model.attribute_weights_at(rows[:5]), model.attribute_weights_.weights[None, :] + np.zeros((5, 1))
    )


def test_where_other_attributes_matter_in_other_places() -> None:
    random = np.random.default_rng(0)

    def draw(n: int) -> tuple[np.ndarray, np.ndarray]:
        X = random.random((n, 8))
        return X, np.where(np.where(X[:, 0] > 0.5, X[:, 1], X[:, 2]) > 0.5, "a", "b")

    (X, y), (queries, answers) = draw(500), draw(1000)
    local = KNNClassifier(5, attribute_weights=LeaveOneOutWeights(local=True, neighborhood=30, stiffness=0.1)).fit(X, y)
    everywhere = KNNClassifier(5, attribute_weights="loo").fit(X, y)
    assert local.score(queries, answers) > everywhere.score(queries, answers) + 0.01
    weights = local.attribute_weights_at(queries)
    right, left = (np.abs(queries[:, a] - 0.5) < 0.1 for a in (1, 2))
    right, left = right & (queries[:, 0] > 0.6), left & (queries[:, 0] < 0.4)
    assert np.median(weights[right, 1] / weights[right, 2]) > 1.5
    assert np.median(weights[left, 2] / weights[left, 1]) > 1.5


def test_local_weights_are_the_same_for_any_batch_and_number_of_threads() -> None:
    rows, y = telling(60, 1)
    queries, _ = telling(9, 2)
    models = [KNNClassifier(3, attribute_weights=LOCAL, n_jobs=n).fit(rows, y) for n in (1, 3)]
    together = [model.attribute_weights_at(queries).tobytes() for model in models]
    alone = b"".join(models[0].attribute_weights_at([query]).tobytes() for query in queries)
    assert together[0] == together[1] == alone


def test_numbers_too_large_are_still_refused() -> None:
    X = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 3.0], [4.0, 0.5]] * 4
    model = KNNClassifier(1, attribute_weights=LOCAL, distance="euclidean").fit(X, ["a", "b", "a", "b", "a"] * 4)
    with pytest.raises(ValueError, match="distance from row"):
        model.predict([[1e200, 1.0]])


# -- words


@pytest.mark.parametrize("method", ["gain_ratio", "relief", "mutual_information", "loo", LOCAL])
def test_targets_are_needed(method: Any) -> None:
    several: list[tuple[Any, Any]] = [
        (KNNClassifier(1, attribute_weights=LOCAL), [["a", "x"], ["b", "y"]]),
        (KNNRegressor(1, attribute_weights=LOCAL), [[1.0, 2.0], [2.0, 3.0]]),
    ]
    for model, y in [(KNNTransformer(1, attribute_weights=method), None), *(several if method is LOCAL else [])]:
        with pytest.raises(ParameterError) as caught:
            model.fit([[1.0], [2.0]], y)
        assert "single column of classes or numbers" in str(caught.value)


@pytest.mark.parametrize("method", ["gain_ratio", "relief", "mutual_information", "loo"])
@pytest.mark.parametrize("estimator", [KNNClassifier, KNNRegressor])
def test_several_targets_have_equal_say(estimator: Any, method: str) -> None:
    rng = np.random.default_rng(3)
    X = rng.random((100, 5))
    numbers = np.stack([X[:, 1], 100.0 * X[:, 3] + X[:, 1]], axis=1)
    y = numbers if estimator is KNNRegressor else (numbers > np.median(numbers, axis=0)).astype(int)
    alone = [estimator(3, attribute_weights=method).fit(X, y[:, t]).attribute_weights_.weights for t in range(2)]
    model = estimator(3, attribute_weights=method).fit(X, y)
    np.testing.assert_array_equal(
        model.attribute_weights_.weights, (alone[0] / alone[0].max() + alone[1] / alone[1].max()) / 2
    )
    assert model.attribute_weights_.weights[[1, 3]].min() > 2 * model.attribute_weights_.weights[[0, 2, 4]].max()
    assert model.predict(X[:2]).shape == (2, 2)


def test_classes_are_not_numbers() -> None:
    rows, _ = telling(10, 1)
    assert KNNClassifier(1, attribute_weights="relief").fit(rows, labels(10)).attribute_weights_.weights.shape == (4,)
    assert KNNClassifier(1, attribute_weights="relief").__sklearn_tags__().target_tags.multi_output is True
    assert KNNClassifier(1, attribute_weights=LOCAL).__sklearn_tags__().target_tags.multi_output is False
