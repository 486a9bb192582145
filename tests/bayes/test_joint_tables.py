"""Questions about columns at the door, their results, and their words."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tiny_tables import fitted, tiny

from priorcase.bayes import TARGET, Interval, NaiveBayes
from priorcase.exceptions import SchemaMismatchError, TargetError


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, lambda c: pl.DataFrame(c).to_arrow()])
def test_targets_may_be_left_out_of_a_frame(make: Any) -> None:
    columns = {"size": ["S", "M", "M", "L"], "colour": ["red", "red", "blue", "blue"], "age": [1.0, 2.0, 3.0, 4.0]}
    model = NaiveBayes().fit(make(columns), ["no", "no", "yes", "yes"])
    full = model.predict_joint(make(columns), ["colour", "class", "size"])
    some = {name: columns[name] for name in ("age", "size")}
    for partly in ({"age": columns["age"]}, some):
        found = model.predict_joint(make(partly), ["colour", "class", "size"])
        np.testing.assert_array_equal(found.probabilities, full.probabilities)
    frame = full.frame()
    assert type(frame).__module__.split(".")[0] == type(make(columns)).__module__.split(".")[0]
    listed = (
        frame.to_pylist()
        if hasattr(frame, "to_pylist")
        else pd.DataFrame(frame.to_dict(as_series=False) if isinstance(frame, pl.DataFrame) else frame).to_dict(
            "records"
        )
    )
    assert listed[0] == {
        "query": 0,
        "colour": "blue",
        "class": "no",
        "size": "L",
        "probability": full.probabilities[0, 0, 0, 0],
    }
    assert len(listed) == full.probabilities.size
    assert model.predict_column(make(some), "colour").tolist() == model.predict_column(make(columns), "colour").tolist()


def test_targets_may_be_left_out_of_an_array() -> None:
    rows, classes = tiny(12, 6)
    model = fitted(rows, classes)
    found = model.predict_joint([[row[0], row[2]] for row in rows], [1])
    np.testing.assert_array_equal(found.probabilities, model.predict_joint(rows, [1]).probabilities)
    with pytest.raises(SchemaMismatchError, match="1 feature"):
        model.predict_joint([[row[0]] for row in rows], [1])


@pytest.mark.parametrize(
    "y",
    [
        ["yes", None, float("nan")],
        np.array(["yes", None, None], dtype=object),
        pd.Series(["yes", None, np.nan]),
        pd.Series(["yes", None, None], dtype="category"),
        pl.Series(["yes", None, None]),
        np.ma.MaskedArray(["yes", "no", "no"], mask=[False, True, True]),
    ],
)
def test_known_classes_of_any_make(y: Any) -> None:
    rows, classes = tiny(15, 7)
    model = fitted(rows, classes)
    queries = rows[:3]
    found = model.predict_joint(queries, [0], y=y).probabilities
    open_, told = model.predict_joint(queries, [0]), model.predict_joint(queries, [0], y=["yes"] * 3)
    np.testing.assert_array_equal(found, np.concatenate([told.probabilities[:1], open_.probabilities[1:]]))


def test_known_classes_are_numbers_or_booleans_too() -> None:
    model = NaiveBayes().fit([["red"], ["blue"]], [0, 1])
    assert model.predict_column([[None]] * 3, 0, y=[1.0, np.int8(0), None]).tolist() == ["blue", "red", "blue"]
    with pytest.raises(TargetError, match="True in y is not one of the classes 0, 1"):
        model.predict_column([[None]], 0, y=[True])
    model = NaiveBayes().fit([["red"], ["blue"]], [False, True])
    assert model.predict_column([[None]], 0, y=[False]).tolist() == ["red"]


# -- results


def test_a_distribution_prints_itself() -> None:
    X = pd.DataFrame({"colour": ["red", "red", "blue", "blue"], "age": [20.0, 30.0, 40.0, None]})
    model = NaiveBayes(numeric={"age": "two_way"}, missing="value").fit(X, ["no", "no", "yes", "yes"])
    found = model.predict_joint(X.head(1), ["age", "class"])
    assert (
        str(found)
        == repr(found)
        == (
            "query 0\n"
            "  age         class  probability\n"
            "  below 35    no          0.4500\n"
            "  35 or more  no          0.1500\n"
            "  ?           no          0.1500\n"
            "  35 or more  yes         0.1000\n"
            "  ?           yes         0.1000\n"
            "  below 35    yes         0.0500"
        )
    )
    assert "<td>35 or more</td>" in found._repr_html_()
    assert found.most_probable() == [(Interval(-np.inf, 35.0), "no")]
    assert found.frame()["age"].fillna("gap").tolist()[::2] == ["below 35", "35 or more", "gap"]
    many = model.predict_joint(pd.concat([X, X]), ["age", "class"])
    assert str(many).endswith("\n\n... and 3 more queries")
    assert str(many[6]).startswith("query 6\n")
    assert many[2:4].numbers == (2, 3)
    assert [len(one) for one in many] == [1] * 8


def test_long_distributions_are_cut() -> None:
    model = NaiveBayes().fit([[f"v{i:02}", "x"] for i in range(30)], ["no", "yes"] * 15)
    text = str(model.predict_joint([[None, "x"]], [0]))
    assert [value in text for value in ("v09", "v10")] == [True, False]
    assert text.endswith("and 20 more combinations, together 0.6667")


def test_marginals() -> None:
    rows, classes = tiny(15, 2)
    found = fitted(rows, classes).predict_joint(rows, [0, "class", 2])
    assert found.targets == (0, TARGET, 2)
    assert found.names == ("x0", "class", "x2")
    np.testing.assert_allclose(found.marginal("class").probabilities, found.probabilities.sum(axis=(1, 3)))
    both = found.marginal(2, 0)
    assert both.targets == (2, 0)
    np.testing.assert_allclose(both.probabilities, found.probabilities.sum(axis=2).transpose(0, 2, 1))


def test_frames_of_arrays_and_of_names_that_collide() -> None:
    found = NaiveBayes().fit([["red"], ["blue"]], [0, 1]).predict_joint([[None]], [0, TARGET]).frame()
    assert list(found) == ["query", "x0", "class", "probability"]
    assert found["x0"].tolist() == ["blue", "blue", "red", "red"]
    X = pd.DataFrame({"class": ["a", "b"], "query": ["c", "d"], "probability": ["e", "f"]})
    model = NaiveBayes().fit(X, [0, 1])
    found = model.predict_joint(X.head(1), [0, 1, 2, TARGET]).frame()
    assert list(found.columns) == ["query", "class", "query (2)", "probability (2)", "class (2)", "probability"]


# -- words


def test_a_column_called_class() -> None:
    X = pd.DataFrame({"age": ["old", "new"], "class": ["first", "second"]})
    model = NaiveBayes().fit(X, ["no", "yes"])
    np.testing.assert_array_equal(model.predict_column(X, TARGET), model.predict(X))
    assert model.column_values(1).tolist() == ["first", "second"]
    assert model.predict_joint(X, [1, TARGET]).targets == ("class", TARGET)
    assert (repr(TARGET), str(TARGET)) == ("TARGET", "class")
    assert pickle.loads(pickle.dumps(TARGET)) is TARGET


def test_many_probabilities() -> None:
    rows = [[f"{i:03}", f"{i:03}", "x"] for i in range(300)]
    model = NaiveBayes().fit(rows, ["no", "yes"] * 150)
    assert model.predict_joint([[None, None, "x"]], [0, 1]).probabilities.shape == (1, 300, 300)
