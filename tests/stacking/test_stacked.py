"""Stacked learners: weights as defined, members as fitted by hand, rows that come and go, intervals that cover."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from checks.containers import as_every_kind, classes, numbers, training_rows
from hypothesis import given
from hypothesis import strategies as st
from reference import stacking as reference
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier, RandomForestRegressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import LinearSVC

import priorcase as pc
from priorcase.stacking import TableEncoder
from priorcase.stacking.stacked import best_temperature, mixture_weights, scaled, squared_error_weights


def rows(n: int, seed: int = 0, gaps: float = 0.1) -> tuple[pd.DataFrame, Any, Any]:
    """A mixed table with missing values, classes that depend on it, and numbers."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n), "c": rng.choice(["u", "v", "w"], n)})
    score = X["a"] * (X["c"] == "u") + X["b"] + 0.5 * rng.normal(size=n)
    y = np.where(score > 0.5, "high", np.where(score > -0.5, "middle", "low"))
    holes = rng.random(X.shape) < gaps
    return X.mask(holes), y, score.to_numpy()


# -- weights


@given(st.integers(2, 4), st.integers(0, 10_000), st.sampled_from([1.05, 1.2, 2.0]))
def test_mixture_weights_maximize_the_log_score(members: int, seed: int, prior: float) -> None:
    rng = np.random.default_rng(seed)
    given_to_truth = rng.beta(2, 1, size=(30, members)) ** rng.uniform(0.3, 3, members)
    weights = rng.integers(1, 3, 30).astype(float)
    found = mixture_weights(given_to_truth, weights, prior)
    assert found.sum() == pytest.approx(1.0)
    expected = reference.log_score_weights(given_to_truth, weights, prior)
    np.testing.assert_allclose(found, expected, atol=2e-3)


@given(st.integers(2, 4), st.integers(0, 10_000))
def test_squared_error_weights_minimize_the_error(members: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = rng.normal(size=40)
    predictions = y[:, None] + rng.normal(size=(40, members)) * rng.uniform(0.2, 2, members)
    weights = rng.integers(1, 3, 40).astype(float)
    found = squared_error_weights(predictions, y, weights, 1.2)
    expected = reference.squared_error_weights(predictions, y, weights, 1.2)
    np.testing.assert_allclose(found, expected, atol=2e-3)


@given(st.integers(0, 10_000))
def test_the_temperature_maximizes_the_log_score(seed: int) -> None:
    rng = np.random.default_rng(seed)
    probabilities = rng.dirichlet([0.7, 0.7, 0.7], 40) * 0.99 + 0.01 / 3
    truth = np.array([rng.choice(3, p=line**2 / (line**2).sum()) for line in probabilities])
    found = best_temperature(probabilities, truth, np.ones(40), 0.2, 5.0)
    assert np.log(found) == pytest.approx(np.log(reference.temperature(probabilities, truth, 0.2, 5.0)), abs=2e-3)
    np.testing.assert_allclose(scaled(probabilities, 1.0), probabilities)
    np.testing.assert_allclose(
        scaled(probabilities, found), (p := probabilities ** (1 / found)) / p.sum(axis=1, keepdims=True)
    )
    frequencies = np.array([0.6, 0.3, 0.1])
    found = best_temperature(probabilities, truth, np.ones(40), 0.2, 5.0, frequencies)
    expected = reference.temperature(probabilities, truth, 0.2, 5.0, frequencies)
    assert np.log(found) == pytest.approx(np.log(expected), abs=2e-3)
    np.testing.assert_allclose(scaled(frequencies[None], found, frequencies), frequencies[None])


# -- answers as by hand


def test_the_answer_is_the_mixture_of_its_members() -> None:
    X, y, _ = rows(120)
    queries = rows(15, seed=1)[0]
    model = pc.StackedClassifier({"near": pc.KNNClassifier(5, prior=0.5), "bayes": pc.NaiveBayes()}).fit(X, y)
    stack, share = model.stack_, 1.0 / (len(y) + 1)
    frequencies = (np.unique(y, return_counts=True)[1] + 1 / 3) / (len(y) + 1)
    total = model.weights_["baseline"] * np.tile(frequencies, (15, 1))
    for member in (pc.KNNClassifier(5, prior=0.5), pc.NaiveBayes()):
        name = "near" if isinstance(member, pc.KNNClassifier) else "bayes"
        given_here = (1 - share) * member.fit(X, y).predict_proba(queries) + share * frequencies
        powers = frequencies * (given_here / frequencies) ** (1 / stack.temperatures[stack.names.index(name)])
        total = total + model.weights_[name] * powers / powers.sum(axis=1, keepdims=True)
    powers = frequencies * (total / frequencies) ** (1 / stack.temperature)
    np.testing.assert_allclose(model.predict_proba(queries), powers / powers.sum(axis=1, keepdims=True))
    assert sum(model.weights_.values()) == pytest.approx(1.0)
    np.testing.assert_array_equal(model.predict(queries), model.classes_[model.predict_proba(queries).argmax(axis=1)])


def test_members_without_a_say_of_the_targets_are_left_out_one_by_one() -> None:
    X, y, _ = rows(80)
    model = pc.StackedClassifier([pc.KNNClassifier(5), pc.KNNClassifier(5, distance="hvdm")]).fit(X, y)
    assert model.stack_.left_out == ("baseline", "KNNClassifier")
    near = pc.KNNClassifier(5).fit(X, y).loo_predict_proba()
    share, own = 1.0 / 81, np.searchsorted(model.classes_, y)
    frequencies = (np.bincount(own) + 1 / 3) / 81
    smoothed = (1 - share) * near + share * frequencies
    warm = scaled(smoothed, float(model.stack_.temperatures[1]), frequencies)
    assert model.stack_.scores[1] == pytest.approx(np.log(warm[np.arange(80), own]).mean())


def test_a_regressor_is_the_mixture_of_its_members() -> None:
    X, _, y = rows(100)
    queries = rows(15, seed=1)[0]
    model = pc.StackedRegressor([pc.KNNRegressor(5), pc.LocallyWeightedRegressor(30, ridge=1.0)]).fit(X, y)
    parts = [np.full(15, y.mean()), pc.KNNRegressor(5).fit(X, y).predict(queries)]
    parts.append(pc.LocallyWeightedRegressor(30, ridge=1.0).fit(X, y).predict(queries))
    np.testing.assert_allclose(model.predict(queries), np.array(list(model.weights_.values())) @ np.array(parts))
    errors = y - model.loo_predict()
    assert model.stack_.score == pytest.approx(np.sqrt((errors**2).mean()))


def test_a_useless_member_gets_next_to_nothing_and_a_perfect_one_nearly_all() -> None:
    X, y, _ = rows(300, gaps=0.0)
    X = X.assign(answer=pd.Categorical(y).codes.astype(float), noise=np.random.default_rng(1).normal(size=300))
    wide = make_pipeline(_columns(["answer"]), KNeighborsClassifier(3))
    blind = make_pipeline(_columns(["noise"]), KNeighborsClassifier(3))
    weights = pc.StackedClassifier({"wide": wide, "blind": blind}).fit(X, y).weights_
    assert weights["wide"] > 0.95
    assert weights["blind"] < 0.03


def _columns(names: list[Any]) -> Any:
    from sklearn.compose import make_column_transformer

    return make_column_transformer(("passthrough", names))


def test_no_probability_is_zero_and_the_log_score_is_better_than_that_of_each_member() -> None:
    X, y, _ = rows(250)
    model = pc.StackedClassifier().fit(X, y)
    assert (model.predict_proba(rows(100, seed=3)[0]) > 0).all()
    assert model.stack_.score > model.stack_.scores.max() - 0.01
    fresh = rows(400, seed=4)
    given_to_truth = model.predict_proba(fresh[0])[np.arange(400), np.searchsorted(model.classes_, fresh[1])]
    assert np.log(given_to_truth).mean() > -0.85  # the class frequencies give -1.09


# -- scikit-learn


def test_any_estimator_of_scikit_learn_can_be_a_member() -> None:
    X, y, z = rows(90)
    forest = RandomForestClassifier(20)
    one_hot = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression())
    model = pc.StackedClassifier([forest, one_hot, pc.NaiveBayes()]).fit(X.astype(object).where(X.notna(), None), y)
    assert list(model.members_) == ["baseline", "RandomForestClassifier", "Pipeline", "NaiveBayes"]
    again = clone(model).fit(X.astype(object).where(X.notna(), None), y)
    np.testing.assert_array_equal(model.predict_proba(X[:9]), again.predict_proba(X[:9]))
    number = pc.StackedRegressor([RandomForestRegressor(20), pc.KNNRegressor()]).fit(X, z)
    assert number.predict(X[:3]).shape == (3,)


@pytest.mark.parametrize("regress", [False, True])
def test_threads_change_nothing(regress: bool) -> None:
    X, y, numbers_ = rows(80)
    learner, answer = (pc.StackedRegressor, "predict") if regress else (pc.StackedClassifier, "predict_proba")
    one, two = (learner(n_jobs=jobs).fit(X, numbers_ if regress else y) for jobs in (1, 2))
    np.testing.assert_array_equal(getattr(one, answer)(X), getattr(two, answer)(X))


def test_it_stands_in_cross_validation() -> None:
    X, y, z = rows(90)
    assert cross_val_score(pc.StackedClassifier(), X, y, cv=3).mean() > 0.5
    assert cross_val_score(pc.StackedRegressor(), X, z, cv=3).mean() > 0.2


# -- rows that come and go


@pytest.mark.parametrize("regress", [False, True])
def test_forgetting_is_a_fit_without_the_rows(regress: bool) -> None:
    X, y, z = rows(100)
    target = z if regress else y
    learner = pc.StackedRegressor() if regress else pc.StackedClassifier()
    kept = np.arange(100) % 4 != 1
    model = clone(learner).fit(X[:50], target[:50]).partial_fit(X[50:], target[50:])
    before = model.predict(X[:5])
    model.forget(np.flatnonzero(~kept))
    fresh = clone(learner).fit(X[kept], target[kept])
    assert model.digest() == fresh.digest()
    np.testing.assert_allclose(list(model.weights_.values()), list(fresh.weights_.values()), rtol=1e-6)
    assert len(before) == 5
    if regress:
        np.testing.assert_allclose(model.predict(X[:20]), fresh.predict(X[:20]))
    else:
        np.testing.assert_allclose(model.predict_proba(X[:20]), fresh.predict_proba(X[:20]))


def test_precedents_are_rows_of_the_stack() -> None:
    X, y, _ = rows(60)
    model = pc.StackedClassifier([pc.KNNClassifier(3), pc.NaiveBayes()]).fit(X, y).forget(np.arange(20))
    found = model.precedents(X[30:32])
    assert set(found.ids) <= set(model.ids_)
    assert found.ids[0] == 30
    np.testing.assert_array_equal(found.probabilities, model.predict_proba(X[30:32]))
    assert [one.target for one in found.unlike if one] == [y[one.id] for one in found.unlike if one]
    assert len(model.precedents(X[30:31], 7).ids) == 7
    assert found.member == "KNNClassifier"
    weight = f"{model.weights_['KNNClassifier']:.1%} of the weight of the stack"
    note = f"\nSimilar past cases (used by the stack member KNNClassifier, which has {weight})\n  "
    assert str(found).count(note) == str(model.explain(X[30:32])).count(note) == 2
    assert model.members_["KNNClassifier"].precedents(X[30:31]).member is None


@pytest.mark.parametrize("regress", [False, True])
def test_the_table_the_weights_and_the_members_have_the_same_names(regress: bool) -> None:
    X, y, z = rows(60)
    target = z if regress else y
    model = (pc.StackedRegressor if regress else pc.StackedClassifier)(["knn", "rbf_network"]).fit(X, target)
    assert list(model.stack_.names) == list(model.weights_) == list(model.members_)
    assert list(model.members_) == ["baseline", "knn", "rbf_network"]
    if regress:
        assert model.members_["baseline"].predict(X[:2]) == pytest.approx([np.mean(z)] * 2)
    else:
        shares = [np.mean(y == label) for label in model.classes_]
        np.testing.assert_allclose(model.members_["baseline"].predict_proba(X[:2]), [shares] * 2)


def test_members_may_be_names_of_learners() -> None:
    X, y, _ = rows(60)
    named = pc.StackedClassifier({"first": "knn", "second": "naive_bayes"}).fit(X, y)
    given = pc.StackedClassifier({"first": pc.KNNClassifier(), "second": pc.NaiveBayes()}).fit(X, y)
    np.testing.assert_array_equal(named.predict_proba(X), given.predict_proba(X))
    assert [str(type(one).__name__) for one in named.members_.values()][1:] == ["KNNClassifier", "NaiveBayes"]


@pytest.mark.parametrize("rows_of", [slice(60), slice(1)])
def test_a_stack_without_a_member_that_has_precedents_is_explained_by_the_nearest_cases(rows_of: slice) -> None:
    X, y, _ = rows(60)
    model = pc.StackedClassifier([pc.NaiveBayes()]).fit(X[rows_of], y[rows_of])
    assert not hasattr(model, "precedents")
    found = model.explain(X[:1], precedents=3)
    assert found.precedents.ids.tolist()[0] == 0
    assert len(found.precedents.ids) == min(3, len(X[rows_of]))
    assert np.isnan(found.precedents.votes).all()


def test_constant_columns_leave_the_class_frequencies_without_a_warning() -> None:
    X, y = [[3, "x"]] * 40, ["y"] * 20 + ["n"] * 20
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = pc.StackedClassifier().fit(X, y)
        found = model.predict_proba(X[:1])
    np.testing.assert_allclose(found, 0.5, atol=1e-6)


def test_intervals_cover_rows_that_lack_columns() -> None:
    random = np.random.default_rng(5)
    X = pd.DataFrame({"a": random.normal(size=400), "b": random.normal(size=400), "c": random.choice(list("xyz"), 400)})
    y = 3 * X["a"] + 2 * (X["c"] == "x") + random.normal(size=400) * 0.3
    model, new = pc.StackedRegressor().fit(X[:300], y[:300]), X[300:]
    whole = np.diff(model.predict_interval(new))
    for lacking in (["a"], ["c"], ["a", "b", "c"]):
        low, high = model.predict_interval(new.assign(**dict.fromkeys(lacking))).T
        assert 0.8 <= ((low <= y[300:]) & (y[300:] <= high)).mean() <= 0.99
    assert np.diff(model.predict_interval(new.assign(b=None))).mean() < 1.2 * whole.mean()
    both = pd.concat([new[:2], new[:2].assign(a=None)])
    np.testing.assert_array_equal(model.predict_interval(both)[:2], model.predict_interval(new[:2]))


def test_weights_of_rows_count() -> None:
    X, y, _ = rows(80)
    weights = np.where(y == "low", 5.0, 1.0)
    plain = pc.StackedClassifier().fit(X, y)
    heavy = pc.StackedClassifier().fit(X, y, weights)
    low = list(plain.classes_).index("low")
    assert heavy.predict_proba(X)[:, low].mean() > plain.predict_proba(X)[:, low].mean() + 0.1
    zeros = pc.StackedClassifier().fit(X, y, np.where(np.arange(80) < 60, 1.0, 0.0))
    np.testing.assert_allclose(zeros.predict_proba(X), pc.StackedClassifier().fit(X[:60], y[:60]).predict_proba(X))


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
def test_few_rows_get_an_answer(n: int) -> None:
    X, _, z = rows(n, gaps=0.0)
    y = np.array(["yes", "no"] * 5)[:n]
    model = pc.StackedClassifier().fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert np.isfinite(pc.StackedRegressor().fit(X, z).predict(X)).all()


# -- numbers


def test_intervals_cover_as_often_as_they_say() -> None:
    covered = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = rng.uniform(-2, 2, size=(900, 2))
        y = X[:, 0] + 2 * X[:, 1] + rng.normal(size=900) * np.where(X[:, 0] > 0, 1.0, 0.2)
        model = pc.StackedRegressor([pc.KNNRegressor(10), pc.LocallyWeightedRegressor(100)]).fit(X[:400], y[:400])
        ends = [model.predict_interval(X[400:], level).T for level in (0.5, 0.8, 0.9)]
        covered.append([np.mean((low <= y[400:]) & (y[400:] <= high)) for low, high in ends])
    np.testing.assert_allclose(np.mean(covered, axis=0), [0.5, 0.8, 0.9], atol=0.025)
    low, high = model.predict_interval(X[400:]).T
    noisy = X[400:, 0] > 0
    assert (high - low)[noisy].mean() > 2 * (high - low)[~noisy].mean()
    quantiles = model.predict_quantiles(X[400:410], [0.05, 0.5, 0.95])
    assert (np.diff(quantiles, axis=1) > 0).all()
    np.testing.assert_allclose(quantiles[:, [0, 2]], model.predict_interval(X[400:410], 0.9))
    mean, std = model.predict(X[400:], return_std=True)
    assert np.sqrt((((y[400:] - mean) / std) ** 2).mean()) == pytest.approx(1.0, abs=0.12)


def test_weighted_quantiles_are_those_of_the_heavy_rows() -> None:
    rng = np.random.default_rng(3)
    X, noisy = rng.uniform(-2, 2, size=(1200, 1)), np.arange(1200) % 2 == 0
    y = X[:, 0] + rng.normal(size=1200) * np.where(noisy, 1.0, 0.1)
    model = pc.StackedRegressor([pc.KNNRegressor(20)]).fit(X[:800], y[:800], np.where(noisy, 1.0, 1e-3)[:800])
    for level in (0.5, 0.9):
        low, high = model.predict_interval(X[800:], level).T
        held = (low <= y[800:]) & (y[800:] <= high)
        assert held[noisy[800:]].mean() == pytest.approx(level, abs=0.06)


def test_a_member_that_explodes_is_held_near_the_targets() -> None:
    X = np.append(np.linspace(0, 1, 60), 100.0)[:, None]
    y = np.append(np.linspace(0, 1, 60), 0.5)
    steep = make_pipeline(_columns([0]), LinearRegression())
    model = pc.StackedRegressor([steep]).fit(X[:60], y[:60])
    assert model.weights_["Pipeline"] > 0.9
    assert model.predict([[100.0]])[0] <= 1.1
    assert model.predict([[0.25]])[0] == pytest.approx(0.25, abs=0.02)


# -- results


def test_the_stack_prints_draws_and_becomes_a_frame() -> None:
    X, y, z = rows(60)
    stack = pc.StackedClassifier([pc.KNNClassifier(), pc.NaiveBayes()]).fit(X, y).stack_
    assert "KNNClassifier" in str(stack)
    assert "log-score" in str(stack)
    assert "<table>" in stack._repr_html_()
    frame = stack.frame()
    assert list(frame.columns) == ["member", "weight", "temperature", "log_score", "scored_by"]
    assert frame["weight"].sum() == pytest.approx(1.0)
    assert len(stack.plot().patches) == 3
    numeric = pc.StackedRegressor([pc.KNNRegressor()]).fit(X, z).stack_
    assert list(numeric.frame("polars").columns) == ["member", "weight", "rmse", "scored_by"]


# -- the encoder


def test_the_encoder_takes_every_kind() -> None:
    frame = as_every_kind(training_rows(40, seed=1))
    from checks.containers import KINDS

    encoder = TableEncoder(schema=KINDS).fit(frame)
    matrix = encoder.transform(frame)
    assert matrix.shape == (40, len(encoder.get_feature_names_out()))
    assert np.isfinite(matrix).all()
    assert len(set(encoder.get_feature_names_out())) == matrix.shape[1]
    known = frame["age"].notna().to_numpy()
    column = matrix[:, list(encoder.get_feature_names_out()).index("age")]
    assert column[known].mean() == pytest.approx(0.0, abs=1e-12)
    assert column[known].std() == pytest.approx(1.0)
    np.testing.assert_array_equal(column[~known], 0.0)


def test_the_encoder_keeps_the_most_frequent_values() -> None:
    values = [f"v{i}" for i in range(50) for _ in range(i + 1)]
    encoder = TableEncoder().fit(pd.DataFrame({"v": values}))
    assert sorted(encoder.get_feature_names_out()) == sorted(f"v=v{i}" for i in range(18, 50))
    assert encoder.transform(pd.DataFrame({"v": ["v3", None, "new"]})).sum() == 0.0
    assert len(numbers(training_rows(5))) == len(classes(training_rows(5)))


def test_the_encoder_numbers_the_most_frequent_values() -> None:
    values = [f"v{i}" for i in range(300) for _ in range(2 if i < 200 else 1)]
    frame = pd.DataFrame({"n": np.arange(len(values)), "v": values})
    encoder = TableEncoder(nominal="codes").fit(frame)
    assert encoder.get_feature_names_out().tolist() == ["n", "v"]
    assert encoder.categorical_mask_.tolist() == [False, True]
    codes = encoder.transform(frame)[:, 1]
    np.testing.assert_array_equal(np.unique(codes[~np.isnan(codes)]), np.arange(250))
    known = ~np.isnan(codes)
    assert len(set(zip(codes[known].tolist(), np.array(values)[known].tolist(), strict=True))) == 250
    assert np.isnan(encoder.transform(pd.DataFrame({"n": [1, 2, 3], "v": ["v299", None, "new"]}))[:, 1]).all()


def test_boosted_trees_get_values_as_categories() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"v": rng.integers(0, 200, 600).astype(str), "w": rng.choice(["a", "b"], 600)})
    y = np.where((X["v"].astype(int) % 2 == 0) ^ (X["w"] == "a"), "yes", "no")
    model = pc.StackedClassifier({"boosting": HistGradientBoostingClassifier(min_samples_leaf=2)}).fit(X, y)
    assert model.members_["boosting"][-1].categorical_features.tolist() == [True, True]
    assert model.members_["boosting"][0].nominal == "codes"
    given = HistGradientBoostingClassifier(categorical_features=None)
    assert pc.StackedClassifier({"boosting": given}).fit(X, y).members_["boosting"][0].nominal == "indicators"


@pytest.mark.parametrize("n", [40, 80])
def test_boosted_trees_are_a_member_where_there_are_rows_to_split(n: int) -> None:
    X, y, z = rows(n)
    assert ("boosting" in pc.StackedClassifier().fit(X, y).weights_) == (n == 80)
    assert ("boosting" in pc.StackedRegressor().fit(X, z).weights_) == (n == 80)


def test_a_rule_of_several_columns_is_learned() -> None:
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.choice(["low", "middle", "high"], size=(800, 6)), columns=list("abcdef"))
    safe = (X["a"] != "low") & ((X["b"] == "high") | (X["c"] == "high")) & (X["d"] != "high")
    y = np.where(safe, np.where(X["e"] == "low", "fair", "good"), "bad")
    found = pc.StackedClassifier().fit(X[:600], y[:600])
    assert (found.predict(X[600:]) == y[600:]).mean() > 0.98
    assert max(found.weights_, key=lambda name: found.weights_[name]) == "boosting"


# -- errors

ERRORS: list[tuple[Any, type[Exception], str]] = [
    (lambda X, y: pc.StackedClassifier([]).fit(X, y), ValueError, "at least one classifier"),
    (lambda X, y: pc.StackedClassifier([pc.KNNRegressor()]).fit(X, y), ValueError, "expected an unfitted classifier"),
    (lambda X, y: pc.StackedClassifier([LinearSVC()]).fit(X, y), ValueError, "with predict_proba"),
    (lambda X, y: pc.StackedClassifier([pc.KNNClassifier]).fit(X, y), ValueError, "expected an unfitted classifier"),
    (
        lambda X, y: pc.StackedClassifier({"baseline": pc.NaiveBayes()}).fit(X, y),
        ValueError,
        "a member named 'baseline'",
    ),
    (lambda X, y: pc.StackedClassifier(["naive_bays"]).fit(X, y), ValueError, "Did you mean 'naive_bayes'"),
    (lambda X, y: pc.StackedClassifier(["baseline"]).fit(X, y), ValueError, "which is always a member"),
    (lambda X, y: pc.StackedRegressor(["naive_bayes"]).fit(X, X.index), ValueError, "does not predict numbers"),
    (lambda X, y: pc.StackedClassifier("knn").fit(X, y), ValueError, "members must be"),
    (lambda X, y: TableEncoder(nominal="numbers").fit(X), ValueError, "nominal must be"),
    (lambda X, y: pc.StackedClassifier(folds=1).fit(X, y), ValueError, "folds must be"),
    (lambda X, y: pc.StackedClassifier(prior=0.5).fit(X, y), ValueError, "prior must be"),
    (lambda X, y: pc.StackedClassifier(random_state=-1).fit(X, y), ValueError, "random_state"),
    (lambda X, y: pc.StackedClassifier().fit(X, np.column_stack([y, y])), ValueError, "one class for each row"),
    (lambda X, y: pc.StackedRegressor().fit(X, y), ValueError, "real numbers"),
    (lambda X, y: pc.StackedRegressor().fit(X, np.ones((60, 2))), ValueError, "one number for each row"),
    (lambda X, y: pc.StackedClassifier([pc.NaiveBayes()]).fit(X, y).precedents(X), AttributeError, "precedents"),
    (lambda X, y: pc.StackedClassifier().precedents(X), NotFittedError, "not fitted"),
    (lambda X, y: pc.StackedRegressor().fit(X, X.index).predict_interval(X, 1.0), ValueError, "level"),
    (lambda X, y: pc.StackedRegressor().fit(X, X.index).predict_quantiles(X, [0.0]), ValueError, "between 0 and 1"),
    (lambda X, y: pc.StackedRegressor().fit(X[:1], [1.0]).predict_interval(X), ValueError, "at least two rows"),
    (
        lambda X, y: pc.StackedClassifier([KNeighborsClassifier()]).fit(X, y, np.arange(60)),
        ValueError,
        "does not accept sample_weight",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), ERRORS)
def test_errors(call: Any, error: type[Exception], words: str) -> None:
    X, y, _ = rows(60)
    with pytest.raises(error, match=words):
        call(X, y)


def test_wide_tables_get_no_trees_which_would_take_long() -> None:
    rng = np.random.default_rng(0)
    for columns, bayes in ((10, "tree_averaged_bayes"), (130, "subset_averaged_bayes")):
        model = pc.StackedClassifier().fit(rng.normal(size=(60, columns)), rng.choice(["a", "b"], 60))
        assert [name for name in model.weights_ if "averaged" in name] == [bayes]


@pytest.mark.parametrize("load", [pc.datasets.load_penguins, pc.datasets.load_flats])
def test_every_name_that_a_default_stack_prints_is_a_member(load):
    X, y = load()
    cls = pc.StackedClassifier if load is pc.datasets.load_penguins else pc.StackedRegressor
    X, y = X[::3], y[::3]
    default = cls(random_state=0).fit(X, y)
    named = cls(members=list(default.stack_.names), random_state=0).fit(X, y)
    assert set(named.stack_.names) == set(default.stack_.names)
    for name in ("logistic", "boosting", "local_naive_bayes", "ridge", "local_linear_relief"):
        if name in default.members_:
            assert str(named.members_[name]) == str(default.members_[name])
    few = cls(members=["boosting", "knn"], random_state=0).fit(X[::9], y[::9])
    assert "boosting" in few.stack_.names
