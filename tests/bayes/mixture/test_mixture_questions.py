"""What a mixture can be asked: any column from any others, gaps, outlier scores, new rows; and what it refuses."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from checks.containers import CONTAINERS, classes, training_rows
from sklearn.base import is_classifier

from priorcase.bayes import MixtureModel
from priorcase.exceptions import (
    ParameterError,
    SchemaMismatchError,
    TargetError,
)
from priorcase.schema import Nominal, Numeric, Ordinal, Schema

ROWS = training_rows(60)
NAMES = ["age", "income", "colour", "member", "grade"]


def planted(n: int = 240, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray[Any, Any]]:
    """Three clusters that differ in every column, with gaps."""
    rng = np.random.default_rng(seed)
    owner = rng.integers(3, size=n)
    frame = pd.DataFrame(
        {
            "x": rng.normal(5.0 * owner, 1.0),
            "colour": [("red", "green", "blue")[k if rng.random() < 0.9 else rng.integers(3)] for k in owner],
            "size": [("S", "M", "L")[k if rng.random() < 0.9 else rng.integers(3)] for k in owner],
        }
    )
    for column in frame:
        frame.loc[rng.random(n) < 0.05, column] = None
    return frame, owner


SCHEMA = {"size": Ordinal(("S", "M", "L"))}


@pytest.fixture(scope="module")
def model() -> MixtureModel:
    return MixtureModel(random_state=0, n_init=3, max_components=5, schema=SCHEMA).fit(planted()[0])


def test_planted_clusters_are_found(model: MixtureModel) -> None:
    frame, owner = planted()
    assert model.n_components_ == 3
    table = pd.crosstab(owner, model.predict(frame)).to_numpy()
    assert table.max(axis=1).sum() / len(frame) > 0.97
    np.testing.assert_array_equal(model.predict(frame), model.fit_predict(frame))
    assert not is_classifier(model)
    assert not hasattr(model, "classes_")


def test_as_a_classifier_it_learns_the_class_as_one_more_column() -> None:
    frame, owner = planted()
    y = np.array(["one", "two", "three"])[owner]
    model = MixtureModel(random_state=0, n_init=3, schema=SCHEMA).fit(frame, y)
    assert model.score(frame, y) > 0.97
    assert model.classes_.tolist() == ["one", "three", "two"]
    # The same mixture, asked without classes: P(c | x) = sum_k r_k phi_kc.
    chances = model.components_.columns["class"].probabilities
    np.testing.assert_allclose(model.predict_proba(frame), model.responsibilities(frame) @ chances, rtol=1e-12)
    assert is_classifier(model)
    with pytest.raises(TargetError, match=r"MixtureModel.score: y is required"):
        model.score(frame)


def test_any_column_is_predicted_from_the_others(model: MixtureModel) -> None:
    frame, owner = planted(seed=1)
    colours, chances = model.predict_column(frame, "colour", return_proba=True)
    values = model.column_values("colour")
    assert chances.shape == (len(frame), 3)
    np.testing.assert_array_equal(values[chances.argmax(axis=1)], colours)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    assert np.mean(colours == np.array(["red", "green", "blue"])[owner]) > 0.95
    numbers = model.predict_column(frame, "x")
    assert np.mean(np.abs(numbers - 5.0 * owner) < 1.5) > 0.85
    assert model.column_values("size").tolist() == ["S", "M", "L"]
    # What stands in the column is not looked at, and it may be left out.
    np.testing.assert_array_equal(model.predict_column(frame.assign(colour="red"), "colour"), colours)
    np.testing.assert_array_equal(model.predict_column(frame.drop(columns="colour"), "colour"), colours)
    np.testing.assert_array_equal(model.predict_column(frame.drop(columns="colour")[["size", "x"]], 1), colours)
    with pytest.raises(SchemaMismatchError, match="size"):
        model.predict_column(frame.drop(columns="size"), "colour")


def test_a_column_of_an_array_may_be_left_out() -> None:
    X = np.random.default_rng(0).normal(size=(40, 3))
    X[:, 2] = X[:, 0] + 0.1 * X[:, 2]
    model = MixtureModel(4, random_state=0).fit(X)
    np.testing.assert_array_equal(model.predict_column(X[:, :2], 2), model.predict_column(X, 2))


@pytest.mark.parametrize("kind", list(CONTAINERS)[:6])  # those of the same columns
def test_gaps_are_filled_in_the_same_container_and_nothing_else_changes(kind: str) -> None:
    table = CONTAINERS[kind](ROWS)
    before = copy.deepcopy(table)
    model = MixtureModel(3, random_state=0).fit(table)
    result = model.impute(table)
    assert type(result) is type(table)
    assert repr(table) == repr(before)
    expected = MixtureModel(3, random_state=0).fit(ROWS)
    for a, (old, new) in enumerate(zip(zip(*ROWS, strict=True), columns_of(result), strict=True)):
        guesses = expected.predict_column(ROWS, a).tolist()
        for i, (was, now) in enumerate(zip(old, new, strict=True)):
            assert now == (guesses[i] if was is None else was)
    if isinstance(result, pd.DataFrame):
        pd.testing.assert_series_equal(result.dtypes, table.dtypes)
        assert result.index.equals(table.index)
    elif isinstance(result, (pl.DataFrame, pa.Table)):
        assert result.schema == table.schema
    np.testing.assert_array_equal(model.score_samples(model.impute(result)), model.score_samples(result))


def columns_of(table: Any) -> list[list[Any]]:
    if isinstance(table, pd.DataFrame):
        return [table[name].tolist() for name in table]
    if isinstance(table, pl.DataFrame):
        return [column.to_list() for column in table]
    if isinstance(table, pa.Table):
        return [column.to_pylist() for column in table.columns]
    return [list(column) for column in zip(*table, strict=True)]


def test_columns_of_whole_numbers_become_floats_where_they_have_gaps() -> None:
    numbers: list[Any] = [1, 2, None, 4, 5, 6]
    for table in (
        pd.DataFrame({"n": pd.array(numbers, dtype="Int64"), "m": range(6)}, index=[3] * 6),
        pd.DataFrame({"n": pd.array(numbers, dtype="int64[pyarrow]"), "m": range(6)}),
        pl.DataFrame({"n": numbers, "m": list(range(6))}),
        pa.table({"n": pa.array(numbers, pa.int8()), "m": list(range(6))}),
    ):
        result = MixtureModel(1, random_state=0).fit(table).impute(table)
        assert columns_of(result)[0][:2] == [1.0, 2.0]
        assert columns_of(result)[0][2] == pytest.approx(3.6, abs=0.1)
        assert columns_of(result)[1] == list(range(6))
        assert isinstance(columns_of(result)[1][0], int)


def test_values_that_a_type_lacks_are_added_to_it() -> None:
    train = pd.DataFrame({"c": pd.Categorical(["a", "b", "b", "b"]), "e": [1.0, 2.0, 2.0, 2.0]})
    model = MixtureModel(1, random_state=0).fit(train)
    assert model.impute(pd.DataFrame({"c": pd.Categorical(["a", None]), "e": [1.0, 2.0]}))["c"].tolist() == ["a", "b"]
    narrow = pl.DataFrame({"c": pl.Series(["a", None], dtype=pl.Enum(["a"])), "e": [1.0, 2.0]})
    assert model.impute(narrow)["c"].to_list() == ["a", "b"]


def test_other_arrays_and_rows_keep_their_type() -> None:
    masked = np.ma.array([[1, 2], [3, 4], [5, 7]], mask=[[0, 0], [0, 1], [0, 0]])
    model = MixtureModel(1, random_state=0).fit(masked)
    result = model.impute(masked)
    assert result[1, 0] == 3
    assert 2 < result[1, 1] < 7
    rows = ((1.0, None), (2.0, 3.0))
    assert model.impute(rows)[1] == (2.0, 3.0)
    assert isinstance(model.impute(list(rows))[0], tuple)
    single = np.array([[1, np.nan], [3, 4]], np.float32)
    assert model.impute(single).dtype == np.float32
    np.testing.assert_array_equal(model.impute(single)[1], [3, 4])


def test_new_rows_are_like_the_old_ones(model: MixtureModel) -> None:
    frame, owners = model.sample(4000)
    assert isinstance(frame, pd.DataFrame)
    assert list(frame) == ["x", "colour", "size"]
    np.testing.assert_allclose(np.bincount(owners) / 4000, model.weights_, atol=0.03)
    colours = model.components_.columns["colour"]
    for k in range(3):
        shares = [(frame["colour"][owners == k] == value).mean() for value in colours.values]
        np.testing.assert_allclose(shares, colours.probabilities[k], atol=0.05)
        assert frame["x"][owners == k].mean() == pytest.approx(model.components_.columns["x"].means[k], abs=0.2)
    table, chosen = MixtureModel(2, random_state=0).fit([[1.0, "a"], [2.0, "b"], [3.0, "b"]], [0, 1, 1]).sample(5)
    assert table.shape == (5, 2)
    assert set(chosen.tolist()) <= {0, 1}
    numbers, _ = MixtureModel(1, random_state=0).fit(np.eye(3)).sample(2)
    assert numbers.dtype == np.float64


def test_columns_that_say_nothing() -> None:
    rows = [[7.0, None, None, x] for x in (0.0, 1.0, 5.0, 6.0)]
    schema = {1: Numeric(), 2: Nominal()}
    model = MixtureModel(2, random_state=0, schema=schema).fit(rows)
    plain = MixtureModel(2, random_state=0).fit([[row[3]] for row in rows])
    np.testing.assert_array_equal(model.history_, plain.history_)
    queries = [[100.0, 3.0, "a", 1.0]]
    np.testing.assert_allclose(model.score_samples(queries), plain.score_samples([[1.0]]))
    assert model.predict_column(rows, 0).tolist() == [7.0] * 4
    for column in (1, 2):
        with pytest.raises(ParameterError, match=f"column {column} was missing in every training row"):
            model.predict_column(rows, column)
    with pytest.raises(ParameterError, match=r"MixtureModel.impute: column 1 was missing"):
        model.impute(rows)
    assert math.isnan(model.sample(1)[0][0, 1])
    declared = MixtureModel(1, schema={0: Nominal(("yes", "no"))}).fit([[None, 1.0], [None, 2.0]])
    assert declared.predict_column([[None, 1.0]], 0, return_proba=True)[1].tolist() == [[0.5, 0.5]]


def test_numbers_of_any_size() -> None:
    for numbers in ([1e308, -1e308, 5e307, 0.0], [5e-324, 1e-323, 0.0, 5e-324], [1.0, 1.0 + 2**-52, 1.0, 1.0]):
        X = [[number] for number in numbers]
        model = MixtureModel(2, random_state=0).fit(X)
        assert np.isfinite(model.score_samples(X)).all()
        assert np.isfinite(model.predict_column(X, 0)).all()


def test_a_fit_that_fails_leaves_the_model_as_it_was() -> None:
    model = MixtureModel(2, random_state=0).fit(ROWS)
    expected = model.score_samples(ROWS)
    model.n_components = 0
    with pytest.raises(ParameterError):
        model.fit(ROWS[:10])
    np.testing.assert_array_equal(model.score_samples(ROWS), expected)


def test_one_class_is_certain_and_rows_of_no_weight_are_not_there() -> None:
    model = MixtureModel(2, random_state=0).fit(ROWS, ["a"] * 60)
    assert model.predict_proba(ROWS[:2]).tolist() == [[1.0], [1.0]]
    y = classes(ROWS)
    weights = [float(label == "old") for label in y]
    model = MixtureModel(2, random_state=0).fit(ROWS, y, sample_weight=weights)
    assert model.classes_.tolist() == ["old"]
    left = [row for row, weight in zip(ROWS, weights, strict=True) if weight]
    np.testing.assert_array_equal(
        model.history_, MixtureModel(2, random_state=0).fit(left, ["old"] * len(left)).history_
    )


def test_a_schema_may_declare_every_column() -> None:
    schema = Schema(("a", "b"), (Numeric(), Nominal(("x", "y"))))
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0, 9.0], "b": ["x", "x", None, "x"]})
    model = MixtureModel(2, schema=schema, random_state=0).fit(frame)
    assert model.schema_ == schema
    assert model.column_values("b").tolist() == ["x", "y"]
    with pytest.raises(ParameterError, match=r"categorical_features"):
        MixtureModel(schema=schema, categorical_features=[0]).fit(frame)
    with pytest.raises(SchemaMismatchError, match=r"'z'"):
        model.fit(pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "z"]}))
