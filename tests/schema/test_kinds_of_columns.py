"""Dates, times, circular numbers, texts and sets: how columns of any type are taken for them, and read."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from priorcase.exceptions import SchemaError, SchemaMismatchError
from priorcase.schema import Circular, Date, Nominal, Numeric, Ordinal, Schema, Set, Taxonomy, Text
from priorcase.schema.dates import date_of, seconds_of

NAN = float("nan")
DAYS = [datetime.date(2024, 2, 29), None, datetime.date(1969, 12, 31)]
SECONDS = [1709164800.0, NAN, -86400.0]
NOTE = "the printer in the hall does not print page {}"


def test_missing_values_at_the_start_do_not_change_the_kind():
    for values, kind in (([1.5] * 400, Numeric()), (["a", "b"] * 200, Nominal())):
        for start in (0, 200, 400):
            objects = values[:start] + [None] * 200 + values[start:]
            assert column(pd.DataFrame({"a": pd.Series(objects, dtype=object)}))[0] == kind


def objects(*values):
    array = np.empty((len(values), 1), dtype=object)
    array[:, 0] = values
    return array


def column(frame, kinds=None):
    schema = Schema.infer(frame, kinds=kinds)
    return schema.kinds[0], schema.read(frame).columns[0]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": pd.to_datetime(DAYS)}),
        pd.DataFrame({"a": pd.to_datetime(DAYS).tz_localize("UTC")}),
        pd.DataFrame({"a": pd.to_datetime(DAYS).tz_localize("UTC").tz_convert("Asia/Tokyo")}),
        pd.DataFrame({"a": pd.to_datetime(DAYS).to_period("D")}),
        pd.DataFrame({"a": DAYS}),
        pd.DataFrame({"a": ["2024-02-29", None, "1969-12-31"]}),
        pd.DataFrame({"a": ["2024-02-29T00:00", None, "1969-12-31 01:00+01:00"]}),
        pl.DataFrame({"a": DAYS}),
        pl.DataFrame({"a": DAYS}).with_columns(pl.col("a").cast(pl.Datetime("ms"))),
        pa.table({"a": DAYS}),
        pa.table({"a": pa.array(DAYS).cast(pa.timestamp("ns")).cast(pa.timestamp("ns", "Europe/Paris"))}),
        np.array([["2024-02-29"], ["NaT"], ["1969-12-31"]], "datetime64[s]"),
        objects(*DAYS),
        objects(pd.Timestamp("2024-02-29"), pd.NaT, np.datetime64("1969-12-31")),
    ],
)
def test_dates_of_any_type_are_seconds(frame):
    kind, cells = column(frame)
    assert kind == Date()
    np.testing.assert_array_equal(cells, SECONDS)


@given(st.datetimes(datetime.datetime(1700, 1, 1), datetime.datetime(2250, 1, 1)))
def test_moments_come_back_to_the_microsecond(moment):
    found = date_of(seconds_of(moment))
    if not isinstance(found, datetime.datetime):
        found = datetime.datetime.combine(found, datetime.time())
    assert found == moment


@pytest.mark.parametrize(
    ("frame", "kind", "cells"),
    [
        (pd.DataFrame({"a": [datetime.time(1, 2, 3), None]}), Circular(86400), [3723.0, NAN]),
        (pl.DataFrame({"a": [datetime.time(0, 1), None]}), Circular(86400), [60.0, NAN]),
        (pd.DataFrame({"a": pd.to_timedelta(["1 day", None])}), Numeric(), [86400.0, NAN]),
        (pl.DataFrame({"a": [datetime.timedelta(seconds=2), None]}), Numeric(), [2.0, NAN]),
        (np.array([[1500], ["NaT"]], "timedelta64[ms]"), Numeric(), [1.5, NAN]),
        (objects(datetime.timedelta(hours=1), None), Numeric(), [3600.0, NAN]),
    ],
)
def test_times_of_day_and_spans(frame, kind, cells):
    found, read = column(frame)
    assert found == kind
    np.testing.assert_array_equal(read, cells)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": [{"x", "y"}, None, {"y"}]}),
        pd.DataFrame({"a": [["y", "x", "x"], None, ["y"]]}),
        pl.DataFrame({"a": [["x", "y"], None, ["y"]]}),
        pa.table({"a": [["x", "y"], None, ["y"]]}),
        objects(frozenset({"x", "y"}), None, ["y", None]),
    ],
)
def test_collections_are_sets(frame):
    kind, read = column(frame)
    assert kind == Set()
    assert read.tolist() == [{"x", "y"}, None, {"y"}]


@pytest.mark.parametrize("text", ["red; blue", "red|blue", "blue, red", " red ;blue;"])
def test_a_declared_set_is_read_from_text(text):
    schema = Schema(("tags",), ("set",))
    assert schema.read(pd.DataFrame({"tags": [text]})).columns[0].tolist() == [{"red", "blue"}]


def test_long_and_mostly_distinct_texts_are_text():
    notes = [NOTE.format(page) for page in range(12)]
    assert column(pd.DataFrame({"a": notes}))[0] == Text()
    assert column(pd.DataFrame({"a": [*notes, None]}, dtype=object))[0] == Text()
    assert column(pl.DataFrame({"a": notes}))[0] == Text()
    assert column(pd.DataFrame({"a": notes[:9]}))[0] == Nominal()  # too few to tell
    assert column(pd.DataFrame({"a": notes * 3}))[0] == Nominal()  # repeated: they are names
    assert column(pd.DataFrame({"a": [f"K{number:05}" for number in range(50)]}))[0] == Nominal()
    assert column(pd.DataFrame({"a": pd.Categorical(notes, notes, ordered=True)}))[0] != Text()


def test_words_for_kinds():
    frame = pd.DataFrame({"zip": [10115, 20095], "signup": ["2024-01-01", "2024-05-01"], "size": ["S", "M"]})
    schema = Schema.infer(frame, kinds={"zip": "nominal", "signup": Date("weekday"), "size": "text"})
    assert schema.kinds == (Nominal(), Date("weekday"), Text())
    assert Schema(None, ("numeric", Circular(7))).kinds == (Numeric(), Circular(7))


@pytest.mark.parametrize(
    ("make", "telling"),
    [
        (lambda: Circular(0), "parameter 'period' of Circular must be a finite number above 0, got 0"),
        (lambda: Circular("day"), "parameter 'period' of Circular"),
        (lambda: Circular(float("inf")), "parameter 'period' of Circular"),
        (
            lambda: Date("month"),
            "parameter 'parts' of Date must be 'auto' or some of 'elapsed', 'season', 'weekday', 'hour'",
        ),
        (lambda: Date(()), "parameter 'parts' of Date"),
        (lambda: Date(("hour", "hour")), "parameter 'parts' of Date"),
        (lambda: Text("letters"), "parameter 'analyzer' of Text"),
        (lambda: Text(longest=0), "parameter 'longest' of Text"),
        (lambda: Schema(None, ("dates",)), "as the kind of column"),
        (lambda: Taxonomy({}), "parameter 'tree' of Taxonomy"),
    ],
)
def test_declarations_that_are_refused(make, telling):
    with pytest.raises(SchemaError, match=telling):
        make()


@pytest.mark.parametrize(
    ("kind", "values", "telling"),
    [
        (Date(), ["2024-01-01", "tomorrow"], "'a' contains 'tomorrow', which is not a date"),
        (Date(), ["2024-02-30"], "which is not a date"),
        (Date(), [17.5], "is numeric here but was date in fit. Pass it as dates"),
        (Numeric(), pd.to_datetime(["2024-01-01"]), "is date here but was numeric in fit. Pass it as numbers"),
        (Nominal(content="text"), pd.to_datetime(["2024-01-01"]), "is date here but was nominal"),
        (Set(), [3.5], "expected sets, lists, or strings"),
        (Set(), [[[1]]], "expected sets, lists, or strings"),
        (Text(), [1, 2], "is numeric here but was text in fit"),
    ],
)
def test_columns_that_do_not_fit(kind, values, telling):
    with pytest.raises(SchemaMismatchError, match=telling):
        Schema(("a",), (kind,)).read(pd.DataFrame({"a": values}))


def test_one_row_is_read_as_a_column_is():
    schema = Schema(("d", "c", "s", "t"), (Date(), Circular(360), Set(), Text()))
    many = pd.DataFrame(
        {"d": ["2024-02-29", "2024-03-01 12:00"], "c": [10.0, 20.0], "s": ["a;b", "b"], "t": ["one", "two"]}
    )
    both = schema.read(many)
    for place in range(2):
        one = schema.read(many.iloc[[place]])
        assert [column.tolist() for column in one.columns] == [column[[place]].tolist() for column in both.columns]
        listed = schema.read([many.iloc[place].tolist()])
        assert [column.tolist() for column in listed.columns] == [column[[place]].tolist() for column in both.columns]


def test_a_list_of_levels_is_an_ordinal_kind() -> None:
    assert Schema(("size",), (["S", "M", "L"],)).kinds == (Ordinal(("S", "M", "L")),)  # type: ignore[arg-type]
