"""Local fits where weights are next to nothing, or of any size, and at values that no row near the query holds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from priorcase.local import LeaveOneOutCurve, LocallyWeightedRegressor

ROWS = [[0.82, 0.43, "road"], [0.69, 0.085, "city"], [0.75, 0.21, "road"]]
PRICES = [277.0, 127.0, 285.0]


@pytest.mark.parametrize("h", [0.0372745, 0.05])
def test_rows_of_next_to_no_weight_do_not_count(h: float) -> None:
    # Beside the nearest row the second weighs 1e-13 and less, the third 1e-300: their slopes would be rounding.
    model = LocallyWeightedRegressor(bandwidth=h, kernel="gaussian", distance="euclidean").fit(ROWS, PRICES)
    predicted, std = model.predict([[0.64, 0.2, "road"]], return_std=True)
    assert predicted.tolist() == [285.0]
    assert np.isinf(std).all()
    assert model.effective_neighbors([[0.64, 0.2, "road"]]) == pytest.approx(1.0)


def test_answers_are_numbers_for_every_bandwidth() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"x": rng.uniform(0, 10, 120).round(1), "kind": rng.choice(["a", "b", "c"], 120, p=[0.6, 0.3, 0.1])}
    )
    y = X["kind"].map({"a": 7.0, "b": 15.0, "c": 28.0}) * np.exp(-X["x"] / 5)
    for h in np.geomspace(0.01, 2.0, 25):
        model = LocallyWeightedRegressor(bandwidth=h, kernel="gaussian").fit(X, y)
        assert np.isfinite(model.loo_residuals()).all()


def test_an_error_that_is_no_number_is_not_the_least() -> None:
    curve = LeaveOneOutCurve("bandwidth", np.array([1.0, 2.0, 3.0]), np.array([np.nan, 5.0, 4.0]), 10)
    assert curve.best == 3.0
    assert "4  best" in repr(curve)


def test_intervals_do_not_depend_on_the_size_of_the_weights() -> None:
    rng = np.random.default_rng(1)
    X = rng.random((200, 3))
    y = X @ [1.0, 2.0, 3.0] + rng.normal(0, 0.1, 200)
    free = []
    for h, shift in ((0.4, 0.0), (40.0, 60.0)):  # far from all rows weights exp(-u) are about the same
        queries = X[:3] + np.array([shift, 0.0, 0.0])
        model = LocallyWeightedRegressor("all", kernel="exponential", bandwidth=h, distance="euclidean").fit(X, y)
        low, high = model.predict_interval(queries).T
        _, std = model.predict(queries, return_std=True)
        free.append((high - low) / 2 / std)
    # Student's t of about 200 - 4 degrees of freedom, though the weights of the far query sum up to 45.
    assert free[1] == pytest.approx(1.9721, abs=1e-3)
    assert (free[0] > free[1]).all()


def test_equal_weights_have_as_many_degrees_of_freedom_as_rows_beyond_parameters() -> None:
    rng = np.random.default_rng(2)
    X = rng.random((30, 2))
    model = LocallyWeightedRegressor(12, kernel="uniform").fit(X, rng.random(30))
    low, high = model.predict_interval(X[:4]).T
    _, std = model.predict(X[:4], return_std=True)
    assert (high - low) / 2 / std == pytest.approx(2.262157)  # t of 12 - 3 degrees


def test_a_value_that_no_row_near_the_query_holds_is_left_out_like_a_gap() -> None:
    rng = np.random.default_rng(3)
    kinds = rng.choice(["a", "b"], 60).tolist()
    rows = [[float(x), kind] for x, kind in zip(rng.random(60), kinds, strict=True)]
    y = [x + (10.0 if kind == "b" else 0.0) for x, kind in rows]
    model = LocallyWeightedRegressor("all", kernel="uniform").fit(rows, y)
    (known, unseen, gap), std = model.predict([[0.5, "a"], [0.5, "violet"], [0.5, None]], return_std=True)
    assert known == pytest.approx(0.5)
    assert unseen == gap
    assert 3.0 < unseen < 7.0
    assert std[0] < 1e-6
    assert std[1] > 4.0
    table = model.coefficients([[0.5, "violet"]])
    assert "x1 = a" in repr(table)
    assert repr(table).splitlines()[1].split()[-2:] == ["-", "-"]
