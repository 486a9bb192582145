"""Networks of radial basis functions: against the slow reference, on mixed rows with gaps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from reference import rbf as slow
from reference.distances import Cases
from tables import labels, mixed_rows

from priorcase._core import ridge_rows, ridge_spectrum
from priorcase.exceptions import FarQueryWarning
from priorcase.local import RBFNetworkClassifier, RBFNetworkRegressor
from priorcase.local.rbf.output_layer import PENALTIES

# Some queries are far from everything on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::priorcase.exceptions.FarQueryWarning")

KINDS = ("numeric", "nominal", "nominal", "numeric")
ROWS = mixed_rows(24, seed=3)
QUERIES = [*mixed_rows(6, seed=4), [None] * 4, [99.0, "violet", True, -9.0]]
CENTERS = ("kmeans", "em", "random", "stratified", "all")


def numbers(rows: list[list[Any]], seed: int = 5) -> NDArray[np.float64]:
    noise = np.random.default_rng(seed).normal(size=len(rows))
    return np.array([(row[0] or 2.0) + 3.0 * (row[1] == "red") for row in rows]) + 0.3 * noise


Y = numbers(ROWS)


def cases(rows: list[list[Any]]) -> Cases:
    return Cases(KINDS, tuple(map(tuple, rows)), tuple([0] * len(rows)))


def center_rows(model: Any) -> list[list[Any]]:
    frame = pd.DataFrame(model.centers_)
    return [[None if pd.isna(value) else value for value in row] for row in frame.astype(object).to_numpy().tolist()]


def slow_phi(model: Any, stored: list[list[Any]], queries: list[list[Any]]) -> NDArray[np.float64]:
    centers, widths = center_rows(model), model.widths_.tolist()
    return np.array([slow.activations(cases(stored), query, centers, widths) for query in queries])


# -- the decomposition in the core


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (5, 8), (300, 12), (700, 130)])
def test_the_core_decomposes_like_lapack(rows: int, columns: int) -> None:
    rng = np.random.default_rng(rows)
    A = rng.normal(size=(rows, columns)) * np.geomspace(1.0, 1e-9, columns)
    A[:, columns // 2] = A[:, 0]  # one direction less
    triangle = np.zeros((columns, columns))
    for block in np.array_split(A, 3):
        triangle = ridge_rows(triangle, np.ascontiguousarray(block))
    assert (np.tril(triangle, -1) == 0.0).all()
    np.testing.assert_allclose(triangle.T @ triangle, A.T @ A, rtol=1e-10, atol=1e-14 * np.square(A).sum())
    targets = rng.normal(size=(columns, 2))
    singular, right, projected = ridge_spectrum(triangle, targets)
    expected = np.linalg.svd(A, compute_uv=False)
    np.testing.assert_allclose(singular[: expected.size], expected, rtol=1e-6, atol=1e-14 * expected[0])
    kept = singular > 1e-13 * singular[0]
    np.testing.assert_allclose(right[kept] @ right[kept].T, np.eye(int(kept.sum())), atol=1e-12)
    # U' Y and U' R = S V' are the same turns of Y and R.
    np.testing.assert_allclose(
        projected[kept].T @ (singular[:, None] * right)[kept], targets.T @ triangle, atol=1e-11 * singular[0]
    )


# -- the network against the reference


@pytest.mark.parametrize("width", ["auto", "common", "neighbors", 0.7])
@pytest.mark.parametrize("centers", CENTERS)
def test_predictions_equal_the_reference(centers: Any, width: Any) -> None:
    model = RBFNetworkRegressor("auto" if centers == "all" else 9, centers=centers, width=width).fit(ROWS, Y)
    phi = slow_phi(model, ROWS, QUERIES)
    np.testing.assert_allclose(model.activations(QUERIES), phi, rtol=1e-9, atol=1e-12)
    weights, intercepts = slow.ridge(slow_phi(model, ROWS, ROWS), Y[:, None], model.alpha_)
    np.testing.assert_allclose(model.coef_, weights[:, 0], rtol=1e-5, atol=1e-6 * abs(weights).max())
    assert model.intercept_ == pytest.approx(intercepts[0], rel=1e-6, abs=1e-6)
    np.testing.assert_allclose(model.predict(QUERIES), phi @ weights[:, 0] + intercepts[0], rtol=1e-6, atol=1e-6)


def test_queries_that_no_centre_answers_are_named_once() -> None:
    model = RBFNetworkRegressor(2, width=0.1).fit([[0.0], [0.1], [0.9], [1.0]], [1.0, 2.0, 3.0, 5.0])
    with pytest.warns(FarQueryWarning, match=r"queries 1, 2 of 3 are far from all centers; the intercept") as caught:
        predicted = model.predict([[0.0], [50.0], [-50.0]])
    of_range, of_centers = caught  # the numbers themselves are far outside the stored range, too
    assert "outside the range of the stored rows" in str(of_range.message)
    assert of_centers.message.queries == (1, 2)
    assert of_centers.filename == __file__
    assert predicted[1:].tolist() == [model.intercept_] * 2


def test_em_widths_are_root_mean_variances() -> None:
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0.0, 0.5, (400, 2)), rng.normal(20.0, 1.5, (400, 2))])
    model = RBFNetworkRegressor(2, centers="em", width="em", distance="euclidean").fit(X, X[:, 0])
    centers = model.centers_.to_numpy()
    narrow = int(centers[:, 0].argmin())
    np.testing.assert_allclose(centers[[narrow, 1 - narrow]], [X[:400].mean(axis=0), X[400:].mean(axis=0)], atol=0.1)
    np.testing.assert_allclose(model.widths_[[narrow, 1 - narrow]], [0.5, 1.5], rtol=0.1)


@pytest.mark.parametrize("criterion", ["gcv", "loo"])
def test_scores_equal_brute_force(criterion: Any) -> None:
    weights = np.random.default_rng(1).integers(1, 4, len(ROWS))
    model = RBFNetworkRegressor(8, alpha=criterion, width=0.8).fit(ROWS, Y, sample_weight=weights)
    phi = np.repeat(slow_phi(model, ROWS, ROWS), weights, axis=0)
    targets = np.repeat(Y, weights)[:, None]
    curve = model.loo_curve_
    assert len(curve) == PENALTIES.size
    for alpha, score, freedom in zip(curve.alphas, curve.scores, curve.freedom, strict=True):
        brute = (
            slow.gcv(phi, targets, alpha) if criterion == "gcv" else (slow.left_out(phi, targets, alpha) ** 2).mean()
        )
        assert score == pytest.approx(brute, rel=1e-6)
        assert freedom == pytest.approx(np.trace(slow.hat(phi, alpha)), rel=1e-6)
    assert curve.chosen == curve.scores.argmin()
    assert model.alpha_ == curve.alphas[curve.chosen]


def test_width_and_penalty_are_chosen_together() -> None:
    model = RBFNetworkRegressor(10).fit(ROWS, Y)
    curve = model.loo_curve_
    assert len(np.unique(curve.widths)) == 6
    alone = [
        RBFNetworkRegressor(10, width=float(width)).fit(ROWS, Y).loo_curve_.scores.min()
        for width in np.unique(curve.widths)
    ]
    assert curve.scores.min() == pytest.approx(min(alone), rel=1e-9)
    assert model.widths_[0] == pytest.approx(curve.widths[curve.chosen])


@pytest.mark.parametrize("alpha", [0.0, 1e-3, 1.0, "gcv"])
def test_left_out_residuals_equal_fits_without_the_row(alpha: Any) -> None:
    model = RBFNetworkRegressor(6, alpha=alpha, width=0.9).fit(ROWS, Y)
    brute = slow.left_out(slow_phi(model, ROWS, ROWS), Y[:, None], model.alpha_)
    np.testing.assert_allclose(model.loo_residuals(), brute[:, 0], rtol=1e-5, atol=1e-6)


def test_left_out_residuals_are_in_the_order_of_ids() -> None:
    model = RBFNetworkRegressor(6, alpha=1e-2, width=0.9).fit(ROWS, Y)
    turned = RBFNetworkRegressor(6, alpha=1e-2, width=0.9).fit(ROWS[::-1], Y[::-1])
    np.testing.assert_allclose(turned.loo_residuals()[::-1], model.loo_residuals(), rtol=1e-9)


def test_half_a_row_is_left_out_whole() -> None:
    weights = np.full(len(ROWS), 0.5)
    half = RBFNetworkRegressor(6, alpha=0.5, width=0.9).fit(ROWS, Y, sample_weight=weights)
    whole = RBFNetworkRegressor(6, alpha=1.0, width=0.9).fit(ROWS, Y)
    np.testing.assert_allclose(half.loo_residuals(), whole.loo_residuals(), rtol=1e-9)


# -- interpolation


@pytest.mark.parametrize("width", ["auto", "common", "neighbors"])
def test_all_centers_without_penalty_pass_through_distinct_rows(width: Any) -> None:
    rng = np.random.default_rng(2)
    rows = [[float(a), str(c), float(b)] for a, b, c in zip(*rng.normal(size=(2, 80)), "xyzw" * 20, strict=True)]
    y = rng.normal(size=80)
    model = RBFNetworkRegressor(centers="all", alpha=0.0, width=width).fit(rows, y)
    assert model.n_centers_ == 80
    np.testing.assert_allclose(model.predict(rows), y, atol=1e-8)


def test_rows_that_differ_only_in_their_targets_get_the_mean() -> None:
    X, y = [[0.0], [0.0], [1.0], [2.0]], [1.0, 3.0, 5.0, 4.0]
    model = RBFNetworkRegressor(centers="all", alpha=0.0).fit(X, y)
    assert model.n_centers_ == 3
    np.testing.assert_allclose(model.predict([[0.0], [1.0], [2.0]]), [2.0, 5.0, 4.0], atol=1e-9)


def test_where_the_network_passes_through_everything_no_row_can_be_left_out() -> None:
    X = [[0.0], [1.0], [2.0]]
    model = RBFNetworkRegressor(centers="all", alpha=0.0, width=0.4).fit(X, [1.0, 5.0, 2.0])
    assert np.isinf(model.loo_curve_.scores).all()
    assert np.isinf(model.loo_residuals()).all()


# -- worked by hand


def test_one_bump_by_hand() -> None:
    # Rows at 0 and 1, range 1, one center at 0 of width 1: answers 1 and e^(-1/2).
    model = RBFNetworkRegressor(centers="all", alpha=0.0, width=1.0).fit([[0.0], [1.0]], [0.0, 1.0])
    a = 1.0 - math.exp(-0.5)
    # Two centers mirror each other: least weights -1/(2a) and 1/(2a).
    np.testing.assert_allclose(model.coef_, [-0.5 / a, 0.5 / a], rtol=1e-12)
    assert model.intercept_ == pytest.approx(0.5)


def test_far_from_all_centers_the_intercept_answers() -> None:
    model = RBFNetworkRegressor(4).fit([[float(i)] for i in range(20)], np.arange(20.0))
    assert model.predict([[1e6]])[0] == model.intercept_


# -- centers


def test_kmeans_centers_are_the_middles_of_their_rows() -> None:
    rng = np.random.default_rng(6)
    sizes = pd.Categorical(rng.choice(["S", "M", "L"], 90), categories=["S", "M", "L"], ordered=True)
    X = pd.DataFrame({"x": rng.normal(size=90), "c": rng.choice(["p", "q", "q", "r"], 90), "size": sizes})
    X.loc[::9, "x"] = np.nan
    X.loc[4::11, "c"] = None
    model = RBFNetworkRegressor(4).fit(X, rng.normal(size=90))
    ranks = {"S": 0, "M": 1, "L": 2}

    def plain(frame: pd.DataFrame) -> list[list[Any]]:
        values = frame.astype(object).to_numpy().tolist()
        return [[None if pd.isna(v) else ranks.get(v, v) for v in row] for row in values]

    kinds = ("numeric", "nominal", 3)
    rows, centers = plain(X), plain(model.centers_)
    everything = Cases(kinds, tuple(map(tuple, rows)), tuple([0] * len(rows)))
    owners = [slow.nearest(everything, row, centers) for row in rows]
    for u, center in enumerate(centers):
        members = [row for row, owner in zip(rows, owners, strict=True) if owner == u]
        assert members
        for a, kind in enumerate(kinds):
            expected = slow.middle([row[a] for row in members], kind, [row[a] for row in rows])
            assert center[a] == (pytest.approx(expected) if kind == "numeric" else expected)


def test_centers_drawn_at_random_are_rows() -> None:
    model = RBFNetworkRegressor(9, centers="random").fit(ROWS, Y)
    assert all(center in ROWS for center in center_rows(model))
    other = RBFNetworkRegressor(9, centers="random", random_state=1).fit(ROWS, Y)
    assert center_rows(other) != center_rows(model)


def test_strata_are_drawn_from_in_proportion() -> None:
    X = [[float(i)] for i in range(100)]
    y = ["common"] * 80 + ["seldom"] * 18 + ["rare"] * 2
    model = RBFNetworkClassifier(10, centers="stratified").fit(X, y)
    drawn = [y[int(center)] for center in model.centers_["x0"]]
    assert [drawn.count(name) for name in ("common", "seldom", "rare")] == [8, 1, 1]
    regressor = RBFNetworkRegressor(10, centers="stratified").fit(X, np.arange(100.0))
    np.testing.assert_array_equal(np.sort(regressor.centers_["x0"] // 10), np.arange(10))


def test_as_many_centers_as_the_rows_ask_for() -> None:
    X = np.random.default_rng(0).normal(size=(1000, 2))
    assert RBFNetworkRegressor().fit(X, X[:, 0]).n_centers_ == 124
    X = X[:400]
    assert RBFNetworkRegressor().fit(X, X[:, 0]).n_centers_ == 100
    assert RBFNetworkRegressor().fit(X[:9], X[:9, 0]).n_centers_ == 9


def test_only_gaps_in_common_and_infinite_distances() -> None:
    rows = [[1.0, None], [2.0, None], [None, 3.0], [None, 4.0], [5.0, 5.0]]
    for centers in CENTERS:
        model = RBFNetworkRegressor(centers=centers, distance="euclidean").fit(rows, [1.0, 2.0, 3.0, 4.0, 5.0])
        assert np.isfinite(model.predict([*rows, [None, None]])).all()


# -- classes


def test_probabilities_are_outputs_above_zero_with_the_best_left_out_log_score() -> None:
    y = labels(len(ROWS), seed=8)
    model = RBFNetworkClassifier(10).fit(ROWS, y)
    hot = np.array([[float(label == c) for c in ("a", "b", "c")] for label in y])
    weights, intercepts = slow.ridge(slow_phi(model, ROWS, ROWS), hot, model.alpha_)
    outputs = slow_phi(model, ROWS, QUERIES) @ weights + intercepts
    np.testing.assert_allclose(outputs.sum(axis=1), 1.0, rtol=1e-9)
    positive = np.maximum(outputs, 0.0)
    proba = model.predict_proba(QUERIES)
    phi, truth = slow_phi(model, ROWS, ROWS), hot.argmax(axis=1)
    left_out = np.maximum(hot - slow.left_out(phi, hot, model.alpha_), 0.0)

    def calibrated(shares: Any, temperature: float, equal: float) -> Any:
        raised = (shares / shares.sum(axis=1, keepdims=True)) ** (1 / temperature)
        return (1 - equal) * raised / raised.sum(axis=1, keepdims=True) + equal / 3

    def log_score(temperature: float, equal: float) -> float:
        """With one more row whose class has no share."""
        found = calibrated(left_out, temperature, equal)[np.arange(len(y)), truth]
        return float(np.log(found).sum() + np.log(equal / 3))

    temperatures = (0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.85, 1.0, 1.2, 1.5)
    best = max((log_score(t, u), t, u) for t in temperatures for u in np.arange(0.001, 1.0, 0.001))[1:]
    np.testing.assert_allclose(proba, calibrated(positive, *best), atol=2e-3)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(model.decision_function(QUERIES), outputs, rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(model.predict(QUERIES), model.classes_[proba.argmax(axis=1)])
    assert model.coef_.shape == (3, 10)
    assert model.intercept_.shape == (3,)


def test_two_classes_have_one_decision() -> None:
    model = RBFNetworkClassifier(4).fit(ROWS, [row[1] == "red" for row in ROWS])
    decision, proba = model.decision_function(QUERIES), model.predict_proba(QUERIES)
    assert decision.shape == (len(QUERIES),)
    np.testing.assert_array_equal(decision > 0, proba[:, 1] > proba[:, 0])


def test_a_declared_class_without_rows_is_the_least_likely() -> None:
    model = RBFNetworkClassifier(4).partial_fit(ROWS, labels(len(ROWS)), classes=["a", "b", "c", "d"])
    proba = model.predict_proba(QUERIES)
    np.testing.assert_array_equal(proba[:, 3], proba.min(axis=1))
    assert (proba > 0).all()


def test_a_single_class_is_certain() -> None:
    model = RBFNetworkClassifier().fit(ROWS, ["only"] * len(ROWS))
    np.testing.assert_allclose(model.predict_proba(QUERIES), 1.0)
