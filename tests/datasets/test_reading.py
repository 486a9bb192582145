"""Reading text files: how they are written is found out, and one clear sentence for each thing that is not a table."""

from __future__ import annotations

import bz2
import csv
import datetime
import gzip
import io
import json
import lzma
import math
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import priorcase as pc
from priorcase.datasets import MISSING, delimited, read_table
from priorcase.datasets.files import format_of
from priorcase.exceptions import MissingExtraError, ParameterError, ReadingError
from priorcase.schema import Ordinal

AWKWARD = Path(__file__).parent / "awkward"


def text(content: str | bytes, **options: Any) -> pd.DataFrame:
    data = content.encode() if isinstance(content, str) else content
    frame = read_table(io.BytesIO(data), name="t.csv", **options)
    assert isinstance(frame, pd.DataFrame)
    return frame


def column(*fields: str, **options: Any) -> list[Any]:
    """The values of a column of fields, None for missing."""
    buffer = io.StringIO()
    csv.writer(buffer, quoting=csv.QUOTE_ALL).writerows([["a"], *([field] for field in fields)])
    read = text(buffer.getvalue(), header=True, **options)["a"]
    return [None if pd.isna(value) else value for value in read.tolist()]


def message(content: str | bytes, **options: Any) -> str:
    with pytest.raises(ReadingError) as caught:
        text(content, **options)
    return str(caught.value)


# -- awkward files


def test_the_german_file() -> None:
    frame = read_table(AWKWARD / "german.csv")
    assert len(frame) == 120
    kinds = {name: told["kind"] for name, told in frame.attrs["columns"].items()}
    assert list(kinds.values()) == ["nominal", "numeric", "nominal", "date", "nominal", "nominal"]
    assert frame.iloc[0].tolist()[:4] == ["K0000", 1516.34, "Würzburg", pd.Timestamp(2025, 3, 16)]
    assert frame["Notiz"].isna().sum() == 80
    assert set(frame["Verspätet"]) == {"ja", "nein"}
    told = frame.attrs["understood"]
    assert told.endswith(
        "german.csv: 120 rows of CSV; semicolons, latin-1, decimal commas, thousands, dates as day, month, year, "
        "missing 'k. A.'"
    )


def test_currency_and_percent_signs_are_numbers() -> None:
    frame = read_table(AWKWARD / "currency.csv")
    assert frame.loc[0, ["price", "discount"]].tolist() == [7599.98, 15]
    assert [frame[name].dtype.kind for name in ("id", "price", "discount")] == ["i", "f", "i"]
    assert "currency signs and percent signs" in frame.attrs["understood"]


def test_bars_with_two_marks_for_missing_and_dates() -> None:
    frame = read_table(AWKWARD / "bars.txt")
    assert list(frame.columns) == ["age", "income", "owns", "joined"]
    assert frame["joined"].dtype.kind == "M"
    assert frame["income"].dtype.kind == "f"
    assert frame["income"].isna().sum() == 42
    assert "bars, dates, missing '-', 'n/a'" in frame.attrs["understood"]


def test_a_file_without_a_header() -> None:
    frame = read_table(AWKWARD / "no_header.csv")
    assert (len(frame), list(frame.columns)) == (60, ["column_1", "column_2", "column_3"])
    assert frame.attrs["lines"] == [[0, 1]]


def test_utf16_with_tabs() -> None:
    frame = read_table(AWKWARD / "utf16.csv")
    assert (len(frame), list(frame.columns), frame.loc[1].tolist()) == (30, ["name", "value"], ["Ж1", 1.5])


def test_quotes_commas_and_line_breaks_within_cells() -> None:
    frame = read_table(AWKWARD / "quoted.csv")
    assert frame["what"].tolist() == ["two\nlines, one cell", 'said "so"', "plain"]
    assert frame["how much"].tolist() == [3, 4, 5]
    assert frame.attrs["lines"] == [[0, 2], [1, 4]]


def test_a_short_line_is_one_error_that_names_it() -> None:
    with pytest.raises(ReadingError, match=r"ragged\.csv line 3 has 2 fields; its header has 3\."):
        read_table(AWKWARD / "ragged.csv")


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("range", {"thickness": [5, 9, None], "class": ["benign", "malignant", "benign"]}),
        ("blanks", {"a": [0.1, 0.2, 0.3], "b": [2, 3, 4], "c": ["x", "y z", "x"]}),
        ("trailing", {"a": [1, 2], "b": ["x", "y"]}),
        ("latin1", {"ort": ["Köln", "Gießen"], "n": [1, 2]}),
        ("sparse", {"a": [3, 0, 0], "b": ["zero", "one", "zero"], "c": [7, 0, 0]}),
        (
            "dates",
            {
                "day": [pd.Timestamp(2000, 1, 2), pd.Timestamp(2000, 1, 3)],
                "at": [pd.Timestamp(2020, 5, 6, 7, 8), None],
                "v": [68.13, 66.61],
            },
        ),
    ],
)
def test_awkward_arff(file: str, expected: dict[str, list[Any]]) -> None:
    frame = read_table(AWKWARD / f"{file}.arff")
    found = {name: [None if pd.isna(value) else value for value in frame[name].tolist()] for name in frame}
    assert found == expected


# -- numbers and dates


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (("1.516,34", "2,5"), [1516.34, 2.5]),
        (("$1,234.50", "-$5", "(3.5)", "€ -7", "8 EUR"), [1234.5, -5.0, -3.5, -7.0, 8.0]),
        (("12 %", "3,5 %"), [12.0, 3.5]),
        (("1'234.5", "2"), [1234.5, 2.0]),
        (("1 234,5", "2\u202f345,75"), [1234.5, 2345.75]),
        (("1e5", "-2E-3", "+3"), [1e5, -2e-3, 3.0]),
        (("−1", "2"), [-1, 2]),
        (("1.234", "2.345"), [1.234, 2.345]),  # nothing says thousands
        (("1.234", "2.345", "3,5"), [1234.0, 2345.0, 3.5]),
        (("1,234", "2,345"), [1234, 2345]),
        (("01234", "99999"), ["01234", "99999"]),  # a code
        (("0000000000012345", "1000000000012346"), ["0000000000012345", "1000000000012346"]),
        (("123456789012345678", "123456789012345679"), ["123456789012345678", "123456789012345679"]),  # above 2^53
        (("12345678901234567890", "12345678901234567891"), ["12345678901234567890", "12345678901234567891"]),
        (("5 kg", "6 kg"), ["5 kg", "6 kg"]),
        (("inf", "-Infinity"), ["inf", "-Infinity"]),
        (("+", "-", "+"), ["+", "-", "+"]),
        (("-", "5", ".", "6"), [None, 5.0, None, 6.0]),
        (("", "?", "NA", "n/a", "NaN", "null", "k. A.", "7"), [*[None] * 7, 7.0]),
        (("none", "?"), ["none", None]),
    ],
)
def test_numbers_as_different_countries_write_them(fields: tuple[str, ...], expected: list[Any]) -> None:
    assert column(*fields) == expected


def test_a_column_of_mostly_numbers_is_numeric_and_the_rest_is_named() -> None:
    frame = text("a,b\n1,x\n2,y\nabout 3,z\n4,w\n")
    assert frame["a"].tolist()[:2] == [1.0, 2.0]
    assert math.isnan(frame["a"][2])
    assert frame.attrs["columns"]["a"]["others"] == {"about 3": 1}
    assert "1 field of 'a' is not a number and read as missing: 'about 3'" in frame.attrs["understood"]
    assert text("a,b\n1,x\nc,y\n")["a"].tolist() == ["1", "c"]  # half is not most


def test_levels_among_numbers_are_kept() -> None:
    frame = text("doors,t\n" + "2,a\n3,b\n4,a\n5more,b\n" * 20)
    assert frame["doors"].tolist()[:4] == ["2", "3", "4", "5more"]
    assert frame.attrs["understood"].endswith("; 'doors' is nominal: '5more' among numbers")
    rare = text("doors,t\n" + "2,a\n3,b\n4,a\n" * 20 + "many,b\n")
    assert rare.attrs["columns"]["doors"]["others"] == {"many": 1}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (("16.03.2025", "1.7.2025"), [(2025, 3, 16), (2025, 7, 1)]),
        (("13/4/2024", "5/6/2024"), [(2024, 4, 13), (2024, 6, 5)]),
        (("4/13/2024", "5/6/2024"), [(2024, 4, 13), (2024, 5, 6)]),
        (("3/14/2024 3:05 PM", "5/6/2024 11:00 am"), [(2024, 3, 14, 15, 5), (2024, 5, 6, 11)]),
        (("2024-05-06T07:08:09", "2024-05-06"), [(2024, 5, 6, 7, 8, 9), (2024, 5, 6)]),
        (("2024/1/2 5:06", "2024/01/03 15:06:07"), [(2024, 1, 2, 5, 6), (2024, 1, 3, 15, 6, 7)]),
        (("5. März 2024", "Dec 7, 2023", "7 Oct 2021"), [(2024, 3, 5), (2023, 12, 7), (2021, 10, 7)]),
        (("01.02.24", "3.4.71"), [(2024, 2, 1), (1971, 4, 3)]),
        (("1200-01-01", "9999-12-31"), [(1200, 1, 1), (9999, 12, 31)]),
    ],
)
def test_dates_as_different_countries_write_them(fields: tuple[str, ...], expected: list[tuple[int, ...]]) -> None:
    assert column(*fields) == [pd.Timestamp(datetime.datetime(*parts)) for parts in expected]  # type: ignore[arg-type]


def test_what_one_column_leaves_open_the_others_decide() -> None:
    frame = text("a;b;c\n1.234;2,5;3/4/2024\n5.678;3,5;5/6/2024\n")
    assert frame["a"].tolist() == [1234, 5678]
    assert frame["c"][0] == pd.Timestamp(2024, 4, 3)
    known = text("a,b,c\n1.234,13/1/2024,3/4/2024\n5.678,2/1/2024,5/6/2024\n")
    assert known["a"].tolist() == [1.234, 5.678]
    assert known["c"][0] == pd.Timestamp(2024, 4, 3)
    assert text("a,c\n1,3/4/2024\n")["c"][0] == pd.Timestamp(2024, 3, 4)


@pytest.mark.parametrize("declared", ["", "a", "b", "c", "ab", "abcd"])
def test_declared_columns_take_part_in_what_is_left_open(declared: str) -> None:
    kinds = {"a": "numeric", "b": "numeric", "c": "date", "d": "numeric"}
    schema = {name: kinds[name] for name in declared}
    frame = text("a;b;c;d\n1.234;2,5;3/4/2024;7\n5.678;3,5;5/6/2024;8\n", schema=schema)
    assert frame["a"].tolist() == [1234, 5678]
    assert frame["b"].tolist() == [2.5, 3.5]
    assert frame["c"][0] == pd.Timestamp(2024, 4, 3)
    later = text("a;b;c;d\n4.000;1;3/4/2024;1.200\n", like=frame)
    assert later["a"].tolist() == [4000]
    if "d" not in declared:
        assert later["d"].tolist() == [1200]
    points = text("a;b\n1,234;3.14\n5,678;2.71\n", schema={name: kinds[name] for name in declared if name in "ab"})
    assert points["a"].tolist() == [1234, 5678]


def test_blanks_within_a_single_column_do_not_divide() -> None:
    assert text("phone\n+49 30 1234\n+49 30 2345\n")["phone"].tolist() == ["+49 30 1234", "+49 30 2345"]
    assert text("day\n15 Jan 2024\n20 Feb 2024\n")["day"][1] == pd.Timestamp(2024, 2, 20)


def test_a_delimiter_at_the_end_of_each_line_is_no_column() -> None:
    assert list(text("a,b,\n1,2,\n3,4, \n")) == ["a", "b"]
    assert list(text("a,,b\n1,2,3\n")) == ["a", "column_2", "b"]
    assert list(text("a,b,\n1,2,\n3,4,x\n")) == ["a", "b", "column_3"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\n<!DOCTYPE html>\n<p>a, b</p>", "is a web page"),
        (b'<?xml version="1.0"?><a/>', "is an XML file"),
        (b"%PDF-1.4\n1 0 obj", "is a PDF document"),
        (b"\x89PNG\r\n\x1a\n", "is an image"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0", r"older \.xls format is not supported"),
    ],
)
def test_what_is_no_table_is_named(content: bytes, words: str) -> None:
    with pytest.raises(ReadingError, match=words):
        text(content)


def test_moments_with_a_time_zone_are_in_utc() -> None:
    frame = text("at\n2024-05-06T07:08:09+02:00\n2024-05-06T07:08:09Z\n")
    assert str(frame["at"].dt.tz) == "UTC"
    assert frame["at"].dt.hour.tolist() == [5, 7]


def test_dates_that_do_not_exist_are_counted() -> None:
    frame = text("d,x\n2024-02-31,1\n2024-01-01,2\n2024-01-02,3\n")
    assert pd.isna(frame["d"][0])
    assert "1 field of 'd' is not a date and read as missing: '2024-02-31'" in frame.attrs["understood"]


# -- options


def test_every_decision_can_be_overruled() -> None:
    assert column("1,5", "2,5", decimal=".") == ["1,5", "2,5"]
    assert column("1.234", "2.345", decimal=",") == [1234, 2345]
    assert column("1,234", "2,345", thousands="", decimal=",") == [1.234, 2.345]
    assert column("3/4/2024", dates="dmy") == [pd.Timestamp(2024, 4, 3)]
    assert column("4.3.24 5h", dates="%d.%m.%y %Hh") == [pd.Timestamp(2024, 3, 4, 5)]
    assert column("-9", "?", missing=["-9"]) == [None, "?"]
    assert column("7", "8", schema={"a": "nominal"}) == ["7", "8"]
    assert text("a,b\n1,2\n", header=False).columns.tolist() == ["column_1", "column_2"]
    assert text("1,2\n3,4\n", header=True).columns.tolist() == ["1", "2"]
    assert text("a;b\n1;2\n", delimiter=",").columns.tolist() == ["a;b"]
    assert text("größe\n1\n".encode("latin-1"), encoding="cp1252").columns.tolist() == ["größe"]
    assert text("a,b\n1,x\n", schema={"b": "ignore"}).columns.tolist() == ["a"]


def test_levels_make_an_ordered_column_and_must_have_every_field() -> None:
    for levels in (("S", "M", "L"), ["S", "M", "L"], Ordinal(("S", "M", "L"))):
        frame = text("size,b\nS,1\n,2\nL,3\n", schema={"size": levels})
        assert frame["size"].cat.ordered
        assert frame["size"].cat.categories.tolist() == ["S", "M", "L"]
    found = message("size,b\nS,1\nXL,2\n", schema={"size": ("S", "M", "L")})
    assert found.startswith("read_table: t.csv line 3, column 'size' holds 'XL'; expected one of 'S', 'M', 'L'.")


def test_a_column_declared_numeric_has_no_other_fields() -> None:
    found = message("a,b\n1,x\nmany,y\n3,z\n", schema={"a": "numeric"})
    assert found.startswith("read_table: t.csv line 3, column 'a' holds 'many'; expected a number such as 3.5")
    assert message("a\n3 o'clock\n", schema={"a": "date"}).startswith("read_table: t.csv line 2, column 'a' holds")


def test_declarations_must_name_a_column_and_a_kind() -> None:
    assert "t.csv has no column 'agee'" in message("age,size\n1,S\n", schema={"agee": "numeric"})
    with pytest.raises(ParameterError, match=r"schema declares .* as 'nominale', .* Did you mean 'nominal'"):
        text("age\n1\n", schema={"age": "nominale"})
    with pytest.raises(ParameterError, match="schema must be a mapping"):
        text("age\n1\n", schema=["age"])


# -- another file, understood alike


def test_new_cases_are_understood_as_the_first_table_was() -> None:
    past = text(
        "n;code;d;c\n1.234,5;007;3.4.2024;x\nabout;008;5.6.2024;y\n7;009;1.1.2024;x\n", schema={"code": "nominal"}
    )
    new = text("c,n,code,d\n7,9,7,1.2.2024\n?,about,1,2.3.2024\n", like=past)
    assert new["n"].tolist()[0] == 9
    assert math.isnan(new["n"][1])  # "about" was no number before either
    assert new["code"].tolist() == ["7", "1"]
    assert new["c"].tolist()[0] == "7"
    assert new["d"][0] == pd.Timestamp(2024, 2, 1)
    found = message("n\n1.5\n", like=past.attrs)
    assert "t.csv line 2, column 'n' holds '1.5'; expected a number such as 3,5 (with a decimal comma)." in found
    with pytest.raises(ParameterError, match="like must be a pandas frame from read_table"):
        text("a\n1\n", like=pd.DataFrame({"a": [1]}))


def test_without_a_header_new_cases_have_the_names_of_the_table() -> None:
    past = text("0.5,a\n1.5,b\n2.5,a\n")
    assert text("7.5,b\n", like=past).columns.tolist() == ["column_1", "column_2"]
    assert text("column_2,column_1\nb,7.5\n", like=past).columns.tolist() == ["column_2", "column_1"]


def test_a_declared_value_that_is_new_is_no_mistake_in_new_cases() -> None:
    past = text("a,b\nx,1\ny,2\n", schema={"a": ("x", "y")})
    assert text("a\nz\n", like=past)["a"].tolist() == ["z"]


# -- what a frame is


def test_the_frame_is_of_the_library_asked_for() -> None:
    pl = pytest.importorskip("polars")
    content = "a,b,d\n1,x,2024-01-01\n2,,2024-01-02\n"
    assert isinstance(text(content), pd.DataFrame)
    polars = read_table(io.BytesIO(content.encode()), library="polars")
    assert isinstance(polars, pl.DataFrame)
    assert polars["b"].to_list() == ["x", None]
    arrow = read_table(io.BytesIO(content.encode()), library="pyarrow")
    assert json.loads(arrow.schema.metadata[b"priorcase"])["columns"]["d"]["kind"] == "date"
    with pytest.raises(ParameterError, match="library"):
        read_table(io.BytesIO(b"a\n1\n"), library="dask")


def test_what_was_understood_survives_copies_and_json(tmp_path: Path) -> None:
    frame = read_table(AWKWARD / "german.csv")
    assert frame[frame["Betrag"] > 1500].copy().attrs == frame.attrs
    assert json.loads(json.dumps(frame.attrs)) == frame.attrs
    frame.to_parquet(tmp_path / "german.parquet")
    assert pd.read_parquet(tmp_path / "german.parquet").attrs == frame.attrs


def test_estimators_reports_and_comparisons_take_the_frame() -> None:
    frame = text("a,b,c\n" + "".join(f"{i * 7 % 10},{'xy'[i % 2]},{'pq'[i % 2]}\n" for i in range(30)))
    X, y = frame.drop(columns=["c"]), frame["c"]
    assert pc.KNNClassifier(1).fit(X, y).predict(X[:2]).tolist() == ["p", "q"]
    found = pc.report(frame, target="c", learners={"bayes": pc.NaiveBayes()}, progress=False)
    assert (found.problem.target, found.problem.name, found.problem.place(0)) == ("c", "t", "line 2")
    assert pc.evaluation.compare({"bayes": pc.NaiveBayes()}, X, y, splits=3).mean("bayes", "accuracy") == 1.0


# -- fields


def test_gaps_are_missing_and_lines_are_counted() -> None:
    frame = text("a,b\n1, x \n?,NA\n\n,NaN\nnull,none\n")
    assert frame["b"].tolist()[0] == "x"
    assert frame["b"].isna().tolist() == [False, True, True, False]
    assert frame.attrs["lines"] == [[0, 2], [2, 5]]


@pytest.mark.parametrize(
    ("content", "names", "first"),
    [
        ("1 2.5 x\n3 4.5 y\n5 6.5 x\n", ["column_1", "column_2", "column_3"], [1, 2.5, "x"]),
        ("  a   b\n  1  2.5  \n 13  4.5\n", ["a", "b"], [1, 2.5]),
        (
            '18.0  8\t"chevrolet chevelle"\n15.0  6\t"ford"\n',
            ["column_1", "column_2", "column_3"],
            [18, 8, "chevrolet chevelle"],
        ),
        ('"a" "b c"\n"r 1" 1 2\n"r 2" 3 NA\n', ["column_1", "a", "b c"], ["r 1", 1, 2]),  # as R writes it
    ],
)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_blanks_divide_numbers(content: str, names: list[str], first: list[Any], ending: str) -> None:
    frame = text(content.replace("\n", ending))
    assert list(frame.columns) == names
    assert frame.iloc[0].tolist() == first
    assert "blanks" in frame.attrs["understood"]


def test_blanks_divide_large_files_and_where_they_are_named() -> None:
    frame = text("\n".join(f" {row}  {row / 2} w{row % 3}" for row in range(60_000)))
    assert frame.shape == (60_000, 3)
    assert frame["column_2"].sum() == sum(range(60_000)) / 2
    assert text("a b\nx y\n", delimiter=" ").iloc[0].tolist() == ["x", "y"]
    assert text("7 8.5 w1\n", like=frame).iloc[0].tolist() == [7, 8.5, "w1"]


@pytest.mark.parametrize(
    "content", ["a\n1 234\n5 678\n", "name\nAnn Lee\nBob Ray\n", "at\n2025-01-02 10:00\n2025-01-03 11:00\n"]
)
def test_blanks_within_a_single_column_divide_nothing(content: str) -> None:
    assert text(content).shape == (2, 1)


def test_rows_may_begin_with_a_name_that_the_header_leaves_out() -> None:
    """R's write.table writes so."""
    frame = text('"x","y"\n"r1",1,2\n"r2",3,4\n')
    assert list(frame.columns) == ["column_1", "x", "y"]
    assert frame.iloc[1].tolist() == ["r2", 3, 4]
    assert frame.attrs["understood"].endswith("without a name: column_1")
    body = "".join(f"r{row},{row},{row + 1}\n" for row in range(60_000))
    assert text(f"x,y\n{body}").iloc[-1].tolist() == ["r59999", 59_999, 60_000]
    assert "t.csv line 2 has 3 fields; its header has 2." in message("x,y\n1,2,\n3,4,\n")
    assert "t.csv line 2 has 3 fields; its header has 2." in message("x,y\n1,2,3\n1,4,5\n")


@pytest.mark.parametrize(
    "content", ["2,30,?,1\n2,50,4,1\n1,78,3,2\n", "?,x\n1,y\n2,y\n3,x\n", "7,7\n", "1.0,NaN,5\n1.0,2.5,5\n"]
)
def test_a_mark_for_missing_is_no_name(content: str) -> None:
    assert not text(content).attrs["header"]


def test_a_table_of_counts_has_its_levels_in_the_header() -> None:
    frame = text('"","0","1","2"\n"0",27,29,10\n"1",59,53,14\n')
    assert list(frame.columns) == ["column_1", "0", "1", "2"]
    assert frame.shape == (2, 4)
    assert not text(",5,7\n3,6,8\n,7,9\n").attrs["header"]  # a column with gaps


def test_lines_longer_than_the_sample() -> None:
    wide = ",".join(f"{at / 7}" for at in range(5_000))
    assert text(f"{wide}\n{wide}\n").shape == (2, 5_000)
    assert text("x" * 200_000 + "\nshort\n").shape == (1, 1)


def test_quoted_fields_may_hold_delimiters_quotes_and_line_breaks() -> None:
    frame = text('a,b\n"1;2, ""three""","x\ny"\nlast, "z"\n')
    assert frame["a"].tolist() == ['1;2, "three"', "last"]
    assert frame["b"].tolist() == ["x\ny", "z"]
    assert frame.attrs["lines"] == [[0, 2], [1, 4]]


def test_blank_lines_windows_endings_and_a_byte_order_mark_are_passed_over() -> None:
    frame = text(b"\xef\xbb\xbfa,b\r\n1,2\r\n\r\n3,4\r\n\r\n")
    assert frame.columns.tolist() == ["a", "b"]
    assert frame["a"].tolist() == [1, 3]


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
@pytest.mark.parametrize(
    "rows", ["a{0}b\n1.5{0}x\n2.5{0}y\n", "a{0}b{0}c\n1{0}x, y{0}2024-01-01\n{0}{0}\n", "1{0}2\n3{0}4\n"]
)
def test_the_delimiter_is_found(mark: str, rows: str) -> None:
    content = rows.replace("x, y", '"x, y"').format(mark)
    assert text(content).attrs["delimiter"] == mark


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("1,5;2,5\n3,5;4,5\n", ";"),  # decimal commas
        ("a;b,c\n1,2\n", ","),
        ("sep=;\na;b\n1;2\n", ";"),
        ("name\nEve, Adam\nCain\n", ","),
    ],
)
def test_the_delimiter_of_hard_files(content: str, expected: str) -> None:
    try:
        assert text(content).attrs["delimiter"] == expected
    except ReadingError as error:
        assert "has 2 fields" in str(error)  # noqa: PT017


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a,b\n1,2\n", True),
        ("1,2\n3,4\n", False),
        ("name,2019,2020\nx,1.5,2\ny,2.5,3\n", True),
        ("x,small\ny,large\nx,large\ny,small\n", False),
        ("colour,size\nred,small\nblue,large\n", True),
        (",a\n0,x\n1,y\n", True),
        ("a,b\n", True),
        ("2024-01-01,x\n2024-01-02,y\n", False),
    ],
)
def test_a_header_is_known_by_being_unlike_the_rows(content: str, expected: bool) -> None:
    assert text(content).attrs["header"] is expected


def test_a_column_without_a_name_gets_one_and_it_is_said() -> None:
    frame = text(",a\n0,x\n1,y\n")
    assert frame.columns.tolist() == ["column_1", "a"]
    assert frame.attrs["understood"].endswith("; without a name: column_1")


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1", "cp1252", "utf-32"]
)
def test_encodings_are_found(encoding: str) -> None:
    content = ("größe,preis\n" + "schön,7\n" * 20 + ("“€”,8\n" if encoding == "cp1252" else "")).encode(encoding)
    assert text(content).columns.tolist() == ["größe", "preis"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", "t.csv is empty; expected a header and one row per case. Check that this is the right file."),
        ("\n\n", "t.csv is empty; expected a header and one row per case."),
        ("a,b\n1,2\n3\n", "t.csv line 3 has 1 field; its header has 2."),
        ("a,b\n1,2,3\n", "t.csv line 2 has 3 fields; its header has 2."),
        ("a,b,a\n1,2,3\n", "t.csv has two columns named 'a' in its header."),
        (b"a\nx\0y\n" + b"long enough\n" * 9, "t.csv line 2 is not text in the encoding utf-8."),
        ('a\n1\n"open\n', "t.csv line 3 is not valid CSV: unexpected end of data."),
        (gzip.compress(b"a\n1\n2\n3\n", mtime=0)[:-9], "t.csv looks compressed by gzip but is truncated or damaged."),
        (bz2.compress(b"a\n1\n2\n3\n")[:-9], "t.csv looks compressed by bzip2 but is truncated or damaged."),
        (lzma.compress(b"a\n1\n2\n3\n")[:-9], "t.csv looks compressed by xz but is truncated or damaged."),
    ],
)
def test_each_unreadable_file_has_its_sentence(content: str | bytes, expected: str) -> None:
    assert message(content).removeprefix("read_table: ").startswith(expected)


def test_an_encoding_that_does_not_fit_is_named() -> None:
    assert "t.csv line 2 is not text in the encoding utf-8" in message(b"a\n\xff\xfe\n", encoding="utf-8")
    assert "The encoding 'utf-99' is unknown." in message("a\n", encoding="utf-99")


@settings(derandomize=True, max_examples=30, deadline=None)
@given(st.lists(st.lists(st.text(max_size=6), min_size=2, max_size=2), max_size=8))
def test_what_python_writes_is_read_back(rows: list[list[str]]) -> None:
    clean = [[field.replace("\0", "").replace("\r", "\n") for field in row] for row in rows]
    buffer = io.StringIO(newline="")
    csv.writer(buffer, quoting=csv.QUOTE_ALL).writerows([["a", "b"], *clean])
    try:
        data = buffer.getvalue().encode()
    except UnicodeEncodeError:
        return
    frame = text(data, schema={"a": "nominal", "b": "nominal"}, delimiter=",", header=True, missing=["?"])
    expected = [[None if field.strip() in ("", "?") else field.strip() for field in row] for row in clean]
    found = frame.astype(object).where(frame.notna(), None)
    assert [list(row) for row in found.itertuples(index=False)] == expected


@settings(derandomize=True, max_examples=200, deadline=None)
@given(st.binary(max_size=60))
def test_arbitrary_bytes_are_a_table_or_a_reading_error(data: bytes) -> None:
    try:
        frame = text(data)
    except (ReadingError, MissingExtraError):
        return
    assert len(frame.columns) == len(set(frame.columns))


@settings(derandomize=True, max_examples=30, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_finite_float_is_read_back_exactly(number: float) -> None:
    (parsed,) = column(repr(number), schema={"a": "numeric"})
    assert math.copysign(1.0, parsed) == math.copysign(1.0, number) or number == 0
    assert parsed == number


@settings(derandomize=True, max_examples=15, deadline=None)
@given(st.data())
def test_large_files_are_split_as_small_ones(data: st.DataObject) -> None:
    """PyArrow's fields are those of Python's reader, with quotes, gaps and blank lines."""
    field = st.sampled_from(["", "1", "2.5", "x y", '"a,b"', '"say ""so"""', '"two\nlines"', " z ", "?", "é"])
    rows = data.draw(st.lists(st.tuples(field, field, field), min_size=1, max_size=30))
    content = "n,b,c\n" + "".join(",".join(row) + data.draw(st.sampled_from(["\n", "\n", "\n\n"])) for row in rows)
    slow = text(content, header=True, delimiter=",")
    before = delimited.LARGE
    try:
        delimited.LARGE = 0
        fast = text(content, header=True, delimiter=",")
    finally:
        delimited.LARGE = before
    pd.testing.assert_frame_equal(slow, fast)
    assert slow.attrs == fast.attrs


def test_a_field_far_down_that_does_not_fit_is_not_read_wrong() -> None:
    rows = "".join(f"{i}.5,{i % 7}\n" for i in range(60_000))
    frame = text(f"a,b\n{rows}many,3\n")
    assert frame.attrs["columns"]["a"]["others"] == {"many": 1}
    assert math.isnan(frame["a"].iloc[-1])
    assert frame["a"].iloc[-2] == 59_999.5
    assert "t.csv line 60002, column 'a' holds 'many'" in message(f"a,b\n{rows}many,3\n", schema={"a": "numeric"})
    assert "t.csv line 60002 has 1 field" in message(f"a,b\n{rows}many\n")


# -- formats


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("t.csv", b"a\tb,c\n", "csv"),
        ("t.tsv", b"a,b\n", "tsv"),
        ("t.TAB.GZ", b"a,b\n", "tsv"),
        ("t.data", b"1,2\n", "c4.5"),
        ("t.txt", b"a,b\n", "csv"),
        ("t.csv", b"\xef\xbb\xbf % about\n\n @Relation r\n", "arff"),
        ("t.txt", b"PAR1...", "parquet"),
        ("t.txt", b"ARROW1..", "feather"),
        ("t.txt", b'{"a": 1}\n', "jsonl"),
        ("t.txt", b"PK\x03\x04", "excel"),
        ("t.db", b"SQLite format 3\0", "sqlite"),
        ("t.txt", b"", "csv"),
    ],
)
def test_the_format_is_told_from_content_and_name(name: str, content: bytes, expected: str) -> None:
    assert format_of(name, content) == expected
    assert format_of(io.BytesIO(), content, "tsv") == "tsv"


def test_a_format_that_is_none_is_refused_with_the_choices() -> None:
    with pytest.raises(ReadingError) as caught:
        read_table(io.BytesIO(b"a\n"), format="xls")  # type: ignore[arg-type]
    assert "format='xls'" in str(caught.value)
    assert "or None to infer the format" in str(caught.value)


def test_options_of_another_format_are_refused() -> None:
    arff = b"@relation r\n@attribute a real\n@data\n1\n"
    for options in ({"delimiter": ";"}, {"header": True}, {"sheet": 1}):
        with pytest.raises(ReadingError, match=rf"got {next(iter(options))}=.* for a table in the format arff"):
            read_table(io.BytesIO(arff), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("packing", ["gz", "bz2", "xz", "zst"])
def test_packed_files_are_unpacked_whatever_their_name(tmp_path: Path, packing: str) -> None:
    content = b"a\tb\n1\tx\n"
    if packing == "zst":
        packed = pytest.importorskip("zstandard").compress(content)
    else:
        packed = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}[packing](content)
    for name in (f"t.tsv.{packing}", "t.csv"):
        (tmp_path / name).write_bytes(packed)
        assert read_table(tmp_path / name)["a"].tolist() == [1]


@pytest.mark.parametrize("packing", ["gz", "bz2", "xz", "zst"])
def test_every_packing_has_the_limit(packing: str) -> None:
    content = bytes(2**24)
    if packing == "zst":
        packed = pytest.importorskip("zstandard").compress(content)
    else:
        packed = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}[packing](content)
    assert len(packed) < 2**16
    with pytest.raises(ReadingError, match=r"has more than 1,048,576 bytes uncompressed.*max_bytes"):
        read_table(io.BytesIO(packed), max_bytes=2**20)


def test_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(
        '{"a": 1, "b": "x", "d": "2024-01-02", "ok": true}\n\n{"a": 2.5, "b": null, "d": null, "e": "1,5"}\n'
    )
    frame = read_table(path)
    assert frame.columns.tolist() == ["a", "b", "d", "ok", "e"]
    assert frame["a"].tolist() == [1.0, 2.5]
    assert frame["d"].dtype.kind == "M"
    assert frame["ok"].tolist() == [True, pd.NA]
    assert frame["e"].tolist()[1] == 1.5
    assert frame.attrs["lines"] == [[0, 1], [1, 3]]
    assert read_table(io.BytesIO(b'[{"a": 1}, {"a": 2}]'), format="jsonl")["a"].tolist() == [1, 2]
    for bad, place in (
        (b'{"a": 1}\n{"a"\n', "line 2 is not valid JSON"),
        (b'{"a": 1}\n3\n', "line 2 is not a JSON object"),
    ):
        with pytest.raises(ReadingError, match=place):
            read_table(io.BytesIO(bad), format="jsonl")
    with pytest.raises(ReadingError, match=r"column 'a' contains a list; .* Spread nested"):
        read_table(io.BytesIO(b'{"a": [1]}\n'))
    with pytest.raises(ReadingError, match="is not valid JSON"):
        read_table(io.BytesIO(b'{"a": ' + b"[" * 100_000), format="jsonl")


def test_sqlite_tables(tmp_path: Path) -> None:
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as base:
        base.execute("CREATE TABLE sales (n INTEGER, price TEXT, day TEXT, b REAL)")
        base.executemany(
            "INSERT INTO sales VALUES (?, ?, ?, ?)", [(1, "1,50 €", "3.4.2024", 2.5), (2, None, "4.5.2024", None)]
        )
    base.close()
    frame = read_table(path)
    assert frame["price"].tolist()[0] == 1.5
    assert frame["day"].dtype.kind == "M"
    pd.testing.assert_frame_equal(read_table(f"{path}::sales"), frame)
    assert read_table(io.BytesIO(path.read_bytes()))["n"].tolist() == [1, 2]
    with sqlite3.connect(path) as base:
        base.execute('CREATE TABLE "odd ""name" (x BLOB)')
        base.execute('INSERT INTO "odd ""name" VALUES (x\'00\')')
    base.close()
    with pytest.raises(ReadingError, match=r"shop\.db has several tables: 'sales', .* for example .*::sales"):
        read_table(path)
    with pytest.raises(ReadingError, match=r"has no table 'sale'.*Did you mean 'sales'"):
        read_table(f"{path}::sale")
    with pytest.raises(ReadingError, match="column 'x' contains a bytes"):
        read_table(f'{path}::odd "name')
    with pytest.raises(FileNotFoundError):
        read_table(f"{tmp_path / 'none.db'}::sales")


def test_excel_workbooks(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Kunden"
    for row in [["n", "when", "who"], [1, datetime.datetime(2024, 1, 2), "x"], [], [2.5, None, "y"]]:
        sheet.append(row)
    second = book.create_sheet("Preise")
    for row in [[1, "1,50 €"], [2, "2,50 €"]]:
        second.append(row)
    path = tmp_path / "t.xlsx"
    book.save(path)
    frame = read_table(path)
    assert frame["n"].tolist() == [1.0, 2.5]
    assert frame["when"][0] == pd.Timestamp(2024, 1, 2)
    assert frame.attrs["lines"] == [[0, 2], [1, 4]]
    assert "2 rows of Excel; sheet 'Kunden'" in frame.attrs["understood"]
    for asked in ("Preise", 2, "2"):
        assert read_table(path, sheet=asked)["column_2"].tolist() == [1.5, 2.5]
    with pytest.raises(
        ReadingError, match=r"t\.xlsx has no sheet 'Preis'; it has 'Kunden', 'Preise'\. Did you mean 'Preise'"
    ):
        read_table(path, sheet="Preis")
    with pytest.raises(ReadingError, match=r"has more than 1,000 bytes uncompressed"):
        read_table(path, max_bytes=1_000)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(ReadingError, match="is not a complete Excel workbook"):
        read_table(path)


def test_a_sheet_whose_cells_lie_far_apart_has_the_limit(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active["XFD1"] = 1
    book.active["A200000"] = 2
    book.save(tmp_path / "t.xlsx")
    with pytest.raises(ReadingError, match=r"has more than 16,777,216 bytes uncompressed"):
        read_table(tmp_path / "t.xlsx", max_bytes=2**24)


def test_without_openpyxl_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "t.xlsx", "w") as archive:
        archive.writestr("xl/workbook.xml", "")
    monkeypatch.setattr("priorcase.datasets.files.find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"pip install openpyxl \(or priorcase\[excel\]\), or save"):
        read_table(tmp_path / "t.xlsx")


def test_marks_for_missing_are_listed() -> None:
    assert {"?", "NA", "n/a", "-", "k. A."} <= set(MISSING)
    assert np.all([column(mark, "x") == [None, "x"] for mark in MISSING])
