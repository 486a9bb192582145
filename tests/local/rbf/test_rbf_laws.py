"""Laws of the networks: no history, any threads, any order, weights as repetitions; and how they show themselves."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tables import COLUMNS, labels, mixed_rows, row_lists
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

import priorcase as pc
from priorcase.local import RBFNetworkClassifier, RBFNetworkRegressor

# Some queries are far from everything on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::priorcase.exceptions.FarQueryWarning")

ROWS = mixed_rows(50, seed=11)
QUERIES = [*mixed_rows(8, seed=12), [None] * 4, [99.0, "violet", None, -9.0]]
Y = np.array([(row[0] or 2.0) ** 2 - 4.0 * (row[1] == "red") for row in ROWS])
LABELS = labels(50, seed=13)
DESIGNS: list[dict[str, Any]] = [
    {},
    {"centers": "random", "n_centers": 7, "alpha": "gcv"},
    {"centers": "stratified", "n_centers": 6, "width": "common"},
    {"centers": "em", "n_centers": 5, "width": "em"},
    {"centers": "all", "width": "neighbors", "distance": "gower"},
]


def answers(model: Any) -> NDArray[np.float64]:
    if isinstance(model, RBFNetworkClassifier):
        return np.asarray(model.predict_proba(QUERIES))
    return model.predict(QUERIES)


def everything(model: Any) -> list[NDArray[np.float64]]:
    """All that was learned, in bits."""
    return [answers(model), model.widths_, model.coef_, np.atleast_1d(model.intercept_), model.loo_curve_.scores]


def same_bits(one: Any, other: Any) -> None:
    for left, right in zip(everything(one), everything(other), strict=True):
        np.testing.assert_array_equal(left, right)
    pd.testing.assert_frame_equal(pd.DataFrame(one.centers_), pd.DataFrame(other.centers_))


@pytest.mark.parametrize("design", DESIGNS)
def test_rows_that_came_and_went_leave_no_trace(design: dict[str, Any]) -> None:
    for estimator, y in ((RBFNetworkRegressor, Y), (RBFNetworkClassifier, np.array(LABELS))):
        fresh = estimator(**design).fit(ROWS[10:], y[10:])
        # The first rows hold values in another order, so that the codes of what is left differ from a fresh fit's.
        model = estimator(**design).partial_fit(ROWS[:20], y[:20]).partial_fit(ROWS[20:], y[20:])
        answers(model)
        same_bits(model.forget(np.arange(10)), fresh)
        assert model.digest() == fresh.digest()


@pytest.mark.parametrize("design", DESIGNS)
def test_threads_change_no_bit(design: dict[str, Any]) -> None:
    alone = RBFNetworkRegressor(**design, n_jobs=1).fit(ROWS, Y)
    for n_jobs in (2, 5):
        same_bits(RBFNetworkRegressor(**design, n_jobs=n_jobs).fit(ROWS, Y), alone)


@pytest.mark.parametrize("design", DESIGNS)
def test_the_order_of_rows_changes_no_bit(design: dict[str, Any]) -> None:
    order = np.random.default_rng(0).permutation(len(ROWS))
    turned = RBFNetworkRegressor(**design).fit([ROWS[i] for i in order], Y[order])
    same_bits(turned, RBFNetworkRegressor(**design).fit(ROWS, Y))


@pytest.mark.parametrize("design", DESIGNS)
def test_weights_are_repetitions(design: dict[str, Any]) -> None:
    times = np.random.default_rng(1).integers(0, 3, len(ROWS))
    rows = [row for row, n in zip(ROWS, times, strict=True) for _ in range(n)]
    if design.get("centers") == "stratified":
        design = design | {"random_state": 4}
    repeated = RBFNetworkRegressor(**design).fit(rows, np.repeat(Y, times))
    weighted = RBFNetworkRegressor(**design).fit(ROWS, Y, sample_weight=times)
    pd.testing.assert_frame_equal(repeated.centers_, weighted.centers_)
    np.testing.assert_allclose(answers(weighted), answers(repeated), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(weighted.loo_curve_.scores, repeated.loo_curve_.scores, rtol=1e-6)


def test_large_tables_in_blocks_and_any_batch() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(5_000, 3))
    y = np.sin(2.0 * X[:, 0]) + X[:, 1]
    model = RBFNetworkRegressor(100).fit(X, y)
    assert np.corrcoef(model.predict(X), y)[0, 1] > 0.99
    batch = model.predict(X[:40])
    np.testing.assert_array_equal(np.concatenate([model.predict(X[i : i + 1]) for i in range(40)]), batch)


def test_a_pickle_answers_as_before() -> None:
    model = RBFNetworkClassifier(6).fit(ROWS, LABELS)
    same_bits(pickle.loads(pickle.dumps(model)), model)


def test_several_targets_are_learned_side_by_side() -> None:
    both = RBFNetworkRegressor(8, alpha=0.1, width=1.0).fit(ROWS, np.column_stack([Y, -2.0 * Y]))
    alone = RBFNetworkRegressor(8, alpha=0.1, width=1.0).fit(ROWS, Y)
    np.testing.assert_allclose(both.predict(QUERIES), alone.predict(QUERIES)[:, None] * [1.0, -2.0], rtol=1e-9)
    assert both.coef_.shape == (2, 8)
    assert both.intercept_.shape == (2,)
    assert both.loo_residuals().shape == (50, 2)


def test_attribute_weights_stretch_the_distance() -> None:
    X = np.random.default_rng(4).normal(size=(60, 2))
    ignoring = RBFNetworkRegressor(10, attribute_weights=[1.0, 0.0]).fit(X, X[:, 0])
    moved = X + np.array([0.0, 5.0])
    np.testing.assert_allclose(ignoring.predict(moved), ignoring.predict(X))
    learned = RBFNetworkRegressor(10, attribute_weights="relief").fit(X, X[:, 0])
    assert learned.attribute_weights_.weights[0] > learned.attribute_weights_.weights[1]


@settings(max_examples=40, deadline=None)
@given(row_lists(min_size=2), st.sampled_from(["kmeans", "em", "random", "stratified", "all"]), st.integers(0, 3))
def test_any_small_table_is_learned(rows: list[list[Any]], centers: Any, seed: int) -> None:
    y = np.random.default_rng(seed).normal(size=len(rows))
    model = RBFNetworkRegressor(centers=centers, random_state=seed).fit(rows, y)
    assert np.isfinite(model.predict([*rows, [None] * 3, [1e300, "violet", None]])).all()
    classes = ["p" if number > 0 else "q" for number in y]
    proba = RBFNetworkClassifier(centers=centers, random_state=seed).fit(rows, classes).predict_proba(rows)
    assert (proba >= 0).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)


@pytest.mark.parametrize("scale", [2.0**-600, 2.0**600, 2.0**1020])
def test_numbers_of_any_size(scale: float) -> None:
    X = np.arange(12.0)[:, None] * scale
    model = RBFNetworkRegressor(4).fit(X, np.arange(12.0))
    expected = RBFNetworkRegressor(4).fit(np.arange(12.0)[:, None], np.arange(12.0))
    np.testing.assert_allclose(model.predict(X), expected.predict(np.arange(12.0)[:, None]), rtol=1e-6)


def test_a_constant_column_and_a_constant_target() -> None:
    model = RBFNetworkRegressor().fit([[1.0, "a"]] * 5, [2.0] * 5)
    np.testing.assert_allclose(model.predict([[1.0, "a"], [7.0, None]]), 2.0)
    assert model.n_centers_ == 1


# -- how it shows itself


def test_centers_come_in_the_library_fitted_with() -> None:
    columns: dict[str, Callable[[], Any]] = {"pandas": pd.DataFrame, "polars": pl.DataFrame}
    data = {name: [row[a] for row in ROWS] for a, name in enumerate(COLUMNS)}
    for make in columns.values():
        model = RBFNetworkRegressor(5).fit(make(data), Y)
        assert isinstance(model.centers_, make)  # type: ignore[arg-type]
        assert list(model.centers_.columns) == list(COLUMNS)
        assert np.isfinite(model.predict(model.centers_)).all()


def test_the_curve_prints_frames_and_draws() -> None:
    curve = RBFNetworkRegressor(5, width=1.0, alpha="gcv").fit(ROWS, Y).loo_curve_
    lines = str(curve).splitlines()
    assert lines[0].split() == ["width", "alpha", "parameters", "gcv"]
    assert lines[1].split()[0] == "1"
    assert lines[1].split()[-1] == "chosen"
    assert len(lines) == 2
    frame = curve.frame()
    assert list(frame.columns) == ["width", "alpha", "parameters", "gcv", "chosen"]
    assert frame["gcv"][frame["chosen"]].item() == curve.scores.min()
    assert "<table>" in curve._repr_html_()
    ax = curve.plot()
    assert ax.get_ylabel() == "gcv"
    assert len(ax.get_lines()) == 2
    assert curve.plot(ax) is ax


def test_refused_rows_and_a_failed_fit_change_nothing() -> None:
    model = RBFNetworkRegressor(30).fit(ROWS, Y)
    before = everything(model)
    with pytest.raises(ValueError, match="n_centers must be at most 3"):
        model.fit(ROWS[:3], Y[:3])
    for now, then in zip(everything(model), before, strict=True):
        np.testing.assert_array_equal(now, then)
    model.forget(model.ids_[3:])
    with pytest.raises(ValueError, match=r"RBFNetworkRegressor.predict: n_centers must be at most 3"):
        model.predict(QUERIES)
    model.forget(model.ids_)
    with pytest.raises(ValueError, match=r"RBFNetworkRegressor\.predict: "):
        model.predict(QUERIES)


def test_neither_n_jobs_nor_the_threads_of_blas_change_a_bit() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 3))
    y = np.sin(X[:, 0]) + X[:, 1]
    found = []
    for n_jobs, blas in ((1, 1), (3, 1), (1, 2), (2, 2)):
        with threadpool_limits(blas, "blas"):
            model = RBFNetworkRegressor(n_jobs=n_jobs).fit(X, y)
        found.append([model.loo_curve_.scores.tolist(), model.coef_.tolist(), model.loo_residuals().tolist()])
    assert found[1:] == found[:1] * 3


@pytest.mark.parametrize("seed", [34, 88, 149, 341, *range(12)])
def test_forgetting_the_last_row_of_a_value_leaves_no_trace(seed: int) -> None:
    """A column of many values, some of them forgotten and some missing: the first four seeds differed in last bits."""
    rng = np.random.default_rng(seed)
    many = rng.choice(list("abcdefghijkl"), 24).astype(object)
    many[rng.random(24) < 0.3] = None
    X = pd.DataFrame({"many": many, "colour": rng.choice(list("rgby"), 24), "x": rng.normal(size=24)})
    y = rng.normal(size=24)
    gone = rng.choice(24, 4, replace=False)
    kept = np.setdiff1d(np.arange(24), gone)
    model = pc.RBFNetworkRegressor().fit(X, y).forget(gone)
    fresh = pc.RBFNetworkRegressor().fit(X.iloc[kept], y[kept])
    assert model.predict(X.iloc[kept]).tobytes() == fresh.predict(X.iloc[kept]).tobytes()
    assert model.loo_predict().tobytes() == fresh.loo_predict().tobytes()
