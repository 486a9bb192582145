"""Streams whose first rows are gaps: what a column means is not settled behind the user's back."""

from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from priorcase import KNNClassifier
from priorcase.exceptions import SchemaMismatchError
from priorcase.schema import Nominal, Numeric, Schema

GAPS = [
    [[None]],
    [[float("nan")]],
    pd.DataFrame({"x": pd.Series([None], dtype=object)}),
    pd.DataFrame({"x": pd.Series([None], dtype="str")}),
    pl.DataFrame({"x": [None]}),
    pa.table({"x": pa.nulls(1)}),
]


def model(**settings: Any) -> KNNClassifier:
    return KNNClassifier(n_neighbors=1, **settings)


@pytest.mark.parametrize("gaps", GAPS)
def test_a_column_of_gaps_says_so(gaps: Any) -> None:
    (kind,) = Schema.infer(gaps).kinds
    assert kind == Nominal()
    assert repr(kind) == "Nominal(content='nothing')"
    assert kind.describe() == "nominal (only missing values)"


def test_numbers_after_gaps_are_refused_and_change_nothing() -> None:
    knn = model().partial_fit([[None, 1.0]], ["a"])
    before = knn.digest()
    with pytest.raises(SchemaMismatchError, match=r"(?s)column 0.* Numeric\(\)"):
        knn.partial_fit([[5.0, 1.0], [50.0, 1.0]], ["a", "b"])
    assert knn.digest() == before


@pytest.mark.parametrize("kind", [Numeric(), Nominal()])
def test_a_declared_kind_takes_numbers_after_gaps(kind: Any) -> None:
    knn = model(schema={0: kind}).partial_fit([[None, 1.0]], ["a"]).partial_fit([[5.0, 1.0], [50.0, 1.0]], ["a", "b"])
    assert knn.digest() == model(schema={0: kind}).fit([[None, 1.0], [5.0, 1.0], [50.0, 1.0]], list("aab")).digest()
    chosen = model(categorical_features=[0]).partial_fit([[None, 1.0]], ["a"]).partial_fit([[5.0, 1.0]], ["a"])
    assert chosen.schema_.kinds == (Nominal(), Numeric())


@pytest.mark.parametrize("later", [[["x"], ["y"]], [["x"], [5.0]], [[True], [False]], [[None], [float("nan")]]])
def test_anything_else_is_stored_as_a_fresh_fit_would(later: list[list[Any]]) -> None:
    knn = model().partial_fit([[None]], ["a"]).partial_fit(later, ["a", "b"])
    assert knn.digest() == model().fit([[None], *later], list("aab")).digest()


def test_numbers_beside_text_that_came_first_are_values() -> None:
    knn = model().partial_fit([[None]], ["a"]).partial_fit([["x"]], ["b"]).partial_fit([[5.0]], ["c"])
    assert knn.digest() == model().fit([[None], ["x"], [5.0]], list("abc")).digest()
    with pytest.raises(SchemaMismatchError, match="column 0"):
        knn.forget([1, 2]).partial_fit([[5.0]], ["c"])


def test_queries_may_hold_numbers() -> None:
    assert model().fit([[None, 1.0], [None, 9.0]], ["a", "b"]).predict([[5.0, 8.0]]).tolist() == ["b"]


def test_kinds_stay_when_rows_go() -> None:
    knn = model().fit([[1.0], ["x"], [3.0]], list("abc")).forget([1])
    assert knn.schema_.kinds == (Nominal(),)
    assert knn.digest() == model(schema={0: Nominal()}).fit([[1.0], [3.0]], list("ac")).digest()
