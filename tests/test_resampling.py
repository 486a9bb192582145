"""Rows taken from tables of any make."""

from __future__ import annotations

from array import array
from collections import deque
from functools import partial
from typing import Any, Self

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from priorcase.datasets import load_repairs
from priorcase.learning.resampling import ResamplingMixin, taken_rows

AT = np.array([0, 2, 3])
COLUMNS = {"age": [31.0, 29.0, None, 62.0], "colour": ["red", None, "blue", "red"]}
KEPT = {"age": [31.0, None, 62.0], "colour": ["red", "blue", "red"]}


class EveryOther(ResamplingMixin):
    """Keeps the rows at even positions."""

    def fit(self, X: Any, y: Any) -> Self:
        if len(X) != len(y):
            raise ValueError("lengths differ")
        self.sample_indices_ = np.arange(0, len(X), 2)
        return self


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
    X, y = taken_rows(COLUMNS["age"], np.arange(4)), ["no", "no", "yes", "yes"]
    reducer = EveryOther()
    assert reducer.fit_resample(X, y) == ([31.0, None], ["no", "yes"])
    assert reducer.sample_indices_.tolist() == [0, 2]


def test_a_failed_fit_resample_leaves_everything_as_it_was() -> None:
    reducer = EveryOther()
    reducer.fit_resample([1, 2, 3], [1, 2, 3])
    with pytest.raises(ValueError, match="lengths differ"):
        reducer.fit_resample([1, 2], [1])
    assert reducer.sample_indices_.tolist() == [0, 2]


def test_tables_of_the_library_are_taken_too() -> None:
    X, y = load_repairs()
    kept = taken_rows(X, AT)
    assert kept.tuples() == [X.tuples()[i] for i in AT]
    assert kept.kinds == X.kinds
    assert taken_rows(y, AT).tolist() == y[AT].tolist()


def test_built_in_tables_stay_what_they_are() -> None:
    table, _ = load_repairs()
    kept = taken_rows(table, AT)
    assert type(kept) is type(table)
    assert kept.kinds == table.kinds
    assert kept.tuples() == [table.tuples()[i] for i in AT]
