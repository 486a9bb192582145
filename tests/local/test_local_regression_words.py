"""Local regression: warnings, unusual tables, and results that print themselves."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from priorcase.exceptions import FarQueryWarning
from priorcase.local import LocalCoefficients, LocallyWeightedRegressor, LocalPrecedents
from tests.local.test_local_regression import LEVELS, SCHEMA, rows_of, targets_of

X = np.arange(12.0).reshape(6, 2) ** 2
Y = np.array([1.0, 2.0, 4.0, 3.0, 5.0, 9.0])


def test_queries_far_from_everything_are_named_once() -> None:
    model = LocallyWeightedRegressor(bandwidth=1.0, distance="euclidean").fit([[0.0], [0.5], [1.0]], [1.0, 2.0, 3.0])
    queries = [[0.2], [9.0], [0.8], [-7.0]]
    with pytest.warns(FarQueryWarning) as caught:
        predicted, std = model.predict(queries, return_std=True)
    assert len(caught) == 1
    warning = caught[0].message
    assert isinstance(warning, FarQueryWarning)
    assert warning.queries == (1, 3)
    assert str(warning).startswith(
        "queries 1, 3 of 4 are farther than the bandwidth from all stored rows; the mean of the nearest rows"
    )
    assert caught[0].filename == __file__
    np.testing.assert_allclose(predicted, [1.4, 3.0, 2.6, 1.0])
    assert np.isinf(std[[1, 3]]).all()
    with pytest.warns(FarQueryWarning, match="query 0 of 1 is"):
        ends = model.predict_interval([[9.0]])
    assert ends.tolist() == [[-np.inf, np.inf]]
    with pytest.warns(FarQueryWarning, match="queries 1, 3"):
        slopes = model.coefficients(queries).slopes
    assert np.isnan(slopes[[1, 3]]).all()
    with pytest.warns(FarQueryWarning, match="queries 1, 3"):
        assert model.effective_neighbors(queries)[[1, 3]].tolist() == [1.0, 1.0]
    with pytest.warns(FarQueryWarning, match="queries 1, 3") as caught:
        precedents = model.precedents(queries)
    assert caught[0].filename == __file__
    assert (precedents[1].ids.tolist(), precedents[1].votes.tolist()) == ([2], [1.0])


def test_equally_near_rows_answer_far_queries_by_their_mean() -> None:
    model = LocallyWeightedRegressor(bandwidth=0.1, distance="euclidean")
    model.fit([[0.0], [2.0], [2.0]], [4.0, 1.0, 7.0], sample_weight=[1, 3, 1])
    with pytest.warns(FarQueryWarning):
        assert model.predict([[1.0]])[0] == pytest.approx((4.0 + 3 * 1.0 + 7.0) / 5)
    with pytest.warns(FarQueryWarning, match="query 0 of 3 is farther than the bandwidth"):
        np.testing.assert_allclose(model.loo_residuals(), [4.0 - 10.0 / 4, 1.0 - 9.0 / 3, 7.0 - 1.0])


def test_a_query_that_kernels_with_tails_hardly_reach() -> None:
    model = LocallyWeightedRegressor(bandwidth=1.0, kernel="gaussian", distance="euclidean")
    assert model.fit([[0.0], [1.0]], [0.0, 1.0]).predict([[5.0]])[0] == pytest.approx(5.0)
    with pytest.warns(FarQueryWarning):
        assert model.predict([[100.0]]).tolist() == [1.0]


@pytest.mark.parametrize("degree", [1, 2])
def test_collinear_and_constant_columns_change_nothing(degree: Any) -> None:
    rng = np.random.default_rng(0)
    table, queries = rng.normal(size=(60, 2)), rng.normal(size=(10, 2)) * 0.5
    y = np.sin(table[:, 0]) + table[:, 1]
    weights = {"attribute_weights": [1.0, 1.0, 1e-12, 1e-12], "distance": "euclidean"}

    def with_more(rows: Any) -> Any:
        return np.column_stack([rows, rows[:, 0] - 2 * rows[:, 1], np.full(len(rows), 7.0)])

    plain = LocallyWeightedRegressor(40, degree=degree, distance="euclidean").fit(table, y)
    more = LocallyWeightedRegressor(40, degree=degree, **weights).fit(with_more(table), y)
    np.testing.assert_allclose(more.predict(with_more(queries)), plain.predict(queries), rtol=0, atol=1e-7)


@pytest.mark.parametrize("degree", [1, 2])
def test_columns_of_weight_0_are_ignored(degree: Any) -> None:
    rng = np.random.default_rng(3)
    table, queries = rng.normal(size=(60, 3)), rng.normal(size=(10, 3))
    y = np.sin(table[:, 0]) + table[:, 1] + table[:, 2]
    for options in ({}, {"span": 1.5}, {"bandwidth": "query"}):
        plain = LocallyWeightedRegressor(degree=degree, **options).fit(table[:, :2], y)
        less = LocallyWeightedRegressor(degree=degree, attribute_weights=[1, 1, 0], **options).fit(table, y)
        np.testing.assert_array_equal(less.predict(queries), plain.predict(queries[:, :2]))
        assert np.isnan(less.coefficients(queries).slopes[:, 2]).all()


def test_huge_and_tiny_columns() -> None:
    rng = np.random.default_rng(1)
    table = rng.normal(size=(40, 2))
    y = table @ [1.0, 2.0]
    for factor in (1e-200, 1e150):
        model = LocallyWeightedRegressor(20, distance="heom").fit(table * [1.0, factor], y)
        np.testing.assert_allclose(model.predict(table * [1.0, factor]), y, atol=1e-8)
        np.testing.assert_allclose(model.coefficients(table[:1] * [1.0, factor]).slopes[0], [1.0, 2.0 / factor])


def test_levels_and_values_that_no_row_has() -> None:
    rows = rows_of(50, 1)
    model = LocallyWeightedRegressor(30, schema=SCHEMA).fit(rows, targets_of(rows))
    assert np.isfinite(model.predict([[1.0, "low", "violet", 0.0], [None, None, None, None]])).all()
    some = [row for row in rows if row[1] not in ("top", None)]
    less = LocallyWeightedRegressor(20, schema=SCHEMA).fit(some, targets_of(some))
    slopes = less.coefficients([[1.0, "top", "r", 0.0]]).slopes
    assert np.isfinite(slopes[0, 1])
    assert LEVELS[-1] == "top"


def test_coefficients_print_frame_and_cut() -> None:
    frame = pd.DataFrame(
        {"size": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "colour": ["red", "red", "blue", "blue", "red", "blue"]}
    )
    y = 2 * frame["size"] + 3.0 * (frame["colour"] == "blue")
    model = LocallyWeightedRegressor(6, kernel="uniform").fit(frame, y)
    found = model.coefficients(frame[:2])
    assert isinstance(found, LocalCoefficients)
    assert found.labels == ("size", "colour = red", "colour = blue")
    np.testing.assert_allclose(found.slopes, [[2.0, 0.0, 3.0]] * 2)
    assert repr(found).splitlines()[0].split() == [
        "query",
        "intercept",
        "size",
        "colour",
        "=",
        "red",
        "colour",
        "=",
        "blue",
    ]
    assert repr(found[1]).splitlines()[1].split() == ["1", "4", "2", "0", "3"]
    assert ">3</td>" in found._repr_html_()
    assert found.frame().columns.tolist() == ["query", "intercept", "size", "colour = red", "colour = blue"]
    assert found[1:].frame()["query"].tolist() == [1]
    gap = model.coefficients(pd.DataFrame({"size": [None], "colour": ["red"]}).astype({"size": float}))
    assert np.isnan(gap.slopes[0, 0])
    assert repr(gap).splitlines()[1].split()[2] == "-"
    both = LocallyWeightedRegressor(6).fit(frame, np.stack([y, -y], axis=1)).coefficients(frame[:1])
    assert both.frame()["target"].tolist() == [0, 1]
    assert both.slopes.shape == (1, 2, 3)
    flat = LocallyWeightedRegressor(6, degree=0).fit(frame, y).coefficients(frame[:1])
    assert np.isnan(flat.slopes[0, 0])
    np.testing.assert_array_equal(np.asarray(found), found.slopes)


def test_precedents_print_and_frame() -> None:
    rows = rows_of(40, 1)
    model = LocallyWeightedRegressor(20, schema=SCHEMA).fit(rows, targets_of(rows))
    found = model.precedents(rows[:2])
    assert isinstance(found, LocalPrecedents)
    assert repr(found).startswith("query 0: ")
    columns = list(found.frame().columns)
    assert columns[4:6] == ["vote", "kernel weight"]
    assert (found.frame()["kernel weight"] > 0).all()
    assert found[1].weights.tolist() == found.weights[found.indptr[1] :].tolist()
    assert (found.votes < 0).any()
    everyone = LocallyWeightedRegressor("all", kernel="gaussian", schema=SCHEMA).fit(rows, targets_of(rows))
    assert np.diff(everyone.precedents(rows[:3]).indptr).tolist() == [10, 10, 10]
    robust = LocallyWeightedRegressor(20, robust=2, schema=SCHEMA).fit(rows, targets_of(rows))
    one = robust.precedents(rows[:1])
    np.testing.assert_allclose(
        one.weights, (found[0].weights * robust.robust_weights_[found[0].ids])[robust.robust_weights_[found[0].ids] > 0]
    )


def test_the_three_criteria_of_mitchell() -> None:
    """E1, E2 and E3 (Mitchell 1997, section 8.3.1) on five points of a line, by hand."""
    table, y, query = [[0.0], [1.0], [2.0], [4.0], [8.0]], [0.0, 1.0, 5.0, 2.0, 3.0], [[1.0]]

    def by_hand(K: Any) -> float:
        design = np.column_stack([np.ones(5), np.array(table)[:, 0] - 1.0])
        return float(np.linalg.solve((design * K[:, None]).T @ design, (design * K[:, None]).T @ np.array(y))[0])

    d = np.abs(np.array(table)[:, 0] - 1.0)
    options: dict[str, Any] = {"distance": "euclidean"}
    e1 = LocallyWeightedRegressor(3, kernel="uniform", **options).fit(table, y)
    assert e1.predict(query)[0] == pytest.approx(by_hand(np.array([1.0, 1.0, 1.0, 0.0, 0.0])))
    e2 = LocallyWeightedRegressor("all", bandwidth=2.0, kernel="gaussian", **options).fit(table, y)
    assert e2.predict(query)[0] == pytest.approx(by_hand(np.exp(-((d / 2) ** 2))))
    e3 = LocallyWeightedRegressor(3, kernel="gaussian", **options).fit(table, y)
    assert e3.predict(query)[0] == pytest.approx(by_hand(np.exp(-((d / 3) ** 2)) * (d <= 1)))


def test_nothing_is_said_where_nothing_is_wrong() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LocallyWeightedRegressor().fit(X, Y)
        model.predict(X, return_std=True)
        model.predict_interval(X)
    std = LocallyWeightedRegressor(2, kernel="uniform", distance="euclidean").fit(X, Y).predict(X, return_std=True)[1]
    assert np.isinf(std).all()  # two rows and a line through them: nothing tells the noise
