"""Log-odds split into parts: adding up, by hand, and readable."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import COLUMNS, labels, mixed_rows, row_lists

from priorcase.bayes import NaiveBayes
from priorcase.schema import Nominal, Ordinal

X, Y = mixed_rows(60), labels(60)
QUERIES = [*mixed_rows(8, seed=9), [1.0, "violet", None, 0.0], [None] * 4]
WAYS: list[dict[str, Any]] = [
    {},
    {"prior": "jeffreys", "numeric": "gaussian"},
    {"predictive": "sc", "numeric": "kmeans"},
    {"predictive": "map", "prior": 2.0, "numeric": "kernel"},
    {"missing": "value", "numeric": "equal_width"},
]


@pytest.mark.parametrize("settings", WAYS)
@pytest.mark.parametrize("versus", [None, "a", "c"])
def test_they_add_up_to_the_log_odds(settings: dict[str, Any], versus: str | None) -> None:
    model = NaiveBayes(**settings).fit(X, Y)
    found = model.contributions(QUERIES, versus=versus)
    logs = model.predict_log_proba(QUERIES)
    position = {label: k for k, label in enumerate(model.classes_.tolist())}
    assert found.predicted.tolist() == model.predict(QUERIES).tolist()
    for i, (p, v) in enumerate(zip(found.predicted.tolist(), found.versus.tolist(), strict=True)):
        odds = logs[i, position[p]] - logs[i, position[v]]
        assert found.total[i] == pytest.approx(odds, abs=1e-12)
        assert math.fsum(found.contributions[i]) == pytest.approx(odds, abs=1e-12)
        chosen = sorted(position.values(), key=lambda k: -logs[i, k])
        assert position[p] == chosen[0]
        assert v == (versus if versus not in (None, p) else model.classes_[chosen[1]])
    np.testing.assert_allclose(found.probabilities[:, 0], model.predict_proba(QUERIES).max(axis=1), atol=1e-12)
    assert found.contributions.shape == (10, 5)


@pytest.mark.parametrize("settings", WAYS[:4])
def test_what_is_missing_adds_nothing(settings: dict[str, Any]) -> None:
    found = NaiveBayes(**settings).fit(X, Y).contributions(QUERIES)
    for shares, query in zip(found.contributions, QUERIES, strict=True):
        assert [share == 0 for share, value in zip(shares[1:], query, strict=True) if value is None] == [
            True for value in query if value is None
        ]
    assert found.contributions[-1, 0] == pytest.approx(found.total[-1], abs=1e-12)


def test_a_gap_that_is_a_value_speaks() -> None:
    model = NaiveBayes(missing="value").fit([["red"], [None], [None]], ["no", "yes", "yes"])
    assert model.contributions([[None]]).contributions[0, 1] == pytest.approx(math.log((3 / 4) / (1 / 3)))


def test_by_hand() -> None:
    model = NaiveBayes().fit([["red"], ["red"], ["blue"], ["blue"]], ["no", "no", "no", "yes"])
    found = model.contributions([["red"], ["blue"]])
    expected = [
        [math.log(4 / 2), math.log((3 / 5) / (1 / 3))],  # classes 4/6 and 2/6, red 3/5 and 1/3
        [math.log(4 / 2), math.log((2 / 5) / (2 / 3))],
    ]
    np.testing.assert_allclose(found.contributions, expected, atol=1e-15)


@given(row_lists(min_size=2), st.data())
def test_laws(rows: list[Any], data: st.DataObject) -> None:
    classes = data.draw(st.lists(st.sampled_from(["no", "yes"]), min_size=len(rows), max_size=len(rows)))
    rows, classes = [*rows, [1.0, "red", True], [3.0, "blue", False]], [*classes, "no", "yes"]
    settings: dict[str, Any] = {
        "predictive": data.draw(st.sampled_from(["evidence", "sc"])),
        "numeric": data.draw(st.sampled_from(["student", "equal_width"])),
        "schema": {1: Nominal(), 2: Nominal()},
    }
    fresh = NaiveBayes(**settings).fit(rows, classes)
    found = fresh.contributions(rows)
    np.testing.assert_allclose(found.contributions.sum(axis=1), found.total, atol=1e-12)
    assert (found.total >= 0).all()
    one_by_one = np.concatenate([fresh.contributions([row]).contributions for row in rows])
    np.testing.assert_array_equal(one_by_one, found.contributions)
    against = fresh.contributions(rows, versus="no")
    np.testing.assert_array_equal(
        against.contributions, found.contributions
    )  # of two classes each is the other's runner-up
    model = NaiveBayes(**settings).partial_fit([[9.0, "grey", True]], ["other"])
    for row, c in zip(rows, classes, strict=True):
        model.partial_fit([row], [c])
    np.testing.assert_array_equal(model.forget([0]).contributions(rows).contributions, found.contributions)


def test_equally_probable_classes_come_in_order() -> None:
    model = NaiveBayes().fit([["x"], ["x"], ["x"]], ["c", "b", "a"])
    found = model.contributions([["x"], [None]])
    assert (found.predicted.tolist(), found.versus.tolist()) == (["a", "a"], ["b", "b"])
    np.testing.assert_array_equal(found.contributions, 0.0)
    assert model.contributions([["x"]], versus="c").versus.tolist() == ["c"]
    assert model.contributions([["x"]], versus="a").versus.tolist() == ["b"]


def test_classes_without_rows_can_be_held_against() -> None:
    model = NaiveBayes().partial_fit([["x"], ["y"]], ["a", "a"], classes=["a", "b"])
    found = model.contributions([["x"]])
    assert found.versus.tolist() == ["b"]
    np.testing.assert_allclose(found.contributions, [[math.log(3), 0.0]])


# -- zeros


def zeros(**settings: Any) -> NaiveBayes:
    rows = [["red", "S", 1], ["red", "S", 1], ["blue", "L", 1], ["blue", "L", 2]]
    kinds = {0: Nominal(), 1: Ordinal(("S", "L", "XL")), 2: Nominal()}
    return NaiveBayes("map", schema=kinds, **settings).fit(rows, ["no", "no", "yes", "yes"])


def test_zeros_rule_out() -> None:
    found = zeros().contributions([["red", None, 1]])
    assert found.contributions[0].tolist() == [0.0, np.inf, 0.0, math.log(2)]
    assert found.total[0] == np.inf
    assert str(found) == (
        "query 0: no 1.0000 against yes 0.0000\n"
        "  part      value   contribution\n"
        "  prior                        0\n"
        "  x0        red    rules out yes\n"
        "  x2        1            +0.6931\n"
        "  x1        ?                  0\n"
        "  log-odds              infinite"
    )


def test_where_every_class_is_impossible() -> None:
    found = zeros().contributions([["red", "L", None], ["green", "XL", 1]])
    assert found.total.tolist() == [0.0, 0.0]
    assert found.contributions[0].tolist() == [0.0, np.inf, -np.inf, 0.0]
    assert np.isnan(found.contributions[1, 1:3]).all()
    assert str(found[0]) == (
        "query 0: no 0.5000 against yes 0.5000\n"
        "  part      value    contribution\n"
        "  prior                         0\n"
        "  x0        red     rules out yes\n"
        "  x1        L        rules out no\n"
        "  x2        ?                   0\n"
        "  log-odds         all impossible\n"
        "  every class is impossible, so all classes get equal probability"
    )
    assert str(found[1]).count("rules out both") == 2


def test_zero_policies_act_on_the_total() -> None:
    capped = zeros(zero_policy="cap100").contributions([["red", None, None]])
    assert capped.total[0] == pytest.approx(100.0)
    assert capped.contributions[0, 1] == np.inf
    floored = zeros(zero_policy="param_floor").contributions([["red", None, None]])
    assert floored.total[0] == pytest.approx(math.log(1e4))
    assert floored.contributions[0].sum() == pytest.approx(floored.total[0])


# -- as a table


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_a_frame_of_the_same_library(kind: str) -> None:
    columns = dict(zip(COLUMNS, zip(*X, strict=True), strict=True))
    frame: Any = pd.DataFrame(columns) if kind == "pandas" else pl.DataFrame({k: list(v) for k, v in columns.items()})
    frame = frame.to_arrow() if kind == "pyarrow" else frame
    found = NaiveBayes().fit(frame, Y).contributions(frame)
    out = found.frame()
    names = out.column_names if kind == "pyarrow" else list(out.columns)
    assert type(out).__module__.startswith(kind)
    assert names == [
        *("query", "predicted", "versus", "total", "prior", *COLUMNS),
        *(f"contribution of {name}" for name in COLUMNS),
    ]
    np.testing.assert_array_equal(np.asarray(out["contribution of colour"]), found.contributions[:, 2])
    assert len(out) == 60


def test_a_frame_of_arrays_and_of_names_that_collide() -> None:
    found = NaiveBayes().fit(X, Y).contributions(QUERIES).frame()
    assert [None if value != value else value for value in found["x1"]] == [row[1] for row in QUERIES]
    frame = pd.DataFrame({"prior": ["a", "b"], "total": ["c", "d"]})
    out = NaiveBayes().fit(frame, [0, 1]).contributions(frame).frame()
    assert list(out.columns)[5:] == ["prior (value)", "total (value)", "contribution of prior", "contribution of total"]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_a_frame_with_a_level_that_is_none(make: Any) -> None:
    model = NaiveBayes(schema={"grade": Ordinal((1, 2))}).fit(make({"grade": [1, 2]}), ["no", "yes"])
    found = model.contributions(make({"grade": [9, 1, None]})).frame()["grade"].to_list()
    assert [None if value is None else str(value) for value in found] == ["(no such level)", "1", None]


def test_it_prints_as_a_table() -> None:
    frame = pd.DataFrame({"colour": ["red", "red", "blue", "blue"], "size": ["S", "M", "M", "M"]})
    found = NaiveBayes().fit(frame, ["no", "no", "yes", "yes"]).contributions(frame)
    assert (
        str(found[0])
        == repr(found[0])
        == (
            "query 0: no 0.8571 against yes 0.1429\n"
            "  part      value  contribution\n"
            "  prior                       0\n"
            "  colour    red         +1.0986\n"
            "  size      S           +0.6931\n"
            "  log-odds              +1.7918"
        )
    )
    assert "<caption>query 0: no 0.8571 against yes 0.1429</caption>" in found._repr_html_()
    assert found[2:].numbers == (2, 3)
    assert [one.numbers for one in found] == [(0,), (1,), (2,), (3,)]
    assert str(NaiveBayes().fit(X, Y).contributions(X)).endswith("\n\n... and 55 more queries")


def test_many_attributes_still_add_up() -> None:
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, (30, 40)).astype(str)
    found = NaiveBayes().fit(rows, rng.integers(0, 2, 30)).contributions(rows[:1])
    lines = str(found).splitlines()
    assert len(lines) == 1 + 1 + 1 + 15 + 1 + 1
    assert lines[-2].split()[:2] == ["25", "others"]
    parts = [float(line.split()[-1]) for line in lines[2:-1]]
    assert sum(parts) == pytest.approx(found.total[0], abs=1e-3)
    sizes = [abs(part) for part in parts[1:16]]
    assert sizes == sorted(sizes, reverse=True)
