"""Dates, circular numbers, sets and texts in mixtures; what a user sees goes by the columns of the table."""

import datetime
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from reference import bayes_kinds as reference
from reference import mixture as mixtures

import priorcase as pc
from priorcase.exceptions import ParameterError

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


def test_outlier_scores_goes_by_the_columns_of_the_table(fitted):
    frame, _, model = fitted
    found = model.outlier_scores(frame)
    assert found.names == ("when", "angle", "tags", "colour")
    np.testing.assert_allclose(found.scores, -model.score_samples(frame), rtol=1e-12)
    np.testing.assert_allclose(found.contributions.sum(axis=1) + found.mixing, found.scores, rtol=1e-9)
    for a, name in enumerate(found.names):
        without = frame.assign(**{name: pd.Series([None] * len(frame), dtype=object)})
        surprise = model.score_samples(without) - model.score_samples(frame)
        np.testing.assert_allclose(found.surprises[:, a], surprise, rtol=1e-7, atol=1e-9)


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
    assert str(again.outlier_scores(frame)) == str(model.outlier_scores(frame))
    pd.testing.assert_frame_equal(again.sample(5)[0], model.sample(5)[0])


NOTES = ["paper jam", "jam of paper in the tray", None, "no network", "network down, no network", "", "the tray", "?"]


@pytest.fixture(scope="module")
def noted():
    """Texts and names, the same for the reference, and a mixture of them at its mode."""
    frame = pd.DataFrame({"note": NOTES * 2, "colour": ["red", "red", "red", "blue", "blue", None, "red", "blue"] * 2})
    model = pc.MixtureModel(2, tol=0.0, max_iter=5000, random_state=0, schema={"note": "text"}).fit(frame)
    words, colours = (model.components_.columns[name].values for name in ("note", "colour"))
    spoken = [None if pd.isna(note) else re.findall(r"\w+", note) for note in frame["note"]]
    rows = [
        [None if said is None else [words.index(word) for word in said], None if pd.isna(own) else colours.index(own)]
        for said, own in zip(spoken, frame["colour"], strict=True)
    ]
    return frame, model, rows, (len(words), len(colours))


def components(model):
    tables = [model.components_.columns[name].probabilities for name in ("note", "colour")]
    found = [[table[k].tolist() for table in tables] for k in range(model.n_components_)]
    return [mixtures.Component(weight, own) for weight, own in zip(model.weights_.tolist(), found, strict=True)]


def test_words_of_texts_are_drawn_one_by_one(noted):
    frame, model, rows, sizes = noted
    own, prior = components(model), mixtures.Hyper(1.0, 0.1, 0.5, 0.05)
    np.testing.assert_allclose(np.exp(model.score_samples(frame)), [mixtures.density(own, row) for row in rows])
    shares = [mixtures.responsibilities(own, row) for row in rows]
    np.testing.assert_allclose(model.responsibilities(frame), shares, rtol=1e-9)
    assert model.log_posterior_ == pytest.approx(mixtures.log_posterior(rows, [1.0] * len(rows), own, prior))
    for now, then in zip(mixtures.em_step(rows, [1.0] * len(rows), own, sizes, prior), own, strict=True):
        for found, expected in zip([[now.weight], *now.columns], [[then.weight], *then.columns], strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_the_evidence_of_one_component_counts_words(noted):
    frame, _, rows, sizes = noted
    alone = pc.MixtureModel(1, random_state=0, schema={"note": "text"}).fit(frame)
    expected = mixtures.log_evidence(rows, 1, sizes, mixtures.Hyper(1.0, 0.1, 0.5, 0.05))
    assert alone.selection_.scores[0] == pytest.approx(expected)


def test_texts_tell_groups_apart_and_stay_missing(noted, tmp_path):
    frame, model, _, _ = noted
    assert model.predict(frame)[0] == model.predict(frame)[1] != model.predict(frame)[3]
    unheard = pd.DataFrame({"note": ["unheard words", "", None], "colour": ["red"] * 3})
    np.testing.assert_array_equal(np.ptp(model.score_samples(unheard)), 0.0)
    found = model.outlier_scores(frame)
    np.testing.assert_allclose(found.contributions.sum(axis=1) + found.mixing, -model.score_samples(frame), rtol=1e-9)
    assert (found.surprises[:, 0] > 0).tolist() == [bool(re.search(r"\w", note or "")) for note in NOTES * 2]
    assert model.impute(frame).isna().sum().tolist() == [2, 0]
    assert model.sample(4)[0]["note"].isna().all()
    again = pc.load(model.save(tmp_path / "mixture"))
    np.testing.assert_array_equal(again.score_samples(frame), model.score_samples(frame))


def test_mistakes_are_said_in_a_sentence():
    days = pd.DataFrame({"when": pd.to_datetime(["2020-01-01", "2020-01-08", "2020-02-03"])})
    model = pc.MixtureModel(1, random_state=0, schema={"when": pc.Date(("weekday",))}).fit(days)
    with pytest.raises(ParameterError, match="'elapsed' is not among the parts"):
        model.predict_column(days, "when")
    assert model.sample(2)[0]["when"].isna().all()
