"""k-NN that chooses its parameters, as an ordinary estimator."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from tables import mixed_rows

import priorcase as pc
from priorcase.saving import dump, load_bytes
from priorcase.similarity import ValueTable

X = mixed_rows(90, seed=3)
Y = np.array([{"red": "a", "green": "b"}.get(row[1], "c") for row in X])
Z = np.array([0.0 if row[0] is None else row[0] ** 2 for row in X])
FEW: dict[str, Any] = {"n_neighbors": [1, 3, 7], "vote": ["uniform", "tricube"], "distance": ["heom", "robust"]}
CASES = [
    pytest.param(pc.KNNClassifierCV(), Y, id="classes"),
    pytest.param(pc.KNNClassifierCV({**FEW, "distance": ["hvdm", "heom"], "prior": [0.3, 1.0]}), Y, id="own"),
    pytest.param(pc.KNNClassifierCV(scoring="accuracy", random_state=3, n_samples=40), Y, id="accuracy"),
    pytest.param(pc.KNNRegressorCV(), Z, id="numbers"),
    pytest.param(pc.KNNRegressorCV(FEW, scoring="absolute_error"), Z, id="own numbers"),
]


def said(model: Any, rows: Any = X) -> Any:
    return model.predict_proba(rows) if hasattr(model, "predict_proba") else model.predict(rows)


@pytest.mark.parametrize(("learner", "y"), CASES)
def test_it_is_the_best_of_tune(learner: Any, y: Any) -> None:
    """The oracle: every distance, weight and fold fitted to the rows as they came, by `tune`."""
    model = clone(learner).fit(X, y)
    plain = pc.KNNClassifier() if hasattr(model, "predict_proba") else pc.KNNRegressor()
    options: dict[str, Any] = {"scoring": learner.scoring, "n_samples": learner.n_samples, "nested": None}
    if learner.candidates != "quick":
        tuning = pc.tune(plain, X, y, candidates=learner.candidates, random_state=learner.random_state, **options)
        assert model.best_params_ == dict(tuning.best_params)
        assert model.tuning_.score == tuning.score
    again = clone(plain).set_params(**model.best_params_).fit(X, y)
    np.testing.assert_array_equal(said(model), said(again))
    assert model.digest() == again.digest()
    np.testing.assert_array_equal(model.kneighbors(X[:5])[1], again.kneighbors(X[:5])[1])
    assert str(model.precedents(X[:2])) == str(again.precedents(X[:2]))


@pytest.mark.parametrize(("learner", "y"), CASES)
def test_parameters_follow_the_rows(learner: Any, y: Any) -> None:
    model = clone(learner).fit(X[:30], y[:30])
    model.partial_fit(X[30:], y[30:])
    whole = clone(learner).fit(X, y)
    assert model.best_params_ == whole.best_params_
    np.testing.assert_array_equal(said(model), said(whole))
    gone = list(range(0, 60, 2))
    model.forget(gone)
    left = [i for i in range(90) if i not in gone]
    fresh = clone(learner).fit([X[i] for i in left], y[left])
    assert model.digest() == fresh.digest()
    assert model.best_params_ == fresh.best_params_
    assert model.ids_.tolist() == left
    np.testing.assert_array_equal(said(model), said(fresh))
    np.testing.assert_array_equal(model.loo_predict(), fresh.loo_predict())


def test_forgotten_rows_leave_no_trace_in_the_choice() -> None:
    """Rows that would lead to another choice are added and forgotten."""
    rng = np.random.default_rng(0)
    rows, noise = rng.normal(size=(60, 3)), rng.normal(size=(200, 3))
    y = np.where(rows[:, 0] > 0, "up", "down")
    model = pc.KNNClassifierCV().fit(rows, y)
    before = model.best_params_
    model.partial_fit(noise, rng.choice(["up", "down"], 200))
    assert model.best_params_ != before
    model.forget(np.arange(60, 260))
    assert model.best_params_ == before


@pytest.mark.parametrize(("learner", "y"), CASES)
def test_weights_are_repetitions_and_zero_is_absent(learner: Any, y: Any) -> None:
    weights = np.arange(90) % 3
    model = clone(learner).fit(X, y, weights)
    kept = np.flatnonzero(weights)
    other = clone(learner).fit([X[i] for i in kept], y[kept], weights[kept])
    assert model.best_params_ == other.best_params_
    np.testing.assert_array_equal(said(model), said(other))
    assert model.best_params_ != clone(learner).fit(X[:20], y[:20]).best_params_


@pytest.mark.parametrize(("learner", "y"), CASES)
def test_copies_pickles_and_files(learner: Any, y: Any) -> None:
    model = clone(learner).fit(X, y).forget([4, 5])
    for other in (pickle.loads(pickle.dumps(model)), load_bytes(dump(model))):
        np.testing.assert_array_equal(said(other), said(model))
        assert other.best_params_ == model.best_params_
        assert other.tuning_.score == model.tuning_.score
        other.partial_fit(X[:9], y[:9])
        assert len(other.ids_) == 97
        assert len(model.ids_) == 88


def test_random_seeds_are_settled_at_fit() -> None:
    model = pc.KNNClassifierCV(random_state=np.random.RandomState(4)).fit(X, Y)
    back = load_bytes(dump(model))
    assert back.partial_fit(X[:5], Y[:5]).best_params_ == model.partial_fit(X[:5], Y[:5]).best_params_


def test_it_stands_wherever_estimators_stand() -> None:
    rows = np.random.default_rng(1).normal(size=(60, 3))
    y = (rows[:, 0] + rows[:, 1] > 0).astype(int)
    assert cross_val_score(make_pipeline(pc.KNNClassifierCV()), rows, y, cv=3).mean() > 0.8
    search = GridSearchCV(pc.KNNClassifierCV(FEW), {"scoring": ["accuracy", "log_score"]}, cv=2).fit(rows, y)
    assert search.best_estimator_.score(rows, y) > 0.8
    assert cross_val_score(pc.KNNRegressorCV(), rows, rows[:, 0], cv=3).mean() > 0.5


def test_left_out_rows_take_no_part_with_relearn() -> None:
    model = pc.KNNClassifierCV(FEW).fit(X[:30], Y[:30])
    numbers = pc.KNNRegressorCV(FEW).fit(X[:30], Z[:30])
    assert model.relearns_
    honest, means = [], []
    for i in range(30):
        others = [j for j in range(30) if j != i]
        rows = [X[j] for j in others]
        other = pc.KNNClassifierCV(FEW).partial_fit(rows, Y[others], classes=np.unique(Y[:30]))
        honest.append(other.predict_proba([X[i]])[0])
        means.append(pc.KNNRegressorCV(FEW).fit(rows, Z[others]).predict([X[i]])[0])
    np.testing.assert_array_equal(model.loo_predict_proba(relearn=True), honest)
    np.testing.assert_array_equal(numbers.loo_predict(relearn=True), means)
    assert (model.loo_predict(relearn=True) == model.classes_[np.argmax(honest, axis=1)]).mean() > 0.8
    np.testing.assert_array_equal(model.loo_predict_proba(), model.model_.loo_predict_proba())


def test_a_single_row_leaves_nothing_to_choose() -> None:
    model = pc.KNNClassifierCV().fit(X[:1], Y[:1])
    assert model.predict(X[1:3]).tolist() == [Y[0]] * 2
    assert model.best_params_["n_neighbors"] == 1
    model.partial_fit(X[1:40], Y[1:40])
    assert model.best_params_ == pc.KNNClassifierCV().fit(X[:40], Y[:40]).best_params_


def test_values_of_a_table_are_declared_for_its_distance_alone() -> None:
    """A query value that no row has is compared by its entry, where the distance that lists it was chosen."""
    rows, y = [["red"], ["red"], ["blue"], ["blue"]] * 5, ["a", "a", "b", "b"] * 5
    table = ValueTable(("red", "blue", "pink"), [[0, 1, 0.1], [1, 0, 1], [0.1, 1, 0]])
    distance = pc.Distance(nominal=table)
    model = pc.KNNClassifierCV({"n_neighbors": [1], "distance": [distance]}).fit(rows, y)
    plain = pc.KNNClassifier(1, distance=distance).fit(rows, y)
    assert model.predict([["pink"]]).tolist() == plain.predict([["pink"]]).tolist() == ["a"]
    np.testing.assert_array_equal(model.kneighbors([["pink"]])[0], plain.kneighbors([["pink"]])[0])


def test_precomputed_distances() -> None:
    rows = np.random.default_rng(2).normal(size=(40, 2))
    apart = np.abs(rows[:, None] - rows).sum(axis=2)
    y = rows[:, 0] > 0
    choices = {"n_neighbors": [1, 3, 5], "prior": [0.5]}
    model = pc.KNNClassifierCV({**choices, "distance": ["precomputed"]}).fit(apart, y)
    other = pc.KNNClassifierCV({**choices, "distance": [pc.similarity.manhattan()]}).fit(rows, y)
    assert model.best_params_["n_neighbors"] == other.best_params_["n_neighbors"]
    np.testing.assert_allclose(model.predict_proba(apart), other.predict_proba(rows), rtol=1e-12)
