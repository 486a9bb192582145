"""Local models on dates, circular numbers, texts and sets: the design against least squares by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from checks.containers import KINDS, as_every_kind, numbers, training_rows

import priorcase as pc
from priorcase.schema.dates import DAY, WEEK

ROWS = training_rows(80, seed=4, gaps=0.0)
QUERIES = training_rows(9, seed=5, gaps=0.0)


def waves(column: Any, period: float) -> list[Any]:
    angles = np.asarray(column, float) / period * 2 * np.pi
    return [np.cos(angles), np.sin(angles)]


def design(table: pd.DataFrame) -> Any:
    """The columns that a local model of the table fits, by hand."""
    seconds = (table["opened"] - pd.Timestamp("1970-01-01")) / pd.Timedelta(seconds=1)
    nodes = ["laser", "printer", "wifi", "cable"]
    columns = [np.ones(len(table)), table["age"], *waves(table["angle"], 360), seconds / DAY]
    columns += [*waves(seconds, WEEK), *waves(seconds, DAY), *(table["device"] == node for node in nodes)]
    return np.column_stack([np.asarray(column, float) for column in columns])


def test_where_all_rows_count_alike_the_fit_is_least_squares_on_the_design() -> None:
    X, y, Q = as_every_kind(ROWS), numbers(ROWS), as_every_kind(QUERIES)
    model = pc.LocallyWeightedRegressor("all", kernel="uniform", schema=KINDS).fit(X, y)
    weights = np.linalg.lstsq(design(X), np.array(y), rcond=None)[0]
    np.testing.assert_allclose(model.predict(Q), design(Q) @ weights, rtol=1e-6)


def test_terms_name_the_parts_of_dates_and_leave_out_texts_and_sets() -> None:
    model = pc.LocallyWeightedRegressor("all", kernel="uniform", schema=KINDS).fit(as_every_kind(ROWS), numbers(ROWS))
    labels = model.coefficients(as_every_kind(QUERIES)).labels
    assert labels[:4] == ("age", "angle (cos)", "angle (sin)", "opened (days)")
    assert labels[4:6] == ("opened (weekday cos)", "opened (weekday sin)")
    assert not any("note" in label or "parts" in label for label in labels)


def test_numbers_on_both_sides_of_a_full_turn_are_close_together() -> None:
    angles = np.arange(0.0, 360.0, 10.0)
    X, y = angles[:, None], np.cos(np.radians(angles))
    model = pc.LocallyWeightedRegressor(8, schema={0: pc.Circular(360)}).fit(X, y)
    np.testing.assert_allclose(model.predict([[355.0], [-5.0]]), np.cos(np.radians(5.0)), atol=0.02)


@pytest.mark.parametrize("model", ["logistic", "naive_bayes", "linear"])
def test_a_table_of_texts_alone_is_classified_by_its_neighbors(model: str) -> None:
    texts = [[f"paper jam number {i} in the {'tray' if i % 2 else 'lid'} of it"] for i in range(30)]
    y = ["tray" if i % 2 else "lid" for i in range(30)]
    fitted = pc.LocallyWeightedClassifier(7, model=model).fit(texts, y)
    assert fitted.predict([["another paper jam in the tray"], ["jam under the lid again"]]).tolist() == ["tray", "lid"]


def test_coefficients_of_a_table_of_texts_are_intercepts() -> None:
    texts = [[f"paper jam number {i} in the {'tray' if i % 2 else 'lid'} of it"] for i in range(30)]
    model = pc.LocallyWeightedRegressor(5).fit(texts, [float(i % 2) for i in range(30)])
    assert "intercept" in str(model.coefficients(texts[:2]))


def test_a_column_of_weight_0_leaves_the_design_with_all_its_parts() -> None:
    X, y = as_every_kind(ROWS), numbers(ROWS)
    weights = {name: float(name != "opened") for name in KINDS}
    model = pc.LocallyWeightedRegressor("all", kernel="uniform", schema=KINDS, attribute_weights=weights).fit(X, y)
    others = {name: kind for name, kind in KINDS.items() if name != "opened"}
    without = pc.LocallyWeightedRegressor("all", kernel="uniform", schema=others).fit(X.drop(columns="opened"), y)
    Q = as_every_kind(QUERIES)
    np.testing.assert_allclose(model.predict(Q), without.predict(Q.drop(columns="opened")))


def test_classes_depend_on_dates_of_the_week() -> None:
    days = pd.date_range("2024-01-01", periods=120, freq="D")
    y = ["weekend" if day.day_of_week >= 5 else "week" for day in days]
    X = pd.DataFrame({"day": days})
    model = pc.LocallyWeightedClassifier(20, schema={"day": pc.Date("weekday")}).fit(X[:100], y[:100])
    assert (model.predict(X[100:]) == np.array(y[100:])).mean() > 0.9


def test_rare_values_of_a_column_have_one_term_together() -> None:
    names = [f"n{i % 3}" if i % 2 else f"rare{i}" for i in range(160)]
    X, kinds = pd.DataFrame({"x": np.arange(160.0), "name": names}), {"x": "numeric", "name": "nominal"}
    labels = pc.LocallyWeightedRegressor(60, schema=kinds).fit(X, X["x"]).coefficients(X[:1]).labels
    assert labels == ("x", "name = n1", "name = n0", "name = n2", "name = (rare values)")
