"""Integers as nominal values: exact at the extremes of every type."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from priorcase import KNNClassifier
from priorcase.schema import Coded, Nominal, Schema

DTYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
EXTREMES = ("whole", "lowest", "highest")


def numbers(dtype: str, where: str) -> list[int]:
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    middle = (low + high) // 2
    return {
        "whole": [low, high, middle, low + 1, high - 1],
        "lowest": [low + 200 % (high - low), low, low + 1],
        "highest": [high, high - 200 % (high - low), high - 1, high],
    }[where]


def decoded(X: object) -> list[object]:
    schema = Schema.infer(X, categorical_features=[0])
    assert schema.kinds == (Nominal(),)
    column = schema.read(X).columns[0]
    assert isinstance(column, Coded)
    return [None if code < 0 else column.values[code] for code in column.codes.tolist()]


@pytest.mark.parametrize("where", EXTREMES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_integer_type_at_its_extremes(dtype: str, where: str) -> None:
    values = numbers(dtype, where)
    assert decoded(np.array(values, dtype).reshape(-1, 1)) == values
    assert decoded(np.array(values, dtype).astype(np.dtype(dtype).newbyteorder(">")).reshape(-1, 1)) == values
    assert decoded(pd.DataFrame({"x": np.array(values, dtype)})) == values
    gaps = [*values, None]
    masked = pd.array(gaps, dtype=dtype.replace("uint", "UInt") if dtype[0] == "u" else dtype.title())
    assert decoded(pd.DataFrame({"x": masked})) == gaps
    assert decoded(pl.DataFrame({"x": pl.Series(values, dtype=getattr(pl, masked.dtype.name))})) == values


def test_a_small_type_is_predicted_from_its_own_rows() -> None:
    X = np.array([[-128], [127], [0], [1]], np.int8)
    model = KNNClassifier(n_neighbors=1, categorical_features=[0]).fit(X, list("abcd"))
    assert model.predict(X).tolist() == list("abcd")
