"""Laws of local regression: polynomials, hat rows, leave-one-out, state without history, Mitchell's rule."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import local_regression as reference
from sklearn.base import clone

from priorcase.exceptions import FarQueryWarning, LocalConvergenceWarning
from priorcase.local import LocallyWeightedRegressor
from priorcase.local.fits import robustness_weights, weighted_median
from priorcase.neighbors import KNNRegressor
from tests.local.test_local_regression import (
    KINDS,
    SCHEMA,
    all_distances,
    ranked,
    rows_of,
    spreads,
    targets_of,
    weights_of,
)

REACHES: list[dict[str, Any]] = [
    {"n_neighbors": 25},
    {"n_neighbors": "all", "kernel": "gaussian"},
    {"bandwidth": 1.4},
    {"bandwidth": 0.5, "kernel": "exponential"},
    {"span": 0.7},
    {"n_neighbors": 30, "bandwidth": 1.0, "kernel": "biweight"},
]


def numbers(n: int, columns: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).uniform(-1, 1, size=(n, columns))


def polynomial(X: Any, degree: int) -> Any:
    """A polynomial in all columns."""
    value = 3.0 + (X @ np.arange(1.0, X.shape[1] + 1) if degree else 0.0)
    return value + (X[:, 0] * X[:, -1] * 2 - X[:, 0] ** 2 if degree == 2 else 0.0) + np.zeros(len(X))


@pytest.mark.parametrize("parameters", REACHES, ids=str)
@pytest.mark.parametrize("degree", [0, 1, 2])
def test_polynomials_of_the_degree_are_reproduced(degree: Any, parameters: Any) -> None:
    X, Q = numbers(80, 2), numbers(20, 2, seed=1) * 0.8
    model = LocallyWeightedRegressor(degree=degree, **parameters).fit(X, polynomial(X, degree))
    np.testing.assert_allclose(model.predict(Q), polynomial(Q, degree), rtol=1e-9)
    if degree:
        gradient = np.array([1.0, 2.0]) + (degree == 2) * np.stack([2 * Q[:, 1] - 2 * Q[:, 0], 2 * Q[:, 0]], axis=1)
        np.testing.assert_allclose(model.coefficients(Q).slopes, gradient, rtol=0, atol=1e-7)


@pytest.mark.parametrize("kernel", sorted(reference.KERNELS))
@pytest.mark.parametrize("k", [1, 7, 40, "all"])
def test_degree_0_is_the_vote_of_the_neighbours(k: Any, kernel: str) -> None:
    rows, queries = rows_of(40, 1), rows_of(15, 2)
    y = targets_of(rows)
    ours = LocallyWeightedRegressor(k, degree=0, kernel=kernel, schema=SCHEMA).fit(rows, y)
    votes = KNNRegressor(k, vote=kernel, schema=SCHEMA).fit(rows, y)
    np.testing.assert_allclose(ours.predict(queries), votes.predict(queries), rtol=1e-12, atol=1e-12)


@given(
    seed=st.integers(0, 10_000),
    degree=st.sampled_from([0, 1, 2]),
    kernel=st.sampled_from(["tricube", "gaussian", "uniform", "inverse_power"]),
    ridge=st.sampled_from([0.0, 0.5]),
)
@settings(max_examples=40)
def test_hat_rows_sum_to_1(seed: int, degree: Any, kernel: str, ridge: float) -> None:
    rows, queries = rows_of(30, seed), rows_of(4, seed + 1)
    model = LocallyWeightedRegressor(12, degree=degree, kernel=kernel, ridge=ridge if degree else 0.0, schema=SCHEMA)
    y = targets_of(rows)
    for one in model.fit(rows, y).precedents(queries):
        assert one.votes.sum() == pytest.approx(1.0, abs=1e-7)
        assert one.votes @ one.targets == pytest.approx(one.predictions[0], abs=1e-6 * np.abs(y).max())


@pytest.mark.parametrize("degree", [0, 1, 2])
@pytest.mark.parametrize("kernel", ["gaussian", "tricube"])
def test_fixed_bandwidths_leave_one_out_by_the_hat_value(kernel: str, degree: Any) -> None:
    """e_i / (1 - s_ii) is exact where the bandwidth does not depend on the row (Atkeson, Moore & Schaal 1997)."""
    X = numbers(60, 2)
    y = np.sin(3 * X[:, 0]) + X[:, 1]
    for ridge in (0.0, 0.7) if degree else (0.0,):
        model = LocallyWeightedRegressor(bandwidth=0.9, kernel=kernel, degree=degree, ridge=ridge).fit(X, y)
        identity = (y - model.predict(X)) / (1 - model.hat_values())
        np.testing.assert_allclose(model.loo_residuals(), identity, rtol=0, atol=1e-9)


@pytest.mark.parametrize("parameters", [*REACHES, {"bandwidth": 0.3}], ids=str)
def test_leave_one_out_is_a_fit_without_the_row(parameters: Any) -> None:
    """Weights of the reference from the other rows' distances, with the statistics of the distance of all rows."""
    rows = rows_of(50, 3)
    y = targets_of(rows)
    model = LocallyWeightedRegressor(schema=SCHEMA, **parameters).fit(rows, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FarQueryWarning)
        residuals = model.loo_residuals()
    k = model.n_neighbors_ if parameters.get("n_neighbors") != "all" and "bandwidth" not in parameters else "all"
    k = parameters.get("n_neighbors", k)
    matrix, cells = all_distances(model, rows), ranked(rows)
    for i in range(0, 50, 7):
        others = [j for j in range(50) if j != i]
        span = None if "span" not in parameters else (model.n_neighbors_ + 0.5) / 49
        kernel = parameters.get("kernel", "tricube")
        weights = weights_of([matrix[i][j] for j in others], kernel, k, parameters.get("bandwidth"), span)
        if not any(weights):
            expected = reference.nearest_mean([matrix[i][j] for j in others], y[others])
        else:
            X = reference.design(cells[i], [cells[j] for j in others], KINDS, 1, weights)
            scales = reference.term_scales(cells[i], KINDS, 1, spreads(rows), X.shape[1])
            fit = reference.fit(X, weights, y[others], ridge=0.0, rcond=1e-10, scales=scales)
            expected = fit.prediction
        assert y[i] - residuals[i] == pytest.approx(expected, abs=1e-7)


def test_the_local_variance_is_unbiased() -> None:
    """E sum K e^2 = sigma^2 (n_LWR - p_LWR) with p_LWR = sum K_i z_i'(Z'Z)^-1 z_i = sum K_i^2 x_i'(Z'Z)^-1 x_i.

    With a single K, as the formula is sometimes printed, the sum is the number of parameters whatever the weights are.
    """
    X, q = numbers(30, 1, seed=4), np.zeros((1, 1))
    weights = reference.nearest_weights(np.abs(X[:, 0]).tolist(), 15, "tricube")
    K, design = np.array(weights), np.column_stack([np.ones(30), X])
    inverse = np.linalg.inv((design * K[:, None]).T @ design)
    quadratic = np.einsum("ij,jk,ik->i", design, inverse, design)
    assert (K * quadratic).sum() == pytest.approx(2.0)
    smoother = design @ inverse @ (design * K[:, None]).T
    left = np.eye(30) - smoother
    expected = np.trace(left.T @ np.diag(K) @ left)  # E sum K e^2 for noise of variance 1 around a line
    assert K.sum() - (K**2 * quadratic).sum() == pytest.approx(expected)
    assert K.sum() - 2.0 < expected - 0.1
    y = np.random.default_rng(5).normal(size=30)
    model = LocallyWeightedRegressor(15, distance="euclidean").fit(X, y)
    s = model.precedents(q)[0].votes
    sigma = np.sqrt((K * (left @ y) ** 2).sum() / expected)
    np.testing.assert_allclose(model.predict(q, return_std=True)[1], sigma * np.sqrt(1 + (s**2).sum()))


def test_intervals_cover_what_they_promise() -> None:
    rng = np.random.default_rng(6)
    X, Q = rng.uniform(size=(400, 1)), rng.uniform(0.1, 0.9, size=(200, 1))
    hits, means = [], []
    for _ in range(20):
        y = 2 * X[:, 0] + rng.normal(size=400) * 0.5
        model = LocallyWeightedRegressor(60, distance="euclidean").fit(X, y)
        lower, upper = model.predict_interval(Q, level=0.9).T
        new = 2 * Q[:, 0] + rng.normal(size=200) * 0.5
        hits.append(((lower <= new) & (new <= upper)).mean())
        low, high = model.confidence_interval(Q, level=0.9).T
        means.append(((low <= 2 * Q[:, 0]) & (2 * Q[:, 0] <= high)).mean())
    assert np.mean(hits) == pytest.approx(0.9, abs=0.02)
    assert np.mean(means) == pytest.approx(0.9, abs=0.04)


@pytest.mark.parametrize(
    "parameters",
    [*REACHES, {"bandwidth": "query"}, {}, {"bandwidth": "loo"}, {"n_neighbors": 15, "robust": 2}],
    ids=str,
)
def test_state_has_no_history(parameters: Any) -> None:
    rows, queries = rows_of(70, 7), rows_of(12, 8)
    y = targets_of(rows)
    y = np.stack([y, y[::-1]], axis=1)
    model = LocallyWeightedRegressor(schema=SCHEMA, **parameters)
    grown = clone(model).fit(rows_of(10, 99), np.zeros((10, 2)))
    for start in range(0, 70, 23):
        grown.partial_fit(rows[start : start + 23], y[start : start + 23])
    grown.forget(np.arange(10)).forget(10 + np.arange(0, 70, 5))
    left = [i for i in range(70) if i % 5]
    fresh = clone(model).fit([rows[i] for i in left], y[left])
    assert grown.digest() == fresh.digest()
    for one, other in ((grown, fresh), (pickle.loads(pickle.dumps(grown)), copy.deepcopy(fresh))):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FarQueryWarning)
            told = [m.predict(queries, return_std=True) for m in (one, other)]
            np.testing.assert_array_equal(told[0], told[1])
            np.testing.assert_array_equal(one.loo_residuals(), other.loo_residuals())
        np.testing.assert_array_equal(one.hat_values(), other.hat_values())
        np.testing.assert_array_equal(one.robust_weights_, other.robust_weights_)


@pytest.mark.parametrize("parameters", [*REACHES, {"bandwidth": "query"}, {"n_neighbors": 20, "robust": 2}], ids=str)
def test_batches_and_threads_change_no_bit(parameters: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, queries = rows_of(80, 9), rows_of(30, 10)
    y = targets_of(rows)
    whole = LocallyWeightedRegressor(schema=SCHEMA, n_jobs=1, **parameters).fit(rows, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FarQueryWarning)
        expected = whole.predict(queries, return_std=True)
        alone = [whole.predict([query], return_std=True) for query in queries]
        np.testing.assert_array_equal(np.concatenate(alone, axis=1), expected)
        monkeypatch.setattr("priorcase.local.windows.ENTRIES", 100)
        threaded = LocallyWeightedRegressor(schema=SCHEMA, n_jobs=3, **parameters).fit(rows, y)
        np.testing.assert_array_equal(threaded.predict(queries, return_std=True), expected)
        np.testing.assert_array_equal(threaded.loo_residuals(), whole.loo_residuals())


@pytest.mark.parametrize("parameters", [{"n_neighbors": 20}, {"n_neighbors": 20, "robust": 3}, {"span": 0.5}], ids=str)
def test_several_targets_are_several_models(parameters: Any) -> None:
    rows, queries = rows_of(60, 11), rows_of(10, 12)
    Y = np.stack([targets_of(rows), targets_of(rows, seed=1) ** 3], axis=1)
    both = LocallyWeightedRegressor(schema=SCHEMA, **parameters).fit(rows, Y)
    for t in range(2):
        one = LocallyWeightedRegressor(schema=SCHEMA, **parameters).fit(rows, Y[:, t])
        for ours, theirs in (
            (both.predict(queries, return_std=True), one.predict(queries, return_std=True)),
            (np.moveaxis(both.predict_interval(queries), -1, 0), one.predict_interval(queries).T),
            ([both.hat_values(), both.loo_residuals()], [one.hat_values(), one.loo_residuals()]),
            ([both.effective_neighbors(queries)], [one.effective_neighbors(queries)]),
        ):
            np.testing.assert_allclose(np.stack(ours)[:, :, t], np.stack(theirs), rtol=1e-12)
        np.testing.assert_allclose(both.coefficients(queries).slopes[:, t], one.coefficients(queries).slopes)
        np.testing.assert_array_equal(both.precedents(queries, target=t).votes, one.precedents(queries).votes)


def test_robust_rounds_follow_cleveland() -> None:
    X = numbers(60, 1)
    y = 3 * X[:, 0] + np.random.default_rng(2).normal(size=60) * 0.05
    y[[3, 30]] += 5.0
    plain = LocallyWeightedRegressor(30, robust=0).fit(X, y)
    once = LocallyWeightedRegressor(30, robust=1).fit(X, y)
    np.testing.assert_allclose(once.robust_weights_, reference.robustness(y - plain.predict(X)), atol=1e-12)
    twice = LocallyWeightedRegressor(30, robust=2).fit(X, y)
    np.testing.assert_allclose(twice.robust_weights_, reference.robustness(y - once.predict(X)), atol=1e-12)
    assert twice.robust_weights_[[3, 30]].tolist() == [0.0, 0.0]
    good = np.ones(60, dtype=bool)
    good[[3, 30]] = False
    assert np.abs(twice.predict(X) - 3 * X[:, 0])[good].max() < 0.1
    assert np.abs(plain.predict(X) - 3 * X[:, 0])[good].max() > 0.5
    exact = LocallyWeightedRegressor(30, robust=4).fit(X, X[:, 0])
    assert (exact.robust_weights_ == 1.0).all()


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 4)), min_size=1, max_size=9))
def test_weighted_medians_are_medians_of_repetitions(pairs: list[tuple[int, int]]) -> None:
    values, times = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    assert weighted_median(values, times) == np.median(np.repeat(values, times.astype(int)))


@pytest.mark.parametrize("degree", [0, 1, 2])
@pytest.mark.parametrize("ridge", [0.0, 0.5])
def test_mitchells_rule_rests_at_the_direct_solution(degree: Any, ridge: float) -> None:
    """Mitchell 1997, eq. 8.7 and exercise 8.1; gaps, values, collinear and constant columns included."""
    rows = [[*row, row[0], 7.0] for row in rows_of(60, 13)]
    queries = [[*row, row[0], 7.0] for row in rows_of(8, 14)]
    y = targets_of([row[:4] for row in rows])
    options: dict[str, Any] = {"degree": degree, "ridge": ridge if degree else 0.0, "schema": SCHEMA}
    direct = LocallyWeightedRegressor(35, **options).fit(rows, y)
    gradient = LocallyWeightedRegressor(35, solver="gradient", max_steps=200_000, **options).fit(rows, y)
    np.testing.assert_allclose(gradient.predict(queries), direct.predict(queries), rtol=0, atol=1e-5)


def test_mitchells_rule_taken_literally() -> None:
    """In raw coordinates with the origin at the query, w_0 comes to rest at the prediction and w at the slopes."""
    X, y, q = numbers(20, 2), numbers(20, 1, seed=3)[:, 0], np.array([[0.1, -0.2]])
    model = LocallyWeightedRegressor(12, kernel="gaussian", distance="euclidean").fit(X, y)
    weights = reference.nearest_weights(np.sqrt(((X - q) ** 2).sum(axis=1)).tolist(), 12, "gaussian")
    w = reference.descend(X - q, weights, y, steps=20_000)
    assert w[0] == pytest.approx(model.predict(q)[0], abs=1e-9)
    np.testing.assert_allclose(w[1:], model.coefficients(q).slopes[0], atol=1e-9)
    gradient = LocallyWeightedRegressor(12, kernel="gaussian", distance="euclidean", solver="gradient").fit(X, y)
    assert gradient.predict(q)[0] == pytest.approx(w[0], abs=1e-9)


def test_a_descent_that_does_not_rest_says_so() -> None:
    X = numbers(30, 2)
    y = X[:, 0] + 0.5 * X[:, 1]
    few = LocallyWeightedRegressor(20, solver="gradient", max_steps=2).fit(X, y)
    with pytest.warns(
        LocalConvergenceWarning, match=r"the fits at queries 0, 1 did not converge within max_steps=2"
    ) as got:
        few.predict(X[:2])
    assert got[0].message.queries == (0, 1)
    wild = LocallyWeightedRegressor(20, solver="gradient", learning_rate=1e6).fit(X, y)
    with pytest.warns(LocalConvergenceWarning, match="Increase max_steps or tol, or use solver='direct'"):
        assert np.isfinite(wild.predict(X[:2])).all()


def test_a_column_of_weight_0_counts_neither_in_distances_nor_in_fits() -> None:
    rng = np.random.default_rng(12)
    X, y = rng.normal(size=(40, 2)), rng.normal(size=40)
    telling = np.column_stack([X, y])
    plain = LocallyWeightedRegressor(25, attribute_weights=[1, 1]).fit(X, y)
    other = LocallyWeightedRegressor(25, attribute_weights=[1, 1, 0]).fit(telling, y)
    assert np.array_equal(other.predict(telling[:9]), plain.predict(X[:9]))


def test_rows_count_fully_where_the_median_residual_is_nothing_beside_the_mean() -> None:
    """As in Cleveland's program: else one row far from all others that fit would make dust of rounding count."""
    residuals = np.array([1e-9, 2e-9, 3e-9, 1.0])[:, None]
    assert robustness_weights(lambda _: residuals, np.ones((4, 1)), None, 2).tolist() == [[1]] * 4
    assert robustness_weights(lambda _: residuals[:3] / 3e-9, np.ones((3, 1)), None, 1)[-1].item() < 1
