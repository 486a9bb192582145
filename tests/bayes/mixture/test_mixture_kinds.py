"""Dates, circular numbers and sets in mixtures: parts are columns, and what a user sees goes by the table's columns."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from reference import bayes_kinds as reference

import priorcase as pc
from priorcase.exceptions import ParameterError, SchemaError

KINDS = {"when": pc.Date(("elapsed", "weekday")), "angle": pc.Circular(360), "tags": pc.Set()}


def table(n=60):
    """Rows of two groups that differ in all columns but one, with gaps."""
    rng = np.random.default_rng(0)
    group = rng.integers(2, size=n)
    days = rng.integers(0, 120, n) * 7 + np.where(group, rng.integers(5, 7, n), rng.integers(0, 5, n))
    frame = pd.DataFrame(
        {
            "when": pd.to_datetime("2020-01-06") + pd.to_timedelta(days, "D"),
            "angle": rng.normal(180.0 * group, 20.0) % 360.0,
            "tags": [frozenset(rng.choice(list("zw" if own else "xy"), 2)) for own in group],
            "colour": rng.choice(["red", "blue"], n),
        }
    )
    frame.loc[3, "when"], frame.loc[4, "angle"] = pd.NaT, np.nan
    frame["tags"] = pd.Series([None if i == 5 else one for i, one in enumerate(frame["tags"])], dtype=object)
    return frame, np.where(group, "b", "a")


def apart(frame):
    moments = [None if pd.isna(moment) else moment.to_pydatetime() for moment in frame["when"]]
    parts = {
        "elapsed": [np.nan if moment is None else reference.date_part("elapsed", moment) for moment in moments],
        "weekday": [reference.date_part("weekday", moment) for moment in moments],
        "angle": [reference.arc(None if np.isnan(angle) else angle, 360.0) for angle in frame["angle"]],
    }
    for member in "wxyz":
        parts[member] = [None if one is None else member in one for one in frame["tags"]]
    kinds = {"weekday": pc.Ordinal(reference.WEEKDAYS), "angle": pc.Ordinal(tuple(range(12)))}
    whole = pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in parts.items()})
    whole["elapsed"] = whole["elapsed"].astype(float)
    return whole.assign(colour=frame["colour"]), kinds | {member: pc.Nominal((False, True)) for member in "wxyz"}


@pytest.fixture(scope="module")
def fitted():
    frame, labels = table()
    return frame, labels, pc.MixtureModel(2, random_state=0, schema=KINDS).fit(frame, labels)


def test_parts_are_columns(fitted):
    frame, labels, model = fitted
    whole, kinds = apart(frame)
    other = pc.MixtureModel(2, random_state=0, schema=kinds).fit(whole, labels)
    np.testing.assert_allclose(model.score_samples(frame), other.score_samples(whole), rtol=1e-9)
    np.testing.assert_allclose(model.predict_proba(frame), other.predict_proba(whole), rtol=1e-9)
    assert model.schema_.kinds == (*KINDS.values(), pc.Nominal())
    assert list(model.components_.columns)[:3] == ["when (elapsed)", "when (weekday)", "angle"]
    assert "tags (x)" in model.components_.columns


def test_oddness_goes_by_the_columns_of_the_table(fitted):
    frame, _, model = fitted
    odd = model.oddness(frame)
    assert odd.names == ("when", "angle", "tags", "colour")
    np.testing.assert_allclose(odd.scores, -model.score_samples(frame), rtol=1e-12)
    np.testing.assert_allclose(odd.contributions.sum(axis=1) + odd.mixing, odd.scores, rtol=1e-9)
    for a, name in enumerate(odd.names):
        without = frame.assign(**{name: pd.Series([None] * len(frame), dtype=object)})
        surprise = model.score_samples(without) - model.score_samples(frame)
        np.testing.assert_allclose(odd.surprises[:, a], surprise, rtol=1e-7, atol=1e-9)


def test_what_is_expected_of_each_column(fitted):
    frame, labels, model = fitted
    dates = model.predict_column(frame, "when")
    assert all(type(date) is datetime.date for date in dates)
    angles = model.predict_column(frame, "angle")
    assert set(angles) <= set(model.column_values("angle")) == {15.0 + 30.0 * i for i in range(12)}
    assert np.mean((np.abs(angles - 180.0) < 60.0) == (labels == "b")) > 0.95
    tags = model.predict_column(frame, "tags")
    assert (
        np.mean([("x" in one or "y" in one) == (label == "a") for one, label in zip(tags, labels, strict=True)]) > 0.9
    )
    for name in ("when", "tags"):
        with pytest.raises(ParameterError, match="no list of values"):
            model.predict_column(frame, name, return_proba=True)
        with pytest.raises(ParameterError, match="no list of values"):
            model.predict_joint(frame, [name])


def test_gaps_are_filled_and_rows_drawn(fitted):
    frame, _, model = fitted
    full = model.impute(frame)
    assert not full.isna().any().any()
    assert full["when"].dtype == frame["when"].dtype
    assert full.loc[3, "when"] == pd.Timestamp(model.predict_column(frame, "when")[3])
    assert full.loc[5, "tags"] == model.predict_column(frame, "tags")[5]
    drawn, classes = model.sample(50)
    assert list(drawn.columns) == list(frame.columns)
    assert all(type(date) is datetime.date for date in drawn["when"])
    assert ((drawn["angle"] >= 0.0) & (drawn["angle"] <= 360.0)).all()
    assert {member for one in drawn["tags"] for member in one} == set("wxyz")
    assert np.mean(model.predict(drawn) == classes) > 0.9
    array, _ = pc.MixtureModel(2, random_state=0, schema={0: pc.Circular(24)}).fit([[1.0], [23.0], [12.0]]).sample(3)
    assert array.dtype == np.float64


def test_gaps_of_polars_dates_are_filled():
    days = [datetime.date(2020, 1, 1 + i) for i in range(20)]
    frame = pl.DataFrame({"when": [*days, None], "colour": ["red", "blue"] * 10 + ["red"]})
    full = pc.MixtureModel(2, random_state=0).fit(frame).impute(frame)
    assert full["when"].dtype == pl.Date
    assert days[0] < full["when"][-1] < days[-1]


def test_saved_and_loaded(fitted, tmp_path):
    frame, _, model = fitted
    again = pc.load(model.save(tmp_path / "mixture"))
    np.testing.assert_array_equal(again.score_samples(frame), model.score_samples(frame))
    assert str(again.oddness(frame)) == str(model.oddness(frame))
    pd.testing.assert_frame_equal(again.sample(5)[0], model.sample(5)[0])


def test_mistakes_are_said_in_a_sentence():
    with pytest.raises(SchemaError, match="'note' is text"):
        pc.MixtureModel(1, schema={"note": "text"}).fit(pd.DataFrame({"note": ["a b", "b c"], "x": [1.0, 2.0]}))
    days = pd.DataFrame({"when": pd.to_datetime(["2020-01-01", "2020-01-08", "2020-02-03"])})
    model = pc.MixtureModel(1, random_state=0, schema={"when": pc.Date(("weekday",))}).fit(days)
    with pytest.raises(ParameterError, match="no elapsed time"):
        model.predict_column(days, "when")
    assert model.sample(2)[0]["when"].isna().all()
