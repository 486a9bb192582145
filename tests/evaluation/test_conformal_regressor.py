"""Intervals with a guarantee: the definitions, what is proved of them, and that the ways to make them agree."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations
from typing import Any

import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import conformal as slow
from tables import mixed_rows
from toy_learners import Middle, Nearest

import priorcase as pc
from priorcase.evaluation import ConformalRegressor, conformal
from priorcase.evaluation.conformal import LeftOut, forgetting

POINTS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 9)), min_size=3, max_size=8)
ALPHAS = st.sampled_from([0.05, 0.1, 0.2, 0.25, 0.4])


def learn_by(estimator: Any) -> slow.NumberLearner:
    """A toy learner as the reference takes one."""

    def learn(rows: Sequence[Any], y: Sequence[Any]) -> Any:
        model = type(estimator)().fit(np.array(rows), np.array(y))
        if isinstance(estimator, Middle):
            return lambda row: (float(model.predict([row])[0]), 1.0)
        return lambda row: tuple(float(part[0]) for part in model.predict([row], return_std=True))

    return learn


def folds_of(model: ConformalRegressor) -> list[list[int]]:
    return [fold.tolist() for fold in model._left_out.folds]


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("method", ["cv+", "jackknife+", "jackknife-minmax"])
@given(points=POINTS, alpha=ALPHAS)
@settings(max_examples=15)
def test_the_definition(points: list[tuple[int, int]], alpha: float, method: Any, scaled: bool) -> None:
    rows, y = [[x] for x, _ in points], [y for _, y in points]
    folds = {"folds": 3} if method == "cv+" else {}
    model = ConformalRegressor(Nearest(), method=method, nonconformity="scaled" if scaled else "absolute", **folds)
    found = model.fit(rows, y).predict_interval([[x] for x in range(-1, 8)], level=1 - alpha)
    exact = 1 - Fraction(repr(1 - alpha))
    for query, ends in zip(range(-1, 8), found.tolist(), strict=True):
        learn = learn_by(Nearest())
        if method == "jackknife-minmax":
            expected = slow.minmax_interval(learn, rows, y, [query], exact, scaled=scaled)
        else:
            expected = slow.plus_interval(learn, rows, y, folds_of(model), [query], exact, scaled=scaled)
        assert tuple(ends) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("learner", [Nearest(), Middle()])
@given(points=POINTS, alpha=ALPHAS)
@settings(max_examples=20)
def test_of_any_rows_no_more_are_missed_than_proved(points: list[Any], alpha: float, learner: Any) -> None:
    """Each row in turn is the new one: what is proved holds of every table, not only on average (Theorems 1 and 3)."""
    held = {"jackknife+": 0, "jackknife-minmax": 0}
    for t, (x, y) in enumerate(points):
        others = points[:t] + points[t + 1 :]
        for method in held:
            model = ConformalRegressor(learner, method=method).fit([[x] for x, _ in others], [y for _, y in others])
            lower, upper = model.predict_interval([[x]], level=1 - alpha)[0]
            held[method] += lower <= y <= upper
    share = {method: Fraction(count, len(points)) for method, count in held.items()}
    assert share["jackknife+"] >= 1 - 2 * Fraction(str(alpha))
    assert share["jackknife-minmax"] >= 1 - Fraction(str(alpha))


@pytest.mark.parametrize("learner", [Nearest(), Middle()])
@pytest.mark.parametrize("alpha", [0.1, 0.25])
def test_over_all_orders_no_more_are_missed_by_folds_than_proved(learner: Any, alpha: float) -> None:
    """Theorem 4, by every order of five rows of which the last one is new."""
    points = [(0, 0), (1, 9), (2, 0), (2, 7), (5, 1)]
    held = 0
    for order in permutations(points):
        model = ConformalRegressor(learner, folds=2).fit([[x] for x, _ in order[:4]], [y for _, y in order[:4]])
        lower, upper = model.predict_interval([[order[4][0]]], level=1 - alpha)[0]
        held += lower <= order[4][1] <= upper
    assert Fraction(held, 120) >= slow.coverage_bound(Fraction(str(alpha)), 4, 2)


def test_a_worked_example() -> None:
    """Four rows, medians 2, 2, 1 and 1 without each, residuals 2, 1, 1 and 7."""
    X, y = [[0], [1], [2], [3]], [0.0, 1.0, 2.0, 8.0]
    model = ConformalRegressor(Middle(), method="jackknife+").fit(X, y)
    np.testing.assert_array_equal(model.residuals_, [2.0, 1.0, 1.0, 7.0])
    # Ends 2 - 2, 2 - 1, 1 - 1, 1 - 7 and 2 + 2, 2 + 1, 1 + 1, 1 + 7; the first and the fourth of the four.
    np.testing.assert_array_equal(model.predict_interval([[9]], level=0.8), [[-6.0, 8.0]])
    # The second of the lower ends, 0, and the third of the upper ones, 4.
    np.testing.assert_array_equal(model.predict_interval([[9]], level=0.6), [[0.0, 4.0]])
    assert model.predict([[9]]).tolist() == [1.0]


def test_too_few_rows_for_a_level_are_told_by_infinite_ends() -> None:
    X, y = [[float(i)] for i in range(8)], [float(i) for i in range(8)]
    for method in ("cv+", "jackknife+", "jackknife-minmax"):
        folds = {"folds": 4} if method == "cv+" else {}
        model = ConformalRegressor(pc.KNNRegressor(2), method=method, **folds).fit(X, y)
        np.testing.assert_array_equal(model.predict_interval(X[:2], level=0.9), [[-math.inf, math.inf]] * 2)
        assert np.isfinite(model.predict_interval(X[:2], level=0.88)).all()  # ceil(0.88 * 9) is 8


def test_levels_are_the_decimals_they_were_written_as() -> None:
    """In floats 0.07 * 100 is 7.000000000000001, whose next whole number is 8."""
    X, y = [[0.0]] * 99, np.arange(99.0)
    model = ConformalRegressor(Middle(), folds=99).fit(X, y)
    near, far = model.predict_interval([[0.0]], level=0.07)[0], model.predict_interval([[0.0]], level=0.0700001)[0]
    expected = slow.plus_interval(learn_by(Middle()), X, y.tolist(), folds_of(model), [0.0], Fraction(93, 100))
    assert tuple(near) == expected
    assert tuple(far) != tuple(near)


def test_a_prediction_without_spread() -> None:
    """Two equal rows have distance 0: exact predictions have residual 0, others an infinite one."""
    rows, y = [[1], [1], [5], [5], [9], [9], [20]], [1.0, 1.0, 3.0, 4.0, 6.0, 6.0, 2.0]
    model = ConformalRegressor(Nearest(), method="jackknife+", nonconformity="scaled").fit(rows, y)
    assert model.residuals_[[0, 1, 4, 5]].tolist() == [0.0] * 4
    assert np.isinf(model.residuals_[[2, 3]]).all()
    assert np.isinf(model.predict_interval([[5]], level=0.8)[0]).all()


# -- how the models are made changes nothing


@pytest.mark.parametrize(
    "learner",
    [
        pc.KNNRegressor(3),
        pc.KNNRegressor("sqrt", vote="inverse_square", distance="gower"),
        pc.LocallyWeightedRegressor(8),
        pc.RBFNetworkRegressor(6),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_forgetting_a_row_is_fitting_without_it(learner: Any) -> None:
    rows = mixed_rows(36, seed=3, gaps=0.1)
    y = np.random.default_rng(0).normal(size=36)
    model = ConformalRegressor(learner, method="jackknife+").fit(rows, y)
    assert model._left_out.pickled
    other = LeftOut(learner, rows, y, model._left_out.folds)
    for fold in (0, 17, 35):
        queries = mixed_rows(5, seed=fold, gaps=0.1)
        np.testing.assert_array_equal(
            model._left_out.without(fold).predict(queries), other.without(fold).predict(queries)
        )


def test_few_models_are_kept_and_many_are_made_when_asked() -> None:
    X, y = np.arange(40.0)[:, None], np.arange(40.0)

    def source(learner: Any, **parameters: Any) -> str:
        left_out = ConformalRegressor(learner, **parameters).fit(X, y)._left_out
        return "kept" if left_out.models else "forgetting" if left_out.pickled else "refitting"

    assert source(Nearest()) == "kept"
    assert source(Nearest(), folds=31) == "refitting"
    assert source(Nearest(), method="jackknife+") == "refitting"
    assert source(pc.KNNRegressor(2), folds=40) == "forgetting"
    assert source(pc.KNNRegressor(2, vote=lambda distances: 1 / (1 + distances)), folds=40) == "refitting"
    assert not forgetting(pc.KNNRegressor(2).fit(X, y).forget([3]), 39)


@pytest.mark.parametrize("method", ["cv+", "jackknife+", "jackknife-minmax"])
def test_batches_blocks_and_jobs(method: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    X, y, queries = rng.normal(size=(45, 3)), rng.normal(size=45), rng.normal(size=(23, 3))
    expected = ConformalRegressor(pc.KNNRegressor(4), method=method).fit(X, y).predict_interval(queries)
    jobs = ConformalRegressor(pc.KNNRegressor(4), method=method, n_jobs=2)
    with joblib.parallel_config(backend="threading"):
        np.testing.assert_array_equal(jobs.fit(X, y).predict_interval(queries), expected)
        monkeypatch.setattr(conformal, "_NUMBERS", 45 * 7)
        np.testing.assert_array_equal(jobs.predict_interval(queries), expected)
        alone = [jobs.predict_interval(queries[i : i + 1])[0] for i in range(0, len(queries), 5)]
        np.testing.assert_array_equal(alone, expected[::5])


def test_rows_may_change_after_they_were_learned() -> None:
    X, y = np.arange(40.0)[:, None], np.arange(40.0)
    for learner in (Nearest(), pc.KNNRegressor(2)):
        model = ConformalRegressor(learner, method="jackknife+").fit(X.copy(), y)
        mine = X.copy()
        other = ConformalRegressor(learner, method="jackknife+").fit(mine, y)
        mine[:] = 0.0
        np.testing.assert_array_equal(other.predict_interval(X[:3]), model.predict_interval(X[:3]))


def test_a_random_learner_is_seeded() -> None:
    from sklearn.tree import ExtraTreeRegressor

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    model = ConformalRegressor(ExtraTreeRegressor(), method="jackknife+").fit(X, y)
    first = model.predict_interval(X[:4])
    np.testing.assert_array_equal(model.predict_interval(X[:4]), first)
    np.testing.assert_array_equal(model.fit(X, y).predict_interval(X[:4]), first)
    assert model.estimator.random_state is None
    assert (ConformalRegressor(ExtraTreeRegressor(), folds=40, random_state=1).fit(X, y).residuals_ > 0).any()


def test_a_call_that_fails_changes_nothing() -> None:
    X, y = np.arange(40.0)[:, None], np.arange(40.0)
    model = ConformalRegressor(pc.KNNRegressor(2)).fit(X, y)
    before = model.predict_interval(X[:3])
    with pytest.raises(pc.exceptions.EvaluationError):
        model.fit(X[:5], y[:5])
    np.testing.assert_array_equal(model.predict_interval(X[:3]), before)
