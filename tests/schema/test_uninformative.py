"""Which columns are ids, constants or repeats, and which only look so."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import reporting as reference

import priorcase as pc
from priorcase.exceptions import StrayTextWarning, UninformativeColumnWarning
from priorcase.schema import uninformative_columns
from priorcase.schema.uninformative import pattern

RNG = np.random.default_rng(0)
N = 60
OTHER = {"measure": RNG.normal(size=N), "colour": RNG.choice(["red", "green", "blue"], N)}


def reason(column: Any, frame: Any = pd.DataFrame) -> str | None:
    found = uninformative_columns(frame({**OTHER, "column": column}))
    assert set(found) <= {"column"}
    return str(found["column"]) if found else None


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ([f"C-{i:05}" for i in range(N)], "identifies rows"),
        ([f"C-{i % 50}" for i in range(N)], "identifies rows"),
        (np.arange(N) + 1000, "identifies rows"),
        (RNG.permutation(N).astype(float), "identifies rows"),
        (np.sort(RNG.choice(100, N, replace=False)), "identifies rows"),
        (np.arange(N)[::-1] * 1.0, "identifies rows"),
        (np.full(N, 3.5), "constant"),
        (["x"] * N, "constant"),
        ([None] * N, "all missing"),
        ([None, "x"] * (N // 2), "one value or missing"),
        ([np.nan, 2.0] * (N // 2), "one value or missing"),
        (OTHER["measure"], "same information as measure"),
        (5 - 2 * OTHER["measure"], "same information as measure"),
        (OTHER["colour"], "same information as colour"),
        ([{"red": 3, "green": 1, "blue": 2}[value] for value in OTHER["colour"]], "same information as colour"),
    ],
)
@pytest.mark.parametrize("frame", [pd.DataFrame, lambda data: pl.DataFrame(data, strict=False)])
def test_columns_that_tell_nothing(column: Any, expected: str, frame: Any) -> None:
    assert reason(list(column), frame) == expected


@pytest.mark.parametrize(
    "column",
    [
        RNG.normal(size=N),
        RNG.normal(size=N).round(2),
        RNG.choice(100_000, N, replace=False),  # amounts: whole, all different, with gaps
        np.arange(N) * 7,
        np.arange(N) + 0.5,
        [f"town {i % 30}" for i in range(N)],
        RNG.integers(0, 2, N),
        np.where(np.arange(N) == 7, 1, 0),
        np.abs(OTHER["measure"]),
        OTHER["measure"] + 1e-3 * RNG.normal(size=N),
    ],
)
def test_columns_that_may_tell_something(column: Any) -> None:
    assert reason(column) is None


def test_few_rows_can_differ_by_chance() -> None:
    few = {"name": [f"n{i % 10}" for i in range(12)], "number": range(12), "v": RNG.normal(size=12)}
    assert uninformative_columns(pd.DataFrame(few)) == {}


def test_where_all_would_be_left_out_none_is() -> None:
    found = uninformative_columns(pd.DataFrame({"x": np.arange(40), "one": 1}))
    assert [(str(why), why.left_out) for why in found.values()] == [("identifies rows", False), ("constant", False)]
    some = uninformative_columns(pd.DataFrame({"x": np.arange(40), "one": 1, "v": RNG.normal(size=40)}))
    assert all(why.left_out for why in some.values())


def test_a_repeat_is_found_beyond_the_rows_that_are_looked_at_first() -> None:
    x = RNG.normal(size=5000)
    other = x.copy()
    other[1] += 1.0  # a row that is not in the sample
    X = pd.DataFrame({"x": x, "other": other, "same": x, "flag": False, "rare": False})
    X.loc[1, "flag"] = X.loc[2, "rare"] = True
    assert {name: str(why) for name, why in uninformative_columns(X).items()} == {"same": "same information as x"}


@given(st.lists(st.tuples(st.integers(-1, 2), st.integers(-1, 2)), min_size=1))
def test_columns_agree_where_values_go_together(pairs: list[tuple[int, int]]) -> None:
    first, second = (np.array(column) for column in zip(*pairs, strict=True))
    assert np.array_equal(pattern(first), pattern(second)) == reference.agree(first.tolist(), second.tolist())


# -- warnings of estimators


@pytest.mark.parametrize("make", [pc.KNNClassifier, pc.NaiveBayes, pc.LocallyWeightedClassifier, pc.IB1])
def test_estimators_name_the_columns_and_what_to_do(make: Any) -> None:
    X = pd.DataFrame({**OTHER, "customer": [f"C{i}" for i in range(N)], "fixed": 1})
    y = np.where(OTHER["measure"] > 0, "high", "low")
    with pytest.warns(UninformativeColumnWarning, match=r"'customer' \(identifies rows\) and 'fixed'.*Drop") as found:
        make().fit(X, y)
    assert found[0].message.columns == ("customer", "fixed")
    assert found[0].filename == __file__


def test_declared_columns_and_bare_numbers_are_not_warned_of() -> None:
    X = pd.DataFrame({**OTHER, "customer": [f"C{i}" for i in range(N)]})
    y = np.where(OTHER["measure"] > 0, "high", "low")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pc.KNNClassifier(schema={"customer": pc.Nominal()}).fit(X, y)
        pc.KNNClassifier().fit(np.c_[np.arange(N), np.ones(N), OTHER["measure"]], y)
        pc.KNNClassifier().partial_fit(X[:5], y[:5]).partial_fit(X[5:], y[5:])


@pytest.mark.parametrize("stray", ["?", "n/a"])
def test_a_number_column_with_stray_text_is_warned_of(stray: str) -> None:
    numbers = pd.Series(OTHER["measure"].round(3)).astype(object)
    X = pd.DataFrame({**OTHER, "age": numbers.where(numbers.index != 3, stray)})
    y = np.where(OTHER["measure"] > 0, "high", "low")
    with pytest.warns(StrayTextWarning, match=f"'age' is nominal.*{re.escape(stray)}.*to_numeric") as found:
        model = pc.KNNClassifier().fit(X, y)
    assert found[0].message.column == "age"
    assert type(model.schema_.kinds[2]) is pc.Nominal


@pytest.mark.parametrize(("written", "converted"), [("{:.2f}", "to_numeric(X['age'])"), ("{:,}", "replace(',', '')")])
def test_numbers_as_text_are_warned_of(written: str, converted: str) -> None:
    texts = [written.format(1000 + 37 * i) for i in range(N)]
    X = pd.DataFrame({**OTHER, "age": texts})
    y = np.where(OTHER["measure"] > 0, "high", "low")
    with pytest.warns(StrayTextWarning, match=f"its {N} different numbers are stored as text.*{re.escape(converted)}"):
        pc.KNNClassifier().fit(X, y)


def test_codes_categories_and_declared_columns_are_no_stray_text() -> None:
    y = np.where(OTHER["measure"] > 0, "high", "low")
    numbers = pd.Series(OTHER["measure"].round(3)).astype(object)
    X = pd.DataFrame(
        {
            **OTHER,
            "zip": [f"{10_000 + i % 30}" for i in range(N)],  # all numbers: codes
            "size": ["36", "38", "40", "S", "M", "L"] * (N // 6),  # few numbers
            "declared": numbers.where(numbers.index != 3, "?"),
        }
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", StrayTextWarning)
        warnings.simplefilter("ignore", UninformativeColumnWarning)
        pc.KNNClassifier(schema={"declared": "nominal"}).fit(X, y)
