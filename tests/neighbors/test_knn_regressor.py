"""KNNRegressor: against the slow reference, scikit-learn, worked examples and its own rules."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import knn as reference
from sklearn.base import clone
from sklearn.neighbors import KNeighborsRegressor
from tables import mixed_rows, row_lists

from priorcase.exceptions import TargetError, TooFewRowsError
from priorcase.neighbors import KNNRegressor
from priorcase.schema import Nominal, Numeric

KINDS = {0: Numeric(), 1: Nominal(), 2: Nominal()}


def all_distances(model: KNNRegressor, X: Any) -> list[list[float]]:
    """Distances of all stored rows from each query, in id order."""
    distances, ids = model.kneighbors(X, n_neighbors=model.n_samples_fit_)
    return np.take_along_axis(distances, np.argsort(ids, axis=1), axis=1).tolist()  # type: ignore[no-any-return]


def targets(n: int) -> Any:
    return np.round(np.random.default_rng(5).normal(size=n), 2)


@pytest.mark.parametrize("ties", ["majority", "first"])
@pytest.mark.parametrize("vote", ["uniform", "inverse_square", "triangular"])
@given(rows=row_lists(), queries=row_lists(max_size=3), data=st.data())
@settings(max_examples=20)
def test_answers_equal_the_reference(ties: Any, vote: str, rows: Any, queries: Any, data: st.DataObject) -> None:
    n = len(rows)
    y = data.draw(st.lists(st.integers(-50, 50).map(float), min_size=n, max_size=n))
    times = data.draw(st.none() | st.lists(st.integers(1, 3), min_size=n, max_size=n))
    k = data.draw(st.integers(1, n if times is None else sum(times)))
    model = KNNRegressor(k, ties=ties, vote=vote, schema=KINDS).fit(rows, y, sample_weight=times)
    kernel: Any = (lambda u: max(1 - u, 0.0)) if vote == "triangular" else vote
    predicted = model.predict(queries)
    for i, distances in enumerate(all_distances(model, queries)):
        expected = reference.regress(distances, y, k, vote=kernel, ties=ties, times=times)
        np.testing.assert_allclose(predicted[i], expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("shape", [(), (1,), (3,)])
def test_first_rule_is_scikit_learns(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    X, y, Q = rng.normal(size=(80, 3)), rng.normal(size=(80, *shape)), rng.normal(size=(30, 3))
    ours = KNNRegressor(7, distance="euclidean", ties="first").fit(X, y)
    theirs = KNeighborsRegressor(7, algorithm="brute").fit(X, y)
    assert ours.predict(Q).shape == theirs.predict(Q).shape
    np.testing.assert_allclose(ours.predict(Q), theirs.predict(Q))
    np.testing.assert_array_equal(ours.kneighbors(Q)[1], theirs.kneighbors(Q)[1])
    np.testing.assert_allclose(ours.score(Q, theirs.predict(Q)), 1.0)


def test_shepard_equals_a_vote_of_all() -> None:
    X, y = mixed_rows(50), targets(50)
    everyone = KNNRegressor("all", vote="inverse_square").fit(X, y)
    np.testing.assert_allclose(everyone.predict(X), KNNRegressor(50, vote="inverse_square").fit(X, y).predict(X))


def test_exact_matches_give_their_mean() -> None:
    model = KNNRegressor(3, vote="inverse_square").fit([[0.0], [0.0], [1.0]], [1.0, 2.0, 99.0])
    assert model.predict([[0.0]]).tolist() == [1.5]


def test_distance_tie_at_rank_k() -> None:
    X, y = [[0.0], [1.0], [-1.0]], [0.0, 3.0, 6.0]
    assert KNNRegressor(2, distance="euclidean").fit(X, y).predict([[0.0]]).tolist() == [3.0]
    assert KNNRegressor(2, distance="euclidean", ties="first").fit(X, y).predict([[0.0]]).tolist() == [1.5]


@given(rows=row_lists(), data=st.data(), vote=st.sampled_from(["uniform", "gaussian", "inverse_square"]))
@settings(max_examples=30)
def test_weight_equals_repetition(rows: Any, data: st.DataObject, vote: str) -> None:
    n = len(rows)
    times = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n).filter(any))
    y = data.draw(st.lists(st.integers(-9, 9).map(float), min_size=n, max_size=n))
    k = data.draw(st.integers(1, sum(times)) | st.sampled_from(["sqrt", "all", "loo"]))
    model = KNNRegressor(k, vote=vote, schema=KINDS)
    weighted = clone(model).fit(rows, y, sample_weight=times)
    repeated = clone(model).fit(reference.repeated(rows, times), reference.repeated(y, times))
    if k == "loo":
        np.testing.assert_allclose(weighted.loo_scores_, repeated.loo_scores_, atol=1e-9)
        return  # the least of nearly equal errors may differ in the last bit
    np.testing.assert_allclose(weighted.predict(rows), repeated.predict(rows), atol=1e-9)


def test_leave_one_out_curve() -> None:
    X, y = mixed_rows(20, gaps=0), targets(20)
    model = KNNRegressor("loo").fit(X, y)
    matrix = all_distances(model, X)
    for k in (1, 4, 19):
        errors = []
        for row in range(20):
            others = [other for other in range(20) if other != row]
            found = reference.regress([matrix[row][o] for o in others], [y[o] for o in others], k)
            errors.append((found - y[row]) ** 2)
        assert model.loo_scores_[k - 1] == pytest.approx(np.mean(errors))
    assert model.n_neighbors_ == int(np.argmin(model.loo_scores_)) + 1


def test_equal_targets_are_given_back_exactly() -> None:
    X = mixed_rows(30)
    assert (KNNRegressor(7, vote="gaussian").fit(X, [0.1] * 30).predict(X) == 0.1).all()


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1.0, np.nan], "Input y contains NaN"),
        ([1.0, None], "Input y contains NaN, None"),
        ([1.0, np.inf], "Input y contains infinity"),
        ([1.0, 10**400], "Input y contains infinity"),
        (["a", "b"], "real numbers, got text"),
        (np.array(["a", "b"]), "real numbers, got text"),
        (None, "requires y to be passed"),
        ([1.0, 2.0, 3.0], "X has 2 and y has 3"),
        (np.zeros((2, 1, 1)), "y should be a 1d array"),
    ],
    ids=str,
)
def test_bad_targets_are_refused(y: Any, message: str) -> None:
    with pytest.raises(TargetError, match=message):
        KNNRegressor(1).fit([[1.0], [2.0]], y)


def test_more_neighbors_than_rows() -> None:
    with pytest.raises(TooFewRowsError, match=r"KNNRegressor.predict: Expected n_neighbors <= n_samples_fit"):
        KNNRegressor().fit([[1.0]], [1.0]).predict([[1.0]])


def test_pickle_and_batches() -> None:
    X, y = mixed_rows(60), np.stack([targets(60), np.arange(60.0)], axis=1)
    model = KNNRegressor(5, vote="tricube").fit(X, y)
    expected = model.predict(X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), expected)
    np.testing.assert_array_equal(np.concatenate([model.predict([row]) for row in X]), expected)
