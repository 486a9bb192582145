"""Networks on dates, circular numbers, texts and sets: distances of values never stored, and middles of clusters."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from checks.containers import KINDS, as_every_kind, classes, numbers, training_rows

import priorcase as pc

ROWS = training_rows(50, seed=6)


def test_queries_with_new_texts_and_sets_are_as_far_from_centres_as_from_rows() -> None:
    X, Q = as_every_kind(ROWS), as_every_kind([*training_rows(8, seed=7), [40.0, 3.0, "violet", True, "Z"]])
    model = pc.RBFNetworkRegressor(centers="all", width=0.7, schema=KINDS).fit(X, numbers(ROWS))
    distances, _ = pc.KNNRegressor(50, schema=KINDS).fit(X, numbers(ROWS)).kneighbors(Q)
    expected = np.sort(np.exp(-(distances**2) / (2 * 0.7**2)), axis=1)
    np.testing.assert_allclose(np.sort(model.activations(Q), axis=1)[:, -20:], expected[:, -20:], atol=1e-12)


def test_the_middle_of_angles_around_0_is_0_and_not_the_other_side() -> None:
    rng = np.random.default_rng(0)
    angles = np.concatenate([rng.normal(0, 5, 40) % 360, rng.normal(180, 5, 40)])
    model = pc.RBFNetworkRegressor(2, schema={0: pc.Circular(360)}).fit(angles[:, None], np.cos(np.radians(angles)))
    middles = np.sort(np.cos(np.radians(model.centers_.to_numpy()[:, 0])))
    np.testing.assert_allclose(middles, [-1.0, 1.0], atol=0.01)


def test_the_middle_of_texts_is_the_one_most_like_the_others() -> None:
    said = ["paper jam tray", "paper jam tray again", "paper jam", "no network", "no network today", "network no"]
    model = pc.RBFNetworkClassifier(2, schema={0: "text"}).fit([[text] for text in said], ["a"] * 3 + ["b"] * 3)
    assert set(model.centers_.iloc[:, 0]) <= set(said)
    assert model.predict([["paper jam in the tray"], ["network is gone"]]).tolist() == ["a", "b"]


def test_centres_show_dates_as_dates_and_sets_as_sets() -> None:
    shown = pc.RBFNetworkClassifier(4, schema=KINDS).fit(as_every_kind(ROWS), classes(ROWS)).centers_
    assert shown["opened"].dtype.kind == "M"
    assert all(isinstance(value, frozenset) for value in shown["parts"].dropna())


def test_components_of_a_mixture_have_middles_of_every_kind() -> None:
    rng = np.random.default_rng(0)
    jam = rng.random(60) < 0.5
    table = pd.DataFrame(
        {
            "hour": rng.normal(12.0 * jam, 0.5) % 24.0,
            "day": pd.to_datetime("2024-01-01") + pd.to_timedelta(200 * jam + rng.integers(0, 20, 60), "D"),
            "note": [f"paper jam tray {i}" if one else f"no network in hall {i}" for i, one in enumerate(jam)],
            "parts": [{"tray", "lid"} if one else {"cable"} for one in jam],
            "device": np.where(jam, "laser", "wifi"),
        }
    )
    schema = {"hour": pc.Circular(24), "day": pc.Date("elapsed"), "note": "text", "parts": "set"}
    schema["device"] = KINDS["device"]
    model = pc.RBFNetworkClassifier(2, centers="em", width="em", schema=schema).fit(table, jam)
    net, paper = (model.centers_.iloc[i] for i in np.argsort(model.centers_["day"]))
    assert (net["device"], paper["device"]) == ("wifi", "laser")
    assert (net["parts"], paper["parts"]) == ({"cable"}, {"tray", "lid"})
    assert (net["note"][:5], paper["note"][:5]) == ("no ne", "paper")
    assert min(net["hour"], 24.0 - net["hour"]) < 0.5 < 11.5 < paper["hour"] < 12.5
    assert paper["day"] == pytest.approx(table["day"][jam].mean(), abs=pd.Timedelta(days=1))
    np.testing.assert_array_equal(model.predict(table), jam)
