"""The range of the numbers that are no outliers: against loops, and while rows come and go."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from priorcase.neighbors import KNNClassifier, KNNRegressor
from priorcase.similarity import Absolute, Distance
from priorcase.similarity.statistics import inlier_range

NUMBERS = st.one_of(st.sampled_from([0.0, 1.0, 2.0, 3.0]), st.floats(-50, 50), st.sampled_from([1e3, -1e4, 1e300]))
COLUMNS = st.lists(NUMBERS, min_size=1, max_size=60)


def by_loops(numbers: list[float]) -> tuple[float, float]:
    ordered, n = sorted(numbers), len(numbers)
    if n < 20:
        return ordered[0], ordered[-1]
    first, last = (next(x for x in ordered if sum(y <= x for y in ordered) >= q * n) for q in (0.1, 0.9))
    spread = last - first
    inside = [x for x in ordered if spread == 0 or first - 4 * spread <= x <= last + 4 * spread]
    return min(inside), max(inside)


@given(COLUMNS)
def test_inliers_are_those_of_loops(numbers: list[float]) -> None:
    assert inlier_range(np.array(numbers))[:2] == by_loops(numbers)


@given(COLUMNS, st.data())
def test_so_many_more_numbers_between_the_ends_change_nothing(numbers: list[float], data: st.DataObject) -> None:
    low, high, more = inlier_range(np.array(numbers))
    inside = [x for x in numbers if low <= x <= high]
    added = data.draw(st.lists(st.sampled_from([low, high, *inside]), max_size=max(more, 0)))
    assert inlier_range(np.array([*numbers, *added]))[:2] == (low, high)


@given(st.lists(st.tuples(NUMBERS, st.integers(1, 4)), min_size=1, max_size=30))
def test_weights_are_repetitions(rows: list[tuple[float, int]]) -> None:
    numbers, weights = (np.array(part, float) for part in zip(*rows, strict=True))
    repeated = np.repeat(numbers, weights.astype(int))
    assert inlier_range(numbers, weights)[:2] == inlier_range(repeated)[:2]


def test_one_wild_number_does_not_flatten_a_column() -> None:
    rng = np.random.default_rng(0)
    years, noise = rng.integers(1995, 2020, 200).astype(float), rng.normal(size=200)
    X, y = np.c_[years, noise], 100 * (years - 1995)
    wild = np.r_[X, [[1320.0, 0.0]]], np.r_[y, 0.0]
    without = np.abs(KNNRegressor(5).fit(X, y).loo_predict() - y).mean()
    found = {
        d: np.abs(KNNRegressor(5, distance=d).fit(*wild).loo_predict()[:-1] - y).mean() for d in ("robust", "heom")
    }
    assert found["robust"] == pytest.approx(without, rel=0.05)
    assert found["heom"] > 3 * found["robust"]


def test_without_outliers_it_is_heom() -> None:
    X = np.random.default_rng(1).normal(size=(300, 4))
    y = ["a", "b", "c"] * 100
    default, heom = KNNClassifier().fit(X, y), KNNClassifier(distance="heom").fit(X, y)
    assert [term.scale for term in default.distance_.terms] == [term.scale for term in heom.distance_.terms]


@pytest.mark.parametrize("seed", range(4))
def test_rows_that_come_and_go_leave_no_trace(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = np.c_[rng.normal(size=160), np.exp(2 * rng.normal(size=160)), rng.integers(0, 3, 160)]
    X[rng.random(X.shape) < 0.1] = np.nan
    X[[15, 40, 90], [0, 2, 0]] = 1e4, -700.0, 1e6
    y = rng.choice(["a", "b"], 160)
    stream = KNNClassifier(3).fit(X[:8], y[:8]).prequential(X[8:], y[8:])
    model, answers = KNNClassifier(3).fit(X[:8], y[:8]), []
    for i in range(8, 160):
        answers.append(model.predict(X[i : i + 1])[0])
        model.partial_fit(X[i : i + 1], y[i : i + 1])
        if i % 10 == 0:
            assert model.distance_ == KNNClassifier(3).fit(X[: i + 1], y[: i + 1]).distance_
    assert stream.predictions.tolist() == answers
    gone = [15, 90, *range(100, 130)]
    left = np.delete(X, gone, axis=0)
    assert model.forget(gone).distance_ == KNNClassifier(3).fit(left, np.delete(y, gone)).distance_


def test_quantiles_that_are_equal_fall_back_to_the_range() -> None:
    X = np.array([[0.0]] * 90 + [[float(i)] for i in range(10)])
    model = KNNRegressor(1, distance=Distance(numeric=Absolute("robust"))).fit(X, X[:, 0])
    assert model.distance_.terms[0].scale == 9.0
    assert not math.isinf(inlier_range(np.array([1e308, -1e308]))[2])
