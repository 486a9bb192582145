"""Rows taken from tables of any type."""

from __future__ import annotations

from array import array
from collections import deque
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone, is_regressor

from priorcase import CNN, KNNClassifier, KNNClassifierCV, LocallyWeightedRegressor, NaiveBayes, RBFNetworkRegressor
from priorcase.datasets import load
from priorcase.exceptions import TargetError, TooFewRowsError
from priorcase.learning.resampling import taken_rows

AT = np.array([0, 2, 3])
COLUMNS = {"age": [31.0, 29.0, None, 62.0], "colour": ["red", None, "blue", "red"]}
KEPT = {"age": [31.0, None, 62.0], "colour": ["red", "blue", "red"]}


def test_a_pandas_frame_keeps_its_index_and_types() -> None:
    frame = pd.DataFrame(COLUMNS, index=["w", "x", "y", "z"]).astype({"colour": "category"})
    pd.testing.assert_frame_equal(taken_rows(frame, AT), frame.loc[["w", "y", "z"]])
    pd.testing.assert_series_equal(taken_rows(frame["age"], AT), frame["age"].loc[["w", "y", "z"]])


def test_pandas_targets_may_have_two_columns_of_one_name() -> None:
    targets = pd.DataFrame([[1, 2], [3, 4], [5, 6], [7, 8]], columns=["y", "y"])
    assert taken_rows(targets, AT).to_numpy().tolist() == [[1, 2], [5, 6], [7, 8]]


def test_polars_and_pyarrow_stay_what_they_are() -> None:
    assert taken_rows(pl.DataFrame(COLUMNS), AT).equals(pl.DataFrame(KEPT))
    assert taken_rows(pl.Series(COLUMNS["colour"]), AT).equals(pl.Series(KEPT["colour"]))
    assert taken_rows(pa.table(COLUMNS), AT).equals(pa.table(KEPT))
    assert taken_rows(pa.record_batch(COLUMNS), AT).equals(pa.record_batch(KEPT))
    assert taken_rows(pa.chunked_array([COLUMNS["colour"]]), AT).to_pylist() == KEPT["colour"]
    assert taken_rows(pa.array(COLUMNS["colour"]), AT).to_pylist() == KEPT["colour"]


@pytest.mark.parametrize("make", [list, tuple])
def test_lists_and_tuples_of_rows_become_lists_of_the_same_rows(make: Any) -> None:
    rows = make([[1, "a"], [2, "b"], [3, "c"], [4, "d"]])
    found = taken_rows(rows, AT)
    assert found == [[1, "a"], [3, "c"], [4, "d"]]
    assert found[0] is rows[0]


@pytest.mark.parametrize("make", [deque, partial(array, "i"), lambda values: memoryview(array("i", values))])
def test_other_sequences_become_lists(make: Any) -> None:
    found = taken_rows(make([5, 6, 7, 8]), AT)
    assert type(found) is list
    assert found == [5, 7, 8]


def test_arrays_stay_arrays_of_their_type() -> None:
    array = np.arange(8, dtype=np.float32).reshape(4, 2)
    found = taken_rows(array, AT)
    assert found.dtype == np.float32
    assert found.tolist() == [[0, 1], [4, 5], [6, 7]]
    masked = taken_rows(np.ma.MaskedArray(array, mask=array == 4), AT)
    assert masked.tolist() == [[0, 1], [None, 5], [6, 7]]


def test_what_only_turns_into_an_array_comes_back_as_one() -> None:
    class Numbers:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return np.array([5, 6, 7, 8])

    assert taken_rows(Numbers(), AT).tolist() == [5, 7, 8]


def test_fit_resample_takes_the_rows_that_fit_chose() -> None:
    X, y = [[1.0], [1.1], [5.0], [5.1]], ["no", "no", "yes", "yes"]
    reducer = CNN(random_state=0)
    kept, targets = reducer.fit_resample(X, y)
    assert kept == [X[i] for i in reducer.sample_indices_]
    assert targets == [y[i] for i in reducer.sample_indices_]


def test_a_failed_fit_resample_leaves_everything_as_it_was() -> None:
    reducer = CNN(random_state=0).fit([[1.0], [1.1], [5.0]], [0, 0, 1])
    before = reducer.sample_indices_.tolist()
    with pytest.raises(TargetError, match="inconsistent"):
        reducer.fit_resample([[1.0], [2.0]], [1, 0, 1])
    assert reducer.sample_indices_.tolist() == before


@pytest.mark.parametrize("kind", ["string_view", "binary_view"])
def test_views_of_pyarrow_are_taken_too(kind: str) -> None:
    texts = pa.array(["red", None, "blue", "red"]).cast(getattr(pa, kind)())
    expected = pa.array(["red", "blue", "red"]).cast(getattr(pa, kind)())
    assert taken_rows(texts, AT).equals(expected)
    assert taken_rows(pa.chunked_array([texts]), AT).equals(pa.chunked_array([expected]))
    assert taken_rows(pa.table({"a": [1, 2, 3, 4], "b": texts}), AT).equals(pa.table({"a": [1, 3, 4], "b": expected}))
    assert taken_rows(pa.record_batch({"b": texts}), AT).equals(pa.record_batch({"b": expected}))


def test_a_table_with_a_string_view_is_fitted_resampled_and_tuned() -> None:
    colours = ["red", "blue", None, "red"] * 6
    table = pa.table({"size": np.arange(24.0) % 5, "colour": pa.array(colours).cast(pa.string_view())})
    y = pa.array(["yes" if colour == "red" else "no" for colour in colours]).cast(pa.string_view())
    plain = pa.table({"size": table["size"], "colour": colours})
    model = KNNClassifier(3).fit(table, y)
    assert model.digest() == KNNClassifier(3).fit(plain, y.to_pylist()).digest()
    assert model.predict(table.slice(0, 2)).tolist() == model.predict(plain.slice(0, 2)).tolist()
    kept, _ = CNN(random_state=0).fit_resample(table, y)
    assert kept.schema == table.schema
    assert KNNClassifierCV().fit(table, y).predict(table.slice(0, 1)).tolist() == ["yes"]


def test_tables_of_the_library_are_taken_too() -> None:
    X, y = load("repairs", frame=None)
    kept = taken_rows(X, AT)
    assert kept.tuples() == [X.tuples()[i] for i in AT]
    assert kept.kinds == X.kinds
    assert taken_rows(y, AT).tolist() == y[AT].tolist()


def test_built_in_tables_stay_what_they_are() -> None:
    table, _ = load("repairs", frame=None)
    kept = taken_rows(table, AT)
    assert type(kept) is type(table)
    assert kept.kinds == table.kinds
    assert kept.tuples() == [table.tuples()[i] for i in AT]


@pytest.mark.parametrize("learner", [NaiveBayes(), LocallyWeightedRegressor(), RBFNetworkRegressor(1)], ids=str)
def test_leave_one_out_takes_two_rows(learner: Any) -> None:
    ask = "loo_predict" if is_regressor(learner) else "loo_predict_proba"
    two = clone(learner).fit([[0.0], [1.0]], [0, 1])
    assert len(getattr(two, ask)()) == 2
    one = clone(learner).fit([[0.0]], [0])
    with pytest.raises(TooFewRowsError, match="at least two rows"):
        getattr(one, ask)()
