"""Several columns at once, from all others."""

from __future__ import annotations

import pickle
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.joint import CLASS, Model
from tiny_tables import DECLARED, KINDS, fitted, tiny

from priorcase.bayes import TARGET, JointDistribution, NaiveBayes
from priorcase.schema import Nominal

WAYS = [("evidence", 1), ("evidence", Fraction(1, 2)), ("map", 1), ("map", 2), ("sc", 1)]
QUESTIONS: list[tuple[int, ...]] = [(0,), (CLASS,), (2, 0), (1, CLASS), (CLASS, 0, 2), (0, 1, 2), (2, CLASS, 1, 0)]


def names(targets: tuple[int, ...]) -> list[Any]:
    return ["class" if a == CLASS else a for a in targets]


def as_dict(found: JointDistribution, i: int = 0) -> dict[tuple[Any, ...], float]:
    """The distribution of a query by combination of values."""
    cells = np.ndindex(*found.probabilities.shape[1:])
    values = [axis.tolist() for axis in found.values]
    return {
        tuple(axis[at] for axis, at in zip(values, cell, strict=True)): float(found.probabilities[(i, *cell)])
        for cell in cells
    }


@pytest.mark.parametrize("missing", ["ignore", "value"])
@pytest.mark.parametrize(("way", "weight"), WAYS)
def test_it_is_what_the_full_table_says(way: str, weight: Any, missing: str) -> None:
    seed = WAYS.index((way, weight)) % 3
    rows, classes = tiny(6 + seed, seed)
    model = fitted(rows, classes, way, weight, missing=missing)
    reference = Model(
        [tuple(row) for row in rows], classes, way, Fraction(weight), missing == "value", declared=DECLARED
    )
    queries: list[list[Any]] = [["red", "a", "low"], [None, None, "high"], ["violet", "b", None], [None] * 3]
    for targets in QUESTIONS:
        found = model.predict_joint(queries, names(targets))
        for i, query in enumerate(queries):
            expected = reference.joint(tuple(query), targets)
            assert as_dict(found, i) == pytest.approx(expected, abs=1e-12), (targets, query)


@pytest.mark.parametrize(("way", "weight"), WAYS)
def test_known_classes_are_conditions(way: str, weight: Any) -> None:
    rows, classes = tiny(9, 5)
    model = fitted(rows, classes, way, weight)
    reference = Model([tuple(row) for row in rows], classes, way, Fraction(weight), declared=DECLARED)
    queries, y = [["red", None, "low"], ["blue", "a", "high"]], ["yes", None]
    for targets in [(0,), (1, 2), (2, 0, 1)]:
        found = model.predict_joint(queries, list(targets), y=y)
        for i, query in enumerate(queries):
            assert as_dict(found, i) == pytest.approx(reference.joint(tuple(query), targets, y[i]), abs=1e-12)


def test_a_worked_example() -> None:
    """Three rows of class no (red, red, blue), one of class yes (blue), weight 1."""
    model = NaiveBayes().fit([["red"], ["red"], ["blue"], ["blue"]], ["no", "no", "no", "yes"])
    found = model.predict_joint([[None]], ["class", 0])
    assert found.values[1].tolist() == ["blue", "red"]
    # Classes 4/6 and 2/6; colours (1 + 1)/5 and (2 + 1)/5 in the first, 2/3 and 1/3 in the second.
    np.testing.assert_allclose(found.probabilities, [[[4 / 15, 6 / 15], [2 / 9, 1 / 9]]])


tables = st.lists(
    st.tuples(
        st.sampled_from(["red", "blue", "green", None]),
        st.sampled_from(["a", "b", None]),
        st.sampled_from(["low", "high", None]),
        st.sampled_from(["no", "yes", "perhaps"]),
    ),
    min_size=1,
    max_size=8,
)
rows_to_ask = st.lists(
    st.tuples(
        st.sampled_from(["red", "blue", "violet", None]),
        st.sampled_from(["a", "c", None]),
        st.sampled_from(["low", "high", None]),
    ).map(list),
    min_size=1,
    max_size=3,
)
ways = st.sampled_from(["evidence", "map", "sc"])
GIVEN = [["red", "a", "low", "no"]]  # a value in every column


@settings(max_examples=25)
@given(tables, rows_to_ask, ways, st.sampled_from(["ignore", "value"]))
def test_laws(drawn: list[Any], queries: list[Any], way: str, missing: str) -> None:
    rows = [*GIVEN, *(list(row) for row in drawn)]
    model = fitted([row[:3] for row in rows], [row[3] for row in rows], way, missing=missing)
    every = model.predict_joint(queries, [0, 1, 2, "class"])
    np.testing.assert_allclose(every.probabilities.reshape(len(queries), -1).sum(axis=1), 1.0, atol=1e-12)
    assert (every.probabilities >= 0).all()
    for order in permutations([0, 2, 3]):
        asked = ["class" if a == 3 else a for a in order]
        found = model.predict_joint(queries, asked)
        same = model.predict_joint(queries, [0, 2, "class"]).probabilities
        positions = [[0, 2, 3].index(a) + 1 for a in order]
        np.testing.assert_array_equal(found.probabilities, same.transpose(0, *positions))
    one_by_one = [model.predict_joint([query], [2, "class"]).probabilities for query in queries]
    np.testing.assert_array_equal(np.concatenate(one_by_one), model.predict_joint(queries, [2, "class"]).probabilities)
    alone = model.predict_joint(queries, [TARGET]).probabilities
    np.testing.assert_allclose(alone, model.predict_proba(queries), atol=1e-12)
    for column in (0, 1, 2, "class"):
        _, chances = model.predict_column(queries, column, return_proba=True)
        np.testing.assert_allclose(chances, model.predict_joint(queries, [column]).probabilities, atol=1e-12)
        if way != "sc" and column != "class":  # whose shares do not sum to one
            smaller = model.predict_joint(queries, ["class", column]).marginal(column)
            np.testing.assert_allclose(smaller.probabilities, chances, atol=1e-12)
    if way != "sc" and missing == "ignore":
        gaps = [[None, *query[1:]] for query in queries]
        for targets in (["class"], [2, 1], [2, "class"]):
            larger = model.predict_joint(queries, [*targets, 0]).marginal(*targets)
            found = model.predict_joint(gaps, targets)
            np.testing.assert_allclose(larger.probabilities, found.probabilities, atol=1e-12)


@settings(max_examples=25)
@given(tables, st.data())
def test_no_history_shows(drawn: list[Any], data: st.DataObject) -> None:
    rows = [*GIVEN, *(list(row) for row in drawn)]
    others = [["blue", "b", "high", "yes"], ["grey", None, None, "other"]]
    X, y = [row[:3] for row in rows], [row[3] for row in rows]
    way, missing = data.draw(ways), data.draw(st.sampled_from(["ignore", "value"]))
    fresh = fitted(X, y, way, missing=missing)
    settings: dict[str, Any] = {"prior": 1.0, "schema": KINDS, "missing": missing}
    model = NaiveBayes(way, **settings).partial_fit([row[:3] for row in others], [row[3] for row in others])
    for row in rows:
        model.partial_fit([row[:3]], [row[3]])
    model.forget([0, 1])
    queries = [["red", None, "low"], ["violet", "a", None]]
    for targets in ([0, "class"], [2, 1], [1]):
        one, two = fresh.predict_joint(queries, targets), model.predict_joint(queries, targets)
        np.testing.assert_array_equal(one.probabilities, two.probabilities)
        assert [axis.tolist() for axis in one.values] == [axis.tolist() for axis in two.values]
    for column in (0, 1, 2, "class"):
        assert fresh.predict_column(queries, column).tolist() == model.predict_column(queries, column).tolist()
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(
        again.predict_joint(queries, [0]).probabilities, fresh.predict_joint(queries, [0]).probabilities
    )


@pytest.mark.parametrize("way", ["evidence", "map", "sc"])
def test_a_value_never_seen_is_as_good_as_declared(way: str) -> None:
    rows, classes = tiny(12, 3)
    query = [["violet", None, "low"]]
    found = fitted(rows, classes, way, 2).predict_joint(query, [1, "class"])
    kinds = {**KINDS, 0: Nominal(("red", "blue", "green", "violet"))}
    declared = NaiveBayes(way, prior=2.0, schema=kinds).fit(rows, classes).predict_joint(query, [1, "class"])
    np.testing.assert_allclose(found.probabilities, declared.probabilities, atol=1e-12)


def test_gaps_may_be_values() -> None:
    model = NaiveBayes(missing="value").fit([["red"], ["red"], [None], [None]], ["no", "no", "no", "yes"])
    assert model.column_values(0).tolist() == ["red", None]
    found = model.predict_joint([["red"], [None]], [0])
    np.testing.assert_allclose(found.probabilities[0], found.probabilities[1])
    np.testing.assert_allclose(found.probabilities[0], [4 / 6 * 3 / 5 + 2 / 6 * 1 / 3, 4 / 6 * 2 / 5 + 2 / 6 * 2 / 3])
    assert model.predict_column([["red"]], 0, y=["yes"]).tolist() == [None]


@pytest.mark.parametrize("policy", ["-inf", "cap100", "param_floor"])
def test_zero_policies(policy: str) -> None:
    X, y = [["red", "a"], ["red", "a"], ["blue", "b"]], ["no", "no", "yes"]
    model = NaiveBayes("map", zero_policy=policy).fit(X, y)
    queries: list[list[Any]] = [["red", None], ["violet", None], [None, None]]
    found = model.predict_joint(queries, [1, "class"])
    shares = model.predict_proba(queries)
    assert (found.probabilities.reshape(3, -1).sum(axis=1) == pytest.approx(1.0)) is True
    if policy == "param_floor":
        floor = 1e-4
        np.testing.assert_allclose(found.probabilities[0, 0, 0] / found.probabilities[0, 1, 0], 1 / floor)
    else:
        np.testing.assert_allclose(found.marginal("class").probabilities, shares, atol=1e-12)
        np.testing.assert_array_equal(found.probabilities[:, 0, 1], 0.0)  # a never goes with yes
        np.testing.assert_allclose(shares[1], [0.5, 0.5])  # no class is possible
