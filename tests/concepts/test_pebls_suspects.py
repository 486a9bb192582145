"""Reliabilities that can be looked at: frames, tables, plots, precedents, and wrong labels among the suspects."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest

from priorcase.concepts import PEBLS, Exemplars
from priorcase.exceptions import ParameterError

mpl.use("Agg")


def flowers() -> tuple[pd.DataFrame, list[str]]:
    """Red ones are roses and blue ones violets, but for the first, which is called a violet."""
    colours = ["red", "red", "red", "red", "blue", "blue", "blue"]
    kinds = ["violet", "rose", "rose", "rose", "violet", "violet", "violet"]
    return pd.DataFrame({"colour": colours, "size": [3.0, 3.0, 3.0, 3.0, 1.0, 1.0, None]}), kinds


def fitted() -> PEBLS:
    return PEBLS(weighting="multi_pass").fit(*flowers())


def test_exemplars_are_a_frame_of_the_users_library() -> None:
    found = fitted().exemplars_
    assert isinstance(found, pd.DataFrame)
    assert found.columns.tolist() == ["id", "class", "used", "correct", "weight", "colour", "size"]
    assert found["id"].tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert found["class"].tolist() == flowers()[1]
    assert found["size"].isna().tolist() == [False] * 6 + [True]
    other = PEBLS(weighting="multi_pass").fit(pl.DataFrame({"colour": ["red", "blue"]}), ["rose", "violet"])
    assert isinstance(other.exemplars_, pl.DataFrame)
    lists = PEBLS().fit([["red"], ["blue"]], ["rose", "violet"]).exemplars_
    assert {name: column.tolist() for name, column in lists.items()} == {
        "id": [0, 1],
        "class": ["rose", "violet"],
        "used": [2, 2],
        "correct": [1, 1],
        "weight": [2.0, 2.0],
        "x0": ["red", "blue"],
    }


def test_suspects_come_worst_first_with_their_nearest_others() -> None:
    model = fitted()
    suspects = model.suspects(3)
    assert isinstance(suspects, Exemplars)
    weights = model.exemplars_["weight"]
    everything = model.suspects(None)
    assert everything.weights.tolist() == sorted(weights, reverse=True)
    assert everything.frame()["id"].tolist()[:3] == suspects.ids.tolist()
    distances, near = model.kneighbors(n_neighbors=1)
    assert suspects.nearest.tolist() == near[suspects.ids, 0].tolist()
    assert suspects.distances.tolist() == distances[suspects.ids, 0].tolist()
    assert suspects.nearest_classes.tolist() == [flowers()[1][i] for i in suspects.nearest]


def test_suspects_are_ordered_by_weight_then_use_then_id() -> None:
    rng = np.random.default_rng(0)
    suspects = PEBLS().fit(rng.integers(0, 3, (40, 3)).astype(str), rng.integers(0, 2, 40)).suspects(None)
    order = [(-weight, -used, i) for weight, used, i in zip(suspects.weights, suspects.used, suspects.ids, strict=True)]
    assert order == sorted(order)
    assert [entry[:2] for entry in order[:5]] == [(-4, -4), (-3, -3), (-2, -4), (-2, -2), (-2, -2)]


def test_suspects_print_as_a_table() -> None:
    assert str(fitted().suspects(2)).splitlines() == [
        "id  class   used  correct  weight  nearest     distance  colour  size",
        " 0  violet     4        1       4  1 (rose)           0  red     3",
        " 1  rose       2        1       2  0 (violet)         0  red     3",
    ]
    wide = PEBLS().fit([list("abcdefgh")] * 40, ["p", "q"] * 20).suspects(None)
    assert str(wide).endswith("... and 10 more exemplars; 2 more attributes in frame()")
    assert "<table>" in wide._repr_html_()


def test_suspects_are_drawn() -> None:
    ax = fitted().suspects(4).plot()
    assert [bar.get_width() for bar in ax.patches] == fitted().suspects(4).weights.tolist()
    assert ax.get_yticklabels()[0].get_text() == "0 (violet)"
    assert fitted().suspects(2).plot(ax=ax) is ax


def test_value_differences_print_as_a_table() -> None:
    model = fitted()
    assert str(model.value_differences("size")).splitlines() == [
        "differences between values of size",
        "               1 to 1.4  2.6 or more    ?",
        "  1 to 1.4          0.0          1.5  0.0",
        "  2.6 or more       1.5          0.0  1.5",
        "  ?                 0.0          1.5  0.0",
    ]
    assert model.value_differences("colour").frame().columns.tolist() == ["value", "red", "blue"]
    assert model.value_differences(0)["red", "blue"] == pytest.approx(1.5)
    assert "<table>" in model.value_differences(0)._repr_html_()


def test_symbols_of_one_name_are_told_apart() -> None:
    column = pd.Series(["value", 1, "?", None, "1", "value"], dtype=object, name="mixed")
    table = PEBLS().fit(column.to_frame(), ["a", "b", "a", "b", "a", "b"]).value_differences("mixed")
    assert table.values == ("value", "1", "?", "1 (2)", "? (2)")
    assert table.frame().columns.tolist() == ["value", "value (2)", "1", "?", "1 (2)", "? (2)"]
    assert (table["?", "? (2)"], table["?", "1 (2)"], table["value", "?"]) == (2.0, 0.0, 1.0)


def test_narrow_intervals_are_told_apart() -> None:
    ages = [[1e6 + i / 4] for i in range(9)]
    values = PEBLS(bins=4).fit(ages, ["a", "b", "a"] * 3).value_differences(0).values
    assert values == ("1000000 to 1000000.5", "1000000.5 to 1000001", "1000001 to 1000001.5", "1000001.5 or more")


def test_a_symbol_that_no_row_holds() -> None:
    with pytest.raises(ParameterError, match=r"'bleu' is not a stored value of 'colour'.*Did you mean 'blue'\?"):
        fitted().value_differences("colour")["red", "bleu"]


def test_precedents_add_up_to_the_weighted_distance() -> None:
    rng = np.random.default_rng(2)
    rows = [[str(rng.choice(list("abc"))), float(rng.integers(0, 9)), str(rng.choice(list("xy")))] for _ in range(80)]
    classes = [str(rng.choice(["p", "q"])) for _ in rows]
    model = PEBLS(3, attribute_weights=[1, 0.5, 2]).fit(rows, classes)
    found = model.precedents(rows[:9])
    distances, ids = model.kneighbors(rows[:9])
    np.testing.assert_array_equal(found.ids, ids.ravel())
    np.testing.assert_array_equal(found.distances, distances.ravel())
    np.testing.assert_allclose(found.contributions.sum(axis=1), found.distances, rtol=1e-12)
    assert found.predictions.tolist() == model.predict(rows[:9]).tolist()
    np.testing.assert_array_equal(found.probabilities, model.predict_proba(rows[:9]))
    everyone, order = model.kneighbors(rows[:9], n_neighbors=80)
    for q, case in enumerate(found.unlike):
        unlike = next(i for i in order[q].tolist() if classes[i] != found.predictions[q])
        assert case is not None
        assert (case.id, case.target) == (unlike, classes[unlike])
        assert case.distance == everyone[q, order[q].tolist().index(unlike)]
        assert case.contributions.sum() == pytest.approx(case.distance)
    assert "query 0" in str(found)


def test_where_all_are_alike_no_case_is_unlike() -> None:
    assert PEBLS().fit([["a"], ["b"]], ["p", "p"]).precedents([["a"]]).unlike == (None,)


@pytest.mark.parametrize("alike", [1, 31, 32, 33, 300])
def test_an_unlike_case_may_come_after_many_that_are_alike(alike: int) -> None:
    model = PEBLS(weighting=None).fit([["a"]] * alike + [["b"]], ["p"] * alike + ["q"])
    unlike = model.precedents([["a"], ["b"]]).unlike
    assert [case and (case.id, case.target) for case in unlike] == [(alike, "q"), (0, "p")]


# -- wrong labels


def noisy(seed: int, flips: float = 0.1) -> tuple[list[list[str]], list[str], set[int]]:
    """Rows of eight letters around one of four patterns, a class for each, and some labels changed."""
    rng = np.random.default_rng(seed)
    patterns = [rng.choice(list("abcd"), 8) for _ in range(4)]
    truth = rng.integers(0, 4, 400)
    rows = [
        [str(rng.choice(list("abcd"))) if rng.random() < 0.25 else str(letter) for letter in patterns[c]] for c in truth
    ]
    flipped = set(rng.choice(400, int(400 * flips), replace=False).tolist())
    labels = [f"class {(c + rng.integers(1, 4)) % 4 if i in flipped else c}" for i, c in enumerate(truth)]
    return rows, labels, flipped


@pytest.mark.parametrize(
    ("mode", "times"),
    [
        ({}, 4),
        ({"passes": 3}, 4),
        ({"weighting": "one_pass", "inherit": False}, 3.5),
        ({"weighting": "one_pass"}, 2),  # an inherited record speaks of the neighbor, too
    ],
)
def test_wrong_labels_are_over_represented_among_the_suspects(mode: dict[str, Any], times: float) -> None:
    """One label in ten is wrong; of as many suspects, that many times one in ten."""
    shares = []
    for seed in range(6):
        rows, labels, flipped = noisy(seed)
        suspects = PEBLS(**mode).fit(rows, labels).suspects(len(flipped)).ids.tolist()
        shares.append(len(flipped.intersection(suspects)) / len(flipped))
    assert np.mean(shares) > times * 0.1


@pytest.mark.parametrize("seed", range(3))
def test_weights_help_against_wrong_labels(seed: int) -> None:
    rows, labels, _ = noisy(seed, flips=0.25)
    _, truth, _ = noisy(seed, flips=0.0)
    right = {}
    for weighting in (None, "one_pass", "multi_pass"):
        model = PEBLS(weighting=weighting).fit(rows[:300], labels[:300])
        right[weighting] = float(np.mean(model.predict(rows[300:]) == truth[300:]))
    assert right["multi_pass"] > right[None]
    assert right["one_pass"] > right[None]
