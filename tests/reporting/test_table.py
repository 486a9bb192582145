"""What a report understands of a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from checks.containers import as_every_kind, training_rows
from hypothesis import given
from hypothesis import strategies as st
from reference import reporting as reference

from priorcase.datasets import NamedColumns, load, load_repairs
from priorcase.exceptions import EvaluationError, NumericRangeError, TargetError
from priorcase.reporting.table import Problem, TableSummary, named_columns, read_problem, summarize
from priorcase.schema import Circular, Nominal, Numeric, Ordinal, Schema, Text

CELLS = st.one_of(st.none(), st.sampled_from("ab"))
TABLES = st.lists(
    st.tuples(CELLS, CELLS, st.sampled_from([None, 0.0, 1.0]), st.sampled_from("xy")), min_size=12, max_size=30
)


def problem(X: Any, y: Any, **options: Any) -> Problem:
    return read_problem(X, y, name="table", target="y", **options)


def summarized(X: Any, y: Any) -> TableSummary:
    return summarize(problem(X, y))


def remark(found: TableSummary, name: str) -> str:
    return next(column.remark for column in found.columns if column.name == name)


@given(TABLES)
def test_repeated_and_conflicting_rows_are_counted_as_pair_by_pair(rows: list[tuple[Any, ...]]) -> None:
    kinds = {"a": Nominal(), "b": Nominal(), "c": Numeric()}
    columns = dict(zip("abc", zip(*(row[:3] for row in rows), strict=True), strict=True))
    targets = [row[3] for row in rows]
    targets[:2] = ["x", "y"]
    data = {**columns, "c": [np.nan if value is None else value for value in columns["c"]]}
    found = summarized(NamedColumns.of(data, kinds), targets)
    repeated, conflicting, ceiling = reference.repetitions([row[:3] for row in rows], targets)
    assert (found.repeated, found.conflicting) == (repeated, conflicting)
    assert found.ceiling == pytest.approx(ceiling)
    assert found.missing == sum(value is None for row in rows for value in row[:3])
    assert found.rows_with_missing == sum(None in row[:3] for row in rows)


def test_strange_columns_are_named_and_left_out() -> None:
    rng = np.random.default_rng(0)
    y = rng.choice(["no", "yes"], 40)
    X = pd.DataFrame(
        {
            "id": np.arange(40) + 7,
            "name": [f"case {i}" for i in range(40)],
            "always": 1.5,
            "never": pd.Series([None] * 40, dtype=object),
            "city": rng.choice(["A", "B", "C"], 40),
            "mostly": np.where(rng.random(40) < 0.9, np.nan, rng.normal(size=40)),
            "score": rng.normal(size=40),
        }
    )
    X["code"] = X["city"].map({"A": 3, "B": 1, "C": 2})
    X["leak"] = np.where(y == "yes", "granted", "refused")
    found = summarized(X, y)
    assert remark(found, "id") == remark(found, "name") == "identifies rows: ignored"
    assert remark(found, "always") == "constant: ignored"
    assert remark(found, "never") == "all missing: ignored"
    assert remark(found, "mostly").endswith("% missing")
    assert remark(found, "code") == "same information as city"
    assert remark(found, "leak") == "determines the target: is this column known before y?"
    assert remark(found, "score") == ""
    assert found.used == ("city", "mostly", "score", "code", "leak")


def test_columns_of_numbers_on_a_line_are_the_same() -> None:
    x = np.random.default_rng(0).normal(size=40)
    X = pd.DataFrame({"x": x, "other": np.random.default_rng(1).normal(size=40), "scaled": 2 * x + 1, "turned": -x})
    X.loc[3, ["x", "turned"]] = np.nan
    found = summarized(X, ["a", "a", "b", "a"] * 10)
    assert [column.remark for column in found.columns] == ["", "", "", "same information as x"]


def test_a_table_of_strange_columns_only_is_used_all_the_same() -> None:
    found = summarized(pd.DataFrame({"id": np.arange(40)}), ["a", "b"] * 20)
    assert found.used == ("id",)


def test_a_column_of_one_value_and_gaps_may_tell() -> None:
    ticked = pd.DataFrame({"ticked": pd.Series(["yes", None] * 20, dtype=object), "v": np.arange(40) % 7})
    found = summarized(ticked, ["a", "a", "b", "a"] * 10)
    assert remark(found, "ticked") == "one value or missing"
    assert found.used == ("ticked", "v")


@pytest.mark.parametrize("form", ["2020-01-{:02}", "2020-01-{:02} 12:30"])
def test_dates_are_dates(form: str) -> None:
    X = pd.DataFrame({"when": [form.format(i % 28 + 1) for i in range(40)], "v": np.arange(40) % 7})
    (when, _) = summarized(X, ["a", "a", "b", "a"] * 10).columns
    assert (when.kind, when.distinct, when.used) == ("date", 28, True)


@pytest.mark.parametrize("form", ["{:02}.01.2020", "{}/1/2020"])
def test_dates_that_are_read_as_names_are_told(form: str) -> None:
    X = pd.DataFrame({"when": [form.format(i % 28 + 1) for i in range(40)], "v": np.arange(40) % 7})
    found = summarized(X, ["a", "a", "b", "a"] * 10).remarks
    assert found[1].startswith("when contains dates and is read as nominal: convert dates with read_table,")


def test_rows_are_repeated_whatever_they_are_called() -> None:
    X = pd.DataFrame({"id": np.arange(40), "v": np.arange(40) % 20, "w": np.arange(40) % 10})
    found = summarized(X, ["a", "b"] * 19 + ["b", "a"])
    assert (found.repeated, found.conflicting, found.ceiling) == (20, 4, 0.95)
    assert found.remarks[-1].startswith("4 rows equal another row in all columns other than ids but not")


def test_numbers_that_count_up_in_no_order_are_an_id_unless_they_are_all_there_is() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"row": rng.permutation(40), "v": rng.normal(size=40)})
    assert summarized(X, ["a", "b"] * 20).used == ("v",)
    assert summarized(X[["row"]], ["a", "b"] * 20).used == ("row",)


def test_summaries_of_columns() -> None:
    kinds = {"size": Ordinal(("S", "M", "L")), "colour": Nominal(), "age": Numeric()}
    data = {"size": ["L", "S", None] * 5, "colour": ["red", "red", "blue"] * 5, "age": [1.0, 2.0, np.nan] * 5}
    size, colour, age = summarized(NamedColumns.of(data, kinds), ["a", "b", "a"] * 5).columns
    assert (size.kind, size.missing, size.values) == ("ordinal", 5, (("S", 5), ("L", 5)))
    assert (colour.kind, colour.distinct, colour.values) == ("nominal", 2, (("red", 10), ("blue", 5)))
    assert (age.kind, age.low, age.median, age.high, sum(age.bars)) == ("numeric", 1.0, 1.5, 2.0, 10)


def test_remarks_are_sentences() -> None:
    X = pd.DataFrame({"code": [1, 2] * 10, "v": np.arange(20) % 7})
    y = np.array(["a", "b"] * 9 + ["c", None], dtype=object)
    found = summarized(X, y).remarks
    assert found[0] == "Ignored because y is missing: 1 row."
    assert found[1].startswith(
        "code has few different numbers and is read as numeric; if the numbers are codes, declare the column as "
        "nominal:"
    )
    assert found[2] == "--column code=nominal"
    assert found[-1] == "Class with a single row, which cannot be scored: c."


@pytest.mark.parametrize(
    ("single", "meant"),
    [
        ("Live", True),
        ("LIVE ", True),
        ("LIVVE", True),
        ("LIVR", True),
        ("LIE", False),
        ("LOVR", False),
        ("LIV1", False),
        ("DIED", False),
    ],
)
def test_a_class_with_a_single_row_may_be_a_misspelling(single: str, meant: bool) -> None:
    X = pd.DataFrame({"v": np.arange(20) % 7})
    remark = summarized(X, [*["LIVE", "DIE"] * 9, "LIVE", single]).remarks[-1]
    end = " (a misspelling of LIVE?)" if meant else ""
    assert remark == f"Class with a single row, which cannot be scored: {single.strip()}{end}."


def test_names_with_the_word_and_or_a_comma_are_quoted_in_lists() -> None:
    X = pd.DataFrame({"v": np.arange(20) % 7})
    y = ["a", "b"] * 8 + ["duoden and sm.int", "testis", "vagina", "a"]
    assert summarized(X, y).remarks[-1].endswith(": 'duoden and sm.int', 'testis' and 'vagina'.")
    codes = pd.DataFrame({"sex, age": [1, 2] * 10, "code": [1, 1, 2, 2] * 5, "id": [f"n{i}" for i in range(20)]})
    remarks = summarized(codes, ["a", "b", "b", "a"] * 5).remarks
    assert any(each.startswith("'sex, age' and 'code' have few different numbers") for each in remarks)
    assert "--column code=nominal --column 'sex, age=nominal'" in remarks


@pytest.mark.parametrize("columns", [8, 30])
def test_columns_that_may_be_codes_are_all_named_unless_there_are_very_many(columns: int) -> None:
    X = pd.DataFrame({f"c{a}": np.arange(40) // (a + 1) % 2 for a in range(columns)})
    remarks = " ".join(summarized(X, ["a", "b"] * 20).remarks)
    assert ("c5, c6 and c7 have few different numbers" in remarks) == (columns == 8)
    assert ("--column c0,c1,c2,c3,c4,c5,c6,c7=nominal" in remarks) == (columns == 8)
    assert ("c19 and 10 more have few different numbers" in remarks) == (columns == 30)


@pytest.mark.parametrize("make", [None, "pandas", "polars", "pyarrow"])
def test_tables_of_any_make_are_understood_alike(make: Any) -> None:
    X, y = load("repairs", frame=make)
    found, plain = summarized(X, y), summarized(*load_repairs())
    assert [(c.name, c.missing, c.distinct) for c in found.columns] == [
        (c.name, c.missing, c.distinct) for c in plain.columns
    ]


def test_tables_without_names_get_some() -> None:
    assert tuple(named_columns(np.zeros((3, 2))).kinds) == ("x0", "x1")
    clash = pd.DataFrame([[1, 2]], columns=pd.Index([1, "1"], dtype=object))
    assert tuple(named_columns(clash).kinds) == ("1", "1 (2)")


@pytest.mark.parametrize(
    ("y", "task"),
    [
        ([0, 1] * 10, "classify"),
        ([True, False] * 10, "classify"),
        ([0.5, 1.0] * 10, "regress"),
        (list(range(20)), "regress"),
        (["1", "2"] * 10, "classify"),
    ],
)
def test_the_task_is_told_from_the_target(y: list[Any], task: str) -> None:
    assert problem(np.arange(20.0)[:, None], y).task == task


def test_rows_without_a_target_are_set_aside_and_keep_their_places() -> None:
    y = pl.Series(["a", None] + ["b", "a"] * 6)
    found = problem(np.arange(14.0)[:, None], y)
    assert (len(found), found.without_target, found.places[1]) == (13, 1, 2)
    assert found.place(1) == "row 2"


def test_what_no_report_can_be_made_of() -> None:
    X = np.arange(12.0)[:, None]
    with pytest.raises(EvaluationError, match="got 9 rows with a target; expected at least 10"):
        problem(X, ["a", "b", "a"] * 3 + [None] * 3)
    with pytest.raises(EvaluationError, match="target 'y' that is 'a' in every row; expected two distinct"):
        problem(X, ["a"] * 12)
    with pytest.raises(TargetError, match="X has 12 and y has 11"):
        problem(X, ["a"] * 11)
    with pytest.raises(TargetError, match="y with 2 columns"):
        problem(X, np.zeros((12, 2)))
    with pytest.raises(TargetError, match="numbers"):
        problem(X, ["a", "b"] * 6, task="regress")
    with pytest.raises(TargetError, match="a mix of number and text"):
        problem(X, ["a", 1] * 6)
    with pytest.raises(NumericRangeError, match="target 'y' beyond"):
        problem(X, X[:, 0] * 1e307)


def test_dates_texts_and_sets_are_summarized_as_what_they_are() -> None:
    n = 40
    X = pd.DataFrame(
        {
            "opened": pd.date_range("2024-01-01", periods=n, freq="36h"),
            "note": [f"printer number {i} jams again" + " and again" * (i % 3) for i in range(n)],
            "parts": [{"fan", "lid"} if i % 4 else {"fan"} for i in range(n)],
        }
    )
    opened, note, parts = summarized(X, ["a", "b"] * (n // 2)).columns
    assert (opened.kind, opened.low, opened.high) == ("date", "2024-01-01", "2024-02-28 12:00")
    assert (note.kind, note.low, note.median, note.high, note.distinct) == ("text", 5.0, 7.0, 9.0, n)
    assert (parts.kind, parts.values, parts.distinct) == ("set", (("fan", 40), ("lid", 30)), 2)
    assert note.amounts == "5 … 7 … 9 words"
    assert opened.amounts.startswith("2024-01-01 … ")


def test_named_columns_keep_every_kind() -> None:
    X = as_every_kind(training_rows(30))
    table = named_columns(X)
    assert [type(kind).__name__ for kind in table.kinds.values()][2:5] == ["Date", "Text", "Set"]
    told = NamedColumns.of(table.data, {**table.kinds, "angle": Circular(360), "note": Text()})
    assert Schema.infer(told).kinds == tuple(told.kinds.values())
    assert told.frame()["opened"].dtype.kind == "M"
    assert "2021-0" in repr(told)
    assert Schema.infer(told.take(np.arange(5))).kinds == tuple(told.kinds.values())
    assert problem(told, ["a", "b"] * 15).shown("opened", 29).startswith("2021-0")
