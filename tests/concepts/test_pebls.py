"""PEBLS: the lecture's worked distances, and the same records, distances and answers as the slow one."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from reference.knn import classify, proba
from reference.pebls import Pebls, Settings, symbols

from priorcase.concepts import PEBLS
from priorcase.schema import Nominal, Ordinal

# -- the lecture's table

TAXES = [
    ("Yes", "Single", 125, "No"),
    ("No", "Married", 100, "No"),
    ("No", "Single", 70, "No"),
    ("Yes", "Married", 120, "No"),
    ("No", "Divorced", 95, "Yes"),
    ("No", "Married", 60, "No"),
    ("Yes", "Divorced", 220, "No"),
    ("No", "Single", 85, "Yes"),
    ("No", "Married", 75, "No"),
    ("No", "Single", 90, "Yes"),
]
CHEATS = [row[-1] for row in TAXES]
WORKED = [
    ("marital status", "Single", "Married", Fraction(1)),
    ("marital status", "Single", "Divorced", Fraction(0)),
    ("marital status", "Married", "Divorced", Fraction(1)),
    ("refund", "Yes", "No", Fraction(6, 7)),
]


def taxes() -> Any:
    import pandas as pd

    return pd.DataFrame([row[:3] for row in TAXES], columns=["refund", "marital status", "income"])


@pytest.mark.parametrize(("attribute", "one", "other", "expected"), WORKED)
def test_worked_differences_of_the_lecture(attribute: str, one: str, other: str, expected: Fraction) -> None:
    table = PEBLS().fit(taxes(), CHEATS).value_differences(attribute)
    assert table[one, other] == table[other, one] == pytest.approx(float(expected), abs=1e-15)
    assert table[one, one] == 0.0
    slow = Pebls([row[:2] for row in TAXES], CHEATS, Settings())
    assert slow.value_difference(["refund", "marital status"].index(attribute), one, other) == expected


def lecture(**options: Any) -> PEBLS:
    """Fitted to the two columns of values, in which rows 2, 4, 7 and 9 are alike, as are 0 and 6, and 1, 5 and 8."""
    return PEBLS(**options).fit(taxes()[["refund", "marital status"]], CHEATS)


def test_one_pass_over_the_lectures_table_by_hand() -> None:
    found = lecture(weighting="one_pass").exemplars_
    assert found["used"].tolist() == [4, 5, 6, 3, 4, 4, 4, 5, 5, 6]
    assert found["correct"].tolist() == [4, 5, 3, 3, 3, 4, 4, 3, 5, 3]


def test_a_pass_over_all_exemplars_of_the_lectures_table_by_hand() -> None:
    """Row 2 did not cheat and misleads three who did; row 4 misleads row 2."""
    model = lecture()
    assert model.exemplars_["used"].tolist() == [2, 4, 4, 1, 2, 2, 2, 1, 1, 1]
    assert model.exemplars_["correct"].tolist() == [2, 4, 1, 1, 1, 2, 2, 1, 1, 1]
    assert model.suspects(2).ids.tolist() == [2, 4]
    distances, ids = model.kneighbors([["No", "Widowed"]], n_neighbors=10)
    assert ids.tolist() == [[1, 5, 7, 8, 9, 0, 3, 6, 4, 2]]
    np.testing.assert_allclose(distances, [[*[4.0] * 5, *[4 + 36 / 49] * 3, 8.0, 16.0]], rtol=1e-15)
    assert model.predict([["No", "Widowed"], ["Yes", "Single"]]).tolist() == ["No", "No"]


def test_values_differ_by_what_they_say_about_the_class() -> None:
    """Two values with the same class shares are the same, whatever they are called."""
    rows = [["single"], ["divorced"], ["single"], ["divorced"], ["married"]]
    model = PEBLS(weighting=None).fit(rows, ["no", "no", "yes", "yes", "no"])
    distances, _ = model.kneighbors([["divorced"]], n_neighbors=5)
    assert distances.tolist() == [[0.0, 0.0, 0.0, 0.0, 1.0]]


# -- the slow one


def table(n: int, seed: int, gaps: float = 0.12) -> list[list[Any]]:
    """Numbers from 0 to 10 (five intervals of width 2, all numbers exact), two texts and a boolean, and gaps."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        row: list[Any] = [
            float(rng.integers(0, 11)),
            str(rng.choice(["red", "green", "blue"])),
            bool(rng.integers(0, 2)),
            str(rng.choice(list("abcdefgh"))),
        ]
        rows.append([None if rng.random() < gaps else value for value in row])
    rows[0][0], rows[1][0] = 0.0, 10.0
    return rows


def labels(rows: list[list[Any]], seed: int) -> list[str]:
    """Classes that depend on the rows, and on chance."""
    rng = np.random.default_rng(seed)
    return [
        str(rng.choice(["p", "q", "r"])) if rng.random() < 0.3 else "p" if (row[0] or 3) > 5 else "q" for row in rows
    ]


QUERIES = [*table(12, 99), [None] * 4, [-50.0, "violet", None, "z"], [70.0, "red", True, "a"]]

MODES: list[dict[str, Any]] = [
    {"weighting": "one_pass"},
    {"weighting": "one_pass", "inherit": False},
    {"weighting": "multi_pass"},
    {"weighting": "multi_pass", "passes": 3},
    {"weighting": None},
]
FORMS: list[dict[str, Any]] = [
    {},
    {"power": 1},
    {"exponent": 2, "power": 3},
    {"unseen": "prior"},
    {"unseen": "zero", "exponent": 2},
    {"attribute_weights": [1, 2, 0, 0.5]},
]


def slow(rows: list[list[Any]], classes: list[str], options: dict[str, Any], number: Any) -> tuple[Pebls, Any]:
    read = symbols(rows, [0], 5)
    renamed = {"exponent": "k", "power": "r", "attribute_weights": "weights"}
    settings = Settings(**{renamed.get(name, name): value for name, value in options.items()}, number=number)
    return Pebls([read(row) for row in rows], classes, settings), read


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("n", "seed"), [(2, 1), (3, 2), (24, 3)])
def test_records_distances_and_answers_are_those_of_the_slow_one(
    mode: dict[str, Any], form: dict[str, Any], n: int, seed: int
) -> None:
    rows, options = table(n, seed), mode | form
    classes = labels(rows, seed)
    oracle, read = slow(rows, classes, options, float)
    k = min(3, n)
    model = PEBLS(k, bins=5, **options).fit(rows, classes)
    found = model.exemplars_
    assert found["used"].tolist() == [exemplar.used for exemplar in oracle.exemplars]
    assert found["correct"].tolist() == [exemplar.correct for exemplar in oracle.exemplars]
    assert found["weight"].tolist() == [exemplar.used / exemplar.correct for exemplar in oracle.exemplars]
    distances, ids = model.kneighbors(QUERIES)
    for query, near, far in zip(QUERIES, ids, distances, strict=True):
        expected = oracle.nearest(read(query), oracle.exemplars, k)
        places = [next(i for i, x in enumerate(oracle.exemplars) if x is exemplar) for exemplar in expected]
        assert near.tolist() == places
        assert far.tolist() == [oracle.distance(read(query), exemplar) for exemplar in expected]
    assert model.predict(QUERIES).tolist() == [oracle.predict(read(query), k) for query in QUERIES]
    n = len(model.classes_)
    proba = [[(oracle.votes(read(query), k).get(c, 0) + 1 / n) / (k + 1) for c in model.classes_] for query in QUERIES]
    np.testing.assert_allclose(model.predict_proba(QUERIES), proba, rtol=1e-14)


@pytest.mark.parametrize(("mode", "form"), [(MODES[i % len(MODES)], form) for i, form in enumerate(FORMS)])
def test_distances_are_the_exact_ones_up_to_rounding(mode: dict[str, Any], form: dict[str, Any]) -> None:
    """Exact fractions, with the records as they are: nothing found is too far, nothing nearer is missing."""
    rows = table(30, 7)
    classes = labels(rows, 7)
    model = PEBLS(bins=5, **mode, **form).fit(rows, classes)
    oracle, read = slow(rows, classes, {"weighting": None} | form, Fraction)
    for exemplar, used, correct in zip(
        oracle.exemplars, model.exemplars_["used"].tolist(), model.exemplars_["correct"].tolist(), strict=True
    ):
        exemplar.used, exemplar.correct = used, correct
    distances, ids = model.kneighbors(QUERIES, n_neighbors=30)
    for query, near, far in zip(QUERIES, ids, distances, strict=True):
        exact = [float(oracle.distance(read(query), exemplar)) for exemplar in oracle.exemplars]
        np.testing.assert_allclose(far, sorted(exact), rtol=1e-13, atol=1e-15)
        np.testing.assert_allclose(far, [exact[i] for i in near], rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("ties", ["nearest", "first", "majority", "reduce"])
@pytest.mark.parametrize("k", [1, 2, 4])
def test_votes_are_counted_by_the_rule(ties: Any, k: int) -> None:
    rows = table(40, 5)
    classes = labels(rows, 5)
    model = PEBLS(k, ties=ties, bins=5).fit(rows, classes)
    prior = [1 / len(model.classes_)] * len(model.classes_)
    distances, ids = model.kneighbors(QUERIES, n_neighbors=40)
    for query, near, far in zip(QUERIES, ids, distances, strict=True):
        by_row = [far[near.tolist().index(row)] for row in range(40)]
        assert model.predict([query])[0] == classify(by_row, classes, k, ties=ties)
        np.testing.assert_allclose(model.predict_proba([query])[0], proba(by_row, classes, k, ties=ties, prior=prior))


def test_by_majority_all_as_near_as_the_last_voter_vote() -> None:
    rows, classes = [["a"]] * 5 + [["b"]], ["p", "q", "q", "q", "p", "p"]
    for ties, expected, shares in (("nearest", "p", [1.5 / 3, 1.5 / 3]), ("majority", "q", [2.5 / 6, 3.5 / 6])):
        model = PEBLS(2, ties=ties, weighting=None).fit(rows, classes)
        assert model.predict([["a"]]).tolist() == [expected]
        np.testing.assert_allclose(model.predict_proba([["a"]])[0], shares)


def test_levels_are_symbols() -> None:
    """An ordinal column is compared by class shares, not by rank."""
    rows = [["S"], ["M"], ["L"], ["S"], ["M"], ["L"]]
    classes = ["yes", "no", "yes", "yes", "no", "yes"]
    model = PEBLS(weighting=None, schema={0: Ordinal(("S", "M", "L"))}).fit(rows, classes)
    assert model.value_differences(0).values == ("S", "M", "L")
    assert model.value_differences(0).matrix.tolist() == [[0, 2, 0], [2, 0, 2], [0, 2, 0]]


def test_a_declared_value_without_rows_is_like_the_average_row() -> None:
    model = PEBLS(weighting=None, power=1, schema={0: Nominal(("a", "b", "c"))})
    model.fit([["a"], ["a"], ["b"], ["b"]], ["no", "no", "yes", "no"])
    distances, _ = model.kneighbors([["c"]], n_neighbors=4)
    assert distances.tolist() == [[0.5, 0.5, 0.5, 0.5]]
