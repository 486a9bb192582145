"""What local regression chooses by leave-one-out: numbers of neighbors, bandwidths, one for all or one for each."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from priorcase.exceptions import FarQueryWarning
from priorcase.local import LeaveOneOutCurve, LocallyWeightedRegressor
from priorcase.relevance.base import fixed_sample
from tests.local.test_local_regression import SCHEMA, all_distances, expected_fit, ranked, rows_of, targets_of


def wavy(n: int, seed: int = 0, noise: float = 0.2) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 2))
    return X, np.sin(6 * X[:, 0]) + X[:, 1] + noise * rng.normal(size=n)


@pytest.mark.parametrize("degree", [0, 1])
@pytest.mark.parametrize("kernel", ["tricube", "gaussian"])
def test_errors_of_k_are_those_of_fits_without_the_row(kernel: str, degree: Any) -> None:
    rows = rows_of(60, 1)
    y = targets_of(rows)
    model = LocallyWeightedRegressor(degree=degree, kernel=kernel, schema=SCHEMA).fit(rows, y)
    curve = model.loo_curve_
    assert curve.parameter == "n_neighbors"
    assert curve.n_left_out == 60
    assert curve.candidates[-1] == 59
    assert curve.candidates[0] == (1 if degree == 0 else 7)
    for k, error in zip(curve.candidates.tolist(), curve.errors, strict=True):
        fixed = LocallyWeightedRegressor(k, degree=degree, kernel=kernel, schema=SCHEMA).fit(rows, y)
        assert error == pytest.approx((fixed.loo_residuals() ** 2).mean())
    assert model.n_neighbors_ == curve.candidates[np.argmin(curve.errors)]
    np.testing.assert_array_equal(
        model.predict(rows),
        LocallyWeightedRegressor(model.n_neighbors_, degree=degree, kernel=kernel, schema=SCHEMA)
        .fit(rows, y)
        .predict(rows),
    )


@pytest.mark.parametrize("k", [None, 25])
@pytest.mark.parametrize("kernel", ["tricube", "gaussian"])
def test_errors_of_bandwidths_are_those_of_fits_without_the_row(kernel: str, k: Any) -> None:
    X, y = wavy(50)
    model = LocallyWeightedRegressor(k, bandwidth="loo", kernel=kernel).fit(X, y)
    curve = model.loo_curve_
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FarQueryWarning)
        for h, error in zip(curve.candidates.tolist(), curve.errors, strict=True):
            fixed = LocallyWeightedRegressor(k, bandwidth=h, kernel=kernel).fit(X, y)
            assert error == pytest.approx((fixed.loo_residuals() ** 2).mean())
    assert model.bandwidth_ == curve.best == curve.candidates[np.argmin(curve.errors)]
    assert 0 < np.argmin(curve.errors) < len(curve) - 1
    assert model.n_neighbors_ == (50 if k is None else 25)


def test_k_can_be_chosen_beside_a_bandwidth() -> None:
    X, y = wavy(50)
    model = LocallyWeightedRegressor("loo", bandwidth=0.6).fit(X, y)
    curve = model.loo_curve_
    assert model.bandwidth_ == 0.6
    for k, error in zip(curve.candidates.tolist(), curve.errors, strict=True):
        fixed = LocallyWeightedRegressor(k, bandwidth=0.6).fit(X, y)
        assert error == pytest.approx((fixed.loo_residuals() ** 2).mean())


def test_noise_calls_for_more_neighbors() -> None:
    quiet, loud = (LocallyWeightedRegressor().fit(*wavy(400, noise=noise)) for noise in (0.01, 1.0))
    assert quiet.n_neighbors_ < loud.n_neighbors_
    quiet, loud = (LocallyWeightedRegressor(bandwidth="loo").fit(*wavy(400, noise=noise)) for noise in (0.01, 1.0))
    assert quiet.bandwidth_ < loud.bandwidth_


def test_of_many_rows_some_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("priorcase.local.windows.MOST_LEFT_OUT", 10)
    X, y = wavy(100)
    model = LocallyWeightedRegressor().fit(X, y)
    assert model.loo_curve_.n_left_out == 10
    k = int(model.loo_curve_.candidates[3])
    residuals = LocallyWeightedRegressor(k).fit(X, y).loo_residuals()[fixed_sample(100, 10)]
    assert model.loo_curve_.errors[3] == pytest.approx((residuals**2).mean())


def test_fits_of_many_terms_leave_fewer_rows_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("priorcase.local.regressor._WORK", 1_000_000)
    X = np.random.default_rng(0).normal(size=(200, 6))
    assert LocallyWeightedRegressor(degree=2).fit(X, X[:, 0]).loo_curve_.n_left_out == 50


def test_bandwidths_by_query_have_the_least_local_error() -> None:
    rows, queries = rows_of(60, 2, gaps=0.0), rows_of(8, 3, gaps=0.0)
    y = targets_of(rows)
    model = LocallyWeightedRegressor(bandwidth="query", degree=1, ridge=0.1, schema=SCHEMA).fit(rows, y)
    ladder = LocallyWeightedRegressor(degree=1, ridge=0.1, schema=SCHEMA).fit(rows, y).loo_curve_.candidates
    predicted = model.predict(queries)
    fixed = {int(k): LocallyWeightedRegressor(int(k), ridge=0.1, schema=SCHEMA).fit(rows, y) for k in ladder}
    chosen = set()
    for i, distances in enumerate(all_distances(model, queries)):
        errors = {k: expected_fit(one, rows, y, ranked([queries[i]])[0], distances).loo_mse for k, one in fixed.items()}
        best = min(errors, key=lambda k: errors[k])
        chosen.add(best)
        assert predicted[i] == fixed[best].predict([queries[i]])[0]
    assert len(chosen) > 1


@given(n=st.integers(1, 6), equal=st.booleans(), parameters=st.sampled_from(["loo", "query"]))
@settings(max_examples=30)
def test_tiny_tables_have_answers(n: int, equal: bool, parameters: Any) -> None:
    X = np.zeros((n, 2)) if equal else np.arange(2.0 * n).reshape(n, 2) ** 2
    y = np.arange(float(n))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FarQueryWarning)
        for model in (LocallyWeightedRegressor(), LocallyWeightedRegressor(bandwidth=parameters)):
            predicted, std = model.fit(X, y).predict([[0.0, 1.0], [3.0, 3.0]], return_std=True)
            assert np.isfinite(predicted).all()
            assert not np.isnan(std).any()
            if equal:
                np.testing.assert_allclose(predicted, y.mean())


def test_curves_print_plot_and_frame() -> None:
    X, y = wavy(30)
    model = LocallyWeightedRegressor().fit(pd.DataFrame(X, columns=["a", "b"]), y)
    curve = model.loo_curve_
    assert isinstance(curve, LeaveOneOutCurve)
    lines = repr(curve).splitlines()
    assert lines[0] == "leave-one-out squared error of 30 rows"
    assert lines[1].split() == ["n_neighbors", "squared", "error"]
    assert sum(line.endswith("best") for line in lines) == 1
    assert "<td>best</td>" in curve._repr_html_()
    frame = curve.frame()
    assert isinstance(frame, pd.DataFrame)
    assert frame.columns.tolist() == ["n_neighbors", "squared_error"]
    assert frame.n_neighbors.tolist() == curve.candidates.tolist()
    np.testing.assert_array_equal(np.asarray(curve), curve.errors)
    assert len(curve) == len(frame)
    ax = curve.plot()
    assert ax.get_xlabel() == "n_neighbors"
    assert ax.get_lines()[0].get_ydata().tolist() == curve.errors.tolist()
    with pytest.raises(ValueError, match="read-only"):
        curve.errors[0] = 0.0


def test_what_was_not_chosen_is_not_there() -> None:
    X, y = wavy(30)
    for parameters, attribute in (
        ({"n_neighbors": 5}, "loo_curve_"),
        ({"n_neighbors": 5}, "bandwidth_"),
        ({"span": 0.5}, "bandwidth_"),
        ({"bandwidth": "query"}, "n_neighbors_"),
    ):
        assert not hasattr(LocallyWeightedRegressor(**parameters).fit(X, y), attribute)  # type: ignore[arg-type]
    assert LocallyWeightedRegressor("sqrt").fit(X, y).n_neighbors_ == 5
    assert LocallyWeightedRegressor("all").fit(X, y).n_neighbors_ == 30
    assert LocallyWeightedRegressor(span=0.5).fit(X, y).n_neighbors_ == 15
    assert LocallyWeightedRegressor(bandwidth=2).fit(X, y).bandwidth_ == 2.0


def test_a_span_that_falls_short_of_a_whole_number_by_rounding_reaches_it() -> None:
    X = np.arange(100.0)[:, None]
    assert 0.29 * 100 < 29
    assert LocallyWeightedRegressor(span=0.29).fit(X, X[:, 0]).n_neighbors_ == 29


def test_where_no_row_is_left_by_the_robust_rounds_all_of_them_count() -> None:
    X = np.array([*range(10), 100, 100], dtype=np.float64)[:, None]
    y = np.array([0.1, -0.1] * 5 + [1000.0, -1000.0])
    model = LocallyWeightedRegressor(2, degree=0, kernel="uniform", robust=2).fit(X, y)
    assert model.robust_weights_[-2:].tolist() == [0, 0]
    assert model.predict([[100.0]]).tolist() == [0]


def test_rows_that_take_turns_are_left_out_alike() -> None:
    X = np.stack([np.arange(6000.0), np.arange(6000) % 3], axis=1)
    assert LocallyWeightedRegressor(kernel="uniform", degree=0).fit(X, X[:, 0]).loo_curve_.n_left_out == 2000
    turns = fixed_sample(6000, 2000) % 3
    assert np.bincount(turns.astype(int)).min() > 600
